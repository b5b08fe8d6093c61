package plots

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"

	"golang.org/x/image/font/sfnt"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"pgregory.net/rapid"
)

func labels(c *chart) []string {
	return results.Mapped(c.curves, func(cv curve) string { return cv.Label })
}

// testMeasures is what the manifests of runs know of the metrics drawn here.
var testMeasures = results.Manifest{Measures: []results.MeasureUse{
	{Measurement: results.Measurement{Metric: "w1"}, Title: "Earth mover's distance (W1)"},
	{Measurement: results.Measurement{Metric: "accuracy", Classifier: "c45"},
		Title: "Classification accuracy",
		Unit:  "fraction", HigherIsBetter: true},
	{Measurement: results.Measurement{Metric: "count-error"}, Title: "Error of count queries, mean",
		Unit: "records"},
}}

func testMeasure(metric string) results.MeasureUse { return testMeasures.Measure(metric) }

func mustChart(t testing.TB, f results.Figure, rows []results.Row) *chart {
	t.Helper()
	return must.Get(newChart(f, testMeasure(f.Y), rows))
}

func TestCurvesAreSplitByWhatDiffers(t *testing.T) {
	base := madeUpRow("RPS", "w2", 5, 1, 0.1)
	by := func(classifier string) results.Row {
		r := at(base, 1)
		r.Classifier = classifier
		return r
	}
	deep, shallow := map[string]string{"depth": "50", "derived": "x"},
		map[string]string{"depth": "5", "derived": "y"}
	for name, test := range map[string]struct {
		rows []results.Row
		want []string
	}{
		"one line":    {[]results.Row{at(base, 1), at(base, 2)}, []string{"RPS"}},
		"classifiers": {[]results.Row{by("c45"), by("id3")}, []string{"RPS (c45)", "RPS (id3)"}},
		"a parameter is no curve": {[]results.Row{at(withParams(base, deep), 1),
			at(withParams(base, shallow), 2)}, []string{"RPS"}},
		"two series in order": {[]results.Row{at(madeUpRow("Z", "w2", 5, 1, 0), 1), at(base, 1),
			at(madeUpRow("Z", "w2", 5, 1, 0), 2)}, []string{"Z", "RPS"}},
		"a value over the top": {[]results.Row{at(base, 1),
			withParams(base, map[string]string{"k": "3"})}, []string{"RPS", "RPS"}},
	} {
		c := mustChart(t, results.Figure{Name: "a", X: "epsilon", X2: "k", Y: "w2"}, test.rows)
		must.Equal(t, labels(c), test.want, name)
	}
}

// TestGaps: a curve says that its costs are the least found where a search did not prove them, and
// how much it left open.
func TestGaps(t *testing.T) {
	row := func(series, k string, gap float64) []results.Row {
		r := withParams(madeUpRow(series, "cost", 5, 1, 0), map[string]string{"k": k})
		measured := r
		measured.Metric, measured.Mean = results.GapMetric, gap
		return []results.Row{r, measured}
	}
	for name, test := range map[string]struct {
		rows [][]results.Row
		want string
	}{
		"proven": {[][]results.Row{row("A", "2", 0), row("A", "5", 0)}, "A"},
		"never":  {[][]results.Row{row("A", "2", 0.97)}, "A, best found (gap 97.0 %)"},
		"sometimes": {[][]results.Row{row("A", "2", 0.4), row("A", "5", 0)},
			"A, best found (gap 0.0 to 40.0 %)"},
		"not another": {[][]results.Row{row("A", "2", 0), row("B", "2", 0.4)}, "A"},
	} {
		p := drawn(t, of(results.Figure{Name: "a", X: "k", Y: "cost"}),
			slices.Concat(test.rows...)).panels
		must.Be(t, p[0].legendText(p[0].curves[0]), test.want, name)
	}
}

