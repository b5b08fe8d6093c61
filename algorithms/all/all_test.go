package all

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/audit/conformance"
	"ppdp/internal/must"
)

// TestConformance runs the suite over everything registered, with its defaults and its settings.
func TestConformance(t *testing.T) {
	for name := range settings { // order-free: each is checked
		if _, err := algorithms.Lookup(name); err != nil {
			t.Errorf("settings of an algorithm that is not registered: %v", err)
		}
	}
	for _, name := range algorithms.Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := must.Get(algorithms.Lookup(name))
			conformance.Run(t, a, append([]algorithms.Params{quick(a.Params())},
				settings[name]...)...)
		})
	}
}

// maxRows caps the tables of drawn records, which tiny budgets would fill with millions.
const maxRows = 10_000

// quick lowers what the time of releases grows with, and none of the checks depends on: the cap on
// rows and, by a graphical model, the steps of fits and copies of records.
func quick(p algorithms.Params) algorithms.Params {
	if capped, ok := p.(interface{ LimitRows(int) }); ok {
		capped.LimitRows(maxRows)
	}
	v := reflect.ValueOf(p).Elem()
	if steps := v.FieldByName("Iterations"); steps.IsValid() && steps.Int() > 20 {
		steps.SetInt(20)
		if copies := v.FieldByName("Copies"); copies.IsValid() {
			copies.SetInt(min(2, copies.Int()))
		}
	}
	return p
}

// TestPersons: whatever holds for records holds for persons with up to three, at the same budget:
// replayed call by call on neighbours that differ in all records of a person, in pure epsilon and,
// where a delta is taken, in rho.
func TestPersons(t *testing.T) {
	for _, name := range algorithms.Names() {
		a := must.Get(algorithms.Lookup(name))
		info := a.Info()
		for i := range info.Variants {
			g := &info.Variants[i]
			if g.Model != algorithms.DifferentialPrivacy || g.Unit != "record" ||
				g.Status != algorithms.Holds {
				continue
			}
			for _, delta := range []float64{0, 1e-9} {
				if delta > 0 && !g.Approximate {
					continue
				}
				c := must.Get(audit.NewCase(audit.Subject{Algorithm: a, Variant: g.Variant,
					Params: quick(a.Params()), Epsilon: 1, Delta: delta, Contributions: 3}))
				found := must.Get(c.Audit(t.Context(), audit.Options{Transcripts: 1, Seed: 1}))
				if found.Error != "" || !found.Passed() || found.Unit != "person" {
					t.Errorf("%s, %s, delta %v: %s%+v", name, g.Variant, delta, found.Error,
						found.Failures)
				}
			}
		}
	}
}

// kernels are the folders beside the baselines that hold no baseline.
var kernels = map[string]bool{"all": true, "conformance": true, "degrees": true, "external": true,
	"margins": true, "partition": true, "pgm": true}

// deviations is the paragraph every baseline's package comment ends with.
var deviations = regexp.MustCompile(`(?m)^Deviations:`)

// TestEveryBaselineIsListed reads the folders: what holds Go files and is no kernel has a line in
// all.go and a package comment that says where it departs from its paper.
func TestEveryBaselineIsListed(t *testing.T) {
	listed := make(map[string]bool)
	file := must.Get(parser.ParseFile(token.NewFileSet(), "all.go", nil, parser.ImportsOnly))
	for _, spec := range file.Imports {
		path := must.Get(strconv.Unquote(spec.Path.Value))
		listed[strings.TrimPrefix(path, "ppdp/algorithms/")] = true
	}
	folders := must.Get(os.ReadDir(".."))
	baselines := 0
	for _, folder := range folders {
		if !folder.IsDir() || kernels[folder.Name()] {
			continue
		}
		comment, any := packageComment(t, filepath.Join("..", folder.Name()))
		if !any {
			continue
		}
		baselines++
		if !listed[folder.Name()] {
			t.Errorf("algorithms/%s is not imported by algorithms/all", folder.Name())
		}
		if !deviations.MatchString(comment) {
			t.Errorf("algorithms/%s: the package comment does not end with a paragraph that"+
				" starts \"Deviations:\"", folder.Name())
		}
	}
	if baselines != len(listed) {
		t.Errorf("%d baselines in folders, %d imported", baselines, len(listed))
	}
	if got := len(algorithms.Names()); got < baselines {
		t.Errorf("%d algorithms registered by %d baselines", got, baselines)
	}
}

// packageComment returns the package comments of a folder; any says whether it holds a package.
func packageComment(t *testing.T, folder string) (comment string, any bool) {
	files := must.Get(filepath.Glob(filepath.Join(folder, "*.go")))
	for _, path := range files {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file := must.Get(parser.ParseFile(token.NewFileSet(), path, nil,
			parser.PackageClauseOnly|parser.ParseComments))
		any = true
		comment += file.Doc.Text()
	}
	return comment, any
}
