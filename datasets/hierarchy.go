package datasets

import "fmt"

// Hierarchy generalises an attribute level by level, all its values at a time, as full-domain
// generalisation does (Samarati & Sweeney 1998; LeFevre, DeWitt & Ramakrishnan, Incognito, SIGMOD
// 2005). Level 0 holds the values themselves; every level's groups are unions of those of the level
// below; the last level is one group of everything. A hierarchy is immutable and safe for
// concurrent readers.
type Hierarchy struct {
	// Levels are the generalisations, from the values themselves to one group; at least one.
	Levels []Level
	// Axis orders the codes such that every group is an interval of ranks. Nil where groups are
	// intervals of codes, as those of numeric attributes.
	Axis *Axis
}

// Level is one generalisation of an attribute's values.
type Level struct {
	// Group is the group of each code; groups are numbered along the axis from 0.
	Group []uint32
	// Low and High hold, for each group, its interval [Low, High): of codes, or of ranks on the
	// hierarchy's axis.
	Low, High []uint32
	// Node is the taxonomy node of each group on the hierarchy's axis; nil without one.
	Node []int32
}

// Len is the number of groups.
func (l *Level) Len() int { return len(l.Low) }

// Height is the number of levels above the values themselves.
func (h *Hierarchy) Height() int { return len(h.Levels) - 1 }

// MaxHierarchyCells bounds the attributes that have a hierarchy: every level of it lists every
// cell.
const MaxHierarchyCells = 1 << 22

// WidthHierarchy is the hierarchy over an attribute of n cells whose groups are intervals of
// codes: those of level i ≥ 1 have widths[i-1] cells, counted from the first, and the level above
// them all is one group. A last group that reaches beyond the domain is cut short. Every width must
// be a multiple of the one before; widths that would leave a single group are an error, because
// that is the level added. With missing there is one cell more, the last one, of missing values: it
// is a group of its own at all levels but the highest, where it joins the others.
func WidthHierarchy(cells int, missing bool, widths ...int) (*Hierarchy, error) {
	if cells < 1 || cells > MaxHierarchyCells {
		return nil, fmt.Errorf("a hierarchy over %d cells, must be from 1 to %d",
			cells, MaxHierarchyCells)
	}
	var bad Problems
	before := 1
	for _, width := range widths {
		switch {
		case width <= before || width%before != 0:
			bad.Add("width %d above groups of %d, must be a greater multiple", width, before)
		case width >= cells:
			bad.Add("width %d of %d cells, must leave more than one group", width, cells)
		}
		before = max(1, width)
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	h := new(Hierarchy)
	for _, width := range append([]int{1}, widths...) {
		level := intervals(cells, width)
		if missing {
			level.Group = append(level.Group, uint32(level.Len()))
			level.Low = append(level.Low, uint32(cells))
			level.High = append(level.High, uint32(cells+1))
		}
		h.Levels = append(h.Levels, level)
	}
	if all := len(h.Levels[0].Group); all > 1 {
		h.Levels = append(h.Levels, intervals(all, all))
	}
	return h, nil
}

// BinaryHierarchy is the balanced binary tree over n ordered cells, 1 to MaxHierarchyCells:
// groups of 2, 4, 8, ... cells, ⌈log₂ cells⌉ levels above the cells themselves.
func BinaryHierarchy(cells int) *Hierarchy {
	var widths []int
	for width := 2; width < cells; width *= 2 {
		widths = append(widths, width)
	}
	h, err := WidthHierarchy(cells, false, widths...)
	if err != nil {
		panic("datasets: " + err.Error()) // doubling widths below the number of cells fit
	}
	return h
}

// intervals groups cells by width.
func intervals(cells, width int) Level {
	level := Level{Group: make([]uint32, cells)}
	for code := range cells {
		level.Group[code] = uint32(code / width)
		if code%width == 0 {
			level.Low = append(level.Low, uint32(code))
			level.High = append(level.High, uint32(min(code+width, cells)))
		}
	}
	return level
}

// Hierarchy is the hierarchy along the axis's taxonomy: a level cuts the tree at one depth, the
// last one at the root. Where leaves lie at different depths, a value stays itself up to the level
// of the node above it.
func (x *Axis) Hierarchy() *Hierarchy {
	t := x.Taxonomy
	depth, height := t.depths()
	h := &Hierarchy{Levels: make([]Level, height+1), Axis: x}
	for i := range h.Levels {
		level := Level{Group: make([]uint32, len(x.Code))}
		for rank := uint32(0); int(rank) < len(x.Code); {
			node := 0
			for depth[node] < height-i && len(t.Nodes[node].Children) > 0 {
				node = x.Child(node, rank)
			}
			for ; rank < x.High[node]; rank++ {
				level.Group[x.Code[rank]] = uint32(len(level.Node))
			}
			level.Low, level.High = append(level.Low, x.Low[node]), append(level.High, x.High[node])
			level.Node = append(level.Node, int32(node))
		}
		h.Levels[i] = level
	}
	return h
}

// Generalisation is the hierarchy that full-domain generalisation climbs: the attribute's own where
// its schema gives one, else that of its taxonomy, else the values and, above them, one group. An
// attribute of more than MaxHierarchyCells values has none: that is an error.
func (a *Attribute) Generalisation() (*Hierarchy, error) {
	if a.Hierarchy != nil {
		return a.Hierarchy, nil
	}
	if axis := a.Axis(); axis != nil {
		return axis.Hierarchy(), nil
	}
	h, err := WidthHierarchy(a.Cells(), false)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", a.Name, err)
	}
	return h, nil
}
