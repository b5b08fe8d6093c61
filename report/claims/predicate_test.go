package claims

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/internal/results"
)

// TestPredicates judges exact values with each predicate and combinator.
func TestPredicates(t *testing.T) {
	// a is 1, 2, 4 and b 2, 2, 2 at epsilon 1, 2, 4.
	o := grid([]float64{1, 2, 4}, 2, func(series string, epsilon float64, _ int) float64 {
		if series == "a" {
			return epsilon
		}
		return 2
	})
	for _, c := range []struct {
		check string
		want  []float64 // the statistic at each point
		v     Verdict
	}{
		{"where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, min: 1, max: 4}",
			[]float64{1, 2, 4}, Holds},
		{"where: {metric: error, series: a, epsilon: \">=2\"}\neach: epsilon\n" +
			"range: {of: {}, min: 1}", []float64{2, 4}, Holds},
		{"where: {metric: error, series: a, epsilon: \"1|4.0\"}\neach: epsilon\n" +
			"range: {of: {}, max: 1}", []float64{1, 4}, Contradicted},
		{"where: {metric: error, series: a, epsilon: \">1\"}\neach: epsilon\n" +
			"range: {of: {}, max: 1}", []float64{2, 4}, Contradicted},
		{"where: {metric: error, series: a}\nmonotone: {of: {}, along: epsilon, is: increasing}",
			[]float64{3}, Holds},
		{"where: {metric: error, series: a}\nrange: {of: {take: spread over epsilon}, max: 3}",
			[]float64{3}, Holds},
		{"where: {metric: error}\nrange: {of: {take: [spread over epsilon, max over series]}, " +
			"max: 3}", []float64{3}, Holds},
		{"where: {metric: error, series: a}\nnear: {of: {take: mean over epsilon}, value: 2.3, " +
			"tolerance: 0.1}", []float64{7. / 3}, Holds},
		{"where: {metric: error, series: a}\nnear: {of: {take: min over epsilon}, value: 2, " +
			"tolerance: 0.5}", []float64{1}, Contradicted},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: a}, per: {where: " +
			"{series: b}}}, min: 0.5, max: 2}", []float64{0.5, 1, 2}, Holds},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: a}, minus: {where: " +
			"{series: b, epsilon: 1}, take: max over epsilon}, per: {where: {series: b}}}, " +
			"max: 1}", []float64{-0.5, 0, 1}, Holds},
		// Two of three are surely not above by 1.
		{"where: {metric: error}\neach: epsilon\norder: {left: {where: {series: a}}, is: above, " +
			"right: {where: {series: b}}, margin: 1}", []float64{-1, 0, 2}, Contradicted},
		// A standard error of two trials has no jackknife.
		{"where: {metric: error, series: b}\neach: epsilon\nrange: {of: {stat: se}, max: 0.1}",
			nil, NoData},
	} {
		j := judged(t, fileOf(t, c.check), o)
		if j.Verdict != c.v {
			t.Errorf("%s\n%s, want %s: %s", c.check, j.Verdict, c.v, j.Reason)
		}
		var got []float64
		for _, e := range j.Checks {
			for _, p := range e.Points {
				got = append(got, p.Value)
			}
		}
		near := func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }
		if !slices.EqualFunc(got, c.want, near) {
			t.Errorf("%s\nstatistics %v, want %v", c.check, got, c.want)
		}
	}
}

