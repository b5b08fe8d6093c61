package aim

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/audit/conformance"
	"ppdp/internal/must"
	"ppdp/privacy"
)

// TestCandidates: two pairs that share an attribute have five subsets. Weights count attributes in
// common with each set.
func TestCandidates(t *testing.T) {
	var got []string
	for _, c := range downwardClosure([][]int{{0, 2}, {2, 5}}) {
		got = append(got, fmt.Sprint(c.set, c.weight))
	}
	if want := []string{"[0] 1", "[2] 2", "[5] 1", "[0 2] 3", "[2 5] 3"}; !slices.Equal(got, want) {
		t.Errorf("candidates %v, want %v", got, want)
	}
}

func TestWorkloads(t *testing.T) {
	schema := conformance.Table(1).Schema() // age, height, work, smoker, disease; class pays
	for text, want := range map[string]string{
		AllPairs:                           "15 [0 1] [4 5]",
		AllTriples:                         "20 [0 1 2] [3 4 5]",
		ClassPairs:                         "5 [0 5] [4 5]",
		ClassTriples:                       "10 [0 1 5] [3 4 5]",
		"smoker, age ; pays,work,pays;age": "3 [0 3] [0]",
	} {
		sets := must.Get(workload(schema, text))
		if got := fmt.Sprint(len(sets), " ", sets[0], " ", sets[len(sets)-1]); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
		if err := checkWorkload(text); err != nil {
			t.Error(err)
		}
	}
	if sets := subsets(2, 3, -1); fmt.Sprint(sets) != "[[0 1]]" {
		t.Errorf("triples of two attributes: %v", sets)
	}
	if sets := subsets(1, 2, 0); fmt.Sprint(sets) != "[[0]]" {
		t.Errorf("nothing but a class: %v", sets)
	}
	for _, text := range []string{"", "all", "age,,work", "a;", "a,b,c,d,e,f,g"} {
		if checkWorkload(text) == nil {
			t.Errorf("%q is taken for a workload", text)
		}
	}
	if _, err := workload(schema, "age,weight"); err == nil ||
		!strings.Contains(err.Error(), `no attribute "weight"`) {
		t.Errorf("an attribute that is not there: %v", err)
	}
}

// TestSpendsEverything: in either unit the charges add up to the whole budget; one-way marginals
// cost what they are charged, and choices by distances, which are not monotone, are not credited
// half.
func TestSpendsEverything(t *testing.T) {
	table := conformance.Table(200)
	for _, c := range []struct {
		delta   float64
		rounds  int64   // planned for each attribute
		weights float64 // two of six attributes are cut, at 3 times the epsilon or 9 times the rho
	}{{0, 4, 4 + 2*3}, {1e-9, 16, 4 + 2*9}} {
		params := defaults()
		params.Iterations, params.Bins = 5, 4
		in := testinput.Input(table, params, algorithms.Strict, 1, 1)
		in.Budget = privacy.NewApproximate(0.7, c.delta)
		testinput.LazyRelease(t, Algorithm, in)
		total := in.Budget.Total()
		claimed, proven := in.Budget.Spent()
		if math.Abs(claimed/total-1) > 1e-12 || math.Abs(proven/total-1) > 1e-12 {
			t.Errorf("delta %v: spent %v and %v of %v", c.delta, claimed, proven, total)
		}
		ledger, want := in.Budget.Ledger(), 0.9*total*min(1, c.weights/6/float64(c.rounds))
		first, cuts := ledger[0], ledger[1]
		if first.Calls+cuts.Calls != 6 || math.Abs((first.Cost+cuts.Cost)/want-1) > 1e-12 {
			t.Errorf("one-way marginals %+v and %+v, want %v", first, cuts, want)
		}
		if choices := ledger[2]; choices.Calls != ledger[3].Calls ||
			float64(choices.Loss) != choices.Cost || choices.Calls > 6*c.rounds {
			t.Errorf("ledger %+v", ledger)
		}
	}
}

// TestFindsDependence: of attributes that determine the class and attributes that do not, the
// released records keep the first at a large epsilon.
func TestFindsDependence(t *testing.T) {
	var rows [][]uint32
	for i := range uint32(4000) {
		x, noise := i%7, i*i/11%5
		class := uint32(0)
		if x > 3 {
			class = 1
		}
		rows = append(rows, []uint32{noise, x, class})
	}
	for _, workload := range []string{AllPairs, ClassTriples, "ordinal 2,class"} {
		params := defaults()
		params.Workload = workload
		table := testinput.Numbers(2, []int{5, 7}, rows...)
		if strings.Contains(workload, ",") {
			names := table.Schema().Names()
			params.Workload = names[1] + "," + names[2]
		}
		in := testinput.Input(table, params, algorithms.Strict, 1, 3)
		in.Budget = privacy.NewApproximate(10, 1e-9)
		records := testinput.LazyRelease(t, Algorithm, in).Table
		wrong := 0
		for row := range int32(records.Len()) {
			if (records.Column(1).At(row) > 3) != (records.Column(2).At(row) == 1) {
				wrong++
			}
		}
		if share := float64(wrong) / float64(records.Len()); share > 0.03 {
			t.Errorf("%s: %.1f %% of the classes are wrong", workload, 100*share)
		}
		if n := records.Len(); n < 3900 || n > 4100 {
			t.Errorf("%s: %d records of 4000", workload, n)
		}
	}
}
