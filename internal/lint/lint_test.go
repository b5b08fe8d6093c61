// Package lint holds the house rules that no compiler checks: which package may import which, where
// randomness and the clock may come from, and that no map's order reaches output. This file loads
// the module with the standard library's parser and type checker; the tests apply the rules to it.
//
// It leaves out the rules of gofmt, go vet and staticcheck, which the Makefile runs.
package lint

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ppdp/internal/must"
)

type rule struct {
	name  string
	check func(*token.FileSet, *Package) []string
}

var rules = []rule{
	{"imports", importProblems},
	{"randomness", randomProblems},
	{"clock", useProblems("clock")},
	{"order", orderProblems},
	{"arithmetic", useProblems("arithmetic")},
	{"comments", commentProblems},
}

// module is the module, loaded once for all tests.
var module = sync.OnceValues(func() (loaded, error) {
	fset, packages, err := Load(filepath.Join("..", ".."))
	return loaded{fset, packages}, err
})

type loaded struct {
	fset     *token.FileSet
	packages []*Package
}

func load(t *testing.T) (*token.FileSet, []*Package) {
	t.Helper()
	m := must.Get(module())
	return m.fset, m.packages
}

// TestHouseRules applies every rule to every package of the module.
func TestHouseRules(t *testing.T) {
	fset, packages := load(t)
	if len(packages) < 5 {
		t.Fatalf("only %d packages of the module found", len(packages))
	}
	for _, r := range rules {
		t.Run(r.name, func(t *testing.T) {
			for _, p := range packages {
				for _, problem := range r.check(fset, p) {
					t.Error(problem)
				}
			}
		})
	}
}

// TestRulesCatch feeds each rule source that breaks it, so that a rule which never finds anything
// is noticed. The number is how many problems it must find. What rules allow, the module has.
func TestRulesCatch(t *testing.T) {
	for _, c := range []struct {
		name, rule, path, source string
		want                     int
	}{
		{"a baseline may not import another", "imports", "ppdp/algorithms/rps",
			`package rps; import _ "ppdp/algorithms/mondrian"`, 1},
		{"the reading wing knows files only", "imports", "ppdp/plots",
			`package plots; import _ "ppdp/metrics"`, 1},
		{"results know the ledger's entries and no baseline", "imports",
			"ppdp/internal/results",
			"package results; import (_ \"ppdp/privacy\"\n" +
				"_ \"ppdp/algorithms\")", 1},
		{"a room nobody planned", "imports", Module + "/util",
			`package util; import _ "ppdp/privacy"`, 1},
		{"golearn has one door", "imports", "ppdp/classifiers/c45",
			`package c45; import _ "github.com/sjwhitworth/golearn/trees"`, 1},
		{"test modules stay in tests", "imports", "ppdp/metrics",
			`package metrics; import _ "github.com/google/go-cmp/cmp"`, 1},
		{"gonum is not gonum/plot", "imports", "ppdp/metrics",
			`package metrics; import _ "gonum.org/v1/plot"`, 1},
		{"math/rand", "randomness", "ppdp/metrics",
			`package metrics; import _ "math/rand/v2"`, 1},
		{"the clock", "clock", "ppdp/metrics",
			`package metrics; import "time"; var t = time.Now(); var f = time.Since`, 2},
		{"range over a map", "order", "ppdp/metrics", `package metrics
func f(m map[string]float64) (s float64) { for _, v := range m { s += v }; return s }`, 1},
		{"with an empty reason", "order", "ppdp/metrics", `package metrics
func f(m map[string]int) (s int) {
	// order-free:
	for _, v := range m { s += v }
	return s
}`, 1},
		{"collected and not sorted", "order", "ppdp/metrics", `package metrics
func f(m map[string]int) (s []string) { for name := range m { s = append(s, name) }; return s }`,
			1},
		{"iterators", "order", "ppdp/metrics", `package metrics
import ("maps"; "slices")
func f(m map[string]int) ([]string, []string) {
	return slices.Sorted(maps.Keys(m)), slices.Collect(maps.Keys(m))
}`, 1},
		{"a logarithm of the processor's", "arithmetic", "ppdp/metrics",
			`package metrics; import "math"; var f = math.Log; var x = math.Exp(f(2))`, 2},
		{"normal numbers of the library", "arithmetic", "ppdp/metrics",
			`package metrics; import "math/rand/v2"; var x = new(rand.Rand).NormFloat64()`, 1},
		{"no package comment", "comments", "ppdp/metrics", `package metrics`, 1},
		{"a baseline without deviations", "comments", "ppdp/algorithms/rps",
			"// Package rps cuts.\npackage rps", 1},
	} {
		t.Run(c.rule+": "+c.name, func(t *testing.T) {
			fset, p := fixture(t, c.path, c.source)
			for _, r := range rules {
				if r.name != c.rule {
					continue
				}
				if got := r.check(fset, p); len(got) != c.want {
					t.Errorf("found %d problems, want %d: %q", len(got), c.want, got)
				}
			}
		})
	}
}

