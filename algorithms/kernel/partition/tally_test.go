package partition

import (
	"maps"
	"slices"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"pgregory.net/rapid"
)

// TestTally compares with counting one row after the other, over short intervals and long ones.
func TestTally(t *testing.T) {
	var tally Tally
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SampledFrom([]int{2, 9, 1 << 20}).Draw(t, "cells")
		classes := rapid.IntRange(0, 3).Draw(t, "classes")
		byClass := rapid.Bool().Draw(t, "by class")
		low := rapid.Uint32Range(0, uint32(cells-1)).Draw(t, "low")
		high := rapid.Uint32Range(low+1, uint32(cells)).Draw(t, "high")
		var rows [][]uint32
		want := make(map[uint32][]int32)
		n := 1
		if byClass {
			n = max(1, classes)
		}
		for range rapid.IntRange(0, 40).Draw(t, "rows") {
			row := []uint32{min(high-1, low+rapid.Uint32Range(0, 1<<20).Draw(t, "code"))}
			y := 0
			if classes > 0 {
				row = append(row, rapid.Uint32Range(0, uint32(classes-1)).Draw(t, "class"))
				y = int(row[1]) % n
			}
			rows = append(rows, row)
			if want[row[0]] == nil {
				want[row[0]] = make([]int32, n)
			}
			want[row[0]][y]++
		}
		table := testinput.Numbers(classes, []int{cells}, rows...)
		NewSpace(table, []int{0}).Tally(&tally, table.AllRows(), 0, low, high, byClass)
		if !slices.Equal(tally.Values, slices.Sorted(maps.Keys(want))) {
			t.Fatalf("values %v of %v", tally.Values, want)
		}
		for i, v := range tally.Values {
			if got := tally.Counts[i*n : (i+1)*n]; !slices.Equal(got, want[v]) {
				t.Fatalf("%v rows have %d, must be %v", got, v, want[v])
			}
		}
	})
}
