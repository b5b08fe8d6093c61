package dpcube

import (
	"context"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/random"
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

// BenchmarkCount puts rows into cells.
func BenchmarkCount(b *testing.B) {
	table := testinput.Numbers(0, []int{40, 7, 16}, make([][]uint32, 1_000_000)...)
	g, err := newGrid(table.Schema(), &Params{Bins: 16, MaxCells: 1 << 20}, nil)
	if err != nil {
		b.Fatal(err)
	}
	space, rows := partition.NewSpace(table, []int{0, 1, 2}), table.AllRows()
	for b.Loop() {
		g.count(space, rows)
	}
	b.ReportMetric(float64(len(rows))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkAdult releases four attributes and the class of Adult, 1120 cells.
func BenchmarkAdult(b *testing.B) {
	table, err := testinput.Adult(b, "rps").Project("workclass", "marital-status", "race", "sex",
		"salary")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for i := uint64(0); b.Loop(); i++ {
		testinput.Release(b, Algorithm{}, testinput.Input(table, DefaultParams(),
			algorithms.Published, 1, i))
	}
	b.ReportMetric(float64(table.Len())*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
