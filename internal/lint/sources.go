package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"strconv"
)

// randomProblems reports imports of random number generators outside package random. Tests of
// other rooms are held to it too: what cannot be replayed from a named stream cannot be debugged.
func randomProblems(fset *token.FileSet, p *Package) []string {
	if p.Room() == "random" {
		return nil
	}
	var problems []string
	for _, files := range [][]*ast.File{p.Files, p.Tests} {
		for _, file := range files {
			for _, spec := range file.Imports {
				switch path, _ := strconv.Unquote(spec.Path.Value); path {
				case "math/rand", "math/rand/v2", "crypto/rand", "gonum.org/v1/gonum/mathext/prng":
					problems = append(problems, fmt.Sprintf("%s: %s imported, randomness must come from a stream of package random", fset.Position(spec.Pos()), path))
				}
			}
		}
	}
	return problems
}

// clockFunctions read the clock. Timers and contexts with a deadline are free: they end work, but
// nothing they show reaches a result.
var clockFunctions = map[string]bool{"Now": true, "Since": true, "Until": true}

// clockProblems reports every reading of the clock outside cmd. A package that must measure time
// is handed a clock.
func clockProblems(fset *token.FileSet, p *Package) []string {
	if within(p.Room(), "cmd/...") {
		return nil
	}
	var problems []string
	for _, file := range p.Files {
		ast.Inspect(file, func(n ast.Node) bool {
			identifier, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			used := p.Info.Uses[identifier]
			if used != nil && used.Pkg() != nil && used.Pkg().Path() == "time" && used.Parent() == used.Pkg().Scope() && clockFunctions[used.Name()] {
				problems = append(problems, fmt.Sprintf("%s: time.%s outside cmd, the clock must be injected", fset.Position(identifier.Pos()), used.Name()))
			}
			return true
		})
	}
	return problems
}
