package strictyaml

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// bad says for every testdata/NAME.bad.yaml which problems are found, each as "line: part of the message".
var bad = map[string][]string{
	"alias":                {"1: name: an anchor &n", "2: label: an alias *n"},
	"anchor":               {"1: name: an anchor &n"},
	"array_length":         {"1: pair: a list, must be a list of 2"},
	"bool_number":          {"1: flag: 1, must be true or false"},
	"bool_text":            {`1: flag: "true", must be true or false`},
	"bool_yes":             {"1: flag: yes, must be true or false"},
	"comments_only":        {"1: an empty document"},
	"control_character":    {"1: not YAML: control characters"},
	"deep":                 {"1: where: a list, must be a mapping", "at most 64 levels"},
	"duplicate_key":        {"3: key name stands twice, first in line 1"},
	"duplicate_key_in_map": {"3: where: key a stands twice, first in line 2"},
	"duration_list":        {"1: limit: a list, must be a duration"},
	"duration_unit":        {"1: limit: 30, must be a duration with its unit"},
	"duration_word":        {"1: limit: soon, must be a duration"},
	"empty":                {"1: an empty document"},
	"empty_key":            {"2: not YAML"},
	"float_in_list":        {"1: epsilon[1]: x, must be a finite number", "1: epsilon[2]: .inf, must be a finite number"},
	"float_inf":            {"1: ratio: -.inf, must be a finite number"},
	"float_nan":            {"1: ratio: .nan, must be a finite number"},
	"float_octal":          {"1: ratio: 010 looks octal"},
	"float_overflow":       {"1: ratio: 1e999, must be a finite number that a float of 64 bits"},
	"float_text":           {`1: ratio: "0.5" is text, must be a finite number without quotes`},
	"float_underflow":      {"1: ratio: 1e-999, must be a finite number that a float of 64 bits"},
	"float_word":           {"1: ratio: half, must be a finite number"},
	"int_exponent":         {"1: count: 1e3, must be a whole number written in digits: 1000"},
	"int_fraction":         {"1: count: 3.5, must be a whole number"},
	"int_hex":              {"1: count: 0x10, must be a whole number in decimal digits"},
	"int_huge":             {"1: count: 9223372036854775808, must be between -9223372036854775808 and 9223372036854775807"},
	"int_list":             {"1: count: a list, must be a whole number"},
	"int_octal":            {"1: count: 010 looks octal, must be a whole number without leading zeros"},
	"int_overflow":         {"1: small: 128, must be between -128 and 127"},
	"int_point":            {"1: count: 3.0, must be a whole number written in digits: 3"},
	"int_text":             {`1: count: "3" is text, must be a whole number without quotes`},
	"int_underscore":       {"1: count: 1_000, must be a whole number in decimal digits"},
	"int_word":             {"1: count: three, must be a whole number"},
	"list_key":             {"1: a key that is a list or a mapping"},
	"mapping_for_list":     {"1: epsilon: a mapping, must be a list"},
	"merge_key":            {"2: inner: a merge key <<"},
	"not_utf8":             {"2: not UTF-8"},
	"null_document":        {"1: an empty document"},
	"null_flow_one":        {"1: variant: empty, must be a value or a list of values (leave the key out"},
	"null_in_list":         {"1: epsilon[1]: empty, must be a finite number"},
	"null_list":            {"1: epsilon: empty, must be a list (leave the key out"},
	"null_number":          {"1: count: empty, must be a whole number (leave the key out"},
	"null_struct":          {"1: inner: empty, must be a mapping of depth, alpha (leave the key out"},
	"null_text":            {"1: name: empty, must be a text (leave the key out"},
	"own_type":             {`1: colour: "blue", must be red or green`},
	"path_in_parts":        {"3: parts[1].depth: x, must be a whole number"},
	"root_is_list":         {"1: a list, must be a mapping of name, label,"},
	"scalar_for_list":      {"1: epsilon: 1, must be a list"},
	"scalar_for_map":       {"1: where: x, must be a mapping"},
	"scalar_for_struct":    {"1: inner: 3, must be a mapping of depth, alpha"},
	"second_document":      {"2: a second document"},
	"several": {"1: count: 3.5, must be a whole number", "2: unknown key nmae (did you mean name?)",
		"5: parts[1].depth: 1e2, must be a whole number written in digits: 100",
		"5: parts[1]: unknown key deep, must be one of depth, alpha", "6: flag: no, must be true or false"},
	"syntax_flow":        {"2: not YAML"},
	"syntax_indent":      {"2: not YAML"},
	"syntax_quote":       {"2: not YAML"},
	"tab_indent":         {"2: a tab in the indentation"},
	"tag":                {"1: count: a tag !!int", `1: count: "3" is text`},
	"text_is_list":       {"1: name: a list, must be a text"},
	"text_is_mapping":    {"1: name: a mapping, must be a text"},
	"uint_negative":      {"1: seed: -1, must be between 0 and 18446744073709551615"},
	"uint_overflow":      {"1: seed: 18446744073709551616, must be between 0 and"},
	"unknown_key":        {"2: unknown key epsilonn (did you mean epsilon?), must be one of name, label,"},
	"unknown_key_far":    {"1: unknown key zzzzzz, must be one of name,"},
	"unknown_key_nested": {"2: inner: unknown key dept (did you mean depth?), must be one of depth, alpha"},
	"utf16":              {"1: not UTF-8"},
}

