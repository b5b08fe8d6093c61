// Package metrics measures releases against the data they were made from. It holds the contract,
// the registry and the metrics themselves, one file each; it never changes a release, and a value
// depends on nothing but the case (the seeds of k-means are part of the method).
package metrics

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/problem"
	"ppdp/internal/registry"
)

// Metric measures one release. Implementations are stateless values, safe for concurrent use. The
// test TestConformance checks what is said here.
type Metric interface {
	Info() Info
	// Measure returns the metric's value, which is finite, depends on the case alone and is from 0
	// to 1 where the unit is "fraction" and no trials are asked for. It does not change the case.
	// ok is false where the value is undefined for this release (no record was published, say); the
	// record then says so instead of carrying a number. A release that lacks what the metric needs,
	// parameters of another type, and data it cannot use are errors. When the context ends, Measure
	// may finish or return early with an error wrapping ctx.Err().
	Measure(ctx context.Context, c Case) (value float64, ok bool, err error)
}

// Parameterised is implemented by metrics that have parameters.
type Parameterised interface {
	Metric
	// Params returns a pointer to a fresh parameter struct set to its defaults; yaml tags name the
	// fields. Every value of a spec is decoded onto such a struct and checked.
	Params() Params
}

// Params is a pointer to a parameter struct of a metric, as algorithms.Params.
type Params = algorithms.Params

// Info describes a metric to people and to the planner.
type Info struct {
	Name   string // as in specs: "w2"
	Title  string // axis label: "Earth mover's distance (W2)"
	Source string
	Unit   string // "fraction", "records", "" for none
	// Needs are the products a release must contain, all of them.
	Needs []algorithms.Product
	// Records says that the metric reads Release.Table and Weights: of a table they are drawn and
	// checked before it measures.
	Records bool
	// GraphNeeds are those a release of a graph must contain, for metrics that measure tables and
	// graphs by different products; nil means Needs.
	GraphNeeds []algorithms.Product
	// Classifier says that the metric evaluates a classifier trained on the release.
	Classifier bool
	// AsPublished says that the classifier learns from records as they are, in no encoding.
	AsPublished bool
	// Probabilities says that the classifier must know probabilities, Ranks that it must know them
	// or scores.
	Probabilities, Ranks bool
	// FromRecords says that the classifier must learn from records, which those of regions do not.
	FromRecords bool
	// Class says that the metric needs a class attribute; those with a classifier always do.
	Class bool
	// HeldOut says that the metric needs records held out, unless its parameters say otherwise.
	HeldOut bool
	// Anonymity says that the metric needs the k of a k-anonymous release.
	Anonymity bool
	// HigherIsBetter gives the direction of utility.
	HigherIsBetter bool
	// Revision goes up by one whenever a change makes some value differ.
	Revision int
}

// Case is one release with the truth it is measured against.
type Case struct {
	Table   *datasets.Table // the original table; nil for a graph
	Graph   *datasets.Graph // the original graph; nil for a table
	Train   []int32         // the rows the release was made from
	Test    []int32         // rows held out; equal to Train where the experiment has no folds
	Release *algorithms.Release
	// Classifier is set for metrics that need one.
	Classifier classifiers.Classifier
	// Params is set for metrics that have parameters: what Parameterised.Params returned, with the
	// spec's values decoded onto it.
	Params Params
	// K is the k that the release was asked to be anonymous by, 0 for releases under another model.
	K int
	// Truth is shared by cases that agree in Table, Graph, Train and Test, Published by those that
	// agree in Release as well. Either may be nil: everything is then computed anew.
	Truth, Published *Memo
}

// CheckSchema reports what keeps a metric, with its classifier and parameters where it has some,
// from measuring any release of a table. Its error is that of measuring one.
func CheckSchema(m Metric, classifier classifiers.Classifier, params Params,
	s *datasets.Schema) error {
	info := m.Info()
	if info.needsClass() && s.Class() < 0 {
		return errNoClass
	}
	if p, ok := params.(schemaChecker); ok {
		if err := p.CheckSchema(s); err != nil {
			return err
		}
	}
	if classifier == nil || !info.AsPublished {
		return nil
	}
	if _, regions := classifier.(classifiers.RegionClassifier); regions {
		return info.refuses(classifier)
	}
	empty := datasets.NewBuilder(s, 0).Table()
	model, err := fit(context.Background(), classifier, classifiers.Data{Table: empty})
	if err != nil {
		return err
	}
	_, probabilities := model.(classifiers.ProbabilityModel)
	_, scores := model.(classifiers.ScoreModel)
	return problem.Unless(probabilities || !info.Probabilities && (scores || !info.Ranks), "%s: %w",
		classifier.Info().Name, errUnsure)
}

// schemaChecker is implemented by parameters that do not fit every table.
type schemaChecker interface {
	CheckSchema(s *datasets.Schema) error
}

// refuses is the error of a classifier of regions where the metric needs more than classes.
func (i *Info) refuses(classifier classifiers.Classifier) error {
	_, regions := classifier.(classifiers.RegionClassifier)
	switch {
	case regions && (i.Probabilities || i.Ranks):
		return fmt.Errorf("%s: %w", classifier.Info().Name, errUnsure)
	case regions && i.FromRecords:
		return fmt.Errorf("%s: %w", classifier.Info().Name, errNotRecords)
	}
	return nil
}

// errUnsure is the error of metrics that need more of a classifier than classes.
var errUnsure = errors.New("gives classes without probabilities; others, such as naive-bayes or " +
	"boosting, give them")

// errNotRecords is the error of metrics that need a classifier of records.
var errNotRecords = errors.New("learns from published regions; others learn from records")

// needsClass says whether a metric needs a class attribute.
func (i *Info) needsClass() bool { return i.Class || i.Classifier }

// errNoClass is the error of metrics that need a class.
var errNoClass = errors.New("the table has no class attribute")

var metrics = registry.New[Metric]("metric")

// Register adds a metric under its Info's name.
func Register(m Metric) { metrics.Register(m.Info().Name, m) }

// Lookup returns the metric called name.
func Lookup(name string) (Metric, error) { return metrics.Lookup(name) }

// Names lists the registered metrics.
func Names() []string { return metrics.Names() }

// Needs lists the products a release made from a kind of input must contain to be measured with a
// classifier, nil for metrics that take none. A classifier of regions learns from the published
// partition in place of records.
func Needs(m Metric, input algorithms.InputKind,
	classifier classifiers.Classifier) []algorithms.Product {
	info := m.Info()
	if input == algorithms.GraphInput && info.GraphNeeds != nil {
		return info.GraphNeeds
	}
	needs := slices.Clone(info.Needs)
	if _, ok := classifier.(classifiers.RegionClassifier); ok {
		for i, product := range needs {
			if product == algorithms.RecordsProduct {
				needs[i] = algorithms.RegionsProduct
			}
		}
	}
	return needs
}
