package rpsgraph

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/datasets/graph"
	"ppdp/internal/must"
)

func drawParams(t *rapid.T) (*Params, algorithms.Variant) {
	p := &Params{
		Lambda: rapid.SampledFrom([]degrees.Cap{degrees.Nodes, degrees.Estimated, "3", "20"}).
			Draw(t, "lambda"),
		Depth:  rapid.IntRange(1, 20).Draw(t, "depth"),
		Counts: Counts(rapid.SampledFrom(Counts("").Enum()).Draw(t, "counts")),
		Fill:   Fill(rapid.SampledFrom(Fill("").Enum()).Draw(t, "fill")),
		Values: partition.Values(rapid.SampledFrom(partition.Low.Enum()).Draw(t, "values")),
		Form:   Form(rapid.SampledFrom(Form("").Enum()).Draw(t, "form")),
	}
	if p.Lambda == degrees.Estimated && p.Counts == Rigorous {
		p.Counts = Cross
	}
	return p, rapid.SampledFrom([]algorithms.Variant{algorithms.Published, algorithms.Strict}).
		Draw(t, "variant")
}

// TestRelease: n ascending degrees within [0, Λ]; without noise and with enough cuts the truth,
// lowered to Λ and, in the growing form, brought to a degree of its interval. A private bound takes
// nothing away then, since noise is free.
func TestRelease(t *testing.T) {
	rapid.Check(t, func(t2 *rapid.T) {
		g := testinput.DrawGraph(t2, 14)
		p, variant := drawParams(t2)
		lambda := int32(p.Lambda.Of(g))
		epsilon := rapid.SampledFrom([]float64{0.01, 1, 100}).Draw(t2, "epsilon")
		in := testinput.GraphInput(g, p, variant, epsilon, rapid.Uint64().Draw(t2, "seed"))
		noisy := testinput.Release(t, Algorithm, in).Degrees
		if len(noisy) != g.Nodes() || !slices.IsSorted(noisy) || noisy[0] < 0 ||
			noisy[len(noisy)-1] > lambda {
			t2.Fatalf("%s %+v: degrees %v from %d nodes, must be in [0, %d]", variant, p, noisy,
				g.Nodes(), lambda)
		}
		claimed, proven := in.Budget.Spent()
		if math.Abs(claimed-epsilon) > 1e-9*epsilon {
			t2.Fatalf("spent %v of %v", claimed, epsilon)
		}
		lowered := 0
		for _, d := range g.DegreeSequence() {
			if d > lambda {
				lowered++
			}
		}
		over := proven > epsilon*(1+1e-9)
		if variant == algorithms.Strict && (over && lowered == 0 || !over && lowered > 0 &&
			p.Form != Tree) {
			t2.Fatalf("strict with %d degrees above lambda: lost %v of %v", lowered, proven,
				epsilon)
		}

		p.Depth = 20 // more than Λ: every leaf holds one degree
		exact := testinput.Release(t, Algorithm, testinput.GraphInput(g, p, variant, 1e12, 1))
		if (lowered > 0) != (len(exact.Warnings) > 0) {
			t2.Fatalf("%d degrees lowered, warnings %q", lowered, exact.Warnings)
		}
		starts := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22} // by hand
		for i, d := range g.DegreeSequence() {
			low := min(d, lambda)
			high := low
			if variant == algorithms.Strict && p.Form == Growing {
				at, found := slices.BinarySearch(starts, low)
				if !found {
					at--
				}
				low, high = starts[at], max(starts[at], min(starts[at+1]-1, exact.Degrees[i]))
				switch p.Values {
				case partition.Low:
					high = low
				case partition.Midpoint:
					low += (min(starts[at+1]-1, lambda) - low) / 2
					high = low
				}
			}
			if got := exact.Degrees[i]; got < low || got > high {
				t2.Fatalf("%s %+v: without noise %v, want %v lowered to %d", variant, p,
					exact.Degrees, g.DegreeSequence(), lambda)
			}
		}
	})
}

func TestBoundaries(t *testing.T) {
	must.Equal(t, growing(9), []int32{0, 1, 2, 3, 4, 5, 6, 7, 8}, "growing to 9")
	must.Equal(t, halving(nil, 0, 10, 2), []int32{0, 2, 5, 7}, "halving 0 to 9 twice")
	must.Equal(t, halving(nil, 0, 3, 5), []int32{0, 1, 2}, "halving 0 to 2")
}

// hub is the graph of errata G3: a hub joined to 40 nodes of degrees 2, 4, ..., 80, each filled up
// with pendants.
func hub(t testing.TB) *datasets.Graph {
	var from, to []int32
	next := int32(41)
	for k := int32(1); k <= 40; k++ {
		from, to = append(from, 0), append(to, k)
		for range 2*k - 1 {
			from, to = append(from, k), append(to, next)
			next++
		}
	}
	return testinput.Graph(t, int(next), from, to)
}

