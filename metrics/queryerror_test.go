package metrics

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// jobs is a categorical attribute whose taxonomy walks its values in another order than that of
// their codes.
func jobs() datasets.Attribute {
	return datasets.Attribute{Name: "job", Kind: datasets.Categorical,
		Values: []string{"smith", "clerk", "baker", "none"}, Taxonomy: &datasets.Taxonomy{
			Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 4, 5}},
				{Name: "craft", Parent: 0, Children: []int{2, 3}},
				{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
				{Name: "none", Parent: 0}, {Name: "clerk", Parent: 0},
			},
		}}
}

// TestEstimateByCells compares estimates with a release spelled out: every record spread evenly
// over all cells of its region.
func TestEstimateByCells(t *testing.T) {
	attributes := []datasets.Attribute{number("age", 6), jobs()}
	table := codedTable(attributes)
	axis := attributes[1].Axis()
	rapid.Check(t, func(t *rapid.T) {
		regions := &algorithms.Regions{Attributes: []int{1, 0}, Classes: 2,
			Axes: []*datasets.Axis{axis, nil}}
		want := [][]float64{make([]float64, 6), make([]float64, 4)}
		for range rapid.IntRange(0, 4).Draw(t, "regions") {
			node := rapid.IntRange(0, len(axis.Taxonomy.Nodes)-1).Draw(t, "node")
			low := rapid.Uint32Range(0, 5).Draw(t, "low")
			high := rapid.Uint32Range(low+1, 6).Draw(t, "high")
			regions.Low = append(regions.Low, axis.Low[node], low)
			regions.High = append(regions.High, axis.High[node], high)
			regions.Nodes = append(regions.Nodes, int32(node), -1)
			one, other := rapid.IntRange(0, 3).Draw(t, "a"), rapid.IntRange(0, 3).Draw(t, "b")
			regions.Counts = append(regions.Counts, float64(one), float64(other))
			jobs := axis.Code[axis.Low[node]:axis.High[node]]
			for age := low; age < high; age++ {
				for _, job := range jobs {
					n := float64(one+other) / float64(len(jobs)) / float64(high-low)
					want[0][age] += n
					want[1][job] += n
				}
			}
		}
		c := inRegions(table, regions)
		for attribute := range attributes {
			got := must.Get(estimatedCounts(t.Context(), c, attribute, Tight))
			for code, n := range want[attribute] {
				if math.Abs(got[code]-n) > 1e-9 {
					t.Fatalf("attribute %d of %+v: %v, want %v", attribute, regions, got, want)
				}
			}
		}
	})
}

// TestCountErrorByHand: ten records, all of value 3, spread over ten cells: nine values are off by
// 1 and one by 9. The mean is 1.8, the mean square (81 + 9)/10, the standard deviation √(9 - 1.8²)
// = 2.4. The range of the records has them right.
func TestCountErrorByHand(t *testing.T) {
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10},
		TightLow: []uint32{3}, TightHigh: []uint32{4}, Classes: 1,
		Counts: []float64{10}, Assignment: make([]int32, 10)}
	c := inRegions(line(10, slices.Repeat([]uint32{3}, 10)...), regions)
	for _, test := range []struct {
		name   string
		ranges Ranges
		want   float64
	}{{"count-error", Box, 1.8}, {"count-error-std", Box, 2.4}, {"count-error", Tight, 0}} {
		wants(t, test.name, c, func(p Params) {
			*p.(*CountErrorParams) = CountErrorParams{"x", test.ranges}
		}, test.want, test.ranges)
	}
}

func TestCountErrorRefuses(t *testing.T) {
	table := codedTable([]datasets.Attribute{number("age", 10), number("weight", 1<<20),
		{Name: "flu", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Sensitive}, number("sex", 2)})
	c := inRegions(table, &algorithms.Regions{Attributes: []int{0}, Classes: 1})
	for attribute, want := range map[string]string{
		"shoe":   `attribute: "shoe", must be one of the quasi-identifiers age, weight, sex`,
		"flu":    `attribute: "flu"`,
		"weight": "more than 131072 queries",
		"sex":    "sex is not generalised by the release",
	} {
		c.Params = &CountErrorParams{attribute, Box}
		refuses(t, "count-error", c, want)
	}
}
