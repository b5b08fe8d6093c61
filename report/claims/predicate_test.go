package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
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
		// What is equal is not below.
		{"where: {metric: error, epsilon: \"<=2\"}\neach: epsilon\norder: {left: {where: " +
			"{series: a}}, is: below, right: {where: {series: b}}}", []float64{-1, 0}, Undecided},
		// Each series is a curve of its own.
		{"where: {metric: error}\neach: series\nmonotone: {of: {}, along: epsilon, " +
			"is: increasing}", []float64{3, 0}, Undecided},
		// A standard error of two trials has no jackknife.
		{"where: {metric: error, series: b}\neach: epsilon\nrange: {of: {stat: se}, max: 0.1}",
			nil, NoData},
	} {
		j := judged(t, fileOf(t, c.check), o)
		must.Be(t, j.Verdict, c.v, c.check, j.Reason)
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
		{curve(2, 2, 2, 2, 1.95, 1.85), rising, 0.2, -0.15, "from 1 to 5", Contradicted},
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
	must.Near(t, j.Checks[0].Points[0].P, 2./120, 1e-12, "five values in order by chance")
}

// TestTrend: a curve is as sure as the least sure of its ends and steps, for all of them together,
// unless one opposes, which then is.
func TestTrend(t *testing.T) {
	const margin = 1
	point := func(value, se float64) Point { return Point{Value: value, SE: se, N: 10} }
	rise, even, fall := point(5, 0.1), point(0, 0.1), point(-5, 2)
	unsure := point(0.2, 20)
	for _, c := range []struct {
		ends, step, other Point
		state             string
		p                 float64
	}{
		{rise, rise, rise, supports, 2 * rise.beyond(1, 0)},
		{rise, rise, unsure, supports, 2 * unsure.beyond(1, -margin)},
		{even, even, even, equal, 2 * even.within(0, margin)},
		{even, unsure, even, equal, 2 * unsure.within(0, margin)},
		{rise, rise, fall, opposes, 2 * 3 * fall.beyond(-1, -margin)}, // of the ends and two steps
		{fall, rise, rise, opposes, 2 * 3 * fall.beyond(-1, 0)},
	} {
		got := trend(c.ends, []Point{c.step, c.other}, false, margin)
		must.Be(t, got.State, c.state, c)
		must.Near(t, got.P, min(1, c.p), 1e-9, c)
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
		must.Be(t, judged(t, l, bad).Verdict, NoData, name)
	}
}

// TestBadSelections: selections that cannot match are errors with the line of the file.
func TestBadSelections(t *testing.T) {
	full := grid(tenEpsilons[:3], 2, constant(1))
	more := grid(tenEpsilons[:2], 2, constant(1))
	for i := range more.Records {
		more.Records[i].Params = map[string]string{"depth": "6"}
	}
	full.Records = append(full.Records, more.Records...)
	for _, c := range []struct{ check, want string }{
		{"where: {metric: eror}\neach: epsilon\nrange: {of: {}, max: 1}",
			"toy.yaml:12: where: no record of toy/one has metric eror, must be one of error"},
		{"where: {metric: error, dpth: 5}\neach: epsilon\nrange: {of: {}, max: 1}",
			"toy.yaml:12: where: no record of toy/one has dpth"},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: c}}, max: 1}",
			"toy.yaml:14: where: no record of toy/one has series c, must be one of a, b"},
		{"where: {metric: error, epsilon: \">7\"}\nrange: {of: {}, max: 1}", "has epsilon >7"},
		{"where: {metric: error, depth: 6, epsilon: 0.1}\nrange: {of: {}, max: 1}",
			"no record of toy/one has all of metric error, depth 6, epsilon 0.1"},
		{"where: {metric: error, depth: 5}\neach: epsilon\nrange: {of: {}, max: 1}",
			"several configurations at one point: algorithm must be fixed"},
		{"where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, max: 1}",
			"several configurations at one point: depth must be fixed"},
		{"where: {metric: error}\neach: epsilon\norder: {left: {where: {series: a, depth: 5}}, " +
			"is: below, right: {where: {series: b, depth: 6}}}",
			"epsilon 0.1, depth 5 series a has no counterpart on the other side"},
		{"where: {metric: error, depth: 5, epsilon: 0.01}\n" +
			"monotone: {of: {}, along: series, is: increasing}",
			"series of toy/one is \"a\", must be a number"},
		{"where: {metric: error, depth: 5}\n" +
			"range: {of: {take: [max over epsilon, mean over series]}, max: 1}",
			"toy.yaml:11: a mean or a growth of what max, min or spread leaves has no test"},
	} {
		j, err := Evaluate(fileOf(t, c.check), summaries(full), Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), "toy.yaml:") {
			t.Errorf("%s\nerror %v, want %q", c.check, err, c.want)
		}
		must.Be(t, j[0].Verdict, NoData, c.check)
	}
	// Results of another version of the experiment may lack what the file of this one selects,
	// and times may not have been kept.
	full.Manifest.Spec = "before"
	for _, c := range []struct{ check, want string }{
		{"where: {metric: eror}\neach: epsilon\nrange: {of: {}, max: 1}",
			"toy/one was run in another version, without metric eror"},
		{"where: {metric: error, depth: 6, epsilon: 0.1}\nrange: {of: {}, max: 1}",
			"toy/one was run in another version, without metric error, depth 6"},
		{"where: {metric: runtime}\nrange: {of: {}, max: 1}", "toy/one has no timings.jsonl"},
	} {
		j, err := Evaluate(fileOf(t, c.check), summaries(full),
			Options{Specs: map[string]string{"toy/one": "after"}})
		if err != nil || j[0].Verdict != NoData || !strings.Contains(j[0].Reason, c.want) {
			t.Errorf("%s\n%v, %+v, want %q", c.check, err, j, c.want)
		}
	}
	// A quick run may lack values; that is no fault of the file.
	full.Manifest.Overrides.Quick = true
	j, err := Evaluate(fileOf(t, "where: {metric: error, epsilon: 5}\nrange: {of: {}, max: 1}"),
		summaries(full), Options{})
	if err != nil || j[0].Verdict != ProgramOnly || !j[0].Reduced {
		t.Errorf("a reduced run: %v, %+v", err, j)
	}
}