// isolate returns the graph without the edges of v.
func isolate(t testing.TB, g *datasets.Graph, v int32) *datasets.Graph {
	var from, to []int32
	for u := range int32(g.Nodes()) {
		for _, w := range g.Adjacent(u) {
			if u < w && u != v && w != v {
				from, to = append(from, u), append(to, w)
			}
		}
	}
	return testinput.Graph(t, g.Nodes(), from, to)
}

// cauchyLoss is the largest ln f(x)/f'(x) over x of two Cauchy densities, at 0 with scale s and at
// delta with scale s2. The ratio is stationary where delta·x² + (s²-delta²-s2²)x - delta·s² = 0 and
// tends to s/s2 far out.
func cauchyLoss(delta, s, s2 float64) float64 {
	at := func(x float64) float64 {
		return math.Log(s/s2) + math.Log((x-delta)*(x-delta)+s2*s2) - math.Log(x*x+s*s)
	}
	worst := max(math.Log(s/s2), at(0))
	if delta != 0 {
		b := s*s - delta*delta - s2*s2
		root := math.Sqrt(b*b + 4*delta*delta*s*s)
		worst = max(worst, at((-b+root)/(2*delta)), at((-b-root)/(2*delta)))
	}
	return worst
}

// TestHub is errata G3: noise for one count, paid for with e_f, loses far more on the leaf counts
// of the hub's graph. The figures were computed beforehand by another program, for Λ = 80 and
// leaves of one degree.
func TestHub(t *testing.T) {
	whole := hub(t)
	if whole.Nodes() != 1641 {
		t.Fatalf("%d nodes", whole.Nodes())
	}
	without := isolate(t, whole, 0)
	const lambda = 80
	a, b := degrees.Lowered(whole, lambda), degrees.Lowered(without, lambda)
	changed, l1 := 0, 0
	for d := range lambda + 1 {
		if delta := a.Within(d, d) - b.Within(d, d); delta != 0 {
			changed++
			l1 += max(delta, -delta)
		}
	}
	if changed != 81 || l1 != 82 {
		t.Errorf("%d leaf counts change by %d in all, want 81 and 82", changed, l1)
	}
	bound := func(s *degrees.Bounded, counts Counts) func(epsilon float64, d int) float64 {
		if counts == "" { // the local sensitivity of this one graph: errata G3 at no distance
			return func(_ float64, d int) float64 {
				return float64(1 + max(s.Within(d-1, d-1), s.Within(d, d), s.Within(d+1, d+1)))
			}
		}
		boundary := (&tree{params: &Params{Counts: counts}, degrees: s}).boundary()
		return func(epsilon float64, d int) float64 { return boundary(epsilon, d, d+1, 0) }
	}
	for _, test := range []struct {
		counts      Counts
		share, want float64 // e_f, summed loss; 0 where no figure was at hand
		digits      float64
	}{
		{Rigorous, 0.5, 1.62, 0.005}, {Rigorous, 5, 31.7, 0.05},
		{"", 0.5, 4.35, 0.005}, {"", 5, 32.9, 0.05},
		{counts: Printed, share: 0.5}, {counts: Cross, share: 0.5}, {counts: Unit, share: 0.5},
		{counts: Printed, share: 5}, {counts: Cross, share: 5}, {counts: Unit, share: 5},
	} {
		boundA, boundB := bound(a, test.counts), bound(b, test.counts)
		forth, back := 0.0, 0.0
		for d := range lambda + 1 {
			scaleA, scaleB := 6*boundA(test.share, d)/test.share, 6*boundB(test.share, d)/test.share
			delta := float64(b.Within(d, d) - a.Within(d, d))
			forth += cauchyLoss(delta, scaleA, scaleB)
			back += cauchyLoss(-delta, scaleB, scaleA)
		}
		got := max(forth, back)
		if test.want > 0 && math.Abs(got-test.want) > test.digits || got < 3*test.share {
			t.Errorf("%q at %v: loss %v, want %v", test.counts, test.share, got, test.want)
		}
	}
	// And so says the ledger of a release; that of strict ones shows no more than epsilon.
	for _, test := range []struct {
		params  Params
		variant algorithms.Variant
		leaf    float64 // proven sensitivity of the counts
	}{
		{Params{Counts: Rigorous}, algorithms.Published, math.Inf(1)},
		{Params{Counts: Printed}, algorithms.Published, math.Inf(1)},
		{Params{Counts: Unit}, algorithms.Published, math.Inf(1)},
		{Params{Counts: Laplace}, algorithms.Published, 162},
		{Params{Form: Tree}, algorithms.Strict, 162},
		{Params{Form: Halving}, algorithms.Strict, 160},
		// 20 intervals: 0 to 8, 10, 12, 15, 18, 22, 27, 33, 41, 51, 63, 78
		{Params{Form: Growing}, algorithms.Strict, 80 + 19},
	} {
		p := DefaultParams()
		p.Lambda, p.Form, p.Counts = "80", Growing, Printed
		if test.params.Counts != "" {
			p.Counts = test.params.Counts
		}
		if test.params.Form != "" {
			p.Form = test.params.Form
		}
		in := testinput.GraphInput(whole, p, test.variant, 1, 3)
		testinput.Release(t, Algorithm, in)
		ledger := in.Budget.Ledger()
		claimed, proven := in.Budget.Spent()
		must.Be(t, float64(ledger[len(ledger)-1].Proven), test.leaf, test.variant, test.params)
		if math.Abs(claimed-1) > 1e-9 || (test.variant == algorithms.Strict) != (proven <= 1+1e-9) {
			t.Errorf("%s %+v: spent %v, lost %v", test.variant, test.params, claimed, proven)
		}
	}
}

