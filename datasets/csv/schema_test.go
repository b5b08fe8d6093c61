package csvtable

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppdp/datasets"
)

// badSchemas says for every testdata/NAME.bad.yaml which problems are found, each as "line: part of
// the message".
var badSchemas = map[string][]string{
	"no_attributes":          {"1: no attributes"},
	"empty_attributes":       {"1: attributes: must list at least one"},
	"unknown_key":            {"1: unknown key delimeter (did you mean delimiter?)"},
	"delimiter_long":         {`1: delimiter: "::", must be a single character`},
	"delimiter_empty":        {`1: delimiter: "", must be a single character`},
	"delimiter_quote":        {`1: delimiter: "\"", must be a single character`},
	"trim_tab":               {"2: trim: true with a delimiter that is white space"},
	"missing_twice":          {`1: missing: "?" is listed twice`},
	"missing_as_value_alone": {"1: missing-as-value: true without missing markers"},
	"missing_not_trimmed":    {`2: missing: " ?" can never be read`},
	"missing_listed":         {`7: attributes[0].values[1]: "?" is a missing marker`},
	"class_unknown":          {`1: class: "y" is no attribute, must be one of age`},
	"class_numeric": {"3: attributes[0].kind: numeric, but the class attribute must be " +
		"categorical"},
	"class_twice":        {`3: attributes[1].role: a second class attribute after "x"`},
	"class_contradicted": {`1: class: "x", but the attribute with the role class is "y"`},
	"class_sensitive":    {`3: attributes[0].role: "sensitive", but class: names this attribute`},
	"class_ignored":      {"3: attributes[0].kind: the class attribute must not be ignored"},
	"name_missing":       {"2: attributes[0]: an attribute needs a name"},
	"name_twice":         {`3: attributes[1].name: duplicate "x", first in line 2`},
	"kind_missing": {"2: attributes[0]: no kind, must be numeric, categorical or " +
		"ignored"},
	"kind_wrong": {`2: attributes[0].kind: "nominal", must be numeric, categorical or ignored`},
	"role_wrong": {
		`2: attributes[0].role: "secret", must be quasi-identifier, sensitive or class`},
	"order_wrong":    {`2: attributes[0].order: "alphabetic", must be given or random`},
	"values_missing": {"2: attributes[0]: no values, must list every value"},
	"values_empty": {"2: attributes[0]: x: a categorical attribute needs its list of " +
		"values"},
	"values_twice":           {`2: attributes[0]: x: value "a" is listed twice`},
	"values_not_trimmed":     {`3: attributes[0].values[1]: "b " can never be read`},
	"values_carriage_return": {`2: attributes[0].values[0]: "a\rb" can never be read`},
	"taxonomy_other_leaves": {`2: attributes[0]: value "b" is not a leaf`,
		`taxonomy leaf "c" is not a value`},
	"taxonomy_leaf_twice": {
		`7: attributes[0].taxonomy.any[1]: duplicate leaf "a", first in line 6`},
	"numeric_no_bounds": {"2: attributes[0]: no high, must be the first value above all",
		"2: attributes[0]: no low,"},
	"numeric_reversed":  {"2: attributes[0]: x: bounds [5, 5), must be finite with low below high"},
	"numeric_step_zero": {"2: attributes[0]: x: step 0, must be a number above 0"},
	"numeric_too_many":  {"2: attributes[0]: x: 1e+12 cells between"},
	"numeric_infinite":  {"2: attributes[0].high: .inf, must be a finite number"},
	"numeric_values": {"2: attributes[0].values: has no meaning on a numeric attribute",
		"2: attributes[0].order: has no meaning on a numeric attribute"},
	"continuous_no_step": {"2: attributes[0]: no step, must be the width of the cells"},
	"continuous_uneven": {"2: attributes[0].step: 2 between the bounds 0 and 5, must fit " +
		"between them a whole number of times"},
	"categorical_bounds": {"2: attributes[0].low: has no meaning on a categorical attribute",
		"2: attributes[0].continuous: has no meaning on a categorical attribute"},
	"widths": {"2: attributes[0].widths: width 7 above groups of 5",
		"3: attributes[1].widths: width 20 of 20 cells, must leave more than one group",
		"4: attributes[2].widths: a hierarchy over 1000000000 cells, must be from 1 to 4194304",
		"5: attributes[3].widths: has no meaning on a categorical attribute"},
	"ignored_role": {"2: attributes[0].role: has no meaning on an ignored column"},
	"all_ignored":  {"1: a schema needs at least one attribute"},
	"several": {`1: delimiter: "::"`, `2: class: "z" is no attribute`, "4: attributes[0]: no high",
		"5: attributes[1]: unknown key oder (did you mean order?)",
		`6: attributes[2].kind: "number"`},
}

