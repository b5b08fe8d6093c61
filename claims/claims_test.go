package claims

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/experiments"
	"ppdp/results"
)

// source draws normal deviates from a frozen generator: tests of the verdicts need noise of known law,
// nothing here needs privacy.
type source struct{ state uint64 }

func (s *source) uniform() float64 { // splitmix64, in (0, 1)
	s.state += 0x9e3779b97f4a7c15
	z := s.state
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return (float64((z^z>>31)>>12) + 0.5) / (1 << 52)
}

func (s *source) normal() float64 { // Box and Muller
	return math.Sqrt(-2*math.Log(s.uniform())) * math.Cos(2*math.Pi*s.uniform())
}

// grid makes a run of two series a and b over epsilon; value gives each cell's measurement.
func grid(
	epsilons []float64, trials int, value func(series string, epsilon float64, trial int) float64,
) *results.Run {
	r := &results.Run{Manifest: results.Manifest{Experiment: "toy/one"}}
	for _, series := range []string{"a", "b"} {
		for _, epsilon := range epsilons {
			setting := &results.Setting{Series: series, Dataset: results.Dataset{Name: "toy"},
				Algorithm: series, Variant: Published, Params: map[string]string{"depth": "5"},
				Epsilon: &epsilon}
			for trial := range trials {
				r.Cells = append(r.Cells, cell(setting, trial, value(series, epsilon, trial)))
			}
		}
	}
	return r
}

// cell is a cell with one value, of the metric error.
func cell(setting *results.Setting, trial int, value float64) results.Cell {
	return results.Cell{Setting: setting, CellResult: results.CellResult{
		Trial: trial, Status: results.OK, Values: []results.Value{
			{Measurement: results.Measurement{Metric: "error"}, Value: &value}}}}
}

// ledgerOf is a ledger of one claim with the given check.
func ledgerOf(t testing.TB, check string) *Ledger {
	t.Helper()
	l, err := Parse("toy.yaml", []byte("paper: toy\ncitation: Toy\nunder-test: [a]\nfigures: [Fig. 1]\nclaims:\n  - id: T-1\n    statement: A statement.\n    source: Fig. 1\n    expect: holds\n    checks:\n      - "+
		strings.ReplaceAll(strings.TrimSpace(check), "\n", "\n        ")+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// judged evaluates the one claim of a ledger.
func judged(t testing.TB, l *Ledger, runs ...*results.Run) Judgement {
	t.Helper()
	j, err := Evaluate(l, runs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return j[0]
}

const below = `experiment: toy/one
where: {metric: error}
each: epsilon
order: {left: {where: {series: a}}, is: below, right: {where: {series: b}}}`

var tenEpsilons = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5}

// TestVerdictsWithoutNoise: what the rule says when nothing is left to chance.
func TestVerdictsWithoutNoise(t *testing.T) {
	for _, c := range []struct {
		name  string
		wrong int // of ten points at which a lies above b
		ties  int
		want  Verdict
	}{
		{"all", 0, 0, Holds},
		{"eight of ten", 2, 0, HoldsMostly},
		{"ties do not support", 0, 2, HoldsMostly},
		{"seven of ten", 3, 0, NotReproduced},
		{"half against it is no majority", 5, 0, NotReproduced},
		{"six of ten against it", 6, 0, Contradicted},
		{"all against it", 10, 0, Contradicted},
		{"all ties", 0, 10, NotReproduced},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := grid(tenEpsilons, 5, func(series string, epsilon float64, trial int) float64 {
				i := slices.Index(tenEpsilons, epsilon)
				switch {
				case series == "b":
					return 1
				case i < c.wrong:
					return 2
				case i < c.wrong+c.ties:
					return 1
				}
				return 0
			})
			if j := judged(t, ledgerOf(t, below), o); j.Verdict != c.want {
				t.Errorf("%s, want %s: %+v", j.Verdict, c.want, j.Checks)
			}
		})
	}
}

// TestFalseAlarms measures how often a verdict takes a side of an order when the two series have
// the same law. The rule bounds the chance at 5 % for either side of one check. Of 2000
// claims a right rule sees more than 5 % + 4.5 √(0.05·0.95/2000) = 7.2 % with a probability below 1e-5.
func TestFalseAlarms(t *testing.T) {
	const claims = 2000
	for _, points := range []int{1, 3, 10} {
		noise := source{uint64(points)}
		l := ledgerOf(t, below)
		taken := map[Verdict]int{}
		for range claims {
			o := grid(tenEpsilons[:points], 5, func(string, float64, int) float64 { return noise.normal() })
			taken[judged(t, l, o).Verdict]++
		}
		t.Logf("%d points, no effect: %v of %d", points, taken, claims)
		for _, side := range []int{taken[Holds] + taken[HoldsMostly], taken[Contradicted]} {
			if float64(side) > 0.072*claims {
				t.Errorf("%d points: %d of %d claims take a side that is not there", points, side, claims)
			}
		}
	}
}

// TestPower measures how often a true order is found with five trials. With a difference of d between normal
// values of standard deviation 1 the paired difference has standard error √(2/5) = 0.63. At
// d = 4, 6.3 errors, a point is missed when a non-central t with 4 degrees of freedom stays below 2: less than
// 0.5 %, so that three points all support in over 98 %; the surest must also be significant at 1.7 %, t above 3.2. At d = 0.3 the claim must
// hardly ever be found: half an error. The bounds leave room for chance over 500 claims.
func TestPower(t *testing.T) {
	const claims = 500
	l := ledgerOf(t, below)
	for _, c := range []struct {
		difference  float64
		least, most float64
	}{{4, 0.95, 1}, {0.3, 0, 0.05}} {
		noise := source{uint64(c.difference * 100)}
		holds, contradicted := 0, 0
		for range claims {
			o := grid(tenEpsilons[:3], 5, func(series string, _ float64, _ int) float64 {
				if series == "a" {
					return noise.normal()
				}
				return c.difference + noise.normal()
			})
			switch judged(t, l, o).Verdict {
			case Holds:
				holds++
			case Contradicted:
				contradicted++
			}
		}
		t.Logf("difference %v: %d of %d hold, %d contradicted", c.difference, holds, claims, contradicted)
		if share := float64(holds) / claims; share < c.least || share > c.most {
			t.Errorf("difference %v: %d of %d hold, want a share from %v to %v", c.difference, holds, claims, c.least, c.most)
		}
	}
}

// TestMonotoneFalseAlarms: curves of independent equal points must not be found monotone more often than the rule
// allows. The jackknife of a rank correlation is no exact test; the bound is twice the rule's 5 %, and 4 % for chance: of 1000 curves a
// rate of 10 % exceeds 14 % with a probability of 2e-5.
func TestMonotoneFalseAlarms(t *testing.T) {
	const claims = 1000
	l := ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, series: a}\nmonotone: {of: {}, along: epsilon, is: increasing}")
	for _, points := range []int{minTrend, 10} {
		for _, trials := range []int{3, 5, 20} {
			noise := source{uint64(100*trials + points)}
			taken := map[Verdict]int{}
			for range claims {
				o := grid(tenEpsilons[:points], trials, func(string, float64, int) float64 { return noise.normal() })
				taken[judged(t, l, o).Verdict]++
			}
			t.Logf("no trend in %d points, %d trials: %v of %d", points, trials, taken, claims)
			if taken[Holds] > claims*14/100 || taken[Contradicted] > claims*14/100 {
				t.Errorf("no trend in %d points, %d trials, yet %v", points, trials, taken)
			}
		}
	}
	noise := source{7}
	rising := grid(tenEpsilons, 5, func(_ string, epsilon float64, _ int) float64 { return epsilon + 0.001*noise.normal() })
	if j := judged(t, l, rising); j.Verdict != Holds || j.Checks[0].Points[0].Value != 1 {
		t.Errorf("a rising curve: %s, rank correlation %v", j.Verdict, j.Checks[0].Points[0].Value)
	}
}

