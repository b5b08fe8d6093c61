package pgm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func setsOf(cliques [][]int) []set {
	sets := make([]set, len(cliques))
	for i, c := range cliques {
		sets[i] = setOf(c)
	}
	return sets
}

// exactly is for fits that are to reach their minimum.
var exactly = Options{Iterations: 20000, MaxCells: 1e6}

func mustFit(t testing.TB, sizes []int, measured []Measurement, total float64, o Options) *Model {
	t.Helper()
	return must.Get(Fit(t.Context(), sizes, measured, total, o, nil))
}

// joint is a table over all attributes, by brute force.
type joint struct {
	sizes  []int
	values []float64
}

func (j joint) all() []int {
	all := make([]int, len(j.sizes))
	for a := range all {
		all[a] = a
	}
	return all
}

// marginal sums the joint table out, cell by cell.
func (j joint) marginal(attributes []int) []float64 {
	n := 1
	for _, a := range attributes {
		n *= j.sizes[a]
	}
	out := make([]float64, n)
	codes := make([]int, len(j.sizes))
	for cell, x := range j.values {
		rest := cell
		for a := len(codes) - 1; a >= 0; a-- {
			codes[a] = rest % j.sizes[a]
			rest /= j.sizes[a]
		}
		at := 0
		for _, a := range attributes {
			at = at*j.sizes[a] + codes[a]
		}
		out[at] += x
	}
	return out
}

// measured are marginals without noise.
func (j joint) measured(cliques [][]int) (all []Measurement) {
	for _, c := range cliques {
		all = append(all, Measurement{c, j.marginal(c), []float64{1}})
	}
	return all
}

// jointOf multiplies out the potentials of a model's cliques.
func jointOf(m *Model, theta []float64) joint {
	j := joint{sizes: m.sizes}
	cells := 1
	for _, n := range m.sizes {
		cells *= n
	}
	logs := make([]float64, cells)
	for i := range m.nodes {
		n := &m.nodes[i]
		for cell, at := range cellMap(m.sizes, j.all(), n.attributes) {
			logs[cell] += theta[n.from+int(at)]
		}
	}
	top, sum := slices.Max(logs), 0.0
	for _, l := range logs {
		sum += math.Exp(l - top)
	}
	for _, l := range logs {
		j.values = append(j.values, m.Total*math.Exp(l-top)/sum)
	}
	return j
}

func compare(t *testing.T, what string, got, want []float64, tolerance float64) {
	t.Helper()
	for cell := range want {
		if math.Abs(got[cell]-want[cell]) > tolerance {
			t.Errorf("%s: cell %d is %v, want %v", what, cell, got[cell], want[cell])
			return
		}
	}
}

// simplex projects a vector on the vectors of a sum without negative elements, by sorting.
func simplex(y []float64, total float64) []float64 {
	sorted := slices.Clone(y)
	slices.Sort(sorted)
	slices.Reverse(sorted)
	sum, shift := 0.0, 0.0
	for i, x := range sorted {
		sum += x
		if s := (sum - total) / float64(i+1); x-s > 0 {
			shift = s
		}
	}
	out := make([]float64, len(y))
	for i, x := range y {
		out[i] = max(0, x-shift)
	}
	return out
}

// randomTree is a positive table of a tree of pairs: attribute a leans on a-1 or an earlier one.
func randomTree(sizes []int, stream *random.Stream) (j joint, pairs [][]int) {
	cells := 1
	for _, n := range sizes {
		cells *= n
	}
	j = joint{sizes, make([]float64, cells)}
	for cell := range j.values {
		j.values[cell] = 1
	}
	for a := 1; a < len(sizes); a++ {
		b := stream.IntN(a)
		pairs = append(pairs, []int{b, a})
		weights := make([]float64, sizes[a]*sizes[b])
		for i := range weights {
			weights[i] = 0.2 + stream.Float64()
		}
		for cell, at := range cellMap(sizes, j.all(), []int{b, a}) {
			j.values[cell] *= weights[at]
		}
	}
	sum := 0.0
	for _, x := range j.values {
		sum += x
	}
	for cell := range j.values {
		j.values[cell] *= 1000 / sum
	}
	return j, pairs
}