// TestFoldsAndPairs: folds are averaged within their trial, trials without all folds are left out,
// and pairs are those of one trial.
func TestFoldsAndPairs(t *testing.T) {
	o := &results.Run{Manifest: results.Manifest{Experiment: "toy/one"}}
	epsilon := 1.0
	settings := make(map[string]*results.Setting)
	for _, series := range []string{"a", "b"} {
		settings[series] = &results.Setting{Series: series, Algorithm: series, Variant: Published,
			Dataset: results.Dataset{Name: "adult-standin", StandsFor: "adult"}, Epsilon: &epsilon}
	}
	add := func(series string, trial, fold int, v float64) {
		c := record(settings[series], trial, v)
		c.Fold = &fold
		o.Records = append(o.Records, c)
	}
	// Trials shift both series by 0, 100, 1000; b is 2, 4, 6 above a. Trial 3 of b has one fold of
	// two.
	for trial, shift := range []float64{0, 100, 1000, 7} {
		add("a", trial, 0, shift-1)
		add("a", trial, 1, shift+1)
		add("b", trial, 0, shift+2*float64(trial+1))
		if trial < 3 {
			add("b", trial, 1, shift+2*float64(trial+1))
		}
	}
	l := fileOf(t, strings.Replace(below, "metric: error", "metric: error, dataset: adult", 1))
	j := judged(t, l, o)
	// Differences -2, -4, -6: mean -4, standard deviation 2, error 2/√3; with two degrees of
	// freedom the two-sided p-value of t is 1 - t/√(2+t²).
	p := j.Checks[0].Points[0]
	if p.Value != -4 || math.Abs(p.SE-2/math.Sqrt(3)) > 1e-12 || p.N != 3 ||
		math.Abs(p.P-(1-math.Sqrt(12./14))) > 1e-12 || p.State != open || !j.StandIn {
		t.Errorf("%+v, %s, stand-in %v", p, j.Verdict, j.StandIn)
	}
	if j.Surprise {
		t.Error("stand-ins cannot surprise")
	}
}

// TestTrials: a is 1 above b in one trial and 1 below it in the other. The spread of the means is
// 0, the mean of the spreads 1, and the least of a 0.
func TestTrials(t *testing.T) {
	o := grid(tenEpsilons[:1], 2, func(series string, _ float64, trial int) float64 {
		if (series == "a") == (trial == 0) {
			return 1
		}
		return 0
	})
	for of, want := range map[string]float64{"take: spread over series": 0,
		"take: spread over series in each trial": 1, "where: {series: a}": 0.5,
		"where: {series: a}, stat: min": 0} {
		j := judged(t, fileOf(t, "where: {metric: error}\nrange: {of: {"+of+"}, min: 0}"), o)
		must.Be(t, j.Checks[0].Points[0].Value, want, of)
	}
}
