package endgame

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
)

// values are the distinct codes of points on a dimension.
func values(points [][]uint32, d int) []uint32 {
	var codes []uint32
	for _, point := range points {
		codes = append(codes, point[d])
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// drawn draws a table of k to most rows and its parameters.
func drawn(t *rapid.T, most int) (*datasets.Table, [][]uint32, *Params) {
	params := DefaultParams()
	params.K = rapid.IntRange(2, 3).Draw(t, "k")
	cells := rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 3, 7, 1_000_000}), 1, 3).Draw(t, "cells")
	point := rapid.Custom(func(t *rapid.T) []uint32 {
		var codes []uint32
		for _, n := range cells {
			codes = append(codes, uint32(rapid.IntRange(0, n-1).Draw(t, "code")))
		}
		return codes
	})
	rows := rapid.SliceOfN(point, params.K, most).Draw(t, "rows")
	return testinput.Numbers(0, cells, rows...), rows, params
}

// release makes a release and checks its form: counts, ranges, and the tree's way to each region.
func release(t testinput.TB, table *datasets.Table, params *Params) *algorithms.Release {
	t.Helper()
	return conformance.Released(t, Algorithm, testinput.Input(table, params,
		algorithms.Published, 0, 1))
}

// discernibility is the sum of the squares of the regions' sizes.
func discernibility(regions *algorithms.Regions) float64 {
	sum := 0.0
	for region := range regions.Len() {
		n := 0.0
		for _, count := range regions.Count(region) {
			n += count
		}
		sum += n * n
	}
	return sum
}

// TestExactOnGrids: regions of several words, on two attributes of six values, are partitioned at
// the least cost: what each box of the grid costs follows from the boxes within it.
func TestExactOnGrids(t *testing.T) {
	const side = 6
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(8, 30).Draw(t, "k")
		weights := rapid.SliceOfN(rapid.IntRange(0, 12), side*side, side*side).Draw(t, "weights")
		weights[0] += k
		var rows [][]uint32
		for cell, n := range weights {
			for range n {
				rows = append(rows, []uint32{uint32(cell % side), uint32(cell / side)})
			}
		}
		type box struct{ left, right, low, high int }
		size := func(b box) int {
			n := 0
			for x := b.left; x < b.right; x++ {
				for y := b.low; y < b.high; y++ {
					n += weights[y*side+x]
				}
			}
			return n
		}
		costs := map[box]int{}
		var cost func(b box) int
		cost = func(b box) int {
			if known, ok := costs[b]; ok {
				return known
			}
			least := size(b) * size(b)
			try := func(one, two box) {
				if size(one) >= k && size(two) >= k {
					least = min(least, cost(one)+cost(two))
				}
			}
			for x := b.left + 1; x < b.right; x++ {
				try(box{b.left, x, b.low, b.high}, box{x, b.right, b.low, b.high})
			}
			for y := b.low + 1; y < b.high; y++ {
				try(box{b.left, b.right, b.low, y}, box{b.left, b.right, y, b.high})
			}
			costs[b] = least
			return least
		}
		params := DefaultParams()
		params.K, params.Exact = k, 64
		r := release(t, testinput.Numbers(0, []int{side, side}, rows...), params)
		got, want := discernibility(r.Regions), float64(cost(box{0, side, 0, side}))
		if got != want {
			t.Fatalf("discernibility %v of %d rows, the least is %v", got, len(rows), want)
		}
	})
}

// TestUncut: no region could be cut once more, in the opening's part of the partition as well.
func TestUncut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, rows, params := drawn(t, 60)
		params.Exact = rapid.IntRange(2, 6).Draw(t, "exact")
		r := release(t, table, params)
		members := make([][][]uint32, r.Regions.Len())
		for row, region := range r.Regions.Assignment {
			members[region] = append(members[region], rows[row])
		}
		for region, points := range members {
			for d := range points[0] {
				for _, at := range values(points, d) {
					below := 0
					for _, point := range points {
						if point[d] < at {
							below++
						}
					}
					if below >= params.K && len(points)-below >= params.K {
						t.Fatalf("region %d could be cut on %d at %d: %v", region, d, at, points)
					}
				}
			}
		}
	})
}

