package strictyaml

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ppdp/internal/badfiles"
	"ppdp/internal/must"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"
)

// TestBad: every mistake in a document is reported. go test ./internal/strictyaml -run Bad -update
func TestBad(t *testing.T) {
	badfiles.Run(t, func(text []byte) error {
		reader := NewReader(badfiles.Name)
		var into document
		reader.Decode(reader.Document(text), &into)
		return reader.Err()
	})
}

func read(t *testing.T, name string, into any) {
	t.Helper()
	data := must.Get(os.ReadFile("testdata/" + name))
	reader := NewReader(name)
	reader.Decode(reader.Document(data), into)
	must.Do(t, reader.Err())
}

func TestGood(t *testing.T) {
	got := document{Inner: inner{Depth: 1, Alpha: 0.5}, Where: map[string]string{"z": "replaced"}}
	read(t, "everything.good.yaml", &got)
	want := document{
		Name: "007", Label: "no", Count: 12, Small: -128, Seed: math.MaxUint64,
		Ratio: 1, Flag: true,
		Epsilon: []float64{0.1, 1000, 0.5, -2}, Variant: []string{"published"},
		Where: map[string]string{"a": "x", "b": "1"},
		Inner: inner{Depth: 4, Alpha: 0.5}, Maybe: &inner{Alpha: 0.25},
		Parts:  []inner{{Depth: 1}, {Alpha: 2}},
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

// TestDefaultsAreNotShared: decoding onto a copy of the defaults does not change the defaults
// behind a pointer, in a map or in a list.
func TestDefaultsAreNotShared(t *testing.T) {
	defaults := document{Maybe: &inner{Depth: 1},
		Where: map[string]string{"a": "x"}, Epsilon: []float64{1, 2}}
	got := defaults
	reader := NewReader("f.yaml")
	reader.Decode(reader.Document([]byte("maybe: {alpha: 3}\nwhere: {a: y}\nepsilon: [9]\n")), &got)
	must.Do(t, reader.Err())
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
	c := Find(Find(root, "b"), "c").Content
	for range 2 { // as when a sweep decodes one node many times
		reader.Problemf(c[1], "is wrong")
	}
	reader.Problemf(Find(root, "a"), "is odd")
	reader.Problemf(nil, "is incomplete")
	const want = "f.yaml: is incomplete\nf.yaml:1: a: is odd\nf.yaml:2: b.c[1]: is wrong"
	if got := fmt.Sprint(reader.Err()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if reader.Entries(c[0]) != nil || Find(c[0], "a") != nil {
		t.Error("a scalar has no entries")
	}
}

func TestResolved(t *testing.T) {
	value := struct {
		Shared  `yaml:",inline"`
		Epsilon []float64 `yaml:"epsilon"`
		None    []string  `yaml:"none"`
		Small   float64   `yaml:"small"`
		Single  float32   `yaml:"single"`
		K       uint8     `yaml:"k"`
		Mode    colour    `yaml:"mode"`
		Flag    bool      `yaml:"flag"`
		Hidden  *int      `yaml:"-"`
	}{Shared: Shared{5}, Epsilon: []float64{0.1, 1e21}, Small: 1e-7, Single: 0.1, K: 7, Mode: "red"}
	want := map[string]string{"trials": "5", "epsilon": "[0.1,1e+21]", "none": "[]",
		"small":  "1e-07",
		"single": "0.1", "k": "7", "mode": "red", "flag": "false"}
	if diff := cmp.Diff(want, Resolved(&value)); diff != "" {
		t.Error(diff)
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
		"a channel":   func(r *Reader) { r.Decode(node, &struct{ A chan int }{}) },
		"a structure": func(*Reader) { Resolved(&struct{ A inner }{}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			mistake(NewReader("f"))
		}()
	}
}

// FuzzDocument compares the reader with the library: a document accepted here the library accepts
// too, with the same values; the problems of other documents are in lines of the document.
func FuzzDocument(f *testing.F) {
	files, err := filepath.Glob("testdata/*/*.yaml")
	must.Do(f, err)
	for _, file := range files {
		data, err := os.ReadFile(file)
		must.Do(f, err)
		f.Add(data)
	}
	f.Add([]byte("{a: &a [*a]}"))
	f.Add([]byte("? {<<: x}\n: |\n \tq\n"))
	// The library knows neither flow-one nor our types.
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
		lines := 0
		for _, end := range []string{"\n", "\r", "\u0085", "\u2028", "\u2029"} {
			lines += strings.Count(string(data), end)
		}
		for _, p := range reader.problems {
			if p.line < 0 || p.line > lines+2 || strings.Contains(p.message, "\n") {
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

// TestManyItems: a document of more values than anybody needs is refused before it takes memory.
func TestManyItems(t *testing.T) {
	r := NewReader("f")
	text := "epsilon: [" + strings.Repeat("1,", maxItems) + "1]\n"
	if root := r.Document([]byte(text)); root != nil || r.Err() == nil ||
		!strings.Contains(r.Err().Error(), "f: 262145 lines and commas, must be at most 262144") {
		t.Errorf("%v", r.Err())
	}
}

// TestEncode: what is encoded is decoded onto the same value, values of every kind that a spec has
// and texts that YAML would take for something else; defaults are left out.
func TestEncode(t *testing.T) {
	type part struct {
		Name  string
		Share float64
		When  map[string]string
	}
	type whole struct {
		Word    string
		Number  int
		Seed    uint64
		Keep    bool
		One     []string `yaml:"one,flow-one"`
		Epsilon []float64
		Parts   []part
		Hidden  int `yaml:"-"`
	}
	defaults := whole{Number: 1, Keep: true}
	for _, want := range []whole{
		defaults,
		{Word: "no", Number: 7, Keep: true, Seed: 1<<64 - 1, One: []string{"01"}},
		{Word: "a: b # c", Number: 1, Keep: true, One: []string{"y", "null", ""},
			Epsilon: []float64{1, 0.1, 1e-5, 1e300}},
		{Number: 1, Keep: true, Parts: []part{{Name: "ε ≤ 1\nand more", Share: 1.0 / 3},
			{When: map[string]string{"classifier": "c45", "no": "1e5"}}}},
	} {
		text := Text(Encode(&want, &defaults))
		r := NewReader("text")
		got := defaults
		r.Decode(r.Document(text), &got)
		if err := r.Err(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v became %+v by\n%s%v", want, got, text, err)
		}
	}
}

// document has a field of every type that can be decoded.
type document struct {
	Name     string            `yaml:"name"`
	Label    string            `yaml:"label"`
	Count    int               `yaml:"count"`
	Small    int8              `yaml:"small"`
	Seed     uint64            `yaml:"seed"`
	Ratio    float64           `yaml:"ratio"`
	Flag     bool              `yaml:"flag"`
	Epsilon  []float64         `yaml:"epsilon"`
	Variant  []string          `yaml:"variant,flow-one"`
	Where    map[string]string `yaml:"where"`
	Inner    inner             `yaml:"inner"`
	Maybe    *inner            `yaml:"maybe"`
	Parts    []inner           `yaml:"parts"`
	Colour   colour            `yaml:"colour"`
	Shared   `yaml:",inline"`
	Skipped  int `yaml:"-"`
	Untagged int
}

type inner struct {
	Depth int     `yaml:"depth"`
	Alpha float64 `yaml:"alpha"`
}

// Shared is embedded.
type Shared struct {
	Trials int `yaml:"trials"`
}

// colour decodes itself.
type colour string

func (c *colour) UnmarshalStrict(r *Reader, n *Node) {
	var text string
	r.Decode(n, &text)
	if text != "red" && text != "green" {
		r.Problemf(n, "%q, must be red or green", text)
		return
	}
	*c = colour(text)
}
