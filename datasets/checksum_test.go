package datasets

import (
	"strings"
	"testing"
)

// checksumTable is a table of one column.
func checksumTable(t *testing.T, a Attribute, codes ...uint32) *Table {
	t.Helper()
	schema := &Schema{Attributes: []Attribute{a}}
	b := NewBuilder(schema, 0)
	for _, code := range codes {
		b.Set(b.AddRow(), 0, code)
	}
	return b.Table()
}

func TestChecksum(t *testing.T) {
	number := Attribute{Name: "a", High: 10, Step: 1}
	base := checksumTable(t, number, 1, 2, 3)
	if again := checksumTable(t, number, 1, 2, 3); again.Checksum() != base.Checksum() {
		t.Error("equal tables differ")
	}
	if selected := base.Select([]int32{0, 1, 2}); selected.Checksum() != base.Checksum() {
		t.Error("a copy of all rows differs")
	}
	if sum := base.Checksum(); len(sum) != 64 || strings.ToLower(sum) != sum {
		t.Errorf("%q is not a SHA-256 in hexadecimal", sum)
	}

	continuous := number
	continuous.Continuous = true
	exact := NewBuilder(&Schema{Attributes: []Attribute{continuous}}, 0)
	for _, value := range []float64{1.5, 2.5, 3.25} {
		if err := exact.SetNumber(exact.AddRow(), 0, value); err != nil {
			t.Fatal(err)
		}
	}
	renamed, wider, class := number, number, Attribute{Name: "a",
		Kind: Categorical, Values: []string{"0", "1", "2", "3"}}
	renamed.Name, wider.High = "b", 11
	reordered, taxonomy := class, class
	reordered.Values = []string{"3", "1", "2", "0"}
	taxonomy.Taxonomy = &Taxonomy{Nodes: []TaxonomyNode{{Name: "any",
		Parent: -1, Children: []int{1, 2, 3, 4}},
		{Name: "0"}, {Name: "1"}, {Name: "2"}, {Name: "3"}}}
	generalised, coarser := number, number
	generalised.Hierarchy = BinaryHierarchy(10)
	var err error
	if coarser.Hierarchy, err = WidthHierarchy(10, 5); err != nil {
		t.Fatal(err)
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
		{"another name", checksumTable(t, renamed, 1, 2, 3)},
		{"other bounds", checksumTable(t, wider, 1, 2, 3)},
		{"categorical", checksumTable(t, class, 1, 2, 3)},
		{"other values", checksumTable(t, reordered, 1, 2, 3)},
		{"a taxonomy", checksumTable(t, taxonomy, 1, 2, 3)},
		{"a hierarchy", checksumTable(t, generalised, 1, 2, 3)},
		{"another hierarchy", checksumTable(t, coarser, 1, 2, 3)},
		{"continuous", checksumTable(t, continuous, 1, 2, 3)},
		{"continuous, same cells", exact.Table()},
	} {
		sum := test.table.Checksum()
		if other, taken := seen[sum]; taken {
			t.Errorf("%s has the checksum of %s", test.name, other)
		}
		seen[sum] = test.name
	}
}

func BenchmarkChecksum(b *testing.B) {
	attribute := Attribute{Name: "a", High: 200, Step: 1}
	builder := NewBuilder(&Schema{Attributes: []Attribute{attribute}}, 100_000)
	for row := range 100_000 {
		builder.Set(builder.AddRow(), 0, uint32(row%200))
	}
	table := builder.Table()
	for b.Loop() {
		table.Checksum()
	}
	b.ReportMetric(100_000*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