func TestBad(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) != len(bad) {
		t.Errorf("%d fixtures (%v), must be %d", len(files), err, len(bad))
	}
	for _, name := range slices.Sorted(maps.Keys(bad)) {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile("testdata/" + name + ".bad.yaml")
			if err != nil {
				t.Fatal(err)
			}
			reader := NewReader("f.yaml")
			var into document
			reader.Decode(reader.Document(data), &into)
			if reader.Err() == nil {
				t.Fatal("no problem found")
			}
			lines := strings.Split(reader.Err().Error(), "\n")
			if len(lines) != len(bad[name]) {
				t.Fatalf("got %d problems, want %d:\n%v", len(lines), len(bad[name]), reader.Err())
			}
			for i, want := range bad[name] {
				if !strings.HasPrefix(lines[i], "f.yaml:") || !strings.Contains(lines[i], want) {
					t.Errorf("got  %s\nwant f.yaml:%s", lines[i], want)
				}
			}
			var first Problem
			if !errors.As(reader.Err(), &first) || first.File != "f.yaml" {
				t.Errorf("errors.As found %+v", first)
			}
		})
	}
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	reader := NewReader(name)
	reader.Decode(reader.Document(data), into)
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
}

func TestGood(t *testing.T) {
	got := document{Inner: inner{Depth: 1, Alpha: 0.5}, Where: map[string]string{"z": "kept", "a": "replaced"}}
	read(t, "everything.good.yaml", &got)
	if got.Raw == nil || got.Raw.Kind != SequenceNode || len(got.Raw.Content) != 2 {
		t.Errorf("raw node: %+v", got.Raw)
	}
	got.Raw = nil
	want := document{
		Name: "007", Label: "no", Count: 12, Small: -128, Seed: math.MaxUint64, Ratio: 1, Flag: true,
		Epsilon: []float64{0.1, 1000, 0.5, -2}, Variant: []string{"published"}, Pair: [2]int{1, 2},
		Limit: 90 * time.Minute, Where: map[string]string{"a": "x", "b": "1", "z": "kept"},
		Inner: inner{Depth: 4, Alpha: 0.5}, Maybe: &inner{Alpha: 0.25}, Parts: []inner{{Depth: 1}, {Alpha: 2}},
		Colour: "green", Shared: Shared{Trials: 9}, Untagged: 3,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}

	var short document
	read(t, "bom_crlf.good.yaml", &short)
	if short.Name != "x" || short.Count != -3 {
		t.Errorf("got %+v", short)
	}
}

// TestDefaultsAreNotShared decodes over defaults that hold a pointer and a map and looks at the
// originals afterwards.
func TestDefaultsAreNotShared(t *testing.T) {
	defaults := document{Maybe: &inner{Depth: 1}, Where: map[string]string{"a": "x"}, Epsilon: []float64{1, 2}}
	got := defaults
	reader := NewReader("f.yaml")
	reader.Decode(reader.Document([]byte("maybe: {alpha: 3}\nwhere: {a: y}\nepsilon: [9]\n")), &got)
	if err := reader.Err(); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&inner{Depth: 1, Alpha: 3}, got.Maybe); diff != "" {
		t.Error(diff)
	}
	if defaults.Maybe.Alpha != 0 || defaults.Where["a"] != "x" || defaults.Epsilon[0] != 1 {
		t.Errorf("the defaults changed: %+v", defaults)
	}
	reader.Decode(reader.Document([]byte("maybe: null\n")), &got)
	if got.Maybe != nil || reader.Err() != nil {
		t.Errorf("null pointer: %v, %v", got.Maybe, reader.Err())
	}
}

