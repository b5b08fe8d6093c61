package all

import (
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffgen"
	"ppdp/algorithms/diffmulti"
	"ppdp/algorithms/hay"
	"ppdp/algorithms/incognito"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/algorithms/koptimize"
	"ppdp/algorithms/rps"
	"ppdp/algorithms/rpsgraph"
	"ppdp/audit"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
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

// TestOrderOfRows: however the caller lists the rows, repeated ones included, k-anonymous releases
// have the same regions and every row gets its own. A search of K-Optimize is ended early.
func TestOrderOfRows(t *testing.T) {
	table, limited := conformance.Table(300), koptimize.DefaultParams()
	limited.Work = 5
	rows := append(table.AllRows()[50:250], 60, 60, 60)
	slices.Sort(rows)
	shuffled := slices.Clone(rows)
	random.NewKey(3).Stream().Permute(shuffled)
	for name, list := range map[string][]algorithms.Params{ // order-free: each for itself
		"endgame": settings["endgame"], "incognito": {incognito.DefaultParams()},
		"koptimize": {limited}, "mondrian": settings["mondrian"]} {
		for _, params := range list {
			made := func(rows []int32) (hash string, assigned [][]int32) {
				in := testinput.Input(table, params, algorithms.Published, 0, 1)
				in.Rows = rows
				r := conformance.Released(t, must.Get(algorithms.Lookup(name)), in)
				assigned = make([][]int32, table.Len()) // regions of all copies of a row
				for i, row := range rows {
					assigned[row] = append(assigned[row], r.Regions.Assignment[i])
				}
				r.Regions.Assignment = nil
				return conformance.Hash(r), assigned
			}
			hash, assigned := made(rows)
			again, reassigned := made(shuffled)
			if hash != again || !slices.EqualFunc(assigned, reassigned, slices.Equal[[]int32]) {
				t.Errorf("%s, %+v: the release depends on the order of the rows", name, params)
			}
		}
	}
}

// TestMethodsOfTheContract: a method with the name of one that parameters may have is that one. One
// of another form, or of the algorithm, would never be called.
func TestMethodsOfTheContract(t *testing.T) {
	for _, name := range algorithms.Names() {
		a := must.Get(algorithms.Lookup(name))
		params := a.Params()
		_, variants := params.(algorithms.VariantChecker)
		_, schemas := params.(algorithms.SchemaChecker)
		_, guarantees := params.(algorithms.Guarantor)
		_, fits := params.(algorithms.Fitter)
		for method, known := range map[string]bool{ // order-free: separate checks
			"CheckVariant": variants, "CheckSchema": schemas, "Guarantee": guarantees,
			"FitSchema": fits} {
			_, own := reflect.TypeOf(a).MethodByName(method)
			if _, has := reflect.TypeOf(params).MethodByName(method); own || has != known {
				t.Errorf("%s: a method %s of another form, or of the algorithm", name, method)
			}
		}
	}
}

// TestNoNodes: a graph without nodes has a release without degrees in every variant.
func TestNoNodes(t *testing.T) {
	for _, name := range algorithms.Names() {
		a := must.Get(algorithms.Lookup(name))
		for _, g := range a.Info().Variants {
			if a.Info().Input == algorithms.GraphInput {
				in := testinput.GraphInput(testinput.Graph(t, 0, nil, nil), a.Params(), g.Variant,
					1, 1)
				if r := testinput.Release(t, a, in); r.Degrees == nil || len(r.Degrees) > 0 {
					t.Errorf("%s, %s: %v", name, g.Variant, r.Degrees)
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

// with returns parameters with a change.
func with[P algorithms.Params](p P, change func(P)) P {
	change(p)
	return p
}

// TestReplayShowsErrata: every erratum on privacy that a release on its own can show is refuted by
// a replay, in the way its entry says.
func TestReplayShowsErrata(t *testing.T) {
	for _, c := range []struct {
		erratum   string
		algorithm string
		variant   algorithms.Variant
		params    algorithms.Params
		kind      string
	}{
		// errata R1: a record moves the score by three times what is claimed.
		{"R1", "rps", algorithms.Published, with(rps.DefaultParams(),
			func(p *rps.Params) { p.Quality = rps.Class }), audit.Claim},
		// errata R3: counts computed from the exact number of records.
		{"R3", "rps", algorithms.Published, with(rps.DefaultParams(),
			func(p *rps.Params) { p.Counts = rps.ByDepth }), audit.Output},
		// errata D1: a region without a record gets no further cuts.
		{"D1", "diffmulti", algorithms.Published, diffmulti.DefaultParams(), audit.Calls},
		// errata D2: cut points in the middle between values of the data.
		{"D2", "diffmulti", algorithms.Published, with(diffmulti.DefaultParams(),
			func(p *diffmulti.Params) { p.Utility = partition.CertaintyPenalty }), audit.Loss},
		{"D2", "diffgen", algorithms.Published, with(diffgen.DefaultParams(),
			func(p *diffgen.Params) { p.Utility = partition.CertaintyPenalty }), audit.Loss},
		// errata D8: what the released program does.
		{"D8", "diffmulti", algorithms.RefCode, diffmulti.DefaultParams(), audit.Loss},
		// errata X1: DiffGen's program.
		{"X1", "diffgen", algorithms.RefCode, diffgen.DefaultParams(), audit.Loss},
		// errata G3: one node moves more counts than the noise is scaled to.
		{"G3", "rps-graph", algorithms.Published, rpsgraph.DefaultParams(), audit.Loss},
		{"G3", "rps-graph", algorithms.Published, with(rpsgraph.DefaultParams(),
			func(p *rpsgraph.Params) {
				p.Form, p.Counts = rpsgraph.Tree, rpsgraph.Unit
			}), audit.Claim},
		{"G3", "rps-graph", algorithms.Published, with(rpsgraph.DefaultParams(),
			func(p *rpsgraph.Params) {
				p.Form, p.Counts = rpsgraph.Tree, rpsgraph.Laplace
			}), audit.Loss},
		// errata G4: noise scaled to the graph's own maximum degree.
		{"G4", "hay", algorithms.Published, with(hay.DefaultParams(), func(p *hay.Params) {
			p.Neighbours, p.Lambda = hay.Node, degrees.MaxDegree
		}), audit.Calls},
	} {
		t.Run(c.erratum+" "+c.algorithm+" "+c.kind, func(t *testing.T) {
			t.Parallel()
			a := must.Get(algorithms.Lookup(c.algorithm))
			g := must.Get(algorithms.GuaranteeOf(a, c.variant, c.params))
			pairs := must.Get(audit.Pairs(g))
			subject := audit.Subject{Algorithm: a, Variant: c.variant, Params: c.params, Epsilon: 1}
			v := must.Get(audit.Replay(t.Context(), subject, pairs, audit.Options{Transcripts: 20}))
			found := slices.ContainsFunc(v.Failures,
				func(f audit.Failure) bool { return f.Kind == c.kind })
			if !found || !slices.Contains(g.Errata, c.erratum) {
				t.Errorf("found %v, want %s; the guarantee names %v", v.Failures, c.kind, g.Errata)
			}
		})
	}
}

// TestMissingShares: of 4,000 records 60 % of job a lack an income and 20 % of the others. Releases
// at epsilon 3 keep the rows within 5 %, the share that is missing within 0.03, and that of job a
// within 0.08 where they model two attributes together. None makes a number of what is missing.
func TestMissingShares(t *testing.T) {
	marker := "?"
	s := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Kind: datasets.Numeric, Low: 18, High: 95, Step: 1},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"a", "b", "c", "d"}},
		{Name: "income", Kind: datasets.Numeric, High: 1e5, Step: 1, Missing: &marker},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
	stream := random.NewKey(39).Stream()
	b := datasets.NewBuilder(s, 4000)
	for range 4000 {
		job := stream.Uint32N(4)
		row := b.AddRow(stream.Uint32N(77), job,
			500+stream.Uint32N(3000*(1+job))*(1+stream.Uint32N(3)), min(1, stream.Uint32N(3)))
		if rare := job > 0; stream.Open01() < map[bool]float64{true: 0.2, false: 0.6}[rare] {
			b.Set(row, 2, s.Attributes[2].MissingCode())
		}
	}
	table := b.Table()
	all, a := missingShares(table, nil)
	if math.Abs(all-0.3) > 0.02 || math.Abs(a-0.6) > 0.05 {
		t.Fatalf("the table lacks %.3f, of job a %.3f", all, a)
	}
	for _, c := range []struct {
		name  string
		share float64 // of all
		ofA   float64
	}{{"aim", 0.03, 0.08}, {"mst", 0.03, 0.08}, {"privbayes", 0.03, 0.08},
		{"aim-logistic", 0.03, 0.08}, {"mst-target", 0.03, 0.08},
		{"independent", 0.03, 1}, {"nb-model", 0.03, 1}, {"dpcube", 0.05, 0.1}} {
		t.Run(c.name, func(t *testing.T) {
			algorithm := must.Get(algorithms.Lookup(c.name))
			release := must.Get(algorithm.Release(t.Context(), testinput.Input(table,
				algorithm.Params(), algorithms.Strict, 3, 1)))
			records, weights, err := release.Records(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rows := 0.0
			for row := range records.Len() {
				if weights == nil {
					rows++
				} else {
					rows += weights[row]
				}
			}
			share, ofA := missingShares(records, weights)
			said := fmt.Sprintf("%.0f rows, %.3f missing, %.3f of job a", rows, share, ofA)
			t.Log(said)
			if math.Abs(rows-4000) > 200 || math.Abs(share-all) > c.share ||
				math.Abs(ofA-a) > c.ofA {
				t.Error(said)
			}
		})
	}
}

// missingShares are the shares of records, and of those of the first job, that lack an income.
func missingShares(table *datasets.Table, weights []float64) (all, first float64) {
	var lack, mass [2]float64
	missing := table.Schema().Attributes[2].MissingCode()
	for row := range int32(table.Len()) {
		weight := 1.0
		if weights != nil {
			weight = weights[row]
		}
		for i, counts := range [2]bool{true, table.Column(1).At(row) == 0} {
			if counts {
				mass[i] += weight
				if table.Column(2).At(row) == missing {
					lack[i] += weight
				}
			}
		}
	}
	return lack[0] / mass[0], lack[1] / mass[1]
}
