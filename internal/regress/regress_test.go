package regress

import (
	"bytes"
	"maps"
	"math"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// Student's data on the sleep of ten patients under two drugs, which R's help on t.test works with:
// Welch's test gives t = -1.8608, 17.776 degrees of freedom and p = 0.07939, the paired test t =
// -4.0621 and p = 0.002833.
func TestStudentsSleep(t *testing.T) {
	first := []float64{0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0}
	second := []float64{1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4}
	p, test := welch(first, second)
	must.Near(t, p, 0.07939, 5e-6, "Welch's p")
	must.Be(t, test, TestWelch, "test")
	must.Near(t, results.Paired(first, second).P, 0.002833, 5e-7, "paired p")
}

// With one degree of freedom Student's distribution is Cauchy's, whose two tails beyond t hold 1 -
// 2 atan(t)/π. Two trials 1 and -1 have variance 2; the difference to a single one has standard
// error √(2·(1/2+1)) = √3.
func TestSingleTrial(t *testing.T) {
	for _, x := range []float64{0.5, 3, 100} {
		want := 1 - 2*math.Atan(x/math.Sqrt(3))/math.Pi
		p, test := welch([]float64{-1, 1}, []float64{x})
		must.Near(t, p, want, 1e-12, "p")
		back, _ := welch([]float64{x}, []float64{-1, 1})
		must.Near(t, back, want, 1e-12, "p the other way round")
		must.Be(t, test, TestPooled, "test")
	}
	if p, _ := welch([]float64{1}, []float64{2}); !math.IsNaN(p) {
		t.Errorf("two single trials have p = %v, want none", p)
	}
}

// Samples that do not vary are dealt out again in all ways: p is the share of ways with means as
// far apart.
func TestPermutationByEnumeration(t *testing.T) {
	for n := 1; n <= 5; n++ {
		for m := 1; m <= 5; m++ {
			if n+m < 3 {
				continue
			}
			extreme, ways := 0, 0
			for deal := range uint(1) << (n + m) {
				if bits.OnesCount(deal) != n {
					continue
				}
				ways++
				// The old values are 0, the new ones 1: the first side holds as many ones as it
				// took from the second.
				ones := bits.OnesCount(deal >> n)
				difference := math.Abs(float64(m-ones)/float64(m) - float64(ones)/float64(n))
				if difference > 1-1e-12 {
					extreme++
				}
			}
			p, _ := welch(make([]float64, n), slices.Repeat([]float64{1}, m))
			must.Near(t, p, float64(extreme)/float64(ways), 1e-12, "p")
		}
	}
	p := results.Paired(make([]float64, 4), []float64{2, 2, 2, 2}).P
	must.Near(t, p, 2.0/16, 0, "p of four equal differences") // two of sixteen choices of signs
}

// Holm's procedure is the closed test of Bonferroni's: a hypothesis is rejected when every set of
// hypotheses it is in has a p-value of at most α over the set's size.
func TestHolmIsClosedBonferroni(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.SliceOfN(rapid.Float64Range(0, 0.2), 1, 6).Draw(t, "p")
		alpha := rapid.Float64Range(0.001, 0.5).Draw(t, "alpha")
		adjusted := results.Holm(p)
		for i := range p {
			rejected := true
			for set := range 1 << len(p) {
				if set>>i&1 == 0 {
					continue
				}
				least, size := 1.0, 0
				for j := range p {
					if set>>j&1 == 1 {
						least, size = math.Min(least, p[j]), size+1
					}
				}
				rejected = rejected && float64(size)*least <= alpha
			}
			if rejected != (adjusted[i] <= alpha) {
				t.Fatalf("p = %v at %v: hypothesis %d rejected by closed testing: %v, p %v",
					p, alpha, i, rejected, adjusted[i])
			}
		}
	})
}

func TestTrialsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z;=\\, "\n-]{0,6}`)
		var want []results.Sample
		for i := range rapid.IntRange(1, 4).Draw(t, "settings") {
			setting := &results.Setting{Series: word.Draw(t, "series"),
				Dataset:   results.Dataset{Name: word.Draw(t, "dataset")},
				Algorithm: "a", Variant: word.Draw(t, "variant"),
				Params: map[string]string{"i": string(rune('0' + i)), "p": word.Draw(t, "value")}}
			if rapid.Bool().Draw(t, "private") {
				setting.Epsilon = pointer(rapid.Float64Range(0, 10).Draw(t, "epsilon"))
			}
			for _, m := range []results.Measurement{{Metric: "w1"},
				{Metric: "accuracy", Classifier: "naive-bayes"}, {Metric: "accuracy"}} {
				value := rapid.OneOf(rapid.Float64Range(-1e300, 1e300), rapid.Just(math.NaN()))
				want = append(want, results.Sample{Setting: setting, Measurement: m,
					Trials: rapid.SliceOfN(value, 1, 3).Draw(t, "trials")})
			}
		}
		var text bytes.Buffer
		must.Do(t, writeTrials(&text, want))
		got := must.Get(readTrials(&text, TrialsFile))
		if difference := cmp.Diff(want, got, cmpopts.EquateNaNs(), unkeyed); difference != "" {
			t.Errorf("what was read differs (-written +read):\n%s", difference)
		}
	})
}

