package partition

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/internal/testinput"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// yearsOfBirth are Table I of Al-Hussaeni et al. 2018: the root of Fig. 4, years 1930 to 1999 and
// classes (Y, N).
var yearsOfBirth = Frequencies{
	Low: 1930, High: 1999, Root: 69,
	Values: []uint32{1947, 1953, 1955, 1957, 1959, 1968},
	Counts: []int32{1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1, 0},
}

// TestIntervalsOfExample45 is Example 4.5: seven intervals between the years of birth, and 1960 is
// a cut that [1959, 1968) can give.
func TestIntervalsOfExample45(t *testing.T) {
	c := CutPoints{Scorer: Scorer{Utility: MaxClass, Classes: 2}}
	c.intervals(&yearsOfBirth, 1)
	// The cut 1947 leaves 1947 above it, so an interval holds the cuts after one value up to the
	// next.
	want := []uint32{1931, 1948, 1954, 1956, 1958, 1960, 1969}
	must.Equal(t, c.first, want, "intervals begin")
	must.Equal(t, c.weights, []float64{17, 6, 2, 2, 2, 9, 30}, "intervals hold")
	// Largest class counts below and above, summed, by hand: (Y,N) is (3,3) over all.
	wantScores := []float64{3, 1 + 3, 2 + 3, 2 + 2, 2 + 1, 3 + 1, 3 + 0}
	must.Equal(t, c.scores, wantScores, "scores")
}

// drawFrequencies draws up to 5 values in an interval of up to 30 cells.
func drawFrequencies(t *rapid.T, classes int) Frequencies {
	f := Frequencies{Low: uint32(rapid.IntRange(0, 3).Draw(t, "low"))}
	f.High = f.Low + uint32(rapid.IntRange(2, 30).Draw(t, "cells"))
	f.Root = f.High + uint32(rapid.IntRange(0, 10).Draw(t, "rest"))
	f.Values = rapid.SliceOfNDistinct(rapid.Uint32Range(f.Low, f.High-1), 0, 5,
		rapid.ID[uint32]).Draw(t, "values")
	slices.Sort(f.Values)
	for range f.Values {
		counts := rapid.SliceOfN(rapid.Int32Range(0, 4), classes, classes).Draw(t, "counts")
		counts[0]++ // a value that is listed is present
		f.Counts = append(f.Counts, counts...)
	}
	return f
}

// sidesAt counts the rows below and from a cut on by definition.
func sidesAt(f *Frequencies, classes int, at uint32) []int32 {
	sides := make([]int32, 2*classes)
	for i, v := range f.Values {
		for y := range classes {
			if v < at {
				sides[y] += f.Counts[i*classes+y]
			} else {
				sides[classes+y] += f.Counts[i*classes+y]
			}
		}
	}
	return sides
}

// law is the probability that a candidate list gives each cut. The choice within an interval is
// proportional to exp(fall·place).
func law(c *CutPoints, epsilon float64) map[uint32]float64 {
	best := math.Inf(-1)
	for _, score := range c.scores {
		best = max(best, score)
	}
	sum := 0.0
	p := make(map[uint32]float64)
	for i := range c.scores {
		w := c.weights[i] * math.Exp(epsilon*(c.scores[i]-best)/(2*c.Scorer.Sensitivity()))
		sum += w
		parts := 0.0
		for j := range c.number[i] {
			parts += math.Exp(c.falls[i] * float64(j))
		}
		for j := range c.number[i] {
			p[c.first[i]+j] += w * math.Exp(c.falls[i]*float64(j)) / parts
		}
	}
	for at := range p {
		p[at] /= sum
	}
	return p
}

// TestEveryCutIsTheExponentialMechanism compares the intervals' law with the mechanism run over all
// cuts one by one.
func TestEveryCutIsTheExponentialMechanism(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(2, 3).Draw(t, "classes")
		f := drawFrequencies(t, classes)
		epsilon := rapid.SampledFrom([]float64{0.001, 0.5, 4}).Draw(t, "epsilon")
		scorer := Scorer{Utility: rapid.SampledFrom(Utilities()).Draw(t, "utility"),
			Classes: classes, Records: 40}
		c := CutPoints{Scorer: scorer}
		c.intervals(&f, epsilon)
		got := law(&c, epsilon)
		var scores []float64
		for at := f.Low + 1; at < f.High; at++ {
			penalties := []float64{float64(at-f.Low) / float64(f.Root),
				float64(f.High-at) / float64(f.Root)}
			scores = append(scores, scorer.Score(sidesAt(&f, classes, at), penalties))
		}
		if len(got) != len(scores) {
			t.Fatalf("%d cuts can be drawn, must be %d", len(got), len(scores))
		}
		for i, want := range testinput.Law(scores, epsilon/(2*scorer.Sensitivity())) {
			if at := f.Low + 1 + uint32(i); math.Abs(got[at]-want) > 1e-9 {
				t.Fatalf("cut %d has probability %v, must have %v", at, got[at], want)
			}
		}
	})
}

