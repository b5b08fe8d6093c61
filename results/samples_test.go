package results

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func pointer[T any](v T) *T { return &v }

func cell(series string, trial int, values ...Value) Record {
	return Record{Experiment: "e", Series: series, Dataset: "d", Algorithm: "a", Trial: trial, Status: OK, Values: values}
}

func folded(r Record, fold int) Record { r.Fold = &fold; return r }

func failed(r Record) Record {
	r.Status, r.Phase, r.Values = Failed, PhaseRelease, nil
	return r
}

func value(metric string, v float64) Value { return Value{Metric: metric, Value: &v} }

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v", what, got, want)
	}
}

func TestSummariseByHand(t *testing.T) {
	// 1..5 have mean 3 and sample variance 2.5; the tables give t(0.975, 4) = 2.776445.
	var records []Record
	for i := range 5 {
		records = append(records, cell("s", i, value("w1", float64(i+1))))
	}
	rows := Summarise(records)
	if len(rows) != 1 || rows[0].N != 5 || rows[0].Failed != 0 {
		t.Fatalf("rows = %+v, want one with n 5 and none failed", rows)
	}
	se := math.Sqrt(0.5)
	near(t, "mean", rows[0].Mean, 3, 0)
	near(t, "se", rows[0].SE, se, 1e-15)
	near(t, "lo95", rows[0].Lo95, 3-2.776445*se, 1e-6)
	near(t, "hi95", rows[0].Hi95, 3+2.776445*se, 1e-6)
}

// The quantiles are those of the printed tables: 12.7062 at one degree of freedom, 2.0930 at 19.
func TestIntervalUsesDegreesOfFreedom(t *testing.T) {
	for _, test := range []struct {
		n int
		t float64
	}{{2, 12.7062}, {20, 2.0930}} {
		x := make([]float64, test.n)
		for i := range x {
			x[i] = float64(i % 2)
		}
		_, se, lo, hi := meanAndInterval(x)
		near(t, "half width over SE", (hi-lo)/2/se, test.t, 1e-4)
	}
}

func TestFoldsAreAveragedWithinATrial(t *testing.T) {
	records := []Record{
		folded(cell("s", 0, value("accuracy", 0)), 0), folded(cell("s", 0, value("accuracy", 1)), 1),
		folded(cell("s", 1, value("accuracy", 0.25)), 0), folded(cell("s", 1, value("accuracy", 0.25)), 1),
	}
	row := Summarise(records)[0]
	// Trial means are 1/2 and 1/4: s² = 1/32, SE = 1/8. Taken over the four folds it would be 0.2165.
	if row.N != 2 {
		t.Errorf("n = %d, want 2 trials", row.N)
	}
	near(t, "mean", row.Mean, 0.375, 0)
	near(t, "se", row.SE, 0.125, 1e-16)
}

func TestFailuresAreCounted(t *testing.T) {
	undefined := Value{Metric: "w1"}
	for name, test := range map[string]struct {
		records   []Record
		n, failed int
		mean      float64
	}{
		"failed cell":        {[]Record{cell("s", 0, value("w1", 2)), failed(cell("s", 1)), cell("s", 2, value("w1", 4))}, 2, 1, 3},
		"undefined value":    {[]Record{cell("s", 0, value("w1", 2)), cell("s", 1, undefined), cell("s", 2, value("w1", 4))}, 2, 1, 3},
		"absent value":       {[]Record{cell("s", 0, value("w1", 2)), cell("s", 1), cell("s", 2, value("w1", 4))}, 2, 1, 3},
		"all failed":         {[]Record{failed(cell("s", 0)), failed(cell("s", 1)), cell("other", 0, value("w1", 1))}, 0, 2, math.NaN()},
		"one fold failed":    {[]Record{folded(cell("s", 0, value("w1", 2)), 0), failed(folded(cell("s", 0), 1)), folded(cell("s", 1, value("w1", 5)), 0), folded(cell("s", 1, value("w1", 7)), 1)}, 1, 1, 6},
		"one fold undefined": {[]Record{folded(cell("s", 0, value("w1", 2)), 0), folded(cell("s", 0, undefined), 1), folded(cell("s", 1, value("w1", 5)), 0), folded(cell("s", 1, value("w1", 7)), 1)}, 1, 1, 6},
		"one fold missing":   {[]Record{folded(cell("s", 0, value("w1", 2)), 0), folded(cell("s", 1, value("w1", 5)), 0), folded(cell("s", 1, value("w1", 7)), 1)}, 1, 1, 6},
	} {
		t.Run(name, func(t *testing.T) {
			row := Summarise(test.records)[0]
			if row.Metric != "w1" || row.N != test.n || row.Failed != test.failed {
				t.Fatalf("row = %+v, want w1 with n %d and failed %d", row, test.n, test.failed)
			}
			if math.IsNaN(test.mean) != math.IsNaN(row.Mean) || !math.IsNaN(test.mean) && row.Mean != test.mean {
				t.Errorf("mean = %v, want %v", row.Mean, test.mean)
			}
		})
	}
	rows := Summarise([]Record{failed(cell("s", 0))})
	if len(rows) != 1 || rows[0].Metric != "" || rows[0].Failed != 1 || rows[0].N != 0 {
		t.Errorf("an experiment that failed altogether gives %+v, want one row without a metric", rows)
	}
}

