// Package metrics measures releases against the data they were made from. It holds the contract,
// the registry and the metrics themselves, one file each; it never changes a release and draws
// no randomness.
package metrics

import (
	"context"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/registry"
)

// Metric measures one release. Implementations are stateless values, safe for concurrent use.
type Metric interface {
	Info() Info
	// Measure returns the metric's value. ok is false where the value is undefined for this release
	// (no record was published, say); the record then says so instead of carrying a number.
	Measure(ctx context.Context, c Case) (value float64, ok bool, err error)
}

// Info describes a metric to people and to the planner.
type Info struct {
	Name   string // as in specs: "w2"
	Title  string // axis label: "Earth mover's distance (W2)"
	Source string
	Unit   string // "fraction", "records", "" for none
	// Needs are the products a release must contain, all of them.
	Needs []algorithms.Product
	// Classifier says that the metric evaluates a classifier trained on the release.
	Classifier bool
	// HigherIsBetter gives the direction of utility.
	HigherIsBetter bool
	// Revision goes up by one whenever a change makes some value differ.
	Revision int
}

// Case is one release with the truth it is measured against.
type Case struct {
	Table   *datasets.Table // the original table
	Train   []int32         // the rows the release was made from
	Test    []int32         // rows held out; equal to Train where the experiment has no folds
	Release *algorithms.Release
	// Classifier is set for metrics that need one.
	Classifier classifiers.Classifier
}

var metrics = registry.New[Metric]("metric")

// Register adds a metric under its Info's name.
func Register(m Metric) { metrics.Register(m.Info().Name, m) }

// Lookup returns the metric called name.
func Lookup(name string) (Metric, error) { return metrics.Lookup(name) }

// Names lists the registered metrics.
func Names() []string { return metrics.Names() }