// TestMonotone: a statistic is the rank correlation of a side with the axis, of a constant side 0.
func TestMonotone(t *testing.T) {
	five := []float64{1, 2, 3, 4, 5}
	o := grid(five, 2, func(series string, epsilon float64, _ int) float64 {
		if series == "a" {
			return []float64{2, 1, 4, 3, 5}[int(epsilon)-1]
		}
		return 2
	})
	for _, c := range []struct {
		check string
		want  float64
		v     Verdict
	}{
		{"monotone: {of: {where: {series: a}}, along: epsilon, is: increasing}", 0.8, Holds}, // 1 - 6·4/(5·24)
		{"monotone: {of: {where: {series: a}, per: {where: {series: b}}}, along: epsilon, is: increasing, rho: 0.8}", 0.8, NotReproduced},
		{"monotone: {of: {where: {series: a}, per: {where: {series: b}}}, along: epsilon, is: decreasing}", 0.8, Contradicted},
		{"monotone: {of: {where: {series: b}}, along: epsilon, is: decreasing}", 0, NotReproduced},
	} {
		j := judged(t, ledgerOf(t, "experiment: toy/one\nwhere: {metric: error}\n"+c.check), o)
		if j.Verdict != c.v || math.Abs(j.Checks[0].Points[0].Value-c.want) > 1e-12 {
			t.Errorf("%s\n%s, %+v, want %s at %v", c.check, j.Verdict, j.Checks, c.v, c.want)
		}
	}
}

// TestClock: times have verdicts, which are those of the machine and surprise nobody.
func TestClock(t *testing.T) {
	o := grid(tenEpsilons[:3], 2, func(string, float64, int) float64 { return 1 })
	for i := range o.Cells {
		o.Timings = append(o.Timings, results.Timing{Cell: i, Release: 2})
	}
	for check, want := range map[string]bool{
		"where: {metric: runtime, series: a}\neach: epsilon\nrange: {of: {}, max: 1}":                                         true,
		"where: {series: a}\neach: epsilon\nrange: {of: {where: {metric: error}, minus: {where: {metric: runtime}}}, min: 0}": true,
		"where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, min: 2}":                                           false,
	} {
		j := judged(t, ledgerOf(t, "experiment: toy/one\n"+check), o)
		if j.Verdict != Contradicted || j.Clock != want || j.Surprise == want {
			t.Errorf("%s\n%s, by the clock %v, a surprise %v", check, j.Verdict, j.Clock, j.Surprise)
		}
	}
}

