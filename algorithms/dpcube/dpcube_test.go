package dpcube

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/privacy"
)

var variants = []algorithms.Variant{algorithms.Published, algorithms.Strict}

// TestGrid compares cells with the definition: bins tile the domain, differ by at most one cell in
// width, and every row is counted in the cell its codes and class lie in.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		domains := rapid.SliceOfN(rapid.IntRange(1, 9), 0, 3).Draw(t, "domains")
		classes := rapid.IntRange(0, 3).Draw(t, "classes")
		bins := rapid.IntRange(1, 10).Draw(t, "bins")
		var rows [][]uint32
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			var row []uint32
			for _, n := range domains {
				row = append(row, uint32(rapid.IntRange(0, n-1).Draw(t, "code")))
			}
			if classes > 0 {
				row = append(row, uint32(rapid.IntRange(0, classes-1).Draw(t, "class")))
			}
			rows = append(rows, row)
		}
		table := testinput.Numbers(classes, domains, rows...)
		g, err := newGrid(table.Schema(), &Params{Bins: bins, MaxCells: 1 << 20}, nil)
		if err != nil {
			t.Fatal(err)
		}
		want := make(map[int]int32)
		for _, row := range rows {
			index := 0
			for d, code := range row {
				bin := int(code)
				if d < len(domains) {
					bin = 0
					for code >= g.starts[d][bin+1] {
						bin++
					}
				}
				index = index*g.sides[d] + bin
			}
			want[index]++
		}
		for d, n := range domains {
			starts := g.starts[d]
			if len(starts) != min(n, bins)+1 || starts[0] != 0 ||
				starts[len(starts)-1] != uint32(n) {
				t.Fatalf("bins %v of %d cells, must be %d", starts, n, min(n, bins))
			}
			narrow, wide := uint32(n), uint32(0)
			for i := range len(starts) - 1 {
				narrow, wide = min(narrow, starts[i+1]-starts[i]), max(wide, starts[i+1]-starts[i])
			}
			if narrow < 1 || wide > narrow+1 {
				t.Fatalf("bins %v differ by more than a cell", starts)
			}
		}
		got := g.count(partition.NewSpace(table, table.Schema().QuasiIdentifiers()),
			table.AllRows())
		for index, n := range got {
			if n != want[index] {
				t.Fatalf("cell %d holds %d rows, must hold %d", index, n, want[index])
			}
		}
	})
}

// drawBlocks draws a grid of up to three dimensions with values in its cells, and a box of it.
func drawBlocks(t *rapid.T) *blocks {
	sides := rapid.SliceOfN(rapid.IntRange(1, 5), 1, 3).Draw(t, "sides")
	g := &grid{sides: sides, strides: make([]int, len(sides)), cells: 1}
	for d := len(sides) - 1; d >= 0; d-- {
		g.strides[d] = g.cells
		g.cells *= sides[d]
	}
	cells := rapid.SliceOfN(rapid.Float64Range(-9, 9), g.cells, g.cells).Draw(t, "cells")
	return newBlocks(context.Background(), g, cells)
}

// deviationOf is the squared deviation of a box's cells from their mean, by definition.
func deviationOf(b *blocks, low, high []int) (deviation float64, n int) {
	var inside []float64
	for index, x := range b.cells {
		in := true
		for d, stride := range b.grid.strides {
			place := index / stride % b.grid.sides[d]
			in = in && place >= low[d] && place < high[d]
		}
		if in {
			inside = append(inside, x)
		}
	}
	mean := stat.Mean(inside, nil)
	for _, x := range inside {
		deviation += (x - mean) * (x - mean)
	}
	return deviation, len(inside)
}

