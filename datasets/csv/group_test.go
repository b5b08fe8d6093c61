package csvtable

import (
	"testing"

	"ppdp/datasets"
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
				text := GroupText(a, low, high)
				g, err := ParseGroup(a, text)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				same := true
				for code := range uint32(a.Cells()) {
					same = same && g.Holds(code) == (code >= low && code < high)
				}
				// "{a, b}" may be two values or one that holds a comma.
				if !same && a.Name != "v" {
					t.Errorf("%s: %+v, want [%d, %d)", text, g, low, high)
				}
			}
		}
		for _, text := range []string{"", "x", "[0, 1", "[1, 0)", "[0, 100)", "{x}", "{",
			"[a, b)", "[0.26, 0.27)"} {
			if _, err := ParseGroup(a, text); err == nil {
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
		g, err := ParseGroup(&a, text)
		got := ""
		for code, value := range a.Values {
			if err == nil && g.Holds(uint32(code)) {
				got += value
			}
		}
		if got != want {
			t.Errorf("%s holds %s (%v), want %s", text, got, err, want)
		}
	}
}
