package cmd

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"gopkg.in/yaml.v3"

	"ppdp/algorithms/external"
	"ppdp/experiments"
	"ppdp/experiments/language"
)

// validator checks YAML by a JSON Schema, independently of the decoder.
func validator(t *testing.T, text []byte) func(text []byte) error {
	t.Helper()
	document := must(jsonschema.UnmarshalJSON(bytes.NewReader(text)))
	compiler := jsonschema.NewCompiler()
	noError(t, compiler.AddResource("schema.json", document))
	schema := must(compiler.Compile("schema.json"))
	return func(text []byte) error {
		var content any
		noError(t, yaml.Unmarshal(text, &content))
		return schema.Validate(content)
	}
}

// TestBaselineSchema: the schema of descriptors accepts those that come with the program, and
// refuses and accepts what the decoder does where a schema can see the mistake.
func TestBaselineSchema(t *testing.T) {
	t.Parallel()
	validate := validator(t, external.Schema)
	files, err := filepath.Glob("../docs/examples/*/*.baseline.yaml")
	if err != nil || len(files) < 2 {
		t.Fatal("not all descriptors found", err)
	}
	for _, file := range files {
		text := must(os.ReadFile(file))
		if err := validate(text); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	const good = "{name: a, title: A, source: test, input: table, produces: [records], " +
		"revision: 2, command: [cat], files: a.yaml, values: codes, variants: [{variant: strict, " +
		"model: differential privacy, unit: record, relation: any, approximate: true, note: N}, " +
		"{variant: published, model: none, note: N}], params: {a_b: {type: integer, default: 2, " +
		"minimum: 1, maximum: 4}, c: {type: string, default: x, enum: [x, y]}, d: {type: number, " +
		"default: 0.5}, e: {type: boolean, default: true}}, limits: {memory: 1.5GiB, time: 1m30s}}"
	for _, c := range []struct {
		old, new string
		accepted bool
	}{
		{"", "", true},
		{"produces: [records]", "produces: records", true},
		{"revision: 2, ", "", true},
		{"input: table, produces: [records]", "input: graph, produces: degrees", true},
		{"name: a", "name: A", false},
		{"title: A, ", "", false},
		{"files: a.yaml, ", "", false},
		{"input: table", "input: tables", false},
		{"input: table", "input: graph", false},
		{"revision: 2", "revision: 0", false},
		{"command: [cat]", "command: []", false},
		{"values: codes", "values: numbers", false},
		{"values: codes", "value: codes", false},
		{"variant: strict", "variant: best", false},
		{"unit: record, ", "", false},
		{"model: none", "model: none, unit: record", false},
		{"model: none", "model: k-anonymity", false},
		{"default: 2", "default: two", false},
		{"default: 2, ", "", false},
		{"default: x", "default: x, minimum: 1", false},
		{"default: 0.5", "default: 0.5, enum: [a]", false},
		{"default: true", "default: 1", false},
		{"a_b:", "A-b:", false},
		{"1.5GiB", "much", false},
		{"1m30s", "soon", false},
	} {
		text := bytes.Replace([]byte(good), []byte(c.old), []byte(c.new), 1)
		if err := validate(text); (err == nil) != c.accepted {
			t.Errorf("%q for %q: %v, must be accepted: %v", c.new, c.old, err, c.accepted)
		}
		dir := t.TempDir()
		path := filepath.Join(dir, "a.yaml")
		noError(t, os.WriteFile(path, text, 0o666))
		if _, err := external.Load(path); (err == nil) != c.accepted {
			t.Errorf("%q for %q: the decoder says %v", c.new, c.old, err)
		}
	}
}

// TestSchemaAccepts: by an independent validator, the schema accepts every spec that comes with the
// program and refuses specs with mistakes that a schema can see.
func TestSchemaAccepts(t *testing.T) {
	var made bytes.Buffer
	noError(t, language.WriteJSONSchema(&made))
	validate := validator(t, made.Bytes())
	files, err := filepath.Glob("../experiments/*/*.yaml")
	if err != nil || len(files) < len(experiments.Names()) {
		t.Fatal("not all specs found", err)
	}
	for _, file := range files {
		text := must(os.ReadFile(file))
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
		{"depth: [1, 2]", "narrow: 1", false},
		{"epsilon: 1", "epsilon: 0", false},
		{"metric: w1", "metric: beauty", false},
		{"seed: 1", "seed: -1", false},
		{"seed: 1", "sead: 1", false},
		{"name: gaussian", "name: gaussian, m: 5", false},
		{"seed: 1", "trials: 100000", true},
		{"seed: 1", "trials: 100001", false},
		{"seed: 1", "plots: [{name: a, x: epsilon, y: w1, xscale: log, ylim: [0, 1]}]", true},
		{"seed: 1", "plots: [{name: a, x: epsilon, y: w1, xscale: root}]", false},
		{"seed: 1", "plots: [{name: a, x: epsilon, y: w1, ylim: [1]}]", false},
		{"seed: 1", "quick: {dataset: {name: gaussian, n: 5}, folds: 2}", true},
		{"seed: 1", "quick: {dataset: {name: gaussian, m: 5}}", false},
	} {
		err := validate(bytes.Replace([]byte(good), []byte(c.old), []byte(c.new), 1))
		if accepted := err == nil; accepted != c.accepted {
			t.Errorf("%q for %q: accepted %v, want %v: %v", c.new, c.old, accepted, c.accepted, err)
		}
	}
}

// TestSchemaDescribes: every key of every mapping has a description, for editors to show.
func TestSchemaDescribes(t *testing.T) {
	var made bytes.Buffer
	noError(t, language.WriteJSONSchema(&made))
	keys := 0
	var described func(schema any) bool
	described = func(schema any) bool {
		object, _ := schema.(map[string]any)
		either, _ := object["anyOf"].([]any) // several metrics' parameters of one name
		return object["description"] != nil || len(either) > 0 && described(either[0])
	}
	var walk func(path string, schema any)
	walk = func(path string, schema any) {
		switch s := schema.(type) {
		case []any:
			for i, item := range s {
				walk(fmt.Sprint(path, "/", i), item)
			}
		case map[string]any:
			properties, _ := s["properties"].(map[string]any)
			for key, value := range properties { // order-free: reports problems
				if keys++; !described(value) {
					t.Errorf("%s: %s has no description", path, key)
				}
			}
			for key, value := range s { // order-free: reports problems
				walk(path+"/"+key, value)
			}
		}
	}
	walk("", must(jsonschema.UnmarshalJSON(&made)))
	if keys < 500 {
		t.Errorf("only %d keys found", keys)
	}
}
