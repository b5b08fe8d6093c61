//go:build unix

package external

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestTwin: the programs give the law of randomised response, by a chi-squared test over all
// combinations of values of records that were alike. Its false-alarm rate is 1e-6 a comparison, of
// which there are three for each program; it sees a tenth more epsilon.
func TestTwin(t *testing.T) {
	t.Parallel()
	t.Run("python", func(t *testing.T) {
		needsPython(t)
		checkTwin(t, randomised)
	})
	t.Run("r", func(t *testing.T) { checkTwin(t, inR(t)) })
	t.Run("go", func(t *testing.T) { checkTwin(t, inGo(t)) })
}

func checkTwin(t *testing.T, descriptor string) {
	t.Helper()
	a := must.Get(Load(descriptor))
	defer a.Close()
	const n, cells, epsilon = 40_000, 12, 2.0
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "six", High: 6, Step: 1},
		{Name: "two", Kind: datasets.Categorical, Values: []string{"no", "yes"}}}}
	b := datasets.NewBuilder(schema, n)
	for range n {
		b.AddRow(4, 1)
	}
	data := b.Table()
	most := distuv.ChiSquared{K: cells - 1}.Quantile(1 - 1e-6)
	for seed := range uint64(3) {
		in := testinput.Input(data, a.Params(), algorithms.Published, epsilon, seed)
		released := must.Get(a.Release(context.Background(), in)).Table
		var counts [cells]float64
		for row := range int32(n) {
			counts[2*released.Column(0).At(row)+released.Column(1).At(row)]++
		}
		// distance is the chi-squared statistic. Each attribute has half of epsilon, keeps its
		// value with probability e^(ε/2)/(e^(ε/2)+k-1) of k values, and has all others alike.
		distance := func(epsilon float64) (sum float64) {
			e := math.Exp(epsilon / 2)
			for cell, count := range counts {
				expected := n / (e + 5) / (e + 1)
				if cell/2 == 4 {
					expected *= e
				}
				if cell%2 == 1 {
					expected *= e
				}
				sum += (count - expected) * (count - expected) / expected
			}
			return sum
		}
		if got := distance(epsilon); got > most {
			t.Errorf("seed %d: chi-squared %v, must be at most %v", seed, got, most)
		}
		if got := distance(1.1 * epsilon); got <= most {
			t.Errorf("seed %d: another epsilon is not seen: chi-squared %v", seed, got)
		}
	}
}
