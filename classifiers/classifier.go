// Package classifiers holds the contract of the classifiers that measure a release's utility,
// their registry and cross-validation folds. A classifier never sees test rows while it is fitted,
// and its settings are fixed in advance, never chosen on test data.
package classifiers

import (
	"context"

	"ppdp/datasets"
	"ppdp/internal/registry"
)

// Data are labelled records to learn from. The label is the schema's class attribute; all other
// attributes are features.
type Data struct {
	Table   *datasets.Table
	Rows    []int32
	Weights []float64 // by table row (not by position in Rows); nil means 1 each
}

// Classifier learns models. Implementations are stateless values, safe for concurrent use. The
// tests of classifiers/all check what is said here.
type Classifier interface {
	Info() Info
	// Fit learns from data and never changes it. Equal data give equal models.
	//
	// A weight is a number of repetitions: a row of weight w counts like w rows, one of weight 0
	// like none. The order of the rows does not matter. From no rows, or none of a weight above 0,
	// a model learns to predict class 0; from rows of one class, that class.
	//
	// Data that fail Data.Check are refused with its error. Fit may refuse more (attributes it
	// cannot use, weights too large to compute with), always by an error and never by a panic. It
	// returns early with ctx.Err() when the context ends.
	Fit(ctx context.Context, data Data) (Model, error)
}

// Model predicts classes.
type Model interface {
	// Predict writes the predicted class of each row to dst, which has room for len(rows). The
	// table must have the schema the model was fitted on; its class attribute is not read. A model
	// is safe for concurrent use, and Predict allocates nothing per row.
	Predict(dst []uint32, table *datasets.Table, rows []int32)
}

// Info describes a classifier to people.
type Info struct {
	Name   string // as in specs: "naive-bayes"
	Title  string
	Source string
	// Revision goes up by one whenever a change makes some prediction differ.
	Revision int
}

var classifiers = registry.New[Classifier]("classifier")

// Register adds a classifier under its Info's name.
func Register(c Classifier) { classifiers.Register(c.Info().Name, c) }

// Learner is a classifier of two parts, made by Add.
type Learner struct {
	info Info
	fit  func(ctx context.Context, data Data) (Model, error)
}

// Add registers a classifier: what it is, and how it learns from data that pass Data.Check.
func Add(info Info, fit func(ctx context.Context, data Data) (Model, error)) *Learner {
	l := &Learner{info, fit}
	Register(l)
	return l
}

func (l *Learner) Info() Info { return l.info }

// Fit checks the data and learns from them.
func (l *Learner) Fit(ctx context.Context, data Data) (Model, error) {
	if err := data.Check(ctx); err != nil {
		return nil, err
	}
	return l.fit(ctx, data)
}

// Lookup returns the classifier called name.
func Lookup(name string) (Classifier, error) { return classifiers.Lookup(name) }

// Names lists the registered classifiers.
func Names() []string { return classifiers.Names() }

// RegionClassifier is implemented by classifiers that learn from a published partition itself: from
// the class counts of its regions instead of records.
type RegionClassifier interface {
	Classifier
	// FitRegions returns the class predicted for the points of each region. counts holds that of
	// region r and class c at r·classes+c, finite and at least 0; classes is at least 1.
	FitRegions(counts []float64, classes int) []uint32
}

// Regressor learns the numbers of an attribute from all others, the class among them. What
// Classifier says of implementations, weights, order, refusals and contexts holds here too.
type Regressor interface {
	Info() Info
	// FitNumber learns the numeric attribute at position target. It refuses data that fail
	// Data.CheckTarget. From no rows, or none of a weight above 0, a model learns to predict the
	// middle of the attribute's range; from rows of one number, that number, up to rounding.
	FitNumber(ctx context.Context, data Data, target int) (NumberModel, error)
}

// NumberModel predicts numbers.
type NumberModel interface {
	// Numbers writes the number predicted for each row to dst, which has room for len(rows). The
	// target is not read. What Model.Predict says of tables and allocations holds here too.
	Numbers(dst []float64, table *datasets.Table, rows []int32)
}

// Ranged is a model of the numbers of an attribute, as shares of its range.
type Ranged struct {
	// Each calls use with the position of each row and its share, the only score.
	Each       func(table *datasets.Table, rows []int32, use func(i int, scores []float64))
	Low, Width float64
}

// Numbers writes the number predicted for each row.
func (m *Ranged) Numbers(dst []float64, table *datasets.Table, rows []int32) {
	m.Each(table, rows, func(i int, scores []float64) {
		dst[i] = m.Low + float64(scores[0]*m.Width)
	})
}

var regressors = registry.New[Regressor]("regressor")

// RegisterRegressor adds a regressor under its Info's name.
func RegisterRegressor(r Regressor) { regressors.Register(r.Info().Name, r) }

// LookupRegressor returns the regressor called name.
func LookupRegressor(name string) (Regressor, error) { return regressors.Lookup(name) }

// Regressors lists the names of the registered regressors.
func Regressors() []string { return regressors.Names() }