// TestStrict: a check says what takes the place of its terms when the strict variant is judged, and the predicate shows it.
func TestStrict(t *testing.T) {
	o := grid(tenEpsilons[:3], 2, func(string, float64, int) float64 { return 1 })
	for i := range o.Cells {
		if c := &o.Cells[i]; c.Series == "a" {
			c.Variant, c.Params = Strict, map[string]string{"depth": "7"}
		}
	}
	l := ledgerOf(t, "experiment: toy/one\nwhere: {metric: error}\nstrict: {depth: 7}\neach: epsilon\nrange: {of: {where: {algorithm: a, depth: 5}, per: {where: {algorithm: b}}}, max: 1}")
	j, err := Evaluate(l, []*results.Run{o}, Options{Variant: Strict})
	if err != nil || j[0].Verdict != Holds || !strings.Contains(j[0].Checks[0].Predicate, "depth 7") || strings.Contains(j[0].Checks[0].Predicate, "depth 5") {
		t.Errorf("%v, %+v", err, j)
	}
}

// TestGrowth: what grows like an order, times a power, has that power's exponent beyond it.
func TestGrowth(t *testing.T) {
	sizes := []float64{1e4, 1e5, 1e6, 1e7}
	power := func(exponent float64, order func(n float64) float64) *results.Run {
		return grid(sizes, 2, func(_ string, n float64, _ int) float64 { return 3e-9 * order(n) * math.Pow(n, exponent) })
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
		j := judged(t, ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, series: a}\ngrowth: {of: {}, along: epsilon, "+c.growth+"}"), c.o)
		if len(j.Checks) != 1 || math.Abs(j.Checks[0].Points[0].Value-c.want) > 1e-9 {
			t.Errorf("%s: %+v, want %v", c.growth, j.Checks, c.want)
		}
		if j.Verdict != c.v && c.want != 0 { // at the very end of a bound rounding decides
			t.Errorf("%s: %s, want %s", c.growth, j.Verdict, c.v)
		}
	}
	// The error is that of a regression: with errors of standard deviation s in the logarithms of four equidistant points a decade
	// apart, s/√(5 ln²10) a trial. Over 400 trials the estimate of it has a relative error of some 4 %; 0.2 are five of them.
	noise := source{11}
	const s, trials = 0.01, 400
	o := grid(sizes, trials, func(_ string, n float64, _ int) float64 { return n * math.Exp(s*noise.normal()) })
	j := judged(t, ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, series: a}\ngrowth: {of: {}, along: epsilon, order: n, max: 1}"), o)
	want := s / math.Sqrt(5*math.Ln10*math.Ln10) / math.Sqrt(trials)
	if p := j.Checks[0].Points[0]; math.Abs(p.SE/want-1) > 0.2 || math.Abs(p.Value) > 5*want {
		t.Errorf("%v ± %v, want 0 ± %v", p.Value, p.SE, want)
	}
	for name, bad := range map[string]*results.Run{
		"two points":   grid(sizes[:2], 2, func(_ string, n float64, _ int) float64 { return n }),
		"nothing":      grid(sizes, 2, func(string, float64, int) float64 { return 0 }),
		"an axis at 1": grid([]float64{1, 2, 4}, 2, func(_ string, n float64, _ int) float64 { return n }),
	} {
		if j := judged(t, ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, series: a}\ngrowth: {of: {}, along: epsilon, order: n, max: 1}"), bad); j.Verdict != NoData {
			t.Errorf("%s: %s", name, j.Verdict)
		}
	}
}

