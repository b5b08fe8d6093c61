package external

import (
	"io"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/numeric/random"
)

// WriteGeneralised writes the table that a release under k-anonymity stands for: of each row that
// is not suppressed its region in place of the quasi-identifiers, and its other values as they are.
// Rows come region by region, those of a region in random order: their places would otherwise lead
// back to the order of the input.
func WriteGeneralised(w io.Writer, table *datasets.Table, rows []int32,
	regions *algorithms.Regions, stream *random.Stream) error {
	members := make([][]int32, regions.Len())
	for i, region := range regions.Assignment {
		if region >= 0 {
			members[region] = append(members[region], rows[i])
		}
	}
	var ordered, of []int32
	for region, rows := range members {
		stream.Permute(rows)
		ordered = append(ordered, rows...)
		for range rows {
			of = append(of, int32(region))
		}
	}
	schema := table.Schema()
	generalise := make([]func(at int) string, len(schema.Attributes))
	for d, attribute := range regions.Attributes {
		texts := make([]string, regions.Len())
		for region := range texts {
			texts[region] = groupText(&schema.Attributes[attribute], regions, region, d)
		}
		generalise[attribute] = func(at int) string { return texts[of[at]] }
	}
	return csvtable.WriteGeneralised(w, table, ordered, generalise)
}

// groupText is a region's generalised value on a dimension.
func groupText(a *datasets.Attribute, regions *algorithms.Regions, region, d int) string {
	if regions.Axes != nil && regions.Axes[d] != nil {
		return regions.Axes[d].Taxonomy.Nodes[regions.Nodes[regions.Side(region, d)]].Name
	}
	low, high := regions.Interval(region, d)
	return csvtable.GroupText(a, low, high)
}
