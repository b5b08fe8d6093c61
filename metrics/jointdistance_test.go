package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// plane is a table of two numeric attributes of the given numbers of cells.
func plane(rows, columns int, points ...[]uint32) *datasets.Table {
	return codedTable([]datasets.Attribute{number("x", rows), number("y", columns)}, points...)
}

// TestJointDistanceRefused: a release of no records has none; one attribute and a grid that is too
// large are errors.
func TestJointDistanceRefused(t *testing.T) {
	box := func(n float64) *algorithms.Regions {
		return &algorithms.Regions{Attributes: []int{0, 1}, Classes: 1, Low: []uint32{0, 0},
			High: []uint32{2, 2}, Counts: []float64{n}}
	}
	table := plane(2, 2, []uint32{0, 0}, []uint32{1, 1})
	undefined(t, "ks-joint", inRegions(table, box(0)))
	refuses(t, "ks-joint", inRegions(table, &algorithms.Regions{Attributes: []int{0}, Classes: 1}),
		"1 numeric attributes are generalised, must be at least 2")
	refuses(t, "ks-joint", inRegions(plane(1<<12, 1<<12), box(1)), "x and y have 4096 x 4096 cells")
}

// TestJointDistanceByCells asks every lower corner box one by one.
func TestJointDistanceByCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, columns := rapid.IntRange(1, 6).Draw(t, "rows"), rapid.IntRange(1,
			6).Draw(t, "columns")
		var points [][]uint32
		for range rapid.IntRange(1, 12).Draw(t, "points") {
			points = append(points, []uint32{rapid.Uint32Range(0, uint32(rows-1)).Draw(t, "x"),
				rapid.Uint32Range(0, uint32(columns-1)).Draw(t, "y")})
		}
		regions := &algorithms.Regions{Attributes: []int{0, 1}, Classes: 2}
		mass := 0.0
		for range rapid.IntRange(1, 5).Draw(t, "regions") {
			for _, cells := range []int{rows, columns} {
				low := rapid.IntRange(0, cells-1).Draw(t, "low")
				regions.Low = append(regions.Low, uint32(low))
				regions.High = append(regions.High,
					uint32(rapid.IntRange(low+1, cells).Draw(t, "high")))
			}
			for range 2 {
				n := rapid.Float64Range(0.5, 3).Draw(t, "count")
				mass += n
				regions.Counts = append(regions.Counts, n)
			}
		}
		got, ok := measure(t, "ks-joint", inRegions(plane(rows, columns, points...), regions))
		want := 0.0
		for x := range rows {
			for y := range columns {
				published, truth := 0.0, 0.0
				for r := range regions.Len() {
					low, high := regions.Box(r)
					inside := 0
					for i := low[0]; i < high[0]; i++ {
						for j := low[1]; j < high[1]; j++ {
							if int(i) <= x && int(j) <= y {
								inside++
							}
						}
					}
					volume := float64((high[0] - low[0]) * (high[1] - low[1]))
					published += (regions.Counts[2*r] +
						regions.Counts[2*r+1]) * float64(inside) / volume / mass
				}
				for _, p := range points {
					if int(p[0]) <= x && int(p[1]) <= y {
						truth += 1 / float64(len(points))
					}
				}
				want = max(want, math.Abs(published-truth))
			}
		}
		if !ok || math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v, %v, want %v", got, ok, want)
		}
	})
}
