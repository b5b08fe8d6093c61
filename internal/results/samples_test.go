package results

import (
	"fmt"
	"math"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"ppdp/internal/must"
)

func pointer[T any](v T) *T { return &v }

// settings are those of record, shared by the records of a series as a run's records share theirs.
var settings = make(map[string]*Setting)

func record(series string, trial int, values ...Value) Record {
	if settings[series] == nil {
		settings[series] = &Setting{Series: series, Dataset: Dataset{Name: "d"}, Algorithm: "a"}
	}
	return Record{Setting: settings[series], Outcome: Outcome{Trial: trial, Status: OK,
		Values: values}}
}

func folded(c Record, fold int) Record { c.Fold = &fold; return c }

func failed(c Record) Record {
	c.Status, c.Phase, c.Values = Failed, PhaseRelease, nil
	return c
}

func value(metric string, v float64) Value { return Value{Measurement{Metric: metric}, &v} }

func summarise(records []Record) []Row { return Rows((&Run{Records: records}).Summary().Samples()) }

func TestSummariseByHand(t *testing.T) {
	// 1..5 have mean 3 and sample variance 2.5; the tables give t(0.975, 4) = 2.776445.
	var records []Record
	for i := range 5 {
		records = append(records, record("s", i, value("w1", float64(i+1))))
	}
	rows := summarise(records)
	if len(rows) != 1 || rows[0].N != 5 || rows[0].Failed != 0 {
		t.Fatalf("rows = %+v, want one with n 5 and none failed", rows)
	}
	se := math.Sqrt(0.5)
	must.Near(t, rows[0].Mean, 3, 0, "mean")
	must.Near(t, rows[0].SE, se, 1e-15, "se")
	must.Near(t, rows[0].Lo95, 3-2.776445*se, 1e-6, "lo95")
	must.Near(t, rows[0].Hi95, 3+2.776445*se, 1e-6, "hi95")
}

func TestFoldsAreAveragedWithinATrial(t *testing.T) {
	records := []Record{
		folded(record("s", 0, value("accuracy", 0)), 0),
		folded(record("s", 0, value("accuracy", 1)), 1),
		folded(record("s", 1, value("accuracy", 0.25)), 0), folded(record("s", 1,
			value("accuracy", 0.25)), 1),
	}
	row := summarise(records)[0]
	// Trial means are 1/2 and 1/4: s² = 1/32, SE = 1/8. Taken over the four folds it would be
	// 0.2165.
	must.Be(t, row.N, 2)
	must.Near(t, row.Mean, 0.375, 0, "mean")
	must.Near(t, row.SE, 0.125, 1e-16, "se")
}

func TestFailuresAreCounted(t *testing.T) {
	undefined := Value{Measurement: Measurement{Metric: "w1"}}
	for name, test := range map[string]struct {
		records   []Record
		n, failed int
		mean      float64
	}{
		"failed record": {[]Record{record("s", 0, value("w1", 2)), failed(record("s", 1)),
			record("s", 2, value("w1", 4))}, 2, 1, 3},
		"undefined value": {[]Record{record("s", 0, value("w1", 2)), record("s", 1, undefined),
			record("s", 2, value("w1", 4))}, 2, 1, 3},
		"absent value": {[]Record{record("s", 0, value("w1", 2)), record("s", 1),
			record("s", 2, value("w1", 4))}, 2, 1, 3},
		"all failed": {[]Record{failed(record("s", 0)), failed(record("s", 1)),
			record("other", 0, value("w1", 1))}, 0, 2, math.NaN()},
		"one fold failed": {[]Record{folded(record("s", 0, value("w1", 2)), 0),
			failed(folded(record("s", 0), 1)), folded(record("s", 1, value("w1", 5)),
				0), folded(record("s", 1, value("w1", 7)), 1)}, 1, 1, 6},
		"one fold undefined": {[]Record{folded(record("s", 0, value("w1", 2)), 0),
			folded(record("s", 0, undefined), 1), folded(record("s", 1, value("w1", 5)),
				0), folded(record("s", 1, value("w1", 7)), 1)}, 1, 1, 6},
		"one fold missing": {[]Record{folded(record("s", 0, value("w1", 2)), 0),
			folded(record("s", 1, value("w1", 5)), 0), folded(record("s", 1, value("w1", 7)),
				1)}, 1, 1, 6},
	} {
		row := summarise(test.records)[0]
		if row.Metric != "w1" || row.N != test.n || row.Failed != test.failed ||
			math.IsNaN(test.mean) != math.IsNaN(row.Mean) ||
			!math.IsNaN(test.mean) && row.Mean != test.mean {
			t.Errorf("%s: row %+v, want w1 with n %d, failed %d and mean %v", name, row, test.n,
				test.failed, test.mean)
		}
	}
	rows := summarise([]Record{failed(record("s", 0))})
	if len(rows) != 1 || rows[0].Metric != "" || rows[0].Failed != 1 || rows[0].N != 0 {
		t.Errorf("an experiment that failed altogether gives %+v, want one row without a metric",
			rows)
	}
}

