package all

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
)

// TestRegressors checks the contract of classifiers.Regressor on everything registered, over random
// tables.
func TestRegressors(t *testing.T) {
	for _, name := range classifiers.Regressors() {
		r, err := classifiers.LookupRegressor(name)
		if err != nil {
			t.Fatal(err)
		}
		s := regressorSuite{r}
		t.Run(name, func(t *testing.T) {
			t.Run("info", suite{classifier: infoOnly{Regressor: r}}.info)
			t.Run("refusals", s.refusals)
			t.Run("allocations", s.allocations)
			for name, property := range map[string]func(*rapid.T){ // order-free: subtests
				"weights and order": s.weightsAndOrder,
				"hidden":            s.hidden,
				"degenerate":        s.degenerate,
				"extreme weights":   s.extremeWeights,
			} {
				t.Run(name, func(t *testing.T) { rapid.Check(t, property) })
			}
		})
	}
}

// infoOnly lends a regressor's Info to the check of classifiers'.
type infoOnly struct {
	classifiers.Classifier
	classifiers.Regressor
}

func (i infoOnly) Info() classifiers.Info { return i.Regressor.Info() }

type regressorSuite struct{ regressor classifiers.Regressor }

// table draws a table with a numeric attribute, its position and whole weights from 0 to 3.
func (regressorSuite) table(t *rapid.T) (table *datasets.Table, target int, weights []float64) {
	table = testtable.Random(t, 60, true)
	target = slices.IndexFunc(table.Schema().Attributes, func(a datasets.Attribute) bool {
		return a.Kind == datasets.Numeric
	})
	if target < 0 {
		t.Skip("no numeric attribute")
	}
	for range table.Len() {
		weights = append(weights, float64(rapid.IntRange(0, 3).Draw(t, "weight")))
	}
	return table, target, weights
}

func (s regressorSuite) numbers(t testtable.TB, fit, on *datasets.Table, target int, rows []int32,
	weights []float64) []float64 {
	m, err := s.regressor.FitNumber(context.Background(),
		classifiers.Data{Table: fit, Rows: rows, Weights: weights}, target)
	if err != nil {
		t.Fatal(err)
	}
	dst := make([]float64, on.Len())
	m.Numbers(dst, on, on.AllRows())
	return dst
}

// weightsAndOrder: a row of weight w counts like w rows, in whatever order they are.
func (s regressorSuite) weightsAndOrder(t *rapid.T) {
	table, target, weights := s.table(t)
	var repeated []int32
	for row, w := range weights {
		repeated = append(repeated, slices.Repeat([]int32{int32(row)}, int(w))...)
	}
	if len(repeated) > 1 {
		repeated = rapid.Permutation(repeated).Draw(t, "order")
	}
	given := slices.Clone(weights)
	got := s.numbers(t, table, table, target, table.AllRows(), weights)
	if want := s.numbers(t, table, table, target, repeated, nil); !slices.Equal(got, want) {
		t.Fatalf("weighted %v, repeated in another order %v", got, want)
	}
	if !slices.Equal(weights, given) {
		t.Fatal("the weights were changed")
	}
}

// hidden: predictions do not read the target.
func (s regressorSuite) hidden(t *rapid.T) {
	table, target, weights := s.table(t)
	b := datasets.NewBuilder(table.Schema(), table.Len())
	for row := range table.Len() {
		b.AddRow()
		for _, at := range classifiers.Others(table.Schema(), target) {
			b.Set(row, at, table.Column(at).At(int32(row)))
		}
	}
	blind := s.numbers(t, table, b.Table(), target, table.AllRows(), weights)
	if got := s.numbers(t, table, table, target, table.AllRows(),
		weights); !slices.Equal(got, blind) {
		t.Fatalf("with the target %v, without %v", got, blind)
	}
}

// degenerate: nothing to learn from is the middle of the range, one number is that number.
func (s regressorSuite) degenerate(t *rapid.T) {
	table, target, _ := s.table(t)
	a := &table.Schema().Attributes[target]
	expect := func(what string, got []float64, want float64) {
		for _, x := range got {
			if !(math.Abs(x-want) <= 1e-6*(a.High-a.Low)) {
				t.Fatalf("%s: predicted %v, must be %v", what, got, want)
			}
		}
	}
	middle := (a.Low + a.High) / 2
	expect("without rows", s.numbers(t, table, table, target, nil, nil), middle)
	expect("without weight", s.numbers(t, table, table, target, table.AllRows(),
		make([]float64, table.Len())), middle)
	if table.Len() == 0 {
		return
	}
	only := table.Number(0, target)
	rows := slices.DeleteFunc(table.AllRows(),
		func(row int32) bool { return table.Number(row, target) != only })
	expect("one number", s.numbers(t, table, table, target, rows, nil), only)
}

// extremeWeights are refused or give numbers.
func (s regressorSuite) extremeWeights(t *rapid.T) {
	table, target, weights := s.table(t)
	for row := range weights {
		weights[row] = rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e-300, 0.3, 1,
			1e15, 1e300, 1e306}).Draw(t, "weight")
	}
	m, err := s.regressor.FitNumber(context.Background(),
		classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights}, target)
	if err != nil {
		return
	}
	dst := make([]float64, table.Len())
	m.Numbers(dst, table, table.AllRows())
	for _, x := range dst {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			t.Fatalf("weights %v: predicted %v", weights, dst)
		}
	}
}

// allocations: fifty times the rows need no more allocations.
func (s regressorSuite) allocations(t *testing.T) {
	table := testtable.StandIn(t, "rps", 5000)
	target := table.Schema().Index("age")
	m, err := s.regressor.FitNumber(t.Context(),
		classifiers.Data{Table: table, Rows: table.AllRows()}, target)
	if err != nil {
		t.Fatal(err)
	}
	rows, dst := table.AllRows(), make([]float64, table.Len())
	few := testing.AllocsPerRun(5, func() { m.Numbers(dst, table, rows[:600]) })
	if many := testing.AllocsPerRun(5, func() { m.Numbers(dst, table, rows) }); many > few {
		t.Errorf("%v allocations for 5000 rows, %v for 600", many, few)
	}
}

func (s regressorSuite) refusals(t *testing.T) {
	table := testtable.Weather(true)
	const temperature, outlook = 1, 0
	refused := func(ctx context.Context, data classifiers.Data, target int) error {
		_, err := s.regressor.FitNumber(ctx, data, target)
		return err
	}
	all := classifiers.Data{Table: table, Rows: table.AllRows()}
	if err := refused(t.Context(), all, temperature); err != nil {
		t.Fatal(err)
	}
	classless, err := table.Project("outlook", "temperature")
	if err != nil {
		t.Fatal(err)
	}
	if err := refused(t.Context(),
		classifiers.Data{Table: classless, Rows: classless.AllRows()}, 1); err != nil {
		t.Errorf("without a class: %v", err)
	}
	for _, target := range []int{-1, outlook, len(table.Schema().Attributes)} {
		if refused(t.Context(), all, target) == nil {
			t.Errorf("target %d was accepted", target)
		}
	}
	if refused(t.Context(), classifiers.Data{Table: table, Rows: []int32{99}}, temperature) == nil {
		t.Error("a row outside the table was accepted")
	}
	if refused(t.Context(), classifiers.Data{}, temperature) == nil {
		t.Error("no table at all was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := refused(ctx, all, temperature); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, must wrap %v", err, context.Canceled)
	}
}
