package claims

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

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
func summaries(runs ...*results.Run) (all []*results.Summary) {
	for _, run := range runs {
		all = append(all, run.Summary())
	}
	return all
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
	l := must(Parse("toy.yaml", []byte(`paper: toy
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
	j := must(Evaluate(l, summaries(runs...), Options{}))
	return j[0]
}

const below = `where: {metric: error}
each: epsilon
order: {left: {where: {series: a}}, is: below, right: {where: {series: b}}}`

var tenEpsilons = []float64{0.01, 0.05, 0.1, 0.25, 0.5, 1, 2, 3, 4, 5}

// TestVerdictsWithoutNoise: the rule where no chance is involved.
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
			if j := judged(t, fileOf(t, below), o); j.Verdict != c.want {
				t.Errorf("%s, want %s: %+v", j.Verdict, c.want, j.Checks)
			}
		})
	}
}

// TestFalseAlarms measures how often a verdict takes a side of an order when the two series have
// the same law. The rule bounds the chance at 5 % for either side of one check. Of 2000 claims a
// right rule sees more than 5 % + 4.5 √(0.05·0.95/2000) = 7.2 % with a probability below 1e-5.
func TestFalseAlarms(t *testing.T) {
	const claims = 2000
	for _, points := range []int{1, 3, 10} {
		noise := source{uint64(points)}
		l := fileOf(t, below)
		taken := map[Verdict]int{}
		for range claims {
			o := grid(tenEpsilons[:points], 5, noise.value)
			taken[judged(t, l, o).Verdict]++
		}
		t.Logf("%d points, no effect: %v of %d", points, taken, claims)
		for _, side := range []int{taken[Holds] + taken[HoldsMostly], taken[Contradicted]} {
			if float64(side) > 0.072*claims {
				t.Errorf("%d points: %d of %d claims take a side without an effect",
					points, side, claims)
			}
		}
	}
}

// TestPower measures how often a true order is found with five trials. With a difference of d
// between normal values of standard deviation 1 the paired difference has standard error √(2/5) =
// 0.63. At d = 4, 6.3 errors, a point is missed when a non-central t with 4 degrees of freedom
// stays below 2: less than 0.5 %, so that three points all support in over 98 %; the surest must
// also be significant at 1.7 %, t above 3.2. At d = 0.3 the claim must hardly ever be found: half
// an error. The bounds leave room for chance over 500 claims.
func TestPower(t *testing.T) {
	const claims = 500
	l := fileOf(t, below)
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
		t.Logf("difference %v: %d of %d hold, %d contradicted",
			c.difference, holds, claims, contradicted)
		if share := float64(holds) / claims; share < c.least || share > c.most {
			t.Errorf("difference %v: %d of %d hold, want a share from %v to %v",
				c.difference, holds, claims, c.least, c.most)
		}
	}
}

// TestDetectable: an excess of (2 + t(0.8, n-1)) true standard errors is seen in about 80 % of the
// cases: more than two estimated errors from the bound with probability P(T > 2) of a non-central
// t, 0.83 at 2 degrees of freedom, 0.81 at 4 and 0.80 at 19, by integration over the chi density
// below. Of 4000 claims the share has a standard error of 0.0063; 0.03 is 4.5 of them.
func TestDetectable(t *testing.T) {
	const claims = 4000
	l := fileOf(t, "where: {metric: error, series: a}\n"+
		"range: {of: {take: max over epsilon}, min: 0}")
	for _, trials := range []int{3, 5, 20} {
		noise := source{uint64(trials)}
		degrees := float64(trials - 1)
		excess := standardErrors + studentT(trials-1).Quantile(power)
		seen := 0
		for range claims {
			o := grid(tenEpsilons[:1], trials, func(string, float64, int) float64 {
				return excess/math.Sqrt(float64(trials)) + noise.normal()
			})
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
			least := standardErrors * x / math.Sqrt(degrees)
			return density(x) * 0.5 * math.Erfc((least-excess)/math.Sqrt2)
		}) / weigh(density)
		got := float64(seen) / claims
		t.Logf("%d trials: seen %.3f, %.3f by integration", trials, got, want)
		if math.Abs(got-want) > 0.03 || want < 0.75 || want > 0.85 {
			t.Errorf("%d trials: a detectable excess is seen in %.3f of the cases, "+
				"%.3f by integration", trials, got, want)
		}
	}
}

// TestSymmetry: "a below b" and "b above a" are one statement, and the order of records says
// nothing.
func TestSymmetry(t *testing.T) {
	mirrored := fileOf(t, "where: {metric: error}\neach: epsilon\n"+
		"order: {left: {where: {series: b}}, is: above, right: {where: {series: a}}}")
	straight := fileOf(t, below)
	rapid.Check(t, func(rt *rapid.T) {
		noise := source{rapid.Uint64().Draw(rt, "seed")}
		shift := rapid.SampledFrom([]float64{-2, -0.5, 0, 0.5, 2}).Draw(rt, "shift")
		points := rapid.IntRange(1, 10).Draw(rt, "points")
		trials := rapid.IntRange(2, 6).Draw(rt, "trials")
		o := grid(tenEpsilons[:points], trials, func(series string, _ float64, _ int) float64 {
			if series == "a" {
				return noise.normal()
			}
			return shift + noise.normal()
		})
		one := judged(t, straight, o)
		two := judged(t, mirrored, o)
		slices.Reverse(o.Records)
		three := judged(t, straight, o)
		for _, other := range []Judgement{two, three} {
			a, b := &one.Checks[0], &other.Checks[0]
			if other.Verdict != one.Verdict || a.Supports != b.Supports || a.Opposes != b.Opposes {
				rt.Fatalf("%s: %s\n%s: %s", one.Verdict, a.Summary(), other.Verdict, b.Summary())
			}
		}
	})
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
		t.Run(c.name, func(t *testing.T) {
			j := must(Evaluate(l, c.runs, Options{}))
			noData := j[0].Verdict == NoData
			if (c.reason != "") != noData || !strings.Contains(j[0].Reason, c.reason) ||
				noData && len(j[0].Checks) > 0 {
				t.Errorf("%s: %q, want %q", j[0].Verdict, j[0].Reason, c.reason)
			}
		})
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
	if j := judged(t, exact, grid(tenEpsilons, 1, two)); j.Verdict != Holds {
		t.Errorf("exact values need no second trial: %s, %s", j.Verdict, j.Reason)
	}
}

// TestClock: times have verdicts, which are those of the machine and surprise nobody.
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
		if j.Verdict != Contradicted || j.Clock != want || j.Surprise == want {
			t.Errorf("%s\n%s, by the clock %v, a surprise %v",
				check, j.Verdict, j.Clock, j.Surprise)
		}
		const remark = "by the clock of the machine that ran it: A Chip"
		if slices.Contains(j.Remarks(), remark) != want {
			t.Errorf("remarks %q, of the clock %t", j.Remarks(), want)
		}
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

// TestHolm: the worked example of p-values 0.01, 0.04, 0.03, 0.005 gives 0.03, 0.06, 0.06, 0.02.
func TestHolm(t *testing.T) {
	got, want := results.Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			t.Fatalf("%v, want %v", got, want)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	l := fileOf(b, below)
	noise := source{1}
	o := grid(tenEpsilons, 20, noise.value)
	b.ResetTimer()
	for b.Loop() {
		must(Evaluate(l, summaries(o), Options{}))
	}
	b.ReportMetric(float64(b.N*len(o.Records))/b.Elapsed().Seconds(), "records/s")
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
	judgements, err := Evaluate(l, summaries(run), Options{})
	if err != nil {
		panic(err)
	}
	fmt.Println(judgements[0].ID, judgements[0].Verdict)
	fmt.Println(judgements[0].Checks[0].Summary())
	// Output:
	// T-1 holds
	// from -1.5 at epsilon 2 to -1 at epsilon 1; 2 of 2 points support; n = 3
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// noError ends the test or benchmark on an error.
func noError(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