// TestReferences: a benchmark line is the mean of an algorithm's row or, under the name of a
// classifier, of its row on the original data; no curve shows it. Figure b's axis begins above the
// majority class.
func TestReferences(t *testing.T) {
	var rows []results.Row
	add := func(r results.Row, algorithm, classifier string) {
		r = with(r, func(s *results.Setting) {
			s.Algorithm, s.Dataset = algorithm, standIn("adult")
		})
		r.Classifier = classifier
		rows = append(rows, r)
	}
	for _, epsilon := range []float64{0.1, 1} {
		add(at(madeUpRow("RPS", "accuracy", 5, 0.8, 0.01), epsilon), "rps", "c45")
	}
	add(madeUpRow("Original", "accuracy", 5, 0.85, 0), "identity", "c45")
	add(madeUpRow("Original", "accuracy", 5, 0.75, 0), "identity", "majority")
	a := results.Figure{Name: "a", X: "epsilon", Y: "accuracy",
		Reference: []string{"identity", "majority"}, Where: results.Filter{"classifier": "c45"}}
	b := a
	b.Name, b.YLim = "b", []float64{0.76, 0.9}
	c := mustChart(t, b, rows)
	if len(c.references) != 2 || c.references[0].level() != 0.85 ||
		c.references[1].level() != 0.75 {
		t.Errorf("references = %+v, want 0.85 and 0.75", c.references)
	}
	must.Equal(t, labels(c), []string{"RPS"}, "curves")
	must.Equal(t, c.standIns, []string{"adult-standin"})
	if note, shown := offScale("Majority class", drawn(t, of(a, b), rows).panels); !shown ||
		note != " (off scale: 0.75)" {
		t.Errorf("the legend notes %q, shown: %v", note, shown)
	}
	a.Reference = []string{"nothing"}
	if c := mustChart(t, a, rows); len(c.references) != 0 ||
		!strings.Contains(strings.Join(c.warnings, "\n"), `reference "nothing"`) {
		t.Errorf("a reference without rows: %+v with warnings %q", c.references, c.warnings)
	}
}

// TestReferenceOfItsDataset: a panel on one setting of a dataset has the benchmark of that one.
func TestReferenceOfItsDataset(t *testing.T) {
	var rows []results.Row
	for at, order := range []string{"own", "random"} {
		set := results.Dataset{Name: "d", Params: map[string]string{"order": order}}
		original := with(madeUpRow("Original", "w1", 5, float64(1+at), 0),
			func(s *results.Setting) { s.Dataset, s.Algorithm = set, "identity" })
		rows = append(rows, original, with(madeUpRow("A", "w1", 5, 7, 0), func(s *results.Setting) {
			s.Dataset, s.Params = set, map[string]string{"k": "2"}
		}))
	}
	c := mustChart(t, results.Figure{Name: "a", X: "k", Y: "w1", Reference: []string{"identity"},
		Where: results.Filter{"order": "random"}}, rows)
	if len(c.references) != 1 || c.references[0].level() != 2 || len(c.warnings) != 0 {
		t.Errorf("references %+v, warnings %q, must be 2 and none", c.references, c.warnings)
	}
}

func TestErrorsNameTheFigure(t *testing.T) {
	once := at(madeUpRow("s", "w1", 5, 1, 0), 1)
	for want, test := range map[string]struct {
		x, y string
		rows []results.Row
	}{
		"no rows with metric w2, series s": {"epsilon", "w2", []results.Row{once}},
		"no rows with metric w1":           {"epsilon", "w1", nil},
		`no series has a value of x, "h"`:  {"h", "w1", []results.Row{once}},
		`series "s" has variant = "published", must be a finite number`: {"variant", "w1",
			[]results.Row{once}},
		`series "s" has two rows at epsilon = 1`: {"epsilon", "w1", []results.Row{once, once}},
	} {
		_, err := newChart(results.Figure{Name: "a", X: test.x, Y: test.y,
			Where: results.Filter{"series": "s"}}, testMeasure(test.y), test.rows)
		must.Fail(t, err, `figure "a": `+want, want)
	}
}

