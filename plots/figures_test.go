package plots

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// The figures here have the shape of published ones, with made-up curves: they exercise layout, not
// any algorithm.

func madeUpRow(series, metric string, n int, mean, se float64) results.Row {
	setting := &results.Setting{Series: series, Dataset: results.Dataset{Name: "d"},
		Algorithm: "rps", Variant: "published"}
	sample := results.Sample{Setting: setting, Measurement: results.Measurement{Metric: metric}}
	return results.Row{Sample: sample, N: n, Mean: mean, SE: se, Lo95: mean - 3*se,
		Hi95: mean + 3*se}
}

// with is a row whose setting is changed; that of r, which other rows may share, is not.
func with(r results.Row, change func(*results.Setting)) results.Row {
	setting := *r.Setting
	change(&setting)
	r.Setting = &setting
	return r
}

func at(r results.Row, epsilon float64) results.Row {
	return with(r, func(s *results.Setting) { s.Epsilon = &epsilon })
}

func withParams(r results.Row, params map[string]string) results.Row {
	return with(r, func(s *results.Setting) { s.Params = params })
}

func named(name string) results.Dataset { return results.Dataset{Name: name} }

// standIn is a dataset that replaces another one.
func standIn(of string) results.Dataset {
	return results.Dataset{Name: of + "-standin", StandsFor: of}
}

// runOf is a run with the means and standard errors of some rows.
func runOf(m results.Manifest, rows []results.Row) *results.Summary {
	run := &results.Run{Manifest: m}
	for _, group := range results.Grouped(rows, func(r results.Row) string { return r.Key() }) {
		trials := 0
		for _, r := range group {
			trials = max(trials, r.N+r.Failed)
		}
		for trial := range trials {
			c := results.Record{Setting: group[0].Setting}
			c.Trial, c.Status = trial, results.OK
			for _, r := range group {
				v := results.Value{Measurement: r.Measurement}
				if trial < r.N {
					// All trials but two are at the mean; these two lie as far from it as the error
					// needs.
					x := r.Mean
					if n := float64(r.N); r.N > 1 && trial < 2 {
						x += r.SE * math.Sqrt(n*(n-1)/2) * float64(1-2*trial)
					}
					v.Value = &x
				}
				c.Values = append(c.Values, v)
			}
			run.Records = append(run.Records, c)
		}
	}
	return run.Summary()
}

// drawn is a page of all of a manifest's figures of some rows.
func drawn(t testing.TB, m results.Manifest, rows []results.Row) *Page {
	t.Helper()
	charts := results.Mapped(m.Figures,
		func(f results.Figure) *chart { return mustChart(t, f, rows) })
	return newPage(&m, charts, newCurveStyles(charts, m.SeriesOrder))
}

// of is a manifest of figures alone.
func of(figures ...results.Figure) results.Manifest { return results.Manifest{Figures: figures} }

// madeUpMap is a release of three regions over five rows, two of them at one place.
func madeUpMap() *results.Run {
	setting := func(k string) *results.Setting {
		return &results.Setting{Dataset: named("d"), Algorithm: "mondrian",
			Params: map[string]string{"k": k}}
	}
	record := func(s *results.Setting, trial int) results.Record {
		return results.Record{Setting: s, Outcome: results.Outcome{Trial: trial,
			Status: results.OK}}
	}
	side := func(region int, attribute string, low, high float64) results.RegionSide {
		return results.RegionSide{Region: region, Records: 2, Attribute: attribute, Low: low,
			High: high}
	}
	five, two := setting("5"), setting("2")
	run := &results.Run{
		Manifest: results.Manifest{Title: "A map", Figures: []results.Figure{
			{Name: "a", Kind: results.RegionsKind, X: "x", Y: "y",
				Where: map[string]string{"k": "2"}},
		}},
		Records: []results.Record{record(five, 0), record(two, 0), record(two, 1)},
	}
	run.Records[0].Regions = []results.RegionSide{side(0, "x", 0, 100), side(0, "y", 0, 100)}
	run.Records[1].Regions = []results.RegionSide{
		side(0, "x", -0.5, 4.5), side(0, "y", -0.5, 9.5),
		side(1, "x", 4.5, 9.5), side(1, "y", -0.5, 2.5), side(1, "z", 0, 1),
		side(2, "x", 4.5, 9.5), side(2, "y", 2.5, 9.5),
	}
	run.Records[0].Original = []results.Column{
		{Attribute: "x", Values: []float64{7, 1, 7, 3, 1}},
		{Attribute: "z", Values: []float64{3, 3, 3, 3, 3}},
		{Attribute: "y", Values: []float64{8, 2, 8, 9, 1}},
	}
	other := setting("2")
	other.Dataset = named("other") // another dataset's rows are not drawn
	run.Records = append(run.Records, record(other, 1))
	run.Records[3].Original = []results.Column{{Attribute: "x", Values: []float64{3}},
		{Attribute: "y", Values: []float64{3}}}
	return run
}

