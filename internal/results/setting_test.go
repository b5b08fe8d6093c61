package results

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestSettingFacts(t *testing.T) {
	s := fullRecord().Setting
	s.Params["n"] = "3" // the dataset has one of this name as well
	want := map[string]string{"variant": "strict", "dataset": "gaussian n=9", "algorithm": "rps",
		"series": "RPS <5> & more (strict)", "epsilon": "0.1", "stop": "5", "depth": "50", "n": "3",
		"dataset.n": "9", "shape": "flat"}
	if diff := cmp.Diff(want, s.Facts()); diff != "" {
		t.Error(diff)
	}
	for name, value := range want {
		if got, known := s.Fact(name); got != value || !known {
			t.Errorf("%s is %q, known %t; want %q", name, got, known, value)
		}
	}
	if value, known := s.Fact("classifier"); known {
		t.Errorf("a setting has the classifier %q", value)
	}
	s.Epsilon = nil
	if value, known := s.Fact("epsilon"); known || s.EpsilonText() != "" {
		t.Errorf("without a budget epsilon is %q", value)
	}
}

// TestSettingNumber: epsilon and delta are the setting's own numbers; a parameter is one where its
// text is.
func TestSettingNumber(t *testing.T) {
	s := fullRecord().Setting
	epsilon := 0.1 + 0.2 // which no short text gives
	s.Epsilon, s.Delta = &epsilon, 1e-9
	for name, want := range map[string]float64{"epsilon": epsilon, "delta": 1e-9, "depth": 50,
		"n": 9} {
		if got, known := s.Number(name); got != want || !known {
			t.Errorf("%s is %v, known %t; want %v", name, got, known, want)
		}
	}
	if x, known := s.Number("shape"); !math.IsNaN(x) || !known {
		t.Errorf("a word is %v, known %t; want NaN, known", x, known)
	}
	s.Epsilon, s.Delta = nil, 0
	for _, name := range []string{"epsilon", "delta", "k"} {
		if x, known := s.Number(name); known {
			t.Errorf("a setting without %s has %v", name, x)
		}
	}
}

// TestMetricName: settings come back as they were joined.
func TestMetricName(t *testing.T) {
	for _, settings := range []string{"attribute=age", "attribute=x1 ranges=tight"} {
		m := Measurement{Metric: MetricName("count-error", settings)}
		if m.Metric != "count-error "+settings || m.Settings() != settings {
			t.Errorf("%q has settings %q, want %q", m.Metric, m.Settings(), settings)
		}
	}
	if m := (Measurement{Metric: "w1"}); m.Settings() != "" {
		t.Errorf("w1 has settings %q", m.Settings())
	}
	m := Measurement{Metric: "count-error attribute=net pay to=1"}
	metric, params := m.Parts()
	if want := []Param{{"attribute", "net pay"}, {"to", "1"}}; metric != "count-error" ||
		!slices.Equal(params, want) {
		t.Errorf("%s %q, want %q", metric, params, want)
	}
}

func TestDatasetLabels(t *testing.T) {
	d := Dataset{Name: "adult-standin", StandsFor: "adult", Changed: []string{"rows", "select"},
		Params: map[string]string{"rows": "10", "select": "rps", "seed": "1"}}
	for got, want := range map[string]string{
		d.Label(): "adult-standin rows=10 select=rps", d.Asked(): "adult rows=10 select=rps",
	} {
		must.Be(t, got, want)
	}
}

// TestKeys: settings that differ have different keys, and text that moves from one part to the next
// makes a difference.
func TestKeys(t *testing.T) {
	word := rapid.StringMatching(`[ab=;:1 ]{0,3}`)
	rapid.Check(t, func(t *rapid.T) {
		draw := func() *Setting {
			s := &Setting{Series: word.Draw(t, "series"), Algorithm: word.Draw(t, "algorithm"),
				Variant: word.Draw(t, "variant"),
				Dataset: Dataset{Name: word.Draw(t, "dataset")}}
			if key := word.Draw(t, "name"); key != "" {
				s.Params = map[string]string{key: word.Draw(t, "value")}
			}
			if rapid.Bool().Draw(t, "private") {
				s.Epsilon = pointer(float64(rapid.IntRange(1, 3).Draw(t, "epsilon")))
			}
			return s
		}
		a, b := draw(), draw()
		if same := cmp.Equal(a, b, unkeyed); same != (a.Key() == b.Key()) {
			t.Fatalf("%+v and %+v: equal %t, keys %q and %q", a, b, same, a.Key(), b.Key())
		}
		if a.Key() != a.Interned().Key() {
			t.Fatal("interning changes the key")
		}
	})
}

