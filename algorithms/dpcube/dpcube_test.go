package dpcube

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"gonum.org/v1/gonum/stat"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/internal/must"
)

var variants = []algorithms.Variant{algorithms.Published, algorithms.Strict}

// drawBlocks draws a grid of up to three dimensions with values in its cells, and a box of it.
func drawBlocks(t *rapid.T) *blocks {
	sides := rapid.SliceOfN(rapid.IntRange(1, 5), 0, 3).Draw(t, "sides")
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

// TestCut compares the cut of a random box with all cuts, by definition. Of the cells 0, 0, 0, 1
// and 3 the last is cut off, which leaves a squared deviation of 3/4; cutting where the left part
// falls short of its share by most, before the 1, leaves 2. Of two equal cuts the first is taken.
func TestCut(t *testing.T) {
	for want, cells := range map[int][]float64{ // order-free: each for itself
		4: {0, 0, 0, 1, 3}, 1: {0, 1, 1, 0}} {
		n := len(cells)
		b := newBlocks(t.Context(), &grid{sides: []int{n}, strides: []int{1}, cells: n}, cells)
		mean, _ := b.measure(n)
		if _, at := b.cut(n, mean); at != want {
			t.Errorf("%v: cut at %d, want %d", cells, at, want)
		}
	}
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
		must.Do(t, b.partition(0))
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
		r := testinput.Release(t, Algorithm, testinput.Input(table, params,
			algorithms.Published, 1, 3))
		depth := r.Structure.Depth
		if r.Structure.Leaves != want || 1<<depth < want || depth >= want {
			t.Errorf("threshold %v: %d blocks at depth %d, must be %d", threshold,
				r.Structure.Leaves, depth, want)
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

// TestLedger: cells and blocks get half each, and no path pays more.
func TestLedger(t *testing.T) {
	for _, variant := range variants {
		params := DefaultParams()
		params.Threshold = 0.5
		in := testinput.Input(mixed(), params, variant, 2, 1)
		r := testinput.Release(t, Algorithm, in)
		claimed, proven := in.Budget.Spent()
		if math.Abs(claimed-2) > 1e-9 || math.Abs(proven-2) > 1e-9 {
			t.Errorf("%s: spent %v, proven %v, must be 2", variant, claimed, proven)
		}
		ledger := in.Budget.Ledger()
		if len(ledger) != 2 || ledger[0].Purpose != "cell counts" ||
			math.Abs(ledger[0].Cost-1) > 1e-12 || ledger[0].Calls != 1 ||
			ledger[1].Purpose != "block counts" || math.Abs(ledger[1].Cost-1) > 1e-12 ||
			ledger[1].Calls != int64(r.Structure.Leaves) {
			t.Errorf("%s: ledger %+v of %d blocks", variant, ledger, r.Structure.Leaves)
		}
	}
}

func TestRefusals(t *testing.T) {
	wide := testinput.Numbers(2, []int{100, 100, 100, 100, 100, 100})
	_, err := Algorithm.Release(t.Context(), testinput.Input(wide, DefaultParams(),
		algorithms.Published, 1, 1))
	if !errors.Is(err, algorithms.ErrTooLarge) || !strings.Contains(err.Error(), "max_cells") ||
		!strings.Contains(err.Error(), "grid: coarse") {
		t.Errorf("a grid of 16⁶·2 cells: %v", err)
	}
	narrow := DefaultParams()
	narrow.Grid, narrow.MaxCells = Coarse, 1
	_, err = Algorithm.Release(context.Background(), testinput.Input(wide, narrow,
		algorithms.Published, 1, 1))
	if !errors.Is(err, algorithms.ErrTooLarge) || !strings.Contains(err.Error(), "classes") {
		t.Errorf("two classes in one cell: %v", err)
	}
}

// TestPrivateBins: of 4,000 rows in a 50th of their bounds the eight private bins have about as
// many each; of eight equal ones one has all. Numbers of few cells and those that the schema has
// bins for are cut as without, and missing ones have a part of their own.
func TestPrivateBins(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", High: 2_000_000, Step: 1}, {Name: "few", High: 256, Step: 1},
		{Name: "own", High: 1000, Step: 1, Bins: []uint32{10, 1000}},
		{Name: "gaps", High: 4, Step: 1, Missing: new("")}}}
	b := datasets.NewBuilder(schema, 4000)
	for i := range uint32(4000) {
		b.AddRow(700_000+10*i, i%256, i%1000, i%5)
	}
	table := b.Table()
	for cut, most := range map[margins.Cut]int32{ // order-free: each for itself
		margins.Equal: 4000, margins.Private: 1000} {
		params := DefaultParams()
		params.Bins, params.Cut = 8, cut
		in := testinput.Input(table, params, algorithms.Strict, 1, 1)
		r := must.Get(newRelease(in, params))
		held := make([]int32, 8)
		space := partition.NewSpace(table, schema.QuasiIdentifiers())
		for cell, n := range r.grid.count(space, in.Rows) {
			held[cell/r.grid.strides[0]] += n
		}
		spent, _ := in.Budget.Spent()
		if got := slices.Max(held); got > most || cut == margins.Equal && got < most ||
			!slices.Equal(r.grid.starts[1], []uint32{0, 32, 64, 96, 128, 160, 192, 224, 256}) ||
			!slices.Equal(r.grid.starts[2], []uint32{0, 10, 1000}) ||
			!slices.Equal(r.grid.starts[3], []uint32{0, 1, 2, 3, 4, 5}) ||
			math.Abs(2*r.epsilon+spent-1) > 1e-12 ||
			(spent > 0) != (cut == margins.Private) {
			t.Errorf("cut: %s: parts of %d rows, at %d, %v paid, %v left", cut, held, r.grid.starts,
				spent, r.epsilon)
		}
	}
}