// TestLevelCost searches for a level of cuts that costs more than errata G1 allows: random graphs,
// random regions, one isolated node; the exact law of every cut, the worst cut of every region.
func TestLevelCost(t *testing.T) {
	worst := 0.0
	rapid.Check(t, func(t2 *rapid.T) {
		g := testinput.DrawGraph(t2, 12)
		v := int32(rapid.IntRange(0, g.Nodes()-1).Draw(t2, "isolated"))
		lambda := max(1, g.MaxDegree())
		one, two := degrees.Lowered(g, lambda), degrees.Lowered(isolate(t, g, v), lambda)
		const share = 0.5
		size := float64(2*g.Nodes() + 1)
		loss := 0.0
		for low := 0; low <= lambda; {
			high := low + rapid.IntRange(1, lambda+1-low).Draw(t2, "width")
			law := func(s *degrees.Bounded) []float64 {
				var scores []float64
				for at := low + 1; at < high; at++ {
					scores = append(scores,
						float64(min(s.Within(low, at-1), s.Within(at, high-1))))
				}
				return testinput.Law(scores, share/size)
			}
			p, q := law(one), law(two)
			region := 0.0
			for i := range p {
				region = max(region, math.Abs(math.Log(p[i]/q[i])))
			}
			loss += region
			low = high
		}
		bound := share * 2 * float64(lambda+1) / size
		if loss > bound {
			t2.Fatalf("a level lost %v, bound %v", loss, bound)
		}
		worst = max(worst, loss/bound)
	})
	if worst == 0 {
		t.Error("no level lost anything: the search visits nothing")
	}
}

// TestRootCut is claim R-G, errata G2: under equation 4 with a fifteenth of half the budget the
// root's cut is uniform as far as 10,000 draws can tell, for epsilon up to 1; two million draws
// tell at epsilon 10, and follow the exact law. Chi-square with a false-alarm rate of 1e-6 for each
// of the four tests that must pass.
func TestRootCut(t *testing.T) {
	statistics := must.Get(graph.Networks[0].Statistics.DegreeSequence())
	sequence := make([]int, len(statistics))
	for i, d := range statistics {
		sequence[i] = int(d)
	}
	const lambda = 248
	s := tabulate(sequence, lambda)
	critical := distuv.ChiSquared{K: lambda - 1}.Quantile(1 - 1e-6)
	for _, test := range []struct {
		epsilon float64
		draws   int
		uniform bool
	}{{0.01, 10_000, true}, {1, 10_000, true}, {10, 2_000_000, false}} {
		in := testinput.GraphInput(nil, DefaultParams(), algorithms.Published, test.epsilon, 5)
		tree := newTree(context.Background(), in, DefaultParams(), s, in.Budget.Root())
		observed, scores := make([]float64, lambda), make([]float64, lambda)
		for i := range scores {
			left, right := s.Within(0, i), s.Within(i+1, lambda)
			scores[i] = float64(left + right - max(left-right, right-left))
		}
		for range test.draws {
			path := tree.paths[0].Fork()
			cut := must.Get(tree.cut(&path, 0, lambda+1))
			observed[cut-1]++
		}
		law := testinput.Law(scores, test.epsilon/30/float64(4*len(sequence)+2))
		if got := testinput.ChiSquare(observed, law); got > critical {
			t.Errorf("epsilon %v: chi-square %v against the exact law, at most %v expected",
				test.epsilon, got, critical)
		}
		must.Be(t, testinput.ChiSquare(observed, nil) <= critical, test.uniform, test.epsilon,
			critical)
	}
}

