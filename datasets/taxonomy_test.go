package datasets

import (
	"testing"

	"ppdp/internal/must"
)

// TestTaxonomyValidate: the leaves are the values, each once.
func TestTaxonomyValidate(t *testing.T) {
	values := []string{"baker", "smith"}
	tree := func() *Taxonomy {
		return &Taxonomy{Nodes: []TaxonomyNode{
			{Name: "any", Parent: -1, Children: []int{1}},
			{Name: "craft", Parent: 0, Children: []int{2, 3}},
			{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
		}}
	}
	must.Do(t, tree().Validate(values))
	for _, test := range []struct {
		name   string
		change func(x *Taxonomy)
		want   string
	}{
		{"empty", func(x *Taxonomy) { x.Nodes = nil }, "an empty taxonomy"},
		{"a leaf that is no value", func(x *Taxonomy) { x.Nodes[3].Name = "clerk" },
			`leaf "clerk" is not a value`},
		{"a leaf twice", func(x *Taxonomy) { x.Nodes[3].Name = "baker" },
			`duplicate taxonomy leaf "baker"`},
	} {
		x := tree()
		test.change(x)
		must.Fail(t, x.Validate(values), test.want, test.name)
	}
}
