package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"sync"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	_ "ppdp/classifiers/all"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
)

// TestConformance runs the suite over everything registered.
func TestConformance(t *testing.T) {
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			m := must.Get(Lookup(name))
			if p, ok := m.(Parameterised); ok {
				// The attribute has no default.
				switch params := p.Params().(type) {
				case *GroupGapParams:
					params.Attribute, params.Least = "x", 1
					conform(t, m, params)
					return
				case *ColumnParams:
					conform(t, m, &ColumnParams{Attribute: "x", Of: ColumnMean},
						&ColumnParams{Attribute: "y", Of: ColumnShare, Rank: 1})
					return
				case *RegressionParams:
					conform(t, m, &RegressionParams{Target: "x", Regressor: "ridge"},
						&RegressionParams{Target: "x", Regressor: "boosting"})
					return
				}
			}
			conform(t, m)
		})
	}
}

// conform checks the contract of Metric on a metric with its default parameters, where
// those are valid, and with each of the other settings given. A metric that takes a classifier is
// measured with every registered one. Settings may name the numeric attributes x and z.
func conform(t *testing.T, m Metric, settings ...Params) {
	t.Helper()
	t.Run("info", func(t *testing.T) { checkInfo(t, m) })
	var wrong error
	if p, ok := m.(Parameterised); ok {
		checkParams(t, p)
		if wrong = declared.Check(p.Params()); wrong == nil {
			settings = append(settings, p.Params())
		}
	} else {
		settings = []Params{nil}
	}
	with := []classifiers.Classifier{nil}
	if m.Info().Classifier {
		with = nil
		for _, name := range classifiers.Names() {
			with = append(with, must.Get(classifiers.Lookup(name)))
		}
	}
	if len(settings) == 0 || len(with) == 0 {
		t.Fatal("nothing to measure with: give valid parameters, register a classifier:", wrong)
	}
	for i, params := range settings {
		for _, classifier := range with {
			name := fmt.Sprint("setting ", i)
			if classifier != nil {
				name += " " + classifier.Info().Name
			}
			t.Run(name, func(t *testing.T) {
				s, info := subject{m, params, classifier}, m.Info()
				picky := info.Probabilities || info.Ranks || info.FromRecords
				schema := ordinary().Table.Schema()
				if picky && CheckSchema(m, classifier, params, schema) != nil {
					if _, _, err := s.measure(t.Context(), s.ordinary()); err == nil {
						t.Error("a classifier that was refused beforehand is measured")
					}
					return
				}
				s.run(t)
			})
		}
	}
}

var name = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

func checkInfo(t *testing.T, m Metric) {
	if i := m.Info(); !name.MatchString(i.Name) || i.Title == "" || i.Source == "" ||
		len(i.Needs) == 0 || i.Revision < 1 {
		t.Errorf("incomplete: %+v", i)
	}
}

// checkParams: every call returns fresh defaults; a word that is not of a parameter's list, and
// parameters of another type, are errors.
func checkParams(t *testing.T, m Parameterised) {
	for field, value := range reflect.ValueOf(m.Params()).Elem().Fields() {
		if value.Kind() == reflect.String && field.Type != reflect.TypeFor[string]() {
			params := m.Params()
			reflect.ValueOf(params).Elem().FieldByIndex(field.Index).SetString("no such word")
			must.Fail(t, declared.Check(params), field.Tag.Get("yaml")+": \"no such word\"",
				field.Name)
		}
	}
	if m.Params() == m.Params() {
		t.Error("two calls of Params return one pointer")
	}
	if _, _, err := (subject{metric: m, params: foreign{}}).measure(t.Context(),
		ordinary()); err == nil {
		t.Error("parameters of another type were accepted")
	}
}

type foreign struct{}

func (foreign) Validate() error { return nil }

// subject is a metric with one setting of its parameters and one classifier.
type subject struct {
	metric     Metric
	params     Params
	classifier classifiers.Classifier
}

