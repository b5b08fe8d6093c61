package rps

import (
	"errors"
	"fmt"
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
	"ppdp/internal/must"
)

// times repeats a row.
func times(n int, row ...uint32) [][]uint32 { return slices.Repeat([][]uint32{row}, n) }

// boxes lists the regions of one dimension with their counts.
func boxes(regions *algorithms.Regions) string {
	var b strings.Builder
	for r := range regions.Len() {
		low, high := regions.Box(r)
		fmt.Fprintf(&b, "[%d,%d):%v ", low[0], high[0], regions.Count(r))
	}
	return b.String()
}

// recoveryEpsilon makes the best cut certain and noise vanish: with at most 1000 levels a stop
// test's scale is below 1e-5 and the second best cut at odds below exp(-1e5).
const recoveryEpsilon = 1e9

func TestHandWorkedTrees(t *testing.T) {
	// codes 0 1 1 1 2 3: eq. 2 is 1/2, 1, 1/2 at cuts 1, 2, 3
	plain := testinput.Line(4, 0, 1, 1, 1, 2, 3)
	// 4 of the first class at 0, 2 of the second at 1, 4 of the second at 2: eq. 3 is 9 at cut 1, 8
	// at cut 2 (eq. 2 is 2 at both)
	classes := testinput.Numbers(2, []int{3}, slices.Concat(times(4, 0, 0), times(2, 1, 1),
		times(4, 2, 1))...)
	// stops lie halfway between counts: even the smallest noise decides a tie
	for _, c := range []struct {
		name     string
		table    *datasets.Table
		settings func(*Params)
		want     string
	}{
		{"depth 1", plain, func(p *Params) { p.Depth, p.StopCheck = 1, false },
			"[0,2):[4] [2,4):[2] "},
		{"to single cells", plain, func(p *Params) { p.StopCheck = false },
			"[0,1):[1] [1,2):[3] [2,3):[1] [3,4):[1] "},
		// the even halves have two of four cells each
		{"narrow at half", plain, func(p *Params) { p.StopCheck, p.Narrow = false, 0.5 },
			"[0,2):[4] [2,4):[2] "},
		{"not narrow at two fifths", plain, func(p *Params) { p.StopCheck, p.Narrow = false, 0.4 },
			"[0,1):[1] [1,2):[3] [2,3):[1] [3,4):[1] "},
		{"stop at 2", plain, func(p *Params) { p.Stop = 2.5 }, "[0,1):[1] [1,2):[3] [2,4):[2] "},
		{"stop at 6", plain, func(p *Params) { p.Stop = 6.5 }, "[0,4):[6] "},
		{"fixed", plain, func(p *Params) { p.Partition, p.Depth, p.StopCheck = Fixed, 1, false },
			"[0,2):[4] [2,4):[2] "},
		{"no stop test near the root", plain, func(p *Params) {
			p.Stop, p.Allocation = 6.5, ShallowLevels
		}, "[0,1):[1] [1,2):[3] [2,3):[1] [3,4):[1] "},
		{"class", classes, func(p *Params) { p.Quality, p.Depth, p.StopCheck = Class, 1, false },
			"[0,1):[4 0] [1,3):[0 6] "},
		{"fixed odd", classes, func(p *Params) {
			p.Partition, p.Depth, p.StopCheck = Fixed, 1, false
		}, "[0,1):[4 0] [1,3):[0 6] "},
	} {
		for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
			params := DefaultParams()
			c.settings(params)
			got := boxes(testinput.Release(t, Algorithm, testinput.Input(c.table, params, variant,
				recoveryEpsilon, 1)).Regions)
			must.Be(t, got, c.want, c.name, variant)
		}
	}
}

