// Package c45 holds Quinlan's C4.5, release 8: decision trees by gain ratio, pruned by pessimistic
// error estimates with subtree raising. It leaves out rule sets, grouping of nominal values,
// windowing and missing values (tables have none).
//
// Every rule of C4.5 that counts cases counts weight here, the minimum of cases in a branch and
// the smoothing of error estimates too, so that a table of weights and the same table with its
// rows repeated give the same tree.
//
// A fit has three steps. The grower (grow.go) numbers the values of each feature, puts the cases
// side by side in memory (tally.go) and chooses tests (choose.go) until no test saves errors. Then
// the tree is pruned (prune.go), and compiled into a Tree that predicts (tree.go). Most of the code
// is for releases of generalised records, which have hundreds of two-valued features: bundle.go
// counts these together, and pairs.go scores tests on two classes. Both change the time only.
//
// Deviations:
//   - a numeric threshold's cost is the logarithm of the number of thresholds that were admissible,
//     as in the program (and in Weka's J48); the paper (Quinlan 1996, section 3) charges for all
//     distinct−1 of them;
//   - a branch no training case took predicts the majority of its parent, the program's answer too,
//     but ties between classes always go to the lower code rather than to the parent's class;
//   - confidence limits use the exact normal quantile where the program interpolates in a table.
package c45

import (
	"context"
	"math"

	"ppdp/classifiers"
	"ppdp/numeric/elementary"
)

// Classifier is C4.5 with the program's defaults.
var Classifier = classifiers.Add(classifiers.Info{
	Name:     "c45",
	Title:    "C4.5",
	Source:   "Quinlan 1993 (C4.5); Quinlan 1996, JAIR 4 (release 8)",
	Revision: 2,
}, fit)

// settings are those of the program.
type settings struct {
	// minCases is the weight that at least two branches of a test must have, above 0; numeric tests
	// ask for more on larger nodes.
	minCases float64
	// confidence is the level at which the upper limit of a leaf's error is taken, in (0, 0.5];
	// lower prunes more.
	confidence float64
}

// defaults are the program's, -m 2 and -c 25.
var defaults = settings{minCases: 2, confidence: 0.25}

// fit grows a tree and prunes it.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	g := newGrower(ctx, defaults, data, tuned)
	root, err := g.growTree()
	if err != nil {
		return nil, err
	}
	if err := g.prune(root); err != nil {
		return nil, err
	}
	return g.compile(root, data.Table.Schema()), nil
}

// pessimism estimates how many errors a leaf will make on new cases.
type pessimism struct {
	logarithm float64 // of the confidence
	z         float64 // the standard normal's upper quantile at that confidence
}

func newPessimism(confidence float64) pessimism {
	return pessimism{elementary.Log(confidence), elementary.NormalUpper(confidence)}
}

// errors is cases times the upper confidence limit of the error rate of a leaf that makes wrong
// errors on its cases (Quinlan 1993, section 4.2). The limit is exact for no errors, the normal
// approximation with continuity correction (Wilson) from one error on, and linear in between,
// where fractional weights fall.
func (p pessimism) errors(cases, wrong float64) float64 {
	switch {
	case cases <= 0:
		return 0
	case wrong < 1:
		none := float64(-cases * elementary.Expm1(p.logarithm/cases))
		if wrong == 0 {
			return none
		}
		if cases <= 1 { // all of a fraction of a case may be wrong, but not more
			return none + float64(wrong/cases*(cases-none))
		}
		return none + float64(wrong*(p.errors(cases, 1)-none))
	case wrong+0.5 >= cases:
		// The corrected rate would pass 1: every case counts as an error.
		return cases
	}
	rate := (wrong + 0.5) / cases
	square := float64(p.z * p.z)
	spread := float64(p.z * math.Sqrt(rate/cases-float64(rate*rate)/cases+
		square/(4*float64(cases*cases))))
	limit := (rate + square/(2*cases) + spread) / (1 + square/cases)
	return float64(limit * cases)
}
