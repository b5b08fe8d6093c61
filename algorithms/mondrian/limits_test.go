package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
)

// naive is strict Mondrian by its definition: it cuts the widest dimension beside the median, the
// paper's cut first, where both sides keep what is asked, and tries the next widest otherwise.
func naive(table *datasets.Table, rows []int32, p *Params) (regions [][]int32) {
	type wide struct {
		dim   int
		width float64
	}
	var order []wide
	for d := range table.Schema().QuasiIdentifiers() {
		low, high := uint32(math.MaxUint32), uint32(0)
		for _, row := range rows {
			code := table.Column(d).At(row)
			low, high = min(low, code), max(high, code)
		}
		if low < high {
			cells := float64(table.Schema().Attributes[d].Cells())
			order = append(order, wide{d, float64(high-low) / cells})
		}
	}
	slices.SortStableFunc(order, func(a, b wide) int {
		if math.Abs(a.width-b.width) < 1e-12 {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[a.width > b.width]
	})
	for _, o := range order {
		var codes []uint32
		for _, row := range rows {
			codes = append(codes, table.Column(o.dim).At(row))
		}
		slices.Sort(codes)
		median := codes[(len(codes)-1)/2]
		for _, at := range []uint32{median + 1, median} {
			var below, above []int32
			for _, row := range rows {
				if table.Column(o.dim).At(row) < at {
					below = append(below, row)
				} else {
					above = append(above, row)
				}
			}
			if testinput.Keeps(table, below, table.AllRows(), p.K, &p.Limits) &&
				testinput.Keeps(table, above, table.AllRows(), p.K, &p.Limits) {
				return append(naive(table, below, p), naive(table, above, p)...)
			}
		}
	}
	return [][]int32{rows}
}

// TestLimits: the partition is that of the definition, under every kind of limit, and
// where not even all rows together keep the limits the release says so.
func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, draw := DefaultParams(), testinput.Draw(t)
		p.K, p.Limits = 2+draw(3), testinput.DrawLimits(draw)
		table := testinput.Sensitive(draw, p.K+draw(57), 3, 8, 20)
		rows := table.AllRows()
		if !testinput.Keeps(table, rows, rows, p.K, &p.Limits) {
			_, err := Algorithm{}.Release(context.Background(), algorithms.Input{Table: table,
				Rows: rows, Params: p, Variant: algorithms.Published})
			if !errors.Is(err, disclosure.ErrUnattainable) &&
				!errors.Is(err, algorithms.ErrTooFew) {
				t.Fatalf("%v, must wrap %v", err, disclosure.ErrUnattainable)
			}
			return
		}
		found, want := make(map[string]bool), naive(table, rows, p)
		members := groups(release(t, table, rows, *p))
		for _, rows := range members {
			found[fmt.Sprint(rows)] = true
		}
		for _, rows := range want {
			if !found[fmt.Sprint(rows)] {
				t.Fatalf("no region of %v; regions %v", rows, members)
			}
		}
		if len(want) != len(members) {
			t.Fatalf("%d regions, must be %d", len(members), len(want))
		}
	})
}