// TestGain: the first cut of a large region is one that narrows the ranges on its own dimension the
// most.
func TestGain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, rows, params := drawn(t, 40)
		params.Exact = 2
		r := release(t, table, params)
		spread := func(points [][]uint32, d int) float64 {
			codes := values(points, d)
			if len(codes) == 1 {
				return 0
			}
			cells := float64(table.Schema().Attributes[d].Cells())
			return float64(len(points)) * float64(codes[len(codes)-1]-codes[0]+1) / cells
		}
		gain := func(d int, at uint32) float64 {
			var below, above [][]uint32
			for _, point := range rows {
				if point[d] < at {
					below = append(below, point)
				} else {
					above = append(above, point)
				}
			}
			if len(below) < params.K || len(above) < params.K {
				return -1
			}
			return spread(rows, d) - spread(below, d) - spread(above, d)
		}
		best := -1.0
		for d := range rows[0] {
			for _, at := range values(rows, d) {
				best = max(best, gain(d, at))
			}
		}
		if len(r.Regions.Tree) == 0 {
			if best >= 0 {
				t.Fatalf("nothing is cut, a cut gains %v", best)
			}
			return
		}
		root := r.Regions.Tree[0]
		if got := gain(root.Dim, root.At); math.Abs(got-best) > 1e-9*math.Abs(best) {
			t.Fatalf("the first cut gains %v, another %v", got, best)
		}
	})
}

// TestOutOfSteps: a search that may not visit all cuts still gives a partition, says that it may
// not be the best, and is never cheaper than the one that may.
func TestOutOfSteps(t *testing.T) {
	table := testinput.Discrete(t, "uniform", 300)
	space := partition.NewSpace(table, table.Schema().QuasiIdentifiers())
	rows := table.AllRows()
	solve := func(work int) (cost int64, exhausted bool) {
		s := solver{space: space, k: 20, work: work}
		for n := range int64(len(rows) + 1) {
			s.least = append(s.least, partition.EvenSquares(n, max(1, n/20)))
		}
		return s.solve(rows), s.exhausted
	}
	least, exhausted := solve(1000)
	if exhausted || least < partition.EvenSquares(300, 15) || least >= 300*300 {
		t.Fatalf("least cost %d (out of steps: %t)", least, exhausted)
	}
	if cost, exhausted := solve(0); !exhausted || cost < least || cost >= 300*300 {
		t.Errorf("cost %d without steps (%t), the least is %d", cost, exhausted, least)
	}
}

// TestLargeRegions: where rows and cuts are too many for the solver's table, regions are cut
// greedily further, and no memory is asked for.
func TestLargeRegions(t *testing.T) {
	const n = 40_000
	rows := make([][]uint32, n)
	for i := range rows {
		rows[i] = []uint32{uint32(i), uint32(i * 7919 % n)}
	}
	params := DefaultParams()
	params.K, params.Exact = 5000, 64
	r := release(t, testinput.Numbers(0, []int{n, n}, rows...), params)
	for region, size := range r.Regions.Counts {
		if size < 5000 || size >= 2*5000 { // without ties everything else can be cut
			t.Errorf("region %d has %v rows", region, size)
		}
	}
}

// TestGap is a worked example. Five equal rows cost 5 each, and the rows beside them at least k =
// 3: the bound is 5·5 + 4·3. The rows at 1 and 2 are too few, so that they stay together, or join
// the five.
func TestGap(t *testing.T) {
	params := DefaultParams()
	params.K = 3
	r := release(t, testinput.Line(3, 0, 0, 0, 0, 0, 1, 1, 2, 2), params)
	if got := discernibility(r.Regions); got != 5*5+4*4 {
		t.Errorf("discernibility %v, want %d", got, 5*5+4*4)
	}
	if want := 4.0 / 41; r.Structure.Gap != want {
		t.Errorf("gap %v, want %v", r.Structure.Gap, want)
	}
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "none below 37 is possible") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// TestAdult holds what the package is for: on the table of Mondrian's paper, 30,162 rows and eight
// quasi-identifiers, strict Mondrian's discernibility is 467,984 at k of 10, and its penalty .0976.
func TestAdult(t *testing.T) {
	r := release(t, testinput.Adult(t, "mondrian"), DefaultParams())
	if got := discernibility(r.Regions); got > 390_000 {
		t.Errorf("discernibility %v, want at most 390,000", got)
	}
	if r.Structure.Gap > 0.1 {
		t.Errorf("gap %v, want at most .1", r.Structure.Gap)
	}
}