// TestLargestEntropy: of all tables with the marginals of a cycle of pairs, iterative proportional
// fitting by brute force finds the one of largest entropy.
func TestLargestEntropy(t *testing.T) {
	stream := random.NewKey(10).Stream()
	sizes := []int{2, 3, 2, 3}
	j, _ := randomTree(sizes, stream)
	for cell := range j.values { // no tree, and no model of pairs
		j.values[cell] *= 0.5 + stream.Float64()
	}
	cycle := [][]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}
	want := joint{sizes, make([]float64, len(j.values))}
	total := 0.0
	for cell, x := range j.values {
		want.values[cell] = 1
		total += x
	}
	measured := j.measured(cycle)
	for range 2000 {
		for i, c := range cycle {
			own := want.marginal(c)
			for cell, at := range cellMap(sizes, j.all(), c) {
				want.values[cell] *= measured[i].Counts[at] / own[at]
			}
		}
	}
	m := mustFit(t, sizes, measured, total, exactly)
	compare(t, "joint", m.Marginal(j.all()), want.values, 1e-3)
	if farther := mustFit(t, sizes, measured, total, Options{Iterations: 5,
		MaxCells: 1e6}); math.Abs(farther.Marginal(j.all())[0]-want.values[0]) < 1e-3 {
		t.Error("5 steps are as good: the test shows nothing")
	}
}

// TestWeights: of two measurements of one marginal the fit is the mean, weighted by the inverse of
// the variances; of different ones each count has its own.
func TestWeights(t *testing.T) {
	m := mustFit(t, []int{3}, []Measurement{
		{[]int{0}, []float64{10, 20, 70}, []float64{1}},
		{[]int{0}, []float64{20, 20, 60}, []float64{4}},
	}, 100, exactly)
	compare(t, "mean", m.Marginal([]int{0}), []float64{12, 20, 68}, 1e-6)
	// of least squares under a sum: the error of 10 is shared by variance
	m = mustFit(t, []int{2}, []Measurement{
		{[]int{0}, []float64{30, 60}, []float64{1, 4}}}, 100, exactly)
	compare(t, "shared", m.Marginal([]int{0}), []float64{32, 68}, 1e-6)
	// a marginal inside the other one's clique
	m = mustFit(t, []int{2, 2}, []Measurement{
		{[]int{0, 1}, []float64{25, 25, 25, 25}, []float64{1}},
		{[]int{0}, []float64{80, 20}, []float64{2}},
	}, 100, exactly)
	compare(t, "overlap", m.Marginal([]int{0}), []float64{65, 35}, 1e-6)
	compare(t, "overlap", m.Marginal([]int{0, 1}), []float64{32.5, 32.5, 17.5, 17.5}, 1e-6)
}

func TestTotal(t *testing.T) {
	got := Total([]Measurement{
		{[]int{0}, []float64{10, 20, 70}, []float64{1}},            // 100, variance 3
		{[]int{1}, []float64{50, 40}, []float64{2.5, 0.5}},         // 90, variance 3
		{[]int{0, 1}, []float64{1, 2, 3, 4, 5, 97}, []float64{1}}}) // 112, variance 6
	if want := (100./3 + 90./3 + 112./6) / (1./3 + 1./3 + 1./6); math.Abs(got-want) > 1e-12 {
		t.Errorf("total %v, want %v", got, want)
	}
	if Total(nil) != 1 || Total([]Measurement{{[]int{0}, []float64{-5}, []float64{1}}}) != 1 {
		t.Error("a total below 1")
	}
}

// randomCliques are pairs and triples of attributes.
func randomCliques(n, count int, stream *random.Stream) [][]int {
	var cliques [][]int
	for range count {
		c := stream.Perm(n)[:2+stream.IntN(2)]
		slices.Sort(c)
		cliques = append(cliques, c)
	}
	return cliques
}

