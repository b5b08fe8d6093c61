package plots

import (
	"fmt"
	"math"
	"testing"

	"ppdp/internal/results"
)

// The figures here have the shape of published ones, with made-up curves: they exercise layout, not
// any algorithm.

func madeUpRow(series, metric string, n int, mean, se float64) results.Row {
	setting := &results.Setting{Series: series, Dataset: results.Dataset{Name: "d"},
		Algorithm: "rps",
		Variant:   "published"}
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
	var charts []*chart
	for _, f := range m.Figures {
		charts = append(charts, mustChart(t, f, rows))
	}
	return newPage(&m, charts, newCurveStyles(charts, m.SeriesOrder))
}

// of is a manifest of figures alone.
func of(figures ...results.Figure) results.Manifest { return results.Manifest{Figures: figures} }

// adultFigures has a second axis, two variants and two benchmark lines.
func adultFigures(generated bool) (results.Manifest, []results.Row) {
	m := results.Manifest{
		Experiment: "rps/fig3", Title: "Classification accuracy on Adult",
		Source: "Qardaji & Li 2012, Fig. 3",
		Figures: []results.Figure{
			{Name: "a", Title: "Naive Bayes", Where: map[string]string{"classifier": "naive-bayes"},
				X: "epsilon", X2: "k", Y: "accuracy", YLim: []float64{0.74, 0.9},
				Reference: []string{"identity", "majority"}},
			{Name: "b", Title: "C4.5", Where: map[string]string{"classifier": "c45"}, X: "epsilon",
				X2: "k", Y: "accuracy", YLim: []float64{0.76, 0.9},
				Reference: []string{"identity", "majority"}},
		},
	}
	dataset := named("adult")
	if generated {
		dataset = standIn("adult")
	}
	var rows []results.Row
	add := func(r results.Row, algorithm, variant, classifier string) {
		r = with(r, func(s *results.Setting) {
			s.Algorithm, s.Variant, s.Dataset = algorithm, variant, dataset
		})
		r.Classifier = classifier
		rows = append(rows, r)
	}
	for c, classifier := range []string{"naive-bayes", "c45"} {
		low := 0.012 * float64(c)
		for v, variant := range []string{"published", "strict"} {
			for s, stop := range []int{5, 0} {
				for _, e := range []float64{0.1, 0.5, 1, 2, 5, 10} {
					mean := 0.822 - low - 0.014*float64(s) - 0.008*float64(v) -
						0.045*math.Exp(-1.4*e)
					r := at(madeUpRow(fmt.Sprintf("RPS, stop %d", stop), "accuracy", 5, mean,
						0.004), e)
					add(withParams(r, map[string]string{"stop": fmt.Sprint(stop), "depth": "50"}),
						"rps", variant, classifier)
				}
			}
		}
		for k := 2; k <= 10; k++ {
			r := madeUpRow("Mondrian", "accuracy", 5, 0.789-low-0.0016*float64(k), 0.0012)
			add(withParams(r, map[string]string{"k": fmt.Sprint(k)}), "mondrian", "", classifier)
		}
		add(madeUpRow("Original", "accuracy", 5, 0.831+2*low, 0.001), "identity", "", classifier)
	}
	add(madeUpRow("Original", "accuracy", 5, 0.7511, 0), "identity", "", "majority")
	return m, rows
}
