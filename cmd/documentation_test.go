package cmd

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
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
	pages := must(filepath.Glob(filepath.Join(root, "docs", "*.md")))
	dir := t.TempDir()
	table := "age;job;y\n" + strings.Repeat("30;admin;no\n52;technician;yes\n41;services;no\n", 20)
	noError(t, os.WriteFile(filepath.Join(dir, "my.csv"), []byte(table), 0o666))
	edges := "0 1\n1 2\n2 3\n0 2\n4 1\n"
	noError(t, os.WriteFile(filepath.Join(dir, "my.edges"), []byte(edges), 0o666))
	specs := 0
	for _, page := range append(pages, filepath.Join(root, "README.md")) {
		text := must(os.ReadFile(page))
		for _, match := range listing.FindAllStringSubmatch(string(text), -1) {
			// The baseline of CONTRIBUTING.md is not in this binary: another one is run.
			content := example.ReplaceAllString(match[1], "{name: identity, series: Original}")
			name := "my.yaml"
			if strings.HasPrefix(content, "constraints:\n") {
				continue // a part of a schema
			}
			if strings.Contains(content, "attributes:\n") {
				name = "my.schema.yaml"
			}
			noError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666))
			if name != "my.yaml" {
				continue
			}
			specs++
			var out bytes.Buffer
			args := []string{"run", filepath.Join(dir, name), "--trials", "1", "--out", dir}
			code := run(args, &out, &out, environment{ctx: context.Background(), now: time.Now})
			if code != exitDone {
				t.Errorf("%s: exit code %d\n%s\n%s", page, code, content, out.String())
			}
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
	page := string(must(os.ReadFile("../docs/tutorial.md")))
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