// TestMonotone: a curve supports a trend with all its steps, and one step back opposes it.
func TestMonotone(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	curve := func(trials int, values ...float64) *results.Run {
		places := five[:len(values)]
		return grid(places, trials, func(_ string, epsilon float64, _ int) float64 {
			return values[int(epsilon)-1]
		})
	}
	const rising, falling = "is: increasing", "is: decreasing"
	for _, c := range []struct {
		run    *results.Run
		is     string
		margin float64
		want   float64 // the difference that decides
		at     string
		v      Verdict
	}{
		{curve(2, 1, 2, 3, 4, 6), rising, 0, 5, "from 1 to 5", Holds},
		{curve(2, 6, 4, 3, 2, 1), falling, 0, -5, "from 1 to 5", Holds},
		{curve(2, 1, 2, 2, 4, 6), rising, 0, 5, "from 1 to 5", Holds}, // never back
		{curve(2, 2, 1, 4, 3.5, 5), rising, 0, -1, "from 1 to 2", Contradicted},
		{curve(2, 2, 1, 4, 3.5, 5), rising, 1, 3, "from 1 to 5", Holds},
		{curve(2, 1, 2, 3, 4, 6), falling, 1, 5, "from 1 to 5", Contradicted},
		{curve(2, 2, 2, 2, 2, 2), rising, 0, 0, "from 1 to 5", Undecided},
		{curve(2, 2, 2, 2.1, 2, 2), rising, 0.2, 0, "from 1 to 5", NoDifference},
		{curve(2, 2, 2, 2.5, 2, 2), rising, 0.2, -0.5, "from 3 to 4", Contradicted},
		{curve(2, 1, 3), rising, 0, 0, "", NoData}, // two points are no trend
		// Without trials, three of four points in order come by chance too often, five do not.
		{curve(1, 1, 2, 3), rising, 0, 2, "from 1 to 3", Undecided},
		{curve(1, 1, 2, 3, 4), rising, 0, 3, "from 1 to 4", Undecided},
		{curve(1, 1, 2, 3, 4, 6), rising, 0, 5, "from 1 to 5", Holds},
		{curve(1, 1, 2, 1, 4, 6), rising, 0, -1, "from 2 to 3", Contradicted},
	} {
		check := fmt.Sprintf("where: {metric: error, series: a}\nequal: %v\nexact: %t\n"+
			"monotone: {of: {}, along: epsilon, %s}", c.margin, c.run.Records[1].Trial == 0, c.is)
		j := judged(t, fileOf(t, check), c.run)
		if j.Verdict != c.v {
			t.Errorf("%s\n%s, %+v, want %s", check, j.Verdict, j.Checks, c.v)
		} else if c.v != NoData {
			p := j.Checks[0].Points[0]
			if math.Abs(p.Value-c.want) > 1e-12 || p.At != c.at {
				t.Errorf("%s\n%+v, want %v %s", check, p, c.want, c.at)
			}
		}
	}
	// The chance of an order is one in k!, and the rule doubles it for two directions.
	j := judged(t, fileOf(t, "where: {metric: error, series: a}\nexact: true\n"+
		"monotone: {of: {}, along: epsilon, is: increasing}"), curve(1, 1, 2, 3, 4, 6))
	if p := j.Checks[0].Points[0].P; math.Abs(p-2./120) > 1e-12 {
		t.Errorf("five values in order by chance: %v, want 2 of 120", p)
	}
}

// TestTrendErrors: curves without a trend are not found to have one, nor the contrary: independent
// equal points, and a plateau between two rises with a margin. The bound is that of TestErrorRates.
// A curve that rises by five of its errors at each step is found.
func TestTrendErrors(t *testing.T) {
	const claims = 300
	check := "where: {metric: error, series: a}\nequal: %v\n" +
		"monotone: {of: {}, along: epsilon, is: increasing}"
	for _, c := range []struct {
		points, trials int
		margin, rise   float64
		truth          Verdict // the verdicts that are right, with undecided
	}{
		{minTrend, 3, 0, 0, Undecided}, {5, 5, 0, 0, Undecided}, {10, 20, 0, 0, Undecided},
		{5, 20, 0.1, 0, NoDifference}, {5, 20, 0.5, 0.5, Holds}, {10, 20, 0.3, 3, Holds},
		{10, 20, 0.3, -3, Contradicted},
	} {
		l := fileOf(t, fmt.Sprintf(check, c.margin))
		noise := source{uint64(100*c.trials + c.points)}
		taken := map[Verdict]int{}
		for range claims {
			o := grid(tenEpsilons[:c.points], c.trials, func(_ string, e float64, _ int) float64 {
				return c.rise*float64(slices.Index(tenEpsilons, e)) + noise.normal()
			})
			taken[judged(t, l, o).Verdict]++
		}
		t.Logf("%+v: %v of %d", c, taken, claims)
		mistaken := claims - taken[Undecided]
		if c.truth != Undecided {
			mistaken -= taken[c.truth]
		}
		if float64(mistaken) > allowed(claims) {
			t.Errorf("%+v: %v", c, taken)
		}
		if math.Abs(c.rise) == 3 && taken[c.truth] < claims*9/10 {
			t.Errorf("%+v: %v, want nearly all", c, taken)
		}
	}
}

