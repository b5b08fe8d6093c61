package metrics

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/internal/must"
)

// TestAccuracyWithin: labels that follow from x are all predicted, and fair coins as by guessing:
// 3000 records are tested, 1/2 ± .0091, and five of these deviations are exceeded by chance in less
// than one of a million seeds. Where each x has labels 0 and 1 of weights 3 and 1, the likelier is
// right in 3/4 of the weight, give or take what fell into which half. Copies of records
// say nothing else, nor do weights that are all twice as large.
func TestAccuracyWithin(t *testing.T) {
	const n = 6000
	var follows, coins, drawn [][2]uint32
	var weights, twice []float64
	state := uint32(1)
	for i := range uint32(n) {
		x := i % 3
		state = state*1664525 + 1013904223 // Numerical Recipes, section 7.1
		follows = append(follows, [2]uint32{x, min(1, x)})
		coins = append(coins, [2]uint32{x, state >> 31})
		drawn = append(drawn, [2]uint32{x, i / 3 % 2})
		weights = append(weights, 3-2*float64(i/3%2))
		twice = append(twice, 6-4*float64(i/3%2))
	}
	for _, name := range []string{"c45", "boosting"} {
		measure := func(rows [][2]uint32, weights []float64) float64 {
			return defined(t, "accuracy-within", released(name, rows, weights), nil)
		}
		must.Be(t, measure(follows, nil), 1, name)
		must.Be(t, measure(append(follows, follows...), nil), 1, name)
		must.Near(t, measure(coins, nil), 0.5, 5*0.0091, name)
		got := measure(drawn, weights)
		must.Near(t, got, 0.75, 0.03, name)
		must.Be(t, measure(drawn, twice), got, name, "weights twice as large")
	}
	for rows := range 2 {
		undefined(t, "accuracy-within", released("c45", follows[:rows], nil))
	}
	refuses(t, "accuracy-within", released("leaf-majority", follows, nil), "") // halves of regions
}

// released is a case of records of x and class.
func released(classifier string, rows [][2]uint32, weights []float64) Case {
	table := tableBy(rows)
	c := attackCase(table, nil, nil, &algorithms.Release{Table: table, Weights: weights})
	c.Classifier = must.Get(classifiers.Lookup(classifier))
	return c
}

// TestRecordWeight: the mean of weights, which is 1 where there are none.
func TestRecordWeight(t *testing.T) {
	for _, c := range []struct {
		weights []float64
		want    float64
	}{{nil, 1}, {[]float64{1, 1, 1, 1}, 1}, {[]float64{1, 2, 1, 0.5}, 1.125}} {
		wants(t, "record-weight", against(original(), original(), c.weights), nil, c.want, c)
	}
}
