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

// source draws normal deviates from a frozen generator: tests of the verdicts need noise of known
// law, nothing here needs privacy.
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

// value is a deviate for any record.
func (s *source) value(string, float64, int) float64 { return s.normal() }

// valueOf gives each record's measurement.
type valueOf func(series string, epsilon float64, trial int) float64

func constant(v float64) valueOf { return func(string, float64, int) float64 { return v } }

// grid makes a run of two series a and b over epsilon.
func grid(epsilons []float64, trials int, value valueOf) *results.Run {
	r := &results.Run{Manifest: results.Manifest{Experiment: "toy/one"}}
	for _, series := range []string{"a", "b"} {
		for _, epsilon := range epsilons {
			setting := &results.Setting{Series: series, Dataset: results.Dataset{Name: "toy"},
				Algorithm: series, Variant: Published, Params: map[string]string{"depth": "5"},
				Epsilon: &epsilon}
			for trial := range trials {
				r.Records = append(r.Records, record(setting, trial, value(series, epsilon, trial)))
			}
		}
	}
	return r
}

// summaries are those of runs.
func summaries(runs ...*results.Run) []*results.Summary {
	return results.Mapped(runs, (*results.Run).Summary)
}

// record is a record with one value, of the metric error.
func record(setting *results.Setting, trial int, value float64) results.Record {
	return results.Record{Setting: setting, Outcome: results.Outcome{
		Trial: trial, Status: results.OK, Values: []results.Value{
			{Measurement: results.Measurement{Metric: "error"}, Value: &value}}}}
}

// fileOf is a file of one claim with the given check of toy/one.
func fileOf(t testing.TB, check string) *File {
	t.Helper()
	l := must.Get(Parse("toy.yaml", []byte(`paper: toy
citation: Toy
under-test: [a]
figures: [Fig. 1]
claims:
  - id: T-1
    statement: A statement.
    source: Fig. 1
    expect: holds
    checks:
      - experiment: toy/one
        `+strings.ReplaceAll(strings.TrimSpace(check), "\n", "\n        ")+"\n")))
	return l
}

// judged evaluates the one claim of a file.
func judged(t testing.TB, l *File, runs ...*results.Run) Judgement {
	t.Helper()
	j := must.Get(Evaluate(l, summaries(runs...), Options{}))
	return j[0]
}

const below = `where: {metric: error}
each: epsilon
order: {left: {where: {series: a}}, is: below, right: {where: {series: b}}}`

var tenEpsilons = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5}

// TestVerdictsWithoutNoise: the rule where no chance is involved, on ten points.
func TestVerdictsWithoutNoise(t *testing.T) {
	for _, c := range []struct {
		name   string
		wrong  int // points at which a lies above b
		close  int // at which a lies 1/8 above b
		margin float64
		want   Verdict
		words  string
	}{
		{"all", 0, 0, 0, Holds, "holds"},
		{"two against it", 2, 0, 0, HoldsInPart, "holds in part (8 of 10 points)"},
		{"three against it", 3, 0, 0, Contradicted, "contradicted (at 3 of 10 points)"},
		{"any difference counts without a margin", 0, 3, 0, Contradicted,
			"contradicted (at 3 of 10 points)"},
		{"half equal", 0, 5, 0.25, HoldsInPart, "holds in part (5 of 10 points)"},
		{"most equal", 0, 6, 0.25, NoDifference, "no difference (below 0.25)"},
		{"most equal, two against it", 2, 4, 0.25, NoDifference,
			"no difference (below 0.25)"},
		{"beyond half the margin", 0, 6, 0.24, Contradicted, "contradicted (at 6 of 10 points)"},
		{"all against it", 10, 0, 0.2, Contradicted, "contradicted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := grid(tenEpsilons, 5, func(series string, epsilon float64, trial int) float64 {
				i := slices.Index(tenEpsilons, epsilon)
				switch {
				case series == "b":
					return 1
				case i < c.wrong:
					return 2
				case i < c.wrong+c.close:
					return 1.125
				}
				return 0
			})
			j := judged(t, fileOf(t, fmt.Sprintf("equal: %v\n%s", c.margin, below)), o)
			if j.Verdict != c.want || j.Words() != c.words {
				t.Errorf("%s, %q, want %s, %q: %+v", j.Verdict, j.Words(), c.want, c.words,
					j.Checks)
			}
		})
	}
}