func TestTrialsBad(t *testing.T) {
	good := `{"setting":{"dataset":{"name":"d"},"algorithm":"a","variant":"v","series":"s"},` +
		`"samples":[{"metric":"w1","trials":[1,null]}]}` + "\n"
	for _, c := range []struct{ text, want string }{
		{good + "{}\n", "t:2: the line has no setting"},
		{good + good, "t:2: the setting of an earlier line is repeated"},
		{strings.Replace(good, "null", `"x"`, 1), "t:1: json: cannot unmarshal string"},
		{strings.Replace(good, "null", "1e999", 1), "t:1: json: cannot unmarshal number"},
		{strings.Replace(good, "metric", "name", 1), `t:1: json: unknown field "name"`},
		{good[:40], "t:1: the last line has no line end"},
	} {
		must.Fail(t, must.Err(readTrials(strings.NewReader(c.text), "t")), c.want, c.text)
	}
}

func TestReferenceOfRun(t *testing.T) {
	series := func(name string) *results.Setting {
		return &results.Setting{Series: name, Dataset: results.Dataset{Name: "d"}, Algorithm: "a"}
	}
	s, broken := series("s"), series("broken")
	w1 := results.Measurement{Metric: "w1"}
	ok := func(trial, fold int, value float64) results.Record {
		return results.Record{Setting: s, Outcome: results.Outcome{Trial: trial, Fold: &fold,
			Status: results.OK,
			Values: []results.Value{{Measurement: w1, Value: &value}}}}
	}
	failed := func(setting *results.Setting, trial, fold int) results.Record {
		return results.Record{Setting: setting, Outcome: results.Outcome{Trial: trial,
			Fold:   &fold,
			Status: results.Failed, Phase: results.PhaseRelease}}
	}
	records := []results.Record{ok(0, 0, 1), ok(0, 1, 3), ok(1, 0, 5), failed(s, 1, 1), ok(3, 0, 6),
		ok(3, 1, 8), failed(broken, 0, 0)}
	want := Reference{Manifest: results.Manifest{Experiment: "e", Seed: 1},
		Samples: []results.Sample{
			{Setting: s, Measurement: w1, Trials: []float64{2, math.NaN(), math.NaN(), 7}},
			{Setting: broken, Measurement: w1, Trials: []float64{math.NaN()}},
		}}
	b := ReferenceOf((&results.Run{Records: records,
		Manifest: results.Manifest{Experiment: "e", Seed: 1,
			CPU: "z80", CommandLine: []string{"x"},
			Commit: "c", Dirty: true, Files: map[string]string{"f": "0"}}}).Summary())
	if difference := cmp.Diff(want, *b, cmpopts.EquateNaNs(), unkeyed); difference != "" {
		t.Fatal(difference)
	}
	dir := filepath.Join(t.TempDir(), "e")
	must.Do(t, b.Write(dir))
	back := must.Get(OpenReference(dir))
	if difference := cmp.Diff(b, back, cmpopts.EquateNaNs(), cmpopts.EquateEmpty(),
		unkeyed); difference != "" {
		t.Error(difference)
	}
}

// unkeyed ignores the key that a setting keeps once it was asked for.
var unkeyed = cmpopts.IgnoreUnexported(results.Setting{})

func pointer[T any](v T) *T { return &v }

// reference makes one with a sample for each list of trials; epsilons are 1, 2, ...
func reference(seed uint64, revision int, checksum string, samples ...[]float64) *Reference {
	b := &Reference{Manifest: results.Manifest{Experiment: "e", Seed: seed,
		Datasets: []results.DatasetUse{{Name: "d", Checksum: checksum}},
		Algorithms: []results.AlgorithmUse{{Name: "a", Guarantee: "differential privacy",
			Revision: revision}},
		Measures: []results.MeasureUse{{Measurement: results.Measurement{Metric: "w1"},
			Revision: 1}}}}
	for i, trials := range samples {
		b.Samples = append(b.Samples, sample("s", i+1, trials))
	}
	return b
}

// sample is one of w1 on dataset d.
func sample(series string, epsilon int, trials []float64) results.Sample {
	return results.Sample{Setting: &results.Setting{Series: series,
		Dataset: results.Dataset{Name: "d"}, Algorithm: "a",
		Epsilon: pointer(float64(epsilon))}, Measurement: results.Measurement{Metric: "w1"},
		Trials: trials}
}

