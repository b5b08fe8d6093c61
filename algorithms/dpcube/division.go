package dpcube

import "ppdp/datasets"

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