func TestMapHoldsRegionsAndRows(t *testing.T) {
	o := madeUpMap()
	c := must.Get(newMap(o.Manifest.Figures[0], o.Summary()))
	must.Equal(t, c.rectangles, []rectangle{{-0.5, 4.5, -0.5, 9.5}, {4.5, 9.5, -0.5, 2.5},
		{4.5, 9.5, 2.5, 9.5}})
	must.Equal(t, c.dots, []dot{{1, 1, 1}, {1, 2, 1}, {3, 9, 1}, {7, 8, 2}})
	if !c.x.contains(-0.5) || !c.x.contains(9.5) || c.x.contains(12) || len(c.warnings) != 0 {
		t.Errorf("x axis %+v, warnings %q", c.x, c.warnings)
	}
}

func TestMapIsWritten(t *testing.T) {
	o := madeUpMap()
	*o.Records[1].Setting = results.Setting{Dataset: standIn("d"), Algorithm: "mondrian",
		Params: o.Records[1].Params}
	o.Records[1].Original = o.Records[0].Original
	second := o.Manifest.Figures[0]
	second.Name, second.Where = "b", map[string]string{"k": "5"}
	o.Manifest.Figures = append(o.Manifest.Figures, second)
	dir := t.TempDir()
	paths, warnings, err := WriteExperiment(dir, o.Summary())
	if err != nil || len(paths) != 9 || len(warnings) != 0 {
		t.Fatalf("%v, %q, %v", paths, warnings, err)
	}
	for name, outlines := range map[string]int{"a": 3, "b": 1} {
		svg := must.Get(os.ReadFile(filepath.Join(dir, name+".svg")))
		got := 0 // lines of one style may share a path
		outline := regexp.MustCompile(`d="([^"]*)" style="[^"]*stroke:#0072B2`)
		for _, path := range outline.FindAllStringSubmatch(string(svg), -1) {
			got += strings.Count(path[1], "M")
		}
		must.Be(t, got, outlines, name)
		for text, want := range map[string]bool{"Rectangles:": true, "error bars": false,
			"STAND-IN DATA": name == "a"} {
			must.Be(t, strings.Contains(string(svg), text), want, name, text)
		}
	}
}

func TestMapErrors(t *testing.T) {
	for _, test := range []struct {
		change func(*results.Run, *results.Figure)
		want   string
	}{
		{func(o *results.Run, f *results.Figure) { f.Where = nil }, `figure "a": 2 releases with`},
		{func(o *results.Run, f *results.Figure) { f.Where["k"] = "3" },
			`figure "a": 0 releases with k 3, must be one`},
		{func(o *results.Run, f *results.Figure) {
			o.Records[1].Status, o.Records[1].Error = results.Failed, "too few"
		}, "its release failed: too few"},
		{func(o *results.Run, f *results.Figure) { o.Records[1].Regions = nil },
			"the run kept no regions"},
		{func(o *results.Run, f *results.Figure) { f.Y = "w" },
			`no attribute "w", must be one of x, y, z`},
	} {
		o := madeUpMap()
		test.change(o, &o.Manifest.Figures[0])
		_, _, err := WriteExperiment(t.TempDir(), o.Summary())
		must.Fail(t, err, test.want)
	}
	o := madeUpMap()
	o.Records[0].Original = nil
	if c, err := newMap(o.Manifest.Figures[0], o.Summary()); err != nil || len(c.warnings) != 1 {
		t.Errorf("without rows: %v, want one warning", err)
	}
}
