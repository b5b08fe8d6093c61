package all

import (
	"testing"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestMissingIsNoNumber: records with a large number are of the class yes, all others, and those
// that lack it, of the class no. Learners that took a missing number for a large one, or for any,
// would err. A regressor learns from records without a number, too.
func TestMissingIsNoNumber(t *testing.T) {
	marker := "?"
	for _, continuous := range []bool{false, true} {
		s := &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "x", High: 10, Step: 1, Continuous: continuous, Missing: &marker},
			{Name: "z", High: 2, Step: 1},
			{Name: "y", Kind: datasets.Categorical, Values: []string{"no", "yes"},
				Role: datasets.Class},
		}}
		b := datasets.NewBuilder(s, 0)
		for i := range uint32(660) {
			x := i % 11
			row := b.AddRow(x)
			if b.Set(row, 1, i/11%2); x >= 5 && x < 10 {
				b.Set(row, 2, 1)
			}
		}
		table := b.Table()
		must.Do(t, table.Validate())
		for _, name := range []string{"boosting", "forest", "logistic", "svm", "c45",
			"naive-bayes"} {
			c := must.Get(classifiers.Lookup(name))
			model, err := c.Fit(t.Context(),
				classifiers.Data{Table: table, Rows: table.AllRows()})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			wrong, predicted := 0, make([]uint32, table.Len())
			model.Predict(predicted, table, table.AllRows())
			for row, class := range predicted {
				if class != table.Column(2).At(int32(row)) {
					wrong++
				}
			}
			if most := map[bool]int{true: 60}[name == "naive-bayes"]; wrong > most {
				t.Errorf("%s, continuous %t: %d of %d wrong", name, continuous, wrong, table.Len())
			}
		}
		for _, name := range classifiers.Regressors() {
			r := must.Get(classifiers.LookupRegressor(name))
			if _, err := r.FitNumber(t.Context(),
				classifiers.Data{Table: table, Rows: table.AllRows()}, 0); err == nil {
				t.Errorf("%s learns from numbers that are missing", name)
			}
			model, err := r.FitNumber(t.Context(), classifiers.Data{Table: table,
				Rows: table.Present(table.AllRows(), 0)}, 0)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			numbers := make([]float64, table.Len())
			model.Numbers(numbers, table, table.AllRows())
			for row, x := range numbers {
				if !(x >= 0 && x < 10) {
					t.Errorf("%s: row %d is %v", name, row, x)
				}
			}
		}
	}
}
