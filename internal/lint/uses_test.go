package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"regexp"
	"slices"
)

// use is of functions that only some rooms may call.
type use struct {
	functions *regexp.Regexp // by package and name, "time.Now"
	but       *regexp.Regexp // these
	rooms     []string
	advice    string
}

// uses are checked by name.
var uses = map[string]use{
	// Timers and contexts with a deadline are allowed: they end work, but no result depends on
	// them.
	"clock": {regexp.MustCompile(`^time\.(Now|Since|Until)$`), regexp.MustCompile(`^$`),
		[]string{"cmd/..."}, "reads the clock, inject it"},
	// Of package math those are left that have one right answer, and give it everywhere. The others
	// have assembly for some processors, or are built on such.
	"arithmetic": {
		regexp.MustCompile(`^(math|math/cmplx)\.|^math/rand/v2\.(Norm|Exp)Float64$`),
		regexp.MustCompile(`^math\.(Abs|Ceil|Copysign|Dim|FMA|Float(32|64)(from)?bits|Floor|` +
			`Frexp|Ilogb|Inf|IsInf|IsNaN|Ldexp|Logb|Max|Min|Modf?|NaN|Nextafter|Remainder|` +
			`Round(ToEven)?|Signbit|Sqrt|Trunc)$`),
		[]string{drawing}, "differs between processors, use package elementary"},
}

// drawing are the rooms whose numbers end in pictures, which gonum/plot computes with package math.
const drawing = "plots/..."

// useProblems returns the rule of that name.
func useProblems(name string) func(*token.FileSet, *Package) []string {
	rule := uses[name]
	return func(fset *token.FileSet, p *Package) (problems []string) {
		if withinAny(p.Room(), rule.rooms) {
			return nil
		}
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				identifier, ok := n.(*ast.Ident)
				if !ok {
					return true
				}
				f, ok := p.Info.Uses[identifier].(*types.Func)
				if !ok || f.Pkg() == nil {
					return true
				}
				name := f.Pkg().Path() + "." + f.Name()
				if rule.functions.MatchString(name) && !rule.but.MatchString(name) {
					problems = append(problems, fmt.Sprintf("%s: %s %s", fset.Position(n.Pos()),
						name, rule.advice))
				}
				return true
			})
		}
		return problems
	}
}

// generators are the packages of random numbers.
var generators = []string{"math/rand", "math/rand/v2", "crypto/rand",
	"gonum.org/v1/gonum/mathext/prng"}

// randomProblems reports imports of random number generators outside package random, in tests too:
// only what is drawn from a named stream can be replayed.
func randomProblems(fset *token.FileSet, p *Package) (problems []string) {
	for _, file := range slices.Concat(p.Files, p.Tests) {
		for _, spec := range file.Imports {
			path := importPath(spec)
			if slices.Contains(generators, path) && p.Room() != "numeric/random" {
				problems = append(problems, fmt.Sprintf("%s: %s imported, use package random",
					fset.Position(spec.Pos()), path))
			}
		}
	}
	return problems
}
