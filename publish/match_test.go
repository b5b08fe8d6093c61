package publish

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// TestParseGroup reads back what groups of codes are written as.
func TestParseGroup(t *testing.T) {
	attributes := []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: -3, High: 9, Step: 1},
		{Name: "third", Kind: datasets.Numeric, Low: 0.1, High: 1, Step: 0.3},
		{Name: "c", Kind: datasets.Numeric, Low: 0, High: 1, Step: 0.25, Continuous: true},
		{Name: "v", Kind: datasets.Categorical, Values: []string{"a", "a, b", "b", "}", "{a"}},
	}
	for i := range attributes {
		a := &attributes[i]
		for low := range uint32(a.Cells()) {
			for high := low + 1; high <= uint32(a.Cells()); high++ {
				text := csvtable.GroupText(a, low, high)
				g, err := parseGroup(a, text)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				same := true
				for code := range uint32(a.Cells()) {
					same = same && g.holds(code) == (code >= low && code < high)
				}
				// "{a, b}" may be two values or one that holds a comma.
				if !same && a.Name != "v" {
					t.Errorf("%s: %+v, want [%d, %d)", text, g, low, high)
				}
			}
		}
		for _, text := range []string{"", "x", "[0, 1", "[1, 0)", "[0, 100)", "{x}", "{",
			"[a, b)", "[0.26, 0.27)"} {
			if _, err := parseGroup(a, text); err == nil {
				t.Errorf("%s: %q is read", a.Name, text)
			}
		}
	}
	a := datasets.Attribute{Name: "t", Kind: datasets.Categorical, Values: []string{"a", "b", "c"},
		Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
			{Name: "all", Parent: -1, Children: []int{1, 2}}, {Name: "b", Parent: 0},
			{Name: "b", Parent: 0, Children: []int{3, 4}}, {Name: "a", Parent: 2},
			{Name: "c", Parent: 2}}}}
	for text, want := range map[string]string{"all": "abc", "a": "a", "b": "abc"} {
		g, err := parseGroup(&a, text)
		got := ""
		for code, value := range a.Values {
			if err == nil && g.holds(uint32(code)) {
				got += value
			}
		}
		if got != want {
			t.Errorf("%s holds %s (%v), want %s", text, got, err, want)
		}
	}
}

// TestMatch compares the number of pairs with the most that any order of the original's records
// gives, taken one by one (brute force): classes overlap.
func TestMatch(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: 4, Step: 1},
		{Name: "s", Kind: datasets.Categorical, Role: datasets.Sensitive,
			Values: []string{"x", "y"}},
	}}
	rapid.Check(t, func(t *rapid.T) {
		var rows [][]string
		for range rapid.IntRange(1, 5).Draw(t, "released") {
			low := rapid.Uint32Range(0, 3).Draw(t, "low")
			high := rapid.Uint32Range(low+1, 4).Draw(t, "high")
			rows = append(rows, []string{csvtable.GroupText(&schema.Attributes[0], low, high),
				rapid.SampledFrom(schema.Attributes[1].Values).Draw(t, "s")})
		}
		b := datasets.NewBuilder(schema, 0)
		n := rapid.IntRange(0, 5).Draw(t, "original")
		for range n {
			row := b.AddRow()
			b.Set(row, 0, rapid.Uint32Range(0, 3).Draw(t, "n"))
			b.Set(row, 1, rapid.Uint32Range(0, 1).Draw(t, "s"))
		}
		table := b.Table()
		// most tries every partner of the first released record that has none.
		var most func(released int, used []bool) int
		most = func(released int, used []bool) int {
			if released == len(rows) {
				return 0
			}
			best := most(released+1, used)
			g := must(parseGroup(&schema.Attributes[0], rows[released][0]))
			for i := range used {
				said := schema.Attributes[1].Values[table.Column(1).At(int32(i))]
				if !used[i] && said == rows[released][1] && g.holds(table.Column(0).At(int32(i))) {
					now := slices.Clone(used)
					now[i] = true
					best = max(best, 1+most(released+1, now))
				}
			}
			return best
		}
		want := most(0, make([]bool, n))
		got, err := classesOf(schema, rows).match(t.Context(), schema, table)
		if err != nil || got != want {
			t.Fatalf("%d pairs (%v), want %d: %v", got, err, want, fmt.Sprint(rows))
		}
	})
}
