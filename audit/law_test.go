package audit

import (
	"slices"
	"strings"
	"testing"

	"ppdp/numeric/random"
)

// TestLaws: draws of another law, and draws that depend on each other in any of the three ways, are
// told from places that are uniform and independent, however many there are.
func TestLaws(t *testing.T) {
	stream := random.NewKey(5).Stream()
	around := func(p float64) float64 { return 2*p - 1 }
	for _, c := range []struct {
		name  string
		place func(before float64) float64
		want  string
	}{
		{"uniform", func(float64) float64 { return stream.Open01() }, ""},
		// Laplace noise of half the scale in the law of the whole: below the middle 2p² in place of
		// p, an eighth away from it at most. Of 1024 places 0.0846 is within chance.
		{"half the scale", func(float64) float64 {
			p := stream.Open01()
			if p < 0.5 {
				return float64(2 * p * p)
			}
			return 1 - float64(2*(1-p)*(1-p))
		}, "0.1"},
		// Products of two equal places have the mean 1/3, and three of four are equal.
		{"one draw for two", func(before float64) float64 {
			if before > 0 && stream.Uint32N(4) > 0 {
				return before
			}
			return stream.Open01()
		}, "depend"},
	} {
		var l laws
		last := 0.0
		var drawn, multiplied []float64
		for range 1500 {
			p := c.place(last)
			drawn = append(drawn, p)
			multiplied = append(multiplied, around(p)*around(last))
			last = p
		}
		l.add("places", places, maxDraws, drawn)
		l.add("products", products, maxDraws, multiplied[1:])
		found := l.judge()
		if c.want == "" && len(found) > 0 {
			t.Errorf("%s: %v", c.name, found)
		}
		if c.want != "" && !slices.ContainsFunc(found, func(f Failure) bool {
			return f.Kind == Law && strings.Contains(f.Text, c.want)
		}) {
			t.Errorf("%s: found %v, want %q", c.name, found, c.want)
		}
	}
	var few laws
	few.add("four", places, maxDraws, []float64{0.9, 0.9, 0.9, 0.9})
	few.add("none", places, maxDraws, nil)
	if found := few.judge(); len(found) > 0 {
		t.Errorf("four draws refute a law: %v", found)
	}
}
