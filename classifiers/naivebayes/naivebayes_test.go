package naivebayes

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func all(table *datasets.Table) classifiers.Data {
	return classifiers.Data{Table: table, Rows: table.AllRows()}
}

// scores are the joint log-probabilities of one row with each present class.
func (m *model) scores(table *datasets.Table, row int32) []float64 {
	scores := append([]float64(nil), m.prior...)
	for _, f := range m.features {
		f.add(scores, table, []int32{row})
	}
	return scores
}

// TestWeatherByHand works the classic query (sunny, cool, high, windy) through with add-one counts:
// of 14 days 5 are "no" and 9 "yes".
func TestWeatherByHand(t *testing.T) {
	table := testtable.Weather(false)
	m := testtable.Fit(t, Classifier, all(table)).(*model)
	query := testtable.Table(table.Schema().Attributes, []uint32{0, 2, 0, 1, 0})
	no := 6.0 / 16 * (4.0 / 8) * (2.0 / 8) * (5.0 / 7) * (4.0 / 7)
	yes := 10.0 / 16 * (3.0 / 12) * (4.0 / 12) * (4.0 / 11) * (4.0 / 11)
	for k, want := range []float64{no, yes} {
		if got := math.Exp(m.scores(query, 0)[k]); math.Abs(got-want) > 1e-12 {
			t.Errorf("joint probability with class %d %v, by hand %v", k, got, want)
		}
	}
	if got := testtable.Predict(m, query)[0]; got != 0 {
		t.Errorf("predicted %d, by hand no (0)", got)
	}
}

// TestWeatherGaussians compares with what Weka prints for its weather.numeric.
func TestWeatherGaussians(t *testing.T) {
	table := testtable.Weather(true)
	s := newSample(all(table))
	for _, want := range []struct {
		attribute           int
		precision           float64
		noMean, noDeviation float64
		yesMean, yesDev     float64
	}{
		{1, 1.9091, 74.8364, 7.384, 72.9697, 5.2304},
		{2, 3.4444, 86.1111, 9.2424, 78.8395, 9.8023},
	} {
		a := &table.Schema().Attributes[want.attribute]
		values := make([]float64, a.Cells())
		for code := range values {
			values[code] = a.Number(uint32(code))
		}
		got := s.normals(values, s.histogram(table.Column(want.attribute), a.Cells()), a)
		for _, figure := range []struct {
			name      string
			got, want float64
		}{
			{"precision", got[0].precision, want.precision},
			{"mean of no", got[0].mean, want.noMean},
			{"deviation of no", got[0].deviation, want.noDeviation},
			{"mean of yes", got[1].mean, want.yesMean},
			{"deviation of yes", got[1].deviation, want.yesDev},
		} {
			if math.Abs(figure.got-figure.want) > 0.00005 { // Weka prints four decimals
				t.Errorf("%s: %s %.5f, Weka prints %v", a.Name, figure.name,
					figure.got, figure.want)
			}
		}
	}
}

// TestTails: twelve deviations out, both tails have the mass of the asymptotic expansion
// φ(z)/z·(1−1/z²+3/z⁴), which a difference of two numbers near 1 would round to 0.
func TestTails(t *testing.T) {
	d := normal{mean: 0, deviation: 1, precision: 24}
	upper, lower := d.logProbability(24), d.logProbability(-24) // from 12 on outwards
	z := 12.0
	want := -z*z/2 - math.Log(math.Sqrt(2*math.Pi)*z) + math.Log(1-1/(z*z)+3/math.Pow(z, 4))
	if upper != lower || math.Abs(upper-want) > 1e-5 {
		t.Errorf("log-probability of the tails %v and %v, want %v", lower, upper, want)
	}
	if got := d.logProbability(1e6); got != math.Log(leastProbability) {
		t.Errorf("log-probability of an outlier %v, must be that of %v", got, leastProbability)
	}
}

// numericTable is a table of one numeric attribute over [0, high) and a class of the given number
// of values.
func numericTable(tb testtable.TB, high float64, continuous bool, classes int, values []float64,
	labels []uint32) *datasets.Table {
	tb.Helper()
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "x", High: high, Step: 1,
		Continuous: continuous}, testtable.Class([]string{"a", "b", "c"}[:classes]...)}}
	b := datasets.NewBuilder(schema, len(values))
	for i, value := range values {
		row := b.AddRow()
		must.Do(tb, b.SetNumber(row, 0, value))
		b.Set(row, 1, labels[i])
	}
	return b.Table()
}

// TestDomainSizeDoesNotMatter: whether likelihoods are tabulated, computed row by row or looked up
// among exact values, a Gaussian depends on the values alone.
func TestDomainSizeDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 40).Draw(t, "rows")
		values := make([]float64, n)
		labels := make([]uint32, n)
		for i := range values {
			values[i] = float64(rapid.IntRange(0, 99).Draw(t, "value"))
			labels[i] = rapid.Uint32Range(0, 2).Draw(t, "label")
		}
		small := numericTable(t, 100, false, 3, values, labels)
		want := testtable.Fit(t, Classifier, all(small)).(*model)
		for _, other := range []*datasets.Table{
			numericTable(t, 1e6, false, 3, values, labels),
			numericTable(t, 100, true, 3, values, labels),
		} {
			got := testtable.Fit(t, Classifier, all(other)).(*model)
			for row := range values {
				a, b := want.scores(small, int32(row)), got.scores(other, int32(row))
				for k := range a {
					if math.Abs(a[k]-b[k]) > 1e-9 {
						t.Fatalf("scores %v and %v of one row in two domains", a, b)
					}
				}
			}
		}
	})
}

// TestConstantAttribute: without variance the deviation is a sixth of the public step, and the
// attribute tells the classes apart by nothing.
func TestConstantAttribute(t *testing.T) {
	table := numericTable(t, 100, false, 2, []float64{7, 7, 7}, []uint32{0, 1, 1})
	m := testtable.Fit(t, Classifier, all(table)).(*model)
	scores := m.scores(table, 0)
	if gap, want := scores[1]-scores[0], math.Log(3.0/2); math.Abs(gap-want) > 1e-12 {
		t.Errorf("scores differ by %v, the priors (1+1):(2+1) by %v", gap, want)
	}
}

// TestManyRows crosses the blocks that rows are scored in.
func TestManyRows(t *testing.T) {
	table := testtable.StandIn(t, "rps", 3*classifiers.Block+7)
	m := testtable.Fit(t, Classifier, all(table)).(*model)
	for row, got := range testtable.Predict(m, table) {
		if want := m.Occurring[classifiers.Majority(m.scores(table, int32(row)))]; got != want {
			t.Fatalf("row %d predicted as %d in a block, %d alone", row, got, want)
		}
	}
}
