package cmd

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mutant is a change of the source in a folder: old, which its files have once, becomes with.
type mutant struct{ folder, old, with string }

// changedFiles returns the files that mutants change, by path.
func changedFiles(root string, mutants ...mutant) (map[string]string, error) {
	files := make(map[string]string)
	for _, m := range mutants {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.folder), "*.go"))
		if err != nil {
			return nil, err
		}
		times := 0
		for _, path := range paths {
			text, changed := files[path]
			if !changed {
				source, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text = string(source)
			}
			if n := strings.Count(text, m.old); n > 0 && !strings.HasSuffix(path, "_test.go") {
				files[path] = strings.Replace(text, m.old, m.with, 1)
				times += n
			}
		}
		if times != 1 {
			return nil, fmt.Errorf("%s: %q is there %d times, must be once: the mutant is out of "+
				"date", m.folder, m.old, times)
		}
	}
	return files, nil
}

// overlay writes changed sources for the go command's -overlay and returns the file to name there.
func overlay(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	files := must(changedFiles(root, mutants...))
	replaced := make(map[string]string)
	for i, path := range slices.Sorted(maps.Keys(files)) {
		replaced[path] = fmt.Sprintf("%s-%d.go.txt", stem, i)
		write(t, replaced[path], files[path])
	}
	text := must(json.Marshal(map[string]any{"Replace": replaced}))
	write(t, stem+".json", string(text))
	return stem + ".json"
}

// build builds the command from the changed source.
func build(t *testing.T, root, stem string, mutants ...mutant) string {
	t.Helper()
	command := exec.Command("go", "build", "-overlay", overlay(t, root, stem, mutants...),
		"-o", stem+".exe", "./cmd/ppdp")
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", mutants[0].folder, err, out)
	}
	return stem + ".exe"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	noError(t, os.WriteFile(path, []byte(text), 0o666))
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
