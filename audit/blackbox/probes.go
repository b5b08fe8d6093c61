package blackbox

import (
	"fmt"

	"ppdp/datasets"
)

// maxProbes bounds the records that features are read of.
const maxProbes = 8

// Probes lists up to eight distinct records that one of two tables has more often than the other,
// as the codes of their attributes; nil without tables.
func Probes(a, b *datasets.Table) (differing [][]uint32) {
	if a == nil || b == nil {
		return nil
	}
	surplus := make(map[string]int)
	for side, t := range []*datasets.Table{a, b} {
		for row := range int32(t.Len()) {
			surplus[fmt.Sprint(codes(t, row))] += 1 - 2*side
		}
	}
	for _, t := range []*datasets.Table{a, b} {
		for row := range int32(t.Len()) {
			record := codes(t, row)
			if key := fmt.Sprint(record); surplus[key] != 0 && len(differing) < maxProbes {
				surplus[key] = 0
				differing = append(differing, record)
			}
		}
	}
	return differing
}

// codes lists the codes of a record.
func codes(t *datasets.Table, row int32) []uint32 {
	record := make([]uint32, len(t.Schema().Attributes))
	for at := range record {
		record[at] = t.Column(at).At(row)
	}
	return record
}
