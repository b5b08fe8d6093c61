package koptimize

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/datasets/discrete"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func release(t testing.TB, table *datasets.Table, rows []int32, params Params) *algorithms.Release {
	t.Helper()
	in := testinput.Input(table, &params, algorithms.Published, 0, 0)
	in.Rows = rows
	return conformance.Released(t, Algorithm, in)
}

// TestBoxes, worked out by hand: 1 2 2 | 5 5 9 costs 9+9, any other way more.
func TestBoxes(t *testing.T) {
	table := testinput.Line(10, 5, 1, 9, 2, 5, 2)
	r := release(t, table, table.AllRows(), Params{K: 3})
	want := &algorithms.Regions{
		Attributes: []int{0}, Classes: 1,
		Low: []uint32{0, 3}, High: []uint32{3, 10}, TightLow: []uint32{1, 5},
		TightHigh: []uint32{3, 10},
		Counts:    []float64{3, 3}, Assignment: []int32{1, 0, 1, 0, 1, 0},
	}
	if diff := cmp.Diff(want, r.Regions); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if r.Structure.Gap != 0 || len(r.Warnings) != 0 || r.Structure.Depth != 1 {
		t.Errorf("gap %v, %d cuts, warnings %q: must be none, 1 and none", r.Structure.Gap,
			r.Structure.Depth, r.Warnings)
	}
}

// TestPatients is the example of LeFevre et al. 2006, Figs. 1, 2 and 4(b): once the zip code is cut
// above 53711, no cut can be added at k of 2 that changes a class (the one on sex leaves all as
// they are, the others leave one patient alone). It is not the cheapest partitioning: 4² + 2²
// beside the 3² + 3² of a single cut between the ages 26 and 27, which the search must find.
func TestPatients(t *testing.T) {
	const age, sex, zip = 0, 1, 2
	table := testinput.Numbers(0, []int{4, 2, 3}, // ages from 25, zip codes from 53710
		[]uint32{0, 0, 1}, []uint32{0, 1, 2}, []uint32{1, 0, 1}, []uint32{2, 0, 0},
		[]uint32{2, 1, 2}, []uint32{3, 0, 1})
	p := mustProblem(t, table, 2, false)
	index := func(c cut) int32 { return int32(slices.Index(p.cuts, c)) }
	figure2 := index(cut{zip, 2})
	if cost, ok := price(p, table, []int32{figure2}); !ok || cost != 20 {
		t.Errorf("Fig. 2 costs %d, %t, must be 20", cost, ok)
	}
	for id, c := range p.cuts {
		if int32(id) == figure2 {
			continue
		}
		cost, ok := price(p, table, []int32{figure2, int32(id)})
		if want := c.dim == sex; ok != want || ok && cost != 20 {
			t.Errorf("Fig. 2 with a cut on %d at %d: allowed %t at %d, must be %t at 20", c.dim,
				c.at, ok, cost, want)
		}
	}
	s := mustRun(t, p, 0)
	if want := []int32{index(cut{age, 2})}; s.best != 18 || !slices.Equal(s.bestCuts, want) {
		t.Errorf("cuts %v at %d, must be %v at 18", s.bestCuts, s.best, want)
	}
}

// TestSuppressed, worked out by hand: of 14 rows, 0 stands alone beside ten rows of 1. Together
// they cost 121, apart 100 and 14 for the suppressed one; the three rows of 9 cost 9 either way.
func TestSuppressed(t *testing.T) {
	table := testinput.Line(10, append(slices.Repeat([]uint32{1}, 10), 9, 0, 9, 9)...)
	r := release(t, table, table.AllRows(), Params{K: 3, Suppression: 1})
	if diff := cmp.Diff([]float64{10, 3}, r.Regions.Counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
	diff := cmp.Diff([]int32{11}, r.Regions.Suppressed)
	if diff != "" || r.Regions.Assignment[11] != -1 {
		t.Errorf("row 11 is in region %d, suppressed (-want +got)\n%s", r.Regions.Assignment[11],
			diff)
	}
	r = release(t, table, table.AllRows(), Params{K: 3})
	diff = cmp.Diff([]float64{11, 3}, r.Regions.Counts)
	if diff != "" || r.Regions.Suppressed != nil {
		t.Errorf("without suppression: %v suppressed, counts (-want +got)\n%s",
			r.Regions.Suppressed, diff)
	}
	// A table of fewer than k rows is all suppressed.
	few := testinput.Line(10, 1, 2, 3)
	r = release(t, few, few.AllRows(), Params{K: 7, Suppression: 1})
	diff = cmp.Diff([]int32{0, 1, 2}, r.Regions.Suppressed)
	if diff != "" || r.Regions.Len() != 0 {
		t.Errorf("%d regions, suppressed (-want +got)\n%s", r.Regions.Len(), diff)
	}
}

// TestLimit: a search that is ended early says so, with the gap.
func TestLimit(t *testing.T) {
	table := testinput.Discrete(t, discrete.Uniform, 2000)
	r := release(t, table, table.AllRows(), Params{K: 2, Work: 1})
	if r.Structure.Gap <= 0 || r.Structure.Gap >= 1 || len(r.Warnings) != 1 ||
		!strings.Contains(r.Warnings[0], "not proven optimal") {
		t.Errorf("gap %v, warnings %q", r.Structure.Gap, r.Warnings)
	}
}

// TestClimbLeavesWork: the climb leaves the search so much of the work that it proves its
// partitioning to be the best. On this table half would be too little.
func TestClimbLeavesWork(t *testing.T) {
	t.Parallel()
	source := adult.StandIn
	params := source.Params().(*adult.Params)
	params.Select = "mondrian"
	set := must.Get(source.Load(context.Background(), datasets.Request{Params: params,
		Key: random.NewKey(1)}))
	r := release(t, set.Table, set.Table.AllRows(), Params{K: 100, Work: 200})
	if r.Structure.Gap != 0 {
		t.Errorf("gap %v, must be 0", r.Structure.Gap)
	}
}

func TestRefused(t *testing.T) {
	in := func(table *datasets.Table) algorithms.Input {
		return algorithms.Input{Table: table, Rows: table.AllRows(), Variant: algorithms.Published,
			Params: &Params{K: 7}}
	}
	if _, err := Algorithm.Release(context.Background(),
		in(testinput.Line(10, 1, 2))); !errors.Is(err, algorithms.ErrTooFew) {
		t.Errorf("2 rows with k 7: %v, must wrap ErrTooFew", err)
	}
	const n = maxCuts + 2
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = uint32(i)
	}
	if _, err := Algorithm.Release(context.Background(), in(testinput.Line(n,
		codes...))); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Errorf("%d cuts: %v, must wrap ErrTooLarge", n-1, err)
	}
}

// BenchmarkSearch runs whole searches, which end with gap 0, and reports their nodes.
func BenchmarkSearch(b *testing.B) {
	table := testinput.Adult(b, "mondrian")
	for _, k := range []int{5, 10, 25, 50, 100} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			var r *algorithms.Release
			b.ReportAllocs()
			for b.Loop() {
				r = release(b, table, table.AllRows(), Params{K: k})
			}
			b.ReportMetric(r.Structure.Gap, "gap")
			b.ReportMetric(float64(r.Structure.Nodes), "nodes")
			b.ReportMetric(float64(b.N)*float64(r.Structure.Nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