// TestLabels: all records of a region get the class of most, under either kind of counts; more of
// them than max_rows are thinned.
func TestLabels(t *testing.T) {
	table := testinput.Numbers(2, []int{1}, slices.Concat(times(6, 0, 1), times(2, 0, 0))...)
	params := DefaultParams()
	params.MaxRows = 4
	for counts, want := range map[Counts][]float64{Noisy: {2, 6}, ByDepth: {0, 8}} {
		params.Counts = counts
		r := testinput.Release(t, Algorithm, testinput.Input(table, params,
			algorithms.Published, recoveryEpsilon, 1))
		labels := make([]uint32, r.Table.Len())
		r.Table.Column(1).Gather(r.Table.AllRows(), labels)
		if !slices.Equal(labels, []uint32{1, 1, 1, 1}) || !slices.Equal(r.Regions.Counts, want) ||
			!slices.Equal(r.Weights, []float64{2, 2, 2, 2}) || len(r.Warnings) == 0 ||
			!strings.Contains(r.Warnings[0], "max_rows 4") {
			t.Errorf("counts %s: labels %v, weights %v, counts %v, warnings %q", counts, labels,
				r.Weights, r.Regions.Counts, r.Warnings)
		}
	}
}

// drawParams draws valid parameters for a table with a binary class.
func drawParams(t *rapid.T) *Params {
	p := DefaultParams()
	p.Quality = rapid.SampledFrom([]Quality{Even, Class}).Draw(t, "quality")
	p.Attributes = rapid.SampledFrom([]AttributeChoice{All, Random}).Draw(t, "attributes")
	p.Partition = rapid.SampledFrom([]Partition{Balanced, Balanced, Fixed, Median}).
		Draw(t, "partition")
	p.Depth = rapid.IntRange(1, 9).Draw(t, "depth")
	p.Stop = float64(rapid.IntRange(0, 3).Draw(t, "stop"))
	p.StopCheck = rapid.Bool().Draw(t, "stop_check")
	p.Allocation = rapid.SampledFrom([]Allocation{UniformLevels,
		ShallowLevels}).Draw(t, "allocation")
	p.Narrow = rapid.SampledFrom([]float64{0, 0.3, 0.9}).Draw(t, "narrow")
	p.Values = rapid.SampledFrom([]partition.Values{partition.Uniform, partition.Midpoint,
		partition.Low}).Draw(t, "values")
	return p
}

// drawTable draws a table with a binary class over a domain of at most 4·4·70 cells.
func drawTable(t *rapid.T) *datasets.Table {
	cells := []int{rapid.IntRange(1, 4).Draw(t, "cells"), rapid.IntRange(1, 4).Draw(t, "cells"),
		rapid.SampledFrom([]int{1, 2, 70}).Draw(t, "cells")}
	rows := make([][]uint32, rapid.IntRange(0, 30).Draw(t, "rows"))
	for i := range rows {
		for _, n := range cells {
			rows[i] = append(rows[i], rapid.Uint32Range(0, uint32(n-1)).Draw(t, "code"))
		}
		rows[i] = append(rows[i], rapid.Uint32Range(0, 1).Draw(t, "class"))
	}
	return testinput.Numbers(2, cells, rows...)
}

func TestReleaseTilesTheDomainAndKeepsItsBudget(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table, params := drawTable(t), drawParams(t)
		variant := rapid.SampledFrom([]algorithms.Variant{algorithms.Published,
			algorithms.Strict}).Draw(t, "variant")
		if variant == algorithms.Published {
			params.Counts = rapid.SampledFrom([]Counts{Noisy, ByDepth}).Draw(t, "counts")
		}
		epsilon := rapid.SampledFrom([]float64{1e-3, 0.5, 5, 1e9}).Draw(t, "epsilon")
		in := testinput.Input(table, params, variant, epsilon, rapid.Uint64().Draw(t, "seed"))
		r := conformance.Released(t, Algorithm, in)
		if r.Structure.Leaves != r.Regions.Len() || r.Structure.Nodes != 2*r.Regions.Len()-1 ||
			r.Structure.Depth > params.Depth {
			t.Fatalf("%+v with %d regions, depth %d", r.Structure, r.Regions.Len(), params.Depth)
		}
		total := 0.0
		for _, n := range r.Regions.Counts {
			total += n
		}
		if len(r.Weights) == 0 && math.Abs(total-float64(r.Table.Len())) > 1e-6 {
			t.Fatalf("%d records, counts add up to %v", r.Table.Len(), total)
		}

		claimed, proven := in.Budget.Spent()
		if claimed > epsilon*(1+1e-12) {
			t.Fatalf("spent %v of %v", claimed, epsilon)
		}
		// some path ends in a leaf's query, and that takes all that is left
		if claimed < epsilon*(1-1e-12) {
			t.Fatalf("spent %v of %v", claimed, epsilon)
		}
		if variant == algorithms.Strict && proven > epsilon*(1+1e-12) {
			t.Fatalf("strict lost %v of %v", proven, epsilon)
		}
	})
}

