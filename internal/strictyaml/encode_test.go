package strictyaml

import (
	"reflect"
	"testing"
)

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
		r, got = NewReader("tree"), defaults
		r.Decode(r.Tree(Encode(&want, &defaults)), &got)
		if err := r.Err(); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v became %+v without a text: %v", want, got, err)
		}
	}
}
