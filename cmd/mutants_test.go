package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// mutant is a change of one function, "Name" or "Type.Method", of the package in a folder. The
// function gets the body with, which may call the sound one, called "sound" and its name. Where old
// is given, that part of the body alone becomes with. How the source is laid out, and which file it
// is in, does not matter. Without a function, old is part of a file, such as a constant.
type mutant struct{ folder, function, old, with string }

// changedFiles returns the files that mutants change, by path.
func changedFiles(root string, mutants ...mutant) (map[string]string, error) {
	files := make(map[string]string)
	for _, m := range mutants {
		paths, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(m.folder), "*.go"))
		if err != nil {
			return nil, err
		}
		planted := 0
		for _, path := range paths {
			text, changed := files[path]
			if !changed {
				source, err := os.ReadFile(path)
				if err != nil {
					return nil, err
				}
				text = string(source)
			}
			if text, changed = m.plant(text); changed {
				files[path] = text
				planted++
			}
		}
		if planted != 1 {
			return nil, fmt.Errorf("%s: %s with %q is there %d times, must be once: the mutant is "+
				"out of date", m.folder, m.function, m.old, planted)
		}
	}
	return files, nil
}

// plant makes the change in a file that has the function.
func (m *mutant) plant(text string) (changed string, ok bool) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.SkipObjectResolution)
	if err != nil {
		return "", false
	}
	if m.function == "" {
		from, to := find(text, m.old)
		return text[:from] + m.with + text[to:], to > from
	}
	at := func(pos token.Pos) int { return fset.Position(pos).Offset }
	for _, declaration := range file.Decls {
		f, isFunction := declaration.(*ast.FuncDecl)
		if !isFunction || m.function != nameOf(f) {
			continue
		}
		if m.old == "" {
			name := f.Name.Name
			sound := "sound" + strings.ToUpper(name[:1]) + name[1:]
			return text[:at(f.Name.Pos())] + sound + text[at(f.Name.End()):] + "\n" +
				text[at(f.Pos()):at(f.Body.Lbrace)] + "{\n" + m.with + "\n}\n", true
		}
		from, to := find(text[at(f.Body.Lbrace):at(f.Body.End())], m.old)
		from, to = from+at(f.Body.Lbrace), to+at(f.Body.Lbrace)
		return text[:from] + m.with + text[to:], to > from
	}
	return "", false
}

func nameOf(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	of := f.Recv.List[0].Type
	if star, ok := of.(*ast.StarExpr); ok {
		of = star.X
	}
	if generic, ok := of.(*ast.IndexExpr); ok {
		of = generic.X
	}
	return fmt.Sprint(of, ".", f.Name.Name)
}

// find is where a text has another for the only time, white space apart, else (0, 0).
func find(text, old string) (from, to int) {
	var packed []byte
	var places []int
	for i := range len(text) {
		if !unicode.IsSpace(rune(text[i])) {
			packed, places = append(packed, text[i]), append(places, i)
		}
	}
	wanted := []byte(strings.Join(strings.Fields(old), ""))
	if bytes.Count(packed, wanted) != 1 {
		return 0, 0
	}
	at := bytes.Index(packed, wanted)
	return places[at], places[at+len(wanted)-1] + 1
}

// applies reports changes whose places the source no longer has and, in the tests that take long,
// those that no longer compile.
func applies(t *testing.T, name string, mutants ...mutant) {
	t.Helper()
	if _, err := changedFiles("..", mutants...); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	if os.Getenv("PPDP_LONG") == "" {
		return
	}
	root := must(filepath.Abs(".."))
	args := []string{"build", "-overlay", overlay(t, root, filepath.Join(t.TempDir(), "planted"),
		mutants...)}
	for _, m := range mutants {
		args = append(args, "./"+m.folder)
	}
	command := exec.Command("go", args...)
	command.Dir = root
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%s: %v\n%s", name, err, out)
	}
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