// TestDetectable: an excess of (2 + t(0.8, n-1)) true standard errors is seen in about 80 % of the cases: more than two estimated errors
// from the bound with probability P(T > 2) of a non-central t, 0.83 at 2 degrees of freedom, 0.81 at 4 and 0.80 at 19, by integration over the chi density
// below. Of 4000 claims the share has a standard error of 0.0063; 0.03 is 4.5 of them.
func TestDetectable(t *testing.T) {
	const claims = 4000
	l := ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, series: a}\nrange: {of: {take: max over epsilon}, min: 0}")
	for _, trials := range []int{3, 5, 20} {
		noise := source{uint64(trials)}
		degrees := float64(trials - 1)
		excess := standardErrors + studentT(trials-1).Quantile(power)
		seen := 0
		for range claims {
			o := grid(tenEpsilons[:1], trials, func(string, float64, int) float64 { return excess/math.Sqrt(float64(trials)) + noise.normal() })
			if j := judged(t, l, o); j.Checks[0].Supports == 1 {
				seen++
			}
		}
		// P(Z + excess > 2 χ/√ν): χ has density c x^(ν-1) exp(-x²/2).
		weigh := func(f func(x float64) float64) float64 {
			const steps = 4000
			sum := 0.0
			for i := range steps {
				sum += f((float64(i) + 0.5) * 20 / steps)
			}
			return sum
		}
		density := func(x float64) float64 { return math.Pow(x, degrees-1) * math.Exp(-x*x/2) }
		want := weigh(func(x float64) float64 {
			return density(x) * 0.5 * math.Erfc((standardErrors*x/math.Sqrt(degrees)-excess)/math.Sqrt2)
		}) / weigh(density)
		got := float64(seen) / claims
		t.Logf("%d trials: seen %.3f, %.3f by integration", trials, got, want)
		if math.Abs(got-want) > 0.03 || want < 0.75 || want > 0.85 {
			t.Errorf("%d trials: an excess told as detectable is seen in %.3f of the cases, %.3f by integration", trials, got, want)
		}
	}
}

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
		{"where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, min: 1, max: 4}", []float64{1, 2, 4}, Holds},
		{"where: {metric: error, series: a, epsilon: \">=2\"}\neach: epsilon\nrange: {of: {}, min: 1}", []float64{2, 4}, Holds},
		{"where: {metric: error, series: a, epsilon: \"1|4.0\"}\neach: epsilon\nrange: {of: {}, max: 1}", []float64{1, 4}, NotReproduced},
		{"where: {metric: error, series: a, epsilon: \">1\"}\neach: epsilon\nrange: {of: {}, max: 1}", []float64{2, 4}, Contradicted},
		{"where: {metric: error, series: a}\nmonotone: {of: {}, along: epsilon, is: increasing}", nil, NoData}, // three points are no trend
		{"where: {metric: error, series: a}\nrange: {of: {take: spread over epsilon}, max: 3}", []float64{3}, Holds},
		{"where: {metric: error}\nrange: {of: {take: [spread over epsilon, max over series]}, max: 3}", []float64{3}, Holds},
		{"where: {metric: error, series: a}\nnear: {of: {take: mean over epsilon}, value: 2.3, tolerance: 0.1}", []float64{7. / 3}, Holds},
		{"where: {metric: error, series: a}\nnear: {of: {take: min over epsilon}, value: 2, tolerance: 0.5}", []float64{1}, Contradicted},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: a}, per: {where: {series: b}}}, min: 0.5, max: 2}", []float64{0.5, 1, 2}, Holds},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: a}, minus: {where: {series: b, epsilon: 1}, take: max over epsilon}, per: {where: {series: b}}}, max: 1}", []float64{-0.5, 0, 1}, Holds},
		{"where: {metric: error}\neach: epsilon\norder: {left: {where: {series: a}}, is: above, right: {where: {series: b}}, margin: 1}", []float64{-1, 0, 2}, Contradicted}, // two of three are surely not above by 1,
		{"where: {metric: error, series: b}\neach: epsilon\nrange: {of: {stat: se}, max: 0.1}", nil, NoData},                                                                 // two trials: none left to jackknife
	} {
		j := judged(t, ledgerOf(t, "experiment: toy/one\n"+c.check), o)
		if j.Verdict != c.v {
			t.Errorf("%s\n%s, want %s: %s", c.check, j.Verdict, c.v, j.Reason)
		}
		var got []float64
		for _, e := range j.Checks {
			for _, p := range e.Points {
				got = append(got, p.Value)
			}
		}
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s\nstatistics %v, want %v", c.check, got, c.want)
		}
	}
}

// TestNoData: records that are missing, failed or too few give no verdict.
func TestNoData(t *testing.T) {
	one := func(series string, _ float64, _ int) float64 { return float64(len(series)) }
	l := ledgerOf(t, below)
	failed := grid(tenEpsilons[:2], 3, one)
	for i := range failed.Cells {
		if c := &failed.Cells[i]; c.Series == "a" && *c.Epsilon == 0.01 {
			c.Status, c.Phase, c.Values = results.Failed, results.PhaseRelease, nil
		}
	}
	undefined := grid(tenEpsilons[:2], 3, one)
	undefined.Cells[0].Values[0].Value = nil
	for _, c := range []struct {
		name   string
		runs   []*results.Run
		reason string // "" for a verdict
	}{
		{"nothing was run", nil, "toy/one has not been run"},
		{"one trial", []*results.Run{grid(tenEpsilons, 1, one)}, "n = 1 at epsilon 0.01, too few"},
		{"a point failed", []*results.Run{failed}, "no trial at epsilon 0.01 succeeded"},
		{"one trial undefined leaves two", []*results.Run{undefined}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			j, err := Evaluate(l, c.runs, Options{})
			if err != nil {
				t.Fatal(err)
			}
			if (c.reason != "") != (j[0].Verdict == NoData) || !strings.Contains(j[0].Reason, c.reason) || j[0].Verdict == NoData && len(j[0].Checks) > 0 {
				t.Errorf("%s: %q, want %q", j[0].Verdict, j[0].Reason, c.reason)
			}
		})
	}
	if j, err := Evaluate(l, []*results.Run{grid(tenEpsilons, 2, one)}, Options{Variant: Strict}); err != nil || j[0].Verdict != NoData || !strings.Contains(j[0].Reason, "strict") {
		t.Errorf("a variant that was not run: %v, %+v", err, j)
	}
	exact := ledgerOf(t, below+"\nexact: true")
	two := func(series string, _ float64, _ int) float64 {
		if series == "a" {
			return 1
		}
		return 2
	}
	if j := judged(t, exact, grid(tenEpsilons, 1, two)); j.Verdict != Holds {
		t.Errorf("exact values need no second trial: %s, %s", j.Verdict, j.Reason)
	}
}

