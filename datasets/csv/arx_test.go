package csvtable

import (
	"encoding/csv"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

func TestReadHierarchy(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"ages as ARX writes them", "1;0-4;0-9;*\n4;0-4;0-9;*\n5;5-9;0-9;*\n12;10-14;10-19;*\n",
			`"*": [{"0-9": [{"0-4": ["1", "4"]}, {"5-9": ["5"]}]}, ` +
				`{"10-19": [{"10-14": ["12"]}]}]`},
		{"commas, a level that repeats", "\"a,b\",x,x,any\nc,c,y,any\n",
			`"any": [{"x": ["a,b"]}, {"y": ["c"]}]`},
		{"no common root", "a;x\nb;y\n", `"*": [{"x": ["a"]}, {"y": ["b"]}]`},
		{"values alone", "a\nb\n", `"*": ["a", "b"]`},
		{"a value below the root", "a;x;*\nb;*;*\n", `"*": [{"x": ["a"]}, "b"]`},
		{"lines that end in a delimiter", "a;x;*;\nb;x;*;\n", `"*": [{"x": ["a", "b"]}]`},
	} {
		tree, err := ReadHierarchy("f.csv", strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := taxonomyText(tree, 0); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if err := tree.Validate(tree.Leaves()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for text, want := range map[string]string{
		"":                      "f.csv:1: an empty file",
		"a;x;*\na;y;*\n":        `f.csv:2: value "a" again, first in line 1`,
		"a;x;p;*\nb;x;q;*\n":    `f.csv:2: "x" is below "q", but below "p" in line 1`,
		"a;x;y\nb;y;x\n":        "f.csv:1: no root",
		"a;x;y\nb;y;x\nc;z;*\n": "f.csv:1: terms that are below themselves",
		"a;*\nb;x\n":            "f.csv:1: lines end in 2 different terms",
		"a;\"x\nb;y\n":          "a quote that does not fit",
		"\xff;x\n":              "not UTF-8",
	} {
		if _, err := ReadHierarchy("f.csv", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestHierarchyRoundTrip: a taxonomy that is written is read back, and so is its text in a schema.
func TestHierarchyRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		tree := &datasets.Taxonomy{}
		var sprout func(parent, depth int)
		sprout = func(parent, depth int) {
			node := len(tree.Nodes)
			tree.Nodes = append(tree.Nodes, datasets.TaxonomyNode{Parent: parent,
				Name: rapid.SampledFrom([]string{"", "a;b", "x,", "\"", "ü", " "}).Draw(rt,
					"name") + strconv.Itoa(node)})
			if parent >= 0 {
				tree.Nodes[parent].Children = append(tree.Nodes[parent].Children, node)
			}
			if depth > 0 {
				for range rapid.IntRange(0, 3).Draw(rt, "children") {
					sprout(node, depth-1)
				}
			}
		}
		sprout(-1, 3)
		if len(tree.Nodes) == 1 {
			sprout(0, 0)
		}
		text := hierarchyOf(tree)
		back, err := ReadHierarchy("f.csv", strings.NewReader(text))
		if err != nil || !reflect.DeepEqual(back, tree) {
			rt.Fatalf("%v %+v, must be %+v from\n%s", err, back, tree, text)
		}
		format := parse(t, "attributes:\n- {name: a, kind: categorical, taxonomy: {"+
			taxonomyText(tree, 0)+"}}\n")
		if !reflect.DeepEqual(format.Schema.Attributes[0].Taxonomy, tree) {
			rt.Fatalf("in a schema %+v, must be %+v", format.Schema.Attributes[0].Taxonomy, tree)
		}
	})
}

// hierarchyOf is a taxonomy in the form of ARX. Values nearer to the root than others repeat
// themselves, so that all lines have as many fields.
func hierarchyOf(t *datasets.Taxonomy) string {
	var b strings.Builder
	out := csv.NewWriter(&b)
	out.Comma = ';'
	for i := range t.Nodes {
		if len(t.Nodes[i].Children) > 0 {
			continue
		}
		var above []string
		for node := t.Nodes[i].Parent; node >= 0; node = t.Nodes[node].Parent {
			above = append(above, t.Nodes[node].Name)
		}
		value := []string{t.Nodes[i].Name}
		out.Write(slices.Concat(slices.Repeat(value, 1+t.Height()-len(above)), above))
	}
	out.Flush()
	return b.String()
}

// FuzzReadHierarchy: whatever is read is a taxonomy.
func FuzzReadHierarchy(f *testing.F) {
	for _, text := range []string{"a;x;*\nb;y;*\n", "a\n", "a;x;y\nb;y;x\n", "\"a,b\",x\n",
		";;\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ReadHierarchy("f", strings.NewReader(text))
		if err != nil {
			return
		}
		must.Do(t, tree.Validate(tree.Leaves()))
	})
}
