package dpcube

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/partition"
	"ppdp/datasets"
)

// grid divides the space of the quasi-identifiers and the class into cells: cell
// Σ coordinate[d]·strides[d]. The class, where there is one, is the last dimension, so that a cell's
// classes lie side by side.
type grid struct {
	starts  [][]uint32 // the first code of each bin of each attribute, then the end of its domain
	sides   []int      // bins of each dimension, the class included
	strides []int
	cells   int
	classes int
}

// newGrid lays a grid over a table's public domain.
func newGrid(schema *datasets.Schema, bins, maxCells int) (*grid, error) {
	g := &grid{classes: schema.Classes()}
	size := float64(g.classes)
	for _, attribute := range schema.QuasiIdentifiers() {
		a := &schema.Attributes[attribute]
		side := a.Cells()
		if a.Kind == datasets.Numeric {
			side = min(side, bins)
		}
		size *= float64(side)
		g.sides = append(g.sides, side)
	}
	if size > float64(maxCells) {
		return nil, fmt.Errorf("%w: a grid of %.4g cells over %d attributes and the class, must be at most %d (max_cells): select fewer attributes, or fewer bins",
			algorithms.ErrTooLarge, size, len(g.sides), maxCells)
	}
	for d, attribute := range schema.QuasiIdentifiers() {
		side, cells := g.sides[d], uint64(schema.Attributes[attribute].Cells())
		starts := make([]uint32, side+1)
		for bin := range starts {
			starts[bin] = uint32(uint64(bin) * cells / uint64(side))
		}
		g.starts = append(g.starts, starts)
	}
	if schema.Class() >= 0 {
		g.sides = append(g.sides, g.classes)
	}
	g.strides = make([]int, len(g.sides))
	g.cells = 1
	for d := len(g.sides) - 1; d >= 0; d-- {
		g.strides[d] = g.cells
		g.cells *= g.sides[d]
	}
	return g, nil
}

// count returns the number of rows in each cell.
func (g *grid) count(space *partition.Space, rows []int32) []int32 {
	cell := make([]uint32, len(rows))
	space.Labels(rows, cell)
	codes := make([]uint32, len(rows))
	for d, starts := range g.starts {
		space.Codes(rows, d, codes)
		side, cells, stride := uint64(g.sides[d]), uint64(space.Cells(d)), uint32(g.strides[d])
		if side == cells {
			for i, code := range codes {
				cell[i] += code * stride
			}
			continue
		}
		for i, code := range codes {
			// The bin's start is ⌊bin·cells/side⌋, so this is the bin or the one before it.
			bin := uint32(uint64(code) * side / cells)
			if code >= starts[bin+1] {
				bin++
			}
			cell[i] += bin * stride
		}
	}
	counts := make([]int32, g.cells)
	for _, c := range cell {
		counts[c]++
	}
	return counts
}
