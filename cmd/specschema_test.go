package cmd

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"ppdp/experiments"
)

// TestSchemaAccepts: by an independent validator, the schema accepts every spec that comes with the
// program and refuses specs with mistakes that a schema can see.
func TestSchemaAccepts(t *testing.T) {
	var made bytes.Buffer
	if err := experiments.WriteJSONSchema(&made); err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(&made)
	if err != nil {
		t.Fatal(err)
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource("spec.json", document); err != nil {
		t.Fatal(err)
	}
	schema, err := compiler.Compile("spec.json")
	if err != nil {
		t.Fatal(err)
	}
	validate := func(text []byte) error {
		var spec any
		if err := yaml.Unmarshal(text, &spec); err != nil {
			t.Fatal(err)
		}
		return schema.Validate(spec)
	}
	files, err := filepath.Glob("../experiments/*/*.yaml")
	if err != nil || len(files) < len(experiments.Names()) {
		t.Fatal("not all specs found", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	const good = "{name: a, seed: 1, dataset: {name: gaussian, n: [5, 6]}, epsilon: 1, " +
		"algorithms: [{name: rps, params: {depth: [1, 2]}}], measure: [{metric: w1}]}"
	for _, c := range []struct {
		old, new string
		accepted bool
	}{
		{"", "", true},
		{"name: rps", "name: rsp", false},
		{"depth: [1, 2]", "deep: 1", false},
		{"depth: [1, 2]", "depth: deep", false},
		{"depth: [1, 2]", "depth: [1, 1001]", false},
		{"depth: [1, 2]", "leaf_share: 1", false},
		{"epsilon: 1", "epsilon: 0", false},
		{"metric: w1", "metric: beauty", false},
		{"seed: 1", "seed: -1", false},
		{"seed: 1", "sead: 1", false},
		{"name: gaussian", "name: gaussian, m: 5", false},
	} {
		err := validate(bytes.Replace([]byte(good), []byte(c.old), []byte(c.new), 1))
		if accepted := err == nil; accepted != c.accepted {
			t.Errorf("%q for %q: accepted %v, want %v: %v", c.new, c.old, accepted, c.accepted, err)
		}
	}
}
