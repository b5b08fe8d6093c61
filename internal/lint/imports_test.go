package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
)

// room lists what the packages in one part of the module may import.
type room struct {
	name string // path inside the module; "x/..." is x and everything below it
	may  []string
}

// everywhere are the rooms that all may import.
var everywhere = []string{"numeric/elementary", "numeric/radix", "internal/convex",
	"internal/declared", "internal/must", "internal/problem", "internal/process",
	"internal/registry", "internal/source", "internal/spelling", "internal/strictyaml",
	"internal/terminal"}

// arrows are the module's import arrows, the most specific first. A package may always import
// the standard library and what is everywhere, but its own room and those below it must be listed.
// Tests may import all.
var arrows = []room{
	{"docs/...", nil},
	{"experiments", nil},
	{"internal/lint", nil},

	// The running half.
	{"numeric/random", nil},
	{"privacy", []string{"numeric/random"}},
	{"datasets/...", []string{"datasets/...", "numeric/random"}},
	{"classifiers/...", []string{"classifiers/...", "datasets/...", "numeric/random"}},
	{"algorithms", []string{"datasets", "privacy", "numeric/random"}},
	{"algorithms/all", []string{"algorithms/..."}},
	// K-Optimize starts from Incognito's solutions.
	{"algorithms/koptimize", []string{"algorithms", "algorithms/incognito",
		"algorithms/kernel/...", "datasets"}},
	// A baseline: never another baseline.
	{"algorithms/...", []string{"algorithms", "algorithms/kernel/...", "datasets/...", "privacy",
		"numeric/random"}},
	{"metrics/...", []string{"metrics/...", "algorithms", "classifiers/...", "datasets/...",
		"numeric/random"}},
	{"audit/...", []string{"audit/...", "algorithms", "datasets/...", "metrics/verify", "privacy",
		"numeric/random", "internal/results"}},
	{"experiments/...", []string{"experiments/...", "metrics/...", "algorithms/...", "audit",
		"classifiers/...", "datasets/...", "privacy", "numeric/random", "internal/results"}},

	// The reading half: it knows files, not how they were made. Records hold the ledger's entries
	// as the budget wrote them.
	{"internal/results", []string{"privacy"}},
	{"internal/regress", []string{"internal/results"}},
	{"plots/...", []string{"plots/...", "internal/results"}},
	{"report/claims/...", []string{"report/claims/...", "internal/results"}},
	{"report/...", []string{"report/...", "plots", "internal/results"}},

	// The wing of who holds a table or a release. Of the harness cmd alone, which puts both on one
	// command line, may name it: no room above does.
	{"publish/...", []string{"publish/...", "experiments/...", "report/contest", "metrics/...",
		"algorithms", "algorithms/external", "algorithms/kernel/disclosure", "audit",
		"classifiers", "datasets/...", "privacy", "numeric/random", "internal/results"}},

	{"cmd/...", []string{"..."}}, // nothing imports cmd: no room above lists it
}

// doors are the external modules that only some rooms may import.
var doors = []room{
	{"gonum.org/v1/plot", []string{"plots/..."}},
	// It computes with package math: what it gives may differ between processors in the last bits.
	{"gonum.org/v1/gonum", []string{"internal/regress", "report/claims/...", "plots/...",
		"audit/..."}},
	{"gopkg.in/yaml.v3", []string{"internal/strictyaml"}},
	{"github.com/sjwhitworth/golearn", []string{"classifiers/id3"}},
	// For tests only, and for the tables that several packages' tests share.
	{"github.com/google/go-cmp", []string{"internal/badfiles"}},
	{"pgregory.net/rapid", []string{"algorithms/internal/testinput",
		"classifiers/internal/testtable"}},
}

// within reports whether path lies in a room: "x" is x alone, "x/..." x and all below, "..." all.
func within(path, pattern string) bool {
	below, all := strings.CutSuffix(pattern, "...")
	if !all {
		return path == pattern
	}
	return strings.HasPrefix(path+"/", below)
}

// withinAny reports whether path lies in one of the rooms.
func withinAny(path string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return within(path, pattern) })
}

// importProblems reports every import of p's non-test files that no arrow allows.
func importProblems(fset *token.FileSet, p *Package) (problems []string) {
	at := slices.IndexFunc(arrows, func(r room) bool { return within(p.Room(), r.name) })
	for _, file := range p.Files {
		for _, spec := range file.Imports {
			path := importPath(spec)
			inside, own := strings.CutPrefix(path, Module+"/")
			door := slices.IndexFunc(doors,
				func(r room) bool { return within(path, r.name+"/...") })
			problem := ""
			switch {
			case own && slices.Contains(everywhere, inside):
			case own && slices.Contains(everywhere, p.Room()):
				problem = "what all may import imports others of its kind alone"
			case own && at < 0:
				problem = "its package is missing from arrows in internal/lint"
			case own && !withinAny(inside, arrows[at].may):
				problem = "must be one of " + strings.Join(arrows[at].may, ", ")
			case door >= 0 && !withinAny(p.Room(), doors[door].may):
				problem = "only for " + strings.Join(doors[door].may, ", ")
			}
			if problem != "" {
				problems = append(problems, fmt.Sprintf("%s: imports %s: %s",
					fset.Position(spec.Pos()), path, problem))
			}
		}
	}
	return problems
}

// importPath is an import's path without its quotes, which the parser has checked.
func importPath(spec *ast.ImportSpec) string { return strings.Trim(spec.Path.Value, "\"`") }

// TestPluginFolders: a folder that registers classifiers, regressors or datasets has a line in the
// package all, or else it would silently be missing from the program.
func TestPluginFolders(t *testing.T) {
	registers := regexp.MustCompile(`^(classifiers|datasets)/[^/]+/[^/]+\.go$`)
	for _, f := range must.Get(texts()) {
		kind := registers.FindStringSubmatch(f.path)
		if kind == nil || strings.HasSuffix(f.path, "_test.go") ||
			!regexp.MustCompile(`\.Register(Regressor)?\(`).MatchString(f.text) {
			continue
		}
		all := must.Get(os.ReadFile(filepath.Join("..", "..", kind[1], "all", "all.go")))
		if line := fmt.Sprintf("\t_ %q\n", path.Join(Module, path.Dir(f.path))); !strings.Contains(
			string(all), line) {
			t.Errorf("%s/all/all.go does not import %s", kind[1], path.Dir(f.path))
		}
	}
}
