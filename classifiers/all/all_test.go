package all

import (
	"context"
	"errors"
	"math"
	"regexp"
	"slices"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestConformance checks the contracts of classifiers.Classifier and classifiers.Regressor on
// everything registered, over random tables: not whether a classifier is its paper's.
func TestConformance(t *testing.T) {
	for _, name := range classifiers.Names() {
		t.Run(name, func(t *testing.T) {
			c := must.Get(classifiers.Lookup(name))
			// Those of categorical attributes only get tables without numeric ones.
			numeric := testtable.Weather(true)
			_, err := c.Fit(t.Context(), classifiers.Data{Table: numeric, Rows: numeric.AllRows()})
			if err != nil && !errors.Is(err, classifiers.ErrNumeric) {
				t.Errorf("numeric attributes: error %v, must be none or %v", err,
					classifiers.ErrNumeric)
			}
			s := suite{info: c.Info(), classifier: c, numeric: err == nil,
				columns: []string{"workclass", "education", "relationship", "race", "salary"},
				target:  func(s *datasets.Schema) int { return s.Class() }}
			s.fit = func(ctx context.Context, data classifiers.Data, _ int) (predictor, error) {
				model, err := c.Fit(ctx, data)
				return func(dst []float64, table *datasets.Table, rows []int32) {
					classes := make([]uint32, len(rows))
					model.Predict(classes, table, rows)
					for i, class := range classes {
						dst[i] = float64(class)
					}
				}, err
			}
			s.conform(t)
			t.Run("only a class", s.onlyAClass)
			t.Run("regions", func(t *testing.T) { rapid.Check(t, s.regions) })
			t.Run("probabilities", func(t *testing.T) { rapid.Check(t, s.probabilities) })
		})
	}
	for _, name := range classifiers.Regressors() {
		t.Run("number/"+name, func(t *testing.T) {
			r := must.Get(classifiers.LookupRegressor(name))
			s := suite{info: r.Info(), numeric: true, columns: []string{"workclass", "age",
				"education", "race", "salary"}, target: firstNumber}
			s.fit = func(ctx context.Context, data classifiers.Data, at int) (predictor, error) {
				model, err := r.FitNumber(ctx, data, at)
				return func(dst []float64, table *datasets.Table, rows []int32) {
					model.Numbers(dst, table, rows)
				}, err
			}
			s.conform(t)
			t.Run("targets", s.targets)
		})
	}
}

func firstNumber(s *datasets.Schema) int {
	return slices.IndexFunc(s.Attributes, func(a datasets.Attribute) bool {
		return a.Kind == datasets.Numeric
	})
}

// predictor writes the class or the number predicted for each row.
type predictor func(dst []float64, table *datasets.Table, rows []int32)

// suite checks a classifier or a regressor.
type suite struct {
	info       classifiers.Info
	classifier classifiers.Classifier // nil for a regressor
	numeric    bool                   // tables may have numeric attributes
	columns    []string               // of Adult, that it can learn from
	target     func(s *datasets.Schema) int
	fit        func(ctx context.Context, data classifiers.Data, target int) (predictor, error)
}

func (s suite) conform(t *testing.T) {
	t.Run("info", s.isComplete)
	t.Run("refusals", s.refusals)
	t.Run("allocations", s.allocations)
	for name, property := range map[string]func(*rapid.T){ // order-free: independent subtests
		"weights and order": s.weightsAndOrder,
		"repeatable":        s.repeatable,
		"degenerate":        s.degenerate,
		"extreme weights":   s.extremeWeights,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, property) })
	}
}

var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (s suite) isComplete(t *testing.T) {
	if i := s.info; !name.MatchString(i.Name) || i.Title == "" || i.Source == "" || i.Revision < 1 {
		t.Errorf("incomplete: %+v", i)
	}
}

