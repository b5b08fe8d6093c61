package metrics

import (
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers/leafmajority"
	"ppdp/datasets"
)

// TestRegionsRefused: metrics of regions refuse what they cannot measure.
func TestRegionsRefused(t *testing.T) {
	table := labelled("9a")
	classless := numericTable(t, datasets.Attribute{Name: "x", High: 10, Step: 1}, 1)
	of := func(classes int, low, high []uint32) *algorithms.Regions {
		return &algorithms.Regions{Attributes: []int{0}, Low: low, High: high, Classes: classes,
			Counts: make([]float64, classes*len(low))}
	}
	gap := of(3, []uint32{0, 2}, []uint32{1, 9})
	short, narrow := of(3, []uint32{0}, []uint32{10}), of(2, []uint32{0}, []uint32{10})
	short.Assignment = []int32{}
	const learnt = "accuracy accuracy-generalised"
	for _, c := range []struct {
		metrics string
		table   *datasets.Table
		regions *algorithms.Regions
		want    string
	}{
		{learnt + " purity purity-unweighted count-noise discernibility ncp anonymity count-error",
			table, nil, "no regions"},
		{"purity purity-unweighted count-noise", table, gap, "no region"},
		{"purity purity-unweighted", table, short, "assigned"},
		{"purity purity-unweighted", classless, gap, "class"},
		{learnt, classless, threeBoxes(majorities...), "class"},
		{learnt + " count-noise", table, narrow, "2 classes"},
		{"cavg", table, gap, "k is 0"},
	} {
		for name := range strings.FieldsSeq(c.metrics) {
			refuses(t, name, Case{Table: c.table, Train: []int32{0}, Test: []int32{0},
				Release:    &algorithms.Release{Regions: c.regions},
				Classifier: leafmajority.Classifier{}}, c.want)
		}
	}
}