// mechanism returns a CutPoints ready to choose, and a path to charge.
func mechanism(scorer Scorer, rule CutRule, epsilon float64) (*CutPoints, privacy.Path) {
	budget := privacy.NewBudget(epsilon)
	stream := random.NewKey(1).Stream()
	choice := budget.Exponential("cut points", stream, privacy.Exact(scorer.Sensitivity()))
	return &CutPoints{Scorer: scorer, Rule: rule, Choice: choice, Draws: stream}, budget.Root()
}

// TestChosenCutsFollowTheLaw draws cuts and compares their frequencies with the law. The largest of
// the standardised deviations of 29 cuts over 4 settings exceeds 5 with probability below 116·6e-7
// = 7e-5.
func TestChosenCutsFollowTheLaw(t *testing.T) {
	const draws, epsilon = 20_000, 1.5
	f := Frequencies{Low: 0, High: 30, Root: 30, Values: []uint32{4, 9, 20},
		Counts: []int32{9, 1, 2, 2, 0, 5}}
	for _, utility := range Utilities() {
		t.Run(string(utility), func(t *testing.T) {
			c, path := mechanism(Scorer{Utility: utility, Classes: 2, Records: 19}, EveryCut,
				epsilon)
			seen := make(map[uint32]int)
			for range draws {
				fork := path.Fork()
				at := must.Get(c.Choose(&fork, epsilon, &f))
				if fork.Spent() != epsilon {
					t.Fatalf("%v was charged, must be %v", fork.Spent(), epsilon)
				}
				seen[at]++
			}
			expected := law(c, epsilon)
			for at := f.Low + 1; at < f.High; at++ {
				p := expected[at]
				deviation := (float64(seen[at]) - draws*p) / math.Sqrt(draws*p*(1-p))
				if math.Abs(deviation) > 5 {
					t.Errorf("cut %d was drawn %d times of %d, expected %.1f", at, seen[at], draws,
						draws*p)
				}
			}
		})
	}
}

// reachable lists the cuts of positive probability.
func reachable(scorer Scorer, rule CutRule, f Frequencies) []uint32 {
	c := CutPoints{Scorer: scorer, Rule: rule}
	c.intervals(&f, 0.1)
	var cuts []uint32
	for at := range law(&c, 0.1) {
		cuts = append(cuts, at)
	}
	slices.Sort(cuts)
	return cuts
}

// TestMidpointsTellNeighboursApart is errata D2: with 20 and 40 in [0, 100) the cuts are 10, 30 and
// 70; with 30 as well they are 10, 25, 35 and 70. Over every cut both tables reach the same.
func TestMidpointsTellNeighboursApart(t *testing.T) {
	scorer := Scorer{Utility: CertaintyPenalty, Classes: 1, Records: 2}
	two := Frequencies{High: 100, Root: 100, Values: []uint32{20, 40}, Counts: []int32{1, 1}}
	three := Frequencies{High: 100, Root: 100, Values: []uint32{20, 30, 40},
		Counts: []int32{1, 1, 1}}
	must.Equal(t, reachable(scorer, Midpoints, two), []uint32{10, 30, 70}, "midpoints of {20, 40}")
	must.Equal(t, reachable(scorer, Midpoints, three), []uint32{10, 25, 35, 70},
		"midpoints of {20, 30, 40}")
	var all []uint32
	for at := uint32(1); at < 100; at++ {
		all = append(all, at)
	}
	for name, f := range map[string]Frequencies{"{20, 40}": two, "{20, 30, 40}": three,
		"no records": {High: 100, Root: 100}} {
		must.Equal(t, reachable(scorer, EveryCut, f), all, "every cut", name)
	}
}

