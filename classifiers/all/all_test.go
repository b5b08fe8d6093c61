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
)

// TestConformance runs the suite over everything registered.
func TestConformance(t *testing.T) {
	for _, name := range classifiers.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := classifiers.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			conform(t, c)
		})
	}
}

// conform checks the contract of classifiers.Classifier on random tables, not whether a classifier
// is its paper\'s. Classifiers of categorical attributes only (those whose Fit refuses a numeric
// one by an error wrapping classifiers.ErrNumeric) get tables without numeric attributes.
func conform(t *testing.T, c classifiers.Classifier) {
	t.Helper()
	numeric := testtable.Weather(true)
	_, err := c.Fit(t.Context(), classifiers.Data{Table: numeric, Rows: numeric.AllRows()})
	s := suite{c, err == nil}
	if err != nil && !errors.Is(err, classifiers.ErrNumeric) {
		t.Errorf("numeric attributes: error %v, must be none or %v", err, classifiers.ErrNumeric)
	}
	t.Run("info", s.info)
	t.Run("refusals", s.refusals)
	t.Run("allocations", s.allocations)
	t.Run("only a class", s.onlyAClass)
	for name, property := range map[string]func(*rapid.T){ // order-free: independent subtests
		"weights":         s.weights,
		"order":           s.order,
		"repeatable":      s.repeatable,
		"degenerate":      s.degenerate,
		"extreme weights": s.extremeWeights,
		"regions":         s.regions,
		"probabilities":   s.probabilities,
	} {
		t.Run(name, func(t *testing.T) { rapid.Check(t, property) })
	}
}

type suite struct {
	classifier classifiers.Classifier
	numeric    bool
}

var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func (s suite) info(t *testing.T) {
	if i := s.classifier.Info(); !name.MatchString(i.Name) || i.Title == "" || i.Source == "" ||
		i.Revision < 1 {
		t.Errorf("incomplete: %+v", i)
	}
}

// table draws a table and whole weights from 0 to 3.
func (s suite) table(t *rapid.T) (*datasets.Table, []float64) {
	table := testtable.Random(t, 60, s.numeric)
	weights := make([]float64, table.Len())
	for row := range weights {
		weights[row] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
	}
	return table, weights
}

func (s suite) predict(t testtable.TB, table *datasets.Table, rows []int32,
	weights []float64) []uint32 {
	model := testtable.Fit(t, s.classifier,
		classifiers.Data{Table: table, Rows: rows, Weights: weights})
	return testtable.Predict(model, table)
}

// weights: a row of weight w counts like w rows, weight 0 like none.
func (s suite) weights(t *rapid.T) {
	table, weights := s.table(t)
	var repeated []int32
	for row, w := range weights {
		repeated = append(repeated, slices.Repeat([]int32{int32(row)}, int(w))...)
	}
	got := s.predict(t, table, table.AllRows(), weights)
	if want := s.predict(t, table, repeated, nil); !slices.Equal(got, want) {
		t.Fatalf("weighted %v, repeated %v", got, want)
	}
}

func (s suite) order(t *rapid.T) {
	table, weights := s.table(t)
	rows := table.AllRows()
	shuffled := rapid.Permutation(rows).Draw(t, "order")
	want := s.predict(t, table, rows, weights)
	if got := s.predict(t, table, shuffled, weights); !slices.Equal(got, want) {
		t.Fatalf("in order %v, shuffled %v", want, got)
	}
}

// repeatable: models fitted at the same time on equal data agree, on rows whose labels are hidden
// too; the data stay as they are.
func (s suite) repeatable(t *rapid.T) {
	table, weights := s.table(t)
	hidden := datasets.NewBuilder(table.Schema(), table.Len())
	for row := range table.Len() {
		hidden.AddRow()
		for _, at := range classifiers.Features(table.Schema()) {
			hidden.Set(row, at, table.Column(at).At(int32(row)))
		}
	}
	data := classifiers.Data{Table: table, Rows: table.AllRows(), Weights: slices.Clone(weights)}
	checksum, unlabelled := table.Checksum(), hidden.Table()
	model := testtable.Fit(t, s.classifier, data)
	want := testtable.Predict(model, table)
	var other, blind []uint32
	var err error
	var both sync.WaitGroup
	both.Go(func() { blind = testtable.Predict(model, unlabelled) })
	both.Go(func() {
		var again classifiers.Model
		if again, err = s.classifier.Fit(context.Background(), data); err == nil {
			other = testtable.Predict(again, table)
		}
	})
	both.Wait()
	switch {
	case err != nil || !slices.Equal(other, want):
		t.Fatalf("first fit %v, second %v (%v)", want, other, err)
	case !slices.Equal(blind, want):
		t.Fatalf("with labels %v, without %v", want, blind)
	case table.Checksum() != checksum || !slices.Equal(data.Rows, table.AllRows()) ||
		!slices.Equal(data.Weights, weights):
		t.Fatal("the data to learn from were changed")
	}
}