// TestCut compares the cut of a random box with all cuts, by definition.
func TestCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		for d, side := range b.grid.sides {
			b.low[d] = rapid.IntRange(0, side-1).Draw(t, "low")
			b.high[d] = rapid.IntRange(b.low[d]+1, side).Draw(t, "high")
		}
		want, n := deviationOf(b, b.low, b.high)
		if n != b.size() {
			t.Fatalf("%d cells, must be %d", b.size(), n)
		}
		if n == 1 {
			return
		}
		mean, deviation := b.measure(n)
		if math.Abs(deviation-want) > 1e-9*(1+want) {
			t.Fatalf("squared deviation %v, must be %v", deviation, want)
		}
		dim, at := b.cut(n, mean)
		parts := func(d, at int) float64 {
			high, low := slices.Clone(b.high), slices.Clone(b.low)
			high[d], low[d] = at, at
			left, _ := deviationOf(b, b.low, high)
			right, _ := deviationOf(b, low, b.high)
			return left + right
		}
		for d := range b.low {
			if length := b.high[d] - b.low[d]; length > b.high[dim]-b.low[dim] ||
				d < dim && length == b.high[dim]-b.low[dim] {
				t.Fatalf("dimension %d of %d cells is cut, %d has %d", dim, b.high[dim]-b.low[dim],
					d, length)
			}
		}
		least := math.Inf(1)
		for at := b.low[dim] + 1; at < b.high[dim]; at++ {
			least = min(least, parts(dim, at))
		}
		if got := parts(dim, at); got > least+1e-9*(1+least) {
			t.Fatalf("the cut at %d on %d leaves %v, the best leaves %v", at, dim, got, least)
		}
	})
}

// TestBlocks: blocks tile the grid, each is within the rule, and the whole grid was cut unless it
// is.
func TestBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		b.explained = rapid.SampledFrom([]float64{0, 1, 10, 40}).Draw(t, "explained")
		covered := make([]int, b.grid.cells)
		boxes := 0
		b.publish = func() error {
			boxes++
			deviation, n := deviationOf(b, b.low, b.high)
			if deviation > b.explained*float64(n-1)+1e-9 {
				t.Fatalf("a block of %d cells deviates by %v", n, deviation)
			}
			b.runs(func(_ []int, from, to int) {
				for i := from; i < to; i++ {
					covered[i]++
				}
			})
			return nil
		}
		whole, n := deviationOf(b, b.low, b.high)
		if err := b.partition(0); err != nil {
			t.Fatal(err)
		}
		for i, times := range covered {
			if times != 1 {
				t.Fatalf("cell %d lies in %d blocks", i, times)
			}
		}
		limit := b.explained * float64(n-1)
		if whole > limit+1e-9 && boxes == 1 || whole < limit-1e-9 && boxes > 1 {
			t.Fatalf("%d blocks from a deviation of %v where %v is explained", boxes, whole, limit)
		}
		if b.structure.Leaves != boxes || b.structure.Nodes != 2*boxes-1 {
			t.Fatalf("structure %+v of %d blocks", b.structure, boxes)
		}
	})
}

// fixed is a counter that answers the same whatever it is asked.
type fixed float64

func (f fixed) Add(*privacy.Path, float64, float64) (float64, error) { return float64(f), nil }
func (fixed) AddAll(*privacy.Path, float64, []float64) error         { return nil }

