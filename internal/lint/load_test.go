// Package lint holds the house rules that no compiler checks: which package may import which, where
// randomness and the clock may come from, that no map's order reaches output, and that everything
// public is documented. This file loads the module with the standard library's parser and type
// checker; the tests apply the rules to it.
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
	"path/filepath"
	"strings"
)

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
