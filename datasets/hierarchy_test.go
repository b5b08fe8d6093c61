package datasets

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestWidthHierarchy(t *testing.T) {
	// Ten cells in groups of 2 and of 6, which do not divide ten.
	h := must(WidthHierarchy(10, 2, 6))
	noError(t, h.Validate(10))
	for level, want := range [][]uint32{
		{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		{0, 0, 1, 1, 2, 2, 3, 3, 4, 4},
		{0, 0, 0, 0, 0, 0, 1, 1, 1, 1},
		{0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	} {
		if got := h.Levels[level].Group; !slices.Equal(got, want) {
			t.Errorf("level %d groups %v, want %v", level, got, want)
		}
	}
	if h.Height() != 3 || !slices.Equal(h.Levels[2].Low, []uint32{0, 6}) ||
		!slices.Equal(h.Levels[2].High, []uint32{6, 10}) {
		t.Errorf("height %d, level 2 %v %v", h.Height(), h.Levels[2].Low, h.Levels[2].High)
	}
}

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
		if _, err := WidthHierarchy(test.cells, test.widths...); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%d cells, widths %v: %v, want %q", test.cells, test.widths, err, test.want)
		}
	}
}

// TestBinaryHierarchy: level i of a binary tree groups codes that agree but for their last i bits.
func TestBinaryHierarchy(t *testing.T) {
	for cells, height := range map[int]int{1: 0, 2: 1, 3: 2, 8: 3, 9: 4, 50: 6, 64: 6} {
		h := BinaryHierarchy(cells)
		if h.Height() != height {
			t.Errorf("%d cells: height %d, want %d", cells, h.Height(), height)
		}
		if err := h.Validate(cells); err != nil {
			t.Errorf("%d cells: %v", cells, err)
		}
		for i := range h.Levels {
			for code, group := range h.Levels[i].Group {
				if group != uint32(code)>>i {
					t.Errorf("%d cells, level %d: code %d in group %d", cells, i, code, group)
				}
			}
		}
	}
}

// TestAxisHierarchy has leaves at two depths and codes in an order of their own.
func TestAxisHierarchy(t *testing.T) {
	a := &Attribute{Name: "job", Kind: Categorical, Values: []string{"smith", "none", "clerk",
		"baker"}, Taxonomy: &Taxonomy{Nodes: []TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 2}},
		{Name: "work", Parent: 0, Children: []int{3, 4}},
		{Name: "none", Parent: 0},
		{Name: "craft", Parent: 1, Children: []int{5, 6}},
		{Name: "clerk", Parent: 1},
		{Name: "baker", Parent: 3}, {Name: "smith", Parent: 3},
	}}}
	noError(t, a.Validate())
	h := must(a.Generalisation())
	noError(t, h.Validate(4))
	// Groups along the axis: baker, smith, clerk, none.
	for level, want := range []struct {
		group []uint32
		nodes []string
	}{
		{[]uint32{1, 3, 2, 0}, []string{"baker", "smith", "clerk", "none"}},
		{[]uint32{0, 2, 1, 0}, []string{"craft", "clerk", "none"}},
		{[]uint32{0, 1, 0, 0}, []string{"work", "none"}},
		{[]uint32{0, 0, 0, 0}, []string{"any"}},
	} {
		var names []string
		for _, node := range h.Levels[level].Node {
			names = append(names, a.Taxonomy.Nodes[node].Name)
		}
		if !slices.Equal(h.Levels[level].Group, want.group) || !slices.Equal(names, want.nodes) {
			t.Errorf("level %d: %v of %v, want %v of %v", level, h.Levels[level].Group, names,
				want.group, want.nodes)
		}
	}
}

func TestGeneralisation(t *testing.T) {
	wide := Attribute{Name: "wide", High: 1 << 31, Step: 1}
	if _, err := wide.Generalisation(); err == nil ||
		!strings.Contains(err.Error(), "wide: a hierarchy over 2147483648 cells") {
		t.Errorf("a hierarchy of 2³¹ values: %v", err)
	}
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
		noError(t, test.attribute.Validate())
		h := must(test.attribute.Generalisation())
		if err := h.Validate(test.attribute.Cells()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
		if h.Height() != test.height {
			t.Errorf("%s: height %d, want %d", test.name, h.Height(), test.height)
		}
	}
}

// TestHierarchyValidate breaks a valid hierarchy in one place at a time.
func TestHierarchyValidate(t *testing.T) {
	for _, test := range []struct {
		name    string
		corrupt func(h *Hierarchy)
		want    string
	}{
		{"no levels", func(h *Hierarchy) { h.Levels = nil }, "without levels"},
		{"no top", func(h *Hierarchy) { h.Levels = h.Levels[:3] }, "must be one group"},
		{"no bottom", func(h *Hierarchy) { h.Levels = h.Levels[1:] }, "values themselves"},
		{"a code too many", func(h *Hierarchy) { h.Levels[1].Group = append(h.Levels[1].Group, 0) },
			"9 codes"},
		{"a code elsewhere", func(h *Hierarchy) { h.Levels[1].Group[0] = 2 },
			"code 0 lies outside its group 2"},
		{"not nested", func(h *Hierarchy) {
			three, _ := WidthHierarchy(8, 3)
			h.Levels[2] = three.Levels[1]
		}, "inside a group of the level below"},
		{"a gap", func(h *Hierarchy) { h.Levels[1].Low[1] = 3 }, "must begin at 2"},
		{"an end missing", func(h *Hierarchy) { h.Levels[1].High = h.Levels[1].High[:3] },
			"4 groups with 3 ends"},
	} {
		h := BinaryHierarchy(8)
		test.corrupt(h)
		if err := h.Validate(8); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
		a := Attribute{Name: "a", High: 8, Step: 1, Hierarchy: h}
		if err := a.Validate(); err == nil || !strings.Contains(err.Error(), "a: ") {
			t.Errorf("%s: the attribute is said to be valid: %v", test.name, err)
		}
	}
	if err := BinaryHierarchy(8).Validate(9); err == nil {
		t.Error("a hierarchy over 8 cells is said to fit 9")
	}
}

// TestHierarchyNests: two codes that share a group share one on every higher level, whatever the
// tree.
func TestHierarchyNests(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tree := &Taxonomy{Nodes: []TaxonomyNode{{Name: "0", Parent: -1}}}
		nodes := rapid.IntRange(1, 20).Draw(t, "nodes")
		for i := 1; i < nodes; i++ {
			parent := rapid.IntRange(0, i-1).Draw(t, "parent")
			tree.Nodes = append(tree.Nodes,
				TaxonomyNode{Name: string(rune('0' + i)), Parent: parent})
			tree.Nodes[parent].Children = append(tree.Nodes[parent].Children, i)
		}
		a := Attribute{Name: "a", Kind: Categorical,
			Values: rapid.Permutation(tree.Leaves()).Draw(t, "values"), Taxonomy: tree}
		noError(t, a.Validate())
		h := must(a.Generalisation())
		noError(t, h.Validate(a.Cells()))
		if h.Height() != tree.Height() {
			t.Fatalf("height %d, the taxonomy's is %d", h.Height(), tree.Height())
		}
		for i := 1; i < len(h.Levels); i++ {
			for x := range a.Cells() {
				for y := range x {
					below, above := &h.Levels[i-1], &h.Levels[i]
					if below.Group[x] == below.Group[y] && above.Group[x] != above.Group[y] {
						t.Fatalf("codes %d and %d part at level %d", x, y, i)
					}
				}
			}
		}
	})
}

// noError ends the test or benchmark on an error.
func noError(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
