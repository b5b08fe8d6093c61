package day2016

import (
	"context"
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
	"ppdp/datasets/graph"
	"ppdp/internal/declared"
	"ppdp/privacy"
	"ppdp/random"
)

// release runs the baseline with fresh streams.
func release(t testing.TB, g *datasets.Graph, p *Params, v algorithms.Variant, epsilon float64,
	seed uint64) *algorithms.Release {
	t.Helper()
	return testinput.Release(t, Algorithm{}, testinput.GraphInput(g, p, v, epsilon, seed))
}

// TestNoNoise: without noise the release is the projection's degrees, and for θ = n-1 the graph's
// own. θ chosen privately, noise costs nothing then, and no smaller θ keeps as many edges.
func TestNoNoise(t *testing.T) {
	const epsilon = 1e12 // noise below 1e-9, which rounding removes
	rapid.Check(t, func(t2 *rapid.T) {
		g := testinput.DrawGraph(t2, 12)
		theta := rapid.IntRange(1, 13).Draw(t2, "theta")
		for _, form := range []Form{Cumulative, Histogram} {
			for _, v := range []algorithms.Variant{algorithms.Strict, algorithms.Published} {
				p := &Params{Form: form, Theta: strconv.Itoa(theta), Lambda: degrees.Nodes}
				var want []int32
				for d, n := range degrees.Project(g, min(theta, max(1, g.Nodes()-1))).Counts {
					want = append(want, slices.Repeat([]int32{int32(d)}, int(n))...)
				}
				if got := release(t, g, p, v, epsilon, 1).Degrees; !slices.Equal(got, want) {
					t2.Fatalf("%s, theta %d: degrees %v, want %v", form, theta, got, want)
				}
				p.Theta = PrivateTheta
				got := release(t, g, p, v, epsilon, 1).Degrees
				if !slices.Equal(got, g.DegreeSequence()) {
					t2.Fatalf("%s: degrees %v, want %v", form, got, g.DegreeSequence())
				}
			}
		}
	})
}

// TestBudget: fixed θ spends all of epsilon on counts, private θ a tenth of it on the choice,
// nothing is over.
func TestBudget(t *testing.T) {
	g, err := graph.ErdosRenyi(context.Background(), random.NewKey(1).Stream(), 200, 0.05)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		theta string
		want  []float64
	}{{"8", []float64{0.5}}, {PrivateTheta, []float64{0.05, 0.45}}} {
		budget := privacy.NewBudget(0.5)
		p := &Params{Form: Histogram, Theta: test.theta, Lambda: "50"}
		r, err := Algorithm{}.Release(context.Background(), algorithms.Input{Graph: g, Params: p,
			Variant: algorithms.Strict,
			Budget:  budget, Noise: random.NewStreams(random.NewKey(1))})
		if err != nil {
			t.Fatal(err)
		}
		ledger := budget.Ledger()
		if len(ledger) != len(test.want) {
			t.Fatalf("theta %s: ledger %+v", test.theta, ledger)
		}
		for i, entry := range ledger {
			if math.Abs(entry.Cost-test.want[i]) > 1e-12 || entry.Claimed != float64(entry.Proven) {
				t.Errorf("theta %s: entry %+v, want epsilon %v", test.theta, entry, test.want[i])
			}
		}
		if want := float64(2 * r.Structure.Leaves); ledger[len(ledger)-1].Claimed != want {
			t.Errorf("sensitivity %v for %d cells, want %v", ledger[len(ledger)-1].Claimed,
				r.Structure.Leaves, want)
		}
		if len(r.Degrees) != g.Nodes() || !slices.IsSorted(r.Degrees) || r.Degrees[0] < 0 ||
			int(r.Degrees[len(r.Degrees)-1]) >= r.Structure.Leaves {
			t.Errorf("theta %s: degrees %v", test.theta, r.Degrees)
		}
	}
}

// TestNearestCounts compares with every support: the nearest point with sum total lies on one of
// the faces of the simplex, where it is the values less a common amount.
func TestNearestCounts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		values := rapid.SliceOfN(rapid.Float64Range(-20, 20), n, n).Draw(t, "values")
		total := rapid.Float64Range(0.5, 30).Draw(t, "total")
		best, nearest := math.Inf(1), []float64(nil)
		for mask := 1; mask < 1<<n; mask++ {
			sum, size := 0.0, 0.0
			for i, v := range values {
				if mask>>i&1 == 1 {
					sum += v
					size++
				}
			}
			point, distance, inside := make([]float64, n), 0.0, true
			for i, v := range values {
				if mask>>i&1 == 1 {
					point[i] = v - (sum-total)/size
				}
				inside = inside && point[i] >= 0
				distance += (point[i] - v) * (point[i] - v)
			}
			if inside && distance < best {
				best, nearest = distance, point
			}
		}
		nearestCounts(values, total)
		for i := range values {
			if math.Abs(values[i]-nearest[i]) > 1e-6 {
				t.Fatalf("%v, want %v", values, nearest)
			}
		}
	})
}

