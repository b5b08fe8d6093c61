package disclosure

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// classOf is a class of as many records of each value.
func classOf(counts ...int) *Class {
	c := NewClass(len(counts))
	for value, n := range counts {
		if n > 0 {
			c.Add(uint32(value), n)
		}
	}
	return c
}

// TestWorkedExamples: what the definitions come to by hand.
func TestWorkedExamples(t *testing.T) {
	c := classOf(4, 2, 0, 2) // H = 1/2 ln 2 + 2/4 ln 4 = 1.5 ln 2
	if got := c.Entropy(); math.Abs(got-math.Pow(2, 1.5)) > 1e-12 || c.Distinct() != 3 {
		t.Errorf("entropy %v of %d values", got, c.Distinct())
	}
	for _, x := range []struct {
		c    float64
		want int
	}{
		{.5, 0},  // 4 < .5 · 8 is false
		{.6, 1},  // 4 < .6 · 8 = 4.8, 4 < .6 · 4 is not
		{1, 1},   // 4 < 4 is not
		{1.1, 2}, // 4 < 1.1 · 4, 4 < 1.1 · 2 is not
		{2, 2}, {2.1, 3}, {100, 3},
	} {
		if got := c.Recursive(x.c); got != x.want {
			t.Errorf("recursive (%v, l): l = %d, must be %d", x.c, got, x.want)
		}
	}
	// Exactly t, and exactly l by entropy, are kept, whatever rounding does.
	for l := 2; l < 50; l++ {
		counts := make([]int, l)
		for i := range counts {
			counts[i] = 3
		}
		limits := NoLimits()
		limits.L, limits.Diversity = l, Entropy
		if !limits.keeps(classOf(counts...), nil) {
			t.Errorf("%d equally frequent values have no entropy of %d", l, l)
		}
		if limits.L++; limits.keeps(classOf(counts...), nil) {
			t.Errorf("%d equally frequent values have an entropy of %d", l, limits.L)
		}
		limits = NoLimits()
		limits.T = float64(l-1) / float64(l)
		if whole := NewWhole(classOf(counts...), nil); !limits.keeps(classOf(append([]int{1},
			make([]int, l-1)...)...), whole) {
			t.Errorf("distance 1 - 1/%d is above %v", l, limits.T)
		}
	}
}

// cheapestMove is the earth mover's distance between two distributions, in whole units of both, by
// augmenting along cheapest paths until all has moved: cost(i, j) is for one unit.
func cheapestMove(from, to []int, cost func(i, j int) float64) (total float64) {
	n := len(from)
	flow := make([][]int, n)
	for i := range flow {
		flow[i] = make([]int, n)
	}
	for {
		// Nodes are sources 0 to n-1 and sinks n to 2n-1.
		distance, before := make([]float64, 2*n), make([]int, 2*n)
		for v := range distance {
			distance[v], before[v] = math.Inf(1), -1
			if v < n && from[v] > 0 {
				distance[v] = 0
			}
		}
		for range 2 * n {
			for i := range n {
				for j := range n {
					if d := distance[i] + cost(i, j); d < distance[n+j]-1e-12 {
						distance[n+j], before[n+j] = d, i
					}
					if d := distance[n+j] - cost(i, j); flow[i][j] > 0 && d < distance[i]-1e-12 {
						distance[i], before[i] = d, n+j
					}
				}
			}
		}
		best := -1
		for j := range n {
			if to[j] > 0 && (best < 0 || distance[n+j] < distance[n+best]) {
				best = j
			}
		}
		if best < 0 {
			return total
		}
		total += distance[n+best]
		to[best]--
		for v := n + best; ; {
			u := before[v]
			if u < 0 {
				from[v]--
				break
			}
			if v >= n {
				flow[u][v-n]++
			} else {
				flow[v][u-n]--
			}
			v = u
		}
	}
}

// TestDistances: the three distances are those of the cheapest way to move one distribution to the
// other, at the costs that define them (Li et al., sections 5.1 to 5.3).
func TestDistances(t *testing.T) {
	levels := [][]uint32{{0, 0, 1, 1, 2}, {0, 0, 0, 0, 1}}
	rapid.Check(t, func(t *rapid.T) {
		class := rapid.SliceOfN(rapid.IntRange(0, 2), 5, 5).Draw(t, "class")
		all := rapid.SliceOfN(rapid.IntRange(0, 2), 5, 5).Draw(t, "others")
		class[rapid.IntRange(0, 4).Draw(t, "one")]++
		n, total, occur, places := 0, 0, 0, make([]int, 5)
		for value := range all {
			all[value] += class[value]
			n, total = n+class[value], total+all[value]
			places[value] = occur
			if all[value] > 0 {
				occur++
			}
		}
		w, c := NewWhole(classOf(all...), levels), classOf(class...)
		for name, x := range map[Distance]func(i, j int) float64{ // order-free: each for itself
			Equal:   func(i, j int) float64 { return map[bool]float64{true: 0, false: 1}[i == j] },
			Ordered: func(i, j int) float64 { return math.Abs(float64(places[i] - places[j])) },
			Hierarchical: func(i, j int) float64 {
				for level, groups := range levels {
					if i == j {
						return 0
					}
					if groups[i] == groups[j] {
						return float64(level+1) / 3
					}
				}
				return 1
			},
		} {
			cost := func(i, j int) float64 {
				if i == j {
					return 0
				}
				return x(i, j)
			}
			from, to := make([]int, 5), make([]int, 5)
			for value := range from {
				from[value], to[value] = class[value]*total, all[value]*n
			}
			want := cheapestMove(from, to, cost) / float64(n*total)
			if name == Ordered && occur > 1 {
				want /= float64(occur - 1)
			}
			if got := w.Distance(name, c); math.Abs(got-want) > 1e-9 {
				t.Fatalf("%s distance of %v from %v is %v, the cheapest move costs %v", name,
					class, all, got, want)
			}
		}
	})
}