func TestGapsAndLogAxes(t *testing.T) {
	nan := math.NaN()
	gone := at(madeUpRow("s", "w1", 0, nan, nan), 2)
	gone.Failed = 5
	partly := at(madeUpRow("s", "w1", 3, 4, 5), 3)
	partly.Failed = 2
	rows := []results.Row{at(madeUpRow("s", "w1", 5, 10, 20), 1), gone, partly,
		at(madeUpRow("s", "w1", 5, -1, 0.1), 4), at(madeUpRow("s", "w1", 5, 7, 0.1), 0)}
	c := mustChart(t, results.Figure{Name: "a", X: "epsilon", Y: "w1", XScale: "log",
		YScale: "log"}, rows)
	all := strings.Join(c.warnings, "\n")
	must.Say(t, all, "no value at epsilon = 2 (of 5 trials), the line has a gap",
		"2 of 5 trials have no value at epsilon = 3",
		"-1 at epsilon = 4 has no place on a log axis", "epsilon = 0 has no place on a log axis")
	if !(c.y.min > 0 && c.y.min <= 4 && c.y.max >= 30) {
		t.Errorf("y from %v to %v, want all means and upper ends above 0", c.y.min, c.y.max)
	}
	if c.minN != 3 || c.maxN != 5 || c.failedPoints != 2 {
		t.Errorf("n %d to %d with failures at %d points, want 3 to 5 with 2", c.minN, c.maxN,
			c.failedPoints)
	}
	dead := []results.Row{at(madeUpRow("s", "w1", 5, -1, 0), 1)}
	_, err := newChart(results.Figure{Name: "a", X: "epsilon", Y: "w1", YScale: "log"},
		testMeasure("w1"), dead)
	must.Fail(t, err, "none of its points can be drawn", "nothing to draw")
}

// TestMeasures: what a manifest knows of a metric is on the axis and in the description.
func TestMeasures(t *testing.T) {
	for metric, want := range map[string][2]string{
		"accuracy": {"Classification accuracy", "Classification accuracy, higher is better"},
		"count-error": {"Error of count queries, mean (records)",
			"Error of count queries, mean (records), lower is better"},
		results.RuntimeMetric: {"Run time of a release (s)", "Run time of a release (s)"},
		"unknown":             {"unknown", "unknown"},
	} {
		measure := testMeasure(metric)
		got := [2]string{measureLabel(measure), measureText(&testMeasures, measure)}
		must.Be(t, got, want, metric)
	}
	p := Picture{Figure: results.Figure{Name: "a", Title: "Naive Bayes"},
		Measure: "Accuracy, higher is better", XLabel: "Privacy budget ε"}
	got, want := p.Alt(), "Figure a, Naive Bayes: Accuracy, higher is better, by Privacy budget ε"
	must.Be(t, got, want)
}

// TestAxisNamesDelta: an axis along epsilon never shows (ε, δ) as if it were pure ε.
func TestAxisNamesDelta(t *testing.T) {
	epsilon := 1.0
	row := func(delta float64) *results.Row {
		r := &results.Row{}
		r.Setting = &results.Setting{Epsilon: &epsilon, Delta: delta}
		return r
	}
	none := row(0)
	none.Epsilon = nil
	for _, c := range []struct {
		rows []*results.Row
		want string
	}{
		{nil, ""}, {[]*results.Row{row(0), none}, ""},
		{[]*results.Row{row(1e-9), none, row(1e-9)}, ", δ = 1e-09"},
		{[]*results.Row{row(0), row(1e-9)}, ", at the δ named"},
		{[]*results.Row{row(1e-5), row(1e-9)}, ", at the δ named"},
	} {
		must.Be(t, besideEpsilon(c.rows), c.want)
	}
}

