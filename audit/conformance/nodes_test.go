package conformance

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// TestTaxonomyNodes: regions of taxonomy nodes have to be those nodes' ranks, and their tree has to
// lead there from codes that stand in another order.
func TestTaxonomyNodes(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "work", Kind: datasets.Categorical, Values: []string{"clerk", "baker", "smith"},
			Taxonomy: &datasets.Taxonomy{
				Nodes: []datasets.TaxonomyNode{
					{Name: "any", Parent: -1, Children: []int{1, 2}}, {Name: "craft", Parent: 0,
						Children: []int{3, 4}},
					{Name: "clerk", Parent: 0}, {Name: "baker", Parent: 1},
					{Name: "smith", Parent: 1},
				}}},
		{Name: "age", High: 10, Step: 1},
	}}
	b := datasets.NewBuilder(schema, 3)
	for code := range uint32(3) {
		b.AddRow(code)
	}
	in := algorithms.Input{Table: b.Table(), Rows: []int32{0, 1, 2}}
	private := algorithms.Guarantee{Model: algorithms.DifferentialPrivacy}
	// Crafts and clerks. By ranks the crafts come first, by codes the clerks do.
	released := func() *algorithms.Regions {
		axis := schema.Attributes[0].Axis()
		return &algorithms.Regions{
			Attributes: []int{0, 1}, Low: []uint32{0, 0, 2, 0}, High: []uint32{2, 10, 3, 10},
			Classes: 1, Counts: []float64{2, 1},
			Axes: []*datasets.Axis{axis, nil}, Nodes: []int32{1, -1, 2, -1},
			Tree: []algorithms.Cut{{Dim: 0, At: 2, Left: ^0, Right: ^1}},
		}
	}
	check := func(q *algorithms.Regions) error {
		if err := q.Validate(schema, 0); err != nil {
			return err
		}
		if err := checkTree(schema, q); err != nil {
			return err
		}
		return checkRows(private, in, q)
	}
	if err := check(released()); err != nil {
		t.Error(err)
	}
	for name, corrupt := range map[string]func(q *algorithms.Regions){
		"another node":        func(q *algorithms.Regions) { q.Nodes[0] = 3 },
		"no node":             func(q *algorithms.Regions) { q.Nodes[2] = -1 },
		"a node of a number":  func(q *algorithms.Regions) { q.Nodes[1] = 0 },
		"a node too many":     func(q *algorithms.Regions) { q.Nodes = append(q.Nodes, 0) },
		"nodes without axes":  func(q *algorithms.Regions) { q.Axes = nil },
		"an axis too few":     func(q *algorithms.Regions) { q.Axes = q.Axes[:1] },
		"a node out of range": func(q *algorithms.Regions) { q.Nodes[0] = 5 },
		"a tree of the codes": func(q *algorithms.Regions) { q.Tree[0].At = 1 },
		"children the other way": func(q *algorithms.Regions) {
			q.Tree[0].Left, q.Tree[0].Right = ^1, ^0
		},
	} {
		q := released()
		corrupt(q)
		if check(q) == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