// TestProgramTellsNeighboursApart is errata D8: a record above the largest value makes cuts
// possible that were not, and a single record is cut off in the middle while two are not.
func TestProgramTellsNeighboursApart(t *testing.T) {
	scorer := Scorer{Utility: MaxClass, Classes: 1, Records: 2, Program: true}
	two := Frequencies{High: 100, Root: 100, Values: []uint32{20, 40}, Counts: []int32{1, 1}}
	if got := reachable(scorer, Program, two); got[len(got)-1] != 40 {
		t.Errorf("the largest cut of {20, 40} is %d, must be 40", got[len(got)-1])
	}
	three := Frequencies{High: 100, Root: 100, Values: []uint32{20, 40, 90},
		Counts: []int32{1, 1, 1}}
	if got := reachable(scorer, Program, three); got[len(got)-1] != 90 {
		t.Errorf("the largest cut of {20, 40, 90} is %d, must be 90", got[len(got)-1])
	}
	one := Frequencies{High: 100, Root: 100, Values: []uint32{20}, Counts: []int32{1}}
	must.Equal(t, reachable(scorer, Program, one), []uint32{50}, "cuts of {20}")
}

// TestEveryCutNeighbours bounds the privacy loss of a draw between tables that differ in one
// record, by all cuts of random small tables. The discernibility's Δu moves with |D|: errata D3
// bounds numerator and divisor together.
func TestEveryCutNeighbours(t *testing.T) {
	const epsilon = 1.0
	rapid.Check(t, func(t *rapid.T) {
		f := drawFrequencies(t, 2)
		utility := rapid.SampledFrom([]Utility{MaxClass, Discernibility, CertaintyPenalty}).Draw(t,
			"utility")
		more := Frequencies{Low: f.Low, High: f.High, Root: f.Root, Values: slices.Clone(f.Values),
			Counts: slices.Clone(f.Counts)}
		value := rapid.Uint32Range(f.Low, f.High-1).Draw(t, "new value")
		y := rapid.IntRange(0, 1).Draw(t, "new class")
		i, found := slices.BinarySearch(more.Values, value)
		if !found {
			more.Values = slices.Insert(more.Values, i, value)
			more.Counts = slices.Insert(more.Counts, 2*i, 0, 0)
		}
		more.Counts[2*i+y]++
		records := total(f.Counts) + rapid.IntRange(0, 10).Draw(t, "records elsewhere")
		a := CutPoints{Scorer: Scorer{Utility: utility, Classes: 2, Records: records}}
		b := CutPoints{Scorer: Scorer{Utility: utility, Classes: 2, Records: records + 1}}
		a.intervals(&f, epsilon)
		b.intervals(&more, epsilon)
		p, q := law(&a, epsilon), law(&b, epsilon)
		for at := range p {
			if loss := math.Abs(math.Log(p[at] / q[at])); loss > epsilon+1e-9 {
				t.Fatalf("cut %d has a loss of %v for an epsilon of %v", at, loss, epsilon)
			}
		}
	})
}

// TestChooseOverspent: a cut that the path cannot pay for is an error.
func TestChooseOverspent(t *testing.T) {
	c, path := mechanism(Scorer{Utility: MaxClass, Classes: 2}, EveryCut, 1)
	if _, err := c.Choose(&path, 2, &yearsOfBirth); !errors.Is(err, privacy.ErrOverspent) {
		t.Errorf("error %v, must be ErrOverspent", err)
	}
}

// TestScoresByHand divides 8 rows of classes (5, 3) into (4, 0), (1, 1) and (0, 2).
func TestScoresByHand(t *testing.T) {
	counts := []int32{4, 0, 1, 1, 0, 2}
	penalties := []float64{0.5, 0, 0.25}
	entropy := -(5*math.Log2(5.0/8) + 3*math.Log2(3.0/8)) / 8
	for utility, want := range map[Utility]float64{
		MaxClass:         4 + 1 + 2,
		Discernibility:   -(16 + 4 + 4),
		CertaintyPenalty: -(4*0.5 + 2*0.25),
		InformationGain:  entropy - 2.0/8, // only the even child has entropy left: 1 bit
	} {
		s := Scorer{Utility: utility, Classes: 2, Records: 8}
		must.Near(t, s.Score(counts, penalties), want, 1e-12, utility)
	}
	program := Scorer{Utility: Discernibility, Classes: 2, Records: 8, Program: true}
	must.Near(t, program.Score(counts, nil), 10000*(1-24.0/64), 1e-9, "the program scores dm")
	program.Utility = CertaintyPenalty
	must.Near(t, program.Score(counts, penalties), 8-2.5, 1e-12, "the program scores ncp")
}