func TestRefusals(t *testing.T) {
	plain, ternary := testinput.Numbers(0, []int{4}), testinput.Numbers(3, []int{4})
	binary := testinput.Numbers(2, []int{4, 4, 4}, slices.Repeat([][]uint32{{1, 1, 1, 1}}, 200)...)
	for _, c := range []struct {
		table   *datasets.Table
		change  func(*Params)
		message string
	}{
		{plain, func(p *Params) { p.Quality = Class }, "needs a table with a class attribute"},
		{ternary, func(p *Params) { p.Quality = Class }, "class of two values, class has 3"},
		{binary, func(p *Params) { p.Counts = ByDepth }, `counts: "depth" publishes`},
		{binary, func(p *Params) { p.MaxNodes = 2 }, "more than 2 nodes"},
	} {
		params := DefaultParams()
		c.change(params)
		in := testinput.Input(c.table, params, algorithms.Strict, 1e9, 1)
		_, err := Algorithm.Release(t.Context(), in)
		if err == nil || !strings.Contains(err.Error(), c.message) ||
			params.MaxNodes == 2 && !errors.Is(err, algorithms.ErrTooLarge) {
			t.Errorf("%v, want an error with %q", err, c.message)
		}
	}
}

// TestAllocationsDoNotGrowWithRows: ten times the rows may cost a few more doublings of what a
// release holds, nothing for each row or node.
func TestAllocationsDoNotGrowWithRows(t *testing.T) {
	allocations := func(n int) float64 {
		table := testinput.Wide(10, n)
		params := DefaultParams()
		params.Attributes = Random
		return testing.AllocsPerRun(1,
			func() {
				testinput.Release(t, Algorithm, testinput.Input(table, params,
					algorithms.Strict, 10, 1))
			})
	}
	if small, large := allocations(2000), allocations(20000); large > small+150 {
		t.Errorf("%v allocations for 2,000 rows, %v for 20,000", small, large)
	}
}

// TestLawOfLeaves: a root of three classes that always stops leaves 3ε/4 to its counts. Those of 0,
// 2 and 3 records all get noise, an empty class too; the majority label is that of the noisy
// counts; records lie anywhere in the box although all of the data lie in one cell. Frequencies may
// be off by 4.9 standard deviations, which a right program exceeds with probability 1e-6.
func TestLawOfLeaves(t *testing.T) {
	t.Parallel()
	const trials, epsilon, cells = 5000, 0.8, 4
	exact := [3]float64{0, 2, 3}
	table := testinput.Numbers(3, []int{cells}, slices.Concat(times(2, 1, 1), times(3, 1, 2))...)
	near := func(name string, hits, n, p float64) {
		must.Near(t, hits, n*p, 4.9*math.Sqrt(n*p*(1-p)), name, n)
	}
	alpha := math.Exp(-epsilon * 3 / 4)
	// that a count is exactly right, and that one of 0 is: P(X = 0) and P(X <= 0) for two-sided
	// geometric noise, P(|X| < ½) and P(X < ½) for Laplace noise
	right := map[algorithms.Variant][2]float64{
		algorithms.Strict:    {(1 - alpha) / (1 + alpha), 1 / (1 + alpha)},
		algorithms.Published: {1 - math.Sqrt(alpha), 1 - math.Sqrt(alpha)/2},
	}
	params := DefaultParams()
	params.Depth, params.Stop = 1, 1e6
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		var hits [3]float64
		var places [cells]float64
		records, wrong := 0.0, 0
		for seed := range uint64(trials) {
			r := testinput.Release(t, Algorithm, testinput.Input(table, params, variant,
				epsilon, seed))
			counts := r.Regions.Count(0)
			for y, n := range counts {
				if n == exact[y] {
					hits[y]++
				}
			}
			for row := range int32(r.Table.Len()) {
				places[r.Table.Column(0).At(row)]++
				records++
				if counts[r.Table.Column(1).At(row)] != slices.Max(counts) {
					wrong++
				}
			}
		}
		name := string(variant)
		near(name+": class 0", hits[0], trials, right[variant][1])
		near(name+": class 1", hits[1], trials, right[variant][0])
		near(name+": class 2", hits[2], trials, right[variant][0])
		for cell, n := range places {
			near(fmt.Sprintf("%s: cell %d", name, cell), n, records, 1./cells)
		}
		if wrong > 0 {
			t.Errorf("%s: %d records of a class that is not the majority after noise", name,
				wrong)
		}
	}
}