// TestOracle compares sum-product and min-sum with brute force, on trees and on sets that need
// edges to be added, with potentials of wide range, zeros and -Inf.
func TestOracle(t *testing.T) {
	stream := random.NewKey(3).Stream()
	for trial := range 60 {
		sizes := []int{2, 3, 1, 4, 2, 3, 2}
		cliques := randomCliques(len(sizes), 1+stream.IntN(7), stream)
		m := &Model{Total: 50, tree: newTree(sizes, cheapest(sizes, setsOf(cliques)))}
		m.theta, m.mu = make([]float64, m.cells), make([]float64, m.cells)
		for cell := range m.theta {
			m.theta[cell] = 4 * (stream.Float64() - 0.5)
			switch {
			case trial%3 == 1:
				m.theta[cell] *= 500 // beyond what a float64 has exponents for
			case trial%3 == 2 && stream.IntN(5) == 0:
				m.theta[cell] = math.Inf(-1)
			}
		}
		o := newOracle(m.tree, m.Total)
		least := o.least(m.theta, make([]float64, m.cells))
		o.marginals(m.theta, m.mu)
		j := jointOf(m, m.theta)
		if math.IsNaN(j.values[0]) {
			continue // every cell is impossible
		}
		for i := range m.nodes {
			n := &m.nodes[i]
			compare(t, fmt.Sprint("trial ", trial, " clique ", n.attributes),
				m.mu[n.from:n.from+n.cells], j.marginal(n.attributes), 1e-9)
		}
		// the smallest sum over all records, from the same potentials
		want := math.Inf(1)
		logs := make([]float64, len(j.values))
		for i := range m.nodes {
			n := &m.nodes[i]
			for cell, at := range cellMap(sizes, j.all(), n.attributes) {
				logs[cell] += m.theta[n.from+int(at)]
			}
		}
		for _, l := range logs {
			want = min(want, l)
		}
		if math.Abs(least-want) > 1e-9 && least != want {
			t.Errorf("trial %d: least %v, want %v", trial, least, want)
		}
		for _, c := range append(randomCliques(len(sizes), 6, stream), []int{}, []int{3}, j.all()) {
			compare(t, fmt.Sprint("trial ", trial, " marginal ", c), m.Marginal(c), j.marginal(c),
				1e-9)
		}
		walks := m.Walks()
		for a := range sizes {
			others := stream.Perm(len(sizes))[:1+stream.IntN(len(sizes)-1)]
			others = slices.DeleteFunc(others, func(b int) bool { return a == b })
			for b, table := range walks.From(a, others) {
				if want := slices.Contains(others, b); want != (table != nil) {
					t.Errorf("trial %d of %d with %v: %v has a table", trial, a, others, b)
				} else if want {
					compare(t, fmt.Sprint("trial ", trial, " of ", a, " with ", b), table,
						j.marginal([]int{min(a, b), max(a, b)}), 1e-9)
				}
			}
		}
	}
}

// TestTrees: whatever is asked for lies in a clique, cliques that share an attribute are joined by
// cliques that have it, and there are as many cells as by definition.
func TestTrees(t *testing.T) {
	stream := random.NewKey(4).Stream()
	for range 200 {
		sizes := make([]int, 1+stream.IntN(90))
		for a := range sizes {
			sizes[a] = 1 + stream.IntN(3)
		}
		var cliques [][]int
		if len(sizes) > 3 {
			cliques = randomCliques(len(sizes), stream.IntN(min(12, len(sizes))), stream)
		}
		tr := newTree(sizes, cheapest(sizes, setsOf(cliques)))
		plain := min(cellsByDefinition(sizes, cliques, false),
			cellsByDefinition(sizes, cliques, true))
		if plain != float64(tr.cells) {
			t.Errorf("%d cells, by definition %v", tr.cells, plain)
		}
		for _, c := range cliques {
			if tr.covering(setOf(c)) < 0 {
				t.Errorf("%v lies in no clique", c)
			}
		}
		for a := range sizes {
			top := 0 // cliques with the attribute whose parent has it not
			for _, n := range tr.nodes {
				if slices.Contains(n.attributes, a) &&
					(n.parent < 0 || !slices.Contains(tr.nodes[n.parent].attributes, a)) {
					top++
				}
			}
			if top != 1 {
				t.Errorf("attribute %d of %v has %d parts", a, cliques, top)
			}
		}
	}
}

// TestGap: the certificate bounds the distance from the minimum at every number of iterations, and
// goes to 0.
func TestGap(t *testing.T) {
	stream := random.NewKey(5).Stream()
	sizes := []int{3, 4, 2, 3}
	var measured []Measurement
	for _, c := range [][]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3}} {
		n := int(setOf(c).cells(sizes))
		y := make([]float64, n)
		for i := range y {
			y[i] = 200/float64(n) + 30*(stream.Float64()-0.5)
		}
		measured = append(measured, Measurement{c, y, []float64{9}})
	}
	best := mustFit(t, sizes, measured, 200, Options{Iterations: 200000, MaxCells: 1e6})
	if best.Gap < 0 || best.Gap > 1e-5*best.Loss {
		t.Errorf("gap %v of a loss of %v", best.Gap, best.Loss)
	}
	for _, iterations := range []int{0, 1, 5, 20, 100, 1000} {
		m := mustFit(t, sizes, measured, 200, Options{Iterations: iterations, MaxCells: 1e6})
		if m.Gap < 0 || m.Loss-best.Loss > m.Gap*(1+1e-9) {
			t.Errorf("%d iterations: loss %v, least %v, gap %v", iterations, m.Loss, best.Loss,
				m.Gap)
		}
	}
	stopped := mustFit(t, sizes, measured, 200,
		Options{Iterations: 200000, Tolerance: 1e-3, MaxCells: 1e6})
	if stopped.Iterations >= 5000 || stopped.Loss > best.Loss*1.01 {
		t.Errorf("stopped after %d iterations at %v, least %v", stopped.Iterations, stopped.Loss,
			best.Loss)
	}
}