// table draws a table with something to learn, and whole weights from 0 to 3.
func (s suite) table(t *rapid.T) (table *datasets.Table, weights []float64) {
	table = testtable.Random(t, 60, s.numeric)
	if s.target(table.Schema()) < 0 {
		t.Skip("no numeric attribute")
	}
	for range table.Len() {
		weights = append(weights, float64(rapid.IntRange(0, 3).Draw(t, "weight")))
	}
	return table, weights
}

// predict fits to rows of a table and predicts them all.
func (s suite) predict(t testtable.TB, table *datasets.Table, rows []int32,
	weights []float64) []float64 {
	model := must.Get(s.fit(context.Background(),
		classifiers.Data{Table: table, Rows: rows, Weights: weights}, s.target(table.Schema())))
	return model.all(table)
}

func (p predictor) all(table *datasets.Table) []float64 {
	dst := make([]float64, table.Len())
	p(dst, table, table.AllRows())
	return dst
}

// weightsAndOrder: a row of weight w counts like w rows, of weight 0 like none, in whatever order.
func (s suite) weightsAndOrder(t *rapid.T) {
	table, weights := s.table(t)
	repeated := repeat(weights)
	if len(repeated) > 1 {
		repeated = rapid.Permutation(repeated).Draw(t, "order")
	}
	got := s.predict(t, table, table.AllRows(), weights)
	if want := s.predict(t, table, repeated, nil); !slices.Equal(got, want) {
		t.Fatalf("weighted %v, repeated in another order %v", got, want)
	}
}

func repeat(weights []float64) (rows []int32) {
	for row, w := range weights {
		rows = append(rows, slices.Repeat([]int32{int32(row)}, int(w))...)
	}
	return rows
}

// repeatable: models fitted at the same time on equal data agree, on rows whose target is hidden
// too; the data stay as they are.
func (s suite) repeatable(t *rapid.T) {
	table, weights := s.table(t)
	at := s.target(table.Schema())
	b := datasets.NewBuilder(table.Schema(), table.Len())
	for row := range table.Len() {
		b.AddRow()
		for _, other := range classifiers.Others(table.Schema(), at) {
			b.Set(row, other, table.Column(other).At(int32(row)))
		}
	}
	hidden := b.Table()
	data := classifiers.Data{Table: table, Rows: table.AllRows(), Weights: slices.Clone(weights)}
	checksum := table.Checksum()
	model := must.Get(s.fit(context.Background(), data, at))
	want := model.all(table)
	var other, blind []float64
	var err error
	var both sync.WaitGroup
	both.Go(func() { blind = model.all(hidden) })
	both.Go(func() {
		var again predictor
		if again, err = s.fit(context.Background(), data, at); err == nil {
			other = again.all(table)
		}
	})
	both.Wait()
	switch {
	case err != nil || !slices.Equal(other, want):
		t.Fatalf("first fit %v, second %v (%v)", want, other, err)
	case !slices.Equal(blind, want):
		t.Fatalf("with the target %v, without %v", want, blind)
	case table.Checksum() != checksum || !slices.Equal(data.Rows, table.AllRows()) ||
		!slices.Equal(data.Weights, weights):
		t.Fatal("the data to learn from were changed")
	}
}

// degenerate: no rows, or none of any weight, predict class 0 or the middle of the range; rows of
// one class or number predict that.
func (s suite) degenerate(t *rapid.T) {
	table, _ := s.table(t)
	at := s.target(table.Schema())
	a, nothing, tolerance := &table.Schema().Attributes[at], 0.0, 0.0
	if a.Kind == datasets.Numeric {
		nothing, tolerance = (a.Low+a.High)/2, 1e-6*(a.High-a.Low)
	}
	expect := func(what string, predicted []float64, want float64) {
		for _, x := range predicted {
			if !(math.Abs(x-want) <= tolerance) {
				t.Fatalf("%s: predicted %v, must be %v everywhere", what, predicted, want)
			}
		}
	}
	expect("without rows", s.predict(t, table, nil, nil), nothing)
	expect("without weight",
		s.predict(t, table, table.AllRows(), make([]float64, table.Len())), nothing)
	if table.Len() == 0 {
		return
	}
	of := func(row int32) float64 {
		if a.Kind == datasets.Numeric {
			return table.Number(row, at)
		}
		return float64(table.Column(at).At(row))
	}
	rows := slices.DeleteFunc(table.AllRows(), func(row int32) bool { return of(row) != of(0) })
	expect("one value", s.predict(t, table, rows, nil), of(0))
}

