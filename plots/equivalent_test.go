package plots

import (
	"math"
	"strings"
	"testing"

	"ppdp/internal/results"
)

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
	c := must(newChart(f, measure, shown))
	if len(c.curves) != 1 || len(c.curves[0].Points) != 2 || !c.y.log {
		t.Fatalf("curves %+v, want RPS alone on a log axis", c.curves)
	}
	for i, want := range [][3]float64{{1.5, 1.5, 1.5}, {1.6, 1.3, 1.9}} {
		p := c.curves[0].Points[i]
		for j, got := range []float64{p.Mean, p.Interval[0], p.Interval[1]} {
			if math.Abs(math.Log10(got)-want[j]) > 1e-9 {
				t.Errorf("point %d: %v, want powers of ten %v", i, got, want)
			}
		}
	}
	if len(c.references) != 1 || c.references[0].level() != 100 {
		t.Errorf("references %+v, want the original data at 100 %%", c.references)
	}
	if c.yLabel != "Equal sample (% of records)" {
		t.Errorf("axis %q", c.yLabel)
	}
	s := newPage(&m, []*chart{c}, newCurveStyles([]*chart{c}, nil))
	caption := strings.ReplaceAll(strings.Join(s.captionLines(), " "), noBreak, " ")
	if !strings.Contains(caption, "equal sample and its 95 % interval of n = 1 to 4 trials") {
		t.Errorf("caption %q", caption)
	}
}