// TestSmoothMedian compares with the definition, on all multisets of up to four codes from 0 to 3:
// the largest exp(-βd) times the local sensitivity of a multiset at distance d, the number of codes
// that are in one of the two and not in the other. At distance n a multiset has its largest local
// sensitivity already, the whole domain, so that multisets of up to 2n codes are all that count.
func TestSmoothMedian(t *testing.T) {
	const top = 3
	type multiset [top + 1]int
	codes := func(m multiset) (all []uint32) {
		for code, n := range m {
			all = append(all, slices.Repeat([]uint32{uint32(code)}, n)...)
		}
		return all
	}
	median := func(m multiset) int {
		all := codes(m)
		if len(all) == 0 {
			return 0
		}
		return int(all[(len(all)-1)/2])
	}
	local := make(map[multiset]int)
	var m multiset
	for m[0] = range 9 {
		for m[1] = range 9 - m[0] {
			for m[2] = range 9 - m[0] - m[1] {
				for m[3] = range 9 - m[0] - m[1] - m[2] {
					for code := range m {
						for _, change := range []int{-1, 1} {
							other := m
							if other[code] += change; other[code] >= 0 {
								moved := median(m) - median(other)
								local[m] = max(local[m], moved, -moved)
							}
						}
					}
				}
			}
		}
	}
	for _, beta := range []float64{0.01, 0.3, 1, 5} {
		for m := range local {
			all := codes(m)
			if len(all) > 4 {
				continue
			}
			want := 0.0
			for other, sensitivity := range local {
				distance := 0
				for code := range m {
					distance += max(m[code]-other[code], other[code]-m[code])
				}
				want = max(want, math.Exp(-beta*float64(distance))*float64(sensitivity))
			}
			got, bound := smoothMedian(all, 0, top, beta)
			if int(got) != median(m) || math.Abs(bound-want) > 1e-12 {
				t.Fatalf("%v, β %v: median %d with bound %v, want %d with %v", all, beta, got,
					bound, median(m), want)
			}
		}
	}
}

// TestMedianCuts: without noise a region is cut just above its median, or below it where that is
// the last cell, in both variants; and all of the budget is spent, as the ledger proves.
func TestMedianCuts(t *testing.T) {
	table := testinput.Line(100, 3, 10, 10, 60, 61, 99)
	params := DefaultParams()
	params.Partition, params.Depth, params.StopCheck = Median, 2, false
	for _, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
		in := testinput.Input(table, params, variant, recoveryEpsilon, 1)
		r := testinput.Release(t, Algorithm, in)
		const want = "[0,10):[1] [10,11):[2] [11,62):[2] [62,100):[1] "
		must.Be(t, boxes(r.Regions), want, variant)
		claimed, proven := in.Budget.Spent()
		if claimed != recoveryEpsilon || math.Abs(proven/claimed-1) > 1e-12 {
			t.Errorf("%s: spent %v, proven %v of %v", variant, claimed, proven, recoveryEpsilon)
		}
	}
}