// TestOpenPoints: a verdict that is given with open points is the one that they would leave it,
// whatever they turn out to be; what holds in part may still hold. Where that is so, a verdict is
// given. All counts of up to twelve points are tried.
func TestOpenPoints(t *testing.T) {
	const most = 12
	given := make(map[Verdict]int)
	for code := range (most + 1) * (most + 1) * (most + 1) * (most + 1) {
		c := Counts{code % 13, code / 13 % 13, code / 169 % 13, code / 2197}
		if c.All() == 0 || c.All() > most {
			continue
		}
		ends := make(map[Verdict]bool)
		for in := range c.Open + 1 {
			for out := range c.Open - in + 1 {
				ended := Counts{c.Supports + in, c.Opposes + out, c.Equal + c.Open - in - out, 0}
				verdict := ended.verdict()
				if verdict == Undecided {
					t.Fatalf("%+v: undecided without an open point", ended)
				}
				if verdict == Holds && c.Open > 0 {
					verdict = HoldsInPart
				}
				ends[verdict] = true
			}
		}
		verdict := c.verdict()
		if verdict == Undecided {
			if len(ends) == 1 {
				t.Errorf("%+v is undecided, yet can only end as %v", c, ends)
			}
			continue
		}
		given[verdict]++
		if verdict == Holds && c.Supports == c.All() {
			continue
		}
		if len(ends) != 1 || !ends[verdict] {
			t.Errorf("%+v: %s, but may end as %v", c, verdict, ends)
		}
	}
	must.Be(t, len(given), 4, given)
}

// TestWorstCheck: a claim has its worst check's verdict, and checks of a single point are together
// the points of one.
func TestWorstCheck(t *testing.T) {
	in, out := Point{State: supports, share: 1}, Point{State: opposes, share: 1}
	unknown := Point{State: supports, P: 0.5, share: 1}
	same := Point{State: equal, share: 1}
	for _, c := range []struct {
		checks [][]Point
		want   Verdict
	}{
		{[][]Point{{in}, {in}, {in}, {in}, {out}}, HoldsInPart},
		{[][]Point{{in, in}, {in, in}, {in}, {in}, {out}}, Contradicted},
		{[][]Point{{in, in, in, in, in}, {in, in, in, in, out}}, HoldsInPart},
		{[][]Point{{in, in}, {out, out}, {unknown, in}}, Contradicted},
		{[][]Point{{in, in}, {same, same}, {unknown, in}}, NoDifference},
		{[][]Point{{in, in, in, in, out}, {in, unknown}}, Undecided},
	} {
		j := &Judgement{}
		for _, points := range c.checks {
			j.Checks = append(j.Checks, Evidence{Points: slices.Clone(points)})
		}
		if decide(j); j.Verdict != c.want {
			t.Errorf("%+v: %s, want %s", c.checks, j.Verdict, c.want)
		}
	}
}

// wrong reports whether a claim about a below b has a point with a state that is not true, when a
// lies above b by the excess.
func wrong(j Judgement, excess, margin float64) bool {
	return slices.ContainsFunc(j.Checks[0].Points, func(p Point) bool {
		return p.State == supports && excess >= 0 || p.State == opposes && excess <= 0 ||
			p.State == equal && math.Abs(excess) >= margin
	})
}

// allowed is how many of n claims may be wrong by a rule that bounds the chance of each at 5 %:
// more are with a probability below 1e-5.
func allowed(n int) float64 {
	return familyError*float64(n) + 4.5*math.Sqrt(familyError*(1-familyError)*float64(n))
}