// TestCombine solves the least-squares problems by their normal equations. With noise of variance 1
// on cells x and of variance q on their counted sum y, cells z minimise Σ(x-z)² + (y-Σz)²/q: (I +
// 11ᵀ/q)z = x + 1·y/q.
func TestCombine(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := drawBlocks(t)
		// keeps the solutions above 0, where nothing is clamped
		y := rapid.Float64Range(100, 1000).Draw(t, "count")
		for i := range b.cells {
			b.cells[i] += 20
		}
		params := DefaultParams()
		params.Combine = rapid.SampledFrom([]Combine{NotCombined, Cells}).Draw(t, "combine")
		r := &release{
			params: params, grid: b.grid, noisy: b.cells, exact: make([]int32, b.grid.cells),
			counts: make([]float64, b.grid.cells),
			blocks: b, phase2: fixed(y), epsilon: [2]float64{0.3, rapid.Float64Range(0.1, 3).Draw(t,
				"epsilon")},
		}
		if err := r.block(); err != nil {
			t.Fatal(err)
		}
		n := b.grid.cells
		q := math.Pow(0.3/r.epsilon[1], 2) // Laplace variances 2/ε²
		want := make([]float64, n)
		switch params.Combine {
		case NotCombined:
			for i := range want {
				want[i] = y / float64(n)
			}
		case Cells:
			a, right := mat.NewDense(n, n, nil), mat.NewVecDense(n, nil)
			for i := range n {
				for j := range n {
					a.Set(i, j, 1/q)
				}
				a.Set(i, i, 1+1/q)
				right.SetVec(i, b.cells[i]+y/q)
			}
			var z mat.VecDense
			if err := z.SolveVec(a, right); err != nil {
				t.Fatal(err)
			}
			copy(want, z.RawVector().Data)
		}
		for i, got := range r.counts {
			if math.Abs(got-math.Max(0, want[i])) > 1e-6 {
				t.Fatalf("%s: cell %d is estimated %v, must be %v", params.Combine, i, got, want[i])
			}
		}
	})
}

// TestDeviation sums the two-sided geometric law P(x) = tanh(ε/2)·e^(-ε|x|) by hand.
func TestDeviation(t *testing.T) {
	for _, epsilon := range []float64{0.05, 0.5, 3} {
		variance := 0.0
		for x := 1.0; x < 2000; x++ {
			variance += 2 * x * x * math.Tanh(epsilon/2) * math.Exp(-epsilon*x)
		}
		strict, published := release{strict: true}, release{}
		if got := strict.deviation(epsilon); math.Abs(got*got/variance-1) > 1e-9 {
			t.Errorf("geometric noise at %v has variance %v, must be %v", epsilon, got*got,
				variance)
		}
		if got, want := published.deviation(epsilon),
			math.Sqrt2/epsilon; math.Abs(got/want-1) > 1e-12 {
			t.Errorf("laplace noise at %v has deviation %v, must be %v", epsilon, got, want)
		}
	}
}

// mixed is a table over 6×5 cells and two classes with counts that differ from cell to cell, some
// 0.
func mixed() *datasets.Table {
	var rows [][]uint32
	for a := range uint32(6) {
		for b := range uint32(5) {
			for y := range uint32(2) {
				for range (a*7 + b*b*3 + y*5) % 11 {
					rows = append(rows, []uint32{a, b, y})
				}
			}
		}
	}
	return testinput.Numbers(2, []int{6, 5}, rows...)
}

// TestWithoutNoise: as epsilon grows the histogram becomes the exact one, by any rule.
func TestWithoutNoise(t *testing.T) {
	table := mixed()
	for _, variant := range variants {
		for _, combine := range []Combine{NotCombined, Cells} {
			params := DefaultParams()
			params.Combine = combine
			r := testinput.Release(t, Algorithm{}, testinput.Input(table, params, variant, 1e7,
				1))
			total := 0
			for region := range r.Regions.Len() {
				low, _ := r.Regions.Box(region)
				for y, got := range r.Regions.Count(region) {
					want := (low[0]*7 + low[1]*low[1]*3 + uint32(y)*5) % 11
					total += int(want)
					if math.Abs(got-float64(want)) > 1e-4 {
						t.Errorf("%s, %s: cell %v of class %d holds %v, must hold %d",
							variant, combine, low, y, got, want)
					}
				}
			}
			if r.Table.Len() != total || total != table.Len() {
				t.Errorf("%d records are drawn of %d", r.Table.Len(), table.Len())
			}
		}
	}
}