// extremeWeights: counts of a release at a tiny epsilon are finite and beyond all reason. They may
// be refused; there must be neither a panic nor a prediction of what is no class or number.
func (s suite) extremeWeights(t *rapid.T) {
	table, weights := s.table(t)
	for row := range weights {
		weights[row] = rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e-300, 0.3, 1,
			1e15, 1e300, 1e306}).Draw(t, "weight")
	}
	model, err := s.fit(context.Background(), classifiers.Data{Table: table, Rows: table.AllRows(),
		Weights: weights}, s.target(table.Schema()))
	if err != nil {
		return
	}
	for row, x := range model.all(table) {
		if math.IsNaN(x) || math.IsInf(x, 0) ||
			s.classifier != nil && int(x) >= table.Schema().Classes() {
			t.Fatalf("row %d: predicted %v", row, x)
		}
	}
}

// regions: a classifier of regions gives each one of its classes, from its counts alone.
func (s suite) regions(t *rapid.T) {
	c, ok := s.classifier.(classifiers.RegionClassifier)
	if !ok {
		return
	}
	classes := rapid.IntRange(1, 4).Draw(t, "classes")
	counts := make([]float64, classes*rapid.IntRange(0, 5).Draw(t, "regions"))
	for i := range counts {
		counts[i] = rapid.SampledFrom([]float64{0, 0, 0.5, 1, 7}).Draw(t, "count")
	}
	given := slices.Clone(counts)
	predicted := c.FitRegions(counts, classes)
	if !slices.Equal(given, counts) || !slices.Equal(predicted, c.FitRegions(counts, classes)) {
		t.Fatal("the counts were changed, or a second fit differs")
	}
	if len(predicted)*classes != len(counts) ||
		slices.ContainsFunc(predicted, func(class uint32) bool { return int(class) >= classes }) {
		t.Fatalf("predicted %v for %d regions of %d classes",
			predicted, len(counts)/classes, classes)
	}
}

// probabilities: those of a row add up to 1, the class predicted has the largest, one without
// weight has none, and neither order nor repetition of rows matters.
func (s suite) probabilities(t *rapid.T) {
	table, weights := s.table(t)
	classes := table.Schema().Classes()
	of := func(rows []int32, weights []float64) (classifiers.Model, []float64) {
		model := testtable.Fit(t, s.classifier,
			classifiers.Data{Table: table, Rows: rows, Weights: weights})
		p := make([]float64, table.Len()*classes)
		if m, ok := model.(classifiers.ProbabilityModel); ok {
			m.Probabilities(p, table, table.AllRows())
		}
		return model, p
	}
	model, p := of(table.AllRows(), weights)
	if _, ok := model.(classifiers.ProbabilityModel); !ok {
		return
	}
	seen, repeated := make([]bool, classes), repeat(weights)
	for row, w := range weights {
		label := table.Column(table.Schema().Class()).At(int32(row))
		seen[label] = seen[label] || w > 0
	}
	seen[0] = seen[0] || len(repeated) == 0
	slices.Reverse(repeated)
	if _, other := of(repeated, nil); !slices.Equal(p, other) {
		t.Fatalf("weighted %v, repeated in another order %v", p, other)
	}
	for row, class := range testtable.Predict(model, table) {
		sum, of := 0.0, p[row*classes:(row+1)*classes]
		for k, x := range of {
			if sum += x; !(x >= 0 && x <= 1) || x > 0 && !seen[k] {
				t.Fatalf("row %d has probabilities %v of classes, seen are %v", row, of, seen)
			}
		}
		if math.Abs(sum-1) > 1e-9 || of[class] < slices.Max(of)-1e-9 {
			t.Fatalf("row %d: probabilities %v, predicted %d", row, of, class)
		}
	}
}

