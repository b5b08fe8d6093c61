package dpcube

import (
	"fmt"
	"strings"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// grid divides the space of the quasi-identifiers and the class into cells: cell Σ
// coordinate[d]·strides[d]. The class, where there is one, is the last dimension, so that a cell's
// classes lie side by side.
type grid struct {
	divisions []division // of the attributes
	starts    [][]uint32 // the first place of each of their parts, then the end of the domain
	sides     []int      // parts of each dimension, the class included
	strides   []int
	cells     int
	classes   int
	exact     float64 // cells of the exact grid
}

// newGrid divides the space; ends are those of private bins, nil where there are none.
func newGrid(schema *datasets.Schema, params *Params, ends [][]uint32) (*grid, error) {
	g := &grid{classes: schema.Classes()}
	g.exact = float64(g.classes)
	var attributes [][]division
	for d, attribute := range schema.QuasiIdentifiers() {
		a := &schema.Attributes[attribute]
		own := a.PublicBins(params.Bins)
		if a.Kind == datasets.Numeric && a.Missing != nil {
			bins := margins.PublicBins(a, params.Bins)
			own = bins.Ends()
		}
		if ends != nil && ends[d] != nil {
			own = ends[d]
		}
		list := divisions(a, params, own)
		attributes = append(attributes, list)
		g.exact *= float64(list[0].parts)
	}
	var size float64
	g.divisions, size = choose(attributes, g.classes, params.MaxCells)
	if size > float64(params.MaxCells) {
		advice := "select fewer attributes, fewer bins, or grid: coarse, which joins values"
		if params.Grid == Coarse {
			advice = "the classes alone are more"
		}
		return nil, fmt.Errorf("%w: a grid of %.4g cells, must be at most %d (max_cells): %s",
			algorithms.ErrTooLarge, size, params.MaxCells, advice)
	}
	for d, attribute := range schema.QuasiIdentifiers() {
		g.sides = append(g.sides, g.divisions[d].parts)
		g.starts = append(g.starts, g.divisions[d].starts(schema.Attributes[attribute].Cells()))
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

// warning says how a coarse grid divides the attributes; empty for an exact one.
func (g *grid) warning(schema *datasets.Schema) string {
	if float64(g.cells) == g.exact {
		return ""
	}
	var parts []string
	for d, attribute := range schema.QuasiIdentifiers() {
		parts = append(parts, fmt.Sprintf("%s %d", schema.Attributes[attribute].Name, g.sides[d]))
	}
	return fmt.Sprintf("a grid of %d cells for %.4g, by joining values until it fits; parts left"+
		" of each attribute: %s", g.cells, g.exact, strings.Join(parts, ", "))
}

// axes are the axes of the attributes whose values are joined along a taxonomy, nil for the others;
// nil altogether where no values are joined.
func (g *grid) axes() []*datasets.Axis {
	axes, any := make([]*datasets.Axis, len(g.divisions)), false
	for d, division := range g.divisions {
		axes[d] = division.axis
		any = any || division.axis != nil
	}
	if !any {
		return nil
	}
	return axes
}

// count returns how many of the rows lie in each cell.
func (g *grid) count(space *partition.Space, rows []int32) []int32 {
	cell := make([]uint32, len(rows))
	space.Labels(rows, cell)
	codes := make([]uint32, len(rows))
	for d, starts := range g.starts {
		space.Codes(rows, d, codes)
		stride := uint32(g.strides[d])
		if level := g.divisions[d].level; level != nil {
			for i, code := range codes {
				cell[i] += level.Group[code] * stride
			}
			continue
		}
		find := margins.NewFinder(starts[1:])
		for i, code := range codes {
			cell[i] += find.Leaf(code) * stride
		}
	}
	counts := make([]int32, g.cells)
	for _, c := range cell {
		counts[c]++
	}
	return counts
}
