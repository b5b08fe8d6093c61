package day2016

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
)

// release runs the baseline with fresh streams.
func release(t testing.TB, g *datasets.Graph, p *Params, v algorithms.Variant, epsilon float64,
	seed uint64) *algorithms.Release {
	t.Helper()
	return testinput.Release(t, Algorithm, testinput.GraphInput(g, p, v, epsilon, seed))
}

// TestNoNoise: noise costs nothing then, and no smaller θ keeps as many edges as Λ does: the
// release is the degrees of the projection onto Λ, and for Λ = n-1 the graph's own.
func TestNoNoise(t *testing.T) {
	const epsilon = 1e12 // noise below 1e-9, which rounding removes
	rapid.Check(t, func(t2 *rapid.T) {
		g := testinput.DrawGraph(t2, 12)
		most := rapid.IntRange(1, 13).Draw(t2, "lambda")
		for _, v := range []algorithms.Variant{algorithms.Strict, algorithms.Published} {
			p := &Params{Lambda: degrees.Cap(strconv.Itoa(most))}
			var want []int32
			for d, n := range degrees.Project(g, min(most, max(1, g.Nodes()-1))).Counts {
				want = append(want, slices.Repeat([]int32{int32(d)}, int(n))...)
			}
			if got := release(t, g, p, v, epsilon, 1).Degrees; !slices.Equal(got, want) {
				t2.Fatalf("lambda %d: degrees %v, want %v", most, got, want)
			}
			got := release(t, g, DefaultParams(), v, epsilon, 1).Degrees
			if !slices.Equal(got, g.DegreeSequence()) {
				t2.Fatalf("degrees %v, want %v", got, g.DegreeSequence())
			}
		}
	})
}

// TestBudget: a tenth of epsilon is for the choice of θ, the rest for counts of sensitivity 2θ.
func TestBudget(t *testing.T) {
	g := testinput.SkewedGraph(t, 200)
	in := testinput.GraphInput(g, &Params{Lambda: "50"}, algorithms.Strict, 0.5, 1)
	r := testinput.Release(t, Algorithm, in)
	ledger, costs := in.Budget.Ledger(), []float64{0.05, 0.45}
	if len(ledger) != len(costs) {
		t.Fatalf("ledger %+v", ledger)
	}
	for i, entry := range ledger {
		if math.Abs(entry.Cost-costs[i]) > 1e-12 || entry.Claimed != float64(entry.Proven) {
			t.Errorf("entry %+v, want epsilon %v", entry, costs[i])
		}
	}
	if want := float64(2 * (r.Structure.Leaves - 1)); ledger[1].Claimed != want {
		t.Errorf("sensitivity %v for %d cells, want %v", ledger[1].Claimed, r.Structure.Leaves,
			want)
	}
	if len(r.Degrees) != g.Nodes() || !slices.IsSorted(r.Degrees) || r.Degrees[0] < 0 ||
		int(r.Degrees[len(r.Degrees)-1]) >= r.Structure.Leaves {
		t.Errorf("degrees %v", r.Degrees)
	}
}

// TestChoice: the exponential mechanism's law over θ, drawn 20,000 times, agrees with
// exp(ε₁·score/2). The statistic has at most 5 degrees of freedom, whose chi-square exceeds 30 once
// in 60,000 seeds.
func TestChoice(t *testing.T) {
	g := testinput.SkewedGraph(t, 60)
	const epsilon, draws = 5.0, 20_000
	p := &Params{Lambda: "32"}
	thetas := []int{1, 2, 4, 8, 16, 32}
	quality := make([]float64, len(thetas))
	for i, theta := range thetas {
		noise := 3 * math.Sqrt(float64(theta)) * float64(2*theta) / (0.9 * epsilon)
		quality[i] = 2*float64(degrees.Project(g, theta).Edges) - noise
	}
	scores := make([]float64, len(thetas))
	for i := range thetas {
		for j := range thetas {
			scores[i] = min(scores[i],
				(quality[i]-quality[j])/2/float64(max(thetas[i], thetas[j])))
		}
	}
	law, chosen := testinput.Law(scores, 0.1*epsilon/2), make([]float64, len(thetas))
	for seed := range uint64(draws) {
		in := testinput.GraphInput(g, p, algorithms.Strict, epsilon, seed)
		path := in.Budget.Root()
		chosen[slices.Index(thetas, must.Get(degrees.ChooseBound(context.Background(), &in, &path,
			"theta", p.Lambda, noiseCost)))]++
	}
	if least := draws * slices.Min(law); least < 5 {
		t.Fatalf("a theta is expected %v times, the test needs more draws", least)
	}
	if statistic := testinput.ChiSquare(chosen, law); statistic > 30 {
		t.Errorf("chi-square %v over %v", statistic, chosen)
	}
}

func TestParams(t *testing.T) {
	if err := declared.Check(DefaultParams()); err != nil {
		t.Error(err)
	}
	for _, lambda := range []degrees.Cap{"0", "x", degrees.Estimated} {
		err := declared.Check(&Params{Lambda: lambda})
		if want := fmt.Sprintf("lambda: %q", lambda); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	leaky := &Params{Lambda: degrees.MaxDegree}
	if err := leaky.CheckVariant(algorithms.Strict); err == nil {
		t.Error("strict takes lambda: max-degree")
	}
	g := leaky.Guarantee(algorithms.Published)
	if g.Status != algorithms.Broken || !slices.Contains(g.Errata, "G4") {
		t.Errorf("guarantee %+v under lambda: max-degree", g)
	}
}