// settle judges a claim of points at each look of a settled run: only the points that are open get
// more trials.
func settle(t testing.TB, l *File, noise *source, points int, excess float64) Judgement {
	values := map[string][]float64{}
	trials := make([]int, points)
	var j Judgement
	for _, look := range Looks {
		o := &results.Run{Manifest: results.Manifest{Experiment: "toy/one"}}
		for i := range points {
			if j.Checks == nil || j.Checks[0].Points[i].State == open {
				trials[i] = look.Trials
			}
			for _, series := range []string{"a", "b"} {
				setting := &results.Setting{Series: series, Dataset: results.Dataset{Name: "toy"},
					Algorithm: series, Variant: Published, Epsilon: &tenEpsilons[i]}
				key := fmt.Sprint(series, i)
				for trial := range trials[i] {
					if trial == len(values[key]) {
						value := noise.normal()
						if series == "a" {
							value += excess
						}
						values[key] = append(values[key], value)
					}
					o.Records = append(o.Records, record(setting, trial, values[key][trial]))
				}
			}
		}
		j = must.Get(Evaluate(l, summaries(o), Options{Settled: true}))[0]
		if j.Checks[0].Open == 0 {
			break
		}
	}
	return j
}

// TestErrorRates measures how often a claim has a point with a wrong state: with the papers' five
// trials judged once, and with trials that grow until all points are decided. It measures the power
// of settled runs too: differences of a standard
// deviation, of a quarter and of none with a margin of half of one are found in nearly all claims.
// At 540 trials their errors are 0.06, which leaves four errors for the last two.
func TestErrorRates(t *testing.T) {
	const margin = 0.5
	for _, c := range []struct {
		points, claims int
		excess, margin float64
		settled        bool
		want           Verdict // of at least 95 %
	}{
		{1, 1000, 0, 0, false, Undecided},
		{3, 1000, 0, 0, false, Undecided},
		{10, 500, 0, 0, false, Undecided},
		{3, 1000, -margin, margin, false, ""}, // at the margin
		{1, 150, 0, 0, true, Undecided},
		{3, 100, 0, 0, true, Undecided},
		{1, 150, margin, margin, true, ""},
		{3, 100, -margin, margin, true, ""},
		{3, 100, 0, margin, true, NoDifference},
		{3, 100, -0.35, 0, true, Holds},
		{10, 50, -1, margin, true, Holds},
		{10, 50, 1, margin, true, Contradicted},
	} {
		noise := &source{uint64(c.points)*1000 + uint64(100*math.Abs(c.excess))}
		l := fileOf(t, fmt.Sprintf("equal: %v\n%s", c.margin, below))
		mistaken, found := 0, 0
		for range c.claims {
			var j Judgement
			if c.settled {
				j = settle(t, l, noise, c.points, c.excess)
			} else {
				j = judged(t, l, grid(tenEpsilons[:c.points], 5,
					func(series string, _ float64, _ int) float64 {
						if series == "a" {
							return c.excess + noise.normal()
						}
						return noise.normal()
					}))
			}
			if wrong(j, c.excess, c.margin) {
				mistaken++
			}
			if j.Verdict == c.want {
				found++
			}
		}
		n := float64(c.claims)
		t.Logf("%d points, excess %v, margin %v, settled %t: %.3f wrong, %.3f %s", c.points,
			c.excess, c.margin, c.settled, float64(mistaken)/n, float64(found)/n, c.want)
		if float64(mistaken) > allowed(c.claims) {
			t.Errorf("%+v: %d of %d claims have a wrong point", c, mistaken, c.claims)
		}
		if c.want != "" && float64(found) < 0.9*n {
			t.Errorf("%+v: only %d of %d claims are %s", c, found, c.claims, c.want)
		}
	}
}