func TestProblemsOnceAndInOrder(t *testing.T) {
	reader := NewReader("f.yaml")
	root := reader.Document([]byte("a: 1\nb: {c: [x, y]}\n"))
	c := reader.Items(Find(Find(root, "b"), "c"))
	for range 2 { // as when a sweep decodes one node many times
		reader.Problemf(c[1], "is wrong")
	}
	reader.Problemf(Find(root, "a"), "is odd")
	reader.Problemf(nil, "is incomplete")
	const want = "f.yaml: is incomplete\nf.yaml:1: a: is odd\nf.yaml:2: b.c[1]: is wrong"
	if got := fmt.Sprint(reader.Err()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if reader.Entries(c[0]) != nil || reader.Items(root) != nil || Find(c[0], "a") != nil {
		t.Error("a scalar has no entries and a mapping no items")
	}
}

func TestResolved(t *testing.T) {
	depth := 3
	type nested struct {
		Shared `yaml:",inline"`
		K      uint8         `yaml:"k"`
		Maybe  *int          `yaml:"maybe"`
		Unset  *int          `yaml:"unset"`
		Limit  time.Duration `yaml:"limit"`
	}
	value := struct {
		Epsilon []float64         `yaml:"epsilon"`
		Nested  nested            `yaml:"nested"`
		Where   map[string]string `yaml:"where"`
		Parts   []inner           `yaml:"parts"`
		Small   float64           `yaml:"small"`
		Flag    bool              `yaml:"flag"`
		Raw     *Node             `yaml:"raw"`
	}{
		Epsilon: []float64{0.1, 1e21}, Nested: nested{Shared{5}, 7, &depth, nil, time.Minute},
		Where: map[string]string{"b": "x"}, Parts: []inner{{Depth: 1, Alpha: 0.5}}, Small: 1e-7, Raw: new(Node),
	}
	want := map[string]string{
		"epsilon": "[0.1,1e+21]", "nested.trials": "5", "nested.k": "7", "nested.maybe": "3", "nested.limit": "1m0s",
		"where.b": "x", "parts[0].depth": "1", "parts[0].alpha": "0.5", "small": "1e-07", "flag": "false",
	}
	if diff := cmp.Diff(want, Resolved(&value)); diff != "" {
		t.Error(diff)
	}
	if got := Resolved(nil); len(got) != 0 {
		t.Errorf("nil resolves to %v", got)
	}
}

func TestMistakesPanic(t *testing.T) {
	node := NewReader("f").Document([]byte("a: 1"))
	for name, mistake := range map[string]func(r *Reader){
		"no pointer": func(r *Reader) { r.Decode(node, document{}) },
		"two of one name": func(r *Reader) {
			r.Decode(node, &struct {
				A, B int `yaml:"a"`
			}{})
		},
		"unknown option": func(r *Reader) {
			r.Decode(node, &struct {
				A int `yaml:"a,strict"`
			}{})
		},
		"inline pointer": func(r *Reader) {
			r.Decode(node, &struct {
				*Shared `yaml:",inline"`
			}{})
		},
		"a channel": func(r *Reader) { r.Decode(node, &struct{ A chan int }{}) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			mistake(NewReader("f"))
		})
	}
}

// FuzzDocument holds the reader against the library: what is accepted here the library accepts too,
// with the same values; what is refused is refused with lines inside the document.
func FuzzDocument(f *testing.F) {
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
	f.Add([]byte("{a: &a [*a]}"))
	f.Add([]byte("? {<<: x}\n: |\n \tq\n"))
	// The library knows neither flow-one nor our own types.
	type comparable struct {
		Name    string            `yaml:"name"`
		Count   int               `yaml:"count"`
		Small   int8              `yaml:"small"`
		Seed    uint64            `yaml:"seed"`
		Ratio   float64           `yaml:"ratio"`
		Flag    bool              `yaml:"flag"`
		Epsilon []float64         `yaml:"epsilon"`
		Where   map[string]string `yaml:"where"`
		Inner   inner             `yaml:"inner"`
		Maybe   *inner            `yaml:"maybe"`
		Parts   []inner           `yaml:"parts"`
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		reader := NewReader("f")
		root := reader.Document(data)
		if root == nil && reader.Err() == nil {
			t.Fatal("neither a document nor a problem")
		}
		var all document
		reader.Decode(root, &all)
		lines := strings.Count(strings.ReplaceAll(string(data), "\r", "\n"), "\n") + strings.Count(string(data), "\u0085") +
			strings.Count(string(data), "\u2028") + strings.Count(string(data), "\u2029")
		for _, p := range reader.problems {
			if p.Line < 0 || p.Line > lines+2 || strings.Contains(p.Message, "\n") {
				t.Errorf("%d lines, problem %+v", lines, p)
			}
		}

		reader = NewReader("f")
		var got, want comparable
		reader.Decode(reader.Document(data), &got)
		if reader.Err() != nil {
			return
		}
		decoder := yaml.NewDecoder(strings.NewReader(string(data)))
		decoder.KnownFields(true)
		if err := decoder.Decode(&want); err != nil {
			t.Fatalf("accepted %q, the library says %v", data, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	})
}