// TestReadings: figures found beforehand by another program on the four networks. Noise for the
// nodes at a leaf's boundary and the rigorous bound are so large that the release is no better than
// n zeros; Laplace noise is.
func TestReadings(t *testing.T) {
	for _, published := range graph.Networks {
		g := testinput.Network(t, published.Name)
		truth := g.DegreeSequence()
		zeros := testinput.W2(make([]int32, len(truth)), truth)
		for _, test := range []struct {
			counts   Counts
			low, top float64 // of the zeros' distance
		}{{Printed, 0.9, 1.1}, {Cross, 0.9, 1.1}, {Rigorous, 0.9, 1.1}, {Laplace, 0, 0.8}} {
			p := DefaultParams()
			p.Counts, p.Lambda = test.counts, degrees.MaxDegree
			const seeds = 5
			distance := 0.0
			for seed := range uint64(seeds) {
				distance += testinput.W2(testinput.Release(t, Algorithm,
					testinput.GraphInput(g, p, algorithms.Published, 0.1,
						seed)).Degrees, truth) / seeds
			}
			if distance < test.low*zeros || distance > test.top*zeros {
				t.Errorf("%s, %s: distance %v, that of n zeros is %v", published.Name, test.counts,
					distance, zeros)
			}
		}
	}
}

// TestBounds counts by hand what each reading takes for the most that a node moves the count of a
// leaf, in a sequence with two nodes of degree 2, three of 3 and one of 5.
func TestBounds(t *testing.T) {
	table := tabulate([]int{2, 2, 3, 3, 3, 5}, 5)
	for _, leaf := range []struct {
		low, high                   int // degrees low to high-1
		printed, cross, unit, exact float64
	}{{2, 4, 1 + 2 + 3, 1 + 2 + 0, 1, 5}, {3, 6, 1 + 3 + 1, 1 + 3 + 0, 1, 4},
		{3, 4, 1 + 3, 1 + 3 + 0, 1, 3}, {2, 3, 1 + 2, 1 + 2 + 3, 1, 2}} {
		for counts, want := range map[Counts]float64{Printed: leaf.printed, Cross: leaf.cross,
			Unit: leaf.unit} {
			bound := (&tree{params: &Params{Counts: counts, Depth: 1}, degrees: table}).boundary()
			must.Be(t, bound(1, leaf.low, leaf.high, 0), want, counts, leaf.low, leaf.high-1)
		}
		must.Be(t, float64(table.Within(leaf.low, leaf.high-1)), leaf.exact, "degrees", leaf.low,
			leaf.high-1)
	}
}

// TestScale is errata G6: figures found beforehand by another program, on a network like this one,
// for the scale of Cauchy noise under the rigorous bound, half of epsilon and n = 769. Here it is
// the mean over leaves of one degree, Λ = n-1.
func TestScale(t *testing.T) {
	g := testinput.Network(t, "Caltech36")
	s := degrees.Lowered(g, g.Nodes()-1)
	bound := (&tree{params: &Params{Counts: Rigorous, Depth: 1}, degrees: s}).boundary()
	for depth, test := range []struct{ epsilon, want float64 }{{1, 170}, {0.1, 16_600}} {
		mean := 0.0
		for d := range s.Bound + 1 {
			mean += 6 / (test.epsilon / 2) * bound(test.epsilon/2, d, d+1,
				depth) / float64(s.Bound+1)
		}
		must.Near(t, mean/test.want, 1, 0.05, "epsilon", test.epsilon, mean, test.want)
	}
}

func TestGuarantees(t *testing.T) {
	p := DefaultParams()
	for _, test := range []struct {
		lambda degrees.Cap
		v      algorithms.Variant
		status algorithms.Status
		g4     bool
	}{
		{degrees.Nodes, algorithms.Published, algorithms.Broken, false},
		{degrees.MaxDegree, algorithms.Published, algorithms.Broken, true},
		{"50", algorithms.Strict, algorithms.Holds, true},
		{degrees.MaxDegree, algorithms.Strict, algorithms.Broken, true},
	} {
		p.Lambda = test.lambda
		g := p.Guarantee(test.v)
		if g.Status != test.status || slices.Contains(g.Errata, "G4") != test.g4 ||
			g.Unit != "node" {
			t.Errorf("%s, lambda %s: %+v", test.v, test.lambda, g)
		}
	}
	must.Fail(t, p.CheckVariant(algorithms.Strict), "", "strict with the maximum degree")
	p.Lambda = degrees.Estimated
	if got := p.Guarantee(algorithms.Strict); got.Status != algorithms.Holds ||
		got.MaxDegree != 0 {
		t.Errorf("%+v, must hold for every graph", got)
	}
	p.Counts = Rigorous
	must.Fail(t, p.Validate(), "counts: rigorous", "a rigorous bound for projected degrees")
}