// TestBadSelections: a ledger that asks for what cannot be is told so, with its line.
func TestBadSelections(t *testing.T) {
	full := grid(tenEpsilons[:3], 2, func(string, float64, int) float64 { return 1 })
	more := grid(tenEpsilons[:2], 2, func(string, float64, int) float64 { return 1 })
	for i := range more.Cells {
		more.Cells[i].Params = map[string]string{"depth": "6"}
	}
	full.Cells = append(full.Cells, more.Cells...)
	for _, c := range []struct{ check, want string }{
		{"where: {metric: eror}\neach: epsilon\nrange: {of: {}, max: 1}", "toy.yaml:12: where: no record of toy/one has metric eror, must be one of error"},
		{"where: {metric: error, dpth: 5}\neach: epsilon\nrange: {of: {}, max: 1}", "toy.yaml:12: where: no record of toy/one has dpth"},
		{"where: {metric: error}\neach: epsilon\nrange: {of: {where: {series: c}}, max: 1}", "toy.yaml:14: where: no record of toy/one has series c, must be one of a, b"},
		{"where: {metric: error, epsilon: \">7\"}\nrange: {of: {}, max: 1}", "has epsilon >7"},
		{"where: {metric: error, depth: 6, epsilon: 0.1}\nrange: {of: {}, max: 1}", "no record of toy/one has all of metric error, depth 6, epsilon 0.1"},
		{"where: {metric: error, depth: 5}\neach: epsilon\nrange: {of: {}, max: 1}", "several configurations at one point: algorithm must be fixed"},
		{"where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, max: 1}", "several configurations at one point: depth must be fixed"},
		{"where: {metric: error}\neach: epsilon\norder: {left: {where: {series: a, depth: 5}}, is: below, right: {where: {series: b, depth: 6}}}", "epsilon 0.1, depth 5 series a has no counterpart on the other side"},
		{"where: {metric: error, depth: 5, epsilon: 0.01}\nmonotone: {of: {}, along: series, is: increasing}", "series of toy/one is \"a\", must be a number"},
	} {
		j, err := Evaluate(ledgerOf(t, "experiment: toy/one\n"+c.check), []*results.Run{full}, Options{})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "toy.yaml:") {
			t.Errorf("%s\nerror %v, want %q", c.check, err, c.want)
		}
		if j[0].Verdict != NoData {
			t.Errorf("%s\nverdict %s, want none", c.check, j[0].Verdict)
		}
	}
	_, err := Evaluate(ledgerOf(t, below), nil, Options{Experiments: []string{"toy/two"}})
	if err == nil || !strings.Contains(err.Error(), "experiment: toy/one, must be one of toy/two") {
		t.Errorf("an experiment that does not exist: %v", err)
	}
	// Results of another version of the experiment may lack what the ledger of this one selects, and times may not have been kept.
	full.Manifest.Spec = "before"
	for _, c := range []struct{ check, want string }{
		{"where: {metric: eror}\neach: epsilon\nrange: {of: {}, max: 1}", "toy/one was run in another version, without metric eror"},
		{"where: {metric: error, depth: 6, epsilon: 0.1}\nrange: {of: {}, max: 1}", "toy/one was run in another version, without metric error, depth 6"},
		{"where: {metric: runtime}\nrange: {of: {}, max: 1}", "toy/one has no timings.jsonl"},
	} {
		j, err := Evaluate(ledgerOf(t, "experiment: toy/one\n"+c.check), []*results.Run{full}, Options{Specs: map[string]string{"toy/one": "after"}})
		if err != nil || j[0].Verdict != NoData || !strings.Contains(j[0].Reason, c.want) {
			t.Errorf("%s\n%v, %+v, want %q", c.check, err, j, c.want)
		}
	}
	// A quick run may lack values; that is no fault of the ledger.
	full.Manifest.Overrides.Quick = true
	j, err := Evaluate(ledgerOf(t, "experiment: toy/one\nwhere: {metric: error, epsilon: 5}\nrange: {of: {}, max: 1}"), []*results.Run{full}, Options{})
	if err != nil || j[0].Verdict != NoData || !j[0].Reduced {
		t.Errorf("a reduced run: %v, %+v", err, j)
	}
}

