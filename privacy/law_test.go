package privacy

import (
	"math"
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// quadratic is |θ|²/2: its gradient is θ, so that a minimum is minus the noise.
type quadratic struct{}

func (quadratic) Minimise(b []float64, _ float64) ([]float64, error) {
	theta := make([]float64, len(b))
	for i, x := range b {
		theta[i] = -x
	}
	return theta, nil
}

func (quadratic) Gradient(theta []float64) []float64 { return theta }

func (quadratic) LogDet([]float64) float64 { return 0 }

// TestPlaces: the places of each mechanism's draws are uniform, and those of a charge of twice the
// amount are not. Of 4096 places the distance from uniform exceeds 0.045 by chance with probability
// 2·exp(-2·4096·0.045²) = 1.3e-7 (Massart 1990). The seeds are fixed.
func TestPlaces(t *testing.T) {
	const n = 4096
	vector := make([]float64, 8)
	scores, weights := []float64{0, 3, 3, 1, 2}, []float64{1, 2, 0, 5, 1}
	for name, c := range map[string]struct {
		delta float64
		call  func(b *Budget, s *random.Stream, path *Path) error
	}{ // order-free: each has a budget of its own
		laplace: {0, func(b *Budget, s *random.Stream, path *Path) error {
			return b.Laplace("x", s, Exact(2)).AddAll(path, 1, vector)
		}},
		geometric: {0, func(b *Budget, s *random.Stream, path *Path) error {
			return b.Geometric("x", s, Exact(2)).AddAll(path, 1, vector)
		}},
		discreteLaplaceKind: {0, func(b *Budget, s *random.Stream, path *Path) error {
			return b.DiscreteLaplace("x", s, Exact(2)).AddAll(path, 1, vector)
		}},
		cauchy: {0, func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Cauchy("x", s, true).Add(path, 1, 3, 7)
			return err
		}},
		exponential: {0, func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Exponential("x", s, Exact(1)).Choose(path, 1, scores, weights)
			return err
		}},
		permuteAndFlip: {0, func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.PermuteAndFlip("x", s, Exact(1)).Choose(path, 1, scores)
			return err
		}},
		objective: {0, func(b *Budget, s *random.Stream, path *Path) error {
			_, err := b.Objective("x", s, Exact(1)).Minimise(path, 1,
				Shape{Variables: 8, Strength: 1, Jacobian: 0.4}, quadratic{})
			return err
		}},
		gaussian: {1e-9, func(b *Budget, s *random.Stream, path *Path) error {
			return b.Gaussian("x", s, Exact(1)).AddAll(path, b.Total(), vector)
		}},
		discreteGaussianKind: {1e-9, func(b *Budget, s *random.Stream, path *Path) error {
			return b.DiscreteGaussian("x", s, Exact(1)).AddAll(path, b.Total(), vector)
		}},
		"narrow " + discreteGaussianKind: {1e-9, func(b *Budget, s *random.Stream,
			path *Path) error {
			return b.DiscreteGaussian("x", s, Exact(0.2)).AddAll(path, b.Total(), vector)
		}},
	} {
		stream, u := random.NewKey(1).Derive(name).Stream(), random.NewKey(2).Stream()
		distance := func(times float64) float64 {
			var places []float64
			for len(places) < n {
				b := NewApproximate(1, c.delta)
				transcript, path := b.Record(), b.Root()
				clear(vector)
				if err := c.call(b, stream, &path); err != nil {
					t.Fatal(err)
				}
				transcript.calls[0].charged *= times
				transcript.Places(u.Open01, func(_, _ string, of []float64) {
					places = append(places, of...)
				})
			}
			slices.Sort(places)
			most := 0.0
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
