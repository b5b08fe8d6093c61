package rpsgraph

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/internal/must"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// everyGraph lists the degrees of the graphs of five nodes and, for each, its neighbours by
// isolation of a node.
func everyGraph() (sequences [][]int, neighbours [][]int) {
	const n = 5
	var pairs [][2]int
	for u := range n {
		for v := u + 1; v < n; v++ {
			pairs = append(pairs, [2]int{u, v})
		}
	}
	sequences = make([][]int, 1<<len(pairs))
	neighbours = make([][]int, 1<<len(pairs))
	for mask := range sequences {
		sequences[mask] = make([]int, n)
		for i, pair := range pairs {
			sequences[mask][pair[0]] += mask >> i & 1
			sequences[mask][pair[1]] += mask >> i & 1
		}
		for v := range n {
			other := mask
			for i, pair := range pairs {
				if pair[0] == v || pair[1] == v {
					other &^= 1 << i
				}
			}
			if other != mask && !slices.Contains(neighbours[mask], other) {
				neighbours[mask] = append(neighbours[mask], other)
			}
		}
	}
	for mask := range sequences {
		for _, other := range neighbours[mask] {
			if other < mask { // isolation only clears bits
				neighbours[other] = append(neighbours[other], mask)
			}
		}
	}
	return sequences, neighbours
}

func tabulate(sequence []int, lambda int) *degrees.Bounded {
	table := make([]int, slices.Max(sequence)+2)
	for _, d := range sequence {
		for at := d + 1; at < len(table); at++ {
			table[at]++
		}
	}
	return &degrees.Bounded{Nodes: len(sequence), Bound: lambda,
		Most: max(lambda, len(table)-2), Table: table}
}

// TestSensitivities brute-forces the L1 sensitivities over all graphs of five nodes: cumulative
// counts at most Λ+min(Λ, k-1), leaf counts at most 2(Λ+1), both attained.
func TestSensitivities(t *testing.T) {
	const lambda = 4
	sequences, neighbours := everyGraph()
	mostLeaves, mostCumulative := 0, make(map[int]int)
	forms := [][]int32{growing(lambda), halving(nil, 0, lambda+1, 1), halving(nil, 0, lambda+1, 2)}
	for mask := range sequences {
		one := tabulate(sequences[mask], lambda)
		for _, other := range neighbours[mask] {
			two := tabulate(sequences[other], lambda)
			leaves := 0
			for d := range lambda + 1 {
				delta := one.Within(d, d) - two.Within(d, d)
				leaves += max(delta, -delta)
			}
			mostLeaves = max(mostLeaves, leaves)
			for _, starts := range forms {
				sum := 0
				for _, start := range starts[1:] {
					delta := one.Below(int(start)) - two.Below(int(start))
					sum += max(delta, -delta)
				}
				mostCumulative[len(starts)] = max(mostCumulative[len(starts)], sum)
			}
		}
	}
	if mostLeaves > 2*(lambda+1) {
		t.Errorf("leaf counts move by %d, bound %d", mostLeaves, 2*(lambda+1))
	}
	for _, starts := range forms {
		k := len(starts)
		if bound := lambda + min(lambda, k-1); mostCumulative[k] > bound {
			t.Errorf("%d cumulative counts move by %d, bound %d", k-1, mostCumulative[k], bound)
		}
	}
	if mostCumulative[lambda+1] != 2*lambda { // isolating one node of the complete graph
		t.Errorf("2Λ is not attained: %d", mostCumulative[lambda+1])
	}
}

// TestSmoothBound compares with the definition on all graphs of five nodes: for every leaf the
// bound is at least the smooth sensitivity, max over graphs of e^(-β·distance)·(local sensitivity
// there), and changes by a factor of at most e^β between neighbours.
func TestSmoothBound(t *testing.T) {
	const lambda, far = 4, 1 << 20
	sequences, neighbours := everyGraph()
	tables := make([]*degrees.Bounded, len(sequences))
	for mask := range sequences {
		tables[mask] = tabulate(sequences[mask], lambda)
	}
	distance := make([][]int, len(sequences))
	for from := range sequences {
		distance[from] = make([]int, len(sequences))
		for i := range distance[from] {
			distance[from][i] = far
		}
		distance[from][from] = 0
		queue := []int{from}
		for len(queue) > 0 {
			at := queue[0]
			queue = queue[1:]
			for _, other := range neighbours[at] {
				if distance[from][other] == far {
					distance[from][other] = distance[from][at] + 1
					queue = append(queue, other)
				}
			}
		}
	}
	for _, epsilon := range []float64{0.5, 6} {
		beta := privacy.Smoothness(epsilon)
		for _, leaf := range [][2]int{{0, 1}, {1, 3}, {2, 5}, {0, 5}, {4, 5}} {
			local, bounds := make([]int, len(sequences)), make([]float64, len(sequences))
			for mask := range sequences {
				for _, other := range neighbours[mask] {
					delta := tables[mask].Within(leaf[0], leaf[1]-1) - tables[other].Within(leaf[0],
						leaf[1]-1)
					local[mask] = max(local[mask], delta, -delta)
				}
				bound := (&tree{params: &Params{Counts: Rigorous},
					degrees: tables[mask]}).boundary()
				bounds[mask] = bound(epsilon, leaf[0], leaf[1], 0)
			}
			for mask := range sequences {
				smooth := 0.0
				for other := range sequences {
					decay := math.Exp(-beta * float64(distance[mask][other]))
					smooth = max(smooth, decay*float64(local[other]))
				}
				if smooth > bounds[mask]*(1+1e-12) {
					t.Fatalf("graph %010b, leaf %v, epsilon %v: bound %v below the smooth"+
						" sensitivity %v", mask, leaf, epsilon, bounds[mask], smooth)
				}
				for _, other := range neighbours[mask] {
					if bounds[mask] > bounds[other]*math.Exp(beta)*(1+1e-12) {
						t.Fatalf("graphs %010b and %010b, leaf %v, epsilon %v: bounds %v and %v",
							mask, other, leaf, epsilon, bounds[mask], bounds[other])
					}
				}
			}
		}
	}
}