// TestFoldsAndPairs: folds are averaged within their trial, trials without all folds are left out, and pairs are
// those of one trial.
func TestFoldsAndPairs(t *testing.T) {
	o := &results.Run{Manifest: results.Manifest{Experiment: "toy/one"}}
	epsilon := 1.0
	settings := make(map[string]*results.Setting)
	for _, series := range []string{"a", "b"} {
		settings[series] = &results.Setting{Series: series, Algorithm: series, Variant: Published,
			Dataset: results.Dataset{Name: "adult-standin", StandsFor: "adult"}, Epsilon: &epsilon}
	}
	add := func(series string, trial, fold int, v float64) {
		c := cell(settings[series], trial, v)
		c.Fold = &fold
		o.Cells = append(o.Cells, c)
	}
	// Trials shift both series by 0, 100, 1000; b is 2, 4, 6 above a. Trial 3 of b has one fold of two.
	for trial, shift := range []float64{0, 100, 1000, 7} {
		add("a", trial, 0, shift-1)
		add("a", trial, 1, shift+1)
		add("b", trial, 0, shift+2*float64(trial+1))
		if trial < 3 {
			add("b", trial, 1, shift+2*float64(trial+1))
		}
	}
	l := ledgerOf(t, strings.Replace(below, "metric: error", "metric: error, dataset: adult", 1))
	j := judged(t, l, o)
	// Differences -2, -4, -6: mean -4, standard deviation 2, error 2/√3.
	p := j.Checks[0].Points[0]
	if p.Value != -4 || math.Abs(p.SE-2/math.Sqrt(3)) > 1e-12 || p.N != 3 || j.Verdict != Holds || !j.StandIn {
		t.Errorf("%+v, %s, stand-in %v", p, j.Verdict, j.StandIn)
	}
	if j.Surprise {
		t.Error("stand-ins cannot surprise")
	}
}

// TestJackknifeOfMeans: for a mean it is s/√n.
func TestJackknifeOfMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 12).Draw(t, "values")
		x := &results.Sample{Setting: &results.Setting{}}
		for _, value := range values { // two failed trials between any two
			x.Trials = append(x.Trials, value, math.NaN(), math.NaN())
		}
		value, se, n := measured(x, "", false).estimate()
		if want := results.StandardError(values); n != len(values) || math.Abs(value-results.Mean(values)) > 1e-9 || math.Abs(se-want) > 1e-9*(1+want) {
			t.Fatalf("%v ± %v of %d, want ± %v", value, se, n, want)
		}
	})
}

// TestInEachTrial: a is 1 above b in one trial and 1 below it in the other. The spread of the means is 0, the mean
// of the spreads 1.
func TestInEachTrial(t *testing.T) {
	o := grid(tenEpsilons[:1], 2, func(series string, _ float64, trial int) float64 {
		if (series == "a") == (trial == 0) {
			return 1
		}
		return 0
	})
	for suffix, want := range map[string]float64{"": 0, " in each trial": 1} {
		j := judged(t, ledgerOf(t, "experiment: toy/one\nwhere: {metric: error}\nrange: {of: {take: spread over series"+suffix+"}, min: 0}"), o)
		if got := j.Checks[0].Points[0].Value; got != want {
			t.Errorf("spread over series%s: %v, want %v", suffix, got, want)
		}
	}
}

// TestHolm: the worked example of p-values 0.01, 0.04, 0.03, 0.005 gives 0.03, 0.06, 0.06, 0.02.
func TestHolm(t *testing.T) {
	got, want := results.Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

// TestSpearman: without ties it is 1 - 6Σd²/(n(n²-1)); ties share their mean rank.
func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 3, 4, 5}, []float64{2, 1, 4, 3, 5}, 1 - 6*4/(5.*24)},
		{[]float64{1, 2, 3}, []float64{9, 8, 7}, -1},
		{[]float64{1, 2, 3}, []float64{1, 1, 1}, 0},
		{[]float64{1, 2, 3, 4}, []float64{1, 1, 2, 2}, 4 / math.Sqrt(20)}, // ranks 1.5, 1.5, 3.5, 3.5
	} {
		if got := spearman(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v, %v: %v, want %v", c.x, c.y, got, c.want)
		}
	}
}

// TestBadLedgers: everything wrong is told with its line.
func TestBadLedgers(t *testing.T) {
	files, err := filepath.Glob("testdata/*.bad.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no bad ledgers: %v", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, got := Parse(filepath.Base(file), data)
		if got == nil {
			t.Errorf("%s: accepted", file)
			continue
		}
		for line := range strings.Lines(string(data)) {
			if want, expected := strings.CutPrefix(line, "# want: "); expected && !strings.Contains(got.Error(), strings.TrimSpace(want)) {
				t.Errorf("%s: %v\nwant %s", file, got, want)
			}
		}
	}
}

// FuzzParse: no file brings the program down, and what is accepted can be judged.
func FuzzParse(f *testing.F) {
	f.Add([]byte("paper: toy\ncitation: Toy\nclaims:\n  - {id: a, statement: b, source: c, expect: holds, checks: [{experiment: toy/one, each: epsilon, near: {of: {take: max over series, minus: {stat: se}}, value: 1}}]}\n"))
	f.Add([]byte("paper: toy\ncitation: Toy\nclaims:\n- id: a\n  statement: b\n  source: c\n  expect: holds\n  checks: [{experiment: toy/one, where: {metric: error, series: a|b, epsilon: '>=0.05'}, monotone: {of: {}, along: epsilon, is: decreasing, rho: 0.5}}]\n  readings: [{name: r, where: {series: b}, left: {}, expect: holds}]\n"))
	f.Add([]byte("paper: toy\ncitation: Toy\nclaims: [{id: a, statement: b, source: c, not-covered: d}]\n"))
	o := grid(tenEpsilons[:3], 2, func(string, float64, int) float64 { return 1 })
	f.Fuzz(func(t *testing.T, data []byte) {
		l, err := Parse("fuzz.yaml", data)
		if err != nil {
			return
		}
		judgements, err := Evaluate(l, []*results.Run{o}, Options{})
		if len(judgements) != len(l.Claims) {
			t.Errorf("%d judgements of %d claims: %v", len(judgements), len(l.Claims), err)
		}
		if _, err := json.Marshal(judgements); err != nil {
			t.Error(err)
		}
	})
}