// TestChoice: the exponential mechanism's law over θ, drawn 20,000 times, agrees with
// exp(ε₁·score/2). The statistic has at most 5 degrees of freedom, whose chi-square exceeds 30 once
// in 60,000 seeds.
func TestChoice(t *testing.T) {
	g, err := graph.BarabasiAlbert(context.Background(), random.NewKey(5).Stream(), 60, 3)
	if err != nil {
		t.Fatal(err)
	}
	const epsilon, draws = 5.0, 20_000
	p := &Params{Form: Cumulative, Theta: PrivateTheta, Lambda: "32"}
	thetas := []int{1, 2, 4, 8, 16, 32}
	quality := make([]float64, len(thetas))
	for i, theta := range thetas {
		noise := 3 * math.Sqrt(float64(theta)) * float64(2*theta) / (0.9 * epsilon)
		quality[i] = 2*float64(degrees.Project(g, theta).Edges) - noise
	}
	law, sum := make([]float64, len(thetas)), 0.0
	for i := range thetas {
		worst := 0.0
		for j := range thetas {
			worst = max(worst, (quality[j]-quality[i])/2/float64(max(thetas[i], thetas[j])))
		}
		law[i] = math.Exp(-0.1 * epsilon * worst / 2)
		sum += law[i]
	}
	chosen := make(map[int]int)
	for seed := range uint64(draws) {
		budget := privacy.NewBudget(epsilon)
		path := budget.Root()
		theta, err := chooseTheta(context.Background(), algorithms.Input{Graph: g, Budget: budget,
			Noise: random.NewStreams(random.NewKey(seed))}, p, &path)
		if err != nil {
			t.Fatal(err)
		}
		chosen[theta]++
	}
	statistic := 0.0
	for i, theta := range thetas {
		expected := draws * law[i] / sum
		if expected < 5 {
			t.Fatalf("theta %d is expected %v times, the test needs more draws", theta, expected)
		}
		statistic += math.Pow(float64(chosen[theta])-expected, 2) / expected
	}
	if statistic > 30 {
		t.Errorf("chi-square %v over %v", statistic, chosen)
	}
}

func TestParams(t *testing.T) {
	if err := declared.Check(DefaultParams()); err != nil {
		t.Error(err)
	}
	err := declared.Check(&Params{Form: "pdf", Theta: "0", Lambda: "x"})
	for _, key := range []string{"form: ", "theta: ", "lambda: "} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%v, want %q", err, key)
		}
	}
	err = declared.Check(&Params{Form: Histogram, Theta: PrivateTheta, Lambda: degrees.Estimated})
	if err == nil || !strings.Contains(err.Error(), "lambda: \"private\"") {
		t.Errorf("%v, must refuse lambda: private", err)
	}
	leaky := &Params{Form: Cumulative, Theta: PrivateTheta, Lambda: degrees.MaxDegree}
	a := Algorithm{}
	if err := a.CheckVariant(algorithms.Strict, leaky); err == nil {
		t.Error("strict takes lambda: max-degree")
	}
	g := a.Guarantee(algorithms.Published, leaky)
	if g.Status != algorithms.Broken || !slices.Contains(g.Errata, "G4") {
		t.Errorf("guarantee %+v under lambda: max-degree", g)
	}
	leaky.Theta = "16" // lambda is not read
	if err := a.CheckVariant(algorithms.Strict, leaky); err != nil {
		t.Error(err)
	}
}

// prepare does for a graph what its first release with private theta would: sorts the edges and
// projects by every candidate.
func prepare(g *datasets.Graph, p *Params) {
	for _, theta := range degrees.Candidates(p.Lambda.Of(g)) {
		degrees.Project(g, theta)
	}
}

func benchmarkRelease(b *testing.B, g *datasets.Graph, p *Params) {
	if p.Theta == PrivateTheta {
		prepare(g, p)
	}
	seed := uint64(0)
	for b.Loop() {
		seed++
		release(b, g, p, algorithms.Strict, 1, seed)
	}
	b.ReportMetric(float64(g.Nodes())*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
}

func BenchmarkReleaseUNC(b *testing.B) {
	benchmarkRelease(b, testinput.Network(b, "UNC28"), DefaultParams())
}

func BenchmarkReleaseUNCHistogram(b *testing.B) {
	benchmarkRelease(b, testinput.Network(b, "UNC28"), &Params{Form: Histogram, Theta: "512",
		Lambda: degrees.Nodes})
}

func BenchmarkReleaseMillion(b *testing.B) {
	g, err := graph.BarabasiAlbert(context.Background(), random.NewKey(1).Stream(), 1_000_000, 5)
	if err != nil {
		b.Fatal(err)
	}
	benchmarkRelease(b, g, DefaultParams())
}

func BenchmarkPrepareUNC(b *testing.B) {
	g := testinput.Network(b, "UNC28")
	for b.Loop() {
		fresh := &datasets.Graph{Offsets: g.Offsets, Neighbours: g.Neighbours}
		prepare(fresh, DefaultParams())
	}
	b.ReportMetric(float64(g.Edges())*float64(b.N)/b.Elapsed().Seconds(), "edges/s")
}
