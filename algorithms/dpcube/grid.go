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

// newGrid divides the space. private are the attributes' private bins, nil for none.
func newGrid(schema *datasets.Schema, params *Params, private []*margins.Bins) (*grid, error) {
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
		if private != nil && private[d] != nil {
			own = private[d].Ends()
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

// division is one way to divide an attribute's public domain into parts, which are numbered in
// order.
type division struct {
	parts int
	// level joins values along the taxonomy on axis. Without one the parts are runs of codes, equal
	// in width up to one code, or up to ends where there are some: one after the last code of each.
	level *datasets.Level
	axis  *datasets.Axis
	ends  []uint32
}

// starts lists the first place of each part of a domain of a number of cells, then its end. Places
// are ranks on the division's axis, or codes.
func (v division) starts(cells int) []uint32 {
	starts := make([]uint32, v.parts+1)
	for part := range starts {
		starts[part] = uint32(uint64(part) * uint64(cells) / uint64(v.parts))
	}
	if v.level != nil {
		copy(starts, v.level.Low)
	} else if v.ends != nil {
		copy(starts[1:], v.ends)
	}
	return starts
}

// divisions lists the ways to divide an attribute that a grid may take: the exact one and, for a
// coarse grid, ever coarser ones down to a single part. Ends are those of an attribute's bins, nil
// for equal ones. It reads no row.
func divisions(a *datasets.Attribute, params *Params, ends []uint32) []division {
	exact := division{parts: a.Cells()}
	if a.Kind == datasets.Numeric {
		exact.parts = min(a.Numbers(), params.Bins)
		if exact.ends = ends; ends != nil {
			exact.parts = len(ends)
		}
	}
	list := []division{exact}
	if params.Grid != Coarse {
		return list
	}
	if a.Kind == datasets.Numeric || a.Ordered && a.Taxonomy == nil {
		for last := exact; last.parts > 1; {
			last.parts = (last.parts + 1) / 2
			last.ends = everySecond(last.ends)
			list = append(list, last)
		}
		return list
	}
	axis := a.Axis()
	levels := axis.Hierarchy().Levels
	for i := range levels {
		if n := levels[i].Len(); n < list[len(list)-1].parts {
			list = append(list, division{parts: n, level: &levels[i], axis: axis})
		}
	}
	return list
}

// everySecond joins parts in pairs, from the upper end.
func everySecond(ends []uint32) (joined []uint32) {
	for i := (len(ends) + 1) % 2; i < len(ends); i += 2 {
		joined = append(joined, ends[i])
	}
	return joined
}

// choose picks a division of each attribute: the exact ones where their product with the classes is
// at most limit; else, one step at a time, the attribute of the most parts (of equal ones the
// first) gets its next coarser one until it is. size is the product: above the limit when nothing
// coarser is left.
func choose(attributes [][]division, classes, limit int) (chosen []division, size float64) {
	at := make([]int, len(attributes))
	chosen = make([]division, len(attributes))
	for {
		most := -1
		size = float64(classes)
		for d, list := range attributes {
			chosen[d] = list[at[d]]
			size *= float64(chosen[d].parts)
			if at[d]+1 < len(list) && (most < 0 || chosen[d].parts > chosen[most].parts) {
				most = d
			}
		}
		if size <= float64(limit) || most < 0 {
			return chosen, size
		}
		at[most]++
	}
}