// every ledger that comes with the program.
func every(t *testing.T) []*Ledger {
	t.Helper()
	var all []*Ledger
	var errs []error
	for _, paper := range Papers() {
		l, err := Load(paper)
		errs = append(errs, err)
		all = append(all, l)
	}
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return all
}

// TestLedgers: what the ledgers name exists: experiments, tests and errata; ids are unique over all papers.
func TestLedgers(t *testing.T) {
	errata, err := os.ReadFile("../docs/errata.md")
	if err != nil {
		t.Fatal(err)
	}
	tests := testsOfModule(t)
	seen := make(map[string]bool)
	for _, l := range every(t) {
		for i := range l.Claims {
			c := &l.Claims[i]
			if seen[c.ID] {
				t.Errorf("%s is taken", c.ID)
			}
			seen[c.ID] = true
			for _, id := range c.Errata {
				if !strings.Contains(string(errata), "\n### "+id+":") {
					t.Errorf("%s: errata %s is not in docs/errata.md", c.ID, id)
				}
			}
			for _, test := range c.Tests {
				if !tests[test] {
					t.Errorf("%s: no test %s", c.ID, test)
				}
			}
			checks, readings := c.Experiments()
			for _, name := range slices.Concat(checks, readings) {
				if !slices.Contains(experiments.Names(), name) {
					t.Errorf("%s: no experiment %s", c.ID, name)
				}
			}
			for _, source := range c.Source {
				if strings.HasPrefix(source, "Fig.") || strings.HasPrefix(source, "Table") {
					if !slices.Contains(l.Figures, source) {
						t.Errorf("%s: %s is not among the paper's figures", c.ID, source)
					}
				}
			}
		}
	}
}