func TestBadSchemas(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) != len(badSchemas) {
		t.Errorf("%d fixtures (%v), must be %d", len(files), err, len(badSchemas))
	}
	for _, name := range slices.Sorted(maps.Keys(badSchemas)) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name + ".bad.yaml")
			if err != nil {
				t.Fatal(err)
			}
			_, err = ParseSchema("f.yaml", data)
			if err == nil {
				t.Fatal("accepted")
			}
			matchErrors(t, err, "f.yaml:", badSchemas[name])
		})
	}
}

// matchErrors wants as many lines as there are wants, each want in a separate line.
func matchErrors(t *testing.T, err error, prefix string, wants []string) {
	t.Helper()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != len(wants) {
		t.Errorf("got %d problems, want %d:\n%v", len(lines), len(wants), err)
	}
	for _, want := range wants {
		at := slices.IndexFunc(lines,
			func(line string) bool {
				return strings.HasPrefix(line, prefix) &&
					strings.Contains(line, want)
			})
		if at < 0 {
			t.Errorf("got\n%v\nwant %s%s", err, prefix, want)
			continue
		}
		lines = slices.Delete(lines, at, at+1)
	}
}

func parse(t testing.TB, schema string) *Format {
	t.Helper()
	format, err := ParseSchema("schema.yaml", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	return format
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestSchema(t *testing.T) {
	got := parse(t, readFile(t, "bank.schema.yaml"))
	want := &Format{
		Schema: &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "age", Low: 18, High: 95, Step: 1},
			{Name: "job", Kind: datasets.Categorical,
				Values: []string{"admin", "services", "technician"}, Ordered: true},
			{Name: "education", Kind: datasets.Categorical,
				Values: []string{"primary", "secondary", "tertiary"},
				Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
					{Name: "any", Parent: -1, Children: []int{1, 3}},
					{Name: "low", Parent: 0, Children: []int{2}}, {Name: "primary", Parent: 1},
					{Name: "high", Parent: 0, Children: []int{4, 5}},
					{Name: "secondary", Parent: 3}, {Name: "tertiary", Parent: 3},
				}}},
			{Name: "balance", Low: -1, High: 1, Step: 0.25, Continuous: true,
				Role: datasets.Sensitive},
			{Name: "y", Kind: datasets.Categorical, Role: datasets.Class,
				Values: []string{"no", "yes"}},
		}},
		Delimiter: ';', Header: true, Missing: []string{"?"},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Format{})); diff != "" {
		t.Error(diff)
	}
}

// TestWidths: numbers from 1900 in steps of 2, in groups of 3 and of 6 steps, and one of all 10.
func TestWidths(t *testing.T) {
	a := parse(t, "attributes:\n  - {name: x, kind: numeric, low: 1900, high: 1920, step: 2, "+
		"widths: [3, 6]}\n").Schema.Attributes[0]
	if a.Hierarchy == nil || a.Hierarchy.Height() != 3 {
		t.Fatalf("hierarchy %+v", a.Hierarchy)
	}
	for level, want := range [][]uint32{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
		{0, 0, 0, 1, 1, 1, 2, 2, 2, 3}, {0, 0, 0, 0, 0, 0, 1, 1, 1, 1}, make([]uint32, 10)} {
		if got := a.Hierarchy.Levels[level].Group; !slices.Equal(got, want) {
			t.Errorf("level %d: %v, want %v", level, got, want)
		}
	}
	none := parse(t, "attributes:\n  - {name: x, kind: numeric, low: 0, high: 9}\n")
	if none.Schema.Attributes[0].Hierarchy != nil {
		t.Error("a hierarchy that was not asked for")
	}
}

