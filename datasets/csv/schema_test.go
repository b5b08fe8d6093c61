package csvtable

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ppdp/datasets"
	"ppdp/internal/badfiles"
	"ppdp/internal/must"
)

// TestBadSchemas: every mistake in a schema file is reported. go test ./datasets/csv -run
// BadSchemas -update
func TestBadSchemas(t *testing.T) {
	badfiles.Run(t, func(text []byte) error {
		_, err := ParseSchema(badfiles.Name, text)
		return err
	})
}

// matchErrors checks that the error has a separate line for each want, and no others.
func matchErrors(t *testing.T, err error, prefix string, wants []string) {
	t.Helper()
	lines := strings.Split(fmt.Sprint(err), "\n")
	must.Be(t, len(lines), len(wants), err)
	for _, want := range wants {
		at := slices.IndexFunc(lines, func(line string) bool {
			return strings.HasPrefix(line, prefix) && strings.Contains(line, want)
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
	return must.Get(ParseSchema("schema.yaml", []byte(schema)))
}

func readFile(t testing.TB, name string) string {
	t.Helper()
	return string(must.Get(os.ReadFile("testdata/" + name)))
}

func TestSchema(t *testing.T) {
	got := parse(t, readFile(t, "bank.schema.yaml"))
	want := &Format{
		Schema: &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "age", Low: 18, High: 95, Step: 1},
			{Name: "job", Kind: datasets.Categorical, Values: []string{"admin", "services",
				"technician"}, Ordered: true},
			{Name: "education", Kind: datasets.Categorical, Values: []string{"primary", "secondary",
				"tertiary"},
				Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
					{Name: "any", Parent: -1, Children: []int{1, 3}}, {Name: "low", Parent: 0,
						Children: []int{2}}, {Name: "primary", Parent: 1},
					{Name: "high", Parent: 0, Children: []int{4, 5}}, {Name: "secondary",
						Parent: 3}, {Name: "tertiary", Parent: 3},
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
	must.Equal(t, a, values, "no permutation")
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
	wants := [][]string{{"a", "b", "?"}, {"?", "a"}, {"a", "b", "c", "?"}, nil, nil,
		{"a", "b", "?"}}
	for i, want := range wants {
		if got := format.Schema.Attributes[i].Values; want != nil && !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", format.Schema.Attributes[i].Name, got, want)
		}
	}
	if got := format.Schema.Attributes[3].Values; got[2] != "?" {
		t.Errorf("the missing value must be last after a random order: %v", got)
	}
	root := format.Schema.Attributes[2].Taxonomy.Nodes[0]
	leaf := format.Schema.Attributes[2].Taxonomy.Nodes[root.Children[2]]
	if leaf.Name != "?" || leaf.Parent != 0 {
		t.Errorf("the missing leaf: %+v", leaf)
	}
	for i, want := range []uint32{2, 0, 3, 2, 3, 2} {
		a := &format.Schema.Attributes[i]
		if a.MissingCode() != want || a.Text(want) != "?" || int(want) >= a.Cells() {
			t.Errorf("%s: code %d of a missing value, want %d", a.Name, a.MissingCode(), want)
		}
	}
}

func FuzzSchema(f *testing.F) {
	files := must.Get(filepath.Glob("testdata/*/*.yaml"))
	for _, file := range files {
		data := must.Get(os.ReadFile(file))
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
		for i := range format.Schema.Attributes {
			a := &format.Schema.Attributes[i]
			if code := a.MissingCode(); code != dropRow && int(code) >= a.Cells() {
				t.Errorf("code %d for missing values in %d cells", code, a.Cells())
			}
		}
	})
}

// keysHead begins the page of all keys.
const keysHead = `<!-- Generated by "go test ./datasets/csv -run TestKeysAreDocumented -update". -->

# Keys of a schema

[Your own table](../your-table.md#describe-the-table) shows schemas by example.
`

// TestKeysAreDocumented: docs/generated/schema.md has every key that a schema file may have, as its
// tags say.
func TestKeysAreDocumented(t *testing.T) {
	const page = "../../../docs/generated/schema.md"
	var b strings.Builder
	b.WriteString(keysHead)
	for _, table := range []struct {
		heading, column string
		keys            reflect.Type
	}{
		{"Keys of the file", "default", reflect.TypeFor[schemaFile]()},
		{"Keys of an attribute", "of", reflect.TypeFor[attribute]()},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n| key | %s | meaning |\n|---|---|---|\n", table.heading,
			table.column)
		for _, field := range reflect.VisibleFields(table.keys) {
			tag := field.Tag
			key, _, _ := strings.Cut(tag.Get("yaml"), ",")
			if key == "" {
				continue
			}
			of := tag.Get(table.column)
			if len(field.Index) > 1 { // of About: flags have them too, where default means more
				of = "none"
			}
			if of == "" || tag.Get("doc") == "" {
				t.Errorf("%s has no tag %s, or none doc", key, table.column)
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", key, of, tag.Get("doc"))
		}
	}
	if flag.Lookup("update").Value.String() == "true" {
		err := os.WriteFile(filepath.Join("testdata", page), []byte(b.String()), 0o666)
		must.Do(t, err)
	} else if diff := cmp.Diff(b.String(), readFile(t, page)); diff != "" {
		t.Error(diff)
	}
}
