package lint

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/must"

	_ "ppdp/classifiers/all"
	_ "ppdp/datasets/all"
)

// room lists what the packages in one part of the module may import.
type room struct {
	name string // path inside the module; "x/..." is x and everything below it
	may  []string
}

// everywhere is the room that all may import: it takes the place of functions of package math.
const everywhere = "numeric/elementary"

// arrows are the module's import arrows, the most specific first. A package may always import
// the standard library and numeric/elementary, but its own room and those below it must be listed.
// Tests may import all.
var arrows = []room{
	{"internal/spelling", nil},
	{"internal/process", nil},
	{"internal/terminal", nil},
	{"internal/convex", nil},
	{"internal/must", nil},
	{"internal/registry", []string{"internal/spelling"}},
	{"internal/source", nil},
	{"internal/strictyaml", []string{"internal/spelling"}},
	{"internal/declared", []string{"internal/strictyaml"}},
	{"internal/lint", nil},
	{everywhere, nil},
	{"numeric/random", nil},
	{"privacy", []string{"numeric/random"}},
	{"docs", nil},
	{"docs/examples", nil},

	// The running half.
	{"datasets/...", []string{"datasets/...", "numeric/random",
		"internal/declared", "internal/registry", "internal/spelling", "internal/strictyaml"}},
	{"classifiers/internal/testtable", []string{"classifiers", "datasets/...", "internal/must"}},
	{"classifiers/...", []string{"classifiers/...", "datasets/...", "numeric/random",
		"internal/convex", "internal/registry"}},
	{"algorithms", []string{"datasets", "privacy", "numeric/random",
		"internal/declared", "internal/registry", "internal/spelling"}},
	{"algorithms/kernel/pgm", []string{"datasets", "numeric/random"}},
	{"algorithms/kernel/disclosure", []string{"algorithms", "datasets"}},
	{"algorithms/kernel/partition", []string{"algorithms", "datasets", "privacy",
		"numeric/random"}},
	{"algorithms/kernel/degrees", []string{"algorithms", "datasets", "privacy"}},
	{"algorithms/kernel/margins", []string{"algorithms", "algorithms/kernel/partition",
		"algorithms/kernel/pgm", "datasets", "privacy", "numeric/random"}},
	{"algorithms/external", []string{"algorithms", "datasets/...", "privacy", "numeric/random",
		"internal/process", "internal/spelling", "internal/strictyaml"}},
	{"algorithms/all", []string{"algorithms/..."}},
	{"algorithms/internal/testinput", []string{"algorithms", "algorithms/kernel/disclosure",
		"datasets/...", "privacy", "numeric/random", "internal/must"}},
	// K-Optimize starts from Incognito's solutions.
	{"algorithms/koptimize", []string{"algorithms", "algorithms/incognito",
		"algorithms/kernel/...", "datasets"}},
	{"algorithms/aim", []string{"algorithms", "algorithms/kernel/...", "datasets", "privacy",
		"numeric/random", "internal/convex"}},
	// A baseline: never another baseline.
	{"algorithms/...", []string{"algorithms", "algorithms/kernel/...", "datasets", "privacy",
		"numeric/random"}},
	{"metrics/...", []string{"metrics/...", "algorithms",
		"classifiers/...", "datasets/...", "numeric/random", "internal/registry"}},
	{"audit", []string{"algorithms", "audit/blackbox", "datasets", "datasets/gower", "privacy",
		"numeric/random", "internal/results"}},
	{"audit/conformance", []string{"algorithms/...", "audit", "datasets/...", "metrics/verify",
		"privacy", "numeric/random", "internal/declared", "internal/strictyaml"}},
	{"experiments", nil},
	{"experiments/language", []string{"experiments", "metrics/...", "algorithms/...",
		"classifiers/...", "datasets/...", "privacy", "numeric/random", "internal/results",
		"internal/declared", "internal/registry", "internal/source", "internal/spelling",
		"internal/strictyaml"}},
	{"experiments/engine", []string{"experiments/language", "metrics/...",
		"algorithms/...", "audit", "classifiers/...", "datasets/...", "privacy", "numeric/random",
		"internal/process", "internal/results"}},
	// Where the halves meet.
	// Records hold the ledger's entries as the budget wrote them.
	{"internal/results", []string{"privacy", "internal/strictyaml"}},
	{"audit/blackbox", []string{"algorithms", "datasets", "privacy", "numeric/random",
		"internal/results"}},
	{"internal/regress", []string{"internal/results", "internal/strictyaml"}},

	// The reading half: it knows files, not how they were made.
	{"plots/...", []string{"plots/...", "internal/results", "internal/registry"}},
	{"report/claims/...", []string{"report/claims/...", "internal/results", "internal/strictyaml"}},
	{"report/...", []string{"report/...", "plots", "internal/results"}},

	// The wing of who holds a table or a release. Of the harness cmd alone, which puts both on one
	// command line, may name it: no room above does.
	{"publish/risk", []string{"algorithms/kernel/disclosure", "datasets/...",
		"internal/declared"}},
	{"publish", []string{"algorithms", "algorithms/external", "algorithms/kernel/disclosure",
		"audit", "datasets/...",
		"metrics/verify", "privacy", "numeric/random", "publish/risk", "internal/declared",
		"internal/results", "internal/strictyaml"}},
	{"publish/comparison", []string{"experiments/language", "metrics", "algorithms",
		"algorithms/external", "classifiers", "datasets/...", "privacy", "internal/declared",
		"internal/results"}},
	{"publish/evaluation", []string{"report/contest", "internal/results", "metrics",
		"classifiers"}},
	{"publish/gate", []string{"publish/evaluation", "internal/results", "internal/spelling",
		"internal/strictyaml"}},
	{"publish/verbs", []string{"publish/...", "experiments/...", "report/contest", "algorithms",
		"datasets/...", "internal/results", "internal/strictyaml", "internal/terminal"}},

	{"cmd/...", []string{"..."}}, // nothing imports cmd: no room above lists it
}