// TestMonotone: the union of two classes that keep a limit keeps it, whichever it is. With one that
// does not, it keeps limits that are upward, and by these examples need not keep the others.
func TestMonotone(t *testing.T) {
	limits := func(t *rapid.T) Limits {
		l := Limits{L: rapid.IntRange(1, 4).Draw(t, "l"), C: rapid.SampledFrom([]float64{.4, 1,
			3}).Draw(t, "c"), T: rapid.SampledFrom([]float64{.1, .3, .6, 1}).Draw(t, "t")}
		l.Diversity = rapid.SampledFrom([]Diversity{Distinct, Entropy, Recursive}).Draw(t,
			"diversity")
		l.Distance = rapid.SampledFrom([]Distance{Equal, Ordered, Hierarchical}).Draw(t, "distance")
		return l
	}
	rapid.Check(t, func(t *rapid.T) {
		l := limits(t)
		draw := func(name string) []int {
			return rapid.SliceOfN(rapid.IntRange(0, 5), 4, 4).Draw(t, name)
		}
		a, b, both, all := draw("a"), draw("b"), make([]int, 4), draw("others")
		a[0], b[3] = a[0]+1, b[3]+1
		for value := range both {
			both[value] = a[value] + b[value]
			all[value] += both[value]
		}
		w := NewWhole(classOf(all...), [][]uint32{{0, 0, 1, 1}})
		one, other := l.keeps(classOf(a...), w), l.keeps(classOf(b...), w)
		if (one && other || (one || other) && l.Upward()) && !l.keeps(classOf(both...), w) {
			t.Fatalf("%+v: %v and %v keep it, not %v of %v", l, a, b, both, all)
		}
	})
	w := NewWhole(classOf(6, 6), nil)
	for _, l := range []Limits{{L: 2, Diversity: Entropy, T: 1},
		{L: 2, Diversity: Recursive, C: 1.5, T: 1}, {L: 1, T: .2}} {
		if l.Upward() || !l.keeps(classOf(2, 2), w) || l.keeps(classOf(6, 2), w) {
			t.Errorf("%+v: that 2 and 2 keep it, and not with 4 more of one, is no example", l)
		}
	}
}

// TestKeep: classes that are left out change the distribution that others are compared with.
func TestKeep(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "s", High: 2, Step: 1,
		Role: datasets.Sensitive}}}
	classes := func(counts ...[2]int) (*datasets.Table, *Classes) {
		b, c := datasets.NewBuilder(schema, 0), &Classes{Values: [][]uint32{nil}}
		for _, pair := range counts {
			for value, n := range pair {
				for range n {
					b.AddRow(uint32(value))
					c.Values[0] = append(c.Values[0], uint32(value))
					c.Counts = append(c.Counts, 1)
				}
			}
			c.Ends = append(c.Ends, int32(len(c.Counts)))
		}
		return b.Table(), c
	}
	// Half of all have each value: {8, 0} and {0, 4} are .5 off and left out. 10 of 24 then have
	// value 0, so that {6, 2} is .33 off, where it was .25; without it {4, 12} is the whole.
	table, c := classes([2]int{8, 0}, [2]int{6, 2}, [2]int{4, 12}, [2]int{0, 4})
	for t0, want := range map[float64]string{ // order-free: each for itself
		.2: "[false false false false]", .26: "[false false true false]",
		.34: "[false true true false]", .5: "[true true true true]",
	} {
		l := NoLimits()
		l.T = t0
		checker := must.Get(l.Checker(table, table.AllRows(), 1))
		keep := []bool{true, true, true, true}
		checker.Keep(c, keep)
		if got := fmt.Sprint(keep); got != want {
			t.Errorf("t = %v: published are %s, must be %s", t0, got, want)
		}
	}
}

// TestSuppression: a share is of records, not of what a product is rounded to.
func TestSuppression(t *testing.T) {
	for share, want := range map[Suppression]int{.3333333333333333: 0, .3333333333333334: 1} {
		if got := share.Most(3); got != want { // a product of float64 is 1 for both
			t.Errorf("%v of 3 are %d, want %d", share, got, want)
		}
	}
	for hundredths := range 101 {
		for _, n := range []int{0, 100, 30_100, 1_000_000} {
			if got := (Suppression(float64(hundredths) / 100)).Most(n); got != hundredths*n/100 {
				t.Errorf("%d %% of %d are %d", hundredths, n, got)
			}
		}
	}
}