// TestNoData: records that are missing, failed or too few give no verdict.
func TestNoData(t *testing.T) {
	one := func(series string, _ float64, _ int) float64 { return float64(len(series)) }
	l := fileOf(t, below)
	failed := grid(tenEpsilons[:2], 3, one)
	for i := range failed.Records {
		if c := &failed.Records[i]; c.Series == "a" && *c.Epsilon == 0.01 {
			c.Status, c.Phase, c.Values = results.Failed, results.PhaseRelease, nil
		}
	}
	undefined := grid(tenEpsilons[:2], 3, one)
	undefined.Records[0].Values[0].Value = nil
	for _, c := range []struct {
		name   string
		runs   []*results.Summary
		reason string // "" for a verdict
	}{
		{"nothing was run", nil, "toy/one has not been run"},
		{"one trial", summaries(grid(tenEpsilons, 1, one)), "n = 1 at epsilon 0.01, too few"},
		{"a point failed", summaries(failed), "no trial at epsilon 0.01 succeeded"},
		{"one trial undefined leaves two", summaries(undefined), ""},
	} {
		j := must.Get(Evaluate(l, c.runs, Options{}))
		noData := j[0].Verdict == NoData
		if (c.reason != "") != noData || !strings.Contains(j[0].Reason, c.reason) ||
			noData && len(j[0].Checks) > 0 {
			t.Errorf("%s: %s: %q, want %q", c.name, j[0].Verdict, j[0].Reason, c.reason)
		}
	}
	j, err := Evaluate(l, summaries(grid(tenEpsilons, 2, one)), Options{Variant: Strict})
	if err != nil || j[0].Verdict != NoData || !strings.Contains(j[0].Reason, "strict") {
		t.Errorf("a variant that was not run: %v, %+v", err, j)
	}
	exact := fileOf(t, below+"\nexact: true")
	two := func(series string, _ float64, _ int) float64 {
		if series == "a" {
			return 1
		}
		return 2
	}
	const summary = "-1 everywhere; 10 of 10 points support; nothing left to chance"
	if j := judged(t, exact, grid(tenEpsilons, 1, two)); j.Verdict != Holds ||
		j.Checks[0].Summary() != summary {
		t.Errorf("exact values need no second trial: %s, %s", j.Verdict, j.Reason)
	}
}

// TestOpen: an open curve asks for more trials of all its points, a single value and a time do not;
// nor is there a thing to settle in what has no trials.
func TestOpen(t *testing.T) {
	noise := source{5}
	o := grid(tenEpsilons[:4], 3, noise.value)
	for i := range o.Records {
		o.Timings = append(o.Timings, results.Timing{Job: i, Release: noise.uniform()})
	}
	for metric, want := range map[string]int{"error": 4, "runtime": 0} { // order-free: each alone
		asked := make(map[string]bool)
		l := fileOf(t, "where: {metric: "+metric+", series: a}\n"+
			"monotone: {of: {}, along: epsilon, is: increasing}")
		j := must.Get(Evaluate(l, summaries(o), Options{Settled: true,
			Open: func(_ string, s *results.Setting) { asked[fmt.Sprint(*s.Epsilon)] = true }}))[0]
		must.Be(t, j.Verdict, Undecided, metric, j.Checks)
		must.Be(t, len(asked), want, metric)
		must.Be(t, j.Settled, want > 0, metric)
	}
	exact := fileOf(t, "where: {metric: error, series: a}\nexact: true\neach: epsilon\n"+
		"range: {of: {}, max: 9}")
	j := must.Get(Evaluate(exact, summaries(grid(tenEpsilons, 1, constant(1))),
		Options{Settled: true}))[0]
	must.Be(t, j.Settled, false, "values of one trial")
	if p := judged(t, exact, o).Checks[0].Points[0]; !(p.SE > 0) {
		t.Errorf("exact values that differ from trial to trial have no error: %+v", p)
	}
}

