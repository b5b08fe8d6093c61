package datasets

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/internal/must"
	"ppdp/internal/strictyaml"
)

func readTaxonomy(text string) (*Taxonomy, error) {
	reader := strictyaml.NewReader("t.yaml")
	taxonomy := new(Taxonomy)
	reader.Decode(reader.Document([]byte(text)), taxonomy)
	return taxonomy, reader.Err()
}

func TestTaxonomyYAML(t *testing.T) {
	got := must.Get(readTaxonomy("any: {low: [primary], high: [secondary, {tertiary: [bachelor, " +
		"master]}]}\n"))
	want := &Taxonomy{Nodes: []TaxonomyNode{
		{Name: "any", Parent: -1, Children: []int{1, 3}},
		{Name: "low", Parent: 0, Children: []int{2}},
		{Name: "primary", Parent: 1},
		{Name: "high", Parent: 0, Children: []int{4, 5}},
		{Name: "secondary", Parent: 3},
		{Name: "tertiary", Parent: 3, Children: []int{6, 7}},
		{Name: "bachelor", Parent: 5},
		{Name: "master", Parent: 5},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	must.Do(t, got.Validate([]string{"master", "bachelor", "secondary", "primary"}))
}

func TestTaxonomyYAMLBad(t *testing.T) {
	for text, want := range map[string]string{
		"any":                       "t.yaml:1: a taxonomy must be a mapping",
		"[a, b]":                    "t.yaml:1: a taxonomy must be a mapping",
		"a: [x]\nb: [y]":            "t.yaml:1: a taxonomy with 2 roots",
		"any:\n  low:\n  high: [x]": `t.yaml:2: any.low: broader term "low" has no children`,
		"any: x":                    `t.yaml:1: any: broader term "any" has no children`,
		"any: []":                   `t.yaml:1: any: broader term "any" has no children`,
		"any:\n- x\n- y\n- x":       `t.yaml:4: any[2]: duplicate leaf "x", first in line 2`,
		"any:\n- a: [x]\n- a: [y]": "t.yaml:3: any[1]: " +
			`duplicate broader term "a", first in line 2`,
		"any:\n- x\n- ~":              "t.yaml:3: any[1]: empty, must be a text",
		"any:\n- x\n- [y]":            "t.yaml:3: any[1]: a list in a list",
		"any: &a [x]":                 "t.yaml:1: any: an anchor",
		strings.Repeat("{a: ", 99999): "t.yaml",
	} {
		must.Fail(t, must.Err(readTaxonomy(text)), want, text[:min(40, len(text))])
	}
}
