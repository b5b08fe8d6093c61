package ridge

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestNormalEquations compares with Gaussian elimination on the dense normal equations.
func TestNormalEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 40, true)
		schema := table.Schema()
		target := -1
		for at, a := range schema.Attributes {
			if a.Kind == datasets.Numeric {
				target = at
			}
		}
		if target < 0 || table.Len() == 0 {
			t.Skip("nothing to learn")
		}
		weights, total := make([]float64, table.Len()), 0.0
		for row := range weights {
			weights[row] = rapid.Float64Range(0.1, 3).Draw(t, "weight")
			total += weights[row]
		}
		x := design(table, target, weights, total)
		width := len(x[0])
		// Unknowns: the weights, then the constant, which has no penalty.
		system, right := mat.NewDense(width+1, width+1, nil), mat.NewVecDense(width+1, nil)
		for i := range width {
			system.Set(i, i, 1)
		}
		for row, of := range x {
			of = append(of, 1)
			for i, a := range of {
				for j, b := range of {
					system.Set(i, j, system.At(i, j)+weights[row]*a*b)
				}
				right.SetVec(i, right.AtVec(i)+weights[row]*a*table.Number(int32(row), target))
			}
		}
		var solution mat.VecDense
		must.Do(t, solution.SolveVec(system, right))
		m := must.Get(Regressor{}.FitNumber(context.Background(), classifiers.Data{Table: table,
			Rows: table.AllRows(), Weights: weights}, target))
		got := make([]float64, table.Len())
		m.Numbers(got, table, table.AllRows())
		for row, of := range x {
			want := solution.AtVec(width)
			for i, v := range of {
				want += v * solution.AtVec(i)
			}
			if math.Abs(got[row]-want) > 1e-6 {
				t.Fatalf("row %d: %v, by elimination %v", row, got[row], want)
			}
		}
	})
}

// design makes the features of each row: standardised numbers, an indicator for each value, of two
// values for the second.
func design(table *datasets.Table, target int, weights []float64, total float64) [][]float64 {
	schema := table.Schema()
	x := make([][]float64, table.Len())
	for _, at := range classifiers.Others(schema, target) {
		a := &schema.Attributes[at]
		if a.Kind == datasets.Categorical {
			for row := range x {
				for value := range a.Values {
					if len(a.Values) <= 2 && value == 0 {
						continue
					}
					indicator := 0.0
					if table.Column(at).At(int32(row)) == uint32(value) {
						indicator = 1
					}
					x[row] = append(x[row], indicator)
				}
			}
			continue
		}
		mean, square := 0.0, 0.0
		for row, w := range weights {
			mean += w * table.Number(int32(row), at) / total
		}
		for row, w := range weights {
			square += w * math.Pow(table.Number(int32(row), at)-mean, 2) / total
		}
		for row := range x {
			v := 0.0
			if square > 1e-12 {
				v = (table.Number(int32(row), at) - mean) / math.Sqrt(square)
			}
			x[row] = append(x[row], v)
		}
	}
	return x
}
