package datasets

import (
	"strings"
	"testing"
)

// TestTaxonomyValidate breaks a tree of four nodes in every way that nodes and lists of children
// can disagree. Some of them would send a walk from the root around for ever, or out of the list.
func TestTaxonomyValidate(t *testing.T) {
	values := []string{"baker", "smith"}
	tree := func() *Taxonomy {
		return &Taxonomy{Nodes: []TaxonomyNode{
			{Name: "any", Parent: -1, Children: []int{1}},
			{Name: "craft", Parent: 0, Children: []int{2, 3}},
			{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
		}}
	}
	if err := tree().Validate(values); err != nil {
		t.Error(err)
	}
	for _, test := range []struct {
		name   string
		change func(x *Taxonomy)
		want   string
	}{
		{"empty", func(x *Taxonomy) { x.Nodes = nil }, "an empty taxonomy"},
		{"a root with a parent", func(x *Taxonomy) { x.Nodes[0].Parent = 1 }, `"any" has parent 1`},
		{"a parent behind", func(x *Taxonomy) { x.Nodes[2].Parent = 3 }, `"baker" has parent 3`},
		{"its own child", func(x *Taxonomy) { x.Nodes[1].Children = []int{1, 2, 3} },
			`"craft" lists child 1`},
		{"the root as a child", func(x *Taxonomy) { x.Nodes[1].Children = []int{0, 2, 3} },
			`"craft" lists child 0`},
		{"no such child", func(x *Taxonomy) { x.Nodes[1].Children = []int{2, 3, 4} },
			`"craft" lists child 4`},
		{"a negative child", func(x *Taxonomy) { x.Nodes[1].Children = []int{-1, 2, 3} },
			`"craft" lists child -1`},
		{"a child twice", func(x *Taxonomy) { x.Nodes[1].Children = []int{2, 3, 3} },
			`"craft" lists child 3`},
		{"another's child", func(x *Taxonomy) { x.Nodes[0].Children = []int{1, 2} },
			`"any" lists child 2`},
		{"a child left out", func(x *Taxonomy) { x.Nodes[1].Children = []int{2} },
			`"smith" is not among the children`},
		{"a leaf that is no value", func(x *Taxonomy) { x.Nodes[3].Name = "clerk" },
			`leaf "clerk" is not a value`},
		{"a leaf twice", func(x *Taxonomy) { x.Nodes[3].Name = "baker" },
			`duplicate taxonomy leaf "baker"`},
	} {
		x := tree()
		test.change(x)
		if err := x.Validate(values); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}
