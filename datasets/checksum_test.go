package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
)

// checksumTable is a table of one column.
func checksumTable(t *testing.T, a Attribute, codes ...uint32) *Table {
	t.Helper()
	b := NewBuilder(&Schema{Attributes: []Attribute{a}}, 0)
	for _, code := range codes {
		b.AddRow(code)
	}
	return b.Table()
}

func TestChecksum(t *testing.T) {
	number := Attribute{Name: "a", High: 10, Step: 1}
	base := checksumTable(t, number, 1, 2, 3)
	must.Be(t, checksumTable(t, number, 1, 2, 3).Checksum(), base.Checksum(), "of an equal table")
	must.Be(t, base.Select([]int32{0, 1, 2}).Checksum(), base.Checksum(), "of a copy of all rows")
	if sum := base.Checksum(); len(sum) != 64 || strings.ToLower(sum) != sum {
		t.Errorf("%q is not a SHA-256 in hexadecimal", sum)
	}

	continuous := number
	continuous.Continuous = true
	exact := NewBuilder(&Schema{Attributes: []Attribute{continuous}}, 0)
	for _, value := range []float64{1.5, 2.5, 3.25} {
		must.Do(t, exact.SetNumber(exact.AddRow(), 0, value))
	}
	seen := map[string]string{base.Checksum(): "base"}
	for _, test := range []struct {
		name  string
		table *Table
	}{
		{"another value", checksumTable(t, number, 1, 2, 4)},
		{"another order", checksumTable(t, number, 2, 1, 3)},
		{"a row less", checksumTable(t, number, 1, 2)},
		{"no rows", checksumTable(t, number)},
		{"continuous", checksumTable(t, continuous, 1, 2, 3)},
		{"continuous, same cells", exact.Table()},
	} {
		sum := test.table.Checksum()
		must.Be(t, seen[sum], "", "what has the checksum of", test.name)
		seen[sum] = test.name
	}
}

// TestSum: a change of any column, or in the schema, changes the sum, and the checksum unless the
// schema says the same otherwise.
func TestSum(t *testing.T) {
	schema := &Schema{Attributes: []Attribute{
		{Name: "byte", High: 200, Step: 1}, {Name: "two bytes", High: 60000, Step: 1},
		{Name: "four", High: 1e6, Step: 1}, {Name: "x", High: 1, Step: 0.01, Continuous: true}}}
	b := NewBuilder(schema, 0)
	for row := range 21 {
		b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(row*4+i))
		}
	}
	table := b.Table()
	want := table.Sum()
	for i := range schema.Attributes {
		c := table.Column(i)
		code := c.At(20)
		if c.set(20, code^64); table.Sum() == want {
			t.Errorf("column %d: not noticed", i)
		}
		c.set(20, code)
	}
	exact := table.Column(3).Exact
	before := exact[20]
	if exact[20] = math.Nextafter(before, 2); table.Sum() == want {
		t.Error("a last digit: not noticed")
	}
	exact[20] = before
	values := []string{"a", "b"}
	taxonomy := &Taxonomy{Nodes: []TaxonomyNode{{Name: "any", Parent: -1, Children: []int{1, 2}},
		{Name: "a"}, {Name: "b"}}}
	level := Level{Group: []uint32{0, 0}, Low: []uint32{0}, High: []uint32{2}, Node: []int32{0}}
	last := &schema.Attributes[3]
	last.Values, last.Taxonomy = values, taxonomy
	last.Hierarchy = &Hierarchy{Levels: []Level{level}}
	want = table.Sum()
	sum := table.Checksum()
	for what, change := range map[string]func(){ // order-free: each is undone
		"name":     func() { last.Name = "y" },
		"kind":     func() { last.Kind = Categorical },
		"role":     func() { last.Role++ },
		"bound":    func() { last.High = 2 },
		"flag":     func() { last.Ordered = true },
		"number":   func() { last.Continuous = false },
		"tree":     func() { last.Taxonomy = nil },
		"levels":   func() { last.Hierarchy = nil },
		"values":   func() { values[0], values[1] = "b", "a" },
		"value":    func() { values[0], values[1] = "ab", "" },
		"node":     func() { taxonomy.Nodes[1].Name = "c" },
		"parent":   func() { taxonomy.Nodes[2].Parent = 1 },
		"children": func() { taxonomy.Nodes[0].Children[0] = 2 },
		"group":    func() { level.Group[1] = 1 },
		"interval": func() { level.High[0] = 1 },
	} {
		attribute, words := *last, slices.Clone(values)
		nodes, children := slices.Clone(taxonomy.Nodes), slices.Clone(taxonomy.Nodes[0].Children)
		group, high := slices.Clone(level.Group), slices.Clone(level.High)
		change()
		if table.Sum() == want {
			t.Errorf("another %s in the schema: not noticed", what)
		}
		must.Be(t, table.Checksum() == sum, what == "children" || what == "interval", what)
		*last = attribute
		copy(values, words)
		copy(taxonomy.Nodes, nodes)
		copy(taxonomy.Nodes[0].Children, children)
		copy(level.Group, group)
		copy(level.High, high)
	}
	if table.Sum() != want {
		t.Error("the table is as it was, the sum is not")
	}
}
