package dpcube

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms/internal/testinput"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
)

// drawTaxonomy draws a tree over values, some of its nodes with an only child.
func drawTaxonomy(t *rapid.T, values []string) *datasets.Taxonomy {
	tree := &datasets.Taxonomy{}
	var grow func(parent int, values []string)
	grow = func(parent int, values []string) {
		node := len(tree.Nodes)
		tree.Nodes = append(tree.Nodes, datasets.TaxonomyNode{Name: fmt.Sprint("node ", node),
			Parent: parent})
		if parent >= 0 {
			tree.Nodes[parent].Children = append(tree.Nodes[parent].Children, node)
		}
		if len(values) == 1 && (parent >= 0 || rapid.Bool().Draw(t, "leaf")) {
			tree.Nodes[node].Name = values[0]
			return
		}
		for at := 0; at < len(values); {
			next := rapid.IntRange(at+1, len(values)).Draw(t, "child")
			if len(values) > 1 && next-at == len(values) && rapid.Bool().Draw(t, "chain") {
				next = at + 1 // few chains of only children
			}
			grow(node, values[at:next])
			at = next
		}
	}
	grow(-1, rapid.Permutation(values).Draw(t, "order"))
	return tree
}

// drawSchema draws up to four quasi-identifiers of all kinds and up to three classes.
func drawSchema(t *rapid.T) *datasets.Schema {
	schema := &datasets.Schema{}
	for i := range rapid.IntRange(0, 4).Draw(t, "attributes") {
		a := datasets.Attribute{Name: fmt.Sprint("a", i)}
		n := rapid.IntRange(1, 9).Draw(t, "values")
		switch kind := rapid.SampledFrom([]string{"number", "list", "ordered list",
			"taxonomy"}).Draw(t, "kind"); kind {
		case "number":
			a.High, a.Step = float64(n), 1
			a.Bins = testinput.DrawBins(t, n)
		default:
			a.Kind, a.Ordered = datasets.Categorical, kind == "ordered list"
			for v := range n {
				a.Values = append(a.Values, fmt.Sprint("v", v))
			}
			if kind == "taxonomy" {
				a.Taxonomy = drawTaxonomy(t, a.Values)
			}
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	classes := rapid.IntRange(0, 3).Draw(t, "classes")
	if classes > 0 || len(schema.Attributes) == 0 {
		class := datasets.Attribute{Name: "class", Kind: datasets.Categorical, Role: datasets.Class}
		for y := range max(1, classes) {
			class.Values = append(class.Values, fmt.Sprint("y", y))
		}
		schema.Attributes = append(schema.Attributes, class)
	}
	must.Do(t, schema.Validate())
	return schema
}

// joined reports whether the taxonomy node of a part holds a value: by walking up from the leaf.
func joined(tree *datasets.Taxonomy, node int, value string) bool {
	at := slices.IndexFunc(tree.Nodes,
		func(n datasets.TaxonomyNode) bool { return n.Name == value && len(n.Children) == 0 })
	for at >= 0 && at != node {
		at = tree.Nodes[at].Parent
	}
	return at == node
}

// TestCoarseGrid: a grid that fits is the exact one; any other has at most the cells allowed, its
// parts are a partition of every attribute's domain into taxonomy nodes or runs, and rows are
// counted where they lie. The rows have no part in laying it: newGrid is not given them.
func TestCoarseGrid(t *testing.T) {
	coarsened := 0
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t)
		table := testinput.Table(schema, testinput.DrawRows(t, schema, 12)...)
		params := DefaultParams()
		params.Bins = rapid.IntRange(1, 10).Draw(t, "bins")
		params.MaxCells = rapid.SampledFrom([]int{1, 2, 3, 4, 8, 20, 50, 200, 1 << 20}).Draw(t,
			"max_cells")
		exact, refused := newGrid(schema, params, nil)
		params.Grid = Coarse
		g, err := newGrid(schema, params, nil)
		if schema.Classes() > params.MaxCells {
			if !errors.Is(err, algorithms.ErrTooLarge) {
				t.Fatalf("%d classes in %d cells: %v", schema.Classes(), params.MaxCells, err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if g.cells > params.MaxCells {
			t.Fatalf("%d cells, must be at most %d", g.cells, params.MaxCells)
		}
		attributes := schema.QuasiIdentifiers()
		if refused == nil {
			if !slices.Equal(g.sides, exact.sides) || g.axes() != nil {
				t.Fatalf("the exact grid %v fits and is %v", exact.sides, g.sides)
			}
		} else {
			coarsened++
		}
		part := make([][]int, len(attributes)) // of each code, by definition
		for d, attribute := range attributes {
			a := &schema.Attributes[attribute]
			part[d] = make([]int, a.Cells())
			v := g.divisions[d]
			for code := range part[d] {
				holders := 0
				for p := range v.parts {
					var holds bool
					if v.level != nil {
						holds = joined(v.axis.Taxonomy, int(v.level.Node[p]), a.Values[code])
					} else {
						holds = int(g.starts[d][p]) <= code && code < int(g.starts[d][p+1])
					}
					if holds {
						part[d][code] = p
						holders++
					}
				}
				if holders != 1 {
					t.Fatalf("%s: code %d lies in %d of the parts %+v", a.Name, code, holders, v)
				}
			}
			held := make([]int, v.parts)
			for _, p := range part[d] {
				held[p]++
			}
			for p, n := range held {
				if n == 0 || n != int(g.starts[d][p+1]-g.starts[d][p]) {
					t.Fatalf("%s: part %d of %v holds %d values", a.Name, p, g.starts[d], n)
				}
			}
			for _, start := range g.starts[d][1:] {
				if a.Bins != nil && !slices.Contains(a.Bins, start) {
					t.Fatalf("%s: parts of %v, bins of %v", a.Name, g.starts[d], a.Bins)
				}
			}
			if v.level == nil && a.Bins == nil && slices.Max(held) > slices.Min(held)+1 {
				t.Fatalf("%s: runs of %v values, must be equal up to one", a.Name, held)
			}
		}
		want := make([]int32, g.cells)
		for _, row := range table.AllRows() {
			index := 0
			for d, attribute := range attributes {
				index = index*g.sides[d] + part[d][table.Column(attribute).At(row)]
			}
			if class := schema.Class(); class >= 0 {
				index = index*g.classes + int(table.Column(class).At(row))
			}
			want[index]++
		}
		space := partition.NewSpace(table, attributes)
		got := g.count(space, table.AllRows())
		if !slices.Equal(got, want) {
			t.Fatalf("cells hold %v, must hold %v", got, want)
		}
		if table.Len() == 0 {
			return
		}
		// A record more or less moves one cell by one: the sensitivity that both phases are charged
		// by.
		moved := int32(0)
		for i, n := range g.count(space, table.AllRows()[1:]) {
			moved += max(got[i]-n, n-got[i])
		}
		if moved != 1 {
			t.Fatalf("without a record the counts move by %d in L1, must be 1", moved)
		}
	})
	if coarsened == 0 {
		t.Error("no grid was made coarser: the test asks nothing")
	}
}

// TestCoarseRule takes the rule's steps by hand. Adult's ten quasi-identifiers have 16 bins of age
// and of hours and lists of 8, 16, 7, 14, 6, 5, 2 and 41 values; by the levels of their taxonomies
// workclass goes from 8 to 6, 4, 3 and 1 parts, education 16, 10, 4, 2, 1, marital status 7, 3, 2,
// 1, occupation 14, 3, 1, relationship 6, 3, 1, race 5, 2, 1 and country 41, 15, 5, 1. The widest
// are halved or climb a level first: 41→15, ages 16→8, education 16→10, hours 16→8, country 15→5,
// occupation 14→3, education 10→4, ages 8→4, workclass 8→6, hours 8→4, marital status 7→3,
// workclass 6→4, relationship 6→3, race 5→2, country 5→1 leave 4·4·4·3·3·3·2·2·4·1·2 = 55296 cells,
// and ages 4→2, workclass 4→3, education 4→2, hours 4→2 further 2·3·2·3·3·3·2·2·2·1·2 = 5184.
func TestCoarseRule(t *testing.T) {
	schema := must.Get(adult.Schema().Project("age", "workclass", "education", "marital-status",
		"occupation", "relationship",
		"race", "sex", "hours-per-week", "native-country", "salary"))
	params := DefaultParams()
	params.Grid = Coarse
	for limit, want := range map[int][]int{
		1 << 16: {4, 4, 4, 3, 3, 3, 2, 2, 4, 1, 2},
		55296:   {4, 4, 4, 3, 3, 3, 2, 2, 4, 1, 2},
		// of four attributes of four parts the first is halved
		55295:   {2, 4, 4, 3, 3, 3, 2, 2, 4, 1, 2},
		1 << 13: {2, 3, 2, 3, 3, 3, 2, 2, 2, 1, 2},
		2:       {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2},
	} {
		params.MaxCells = limit
		g, err := newGrid(schema, params, nil)
		if err != nil || !slices.Equal(g.sides, want) {
			t.Errorf("%d cells: parts %v, must be %v (%v)", limit, g.sides, want, err)
		}
	}
	if g, err := newGrid(schema, params, nil); err != nil || g.exact != 16*8*16*7*14*6*5*2*16*41*2 {
		t.Errorf("the exact grid is said to have %v cells (%v)", g.exact, err)
	}
}

// TestDivisions lists the steps by hand: halves rounded up, levels of a taxonomy that join
// something, and one part for values in no order.
func TestDivisions(t *testing.T) {
	// x stands alone below a node of its own, so that the level above the leaves joins y and z, and
	// the next nothing.
	tree := &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 4}},
		{Name: "u", Parent: 0, Children: []int{2}}, {Name: "uu", Parent: 1, Children: []int{3}},
		{Name: "x", Parent: 2},
		{Name: "v", Parent: 0, Children: []int{5}}, {Name: "vv", Parent: 4, Children: []int{6, 7}},
		{Name: "y", Parent: 5}, {Name: "z", Parent: 5},
	}}
	values := []string{"x", "y", "z"}
	params := DefaultParams()
	params.Bins, params.Grid = 7, Coarse
	for _, c := range []struct {
		attribute datasets.Attribute
		want      []int
	}{
		{datasets.Attribute{High: 9, Step: 1}, []int{7, 4, 2, 1}},
		{datasets.Attribute{High: 5, Step: 1}, []int{5, 3, 2, 1}},
		{datasets.Attribute{High: 1, Step: 1}, []int{1}},
		{datasets.Attribute{Kind: datasets.Categorical, Values: values, Ordered: true},
			[]int{3, 2, 1}},
		{datasets.Attribute{Kind: datasets.Categorical, Values: values}, []int{3, 1}},
		{datasets.Attribute{Kind: datasets.Categorical, Values: values, Ordered: true,
			Taxonomy: tree}, []int{3, 2, 1}},
		{datasets.Attribute{Kind: datasets.Categorical, Values: values[:1]}, []int{1}},
	} {
		list := divisions(&c.attribute, params, nil)
		var got []int
		for _, division := range list {
			got = append(got, division.parts)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: parts %v, must be %v", c.attribute, got, c.want)
		}
		if c.attribute.Taxonomy != nil { // the lowest nodes that hold the parts
			if nodes := list[1].level.Node; !slices.Equal(nodes, []int32{2, 5}) {
				t.Errorf("two parts are the nodes %v, must be 2 and 5", nodes)
			}
		}
	}
	params.Grid = Exact
	list := divisions(&datasets.Attribute{High: 9, Step: 1}, params, nil)
	if len(list) != 1 || list[0].parts != 7 {
		t.Errorf("an exact grid may have the divisions %+v, must be one of 7 parts", list)
	}
}

