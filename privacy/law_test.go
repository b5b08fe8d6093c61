package privacy

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestPlaces: the places of each mechanism's draws are uniform, and those of a charge of twice the
// amount are not. Of 4096 places the distance from uniform exceeds 0.045 by chance with probability
// 2·exp(-2·4096·0.045²) = 1.3e-7 (Massart 1990). The seeds are fixed.
func TestPlaces(t *testing.T) {
	calls := make(map[string]func(b *Budget, s *random.Stream) error)
	for _, m := range noises {
		for _, amount := range []float64{1, 0.02} { // both sides of a sigma of 8
			calls[fmt.Sprint(m.name, " at ", amount)] = func(b *Budget, s *random.Stream) error {
				return m.add(b, s, 2, amount, make([]float64, 8))
			}
		}
	}
	for _, way := range ways {
		c := choiceCase{1, 1, []float64{0, 3, 3, 1, 2}, []float64{1, 2, 0, 5, 1}}
		calls[way.name] = func(b *Budget, s *random.Stream) error {
			path := b.Root()
			return must.Err(way.choose(b.Exponential("x", s, Exact(1)), &path, c))
		}
	}
	for name, call := range calls { // order-free: each has streams of its own
		stream, u := random.NewKey(1).Derive(name).Stream(), random.NewKey(2).Stream()
		distance := func(times float64) (most float64) {
			var places []float64
			for len(places) < 4096 {
				b := NewBudget(plenty)
				if strings.Contains(name, gaussian) {
					b = NewApproximate(1e6, 0.5)
				}
				transcript := b.Record()
				must.Do(t, call(b, stream))
				for _, c := range transcript.calls {
					c.charged *= times
				}
				transcript.Places(u.Open01, func(_, _ string, of []float64) {
					places = append(places, of...)
				})
			}
			slices.Sort(places)
			for i, p := range places {
				most = max(most, math.Abs(p-float64(i)/float64(len(places))))
			}
			return most
		}
		if d := distance(1); d > 0.045 {
			t.Errorf("%s: places are %v away from uniform", name, d)
		}
		if d := distance(2); d < 0.045 {
			t.Errorf("%s at twice the charge: places are only %v away from uniform", name, d)
		}
	}
}