func TestConstantAndSingleTrials(t *testing.T) {
	var records []Record
	for i := range 10 {
		// ten tenths do not add up to one
		records = append(records, record("s", i, value("k", 0.1)))
	}
	row := summarise(records)[0]
	if row.Mean != 0.1 || row.SE != 0 || row.Lo95 != 0.1 || row.Hi95 != 0.1 {
		t.Errorf("ten equal trials give %+v, want mean 0.1 without spread", row)
	}
	row = summarise(records[:1])[0]
	if row.Mean != 0.1 || !math.IsNaN(row.SE) || !math.IsNaN(row.Lo95) || !math.IsNaN(row.Hi95) {
		t.Errorf("one trial gives %+v, want a mean and nothing else", row)
	}
}

func TestRowsComeInOrderOfFirstAppearance(t *testing.T) {
	records := []Record{
		record("z", 0, value("w2", 1), value("w1", 2)),
		record("a", 0, value("ks", 1), value("w2", 1)),
		record("z", 1, value("w1", 2), value("w2", 1)),
	}
	got := Mapped(summarise(records), func(r Row) string { return r.Series + " " + r.Metric })
	must.Equal(t, got, []string{"z w2", "z w1", "a ks", "a w2"})
}

// Whatever the order of the records and however many there are, trials add up, the mean lies within
// the values, and shuffling changes no bit.
func TestSummariseProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		trials := rapid.IntRange(1, 6).Draw(t, "trials")
		folds := rapid.IntRange(1, 3).Draw(t, "folds")
		var records []Record
		for trial := range trials {
			for fold := range folds {
				r := folded(record("s", trial, value("w1", rapid.Float64Range(-1e6, 1e6).Draw(t,
					"value"))), fold)
				if rapid.IntRange(0, 4).Draw(t, "fate") == 0 {
					r = failed(r)
				}
				records = append(records, r)
			}
		}
		before := summarise(records)
		row := before[0]
		if row.N+row.Failed != trials {
			t.Fatalf("n %d + failed %d, want %d trials", row.N, row.Failed, trials)
		}
		if row.N > 1 && !(row.Lo95 <= row.Mean && row.Mean <= row.Hi95 && row.SE >= 0) {
			t.Fatalf("%v outside %v..%v", row.Mean, row.Lo95, row.Hi95)
		}
		shuffled := rapid.Permutation(records).Draw(t, "shuffled")
		after := summarise(shuffled)
		if math.Float64bits(row.Mean) != math.Float64bits(after[0].Mean) ||
			math.Float64bits(row.SE) != math.Float64bits(after[0].SE) {
			t.Fatalf("order of the records matters: %+v and %+v", row, after[0])
		}
	})
}

