package claims

import (
	"math"
	"slices"
	"sort"

	"ppdp/results"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// quantity is a number that depends on the trials it is computed from.
type quantity struct {
	facts   map[string]string // those the selection mentions
	trials  []int             // ascending; nil with constant
	fixed   bool              // the same whatever the trials
	standIn bool
	at      func(trials []int) float64 // NaN where undefined
}

// measured turns a sample into a quantity.
func measured(s *sample, stat string, exact bool) *quantity {
	q := &quantity{facts: s.facts, trials: s.trials, standIn: s.standIn}
	if exact && len(s.trials) == 1 {
		q.trials, q.fixed = nil, true
		q.at = func([]int) float64 { return s.values[0] }
		return q
	}
	pick := func(trials []int) []float64 {
		values := make([]float64, len(trials))
		for i, trial := range trials {
			values[i] = s.value(trial)
		}
		return values
	}
	if stat == "se" {
		q.at = func(trials []int) float64 { return results.StandardError(pick(trials)) }
	} else {
		q.at = func(trials []int) float64 { return results.Mean(pick(trials)) }
	}
	return q
}

// combined makes a quantity of several, over the trials that all of them have: trials are paired.
func combined(facts map[string]string, parts []*quantity, f func(values []float64) float64) *quantity {
	q := &quantity{facts: facts, fixed: true}
	for _, p := range parts {
		q.standIn = q.standIn || p.standIn
		switch {
		case p.fixed:
		case q.fixed:
			q.fixed, q.trials = false, p.trials
		default:
			q.trials = intersection(q.trials, p.trials)
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

func intersection(a, b []int) []int {
	common := []int{}
	for _, x := range a {
		if _, found := slices.BinarySearch(b, x); found {
			common = append(common, x)
		}
	}
	return common
}

// reduce applies a Take's word to values.
func reduce(how string, values []float64) float64 {
	switch how {
	case "min":
		return slices.Min(values)
	case "max":
		return slices.Max(values)
	case "spread":
		return slices.Max(values) - slices.Min(values)
	default:
		return results.Mean(values)
	}
}

// estimate returns the quantity over all its trials, and its standard error by the delete-one jackknife over
// trials (for a mean or a paired difference that is s/√n). n is 0 for what does not depend
// on trials, whose error is 0; the error is NaN with a single trial.
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
	without := make([]float64, n)
	rest := make([]int, 0, n-1)
	for i := range q.trials {
		rest = append(append(rest[:0], q.trials[:i]...), q.trials[i+1:]...)
		without[i] = q.at(rest)
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

// pAbove is the one-sided p-value of value lying above a bound: Student's t with n-1 degrees of freedom.
func pAbove(value, se float64, n int, bound float64) float64 {
	switch {
	case math.IsInf(bound, -1):
		return 0
	case se == 0 && value > bound:
		return 0
	case se == 0:
		return 1
	}
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(n - 1)}.Survival((value - bound) / se)
}

// spearman is the rank correlation of two lists, ties sharing their mean rank; 0 when one of them is constant.
func spearman(x, y []float64) float64 {
	if rho := stat.Correlation(ranks(x), ranks(y), nil); !math.IsNaN(rho) {
		return rho
	}
	return 0
}

// exponent is the slope of ln(y/order) against ln x by least squares; NaN where y is not positive, x not above 1 or
// all x are the same.
func (g *Growth) exponent(x, y []float64) float64 {
	logs, beyond := make([]float64, len(x)), make([]float64, len(x))
	for i := range x {
		if x[i] <= 1 || y[i] <= 0 {
			return math.NaN()
		}
		logs[i] = math.Log(x[i])
		beyond[i] = math.Log(y[i]) - g.Order.logAt(x[i])
	}
	_, slope := stat.LinearRegression(logs, beyond, nil, false)
	return slope
}

func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return x[order[a]] < x[order[b]] })
	r := make([]float64, len(x))
	for start := 0; start < len(x); {
		end := start
		for end < len(x) && x[order[end]] == x[order[start]] {
			end++
		}
		for i := start; i < end; i++ {
			r[order[i]] = float64(start+end+1) / 2
		}
		start = end
	}
	return r
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

func quantileT(p float64, degrees int) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(degrees)}.Quantile(p)
}
