package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawTree draws a taxonomy over values 0..n-1 in a random order and returns it with the values.
func drawTree(t *rapid.T) Attribute {
	n := rapid.IntRange(1, 12).Draw(t, "values")
	values := make([]string, n)
	for i := range values {
		values[i] = string(rune('a' + i))
	}
	leaves := rapid.Permutation(values).Draw(t, "leaves")
	x := &Taxonomy{}
	var grow func(parent int, leaves []string)
	grow = func(parent int, leaves []string) {
		node := len(x.Nodes)
		x.Nodes = append(x.Nodes, TaxonomyNode{Name: "term", Parent: parent})
		if parent >= 0 {
			x.Nodes[parent].Children = append(x.Nodes[parent].Children, node)
		}
		if len(leaves) == 1 {
			x.Nodes[node].Name = leaves[0]
			return
		}
		for len(leaves) > 0 {
			most := len(leaves)
			if x.Nodes[node].Children == nil {
				most-- // an inner node has two children at least
			}
			k := rapid.IntRange(1, most).Draw(t, "part")
			grow(node, leaves[:k])
			leaves = leaves[k:]
		}
	}
	grow(-1, leaves)
	return Attribute{Name: "a", Kind: Categorical, Values: values, Taxonomy: x}
}

// below lists the codes under a node by looking at every leaf's ancestors.
func below(a *Attribute, node int) []uint32 {
	var codes []uint32
	for i := range a.Taxonomy.Nodes {
		if len(a.Taxonomy.Nodes[i].Children) > 0 {
			continue
		}
		for up := i; up >= 0; up = a.Taxonomy.Nodes[up].Parent {
			if up == node {
				codes = append(codes, uint32(slices.Index(a.Values, a.Taxonomy.Nodes[i].Name)))
			}
		}
	}
	slices.Sort(codes)
	return codes
}

func TestAxisNodesAreIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawTree(t)
		x := a.Axis()
		for code, rank := range x.Rank {
			if x.Code[rank] != uint32(code) {
				t.Fatalf("code %d has rank %d, where code %d is", code, rank, x.Code[rank])
			}
		}
		for node := range x.Taxonomy.Nodes {
			members := slices.Clone(x.Code[x.Low[node]:x.High[node]])
			slices.Sort(members)
			want := below(&a, node)
			if !slices.Equal(members, want) {
				t.Fatalf("node %d holds codes %v, must hold %v", node, members, want)
			}
			penalty := float64(len(want)) / float64(len(a.Values))
			if len(x.Taxonomy.Nodes[node].Children) == 0 {
				penalty = 0
			}
			if x.Penalty(node) != penalty {
				t.Fatalf("node %d has penalty %v, must be %v", node, x.Penalty(node), penalty)
			}
			next := x.Low[node]
			for _, child := range x.Taxonomy.Nodes[node].Children {
				if x.Low[child] != next {
					t.Fatalf("child %d begins at %d, must begin at %d", child, x.Low[child], next)
				}
				next = x.High[child]
			}
		}
	})
}

func TestAxisWithoutTaxonomy(t *testing.T) {
	a := Attribute{Name: "job", Kind: Categorical, Values: []string{"x", "y", "z"}}
	x := a.Axis()
	if x.Taxonomy.Height() != 1 || !slices.Equal(x.Code, []uint32{0, 1, 2}) ||
		!slices.Equal(x.Taxonomy.Leaves(), a.Values) {
		t.Errorf("axis %+v, must have the values under one root in their order", x)
	}
	one := Attribute{Name: "job", Kind: Categorical, Values: []string{"x"}}
	if x := one.Axis(); len(x.Taxonomy.Nodes) != 1 || len(x.Code) != 1 {
		t.Errorf("axis %+v of one value, must be that value", x)
	}
	number := Attribute{Name: "age", High: 10, Step: 1}
	if number.Axis() != nil {
		t.Error("a numeric attribute has an axis of taxonomy nodes")
	}
}