// measure completes a case and measures it. A panic is an error here that wraps errPanic.
func (s subject) measure(ctx context.Context, c Case) (value float64, ok bool, err error) {
	c.Params, c.Classifier, c.K = s.params, s.classifier, 2
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v", errPanic, p)
		}
	}()
	value, ok, err = s.metric.Measure(ctx, c)
	if err == nil && ok && (math.IsNaN(value) || math.IsInf(value, 0)) {
		err = fmt.Errorf("%w: %v is no value, must be finite or undefined", errPanic, value)
	}
	return value, ok, err
}

var errPanic = errors.New("panic")

// ordinary is the release that must have a value: one with records held out where those are needed.
func (s subject) ordinary() Case {
	c := ordinary()
	if NeedsHeldOut(s.metric, s.params) {
		c.Train, c.Test = c.Train[:2], c.Test[2:]
		c.Release.Regions = nil
	}
	return c
}

func (s subject) run(t *testing.T) {
	info := s.metric.Info()
	graphs := slices.Contains(info.Needs, algorithms.DegreesProduct)
	if graphs || info.GraphNeeds != nil {
		s.repeatable(t, ofGraph([]int32{1, 1, 1, 3}))
		s.degenerate(t, "no degrees", ofGraph([]int32{}))
		s.degenerate(t, "nothing of a graph", ofGraph(nil))
	}
	if graphs {
		return
	}
	// A classifier may refuse the attributes of the case; it cannot then be repeated.
	if _, _, err := s.measure(t.Context(), s.ordinary()); !errors.Is(err, classifiers.ErrNumeric) {
		s.repeatable(t, s.ordinary())
		lacking := s.ordinary() // a number is missing, and a box has a place for it
		lacking.Table = original(2, 0, 10)
		lacking.Release.Table = lacking.Table
		if r := lacking.Release.Regions; r != nil {
			r.High[2] = 11
		}
		s.repeatable(t, lacking)
	}
	for name, c := range degenerateCases() { // order-free: independent cases
		s.degenerate(t, name, c)
	}
}

// repeatable: an ordinary release has a value, which is the same at the same time, with memos and
// again with the same memos. A context that has ended changes no value. The case stays as it is.
func (s subject) repeatable(t *testing.T, c Case) {
	before := describe(c)
	want, ok, err := s.measure(t.Context(), c)
	if err != nil || !ok {
		t.Errorf("an ordinary release: defined %t, error %v", ok, err)
		return
	}
	must.Be(t, describe(c), before, "the case after one call, which a second may turn back")
	if s.metric.Info().Unit == "fraction" && !(want >= 0 && want <= 1) {
		t.Errorf("a fraction of %v", want)
	}
	remembered := c
	remembered.Truth, remembered.Published = new(Memo), new(Memo)
	var measurements sync.WaitGroup
	for i := range 4 {
		again := c
		if i < 3 {
			again = remembered
		}
		measurements.Go(func() {
			if got, ok, err := s.measure(context.Background(), again); err != nil ||
				!ok || got != want {
				t.Errorf("%v, measured again %v (defined %t, error %v)", want, got, ok, err)
			}
		})
	}
	measurements.Wait()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if got, ok, err := s.measure(ended, c); !errors.Is(err, context.Canceled) &&
		(err != nil || !ok || got != want) {
		t.Errorf("cancelled: %v (defined %t, error %v), must be %v or an error wrapping %v",
			got, ok, err, want, context.Canceled)
	}
	must.Be(t, describe(c), before, "the case afterwards")
}

// degenerate: a metric may be undefined or refuse; it must not panic, nor give what is no number.
func (s subject) degenerate(t *testing.T, name string, c Case) {
	if _, _, err := s.measure(t.Context(), c); errors.Is(err, errPanic) {
		t.Errorf("%s: %v", name, err)
	}
}

// describe prints what a metric could change.
func describe(c Case) string {
	r := c.Release
	text := fmt.Sprint(c.Train, c.Test, r.Weights, r.Degrees, r.Regions)
	for _, table := range []*datasets.Table{c.Table, r.Table} {
		if table != nil {
			text += " " + table.Checksum()
		}
	}
	return text
}
