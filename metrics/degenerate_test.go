package metrics

import (
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// missing is how texts of tables say that there is no value.
var missing = "c"

// tableOf is a table of two equal numeric quasi-identifiers, x and z in 0..9, and a class y of
// three values; each row is a code of x and one of y.
func tableOf(rows string) *datasets.Table { return tableBy(rowsOf(rows)) }

func tableBy(rows [][2]uint32) *datasets.Table {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 10, Step: 1, Missing: &missing}, {Name: "z", High: 10, Step: 1},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"a", "b", "c"},
			Role: datasets.Class, Missing: &missing},
	}}
	b := datasets.NewBuilder(schema, len(rows))
	for _, codes := range rows {
		b.AddRow(codes[0], min(9, codes[0]), codes[1])
	}
	return b.Table()
}

// original is what all releases of tables are made from. xs are the first rows' values of x, 10 a
// missing one.
func original(xs ...uint32) *datasets.Table {
	rows := [][2]uint32{{2, 0}, {0, 1}, {5, 2}, {3, 1}}
	for i, x := range xs {
		rows[i][0] = x
	}
	return tableBy(rows)
}

// box is a single region over the whole of x, with the given counts.
func box(counts ...float64) *algorithms.Regions {
	return &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10},
		Classes: 3, Counts: counts}
}

// ordinary is a release of everything a table's release may hold. No list ascends, so that one who
// sorts or reverses it is seen.
func ordinary() Case {
	table := original()
	return Case{Table: table, Train: []int32{2, 0, 3, 1}, Test: []int32{2, 0, 3, 1},
		Release: &algorithms.Release{
			Table: table, Weights: []float64{1, 2, 1, 0.5},
			Regions: &algorithms.Regions{Attributes: []int{0, 1}, Classes: 3,
				Low: []uint32{0, 0, 3, 0}, High: []uint32{3, 10, 10, 10},
				Counts: []float64{1, 1, 0, 0, 1, 1}, Assignment: []int32{1, 0, 1, 0}},
		}}
}

// ofGraph is a release of the degrees of a star of four nodes.
func ofGraph(degrees []int32) Case {
	star := must.Get(datasets.NewGraph(4, []int32{0, 0, 0}, []int32{1, 2, 3}))
	return Case{Graph: star, Release: &algorithms.Release{Degrees: degrees}}
}

// degenerateCases are releases that say little or nothing, rows missing on either side, and tables
// of a single attribute.
func degenerateCases() map[string]Case {
	table := original()
	all := table.AllRows()
	members, suppressed := box(1, 2, 1), box(0, 0, 0)
	members.Assignment = []int32{0, 0, 0, 0}
	suppressed.Assignment, suppressed.Suppressed = []int32{-1, -1, -1, -1}, all
	weighted := func(weights ...float64) *algorithms.Release {
		return &algorithms.Release{Table: table, Weights: weights, Regions: box(1, 2, 1)}
	}
	cases := make(map[string]Case)
	for name, release := range map[string]*algorithms.Release{
		"no record, no region": {Table: tableOf(""),
			Regions: &algorithms.Regions{Attributes: []int{0}, Classes: 3}},
		"one empty region":        {Table: tableOf(""), Regions: box(0, 0, 0)},
		"one region of one class": {Table: tableOf("4b"), Regions: box(0, 5, 0)},
		"records without weight":  weighted(0, 0, 0, 0),
		"hardly any weight":       weighted(math.SmallestNonzeroFloat64, 0, 0, 0),
		"members":                 {Table: table, Regions: members},
		"everything suppressed":   {Table: tableOf(""), Regions: suppressed},
		"nothing at all":          {},
	} {
		for i, split := range [][2][]int32{{all, all}, {all, nil}, {nil, all},
			{all[:1], all[1:2]}} {
			if r := release.Regions; r != nil && r.Assignment != nil &&
				len(split[0]) != len(r.Assignment) {
				continue
			}
			cases[fmt.Sprintf("%s, split %d", name, i)] = Case{Table: table,
				Train: split[0], Test: split[1], Release: release}
		}
	}
	for _, role := range []datasets.Role{datasets.Class, datasets.QuasiIdentifier} {
		b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "y", Kind: datasets.Categorical, Values: []string{"a", "b"}, Role: role}}}, 3)
		for code := range uint32(3) {
			b.AddRow(code % 2)
		}
		single := b.Table()
		regions := &algorithms.Regions{Classes: 2, Counts: []float64{2, 1}}
		if role != datasets.Class {
			regions = &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0, 1},
				High: []uint32{1, 2}, Classes: 1, Counts: []float64{2, 1}}
		}
		cases[fmt.Sprintf("a single attribute, %v", role)] = Case{Table: single,
			Train: single.AllRows(), Test: single.AllRows(),
			Release: &algorithms.Release{Table: single, Regions: regions}}
	}
	return cases
}
