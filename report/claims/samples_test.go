package claims

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/internal/results"
)

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
		if j[0].Verdict != NoData {
			t.Errorf("%s\nverdict %s, want none", c.check, j[0].Verdict)
		}
	}
	_, err := Evaluate(fileOf(t, below), nil, Options{Experiments: []string{"toy/two"}})
	if err == nil || !strings.Contains(err.Error(), "experiment: toy/one, must be one of toy/two") {
		t.Errorf("an experiment that does not exist: %v", err)
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

// TestSelects: alternatives, numbers however they are written, comparisons.
func TestSelects(t *testing.T) {
	for _, c := range []struct {
		fact, wanted string
		want         bool
	}{
		{"5", "3|5", true}, {"5", "3|50", false}, {"", "5", false},
		{"0.5", ".5", true}, {"1e-2", "0.01", true}, {"7.5", "<1|>7", true},
		{"2", ">=2", true}, {"2", ">2", false}, {"2", "< 3", true}, {"2", "<=1.5", false},
		{"box", ">=2", false}, {"a>=2", "a>=2", true},
	} {
		s := Selector{[]term{{key: "stop", wanted: c.wanted}}}
		x := &results.Setting{Params: map[string]string{"stop": c.fact}}
		if got := s.selects(x); got != c.want {
			t.Errorf("%q selects %q: %v, want %v", c.wanted, c.fact, got, c.want)
		}
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

// TestJackknifeOfMeans: for a mean it is s/√n.
func TestJackknifeOfMeans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 2, 12).Draw(t, "values")
		x := &results.Sample{Setting: &results.Setting{}}
		for _, value := range values { // two failed trials between any two
			x.Trials = append(x.Trials, value, math.NaN(), math.NaN())
		}
		p := measured(x, "", false).estimate()
		mean, want := results.Mean(values), results.StandardError(values)
		if p.N != len(values) || math.Abs(p.Value-mean) > 1e-9 ||
			math.Abs(p.SE-want) > 1e-9*(1+want) {
			t.Fatalf("%+v, want ± %v", p, want)
		}
	})
}

// TestInEachTrial: a is 1 above b in one trial and 1 below it in the other. The spread of the means
// is 0, the mean of the spreads 1.
func TestInEachTrial(t *testing.T) {
	o := grid(tenEpsilons[:1], 2, func(series string, _ float64, trial int) float64 {
		if (series == "a") == (trial == 0) {
			return 1
		}
		return 0
	})
	for suffix, want := range map[string]float64{"": 0, " in each trial": 1} {
		j := judged(t, fileOf(t, "where: {metric: error}\n"+
			"range: {of: {take: spread over series"+suffix+"}, min: 0}"), o)
		if got := j.Checks[0].Points[0].Value; got != want {
			t.Errorf("spread over series%s: %v, want %v", suffix, got, want)
		}
	}
}
