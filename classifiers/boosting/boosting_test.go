package boosting

import (
	"context"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
)

// TestReference compares with HistGradientBoostingClassifier of scikit-learn 1.2.1, categorical
// attributes named, no early stopping; classifiers/internal/testtable/reference.py is the program.
func TestReference(t *testing.T) {
	testtable.Compare(t, Classifier{}, 0.003, map[string]testtable.Reference{
		"adult":    {Accuracy: 0.86919, AUC: 0.92613},
		"diabetes": {Accuracy: 0.64141, AUC: 0.69379},
		"acs":      {Accuracy: 0.81924, AUC: 0.90747},
	})
}

// TestNumberReference compares with HistGradientBoostingRegressor of scikit-learn 1.2.1, as
// TestReference does.
func TestNumberReference(t *testing.T) {
	testtable.CompareNumbers(t, Classifier{}, 0.005, map[string]testtable.Reference{
		"adult":    {R2: 0.46970, MAE: 7.53749},
		"diabetes": {R2: 0.42050, MAE: 1.70191},
		"acs":      {R2: 0.81495, MAE: 7.15924},
	})
}

// TestStump compares a single step of two leaves with brute force: of all divisions of a number's
// values, or of a category's, into two, the one that leaves the least squares.
func TestStump(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const values = 5
		categorical := rapid.Bool().Draw(t, "categorical")
		schema := &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "x", High: values, Step: 1}, {Name: "y", Low: -10, High: 10, Step: 1}}}
		if categorical {
			schema.Attributes[0] = testtable.Categorical("x", "a", "b", "c", "d", "e")
		}
		b := datasets.NewBuilder(schema, 60)
		var n, sum, squares [values]float64
		for row := range 60 { // every value twelve times, enough to stand on its own
			b.AddRow()
			code := rapid.IntRange(0, 19).Draw(t, "y")
			b.Set(row, 0, uint32(row%values))
			b.Set(row, 1, uint32(code))
			y := schema.Attributes[1].Number(uint32(code))
			n[row%values]++
			sum[row%values] += y
			squares[row%values] += y * y
		}
		left := math.Inf(1)
		for side := 1; side < 1<<values-1; side++ {
			if !categorical && side&(side+1) != 0 {
				continue // not the values up to one
			}
			var count, total [2]float64
			all := 0.0
			for v := range values {
				count[side>>v&1] += n[v]
				total[side>>v&1] += sum[v]
				all += squares[v]
			}
			left = min(left, all-total[0]*total[0]/count[0]-total[1]*total[1]/count[1])
		}
		table := b.Table()
		m, err := Classifier{Trees: 1, Leaves: 2, Rate: 1, Weight: 1}.FitNumber(
			context.Background(), classifiers.Data{Table: table, Rows: table.AllRows()}, 1)
		if err != nil {
			t.Fatal(err)
		}
		predicted, got := make([]float64, table.Len()), 0.0
		m.Numbers(predicted, table, table.AllRows())
		for row, p := range predicted {
			got += math.Pow(p-table.Number(int32(row), 1), 2)
		}
		if math.Abs(got-left) > 1e-4*(1+left) {
			t.Fatalf("squares %v left, by brute force %v", got, left)
		}
	})
}

// BenchmarkFit measures a hundred trees of 31 leaves on 30,162 rows of 14 attributes; the goal is
// half a second of processor time, to be read off the process (user time of one run less that of
// another with fewer fits): a clock counts other people's work, a profile misses some of one's own.
func BenchmarkFit(b *testing.B) {
	table, rows := testtable.BenchmarkHalf(b)
	testtable.BenchmarkFit(b, Classifier{}, table, rows)
}