// TestReferenceSaysWhatItAverages: a line over two settings says so, beside their mean, 2.
func TestReferenceSaysWhatItAverages(t *testing.T) {
	mondrian := func(k string, mean float64) results.Row {
		return with(withParams(madeUpRow("Mondrian", "w1", 3, mean, 0), map[string]string{"k": k}),
			func(s *results.Setting) { s.Algorithm = "mondrian" })
	}
	rows := []results.Row{at(madeUpRow("RPS", "w1", 3, 5, 0), 1), mondrian("5", 1),
		mondrian("10", 3)}
	f := results.Figure{Name: "plain", X: "epsilon", Y: "w1", Reference: []string{"mondrian"}}
	c := mustChart(t, f, rows)
	if r := c.references[0]; !strings.HasSuffix(r.Label, ", mean of 2") || r.level() != 2 {
		t.Errorf("%q at %v", r.Label, r.level())
	}
	if c = mustChart(t, f, rows[:2]); strings.Contains(c.references[0].Label, "mean") {
		t.Errorf("a single setting is called %q", c.references[0].Label)
	}
}

// TestPanelsWithoutTitle are called by their names where several are side by side.
func TestPanelsWithoutTitle(t *testing.T) {
	f := results.Figure{Name: "plain", X: "epsilon", Y: "w1"}
	other := f
	other.Name = "other"
	d := drawn(t, of(f, other), []results.Row{at(madeUpRow("RPS", "w1", 3, 5, 0), 1)})
	for i, want := range []string{"plain", "other"} {
		must.Be(t, d.panels[i].heading, want, i)
	}
}

// On a curve that gains .1 with each tenfold share a release of accuracy .65 equals 10^1.5 per cent
// of the records, and one of .66 ± .03 (95 %) 10^1.6, from 10^1.3 to 10^1.9.
func TestSampleEquivalentAxis(t *testing.T) {
	m := testMeasures
	m.Figures = []results.Figure{{Name: "a", X: "epsilon", Y: "accuracy",
		Axis: results.SampleEquivalent, Reference: []string{"identity"}}}
	var rows []results.Row
	for i, share := range []string{"0.01", "0.1", "1"} {
		r := withParams(madeUpRow("Sample", "accuracy", 1, 0.5+float64(i)/10, 0),
			map[string]string{results.ShareParam: share})
		rows = append(rows, with(r, func(s *results.Setting) { s.Algorithm = "sample" }))
	}
	original := madeUpRow("Original", "accuracy", 1, 0.7, 0)
	rows = append(rows,
		at(madeUpRow("RPS", "accuracy", 1, 0.65, 0), 1),
		at(madeUpRow("RPS", "accuracy", 4, 0.66, 0.01), 2),
		with(original, func(s *results.Setting) { s.Algorithm = "identity" }),
		at(madeUpRow("RPS", "w2", 1, 0.65, 0), 1))
	for i := range rows {
		rows[i].Classifier = "c45"
	}
	f, measure, shown := equivalents(m.Figures[0], m.Measure("accuracy"), m.Yardsticks(rows), rows)
	c := must.Get(newChart(f, measure, shown))
	if len(c.curves) != 1 || len(c.curves[0].Points) != 2 || !c.y.log {
		t.Fatalf("curves %+v, want RPS alone on a log axis", c.curves)
	}
	for i, want := range [][3]float64{{1.5, 1.5, 1.5}, {1.6, 1.3, 1.9}} {
		p := c.curves[0].Points[i]
		for j, got := range []float64{p.Mean, p.Interval[0], p.Interval[1]} {
			must.Near(t, math.Log10(got), want[j], 1e-9, i, got, want)
		}
	}
	if len(c.references) != 1 || c.references[0].level() != 100 {
		t.Errorf("references %+v, want the original data at 100 %%", c.references)
	}
	must.Be(t, c.yLabel, "Equal sample (% of records)", "axis")
	s := newPage(&m, []*chart{c}, newCurveStyles([]*chart{c}, nil))
	caption := s.caption()
	must.Say(t, caption, "equal sample and its 95 % interval of n = 1 to 4 trials")
}

func labelled(ticks []plot.Tick) string {
	var names []string
	for _, tick := range ticks {
		if !tick.IsMinor() {
			names = append(names, tick.Label)
		}
	}
	return strings.Join(names, " ")
}