// TestWarmStart: a fit that starts from another one's potentials has their marginals at first, also
// where the new measurement makes the triangulation add other edges.
func TestWarmStart(t *testing.T) {
	stream := random.NewKey(6).Stream()
	moved := 0
	for trial := range 40 {
		sizes := []int{3, 2, 4, 2, 3, 2}
		j, _ := randomTree(sizes, stream)
		measured := j.measured(randomCliques(len(sizes), 7, stream))
		few := Options{Iterations: 30, MaxCells: 1e6}
		old := mustFit(t, sizes, measured[:6], 1000, few)
		warm := must.Get(Fit(t.Context(), sizes, measured, 1000, Options{MaxCells: 1e6}, old))
		for _, n := range old.nodes {
			if warm.covering(n.members) < 0 {
				moved++
			}
		}
		compare(t, fmt.Sprint("trial ", trial), warm.Marginal(j.all()),
			jointOf(old, old.theta).values, 1e-9)
	}
	if moved == 0 {
		t.Error("every old clique lies within a new one: nothing is tested")
	}
}

// TestRounding: of k records each value gets its share rounded up or down, the share on average.
func TestRounding(t *testing.T) {
	stream := random.NewKey(7).Stream()
	weights := []float64{0.1, 0, 2.5, 1, 1.4}
	const trials = 20000
	for _, k := range []int{1, 3, 7, 100} {
		counts, sums := make([]int, len(weights)), make([]float64, len(weights))
		for range trials {
			round(weights, k, counts, stream)
			total := 0
			for v, n := range counts {
				share := weights[v] / 5 * float64(k)
				if float64(n) < math.Floor(share) || float64(n) > math.Ceil(share) {
					t.Fatalf("%d records: value %d gets %d of %v", k, v, n, share)
				}
				sums[v] += float64(n)
				total += n
			}
			if total != k {
				t.Fatalf("%d of %d records", total, k)
			}
		}
		for v, sum := range sums { // within six standard deviations of a share of 1/2 at most
			if share := weights[v] / 5 * float64(k); math.Abs(sum/trials-share) >
				6*0.5/math.Sqrt(trials) {
				t.Errorf("%d records: value %d gets %v on average, want %v", k, v, sum/trials,
					share)
			}
		}
	}
	counts := make([]int, 4)
	round(make([]float64, 4), 10, counts, stream)
	if slices.Min(counts) < 2 || slices.Max(counts) > 3 {
		t.Errorf("without weights: %v", counts)
	}
}

// TestRecords: records have the model's marginals up to rounding in each group, also those that run
// through edges that were added.
func TestRecords(t *testing.T) {
	stream := random.NewKey(8).Stream()
	sizes := []int{3, 2, 4, 2}
	j, _ := randomTree(sizes, stream)
	cycle := [][]int{{0, 1}, {1, 2}, {2, 3}, {0, 3}}
	m := mustFit(t, sizes, j.measured(cycle), 1000, exactly)
	const rows = 200000
	columns := m.Records(rows, stream, nil)
	for _, c := range [][]int{{0}, {1}, {2}, {3}, {0, 1}, {1, 2}, {2, 3}, {0, 3}, {0, 2}, {1, 3}} {
		got := make([]float64, int(setOf(c).cells(sizes)))
		for row := range rows {
			at := 0
			for _, a := range c {
				at = at*sizes[a] + int(columns[a].At(int32(row)))
			}
			got[at] += 1000. / rows
		}
		// at most 12 groups of rounding an attribute, and independence within the groups
		compare(t, fmt.Sprint(c), got, m.Marginal(c), 1.5)
	}
	if n := len(m.Records(0, stream, nil)[0].U8); n != 0 {
		t.Errorf("%d of no records", n)
	}
}