// TestStopRule sweeps the threshold over a grid of two even halves, 64 cells of 0 and 64 of 1000
// rows. The rule finds the two halves, threshold 0 every cell (under Laplace noise no two are
// alike), and an enormous one nothing. At ε = 1 a cell's noise has variance 8 and fourth moment
// 24·16; the squared deviation of 64 cells then has mean 504 and a standard deviation of about
// √(64·(384-64)) = 143, so that ten times the mean is out of reach.
func TestStopRule(t *testing.T) {
	var rows [][]uint32
	for a := range uint32(8) {
		for b := range uint32(8) {
			for range 1000 {
				rows = append(rows, []uint32{a, 8 + b})
			}
		}
	}
	table := testinput.Numbers(0, []int{8, 16}, rows...)
	for threshold, want := range map[float64]int{0: 128, 10: 2, 1e300: 1} {
		params := DefaultParams()
		params.Threshold = threshold
		r := testinput.Release(t, Algorithm{}, testinput.Input(table, params,
			algorithms.Published, 1, 3))
		if r.Structure.Leaves != want {
			t.Errorf("threshold %v: %d blocks, must be %d", threshold, r.Structure.Leaves,
				want)
		}
		if want != 2 {
			continue
		}
		for region, count := range r.Regions.Counts { // all cells of a half share its count
			low, _ := r.Regions.Box(region)
			half := 0.0
			if low[1] >= 8 {
				half = 1000
			}
			// A half's noise of scale 2 on 64 cells exceeds 1 in a cell with probability e^-32.
			if math.Abs(count-half) > 1 {
				t.Errorf("cell %v holds %v, must hold about %v", low, count, half)
			}
		}
	}
}

// TestPhasesAreIndependent correlates the noises of the two phases of 4096 cells that are blocks of
// their own. The correlation of independent noises has standard deviation 1/64; 4.9 of them are
// exceeded with probability 1e-6, and noise of one stream or seed would give 1.
func TestPhasesAreIndependent(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(4096) {
		for range 200 { // nothing is clamped: 200 rows are 100 scales
			rows = append(rows, []uint32{i >> 6, i & 63})
		}
	}
	table := testinput.Numbers(0, []int{64, 64}, rows...)
	params := DefaultParams()
	params.Threshold, params.Bins = 0, 64
	r, err := newRelease(t.Context(), testinput.Input(table, params, algorithms.Published, 1, 5))
	if err != nil {
		t.Fatal(err)
	}
	r.exact = r.grid.count(partition.NewSpace(table, []int{0, 1}), table.AllRows())
	if err := r.estimate(context.Background()); err != nil {
		t.Fatal(err)
	}
	if r.blocks.structure.Leaves != 4096 {
		t.Fatalf("%d blocks, must be 4096", r.blocks.structure.Leaves)
	}
	if c := stat.Correlation(r.noisy, r.counts, nil); math.Abs(c) > 4.9/64 {
		t.Errorf("the noises of cells and blocks correlate by %v", c)
	}
	// Both have variance 2·2² = 8, each estimated with a relative deviation of √(5/4096) = 3.5 %.
	for name, x := range map[string][]float64{"cells": r.noisy, "blocks": r.counts} {
		if v := stat.Variance(x, nil); math.Abs(v/8-1) > 4.9*0.035 {
			t.Errorf("noise of %s has variance %v, must be 8", name, v)
		}
	}
}

// TestLedger: the cells get the share, the blocks the rest, and no path pays more.
func TestLedger(t *testing.T) {
	for _, variant := range variants {
		params := DefaultParams()
		params.Split, params.Threshold = 0.2, 0.5
		in := testinput.Input(mixed(), params, variant, 2, 1)
		r := testinput.Release(t, Algorithm{}, in)
		claimed, proven := in.Budget.Spent()
		if math.Abs(claimed-2) > 1e-9 || math.Abs(proven-2) > 1e-9 {
			t.Errorf("%s: spent %v, proven %v, must be 2", variant, claimed, proven)
		}
		ledger := in.Budget.Ledger()
		if len(ledger) != 2 || ledger[0].Purpose != "cell counts" ||
			math.Abs(ledger[0].Cost-0.4) > 1e-12 || ledger[0].Calls != 1 ||
			ledger[1].Purpose != "block counts" || math.Abs(ledger[1].Cost-1.6) > 1e-12 ||
			ledger[1].Calls != int64(r.Structure.Leaves) {
			t.Errorf("%s: ledger %+v of %d blocks", variant, ledger, r.Structure.Leaves)
		}
	}
}