func TestVerdicts(t *testing.T) {
	nan := math.NaN()
	// in binary fractions, so that differences are exact
	five := []float64{1, 1.015625, 0.984375, 1.03125, 0.96875}
	far := []float64{2, 2.015625, 1.984375, 2.03125, 1.96875}
	noiseless := func(b *Reference) *Reference {
		b.Manifest.Algorithms[0].Guarantee = "k-anonymity"
		return b
	}
	spec := func(text string, b *Reference) *Reference {
		with := *b
		with.Manifest.Spec = "epsilon: " + text
		return &with
	}
	asked := func(b *Reference) *Reference { b.Manifest.Overrides.Trials = new(2); return b }
	anew := func(b *Reference) *Reference { b.Manifest.Datasets[0].Resampled = true; return b }
	measured := func(b *Reference) *Reference { b.Manifest.Measures[0].Revision++; return b }
	ref := reference(1, 1, "x", five)
	of := func(seed uint64, revision int, data string, trials ...float64) *Reference {
		return reference(seed, revision, data, trials)
	}
	for _, c := range []struct {
		name          string
		old, new      *Reference
		verdict, test string
	}{
		{"the same", ref, reference(1, 1, "x", five), Same, TestExact},
		{"fewer trials of the same", ref, of(1, 1, "x", five[:2]...), Missing, TestExact},
		{"fewer trials, as asked", ref, asked(of(1, 1, "x", five[:2]...)), Same, TestExact},
		{"more trials of the same", of(1, 1, "x", five[:2]...), ref, Same, TestExact},
		{"the last bit", ref, of(1, 1, "x", 1, 1.015625, math.Nextafter(0.984375, 1), 1.03125,
			0.96875), Changed, TestExact},
		{"a failed trial", ref, of(1, 1, "x", 1, nan, 0.984375, 1.03125, 0.96875), Changed,
			TestExact},
		{"failed before and after", of(1, 1, "x", nan, 1), of(1, 1, "x", nan, 1), Same, TestExact},
		{"a revision without effect", ref, reference(1, 2, "x", five), Same, TestExact},
		{"a revision", ref, reference(1, 2, "x", far), Changed, TestPermutation},
		{"a revision of the metric", ref, measured(of(1, 1, "x", 2, 2.011, 1.991, 2.023, 1.98)),
			Changed, TestPaired},
		{"a revision within noise", ref, of(1, 2, "x", 1.01, 1, 1, 0.98, 1.02), Unchanged,
			TestPaired},
		{"a revision, two trials", of(1, 1, "x", 1, 2), of(1, 2, "x", 1, 3), Changed, ""},
		{"a revision, one trial", of(1, 1, "x", 1), of(1, 2, "x", 2), Changed, ""},
		{"a revision that fails", ref, of(1, 2, "x", 1.01, 1, nan, 0.98, 1.02), Changed, ""},
		{"the seed's data", ref, reference(1, 1, "y", far), Changed, TestExact},
		{"another seed", ref, of(2, 1, "x", 1.01, 0.97, 1, 1.02, 1.04), Unchanged, TestWelch},
		{"another seed, doubled", ref, reference(2, 1, "x", far), Changed, TestWelch},
		{"another seed, better", reference(1, 1, "x", far), reference(2, 1, "x", five), Changed,
			TestWelch},
		{"another seed, one trial", ref, of(2, 1, "x", far[:1]...), Changed, TestPooled},
		{"single trials", of(1, 1, "x", 1), of(2, 1, "x", 2), Unjudged, ""},
		{"a change below the floor", of(1, 1, "x", 1, 1.000001, 0.999999),
			of(2, 1, "x", 1.005, 1.005001, 1.004999), Unchanged, TestWelch},
		{"other data", ref, reference(2, 1, "y", far), Unjudged, ""},
		{"data drawn anew", anew(reference(1, 1, "x", five)), anew(reference(2, 1, "y", far)),
			Changed, TestWelch},
		{"no noise, another seed", noiseless(of(1, 1, "x", 3, 3)), noiseless(of(2, 1, "x", 3, 3)),
			Same, TestExact},
		{"no noise, another number", noiseless(of(1, 1, "x", 3, 3)),
			noiseless(of(2, 1, "x", 3, 3.0001)), Changed, TestExact},
		{"missing", ref, reference(1, 1, "x"), Missing, ""},
		{"added", spec("[1]", reference(1, 1, "x")), spec("[1, 2]", ref), Added, ""},
		{"a line of the reference is lost", reference(1, 1, "x"), ref, Changed, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			alpha := Alpha
			if c.test == TestPermutation {
				alpha = 0.1 // 2/2⁵ is the least a permutation of five can give
			}
			g := Compare([]Pair{{c.old, c.new}}, alpha)
			if len(g.Comparisons) != 1 {
				t.Fatalf("%d comparisons, want one: %+v", len(g.Comparisons), g.Comparisons)
			}
			if got := g.Comparisons[0]; got.Verdict != c.verdict || got.Test != c.test {
				t.Errorf("%s by %q, want %s by %q: %+v", got.Verdict, got.Test, c.verdict, c.test,
					got)
			}
			if fallen := c.verdict == Changed || c.verdict == Missing; g.Failed() != fallen {
				t.Errorf("the gate has fallen: %v, want %v", g.Failed(), fallen)
			}
		})
	}
}