// degenerate: no rows, or none of any weight, predict class 0; rows of one class predict that
// class.
func (s suite) degenerate(t *rapid.T) {
	table := testtable.Random(t, 30, s.numeric)
	expect := func(what string, predicted []uint32, want uint32) {
		if slices.ContainsFunc(predicted, func(class uint32) bool { return class != want }) {
			t.Fatalf("%s: predicted %v, must be %d everywhere", what, predicted, want)
		}
	}
	expect("without rows", s.predict(t, table, nil, nil), 0)
	expect("without weight", s.predict(t, table, table.AllRows(), make([]float64, table.Len())), 0)
	if table.Len() == 0 {
		return
	}
	class := table.Column(table.Schema().Class())
	only := class.At(0)
	rows := slices.DeleteFunc(table.AllRows(),
		func(row int32) bool { return class.At(row) != only })
	expect("one class", s.predict(t, table, rows, nil), only)
}

// extremeWeights: counts of a release at a tiny epsilon are finite and beyond all reason. A
// classifier may refuse them; it must neither panic nor predict what is no class.
func (s suite) extremeWeights(t *rapid.T) {
	table := testtable.Random(t, 30, s.numeric)
	weights := make([]float64, table.Len())
	for row := range weights {
		weights[row] = rapid.SampledFrom([]float64{0, math.SmallestNonzeroFloat64, 1e-300, 0.3, 1,
			1e15, 1e300, 1e306}).Draw(t, "weight")
	}
	model, err := s.classifier.Fit(context.Background(),
		classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights})
	if err != nil {
		return
	}
	for row, class := range testtable.Predict(model, table) {
		if int(class) >= table.Schema().Classes() {
			t.Fatalf("row %d: class %d of %d", row, class, table.Schema().Classes())
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
	seen := make([]bool, classes)
	var repeated []int32
	for row, w := range weights {
		repeated = append(repeated, slices.Repeat([]int32{int32(row)}, int(w))...)
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
	table, err := testtable.Weather(false).Project("play")
	if err != nil {
		t.Fatal(err)
	}
	if got := s.predict(t, table, table.AllRows(), nil); slices.Contains(got, 0) {
		t.Fatalf("predicted %v, must be 1 everywhere", got)
	}
}

// allocations: fifty times the rows need no more allocations.
func (s suite) allocations(t *testing.T) {
	table, err := testtable.StandIn(t, "rps", 5000).Project("workclass", "education",
		"relationship",
		"race", "salary")
	if err != nil {
		t.Fatal(err)
	}
	rows, dst := table.AllRows(), make([]uint32, table.Len())
	model := testtable.Fit(t, s.classifier, classifiers.Data{Table: table, Rows: rows})
	few := testing.AllocsPerRun(5, func() { model.Predict(dst, table, rows[:100]) })
	if many := testing.AllocsPerRun(5, func() { model.Predict(dst, table, rows) }); many > few {
		t.Errorf("%v allocations for 5000 rows, %v for 100", many, few)
	}
}

func (s suite) refusals(t *testing.T) {
	table := testtable.Weather(false)
	classless, err := table.Project("outlook", "windy")
	if err != nil {
		t.Fatal(err)
	}
	refused := func(data classifiers.Data) error {
		_, err := s.classifier.Fit(context.Background(), data)
		return err
	}
	if err := refused(classifiers.Data{Table: classless,
		Rows: classless.AllRows()}); !errors.Is(err, classifiers.ErrNoClass) {
		t.Errorf("without a class: error %v, must wrap %v", err, classifiers.ErrNoClass)
	}
	if refused(classifiers.Data{Table: table, Rows: []int32{99}}) == nil {
		t.Error("a row outside the table was accepted")
	}
	if refused(classifiers.Data{Table: table, Rows: []int32{0},
		Weights: slices.Repeat([]float64{-1}, table.Len())}) == nil {
		t.Error("negative weights were accepted")
	}
	if refused(classifiers.Data{}) == nil {
		t.Error("no table at all was accepted")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.classifier.Fit(ctx,
		classifiers.Data{Table: table, Rows: table.AllRows()}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: error %v, must wrap %v", err, context.Canceled)
	}
}