// TestGrowth: what grows like an order, times a power, has that power's exponent beyond it.
func TestGrowth(t *testing.T) {
	sizes := []float64{1e4, 1e5, 1e6, 1e7}
	power := func(exponent float64, order func(n float64) float64) *results.Run {
		return grid(sizes, 2, func(_ string, n float64, _ int) float64 {
			return 3e-9 * order(n) * math.Pow(n, exponent)
		})
	}
	linear := func(n float64) float64 { return n }
	linearithmic := func(n float64) float64 { return n * math.Log(n) }
	squared := func(n float64) float64 { return n * math.Log(n) * math.Log(n) }
	for _, c := range []struct {
		growth string
		o      *results.Run
		want   float64
		v      Verdict
	}{
		{"order: n, min: -0.1, max: 0.1", power(0, linear), 0, Holds},
		{"order: n, max: 0.2", power(0.5, linear), 0.5, Contradicted},
		{"order: n log n, min: -0.1, max: 0.2", power(0, linearithmic), 0, Holds},
		{"order: n log n, min: -0.1, max: 0.2", power(0.15, linearithmic), 0.15, Holds},
		{"order: n log n, min: -0.1, max: 0.2", power(-0.3, linearithmic), -0.3, Contradicted},
		{"order: n log² n, max: 0", power(0, squared), 0, Holds},
		{"order: n log² n, max: 0.2", power(0.25, squared), 0.25, Contradicted},
	} {
		j := judged(t, fileOf(t, "where: {metric: error, series: a}\n"+
			"growth: {of: {}, along: epsilon, "+c.growth+"}"), c.o)
		if len(j.Checks) != 1 || math.Abs(j.Checks[0].Points[0].Value-c.want) > 1e-9 {
			t.Errorf("%s: %+v, want %v", c.growth, j.Checks, c.want)
		}
		if j.Verdict != c.v && c.want != 0 { // at the very end of a bound rounding decides
			t.Errorf("%s: %s, want %s", c.growth, j.Verdict, c.v)
		}
	}
	// The error is that of a regression: with errors of standard deviation s in the logarithms of
	// four equidistant points a decade apart, s/√(5 ln²10) a trial. Over 400 trials the estimate of
	// it has a relative error of some 4 %; 0.2 are five of them.
	noise := source{11}
	const s, trials = 0.01, 400
	o := grid(sizes, trials, func(_ string, n float64, _ int) float64 {
		return n * math.Exp(s*noise.normal())
	})
	l := fileOf(t, "where: {metric: error, series: a}\n"+
		"growth: {of: {}, along: epsilon, order: n, max: 1}")
	j := judged(t, l, o)
	want := s / math.Sqrt(5*math.Ln10*math.Ln10) / math.Sqrt(trials)
	if p := j.Checks[0].Points[0]; math.Abs(p.SE/want-1) > 0.2 || math.Abs(p.Value) > 5*want {
		t.Errorf("%v ± %v, want 0 ± %v", p.Value, p.SE, want)
	}
	same := func(_ string, n float64, _ int) float64 { return n }
	for name, bad := range map[string]*results.Run{
		"two points":   grid(sizes[:2], 2, same),
		"nothing":      grid(sizes, 2, constant(0)),
		"an axis at 1": grid([]float64{1, 2, 4}, 2, same),
	} {
		if j := judged(t, l, bad); j.Verdict != NoData {
			t.Errorf("%s: %s", name, j.Verdict)
		}
	}
}

// TestLeastOfTrials: what grows like n log n, but for one trial of three that other work has
// disturbed at the smallest n. The mean cannot tell the order any more, the least of the trials
// can.
func TestLeastOfTrials(t *testing.T) {
	disturbed := grid([]float64{1e4, 1e5, 1e6}, 3, func(_ string, n float64, trial int) float64 {
		time := n * math.Log(n) * (1 + 0.01*float64(trial))
		if n == 1e4 && trial == 1 {
			time *= 8
		}
		return time
	})
	for stat, holds := range map[string]bool{"mean": false, "min": true} {
		j := judged(t, fileOf(t, "where: {metric: error, series: a}\ngrowth: {of: {stat: "+stat+
			"}, along: epsilon, order: n log n, min: -0.1, max: 0.2}"), disturbed)
		if (j.Verdict == Holds) != holds {
			t.Errorf("%s: %s (%+v)", stat, j.Verdict, j.Checks)
		}
	}
}
