package cmd

import (
	"bytes"
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppdp/algorithms/external"
	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/must"

	"github.com/google/jsonschema-go/jsonschema"
	"gopkg.in/yaml.v3"
)

// listing is a YAML listing; a schema's first line names its file.
var listing = regexp.MustCompile("(?s)```yaml\n(.*?)```")

// example is an entry that names the baseline of CONTRIBUTING.md.
var example = regexp.MustCompile(`\{name: marginals, .*\}\}`)

// TestDocumentedSpecs runs every spec shown in the documentation, as a reader would after copying
// it; the spec for a user-supplied table gets a small one. Those of docs/spec.md have a test in
// experiments/language.
func TestDocumentedSpecs(t *testing.T) {
	t.Parallel()
	root := ".."
	pages := must.Get(filepath.Glob(filepath.Join(root, "docs", "*.md")))
	dir := t.TempDir()
	table := "age;job;y\n" + strings.Repeat("30;admin;no\n52;technician;yes\n41;services;no\n", 20)
	must.Do(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(table), 0o666))
	edges := "0 1\n1 2\n2 3\n0 2\n4 1\n"
	must.Do(t, os.WriteFile(filepath.Join(dir, "my.edges"), []byte(edges), 0o666))
	specs := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text := must.Get(os.ReadFile(page))
		for _, match := range listing.FindAllStringSubmatch(string(text), -1) {
			// The baseline of CONTRIBUTING.md is not in this binary: another one is run.
			content := example.ReplaceAllString(match[1], "{name: identity, series: Original}")
			name := "my.yaml"
			if strings.Contains(content, "attributes:\n") {
				name = "my.schema.yaml"
			}
			must.Do(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
			if name != "my.yaml" {
				continue
			}
			specs++
			code, said := printed("run", filepath.Join(dir, name), "--trials", "1", "--out", dir)
			must.Be(t, code, exitDone, page, content, said)
		}
	}
	if specs < 2 {
		t.Errorf("only %d specs found in the documentation", specs)
	}
}

// written is a file of the tutorial with its text, and ran a listing of commands.
var (
	written = regexp.MustCompile("(?s)`([a-z.]+)`[^`\n]*:\n\n((?:(?:    [^\n]*)?\n)+)")
	ran     = regexp.MustCompile("(?s)```sh\n(.*?)```")
)

// tutorialScript is docs/tutorial.md as a script that writes its files and runs its commands.
func tutorialScript(t *testing.T) []byte {
	page := string(must.Get(os.ReadFile("../docs/tutorial.md")))
	script := "[!exec:python3] skip 'SKIPPED: no python3'\n"
	commands := 0
	for _, listing := range ran.FindAllStringSubmatch(page, -1) {
		for line := range strings.Lines(listing[1]) {
			line, _, _ = strings.Cut(strings.TrimSpace(line), " # ")
			command, to, redirected := strings.Cut(line, " > ")
			script += "exec " + command + "\n"
			if redirected {
				script += "cp stdout " + to + "\n"
			}
			commands++
		}
	}
	files := written.FindAllStringSubmatch(page, -1)
	for _, file := range files {
		script += "-- " + file[1] + " --\n" + strings.ReplaceAll(file[2], "\n    ", "\n")[4:]
	}
	if commands != 12 || len(files) != 5 {
		t.Errorf("the tutorial has %d commands and %d files", commands, len(files))
	}
	return []byte(script)
}

