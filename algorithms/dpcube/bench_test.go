package dpcube

import (
	"context"
	"testing"

	"ppdp/numeric/random"
)

// BenchmarkBlocks is the kd-tree over a quarter of a million noisy cells.
func BenchmarkBlocks(b *testing.B) {
	g := &grid{sides: []int{64, 64, 64}, strides: []int{4096, 64, 1}, cells: 1 << 18}
	cells := make([]float64, g.cells)
	stream := random.NewKey(1).Stream()
	for i := range cells {
		cells[i] = float64(10 * stream.Uint32N(3)) // three values in ten steps of noise
	}
	leaves := 0
	for b.Loop() {
		t := newBlocks(context.Background(), g, cells)
		t.explained, t.publish = 8, func() error { return nil }
		if err := t.partition(0); err != nil {
			b.Fatal(err)
		}
		leaves = t.structure.Leaves
	}
	b.ReportMetric(float64(leaves), "blocks/op")
	b.ReportMetric(float64(g.cells)*float64(b.N)/b.Elapsed().Seconds(), "cells/s")
}
