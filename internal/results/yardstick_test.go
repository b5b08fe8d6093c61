package results

import (
	"math"
	"testing"
)

// curveOf makes rows of the control with intervals of half width half.
func curveOf(half float64, shares, means []float64) (rows []Row) {
	for i, share := range shares {
		rows = append(rows, Row{Mean: means[i], Lo95: means[i] - half, Hi95: means[i] + half,
			Sample: Sample{Setting: &Setting{Algorithm: SampleAlgorithm,
				Params: map[string]string{ShareParam: FormatNumber(share)}},
				Measurement: Measurement{Metric: "accuracy", Classifier: "c45"}}})
	}
	return rows
}

func pointers(rows []Row) (all []*Row) {
	for i := range rows {
		all = append(all, &rows[i])
	}
	return all
}

// On a straight line over the logarithm of the share everything has a closed form: .5 + .1·log10 of
// the share in per cent.
func TestYardstick(t *testing.T) {
	rows := pointers(curveOf(0.03, []float64{1, 0.01, 0.1}, []float64{0.7, 0.5, 0.6}))
	rising := NewYardstick(rows, true)
	for _, r := range rows { // the same upside down
		r.Mean, r.Lo95, r.Hi95 = -r.Mean, -r.Hi95, -r.Lo95
	}
	falling := NewYardstick(rows, false)
	root := math.Sqrt(0.1)
	for _, c := range []struct {
		mean, half, share, lo, hi float64
		text, interval            string
	}{
		{0.65, 0.04, root, 0.1, 1, "32 %", "10 to 100 %"}, // √(.03² + .04²) is .05
		{0.6, 0.04, 0.1, 0.1 * root, root, "10 %", "3.2 to 32 %"},
		{0.62, 0, 0.1 * math.Pow(10, 0.2), 0.1 / math.Pow(10, 0.1), 0.1 * math.Pow(10, 0.5),
			"16 %", "7.9 to 32 %"},
		{0.45, 0, 0.01, 0.01, 0.01, "≤ 1 %", "1 to 1 %"},
		{0.48, 0.04, 0.01, 0.01, 0.01 * math.Pow(10, 0.3), "≤ 1 %", "1 to 2 %"},
		{0.72, 0.04, 1, math.Pow(10, -0.3), 1, "≥ 100 %", "50 to 100 %"},
		{0.8, 0, 1, 1, 1, "≥ 100 %", "100 to 100 %"},
		{0.65, math.NaN(), root, math.NaN(), math.NaN(), "32 %", ""}, // a single trial
	} {
		up := rising.Of(c.mean, c.mean-c.half, c.mean+c.half)
		down := falling.Of(-c.mean, -c.mean-c.half, -c.mean+c.half)
		for _, e := range []Equivalent{up, down} {
			for i, got := range []float64{e.Share, e.Lo, e.Hi} {
				want := []float64{c.share, c.lo, c.hi}[i]
				if math.IsNaN(got) != math.IsNaN(want) || math.Abs(got-want) > 1e-12 {
					t.Errorf("%v ± %v: number %d is %v, want %v", c.mean, c.half, i, got, want)
				}
			}
			if e.String() != c.text || e.Interval() != c.interval {
				t.Errorf("%v ± %v: %q, %q, want %q, %q", c.mean, c.half, e, e.Interval(), c.text,
					c.interval)
			}
		}
	}
	if e := rising.Of(math.NaN(), 0, 0); e.String() != "unknown" {
		t.Errorf("of no value: %v", e)
	}
}

// A release that holds a share of the records, and nothing else, has the value of that share where
// it counts them: .1514 of 14,918 unique records are a sample of 15 %.
func TestYardstickIsLinear(t *testing.T) {
	shares := []float64{0.001, 0.01, 0.05, 0.1, 0.5, 1}
	y := NewYardstick(pointers(curveOf(0, shares, shares)), true).Linear()
	for share, want := range map[float64]string{0.1514: "15 %", 0.7923: "79 %", 0.9077: "91 %",
		0.0083: "0.83 %", 0.0005: "≤ 0.1 %"} { // order-free
		if e := y.Of(share, share, share); e.String() != want ||
			share > 0.001 && math.Abs(e.Share-share) > 1e-12 {
			t.Errorf("%v: %v, want %s", share, e, want)
		}
	}
}

// The isotonic regression of 1, 5, 3, 4, 2, 9 pools 5, 3, 4 and 2 into 3.5. What only the least
// share of a plateau reaches is that share.
func TestYardstickIsMonotone(t *testing.T) {
	rows := pointers(curveOf(0, []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32},
		[]float64{1, 5, 3, 4, 2, 9}))
	y := NewYardstick(rows, true)
	for i, want := range []float64{1, 3.5, 3.5, 3.5, 3.5, 9} {
		if y.means[i] != want {
			t.Errorf("mean %d is %v, want %v", i, y.means[i], want)
		}
	}
	if e := y.Of(3.5, 3.5, 3.5); e.Share != 0.02 || e.Lo != 0.02 || e.Hi != 0.16 {
		t.Errorf("on the plateau: %+v", e)
	}
	if e := y.Of(9, 9, 9); e.String() != "≥ 32 %" {
		t.Errorf("at the end of the curve: %v", e)
	}
	if NewYardstick(rows[:1], true) != nil {
		t.Error("a curve of one point")
	}
}

// Every measurement of every dataset has a curve of its own.
func TestYardsticksOfARun(t *testing.T) {
	rows := curveOf(0, []float64{0.01, 1}, []float64{0.5, 0.7})
	other := curveOf(0, []float64{0.01, 1}, []float64{0.3, 0.1})
	derived := curveOf(0, []float64{0.01, 1}, []float64{1, 2})
	for i := range other {
		other[i].Metric, other[i].Classifier = "distance", ""
		derived[i].Metric, derived[i].Classifier = RuntimeMetric, ""
	}
	m := Manifest{Measures: []MeasureUse{{Measurement: rows[0].Measurement, HigherIsBetter: true},
		{Measurement: other[0].Measurement}}}
	all := m.Yardsticks(append(append(rows, other...), derived...))
	release := Row{Sample: Sample{Setting: &Setting{Algorithm: "mst"},
		Measurement: rows[0].Measurement}, Mean: 0.6}
	if e, ok := all.Of(&release); !ok || math.Abs(e.Share-0.1) > 1e-12 {
		t.Errorf("accuracy .6: %v", e)
	}
	release.Measurement, release.Mean = other[0].Measurement, 0.2
	if e, ok := all.Of(&release); !ok || math.Abs(e.Share-0.1) > 1e-12 {
		t.Errorf("distance .2: %v", e)
	}
	release.Measurement = derived[0].Measurement
	if _, ok := all.Of(&release); ok {
		t.Error("run time has a learning curve")
	}
	release.Setting = &Setting{Dataset: Dataset{Name: "b"}}
	release.Measurement = rows[0].Measurement
	if _, ok := all.Of(&release); ok {
		t.Error("a curve of another dataset")
	}
}