func TestDerivedSamples(t *testing.T) {
	records := []Record{record("s", 0, value("w1", 9)), record("s", 1, value("w1", 9)),
		failed(record("s", 2))}
	epsilon := 2.0
	setting := *records[0].Setting
	setting.Epsilon = &epsilon
	for i := range records {
		records[i].Setting = &setting
	}
	records[0].Structure = &Structure{Nodes: 5, Leaves: 3, Depth: 2, Gap: 0.5}
	records[0].Spent = &Spent{Claimed: 2, Proven: 3}
	records[1].Spent = &Spent{Claimed: 1, Proven: Bound(math.Inf(1))}
	r := &Run{Records: records, Timings: []Timing{{Release: 1}, {Job: 1, Release: 3},
		{Job: 2, Release: 100}}}
	want := map[string][]float64{
		RuntimeMetric: {1, 3, nan}, NodesMetric: {5, nan, nan}, LeavesMetric: {3, nan,
			nan}, DepthMetric: {2, nan, nan},
		GapMetric: {0.5, nan, nan}, SpentMetric: {1, 0.5, nan}, LossMetric: {1.5, nan, nan},
	}
	got := make(map[string][]float64)
	for _, s := range r.Summary().Derived() {
		got[s.Metric] = s.Trials
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
	for _, use := range DerivedMeasures {
		if _, known := want[use.Metric]; !known || use.Title == "" {
			t.Errorf("%+v is described, but not derived or without a title", use)
		}
	}
	must.Be(t, len(DerivedMeasures), len(want))
}

// TestSummaryIsSmall: of a record that is read, a summary keeps its numbers and no more, however
// much else the record has.
func TestSummaryIsSmall(t *testing.T) {
	const records, numbers = 5_000, 2 + 7 // measured and derived
	dir := t.TempDir()
	full := fullRecord()
	full.Setting.Epsilon = pointer(0.5)
	full.Spent.Proven, full.Fold, full.Original, full.Regions = 0.25, nil, nil, nil
	err := Write(dir, Manifest{Experiment: "e"}, func(add func(*Record, *Timing) error) error {
		for trial := range records {
			c := full
			c.Trial = trial
			if err := add(&c, &Timing{Job: trial, Release: float64(trial)}); err != nil {
				return err
			}
		}
		return nil
	})
	must.Do(t, err)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	s := must.Get(Open(dir))
	runtime.GC()
	runtime.ReadMemStats(&after)
	// slices grow by a quarter, and 100 kB are for everything else
	most := 1.25*8*numbers*records + 100_000
	if kept := float64(after.HeapAlloc) - float64(before.HeapAlloc); kept > most {
		t.Errorf("%.0f bytes a cell, must be at most %.0f", kept/records, most/records)
	}
	if got := len(s.Samples()) + len(s.Derived()); s.Jobs != records || got != numbers {
		t.Errorf("%d records, %d samples", s.Jobs, got)
	}
}

// TestStudentQuantile compares the usual table, closed forms for one and two degrees of freedom and
// gonum's inverse of the incomplete beta function.
func TestStudentQuantile(t *testing.T) {
	for degrees, want := range map[int]string{1: "12.706", 2: "4.303", 3: "3.182", 4: "2.776",
		5: "2.571", 9: "2.262", 10: "2.228", 30: "2.042", 99: "1.984", 120: "1.980"} {
		must.Be(t, fmt.Sprintf("%.3f", studentQuantile(0.95, degrees)), want, degrees)
	}
	const tolerance = 1e-12
	for _, coverage := range []float64{0.01, 0.5, 0.9, 0.95, 0.999} {
		tail := (1 - coverage) / 2
		for degrees, want := range map[int]float64{1: 1 / math.Tan(math.Pi*tail),
			2: coverage / math.Sqrt(2*tail*(1-tail))} {
			must.Near(t, studentQuantile(coverage, degrees)/want, 1, tolerance, degrees, coverage,
				want)
		}
		for degrees := 1; degrees <= 200; degrees++ {
			want := distuv.StudentsT{Sigma: 1, Nu: float64(degrees)}.Quantile(1 - tail)
			must.Near(t, studentQuantile(coverage, degrees)/want, 1, 1e-9, degrees, coverage, want)
		}
	}
}

// Of four degrees of freedom the coverage of t is sin θ (1 + cos² θ/2), tan θ = t/2: differences of
// 1 to 5 have t² = 18, so that tan² θ is 9/2.
func TestPaired(t *testing.T) {
	nan := math.NaN()
	x, y := []float64{1, 1, nan, 1, 1, 1, 1}, []float64{3, 2, 9, 4, nan, 6, 5}
	d := Paired(x, y)
	want := 1 - math.Sqrt(9.0/11)*(1+1.0/11)
	if d.N != 5 || d.Mean != 3 || math.Abs(d.P-want) > 1e-12 {
		t.Errorf("%+v, want 3 of 5 trials and p %v", d, want)
	}
	must.Near(t, d.SE, math.Sqrt(0.5), 1e-15, "standard error") // their variance is 5/2
	if back := Paired(y, x); back.Mean != -3 || back.P != d.P || back.SE != d.SE {
		t.Errorf("the other way round %+v", back)
	}
	for _, c := range []struct {
		x, y []float64
		p    float64
	}{
		{[]float64{1, 2}, []float64{1, 2}, 1},
		{[]float64{1, 2, 3}, []float64{2, 3, 4}, 0.25}, // three signs alike, one way or the other
		{[]float64{1, nan}, []float64{2, 3}, nan},
	} {
		if p := Paired(c.x, c.y).P; p != c.p && !(math.IsNaN(p) && math.IsNaN(c.p)) {
			t.Errorf("%v and %v: p %v, want %v", c.x, c.y, p, c.p)
		}
	}
}

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
	must.Be(t, rising.Of(math.NaN(), 0, 0).String(), "unknown", "of no value")
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

// A sample of a share f has an error of √(1/f - 1). As many other people have √2, the error of a
// sample of a third, between whatever samples it lies. A score lacks as much of the best one.
func TestYardstickOfErrors(t *testing.T) {
	shares := []float64{0.001, 0.01, 0.05, 0.1, 0.5, 1}
	for _, least := range []float64{0, 0.2} { // an error that all records make, too
		var errors, scores []float64
		for _, share := range shares {
			e := math.Sqrt(1/share - 1)
			errors, scores = append(errors, least+e), append(scores, 1000-10*e)
		}
		lower := NewYardstick(pointers(curveOf(0.01, shares, errors)), false).Errors()
		higher := NewYardstick(pointers(curveOf(0.1, shares, scores)), true).Errors()
		for _, share := range []float64{0.002, 0.03, 0.2, 1. / 3, 0.7, 0.95} {
			e := math.Sqrt(1/share - 1)
			a, b := lower.Of(least+e, least+e, least+e), higher.Of(1000-10*e, 1000-10*e, 1000-10*e)
			must.Near(t, a.Share, share, 1e-12, share)
			must.Near(t, b.Share, share, 1e-12, share)
			if !(a.Lo < share && share < a.Hi && a.Hi <= 1) {
				t.Errorf("%v: from %v to %v", share, a.Lo, a.Hi)
			}
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
		must.Be(t, y.means[i], want, i)
	}
	if e := y.Of(3.5, 3.5, 3.5); e.Share != 0.02 || e.Lo != 0.02 || e.Hi != 0.16 {
		t.Errorf("on the plateau: %+v", e)
	}
	must.Be(t, y.Of(9, 9, 9).String(), "≥ 32 %", "at the end of the curve")
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
