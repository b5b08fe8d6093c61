package boosting

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestLeavesAreOfRecords: ten copies of a tenth each are learned from like the records themselves:
// twenty of either class, each enough for a leaf. A tenth of the weight alone would be too little.
func TestLeavesAreOfRecords(t *testing.T) {
	table := testtable.Table([]datasets.Attribute{{Name: "x", High: 2, Step: 1},
		testtable.Class("a", "b")}, slices.Repeat([][]uint32{{0, 0}, {1, 1}}, 20)...)
	for _, weight := range []float64{1, 0.1} {
		model := must.Get(Default.Fit(t.Context(), classifiers.Data{Table: table,
			Rows: table.AllRows(), Weights: slices.Repeat([]float64{weight}, 40)}))
		p, rows := make([]float64, 4), []int32{0, 1}
		model.(classifiers.ProbabilityModel).Probabilities(p, table, rows)
		if p[0] < 0.99 || p[3] < 0.99 {
			t.Errorf("weight %v: %v, must tell the classes apart", weight, p)
		}
	}
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
		m := must.Get(Classifier{Trees: 1, Leaves: 2, Rate: 1, Weight: 1}.FitNumber(
			context.Background(), classifiers.Data{Table: table, Rows: table.AllRows()}, 1))
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
