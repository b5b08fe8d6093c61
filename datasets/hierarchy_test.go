package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/internal/must"
)

func TestWidthHierarchyRefuses(t *testing.T) {
	for _, test := range []struct {
		cells  int
		widths []int
		want   string
	}{
		{0, nil, "0 cells"},
		{MaxHierarchyCells + 1, nil, "4194305 cells, must be from 1 to 4194304"},
		{10, []int{1}, "width 1 above groups of 1"},
		{10, []int{-4}, "width -4"},
		{10, []int{2, 3}, "width 3 above groups of 2"},
		{10, []int{4, 4}, "width 4 above groups of 4"},
		{10, []int{10}, "more than one group"},
	} {
		must.Fail(t, must.Err(WidthHierarchy(test.cells, false, test.widths...)), test.want,
			test.cells, test.widths)
	}
}

// TestBinaryHierarchy: level i of a binary tree groups codes that agree but for their last i bits.
func TestBinaryHierarchy(t *testing.T) {
	for cells, height := range map[int]int{1: 0, 2: 1, 3: 2, 8: 3, 9: 4, 50: 6, 64: 6} {
		h := BinaryHierarchy(cells)
		must.Be(t, h.Height(), height, cells)
		sound(t, h, cells)
		for i := range h.Levels {
			for code, group := range h.Levels[i].Group {
				must.Be(t, group, uint32(code)>>i, cells, i, code)
			}
		}
	}
}

func TestGeneralisation(t *testing.T) {
	wide := Attribute{Name: "wide", High: 1 << 31, Step: 1}
	must.Fail(t, must.Err(wide.Generalisation()), "wide: a hierarchy over 2147483648 cells",
		"a hierarchy of 2³¹ values")
	own := BinaryHierarchy(6)
	for _, test := range []struct {
		name      string
		attribute Attribute
		height    int
	}{
		{"its own", Attribute{Name: "a", High: 6, Step: 1, Hierarchy: own}, 3},
		{"numeric without", Attribute{Name: "a", High: 6, Step: 1}, 1},
		{"numeric of one cell", Attribute{Name: "a", High: 1, Step: 1}, 0},
		{"categorical without", Attribute{Name: "a", Kind: Categorical, Values: []string{"x", "y"}},
			1},
		{"categorical of one value", Attribute{Name: "a", Kind: Categorical, Values: []string{"x"}},
			0},
	} {
		must.Do(t, test.attribute.Validate())
		h := must.Get(test.attribute.Generalisation())
		sound(t, h, test.attribute.Cells())
		must.Be(t, h.Height(), test.height, test.name)
	}
}

// TestHierarchyFits: a hierarchy over other values than its attribute's is refused.
func TestHierarchyFits(t *testing.T) {
	for _, h := range []*Hierarchy{BinaryHierarchy(8), {}} {
		a := Attribute{Name: "a", High: 9, Step: 1, Hierarchy: h}
		must.Fail(t, a.Validate(), "its 9")
	}
}

// sound checks that the levels are over the given number of cells, nest, end in one group and have
// the intervals they say.
func sound(t rapid.TB, h *Hierarchy, cells int) {
	t.Helper()
	for i := range h.Levels {
		level := &h.Levels[i]
		for code, group := range level.Group {
			place := uint32(code)
			if h.Axis != nil {
				place = h.Axis.Rank[code]
			}
			if place < level.Low[group] || place >= level.High[group] {
				t.Fatalf("level %d: code %d lies outside its group %d", i, code, group)
			}
		}
		tiled := uint32(0)
		for group, low := range level.Low {
			if low != tiled || level.High[group] <= low || i > 0 &&
				!slices.Contains(h.Levels[i-1].High, level.High[group]) {
				t.Fatalf("level %d: group %d is [%d, %d)", i, group, low, level.High[group])
			}
			tiled = level.High[group]
			if x := h.Axis; x != nil && (x.Low[level.Node[group]] != low ||
				x.High[level.Node[group]] != tiled) {
				t.Fatalf("level %d: group %d is of node %d", i, group, level.Node[group])
			}
		}
		if len(level.Group) != cells || int(tiled) != cells ||
			(level.Node == nil) != (h.Axis == nil) ||
			h.Axis != nil && len(level.Node) != level.Len() {
			t.Fatalf("level %d: %d codes, groups up to %d of %d, %d nodes", i, len(level.Group),
				tiled, cells, len(level.Node))
		}
	}
	if h.Levels[0].Len() != cells || h.Levels[h.Height()].Len() != 1 {
		t.Fatalf("%d groups at the bottom, %d at the top", h.Levels[0].Len(),
			h.Levels[h.Height()].Len())
	}
}

// TestHierarchyNests: levels nest whatever the tree.
func TestHierarchyNests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTree(t)
		must.Do(t, a.Validate())
		h := must.Get(a.Generalisation())
		sound(t, h, a.Cells())
		if h.Height() != a.Taxonomy.Height() {
			t.Fatalf("height %d, the taxonomy's is %d", h.Height(), a.Taxonomy.Height())
		}
	})
}