// dependency is an external module and the rooms that may import it.
type dependency struct {
	module string
	rooms  []string
}

// outside lists the external modules. A new one gets a row here and one in docs/architecture.md.
var outside = []dependency{
	{"gonum.org/v1/plot", []string{"plots/..."}},
	// It computes with package math: what it gives may differ between processors in the last bits.
	{"gonum.org/v1/gonum", []string{"internal/regress", "report/claims/...", "plots/...",
		"audit/..."}},
	{"golang.org/x/image", []string{"plots/..."}},
	{"codeberg.org/go-pdf/fpdf", []string{"plots/..."}},
	{"git.sr.ht/~sbinet/gg", []string{"plots/..."}},
	{"gopkg.in/yaml.v3", []string{"internal/strictyaml"}},
	{"github.com/sjwhitworth/golearn", []string{"classifiers/id3"}},
	{"golang.org/x/text", []string{"datasets/csv"}},                // Windows-1252
	{"github.com/parquet-go/parquet-go", []string{"datasets/csv"}}, // without its own reader
	{"github.com/klauspost/compress", []string{"datasets/csv"}},    // pages of Parquet
	{"github.com/alecthomas/kong", []string{"cmd/..."}},
	{"github.com/schollz/progressbar/v3", []string{"cmd/..."}},
	// errgroup
	{"golang.org/x/sync", []string{"audit/...", "cmd/...", "experiments/...", "plots/...",
		"report"}},
	{"golang.org/x/term", []string{"cmd/..."}},
	// lockedfile; testscript in tests
	{"github.com/rogpeppe/go-internal", []string{"experiments/engine", "publish"}},
	{"github.com/santhosh-tekuri/jsonschema/v6", []string{"publish"}},
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
func importProblems(fset *token.FileSet, p *Package) []string {
	var problems []string
	bad := func(spec *ast.ImportSpec, format string, args ...any) {
		place := fset.Position(spec.Pos()).String()
		problems = append(problems, place+": "+fmt.Sprintf(format, args...))
	}
	at := slices.IndexFunc(arrows, func(r room) bool { return within(p.Room(), r.name) })
	for _, file := range p.Files {
		for _, spec := range file.Imports {
			path := importPath(spec)
			inside, own := strings.CutPrefix(path, Module+"/")
			switch {
			case own && at < 0:
				bad(spec, "package %s is missing from arrows in internal/lint", p.Path)
			case own && inside != everywhere && !withinAny(inside, arrows[at].may):
				bad(spec, "%s may not import %s, only %s", p.Room(), inside, either(arrows[at].may))
			case !own && strings.Contains(strings.Split(path, "/")[0], "."):
				known := slices.IndexFunc(outside, func(d dependency) bool {
					return within(path, d.module+"/...")
				})
				if known < 0 {
					bad(spec, "%s is not among internal/lint's dependencies", path)
				} else if rooms := outside[known].rooms; !withinAny(p.Room(), rooms) {
					bad(spec, "%s may not import %s, only %s may", p.Room(), path, either(rooms))
				}
			}
		}
	}
	return problems
}

// importPath is an import's path without its quotes, which the parser has checked.
func importPath(spec *ast.ImportSpec) string { return strings.Trim(spec.Path.Value, "\"`") }

func either(names []string) string {
	if len(names) == 0 {
		return "nothing (tests excepted)"
	}
	return strings.Join(names, ", ")
}

// TestRaceDetector: every room that starts goroutines is tested under the race detector, by name in
// the Makefile.
func TestRaceDetector(t *testing.T) {
	text := must.Get(os.ReadFile(filepath.Join("..", "..", "Makefile")))
	_, target, _ := strings.Cut(string(text), "\ntest-race:\n")
	target, _, _ = strings.Cut(target, "endif")
	// The suite runs in algorithms/all, processes in the tests of who starts them.
	rooms := strings.Fields(strings.ReplaceAll(target, "./", "") +
		" audit/conformance internal/process")
	_, packages := load(t)
	for _, p := range packages {
		starts := false
		for _, file := range p.Files {
			ast.Inspect(file, func(n ast.Node) bool {
				_, statement := n.(*ast.GoStmt)
				selector, method := n.(*ast.SelectorExpr) // of a group
				starts = starts || statement || method && selector.Sel.Name == "Go"
				return true
			})
		}
		if starts && !withinAny(p.Room(), rooms) {
			t.Errorf("%s starts goroutines: name it under test-race in the Makefile", p.Room())
		}
	}
}

// TestPluginFolders: a folder that registers classifiers, regressors or datasets has a line in the
// package all, or else it would silently be missing from the program, and is called like one of
// them, without its hyphens, or like the repository that all of them come from.
func TestPluginFolders(t *testing.T) {
	for kind, names := range map[string][]string{
		"classifiers": append(classifiers.Names(), classifiers.Regressors()...),
		"datasets":    datasets.Names(),
	} {
		folders := map[string]bool{"uci": true}
		for i := range names {
			folders[strings.ReplaceAll(names[i], "-", "")] = true
		}
		all := must.Get(os.ReadFile(filepath.Join("..", "..", kind, "all", "all.go")))
		sources := must.Get(filepath.Glob(filepath.Join("..", "..", kind, "*", "*.go")))
		var found []string
		for _, source := range sources {
			text := must.Get(os.ReadFile(source))
			folder := filepath.Base(filepath.Dir(source))
			if strings.HasSuffix(source, "_test.go") || slices.Contains(found, folder) ||
				!strings.Contains(string(text), kind+".Register(") &&
					!strings.Contains(string(text), kind+".RegisterRegressor(") &&
					!strings.Contains(string(text), "}.Register(") {
				continue
			}
			found = append(found, folder)
			if !folders[folder] {
				t.Errorf("%s/%s: must be called like one of %s, without hyphens",
					kind, folder, strings.Join(names, ", "))
			}
			line := fmt.Sprintf("\t_ %q\n", path.Join(Module, kind, folder))
			if !strings.Contains(string(all), line) {
				t.Errorf("%s/all/all.go does not import %s", kind, folder)
			}
		}
		if listed := strings.Count(string(all), "\t_ "); len(found) != listed {
			t.Errorf("%s/all/all.go imports %d packages, %d register something",
				kind, listed, len(found))
		}
	}
}
