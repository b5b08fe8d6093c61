package hay

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func release(t testing.TB, g *datasets.Graph, p *Params, v algorithms.Variant, epsilon float64,
	seed uint64) *algorithms.Release {
	t.Helper()
	return testinput.Release(t, Algorithm, testinput.GraphInput(g, p, v, epsilon, seed))
}

func drawParams(t *rapid.T) *Params {
	p := &Params{
		Neighbours: rapid.SampledFrom([]Neighbours{Edge, Node}).Draw(t, "neighbours"),
		Inference:  rapid.Bool().Draw(t, "inference"),
		Lambda:     rapid.SampledFrom([]degrees.Cap{degrees.Nodes, "3", "20"}).Draw(t, "lambda"),
	}
	if p.Neighbours == Node && rapid.Bool().Draw(t, "private bound") {
		p.Lambda = degrees.Estimated
	}
	return p
}

// TestPrivateBound: a tenth of epsilon goes to the bound, the rest to noise for a node of that
// degree, though the graph has larger ones; and only for nodes.
func TestPrivateBound(t *testing.T) {
	g := testinput.SkewedGraph(t, 400)
	p := DefaultParams()
	p.Neighbours, p.Lambda = Node, degrees.Estimated
	for _, p.Inference = range []bool{true, false} {
		in := testinput.GraphInput(g, p, algorithms.Strict, 0.5, 1)
		r := testinput.Release(t, Algorithm, in)
		ledger := in.Budget.Ledger()
		if len(ledger) != 2 || math.Abs(ledger[0].Cost-0.05) > 1e-12 ||
			math.Abs(ledger[1].Cost-0.45) > 1e-12 {
			t.Fatalf("ledger %+v", ledger)
		}
		bound := float64(ledger[1].Proven) / 2
		if !slices.Contains(degrees.Candidates(399), int(bound)) ||
			bound >= float64(g.MaxDegree()) || float64(r.Degrees[399]) > bound {
			t.Errorf("bound %v for degrees up to %d, released up to %d", bound, g.MaxDegree(),
				r.Degrees[399])
		}
	}
	if got := p.Guarantee(algorithms.Strict); got.Status != algorithms.Holds ||
		got.MaxDegree != 0 {
		t.Errorf("%+v, must hold for every graph", got)
	}
	p.Neighbours = Edge
	if err := p.Validate(); err == nil || !strings.Contains(err.Error(), "lambda: private") {
		t.Errorf("a private bound for edges: %v", err)
	}
}

// TestRelease: n sorted degrees within [0, Λ]; without noise the truth, lowered to Λ.
func TestRelease(t *testing.T) {
	rapid.Check(t, func(t2 *rapid.T) {
		g, p := testinput.DrawGraph(t2, 12), drawParams(t2)
		variant := rapid.SampledFrom([]algorithms.Variant{algorithms.Published,
			algorithms.Strict}).Draw(t2, "variant")
		lambda := int32(p.Lambda.Of(g))
		noisy := release(t, g, p, variant, 0.1, rapid.Uint64().Draw(t2, "seed")).Degrees
		if len(noisy) != g.Nodes() || !slices.IsSorted(noisy) {
			t2.Fatalf("degrees %v from %d nodes", noisy, g.Nodes())
		}
		if noisy[0] < 0 || noisy[len(noisy)-1] > lambda {
			t2.Fatalf("degrees %v, must be in [0, %d]", noisy, lambda)
		}
		exact := release(t, g, p, variant, 1e12, 1)
		lowered := 0
		for i, d := range g.DegreeSequence() {
			if d > lambda {
				lowered++
			}
			if exact.Degrees[i] != min(d, lambda) {
				t2.Fatalf("without noise %v, want %v lowered to %d", exact.Degrees,
					g.DegreeSequence(), lambda)
			}
		}
		if (lowered > 0) != (len(exact.Warnings) > 0) {
			t2.Fatalf("%d degrees lowered, warnings %q", lowered, exact.Warnings)
		}
	})
}

