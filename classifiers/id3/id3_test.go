package id3

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
)

// TestGains compares with the gains that Quinlan 1986, section 4, works out for the weather data.
func TestGains(t *testing.T) {
	table := testtable.Weather(false)
	s := newSample(classifiers.Data{Table: table, Rows: table.AllRows()})
	records := make([]int, len(s.labels))
	for i := range records {
		records[i] = i
	}
	// The paper's, cut off after three places.
	for f, want := range []float64{0.246, 0.029, 0.151, 0.048} {
		if got := s.gain(f, records); got < want || got >= want+0.0015 {
			t.Errorf("gain of %s %.4f, the paper has %.3f",
				table.Schema().Attributes[f].Name, got, want)
		}
	}
}

// TestWeatherTree checks the tree of Quinlan 1986, Figure 2: outlook, then humidity where sunny and
// windy where rain. Tests the tree does not make cannot change its answers.
func TestWeatherTree(t *testing.T) {
	table := testtable.Weather(false)
	model := testtable.Fit(t, Classifier, classifiers.Data{Table: table, Rows: table.AllRows()})
	if tests := len(model.(*classifiers.Tree).Steps); tests != 3 {
		t.Errorf("%d tests, the paper's tree has 3", tests)
	}
	var rows [][]uint32
	var want []uint32
	for i := range uint32(36) {
		outlook, temperature, humidity, windy := i%3, i/3%3, i/9%2, i/18
		rows = append(rows, []uint32{outlook, temperature, humidity, windy, 0})
		want = append(want, [3]uint32{humidity, 1, 1 - windy}[outlook])
	}
	every := testtable.Table(table.Schema().Attributes, rows...)
	if got := testtable.Predict(model, every); !slices.Equal(got, want) {
		t.Errorf("predictions %v, the paper's tree says %v", got, want)
	}
}

// plain is ID3 as written in the paper, on rows, for comparison with what golearn's recursion
// grows.
type plain struct {
	table    *datasets.Table
	weights  []float64
	class    int
	features []int
}

func (p *plain) counts(rows []int32) []float64 {
	counts := make([]float64, p.table.Schema().Classes())
	for _, row := range rows {
		counts[p.table.Column(p.class).At(row)] += p.weights[row]
	}
	return counts
}

func (p *plain) entropy(rows []int32) (bitsPerCase, cases float64) {
	for _, w := range p.counts(rows) {
		cases += w
	}
	for _, w := range p.counts(rows) {
		if w > 0 {
			bitsPerCase -= w / cases * math.Log2(w/cases)
		}
	}
	return bitsPerCase, cases
}

// predict grows just the path that the query takes.
func (p *plain) predict(query int32, rows []int32, used map[int]bool) uint32 {
	counts := p.counts(rows)
	majority := uint32(0)
	for class, w := range counts {
		if w > counts[majority] {
			majority = uint32(class)
		}
	}
	entropy, cases := p.entropy(rows)
	best, bestGain := -1, 1e-9
	for _, f := range p.features {
		if used[f] {
			continue
		}
		gain := entropy
		for code := range uint32(p.table.Schema().Attributes[f].Cells()) {
			part, size := p.entropy(p.branch(rows, f, code))
			gain -= part * size / cases
		}
		if gain > bestGain+1e-9 {
			best, bestGain = f, gain
		}
	}
	if best < 0 {
		return majority
	}
	below := p.branch(rows, best, p.table.Column(best).At(query))
	if len(below) == 0 {
		return majority
	}
	used[best] = true
	return p.predict(query, below, used)
}

func (p *plain) branch(rows []int32, f int, code uint32) []int32 {
	var part []int32
	for _, row := range rows {
		if p.table.Column(f).At(row) == code && p.weights[row] > 0 {
			part = append(part, row)
		}
	}
	return part
}

func TestGolearnGrowsID3(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 40, false)
		if table.Len() == 0 {
			return
		}
		weights := make([]float64, table.Len())
		for i := range weights {
			weights[i] = float64(rapid.IntRange(0, 3).Draw(t, "weight"))
		}
		// The second half of the rows is for queries only, so that branches without cases occur.
		train := table.AllRows()[:(table.Len()+1)/2]
		model := testtable.Fit(t, Classifier,
			classifiers.Data{Table: table, Rows: train, Weights: weights})
		got := testtable.Predict(model, table)
		p := &plain{table: table, weights: weights, class: table.Schema().Class(),
			features: classifiers.Features(table.Schema())}
		var weighted []int32
		for _, row := range train {
			if weights[row] > 0 {
				weighted = append(weighted, row)
			}
		}
		for row := range got {
			want := uint32(0)
			if len(weighted) > 0 {
				want = p.predict(int32(row), weighted, map[int]bool{})
			}
			if got[row] != want {
				t.Fatalf("row %d predicted as %d, ID3 says %d", row, got[row], want)
			}
		}
	})
}

func TestNumericIsRefused(t *testing.T) {
	table := testtable.Weather(true)
	_, err := Classifier.Fit(context.Background(),
		classifiers.Data{Table: table, Rows: table.AllRows()})
	if !errors.Is(err, classifiers.ErrNumeric) {
		t.Errorf("error %v, must be %v", err, classifiers.ErrNumeric)
	}
}

// TestCancelledInsideGolearn ends the context between two choices of golearn's recursion.
func TestCancelledInsideGolearn(t *testing.T) {
	table := testtable.Weather(false)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := newSample(classifiers.Data{Table: table, Rows: table.AllRows()})
	if _, err := s.grow(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, must be %v", err, context.Canceled)
	}
}