// TestExtremeNoise: numbers far beyond the total, or hardly any noise, give tables of that total.
func TestExtremeNoise(t *testing.T) {
	stream := random.NewKey(11).Stream()
	for _, c := range []struct{ size, variance float64 }{{1e8, 1e15}, {1e15, 1e30}, {1e3, 1e-6}} {
		for trial := range 50 {
			sizes := []int{1, 1, 2, 5}
			var measured []Measurement
			for a, n := range sizes {
				y := make([]float64, n)
				for v := range y {
					y[v] = c.size * stream.NormFloat64()
				}
				measured = append(measured, Measurement{[]int{a}, y, []float64{c.variance}})
			}
			total := Total(measured)
			m := mustFit(t, sizes, measured, total, Options{Iterations: 300, MaxCells: 1e6})
			sum := 0.0
			for _, x := range m.Marginal([]int{0, 1, 2, 3}) {
				sum += x
			}
			if !(math.Abs(sum/total-1) < 1e-9) || !(m.Gap >= 0) || math.IsInf(m.Loss, 0) {
				t.Fatalf("%v, trial %d: mass %v of %v, loss %v, gap %v", c, trial, sum, total,
					m.Loss, m.Gap)
			}
		}
	}
}

// TestLittleNoise: in a few steps little noise is fitted as closely as much of it: to a deviation,
// or three records in 30,000. Counts of one attribute fall by a factor of .6 from each value to the
// next; the fit is their projection.
func TestLittleNoise(t *testing.T) {
	const total = 30000
	for _, deviation := range []float64{20, 2, 0.2} {
		stream := random.NewKey(1).Stream()
		y, left := make([]float64, 24), float64(total)
		for i := range y {
			y[i] = 0.4*left + deviation*(stream.Float64()-0.5)*math.Sqrt(12)
			left *= 0.6
		}
		noisy := Measurement{[]int{0}, y, []float64{deviation * deviation}}
		m := mustFit(t, []int{len(y)}, []Measurement{noisy}, total,
			Options{Iterations: 200, Tolerance: 1e-3, MaxCells: 1e6})
		compare(t, fmt.Sprint("deviation ", deviation), m.Marginal([]int{0}), simplex(y, total),
			max(3, deviation))
	}
}

// TestSteps: fifty steps come within a thousandth of the least loss with much noise, by steps that
// grow as long as they are short enough, and nearer still with little, which is reached in stages.
func TestSteps(t *testing.T) {
	sizes := []int{3, 4, 2, 3}
	for seed := range uint64(3) {
		for _, deviation := range []float64{9, 1, 0.02} {
			stream := random.NewKey(seed).Stream()
			j, _ := randomTree(sizes, stream)
			measured := j.measured([][]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {3}})
			for _, m := range measured {
				m.Variances[0] = deviation * deviation
				for cell := range m.Counts {
					m.Counts[cell] += deviation * (stream.Float64() - 0.5) * math.Sqrt(12)
				}
			}
			few := mustFit(t, sizes, measured, 1000, Options{Iterations: 50, MaxCells: 1e6})
			many := mustFit(t, sizes, measured, 1000, Options{Iterations: 5000, MaxCells: 1e6})
			if more := few.Loss - many.Loss; more > min(1, deviation)*1e-3 {
				t.Errorf("deviation %v: the loss is %v, %v above the least", deviation, few.Loss,
					more)
			}
		}
	}
}

func TestRefusals(t *testing.T) {
	one := []Measurement{{[]int{0, 1}, make([]float64, 6), []float64{1}}}
	if _, err := Fit(t.Context(), []int{2, 3}, one, 1, Options{Iterations: 1, MaxCells: 5},
		nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("six cells of five: %v", err)
	}
	many := make([]int, 600)
	for a := range many {
		many[a] = 2
	}
	if _, err := Fit(t.Context(), many, nil, 1, exactly, nil); !errors.Is(err, ErrTooLarge) {
		t.Errorf("600 attributes: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Fit(ctx, []int{2, 3}, one, 1, exactly, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	// nothing measured: everything is equally likely
	m := mustFit(t, []int{2, 3}, nil, 12, exactly)
	compare(t, "nothing measured", m.Marginal([]int{0, 1}), []float64{2, 2, 2, 2, 2, 2}, 1e-12)
}