// TestSurprise: what is decided otherwise than expected surprises, in the published variant. What
// holds as far as it is known does not, where it may yet hold.
func TestSurprise(t *testing.T) {
	for _, c := range []struct {
		verdict, expect Verdict
		besides         string // state of the points that do not support
		want            bool
	}{
		{Holds, Holds, supports, true}, {Contradicted, Holds, opposes, true},
		{Undecided, Holds, open, false}, {Holds, Undecided, supports, false},
		{HoldsInPart, Holds, open, false}, {HoldsInPart, Holds, equal, true},
		{HoldsInPart, Holds, opposes, true}, {HoldsInPart, Contradicted, open, true},
	} {
		j := Judgement{Verdict: c.verdict, Expect: c.expect,
			Checks: []Evidence{{Points: []Point{{State: supports}, {State: c.besides}}}}}
		must.Be(t, j.comparable(), c.want, c)
	}
	l := fileOf(t, "where: {metric: error, series: a}\neach: epsilon\nrange: {of: {}, min: 2}")
	o := grid(tenEpsilons[:3], 2, constant(1))
	for _, variant := range []string{Published, Strict} {
		for i := range o.Records {
			o.Records[i].Variant = variant
		}
		j := must.Get(Evaluate(l, summaries(o), Options{Variant: variant}))[0]
		must.Be(t, j.Verdict, Contradicted, variant)
		must.Be(t, j.Surprise, variant == Published, variant)
	}
}

// TestClock: times have verdicts, which are those of the machine.
func TestClock(t *testing.T) {
	o := grid(tenEpsilons[:3], 2, constant(1))
	o.Manifest.CPU = "A Chip"
	for i := range o.Records {
		o.Timings = append(o.Timings, results.Timing{Job: i, Release: 2})
	}
	for check, want := range map[string]bool{
		"where: {metric: runtime}\nrange: {of: {}, max: 1}":                                true,
		"range: {of: {where: {metric: error}, minus: {where: {metric: runtime}}}, min: 0}": true,
		"where: {metric: error}\nrange: {of: {}, min: 2}":                                  false,
	} {
		j := judged(t, fileOf(t, "each: [epsilon, series]\n"+check), o)
		if j.Verdict != Contradicted || j.Clock != want {
			t.Errorf("%s\n%s, by the clock %v", check, j.Verdict, j.Clock)
		}
		const remark = "by the clock of the machine that ran it: A Chip"
		must.Be(t, slices.Contains(j.Remarks(), remark), want, j.Remarks())
	}
}

// TestStrict: a check says what replaces its terms when the strict variant is judged, and the
// predicate shows it.
func TestStrict(t *testing.T) {
	o := grid(tenEpsilons[:3], 2, constant(1))
	for i := range o.Records {
		if c := &o.Records[i]; c.Series == "a" {
			c.Variant, c.Params = Strict, map[string]string{"depth": "7"}
		}
	}
	l := fileOf(t, "where: {metric: error}\nstrict: {depth: 7}\neach: epsilon\n"+
		"range: {of: {where: {algorithm: a, depth: 5}, per: {where: {algorithm: b}}}, max: 1}")
	j, err := Evaluate(l, summaries(o), Options{Variant: Strict})
	if err != nil || j[0].Verdict != Holds {
		t.Fatalf("%v, %+v", err, j)
	}
	predicate := j[0].Checks[0].Predicate
	if !strings.Contains(predicate, "depth 7") || strings.Contains(predicate, "depth 5") {
		t.Error(predicate)
	}
}

func BenchmarkEvaluate(b *testing.B) {
	l := fileOf(b, below)
	noise := source{1}
	o := grid(tenEpsilons, 20, noise.value)
	b.ResetTimer()
	for b.Loop() {
		must.Get(Evaluate(l, summaries(o), Options{}))
	}
	b.ReportMetric(float64(b.N*len(o.Records))/b.Elapsed().Seconds(), "records/s")
}