// TestSmoothBlocks: skipping distances that cannot matter changes no bit of the bound.
func TestSmoothBlocks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sequence := rapid.SliceOfN(rapid.IntRange(0, 400), 1, 300).Draw(t, "degrees")
		s := tabulate(sequence, rapid.IntRange(1, 500).Draw(t, "lambda"))
		c := rapid.IntRange(-1, s.Bound+1).Draw(t, "c")
		beta := rapid.SampledFrom([]float64{1e-6, 0.001, 0.02, 0.3, 5}).Draw(t, "beta")
		want := 0.0
		for k := range 1000 {
			want = max(want, elementary.Exp(-beta*float64(k))*float64(min(s.Bound+1,
				1+k+s.Within(c-k, c+k))))
		}
		if got := smooth(s, c, beta); got != want {
			t.Fatalf("smooth(%d, %v) = %v, want %v", c, beta, got, want)
		}
	})
}

// TestFill works the readings out by hand: leaves begin at degrees 0, 2, 5 and 9.
func TestFill(t *testing.T) {
	starts := []int32{0, 2, 5, 9}
	for _, test := range []struct {
		how    Fill
		counts []float64
		n      int
		want   []int32
	}{
		{Lowest, []float64{1.6, -3, 0.5, 2}, 5, []int32{0, 0, 5, 9, 9}},    // 2, 0, 1, 2 (0.5 is 1)
		{Lowest, []float64{1, 1, 0, 0}, 5, []int32{0, 2, 9, 9, 9}},         // rest: the last one
		{Lowest, []float64{9, 1, 1, 1}, 3, []int32{0, 0, 0}},               // full at the first
		{Lowest, []float64{math.MaxFloat64, 1, 1, 1}, 3, []int32{0, 0, 0}}, // a tail of Cauchy's
		{Rescale, []float64{2, -9, 2, 0}, 4, []int32{0, 0, 5, 5}},          // 4 scaled to 4
		{Rescale, []float64{10, 10, 10, 10}, 4, []int32{0, 2, 5, 9}},       // 40 scaled to 4
		{Rescale, []float64{-1, 0, -1, -1}, 4, []int32{0, 2, 5, 9}},        // none known: all alike
		{Rescale, []float64{0, math.MaxFloat64, 0, 0}, 2, []int32{2, 2}},   // no overflow
		// sums 2, 1, 3, 4: 1.5, 1.5, 3, 4 rounds to 2, 2, 3
		{Cumulative, []float64{2, -1, 2, 1}, 4, []int32{0, 0, 5, 9}},
		{Cumulative, []float64{-5, 2, 1, 9}, 3, []int32{9, 9, 9}},            // sums below 0
		{Cumulative, []float64{-math.MaxFloat64, 0, 0, 0}, 2, []int32{9, 9}}, // no overflow
		{Cumulative, []float64{math.MaxFloat64, 0, 0, 0}, 2, []int32{0, 0}},
		// no nodes
		{Lowest, []float64{0, 0, 0, 0}, 0, []int32{}}, {Rescale, []float64{1, 1, 1, 1}, 0,
			[]int32{}},
	} {
		counts := slices.Clone(test.counts)
		must.Equal(t, fill(test.how, starts, counts, test.n), test.want, test.how, test.counts)
	}
}

// TestPlace works the readings of values out by hand: intervals 0 and 1, 2 to 4, 5 to 8, 9 to 12.
// Uniform values are within them, in order, and each of the four of the third is drawn a quarter of
// the time: within five standard deviations, which one seed in 400,000 misses.
func TestPlace(t *testing.T) {
	starts := []int32{0, 2, 5, 9}
	released := []int32{0, 2, 2, 5, 9, 9}
	for _, test := range []struct {
		values partition.Values
		want   []int32
	}{{partition.Low, released}, {partition.Midpoint, []int32{0, 3, 3, 6, 10, 10}}} {
		got := slices.Clone(released)
		place(test.values, nil, starts, 12, got)
		must.Equal(t, got, test.want, test.values)
	}
	const n = 40_000
	many := slices.Concat(slices.Repeat([]int32{2}, 3), slices.Repeat([]int32{5}, n))
	place(partition.Uniform, random.NewKey(7).Stream(), starts, 12, many)
	if many[0] < 2 || many[2] > 4 || !slices.IsSorted(many) {
		t.Errorf("not ascending from 2 to 4: %v", many[:4])
	}
	var drawn [13]float64
	for _, d := range many[3:] {
		drawn[d]++
	}
	for d := 5; d <= 8; d++ {
		must.Near(t, drawn[d], n/4, 5*math.Sqrt(n*0.25*0.75), "degree", d, n)
	}
	must.Be(t, drawn[5]+drawn[6]+drawn[7]+drawn[8], n, "drawn outside 5 to 8", drawn)
}
