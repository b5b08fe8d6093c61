package partition

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
)

// TestExtent: whatever outer bounds are known, the extent is the smallest and largest code.
func TestExtent(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SampledFrom([]int{4, 1000, 100_000}).Draw(t, "cells")
		codes := rapid.SliceOfN(rapid.IntRange(0, cells-1), 1, 3*extentChunk).Draw(t, "codes")
		b := datasets.NewBuilder(&datasets.Schema{Attributes: []datasets.Attribute{{Name: "x",
			High: float64(cells), Step: 1}}}, len(codes))
		for _, code := range codes {
			b.Set(b.AddRow(), 0, uint32(code))
		}
		table := b.Table()
		wantLow, wantHigh := slices.Min(codes), slices.Max(codes)
		low := rapid.IntRange(0, wantLow).Draw(t, "low")
		high := rapid.IntRange(wantHigh, cells-1).Draw(t, "high")
		gotLow, gotHigh := NewSpace(table, []int{0}).Extent(table.AllRows(), 0, uint32(low),
			uint32(high))
		if int(gotLow) != wantLow || int(gotHigh) != wantHigh {
			t.Fatalf("extent [%d, %d], want [%d, %d]", gotLow, gotHigh, wantLow, wantHigh)
		}
	})
}