// TestAction: the action for GitHub pins what it uses by commit, writes no input into a script, has
// the script build this program, and its command does what the page says: a release that misses
// the policy fails, and words with spaces or of a shell stay words.
func TestAction(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	var action struct {
		Inputs map[string]struct{ Default string }
		Runs   struct {
			Using string
			Steps []struct {
				Uses, Run string
				Env       map[string]string
			}
		}
	}
	must.Do(t, yaml.Unmarshal(must.Get(os.ReadFile("../action.yml")), &action))
	pinned := regexp.MustCompile(`^[\w-]+/[\w-]+@[0-9a-f]{40}$`)
	var scripts []string
	var last map[string]string
	for _, step := range action.Runs.Steps {
		if step.Uses != "" && !pinned.MatchString(step.Uses) {
			t.Errorf("uses %s, must be a commit", step.Uses)
		} else if step.Uses == "" {
			if strings.Contains(step.Run, "${{") {
				t.Errorf("an input is part of the script: %s", step.Run)
			}
			scripts, last = append(scripts, step.Run), step.Env
		}
	}
	if len(scripts) != 2 || action.Runs.Using != "composite" {
		t.Fatalf("scripts %q", scripts)
	}
	want := `go build -C "$GITHUB_ACTION_PATH" -trimpath -o "$RUNNER_TEMP/ppdp" ./cmd/ppdp`
	if must.Get(os.Stat("../cmd/ppdp")); scripts[0] != want {
		t.Errorf("builds by %s, want %s", scripts[0], want)
	}
	page := string(must.Get(os.ReadFile("../docs/your-table.md")))
	_, with, _ := strings.Cut(page, "        with:\n")
	with, _, _ = strings.Cut(with, "\n\n")
	shown := regexp.MustCompile(`(?m)^ {14}(\w+):`).FindAllStringSubmatch(with, -1)
	for _, key := range shown {
		if _, known := action.Inputs[key[1]]; !known {
			t.Errorf("docs/your-table.md gives %s, which is no input", key[1])
		}
	}
	must.Be(t, len(shown), 3, "the page shows", with)
	dir := t.TempDir()
	must.Do(t, os.Symlink(must.Get(exec.LookPath("ppdp")), filepath.Join(dir, "ppdp")))
	script := must.Get(os.ReadFile("testdata/script/gate.txtar"))
	for _, part := range strings.Split("\n"+string(script), "\n-- ")[1:] {
		name, content, _ := strings.Cut(part, " --\n")
		write(t, filepath.Join(dir, strings.Replace(name, "copy", "the $(copy)", 1)), content)
	}
	expression := regexp.MustCompile(`^\$\{\{ inputs\.(\w+) \}\}$`)
	for _, c := range []struct {
		command, arguments string
		code               int
		want               string
	}{
		{"", "my.csv\nfresh.csv\n\n--holdout=later.csv\n--out=fresh", 0, "passed: fresh.csv"},
		{"", "my.csv\nthe $(copy).csv\n--holdout=later.csv", 1, "failed: the $(copy).csv"},
		{"verify", "fresh", 2, "not the folder of a release"},
	} {
		command := exec.Command(bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", scripts[1])
		command.Dir = dir
		command.Env = append(os.Environ(), "RUNNER_TEMP="+dir,
			"GITHUB_STEP_SUMMARY="+filepath.Join(dir, "summary.md"))
		given := map[string]string{"command": c.command, "arguments": c.arguments}
		if c.command == "" {
			given["policy"] = "mine.yaml"
		}
		for name, value := range last { // order-free: an environment
			input := expression.FindStringSubmatch(value)
			if input == nil {
				t.Fatalf("%s is no input", value)
			}
			of, known := action.Inputs[input[1]]
			if !known {
				t.Fatalf("%s is no input", value)
			}
			command.Env = append(command.Env, name+"="+cmp.Or(given[input[1]], of.Default))
		}
		out, _ := command.CombinedOutput()
		if code := command.ProcessState.ExitCode(); code != c.code ||
			!strings.Contains(string(out), c.want) {
			t.Errorf("%q: exit code %d, want %d and %q:\n%s", c.arguments, code, c.code,
				c.want, out)
		}
	}
	checks := string(must.Get(os.ReadFile(filepath.Join(dir, "ppdp.xml"))))
	summary := string(must.Get(os.ReadFile(filepath.Join(dir, "summary.md"))))
	if !strings.Contains(checks, `failures="2"`) ||
		strings.Count(summary, "### ppdp evaluate") != 2 {
		t.Errorf("%s\n%s", checks, summary)
	}
}

// validator checks YAML by a JSON Schema, independently of the decoder.
func validator(t *testing.T, text []byte) func(text []byte) error {
	t.Helper()
	var schema jsonschema.Schema
	must.Do(t, json.Unmarshal(text, &schema))
	resolved := must.Get(schema.Resolve(nil))
	return func(text []byte) error {
		var content any
		must.Do(t, yaml.Unmarshal(text, &content))
		return resolved.Validate(content)
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
		text := must.Get(os.ReadFile(file))
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
		{"unit: record, relation: any", "unit: record", false},
		{"unit: record, relation: any", "unit: node", true},
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
		must.Do(t, os.WriteFile(path, text, 0o666))
		if _, err := external.Load(path); (err == nil) != c.accepted {
			t.Errorf("%q for %q: the decoder says %v", c.new, c.old, err)
		}
	}
}

// TestSchemaAccepts: by an independent validator, the schema accepts every spec that comes with the
// program and refuses specs with mistakes that a schema can see.
func TestSchemaAccepts(t *testing.T) {
	var made bytes.Buffer
	must.Do(t, language.WriteJSONSchema(&made))
	validate := validator(t, made.Bytes())
	files, err := filepath.Glob("../experiments/*/*.yaml")
	if err != nil || len(files) < len(experiments.Names()) {
		t.Fatal("not all specs found", err)
	}
	for _, file := range files {
		text := must.Get(os.ReadFile(file))
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
		must.Be(t, err == nil, c.accepted, c.new, c.old, err)
	}
}
