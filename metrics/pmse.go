package metrics

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/classifiers/boosting"
	"ppdp/classifiers/logistic"
	"ppdp/numeric/random"
)

func init() {
	Register(parameterised[PMSEParams]{Info{
		Name: "pmse", Title: "Propensity score, mean squared error", Revision: 1, Records: true,
		Source: "Woo, Reiter, Oganian & Karr 2009, section 3.1: the mean of (p - c)² over the " +
			"records of original and release, for the probability p, by a model that has not " +
			"learnt from it, that a record is of the release, and c, the release's share of them",
	}, PMSEParams{Model: Logistic, Rows: 50_000}, pmse})
}

// Propensity is a model that tells published records from rows released.
type Propensity string

const (
	Logistic Propensity = "logistic"
	Boosting Propensity = "boosting"
)

func (Propensity) Enum() []string { return algorithms.Words(Logistic, Boosting) }

// PMSEParams are the parameters of pmse.
type PMSEParams struct {
	Model Propensity `yaml:"model" doc:"the model that tells published records from rows released"`
	Rows  int        `yaml:"rows" doc:"the most records taken of either table: of more, a sample of this size is drawn, always the same" min:"10" max:"10000000"`
}

// propensityFolds is how many parts the records are divided into; the scores of each come from a
// model of the others.
const propensityFolds = 5

// pmse is the mean of (p-c)² over rows released and published records: p is the probability that a
// record is published by a model that has not learnt from it, c the share of the published. It is
// about 0 where nobody can tell, and c(1-c) where everybody can.
//
// Of a fresh sample of the same population N records expect (d-1)(1-c)c/N from d coefficients of
// logistic regression (Snoke et al. 2018, equation 2), and 5/4 times that of models that learn from
// four fifths of the records.
//
// It is undefined without rows or published records.
func pmse(ctx context.Context, c Case, params *PMSEParams) (float64, error) {
	data, mass := bothTables(c, params.Rows)
	if !(mass[0] > 0 && mass[1] > 0) {
		return math.NaN(), nil
	}
	var learner classifiers.Classifier = logistic.Classifier
	if params.Model == Boosting {
		learner = boosting.Default
	}
	total := mass[0] + mass[1]
	sum, err := squaredErrors(ctx, learner, data, mass[1]/total)
	return sum / total, err
}

// bothTables is rows released and published records in one table, which of the two is the class,
// and what each of them weighs.
func bothTables(c Case, most int) (classifiers.Data, [2]float64) {
	var of []float64
	var mass [2]float64
	take := func(rows []int32, weights []float64, label int) []int32 {
		if len(rows) > most {
			rows = slices.Clone(rows)
			random.NewKey(0).Derive("propensity").Stream().Permute(rows)
			rows = rows[:most]
		}
		for _, row := range rows {
			of = append(of, weightOf(weights, row))
			mass[label] += weightOf(weights, row)
		}
		return rows
	}
	table := joined(c.Table.Schema(), []labelledRows{{c.Table, take(c.Train, nil, 0), 0},
		{c.Release.Table, take(c.Release.Table.AllRows(), c.Release.Weights, 1), 1}})
	return classifiers.Data{Table: table, Rows: table.AllRows(), Weights: of}, mass
}

// squaredErrors is the sum of weight·(p-share)², each p from a model of the other folds.
func squaredErrors(ctx context.Context, learner classifiers.Classifier, data classifiers.Data,
	share float64) (float64, error) {
	labels := make([]uint32, len(data.Rows))
	data.Table.Column(data.Table.Schema().Class()).Gather(data.Rows, labels)
	folds, err := classifiers.Stratified(random.NewKey(0).Derive("propensity"), labels,
		min(propensityFolds, len(labels)))
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for _, fold := range folds {
		part := data
		part.Rows = fold.Train
		model, err := fit(ctx, learner, part)
		if err != nil {
			return 0, err
		}
		p := make([]float64, 2*len(fold.Test))
		model.(classifiers.ProbabilityModel).Probabilities(p, data.Table, fold.Test)
		for i, row := range fold.Test {
			off := p[2*i+1] - share
			sum += float64(data.Weights[row] * float64(off*off))
		}
	}
	return sum, nil
}
