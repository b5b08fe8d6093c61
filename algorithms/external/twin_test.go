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
	"ppdp/numeric/random"
)

// twin is randomised response as a plug-in in Go, after the paper and not after the program.
func twin(t *datasets.Table, seed uint64, epsilon float64) *datasets.Table {
	stream := random.NewStreams(random.NewKey(seed)).Open("answers")
	schema := t.Schema()
	b := datasets.NewBuilder(schema, t.Len())
	for row := range t.Len() {
		b.AddRow()
		for i := range schema.Attributes {
			k, code := schema.Attributes[i].Cells(), t.Column(i).At(int32(row))
			e := math.Exp(epsilon / float64(len(schema.Attributes)))
			if stream.Float64() >= e/(e+float64(k-1)) {
				other := uint32(stream.IntN(k - 1))
				if other >= code {
					other++
				}
				code = other
			}
			b.Set(row, i, code)
		}
	}
	return b.Table()
}

// TestTwin: the programs and the plug-in in Go give the same distribution, by a two-sample
// chi-squared test over all combinations of values of records that were alike. Its false-alarm rate
// is 1e-6 a comparison, of which there are three for each program; it sees a twin with a tenth more
// epsilon.
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
		release := must.Get(a.Release(context.Background(), in))
		if got := distance(release.Table, twin(data, seed, epsilon)); got > most {
			t.Errorf("seed %d: chi-squared %v, must be at most %v", seed, got, most)
		}
		if got := distance(release.Table, twin(data, seed, 1.1*epsilon)); got <= most {
			t.Errorf("seed %d: another epsilon is not seen: chi-squared %v", seed, got)
		}
	}
}

// distance is the chi-squared statistic of two samples of the same size.
func distance(a, b *datasets.Table) float64 {
	var counts [2][12]float64
	for i, t := range []*datasets.Table{a, b} {
		for row := range int32(t.Len()) {
			counts[i][2*t.Column(0).At(row)+t.Column(1).At(row)]++
		}
	}
	sum := 0.0
	for cell := range counts[0] {
		x, y := counts[0][cell], counts[1][cell]
		if x+y > 0 {
			sum += (x - y) * (x - y) / (x + y)
		}
	}
	return sum
}

// BenchmarkOverhead is what a release costs on top of what the program needs: the program answers
// at once, with one record, of a table as large as Adult whose rows do not change.
func BenchmarkOverhead(b *testing.B) {
	needsPython(b)
	a := load(b, answersAtOnce)
	data := table(b, 45_222)
	for seed := range uint64(b.N + 1) {
		if seed == 1 { // the first starts the program and writes the rows
			b.ResetTimer()
		}
		must.Get(a.Release(context.Background(), input(a, data, seed)))
	}
}

// answersAtOnce is a program that does next to nothing.
const answersAtOnce = `name: at-once
title: Answers at once
source: test
input: table
produces: records
command: [python3, at_once.py]
files: at_once.py
variants:
  - {variant: published, model: differential privacy, unit: record, relation: none, note: None.}
`