// TestDifferences: what a run depends on differs, and not how its spec is written.
func TestDifferences(t *testing.T) {
	a, b := reference(1, 1, "x"), reference(1, 1, "x")
	a.Manifest.Spec = "# a comment\ntitle: A\nepsilon: [0.5, 1]\nalgorithms:\n" +
		"  - {name: rps, params: {depth: 5}}\n"
	for _, c := range []struct{ old, new, want string }{
		{"# a comment", "", ""},
		{"title: A\n", "title: B\n", ""},
		{"[0.5, 1]", "\n  [0.5,\n    1]", ""},
		{"[0.5, 1]", "[1]", "spec epsilon: [0.5, 1] | [1]"},
		{"depth: 5", "depth: 6", "spec algorithms[0].params.depth: 5 | 6"},
		{"{depth: 5}", "{}", "spec algorithms[0].params.depth: 5 | (none)"},
		{"title: A", "[", "spec text: of A | of B, cannot be compared key by key"},
	} {
		b.Manifest.Spec = strings.Replace(a.Manifest.Spec, c.old, c.new, 1)
		got := results.Mapped(Differences(a, b), Difference.String)
		if strings.Join(got, "; ") != c.want {
			t.Errorf("%q for %q: %q, want %q", c.new, c.old, got, c.want)
		}
	}
}

// TestNewParameter: a parameter that one run alone has hides no change, unless it has several
// values there, among which nobody can choose.
func TestNewParameter(t *testing.T) {
	run := func(trial float64, cuts ...string) *Reference {
		b := reference(1, 1, "x")
		for _, depth := range []string{"5", "9"} {
			for _, cut := range cuts {
				s := sample("a", 1, []float64{trial})
				s.Params = map[string]string{"depth": depth, "cut": cut}
				if cut == "" {
					delete(s.Params, "cut")
				}
				b.Samples = append(b.Samples, s)
			}
		}
		return b
	}
	for _, c := range []struct {
		old, new *Reference
		want     map[string]int
	}{
		{run(1, ""), run(1, "even"), map[string]int{Same: 2}},
		{run(1, "even"), run(1, ""), map[string]int{Same: 2}},
		{run(1, ""), run(2, "even"), map[string]int{Changed: 2}},
		{run(1, ""), run(1, "even", "odd"), map[string]int{Missing: 2, Added: 4}},
		{run(1, "even"), run(1, "odd"), map[string]int{Missing: 2, Added: 2}},
	} {
		g := Compare([]Pair{{c.old, c.new}}, Alpha)
		if !maps.Equal(g.Counts, c.want) {
			t.Errorf("%v, want %v", g.Counts, c.want)
		}
		if got := g.Comparisons[0].Swept; !strings.Contains(got, "depth 5") {
			t.Errorf("the first point differs from its neighbours by %q, want a depth of 5", got)
		}
	}
}

// noisyRun draws a run of one experiment: 20 curves of 10 points and 5 trials, with the skewed
// errors of a distance (exponential around a floor).
func noisyRun(seed uint64) *Reference {
	b := reference(seed, 1, "x")
	stream := random.NewKey(seed).Derive("gate").Stream()
	for c := range 20 {
		for e := range 10 {
			s := sample(string(rune('a'+c)), e+1, nil)
			for range 5 {
				s.Trials = append(s.Trials, (0.5-math.Log(stream.Open01())/2)/float64(e+1))
			}
			b.Samples = append(b.Samples, s)
		}
	}
	return b
}

// TestFalseAlarms draws 400 pairs of unchanged runs of 200 points. At most 1 % of them may fall, 4
// in the mean: more than 12 have a chance of 0.0003 under a gate that keeps its promise (binomial).
// The seeds are fixed, so the test cannot flake.
func TestFalseAlarms(t *testing.T) {
	alarms := 0
	for i := range uint64(400) {
		if Compare([]Pair{{noisyRun(2 * i), noisyRun(2*i + 1)}}, Alpha).Failed() {
			alarms++
		}
	}
	t.Logf("%d of 400 unchanged pairs of runs set off the gate", alarms)
	if alarms > 12 {
		t.Errorf("%d of 400 unchanged pairs of runs set off the gate, must be about 4 at most",
			alarms)
	}
}
