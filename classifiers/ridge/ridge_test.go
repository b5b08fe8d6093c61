package ridge

import (
	"context"
	"math"
	"testing"

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
		system := make([][]float64, width+1)
		for i := range system {
			system[i] = make([]float64, width+2)
			if i < width {
				system[i][i] = 1
			}
		}
		for row, of := range x {
			of = append(of, 1)
			for i, a := range of {
				for j, b := range of {
					system[i][j] += weights[row] * a * b
				}
				system[i][width+1] += weights[row] * a * table.Number(int32(row), target)
			}
		}
		solution := eliminate(system)
		m := must.Get(Regressor{}.FitNumber(context.Background(), classifiers.Data{Table: table,
			Rows: table.AllRows(), Weights: weights}, target))
		got := make([]float64, table.Len())
		m.Numbers(got, table, table.AllRows())
		for row, of := range x {
			want := solution[width]
			for i, v := range of {
				want += v * solution[i]
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

// eliminate solves a system whose last column is the right side, with pivots.
func eliminate(system [][]float64) []float64 {
	n := len(system)
	for i := range n {
		pivot := i
		for j := i; j < n; j++ {
			if math.Abs(system[j][i]) > math.Abs(system[pivot][i]) {
				pivot = j
			}
		}
		system[i], system[pivot] = system[pivot], system[i]
		for j := range n {
			if j == i {
				continue
			}
			factor := system[j][i] / system[i][i]
			for k := i; k <= n; k++ {
				system[j][k] -= factor * system[i][k]
			}
		}
	}
	solution := make([]float64, n)
	for i := range solution {
		solution[i] = system[i][n] / system[i][i]
	}
	return solution
}