func TestRefusals(t *testing.T) {
	wide := testinput.Numbers(2, []int{100, 100, 100, 100, 100, 100})
	_, err := Algorithm{}.Release(context.Background(), testinput.Input(wide, DefaultParams(),
		algorithms.Published, 1, 1))
	if !errors.Is(err, algorithms.ErrTooLarge) || !strings.Contains(err.Error(), "max_cells") ||
		!strings.Contains(err.Error(), "grid: coarse") {
		t.Errorf("a grid of 16⁶·2 cells: %v", err)
	}
	narrow := DefaultParams()
	narrow.Grid, narrow.MaxCells = Coarse, 1
	_, err = Algorithm{}.Release(context.Background(), testinput.Input(wide, narrow,
		algorithms.Published, 1, 1))
	if !errors.Is(err, algorithms.ErrTooLarge) || !strings.Contains(err.Error(), "classes") {
		t.Errorf("two classes in one cell: %v", err)
	}
	for _, c := range []struct {
		change func(*algorithms.Input)
		want   string
	}{
		{func(in *algorithms.Input) { in.Variant = algorithms.RefCode }, "no variant"},
		{func(in *algorithms.Input) { in.Budget = privacy.NewBudget(0) }, "epsilon 0"},
		{func(in *algorithms.Input) { in.Params.(*Params).Split = 1 }, "split: 1"},
		{func(in *algorithms.Input) { in.Params = nil }, "parameters"},
	} {
		in := testinput.Input(mixed(), DefaultParams(), algorithms.Published, 1, 1)
		c.change(&in)
		if _, err := (Algorithm{}).Release(context.Background(), in); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, must speak of %q", err, c.want)
		}
	}
}

// TestPrivateBins: of 4,000 rows in a 50th of their bounds the eight private bins have about as
// many each; of eight equal ones one has all. Numbers of few cells and those that the schema has
// bins for are cut as without.
func TestPrivateBins(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 2_000_000, Step: 1}, {Name: "few", High: 256, Step: 1},
		{Name: "own", High: 1000, Step: 1, Bins: []uint32{10, 1000}}}}
	b := datasets.NewBuilder(schema, 4000)
	for i := range uint32(4000) {
		row := b.AddRow()
		b.Set(row, 0, 700_000+10*i)
		b.Set(row, 1, i%256)
		b.Set(row, 2, i%1000)
	}
	table := b.Table()
	for cut, most := range map[margins.Cut]int32{ // order-free: each for itself
		margins.Equal: 4000, margins.Private: 1000} {
		params := DefaultParams()
		params.Bins, params.Cut = 8, cut
		in := testinput.Input(table, params, algorithms.Strict, 1, 1)
		r, err := newRelease(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		held := make([]int32, 8)
		space := partition.NewSpace(table, schema.QuasiIdentifiers())
		for cell, n := range r.grid.count(space, in.Rows) {
			held[cell/r.grid.strides[0]] += n
		}
		spent, _ := in.Budget.Spent()
		if got := slices.Max(held); got > most || cut == margins.Equal && got < most ||
			!slices.Equal(r.grid.starts[1], []uint32{0, 32, 64, 96, 128, 160, 192, 224, 256}) ||
			!slices.Equal(r.grid.starts[2], []uint32{0, 10, 1000}) ||
			math.Abs(r.epsilon[0]+r.epsilon[1]+spent-1) > 1e-12 ||
			(spent > 0) != (cut == margins.Private) {
			t.Errorf("cut: %s: parts of %d rows, at %d, %v paid, %v left", cut, held, r.grid.starts,
				spent, r.epsilon)
		}
	}
}