// TestCoarseRelease: without noise regions tile the domain (conformance) and hold the rows that
// they contain. Which regions there are does not depend on the rows.
func TestCoarseRelease(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := drawSchema(t)
		params := DefaultParams()
		params.Bins = rapid.IntRange(1, 10).Draw(t, "bins")
		params.Grid = Coarse
		params.MaxCells = rapid.IntRange(schema.Classes(), 60).Draw(t, "max_cells")
		variant := rapid.SampledFrom(variants).Draw(t, "variant")
		var releases []*algorithms.Release
		for range 2 {
			table := testinput.Table(schema, testinput.DrawRows(t, schema, 12)...)
			r := conformance.Released(t, Algorithm, testinput.Input(table, params, variant, 1e7,
				1))
			releases = append(releases, r)
			want := make([]float64, len(r.Regions.Counts))
			codes := make([]uint32, len(r.Regions.Attributes))
			for _, row := range table.AllRows() {
				y := 0
				if class := schema.Class(); class >= 0 {
					y = int(table.Column(class).At(row))
				}
				for d, attribute := range r.Regions.Attributes {
					codes[d] = table.Column(attribute).At(row)
				}
				want[r.Regions.Locate(codes)*r.Regions.Classes+y]++
			}
			for i, got := range r.Regions.Counts {
				if math.Abs(got-want[i]) > 1e-4 {
					t.Fatalf("region %d of class %d holds %v, must hold %v", i/r.Regions.Classes,
						i%r.Regions.Classes, got, want[i])
				}
			}
		}
		first, second := releases[0].Regions, releases[1].Regions
		if !slices.Equal(first.Low, second.Low) || !slices.Equal(first.High, second.High) ||
			!slices.Equal(first.Nodes, second.Nodes) {
			t.Fatal("other rows of the same schema have other regions")
		}
	})
}

// TestCoarseWarning: a release says how its grid was made coarser, and nothing when it was not.
func TestCoarseWarning(t *testing.T) {
	params := DefaultParams()
	params.Grid, params.MaxCells = Coarse, 60
	r := testinput.Release(t, Algorithm, testinput.Input(mixed(), params, algorithms.Strict, 1,
		1))
	if len(r.Warnings) > 0 {
		t.Errorf("a grid of 60 cells in 60: %q", r.Warnings)
	}
	params.MaxCells = 59
	r = testinput.Release(t, Algorithm, testinput.Input(mixed(), params, algorithms.Strict, 1, 1))
	if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "60") ||
		!strings.Contains(r.Warnings[0], "a0 3, a1 5") {
		t.Errorf("a grid of 60 cells in 59: %q, must name the parts 3 and 5", r.Warnings)
	}
}
