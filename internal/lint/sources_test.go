package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
)

// generators are the packages of random numbers.
var generators = map[string]bool{"math/rand": true, "math/rand/v2": true, "crypto/rand": true,
	"gonum.org/v1/gonum/mathext/prng": true}

// randomProblems reports imports of random number generators outside package random, in tests too:
// only what is drawn from a named stream can be replayed.
func randomProblems(fset *token.FileSet, p *Package) []string {
	if p.Room() == "numeric/random" {
		return nil
	}
	var problems []string
	for _, file := range slices.Concat(p.Files, p.Tests) {
		for _, spec := range file.Imports {
			if path := importPath(spec); generators[path] {
				problems = append(problems, fmt.Sprintf("%s: %s imported, use package random",
					fset.Position(spec.Pos()), path))
			}
		}
	}
	return problems
}

// clockFunctions read the clock. Timers and contexts with a deadline are allowed: they end work,
// but no result depends on them.
var clockFunctions = regexp.MustCompile(`^func time\.(Now|Since|Until)\(`)

// clockProblems reports every reading of the clock outside cmd. A package that must measure time
// is passed a clock.
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
			if used != nil && clockFunctions.MatchString(used.String()) {
				problems = append(problems, fmt.Sprintf("%s: time.%s outside cmd, inject the clock",
					fset.Position(identifier.Pos()), used.Name()))
			}
			return true
		})
	}
	return problems
}
