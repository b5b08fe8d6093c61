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

// Lookup returns the classifier called name.
func Lookup(name string) (Classifier, error) { return classifiers.Lookup(name) }

// Names lists the registered classifiers.
func Names() []string { return classifiers.Names() }