// onlyAClass: a schema without features leaves the majority, yes (1).
func (s suite) onlyAClass(t *testing.T) {
	table := must.Get(testtable.Weather(false).Project("play"))
	if got := s.predict(t, table, table.AllRows(), nil); slices.Contains(got, 0) {
		t.Fatalf("predicted %v, must be 1 everywhere", got)
	}
}

// allocations: fifty times the rows need no more allocations.
func (s suite) allocations(t *testing.T) {
	table := must.Get(testtable.StandIn(t, "rps", 5000).Project(s.columns...))
	rows, dst := table.AllRows(), make([]float64, table.Len())
	model := must.Get(s.fit(t.Context(), classifiers.Data{Table: table, Rows: rows},
		s.target(table.Schema())))
	few := testing.AllocsPerRun(5, func() { model(dst, table, rows[:600]) })
	if many := testing.AllocsPerRun(5, func() { model(dst, table, rows) }); many > few {
		t.Errorf("%v allocations for 5000 rows, %v for 600", many, few)
	}
}

func (s suite) refusals(t *testing.T) {
	table := testtable.Weather(s.classifier == nil)
	at := s.target(table.Schema())
	good := classifiers.Data{Table: table, Rows: table.AllRows()}
	for what, data := range map[string]classifiers.Data{ // order-free: each for itself
		"a row outside the table": {Table: table, Rows: []int32{99}},
		"negative weights": {Table: table, Rows: []int32{0},
			Weights: slices.Repeat([]float64{-1}, table.Len())},
		"no table at all": {},
	} {
		if _, err := s.fit(t.Context(), data, at); err == nil {
			t.Errorf("%s was accepted", what)
		}
	}
	classless := must.Get(table.Project("outlook", "temperature"))
	_, err := s.fit(t.Context(), classifiers.Data{Table: classless, Rows: classless.AllRows()}, at)
	if s.classifier != nil && !errors.Is(err, classifiers.ErrNoClass) ||
		s.classifier == nil && err != nil {
		t.Errorf("without a class: error %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.fit(ctx, good, at); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, must wrap %v", err, context.Canceled)
	}
}

// targets: what is no numeric attribute is refused.
func (s suite) targets(t *testing.T) {
	table := testtable.Weather(true)
	for _, target := range []int{-1, 0, len(table.Schema().Attributes)} {
		if _, err := s.fit(t.Context(), classifiers.Data{Table: table, Rows: table.AllRows()},
			target); err == nil {
			t.Errorf("target %d was accepted", target)
		}
	}
}

// TestMissingIsNoNumber: records with a large number are of the class yes, all others, and those
// that lack it, of the class no. Learners that took a missing number for a large one, or for any,
// would err. A regressor learns from records without a number, too.
func TestMissingIsNoNumber(t *testing.T) {
	marker := "?"
	for _, continuous := range []bool{false, true} {
		s := &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "x", High: 10, Step: 1, Continuous: continuous, Missing: &marker},
			{Name: "z", High: 2, Step: 1},
			testtable.Class("no", "yes"),
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
			model := testtable.Fit(t, must.Get(classifiers.Lookup(name)),
				classifiers.Data{Table: table, Rows: table.AllRows()})
			right := testtable.Accuracy(model, table, table.AllRows())
			if least := map[bool]float64{false: 1, true: 600. / 660}[name ==
				"naive-bayes"]; right < least {
				t.Errorf("%s, continuous %t: %v are right", name, continuous, right)
			}
		}
		for _, name := range classifiers.Regressors() {
			r := must.Get(classifiers.LookupRegressor(name))
			if _, err := r.FitNumber(t.Context(),
				classifiers.Data{Table: table, Rows: table.AllRows()}, 0); err == nil {
				t.Errorf("%s learns from numbers that are missing", name)
			}
			model := must.Get(r.FitNumber(t.Context(), classifiers.Data{Table: table,
				Rows: table.Present(table.AllRows(), 0)}, 0))
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
