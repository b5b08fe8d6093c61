package source

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"ppdp/internal/must"
)

// TestRead: comments, white space, tests and test data are no code; tokens, directives, embedded
// files and the files of other systems are.
func TestRead(t *testing.T) {
	const text = "// Package a is one.\npackage a\n\nimport (\n\t\"fmt\"\n\tb \"m/b\"\n)\n\n" +
		"var x = `m/c`\n\nfunc f() int { fmt.Print(b.B); return 1 }\n"
	read := func(changes map[string]string) parsed {
		files := fstest.MapFS{"a/a.go": {Data: []byte(text)}, "a/data.txt": {Data: []byte("1")},
			"a/b/b.go": {Data: []byte("package b")}, "a/deep/c/c.go": {Data: []byte("package c")},
			"a/deep/d.txt": {Data: []byte("2")}}
		for name, content := range changes { // order-free: fills a map
			files[name] = &fstest.MapFile{Data: []byte(content)}
		}
		return read(files, "a", "m")
	}
	before := read(nil)
	if !slices.Equal(before.imports, []string{"m/b"}) || before.digest == "" {
		t.Errorf("%+v, want the import m/b", before)
	}
	for _, c := range []struct {
		what, file, content string
		same                bool
	}{
		{"comment", "a/a.go", "// New.\n" + text, true},
		{"white space", "a/a.go", strings.ReplaceAll(text, "; ", "\n\n\t"), true},
		{"comment at a line's end", "a/a.go", strings.Replace(text, "`\n", "` // x\n", 1), true},
		{"test", "a/a_test.go", "package a", true},
		{"test data", "a/testdata/x", "x", true},
		{"another package below", "a/b/b.go", "package b\n\nvar B int", true},
		{"another package further below", "a/deep/c/data.txt", "x", true},
		{"constant", "a/a.go", strings.Replace(text, "1 }", "2 }", 1), false},
		{"directive", "a/a.go", strings.Replace(text, "var", "//go:embed x\nvar", 1), false},
		{"text of a string", "a/a.go", strings.Replace(text, "m/c", "m/ c", 1), false},
		{"import", "a/a.go", strings.Replace(text, "m/b", "m/x", 1), false},
		{"file", "a/a_windows.go", "package a", false},
		{"data", "a/data.txt", "x", false},
		{"data further below", "a/deep/d.txt", "x", false},
	} {
		after := read(map[string]string{c.file: c.content})
		must.Be(t, after.digest == before.digest, c.same, c.what)
	}
}

// TestOf: the code of every plug-in is what the go command says that it imports of this module, and
// every such package is embedded. What is not stands for the whole program.
func TestOf(t *testing.T) {
	words := []string{"list", "-json=ImportPath,GoFiles,Deps"}
	for _, root := range []string{"algorithms/...", "audit", "classifiers/...", "datasets/...",
		"experiments/engine", "metrics/..."} {
		words = append(words, module+"/"+root)
	}
	out := must.Get(exec.Command("go", words...).Output())
	checked := 0
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; checked++ {
		var p struct {
			ImportPath string
			GoFiles    []string // none where there are only tests
			Deps       []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if len(p.GoFiles) == 0 {
			continue
		}
		want := append(slices.DeleteFunc(p.Deps, func(path string) bool {
			return !strings.HasPrefix(path, module+"/")
		}), p.ImportPath)
		slices.Sort(want)
		if strings.HasSuffix(p.ImportPath, "experiments/engine") { // alone: it imports the root
			if Digest(p.ImportPath) == "" {
				t.Errorf("%s is not embedded", p.ImportPath)
			}
			continue
		}
		must.Equal(t, slices.Sorted(maps.Keys(Of(p.ImportPath))), want, p.ImportPath)
	}
	if checked < 50 {
		t.Errorf("%d packages are checked, want at least 50", checked)
	}
	for _, name := range []string{"example.com/mine", "main", module, ""} {
		if got := Of(name); len(got) != 1 || got[Program] == "" {
			t.Errorf("%q: %v, want %s", name, got, Program)
		}
	}
}
