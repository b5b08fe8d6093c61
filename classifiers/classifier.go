// Package classifiers holds the contract of the classifiers that measure a release's utility,
// their registry, cross-validation folds and confusion-matrix figures. A classifier never sees
// test rows while it is fitted, and its settings are fixed in advance, never chosen on test data.
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

// Classifier learns models. Implementations are stateless values, safe for concurrent use.
type Classifier interface {
	Info() Info
	// Fit learns from data and returns early with ctx.Err() when the context ends. It must cope with
	// no rows at all (predicting class 0) and with one class only.
	Fit(ctx context.Context, data Data) (Model, error)
}

// Model predicts classes.
type Model interface {
	// Predict writes the predicted class of each row to dst, which has room for len(rows). The table
	// must have the schema the model was fitted on. A model is safe for concurrent use.
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