// TestSensitivities adds one record to random divisions. Max, the certainty penalty and the
// information gain move by their Δu at most; the discernibility, for rows among at most |D|, by
// 2|D|+1.
func TestSensitivities(t *testing.T) {
	for _, utility := range Utilities() {
		t.Run(string(utility), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				classes := rapid.IntRange(2, 3).Draw(t, "classes")
				children := rapid.IntRange(1, 4).Draw(t, "children")
				counts := rapid.SliceOfN(rapid.Int32Range(0, 6), classes*children,
					classes*children).Draw(t, "counts")
				penalties := rapid.SliceOfN(rapid.Float64Range(0, 1), children, children).Draw(t,
					"penalties")
				more := slices.Clone(counts)
				more[rapid.IntRange(0, len(more)-1).Draw(t, "new record")]++
				s := Scorer{Utility: utility, Classes: classes, Records: total(counts)}
				change := s.Score(more, penalties) - s.Score(counts, penalties)
				if math.Abs(change) > s.Sensitivity()+1e-9 {
					t.Fatalf("one record moves the score by %v, Δu is %v", change, s.Sensitivity())
				}
				if s.Monotone() {
					if up := utility == MaxClass; up && change < -1e-12 || !up && change > 1e-12 {
						t.Fatalf("one record moves a monotone score by %v", change)
					}
				}
			})
		})
	}
}

// TestDiscernibilityLossOfOneLevel is errata D3. A level of the tree runs one mechanism in each
// region, all of them with scores divided by 2|D|+1, and |D| is the number of all records: one more
// record changes every region's choice. In random levels of up to four regions with up to four
// candidates each, the record's own region loses no more than the part that the proof gives it, the
// others together no more than theirs, and all no more than half of ε′.
func TestDiscernibilityLossOfOneLevel(t *testing.T) {
	const epsilon = 1.0
	rapid.Check(t, func(t *rapid.T) {
		regions := rapid.IntRange(1, 4).Draw(t, "regions")
		choices := rapid.IntRange(1, 4).Draw(t, "candidates")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 60), regions, regions).Draw(t, "sizes")
		records := rapid.IntRange(0, 20).Draw(t, "records elsewhere")
		for _, n := range sizes {
			records += n
		}
		own := rapid.IntRange(0, regions-1).Draw(t, "region of the new record")
		// The worst output takes the worst candidate in every region: the losses of independent
		// choices add up.
		var up, down [2]float64 // of the own region, of the others
		for region, n := range sizes {
			before, after := make([][]int32, choices), make([][]int32, choices)
			for i := range before {
				first := rapid.IntRange(0, n).Draw(t, "first child")
				before[i] = []int32{int32(first), int32(n - first)}
				after[i] = slices.Clone(before[i])
				if region == own {
					after[i][rapid.IntRange(0, 1).Draw(t, "child of the new record")]++
				}
			}
			p := chances(Scorer{Utility: Discernibility, Classes: 1, Records: records}, before,
				epsilon)
			q := chances(Scorer{Utility: Discernibility, Classes: 1, Records: records + 1}, after,
				epsilon)
			part := 1
			if region == own {
				part = 0
			}
			most, least := math.Inf(-1), math.Inf(1)
			for i := range p {
				ratio := math.Log(p[i] / q[i])
				most, least = max(most, ratio), min(least, ratio)
			}
			up[part], down[part] = up[part]+most, down[part]-least
		}
		N, n := float64(records), float64(sizes[own])
		bounds := [2]float64{epsilon * n / (2*N + 3),
			epsilon * (N - n) * (N - n) / ((2*N + 1) * (2*N + 3))}
		for part, bound := range bounds {
			if loss := max(up[part], down[part]); loss > bound+1e-9 {
				t.Fatalf("part %d loses %v, must lose at most %v", part, loss, bound)
			}
		}
		if loss := max(up[0]+up[1], down[0]+down[1]); loss > epsilon/2+1e-9 {
			t.Fatalf("a level loses %v, must lose at most half of %v", loss, epsilon)
		}
	})
}

// chances is the exponential mechanism by its definition.
func chances(s Scorer, candidates [][]int32, epsilon float64) []float64 {
	var scores []float64
	for _, counts := range candidates {
		scores = append(scores, s.Score(counts, nil))
	}
	return testinput.Law(scores, epsilon/(2*s.Sensitivity()))
}