func TestConstantAndSingleTrials(t *testing.T) {
	var records []Record
	for i := range 10 {
		records = append(records, cell("s", i, value("k", 0.1))) // ten tenths do not add up to one
	}
	row := Summarise(records)[0]
	if row.Mean != 0.1 || row.SE != 0 || row.Lo95 != 0.1 || row.Hi95 != 0.1 {
		t.Errorf("ten equal trials give %+v, want mean 0.1 without spread", row)
	}
	row = Summarise(records[:1])[0]
	if row.Mean != 0.1 || !math.IsNaN(row.SE) || !math.IsNaN(row.Lo95) || !math.IsNaN(row.Hi95) {
		t.Errorf("one trial gives %+v, want a mean and nothing else", row)
	}
}

func TestRowsComeInOrderOfFirstAppearance(t *testing.T) {
	records := []Record{
		cell("z", 0, value("w2", 1), value("w1", 2)),
		cell("a", 0, value("ks", 1), value("w2", 1)),
		cell("z", 1, value("w1", 2), value("w2", 1)),
	}
	var got []string
	for _, row := range Summarise(records) {
		got = append(got, row.Series+" "+row.Metric)
	}
	if diff := cmp.Diff([]string{"z w2", "z w1", "a ks", "a w2"}, got); diff != "" {
		t.Error(diff)
	}
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
				r := folded(cell("s", trial, value("w1", rapid.Float64Range(-1e6, 1e6).Draw(t, "value"))), fold)
				if rapid.IntRange(0, 4).Draw(t, "fate") == 0 {
					r = failed(r)
				}
				records = append(records, r)
			}
		}
		before := Summarise(records)
		row := before[0]
		if row.N+row.Failed != trials {
			t.Fatalf("n %d + failed %d, want %d trials", row.N, row.Failed, trials)
		}
		if row.N > 1 && !(row.Lo95 <= row.Mean && row.Mean <= row.Hi95 && row.SE >= 0) {
			t.Fatalf("%v outside %v..%v", row.Mean, row.Lo95, row.Hi95)
		}
		shuffled := rapid.Permutation(records).Draw(t, "shuffled")
		after := Summarise(shuffled)
		if math.Float64bits(row.Mean) != math.Float64bits(after[0].Mean) || math.Float64bits(row.SE) != math.Float64bits(after[0].SE) {
			t.Fatalf("order of the records matters: %+v and %+v", row, after[0])
		}
	})
}

func TestRuntimeRows(t *testing.T) {
	records := []Record{cell("s", 0, value("w1", 9)), cell("s", 1, value("w1", 9)), failed(cell("s", 2))}
	rows, err := RuntimeRows(records, []Timing{{Cell: 1, Release: 3}, {Cell: 0, Release: 1}, {Cell: 2, Release: 100}})
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 1 || rows[0].Metric != RuntimeMetric || rows[0].Mean != 2 || rows[0].N != 2 || rows[0].Failed != 1 {
		t.Errorf("rows = %+v, want the mean 2 of the two releases that succeeded", rows)
	}
	for _, bad := range [][]Timing{{{Cell: 3}}, {{Cell: -1}}, {{Cell: 0}, {Cell: 0}}} {
		if _, err := RuntimeRows(records, bad); err == nil {
			t.Errorf("timings %+v are accepted", bad)
		}
	}
}

func BenchmarkSummarise(b *testing.B) {
	var records []Record
	for point := range 100 {
		for trial := range 20 {
			for fold := range 5 {
				r := folded(cell("s", trial, value("accuracy", float64(fold)), value("ncp", float64(trial))), fold)
				r.Epsilon = pointer(float64(point))
				r.Params = map[string]string{"depth": "50", "stop": "5", "quality": "class"}
				records = append(records, r)
			}
		}
	}
	for b.Loop() {
		Summarise(records)
	}
	b.ReportMetric(float64(len(records))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