// TestSensitivity brute-forces errata G5 on every graph of five nodes: an edge moves the sorted
// sequence by exactly 2, k edges by at most 2k, an isolated node by at most twice the maximum
// degree, which is attained.
func TestSensitivity(t *testing.T) {
	const n = 5
	var pairs [][2]int
	for u := range n {
		for v := u + 1; v < n; v++ {
			pairs = append(pairs, [2]int{u, v})
		}
	}
	sequences := make([][]int, 1<<len(pairs))
	for mask := range sequences {
		sequences[mask] = make([]int, n)
		for i, pair := range pairs {
			sequences[mask][pair[0]] += mask >> i & 1
			sequences[mask][pair[1]] += mask >> i & 1
		}
		slices.Sort(sequences[mask])
	}
	distance := func(one, other int) int {
		sum := 0
		for i, d := range sequences[one] {
			sum += max(d-sequences[other][i], sequences[other][i]-d)
		}
		return sum
	}
	attained := false
	for mask := range sequences {
		for other := range sequences {
			edges := 0
			for bits := mask ^ other; bits != 0; bits &= bits - 1 {
				edges++
			}
			if d := distance(mask, other); d > 2*edges || edges == 1 && d != 2 {
				t.Fatalf("graphs %010b and %010b: distance %d for %d edges", mask, other, d, edges)
			}
		}
		for v := range n {
			isolated := mask
			for i, pair := range pairs {
				if pair[0] == v || pair[1] == v {
					isolated &^= 1 << i
				}
			}
			bound := 2 * sequences[mask][n-1]
			d := distance(mask, isolated)
			if d > bound {
				t.Fatalf("graph %010b without node %d: distance %d, bound %d", mask, v, d, bound)
			}
			attained = attained || d == bound && bound == 2*(n-1)
		}
	}
	if !attained {
		t.Error("2Λ is never attained")
	}
}

func TestGuarantee(t *testing.T) {
	a := Algorithm
	for _, test := range []struct {
		params   Params
		unit     string
		relation string
		status   algorithms.Status
	}{
		{Params{Neighbours: Edge, Lambda: degrees.Nodes}, "edge", "one edge",
			algorithms.Holds},
		{Params{Neighbours: Edge, Lambda: degrees.MaxDegree}, "edge", "one edge",
			algorithms.Broken},
		{Params{Neighbours: Node, Lambda: degrees.Nodes}, "node", "isolate one node",
			algorithms.Holds},
		{Params{Neighbours: Node, Lambda: "100"}, "node", "degrees at most 100",
			algorithms.Holds},
		{Params{Neighbours: Node, Lambda: degrees.MaxDegree}, "node", "isolate one node",
			algorithms.Broken},
	} {
		for _, v := range []algorithms.Variant{algorithms.Published, algorithms.Strict} {
			g := must.Get(algorithms.GuaranteeOf(a, v, &test.params))
			if g.Variant != v || g.Unit != test.unit ||
				!strings.Contains(g.Relation, test.relation) || g.Status != test.status {
				t.Errorf("%+v: %+v", test.params, g)
			}
			refused := test.params.CheckVariant(v) != nil
			if refused != (v == algorithms.Strict && g.Status == algorithms.Broken) {
				t.Errorf("%s %+v refused: %t", v, test.params, refused)
			}
		}
	}
	if _, err := algorithms.GuaranteeOf(a, "refcode", DefaultParams()); err == nil {
		t.Error("a guarantee for a variant that does not exist")
	}
}

// TestLedger: beyond its class of graphs the node mechanism is shown to cost more than it claims.
func TestLedger(t *testing.T) {
	// A star of ten leaves, Λ = 4: isolating the hub lowers one degree of 4 and ten of 1.
	from, to := make([]int32, 10), make([]int32, 10)
	for i := range to {
		to[i] = int32(i + 1)
	}
	star := must.Get(datasets.NewGraph(11, from, to))
	for lambda, proven := range map[degrees.Cap]float64{"4": 14, "10": 20} {
		p := &Params{Neighbours: Node, Lambda: lambda}
		in := testinput.GraphInput(star, p, algorithms.Published, 1, 1)
		testinput.Release(t, Algorithm, in)
		entry := in.Budget.Ledger()[0]
		if entry.Claimed != 2*float64(p.Lambda.Of(star)) || float64(entry.Proven) != proven {
			t.Errorf("lambda %s: ledger %+v, want %v proven", lambda, entry, proven)
		}
	}
}