// fixture is a package of one file. What its imports do not resolve to stays untyped.
func fixture(t *testing.T, path, source string) (*token.FileSet, *Package) {
	t.Helper()
	fset := token.NewFileSet()
	file := must.Get(parser.ParseFile(fset, "fixture.go", source, parser.ParseComments))
	p := &Package{Path: path, Name: file.Name.Name, Files: []*ast.File{file}}
	config := types.Config{Importer: importer.Default(), Error: func(error) {}}
	err := p.check(fset, config)
	if err != nil && !strings.Contains(source, "import _") &&
		!strings.Contains(source, "import (_") {
		t.Fatal(err)
	}
	return fset, p
}

// TestArchitecturePage: docs/architecture.md names every folder, or nobody would find it, and every
// module that go.mod requires. A plug-in is one file and one line in its kind's package all: the
// command lists it, no page has to.
func TestArchitecturePage(t *testing.T) {
	root := filepath.Join("..", "..")
	text := string(must.Get(os.ReadFile(filepath.Join(root, "docs", "architecture.md"))))
	_, packages := load(t)
	plugins := make(map[string]bool)
	for _, p := range packages {
		for _, file := range p.Files {
			for _, spec := range file.Imports {
				if path.Base(p.Path) == "all" {
					plugins[importPath(spec)] = true
				}
			}
		}
	}
	for _, p := range packages {
		if !plugins[p.Path] && !strings.Contains(text, path.Base(p.Path)+"/") {
			t.Errorf("docs/architecture.md does not name %s", p.Room())
		}
	}
	required := must.Get(os.ReadFile(filepath.Join(root, "go.mod")))
	for line := range strings.Lines(string(required)) {
		module, version, _ := strings.Cut(strings.TrimPrefix(line, "\t"), " v")
		if version != "" && !strings.Contains(line, "// indirect") &&
			!strings.Contains(text, "| "+module+" |") {
			t.Errorf("docs/architecture.md does not explain %s", module)
		}
	}
}

// Module is the path of the module the rules are for.
const Module = "ppdp"

// Package is one package of the module: syntax with comments for all its Go files, types for
// those that are not tests.
type Package struct {
	Path  string      // import path
	Name  string      // as in its package clause
	Files []*ast.File // without tests
	Tests []*ast.File // tests of the package itself and of its _test package
	Info  *types.Info // of Files
}

// Room is the package's path inside the module: "algorithms/rps", or "" for the root.
func (p *Package) Room() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.Path, Module), "/")
}

// listed is the part of "go list -json" that loading needs.
type listed struct {
	ImportPath, Name, Dir, Export      string
	GoFiles, TestGoFiles, XTestGoFiles []string
	Module                             *struct{ Path string }
	Error                              *struct{ Err string }
}

// Load parses and type-checks every package of the module rooted at dir. Imports are read from the
// compiler's export data, so that only the module's own source is checked.
func Load(dir string) (*token.FileSet, []*Package, error) {
	command := exec.Command("go", "list", "-e", "-export", "-deps",
		"-json=ImportPath,Name,Dir,Export,GoFiles,TestGoFiles,XTestGoFiles,Module,Error", "./...")
	command.Dir = dir
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return nil, nil, fmt.Errorf("go list: %w\n%s", err, stderr.String())
	}
	exports := make(map[string]string)
	var own []listed
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := decoder.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, nil, fmt.Errorf("go list: %w", err)
		}
		if l.Error != nil {
			return nil, nil, fmt.Errorf("%s: %s", l.ImportPath, l.Error.Err)
		}
		exports[l.ImportPath] = l.Export
		if l.Module != nil && l.Module.Path == Module {
			own = append(own, l)
		}
	}
	fset := token.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	packages := make([]*Package, len(own))
	for i, l := range own {
		p := &Package{Path: l.ImportPath, Name: l.Name}
		if p.Files, err = parse(fset, l.Dir, l.GoFiles); err != nil {
			return nil, nil, err
		}
		if p.Tests, err = parse(fset, l.Dir, append(l.TestGoFiles, l.XTestGoFiles...)); err != nil {
			return nil, nil, err
		}
		if err := p.check(fset, types.Config{Importer: imports}); err != nil {
			return nil, nil, err
		}
		packages[i] = p
	}
	return fset, packages, nil
}

// check computes the types of the package's Files.
func (p *Package) check(fset *token.FileSet, config types.Config) error {
	p.Info = &types.Info{
		Types: make(map[ast.Expr]types.TypeAndValue),
		Uses:  make(map[*ast.Ident]types.Object),
	}
	_, err := config.Check(p.Path, fset, p.Files, p.Info)
	return err
}

func parse(fset *token.FileSet, dir string, names []string) ([]*ast.File, error) {
	files := make([]*ast.File, len(names))
	for i, name := range names {
		path := filepath.Join(dir, name)
		file, err := parser.ParseFile(fset, path, nil,
			parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files[i] = file
	}
	return files, nil
}
