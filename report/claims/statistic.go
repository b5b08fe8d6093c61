package claims

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/internal/results"
)

// quantity is a number that depends on the trials it is computed from, such as the mean of a sample
// or the difference of two means. It is kept as a function of the trials, because the jackknife has
// to compute it again without each of them.
type quantity struct {
	facts  map[string]string          // those the selection mentions: the place on the grid
	along  float64                    // the place on the axis that its curve runs along, or NaN
	label  string                     // distinguishes quantities of one place
	trials []int                      // ascending; nil where fixed
	fixed  bool                       // the same whatever the trials
	steps  []*quantity                // of a curve, between neighbours
	made   []made                     // what it is computed from
	at     func(trials []int) float64 // NaN where undefined
}

// made is a setting of an experiment.
type made struct {
	experiment string
	setting    *results.Setting
}

// measured turns a sample into a quantity, a statistic over its trials (Side.Stat).
func measured(x *results.Sample, stat string, exact bool) *quantity {
	q := &quantity{}
	for trial, value := range x.Trials {
		if !math.IsNaN(value) {
			q.trials = append(q.trials, trial)
		}
	}
	if exact && len(q.trials) == 1 {
		value := x.Trials[q.trials[0]]
		q.trials, q.fixed = nil, true
		q.at = func([]int) float64 { return value }
		return q
	}
	of := function(results.Mean)
	switch stat {
	case "se":
		of = results.StandardError
	case "min":
		of = slices.Min[[]float64]
	}
	values := make([]float64, len(q.trials)) // used again: the jackknife asks once a trial
	q.at = func(trials []int) float64 {
		for i, trial := range trials {
			values[i] = x.Trials[trial]
		}
		return of(values[:len(trials)])
	}
	return q
}

// combined makes a quantity of several, over the trials that all of them have: trials are paired.
func combined(facts map[string]string, parts []*quantity, f function) *quantity {
	q := &quantity{facts: facts, fixed: true, along: math.NaN()}
	for _, p := range parts {
		q.made = append(q.made, p.made...)
		if math.IsNaN(q.along) { // all that have a place have the same
			q.along = p.along
		}
		switch {
		case p.fixed:
		case q.fixed:
			q.fixed, q.trials = false, p.trials
		default:
			q.trials = slices.DeleteFunc(slices.Clone(q.trials), func(trial int) bool {
				_, found := slices.BinarySearch(p.trials, trial)
				return !found
			})
		}
	}
	q.at = func(trials []int) float64 {
		values := make([]float64, len(parts))
		for i, p := range parts {
			values[i] = p.at(trials)
		}
		return f(values)
	}
	return q
}

// trialwise is the mean over trials of the quantity computed from one trial at a time.
func (q *quantity) trialwise() *quantity {
	if q.fixed {
		return q
	}
	averaged := *q
	averaged.at = func(trials []int) float64 {
		values := make([]float64, len(trials))
		for i := range trials {
			values[i] = q.at(trials[i : i+1])
		}
		return results.Mean(values)
	}
	return &averaged
}

// function makes one number of several.
type function func(values []float64) float64

func difference(v []float64) float64 { return v[0] - v[1] }
func ratio(v []float64) float64      { return v[0] / v[1] }

// takes are the reductions that a claims file may ask for.
var takes = map[string]function{
	"min":    slices.Min[[]float64],
	"max":    slices.Max[[]float64],
	"mean":   results.Mean,
	"spread": func(values []float64) float64 { return slices.Max(values) - slices.Min(values) },
}

// estimate returns the quantity over all its trials and its standard error by the delete-one
// jackknife over trials (s/√n for a mean or a paired difference). n is 0 and the error 0 for what
// does not depend on trials; the error is NaN with a single trial.
func (q *quantity) estimate() (value, se float64, n int) {
	if q.fixed {
		return q.at(nil), 0, 0
	}
	n = len(q.trials)
	if n == 0 {
		return math.NaN(), math.NaN(), 0
	}
	value = q.at(q.trials)
	if n == 1 {
		return value, math.NaN(), n
	}
	without, others := make([]float64, n), slices.Clone(q.trials[1:])
	for i, trial := range q.trials {
		without[i] = q.at(others)
		if i < len(others) {
			others[i] = trial
		}
	}
	average := results.Mean(without)
	squares := 0.0
	for _, x := range without {
		d := x - average
		squares += float64(d * d)
	}
	se = math.Sqrt(squares * float64(n-1) / float64(n))
	if se < rounding*math.Abs(value) {
		se = 0
	}
	return value, se, n
}

// rounding is the part of a value below which its standard error is that of the arithmetic: sums of
// up to a few thousand doubles lose no more.
const rounding = 1e-12

func studentT(degrees int) distuv.StudentsT {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}
}