// testsOfModule lists the module's tests as folder.Name.
func testsOfModule(t *testing.T) map[string]bool {
	t.Helper()
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example)\w*)\(`)
	tests := make(map[string]bool)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		folder := filepath.ToSlash(strings.TrimPrefix(filepath.Dir(path), ".."+string(filepath.Separator)))
		for _, match := range declared.FindAllStringSubmatch(string(data), -1) {
			tests[folder+"."+match[1]] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tests
}

// TestPage: docs/reproduction.md tells every claim with the verdict the ledger expects and why. Its numbers come
// from a full run on the real data; make them again with
//
//	ppdp reproduce && ppdp claims --write docs/reproduction.md
func TestPage(t *testing.T) {
	data, err := os.ReadFile("../docs/reproduction.md")
	if err != nil {
		t.Fatal(err)
	}
	_, page, found := strings.Cut(string(data), MarkdownBegin)
	page, _, closed := strings.Cut(page, MarkdownEnd)
	if !found || !closed {
		t.Fatal("docs/reproduction.md has no markers")
	}
	const again = "run: ppdp reproduce && ppdp claims --write docs/reproduction.md"
	for _, mark := range []string{"on stand-in data", "on a reduced run", "a surprise"} {
		if strings.Contains(page, mark) {
			t.Errorf("docs/reproduction.md has a verdict %s; %s", mark, again)
		}
	}
	for _, l := range every(t) {
		for i := range l.Claims {
			c := &l.Claims[i]
			_, rest, found := strings.Cut(page, "\n- **"+c.ID+"** (")
			if !found {
				t.Errorf("docs/reproduction.md leaves out %s; %s", c.ID, again)
				continue
			}
			entry, _, _ := strings.Cut(rest, "\n\n")
			wanted := []string{c.Statement, c.NotCovered}
			if !strings.Contains(entry, byTheClock) { // which may find otherwise than the ledger expects
				wanted = append(wanted, string(c.Expect), c.Why)
			}
			for _, want := range wanted {
				if !strings.Contains(entry, want) {
					t.Errorf("docs/reproduction.md: %s: %q is missing; %s", c.ID, want, again)
				}
			}
		}
	}
}

// TestDocumentedJSON: docs/claims.md tells every key that --json writes.
func TestDocumentedJSON(t *testing.T) {
	page, err := os.ReadFile("../docs/claims.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, found := strings.Cut(string(page), "### As JSON\n")
	part, _, closed := strings.Cut(part, "\n## ")
	if !found || !closed {
		t.Fatal("docs/claims.md has no section on JSON")
	}
	for _, of := range []any{Judgement{}, Evidence{}, Point{}} {
		for _, field := range reflect.VisibleFields(reflect.TypeOf(of)) {
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			if !strings.Contains(part, "`"+key+"`") {
				t.Errorf("docs/claims.md does not tell of %s, %T's %s", key, of, field.Name)
			}
		}
	}
}

// TestSelects: alternatives, numbers however they are written, comparisons.
func TestSelects(t *testing.T) {
	for _, c := range []struct {
		fact, wanted string
		want         bool
	}{
		{"5", "3|5", true}, {"5", "3|50", false}, {"0.5", ".5", true}, {"1e-2", "0.01", true}, {"", "5", false},
		{"2", ">=2", true}, {"2", ">2", false}, {"2", "< 3", true}, {"2", "<=1.5", false}, {"box", ">=2", false}, {"a>=2", "a>=2", true},
		{"7.5", "<1|>7", true},
	} {
		s := Selector{[]term{{key: "stop", wanted: c.wanted}}}
		x := &results.Setting{Params: map[string]string{"stop": c.fact}}
		if got := s.selects(x); got != c.want {
			t.Errorf("%q selects %q: %v, want %v", c.wanted, c.fact, got, c.want)
		}
	}
}

// TestReplaceMarkdown keeps what stands around the markers.
func TestReplaceMarkdown(t *testing.T) {
	page := "head\n" + MarkdownBegin + "\nold\n" + MarkdownEnd + "\ntail\n"
	got, err := ReplaceMarkdown(page, "new\n")
	if want := "head\n" + MarkdownBegin + "\n\nnew\n\n" + MarkdownEnd + "\ntail\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if again, err := ReplaceMarkdown(got, "new\n"); err != nil || again != got {
		t.Errorf("a second time: %q, %v", again, err)
	}
	if _, err := ReplaceMarkdown("no markers", "new"); err == nil {
		t.Error("a page without markers was taken")
	}
}

func TestCoverage(t *testing.T) {
	l := &Ledger{Figures: []string{"Fig. 1", "Fig. 2"}}
	c := CoverageOf(l, []Judgement{{Verdict: Holds, Source: []string{"Fig. 1"}}, {Verdict: NoData, Source: []string{"Fig. 2"}}, {Verdict: NotCovered, Source: []string{"Fig. 1"}}})
	if got, want := c.String(), "1 of 3 claims, 1 of 2 figures and tables (without Fig. 2)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	l := ledgerOf(b, below)
	noise := source{1}
	o := grid(tenEpsilons, 20, func(string, float64, int) float64 { return noise.normal() })
	b.ResetTimer()
	for b.Loop() {
		if _, err := Evaluate(l, []*results.Run{o}, Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*len(o.Cells))/b.Elapsed().Seconds(), "records/s")
}

func ExampleEvaluate() {
	l, err := Parse("toy.yaml", []byte(`
paper: toy
citation: A. Uthor 2026
claims:
  - id: T-1
    statement: The first method errs less.
    source: Fig. 1
    expect: holds
    checks:
      - experiment: toy/one
        where: {metric: error}
        each: epsilon
        order: {left: {where: {series: a}}, is: below, right: {where: {series: b}}}
`))
	if err != nil {
		panic(err)
	}
	run := grid([]float64{1, 2}, 3, func(series string, epsilon float64, trial int) float64 {
		if series == "a" {
			return 1 / epsilon
		}
		return 2
	})
	judgements, err := Evaluate(l, []*results.Run{run}, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(judgements[0].ID, judgements[0].Verdict)
	fmt.Println(judgements[0].Checks[0].Summary())
	// Output:
	// T-1 holds
	// from -1.5 at epsilon 2 to -1 at epsilon 1; 2 of 2 points support; n = 3
}

// TestSymmetry: "a below b" and "b above a" are one statement, and the order of records says nothing.
func TestSymmetry(t *testing.T) {
	mirrored := ledgerOf(t, "experiment: toy/one\nwhere: {metric: error}\neach: epsilon\norder: {left: {where: {series: b}}, is: above, right: {where: {series: a}}}")
	straight := ledgerOf(t, below)
	rapid.Check(t, func(rt *rapid.T) {
		noise := source{rapid.Uint64().Draw(rt, "seed")}
		shift := rapid.SampledFrom([]float64{-2, -0.5, 0, 0.5, 2}).Draw(rt, "shift")
		o := grid(tenEpsilons[:rapid.IntRange(1, 10).Draw(rt, "points")], rapid.IntRange(2, 6).Draw(rt, "trials"), func(series string, _ float64, _ int) float64 {
			if series == "a" {
				return noise.normal()
			}
			return shift + noise.normal()
		})
		one := judged(t, straight, o)
		two := judged(t, mirrored, o)
		slices.Reverse(o.Cells)
		three := judged(t, straight, o)
		for _, other := range []Judgement{two, three} {
			if other.Verdict != one.Verdict || other.Checks[0].Supports != one.Checks[0].Supports || other.Checks[0].Opposes != one.Checks[0].Opposes {
				rt.Fatalf("%s: %s\n%s: %s", one.Verdict, one.Checks[0].Summary(), other.Verdict, other.Checks[0].Summary())
			}
		}
	})
}