func TestTicksByHand(t *testing.T) {
	for _, test := range []struct {
		axis span
		want string
	}{
		{span{0, 5, false}, "0 1 2 3 4 5"},
		{span{-0.01, 0.61, false}, "0.0 0.1 0.2 0.3 0.4 0.5 0.6"},
		{span{0.76, 0.9, false}, "0.775 0.800 0.825 0.850 0.875 0.900"},
		{span{-1, 1, false}, "−1.0 −0.5 0.0 0.5 1.0"},
		{span{0, 5e6, false}, "0 1 2 3 4 5"},
		{span{0, 1.2e5, false}, "0.0 0.2 0.4 0.6 0.8 1.0 1.2"},
		{span{0, 5e-5, false}, "0 1 2 3 4 5"},
		{span{0.01, 10, true}, "0.01 0.1 1 10"},
		{span{1, 20, true}, "1 2 5 10 20"},
		{span{2.5, 6, true}, "3 4 5 6"},
		{span{100, 1e7, true}, "1e2 1e3 1e4 1e5 1e6 1e7"},
		{span{1e6, 9e6, true}, "1e6 2e6 5e6"},
		{span{1e-5, 1e-3, true}, "1e−5 1e−4 1e−3"},
	} {
		ticks, _ := test.axis.ticks(6)
		must.Be(t, labelled(ticks), test.want, test.axis)
	}
}

// Whatever the range: at least two labels, none twice, ascending, within the range, and each label
// has its tick's value.
func TestTicksOfAnyRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := math.Pow(10, rapid.Float64Range(-6, 7).Draw(t, "exponent"))
		hi := lo * (1 + math.Pow(10, rapid.Float64Range(-3, 4).Draw(t, "width")))
		axis := span{lo, hi, rapid.Bool().Draw(t, "log")}
		ticks, power := axis.ticks(rapid.IntRange(6, 7).Draw(t, "wanted"))
		last, count := math.Inf(-1), 0
		seen := make(map[string]bool)
		for _, tick := range ticks {
			if tick.Value <= last || tick.Value < -1e-6 || tick.Value > 1+1e-6 {
				t.Fatalf("tick at %v after %v of %v..%v", tick.Value, last, lo, hi)
			}
			last = tick.Value
			if tick.IsMinor() {
				continue
			}
			count++
			if seen[tick.Label] {
				t.Fatalf("label %q twice in %v..%v", tick.Label, lo, hi)
			}
			seen[tick.Label] = true
			shown := must.Get(strconv.ParseFloat(strings.ReplaceAll(tick.Label, "−", "-"), 64))
			read := shown * math.Pow10(power) // which is in the axis' label
			if math.Abs(axis.position(read)-tick.Value) > 1e-9*hi/(hi-lo) {
				t.Fatalf("label %q is at %v", tick.Label, tick.Value)
			}
		}
		if count < 2 || count > 12 {
			t.Fatalf("%d labels in %v..%v", count, lo, hi)
		}
	})
}

// TestLabelsHaveGlyphs: the fonts draw an empty box for characters they lack, which in small type
// looks like nothing at all.
func TestLabelsHaveGlyphs(t *testing.T) {
	fonts := font.NewCache(liberation.Collection())
	face := fonts.Lookup(font.Font{Typeface: "Liberation", Variant: "Sans"}, 10)
	var buffer sfnt.Buffer
	check := func(text string) {
		for _, r := range text {
			if glyph, err := face.Face.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
				t.Errorf("%q: no glyph for %q", text, r)
			}
		}
	}
	for exponent := -12; exponent <= 12; exponent++ {
		for digit := 1; digit <= 9; digit++ {
			check(logLabel(digit, exponent, true))
		}
		check(inPowers("k", exponent))
	}
	check(parameterLabel(epsilonName, "") + ", δ = 1e-09")
	for _, m := range results.DerivedMeasures {
		check(measureLabel(m))
	}
}
