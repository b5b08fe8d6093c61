package adultenlarged

import (
	"context"
	"math"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func standIn(t *testing.T) datasets.Source {
	t.Helper()
	return must.Get(datasets.Lookup("adult-enlarged-standin"))
}

func load(t *testing.T, params *Params) *datasets.Table {
	t.Helper()
	return must.Get(standIn(t).Load(context.Background(),
		datasets.Request{Params: params, Key: random.NewKey(7)})).Table
}

// TestOriginalsThenVariations: the first rows are Adult's; without redrawing so are all copies; a
// value of a variation differs as often as it is redrawn and does not fall on the old one.
func TestOriginalsThenVariations(t *testing.T) {
	original := must.Get(adult.StandIn.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "rps"}}))
	n := original.Table.Len()
	copies := load(t, &Params{Select: "rps", N: 2*n + 5, Redraw: 0})
	varied := load(t, &Params{Select: "rps", N: 2*n + 5, Redraw: 0.5})
	if copies.Len() != 2*n+5 || varied.Len() != 2*n+5 {
		t.Fatalf("%d and %d rows, want %d", copies.Len(), varied.Len(), 2*n+5)
	}
	schema := original.Table.Schema()
	for at := range schema.Attributes {
		changed := 0
		for row := range 2*n + 5 {
			want := original.Table.Column(at).At(int32(row % n))
			if got := copies.Column(at).At(int32(row)); got != want {
				t.Fatalf("row %d, attribute %d: %d, want %d", row, at, got, want)
			}
			switch got := varied.Column(at).At(int32(row)); {
			case row < n && got != want:
				t.Fatalf("row %d is an original but for attribute %d", row, at)
			case got != want:
				changed++
			}
		}
		// Binomial; beyond 5 standard deviations by chance once in 1.7 million, and there are 11
		// attributes.
		p := 0.5 * (1 - 1/float64(schema.Attributes[at].Cells()))
		mean, sd := p*float64(n+5), math.Sqrt(p*(1-p)*float64(n+5))
		if math.Abs(float64(changed)-mean) > 5*sd {
			t.Errorf("%s: %d of %d values changed, expected %.0f", schema.Attributes[at].Name,
				changed, n+5, mean)
		}
	}
}

func TestFewerThanThereAre(t *testing.T) {
	if got := load(t, &Params{Select: "rps", N: 3, Redraw: 0.5}).Len(); got != 3 {
		t.Errorf("%d rows, want 3", got)
	}
}