func TestFormatParamsIsOneLine(t *testing.T) {
	text := rapid.StringOf(rapid.SampledFrom([]rune{'a', ';', '=', '\\', '\n', '\r', 'n', ' ', '"',
		'ε'}))
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.MapOfN(text, text, 0, 3).Draw(t, "a"), rapid.MapOfN(text, text, 0, 3).Draw(t,
			"b")
		written := FormatParams(a)
		if strings.ContainsAny(written, "\r\n") {
			t.Fatalf("%q spans lines", written)
		}
		if len(a) > 0 && len(b) > 0 && (written == FormatParams(b)) != cmp.Equal(a, b) {
			t.Fatalf("%q for %v and %v", written, a, b)
		}
	})
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		value, wanted string
		want          bool
	}{
		{"5", "5", true}, {"5", "5.0", true}, {"0.5", "5e-1", true}, {"5", "6", false}, {"5", "4|5",
			true},
		{"5", ">=5", true}, {"5", ">5", false}, {"5", "<6", true}, {"5", "<= 4", false}, {"5",
			">1|x", true},
		{"a", "a", true}, {"a", "b|a", true}, {"a", ">1", false}, {"", "", true}, {"", "1",
			false}, {"NaN", "NaN", true},
		{"5", ">", false}, {"5", ">x", false}, {">=5", ">=5", true},
	} {
		must.Be(t, Matches(c.value, c.wanted), c.want, c.value, c.wanted)
	}
}

func TestFilter(t *testing.T) {
	row := &Row{Sample: Sample{fullRecord().Setting, Measurement{"accuracy", "c45"}, nil}}
	for _, c := range []struct {
		where Filter
		want  bool
	}{
		{nil, true}, {Filter{"metric": "accuracy", "classifier": "c45|id3", "epsilon": "0.10",
			"stop": "5"}, true},
		{Filter{"metric": "accuracy", "stop": "6"}, false}, {Filter{"unheard": "x"},
			false}, {Filter{"unheard": ""}, true},
		{Filter{"epsilon": "<1", "n": ">=9"}, true},
	} {
		must.Be(t, c.where.Selects(row), c.want, c.where)
	}
	if diff := cmp.Diff(Filter{"stop": "6"}, Filter{"metric": "x", "stop": "6"}.Only("stop",
		"n")); diff != "" {
		t.Error(diff)
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]bool{"rps/fig3": true, "a": true, "a.b-c_d/1": true,
		"": false, "/a": false, "a/": false, "a//b": false,
		"../a": false, "a/..": false, "a b": false, "a.": false, "a./b": false, "ä": false} {
		if err := CheckExperimentName(name); (err == nil) != want {
			t.Errorf("experiment %q: %v", name, err)
		}
	}
	for name, want := range map[string]bool{"a": true, "a-Caltech36": true, "combined": false,
		"combined-2": false, "combined-x": true,
		"a/b": false, "": false, ".a": false} {
		if err := CheckFigureName(name); (err == nil) != want {
			t.Errorf("figure %q: %v", name, err)
		}
	}
	for name, want := range map[string]bool{"RPS, ε = 1": true, "": false, "a\nb": false,
		"\x1b[2J": false, "a\xff": false,
		strings.Repeat("x", maxSeries): true, strings.Repeat("x", maxSeries+1): false} {
		if err := CheckSeriesName(name); (err == nil) != want {
			t.Errorf("series %q: %v", name, err)
		}
	}
}