// TestRandomOrder checks what makes a random order public: it is a permutation that depends on the
// attribute's name and on nothing else.
func TestRandomOrder(t *testing.T) {
	order := func(name string, values ...string) []string {
		list := "[" + strings.Join(values, ", ") + "]"
		return parse(t, fmt.Sprintf("attributes: [{name: %s, kind: categorical, order: random, "+
			"values: %s}]", name, list)).Schema.Attributes[0].Values
	}
	values := make([]string, 40)
	others := make([]string, 40)
	for i := range values {
		values[i], others[i] = fmt.Sprint("v", i), fmt.Sprint("w", i)
	}
	a, again, b, other := order("a", values...), order("a", values...), order("b",
		values...), order("a", others...)
	if !slices.Equal(a, again) {
		t.Error("the order changes from one reading to the next")
	}
	if slices.Equal(a, values) || slices.Equal(a, b) { // by chance with probability 2/40!
		t.Error("the order is the list's, or the same for every attribute")
	}
	for i := range a {
		if a[i][1:] != other[i][1:] {
			t.Fatalf("the order depends on the values: %v, %v", a, other)
		}
	}
	slices.Sort(a)
	slices.Sort(values)
	if !slices.Equal(a, values) {
		t.Errorf("no permutation: %v", a)
	}
}

func TestMissingAsValueSchema(t *testing.T) {
	format := parse(t, `
missing: ["?", NA]
missing-as-value: true
class: y
attributes:
  - {name: last, kind: categorical, values: [a, b]}
  - {name: placed, kind: categorical, values: ["?", a]}
  - {name: tree, kind: categorical, taxonomy: {any: [a, {more: [b, c]}]}}
  - {name: random, kind: categorical, values: [a, b], order: random}
  - {name: number, kind: numeric, low: 0, high: 3}
  - {name: y, kind: categorical, values: [a, b]}
`)
	wants := [][]string{{"a", "b", "?"}, {"?", "a"}, {"a", "b", "c", "?"}, nil, nil, {"a", "b"}}
	for i, want := range wants {
		if got := format.Schema.Attributes[i].Values; want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", format.Schema.Attributes[i].Name, got, want)
		}
	}
	if got := format.Schema.Attributes[3].Values; got[2] != "?" {
		t.Errorf("the missing value must be last after a random order: %v", got)
	}
	root := format.Schema.Attributes[2].Taxonomy.Nodes[0]
	if leaf := format.Schema.Attributes[2].Taxonomy.Nodes[root.Children[2]]; leaf.Name != "?" ||
		leaf.Parent != 0 {
		t.Errorf("the missing leaf: %+v", leaf)
	}
	if want := []uint32{2, 0, 3, 2, dropRow, dropRow}; !slices.Equal(format.missing, want) {
		t.Errorf("codes of missing values %v, want %v", format.missing, want)
	}
}

func FuzzSchema(f *testing.F) {
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		format, err := ParseSchema("f", data)
		if err != nil {
			return
		}
		if err := format.Schema.Validate(); err != nil {
			t.Fatalf("accepted an invalid schema: %v", err)
		}
		if len(format.missing) != len(format.Schema.Attributes) {
			t.Fatalf("%d codes of missing values for %d attributes", len(format.missing),
				len(format.Schema.Attributes))
		}
		for i, code := range format.missing {
			if code != dropRow && int(code) >= format.Schema.Attributes[i].Cells() {
				t.Errorf("code %d for missing values in %d cells",
					code, format.Schema.Attributes[i].Cells())
			}
		}
	})
}
