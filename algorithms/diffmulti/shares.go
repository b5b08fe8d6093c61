package diffmulti

import (
	"math"

	"ppdp/numeric/random"
	"ppdp/privacy"
)

// shares divides the specialisations left to a region among its children (equation 10).
type shares struct {
	rule  HPrime
	noise *privacy.Noise // nil where sizes get none
	draws *random.Stream // for remainders

	weights []float64
	some    []float64
	open    []int
}

// divide writes into given how many of h-1 specialisations each child gets whose sizes these are,
// and charges epsilon to the path where sizes get noise.
func (s *shares) divide(path *privacy.Path, epsilon float64, h int, sizes []int32,
	given []int) error {
	if cap(s.weights) < len(sizes) {
		s.weights = make([]float64, 2*len(sizes))
	}
	weights := s.weights[:len(sizes)]
	for c, n := range sizes {
		weights[c] = float64(n)
	}
	switch s.rule {
	case ByEven:
		fillOnes(weights)
	case ByStrict:
		if err := s.noise.AddAll(path, epsilon, weights); err != nil {
			return err
		}
		if clampAll(weights) == 0 {
			fillOnes(weights)
		}
	case ByPublished:
		s.some = s.some[:0]
		for _, n := range sizes {
			if n > 0 {
				s.some = append(s.some, float64(n))
			}
		}
		if err := s.noise.AddAll(path, epsilon, s.some); err != nil {
			return err
		}
		clampAll(s.some)
		next := 0
		for c, n := range sizes {
			if weights[c] = 0; n > 0 {
				weights[c] = s.some[next]
				next++
			}
		}
	case ByRefCode:
		return s.asProgram(path, epsilon, h, sizes, given)
	}
	s.spread(s.apportion(h-1, weights, given), weights, given)
	return nil
}

func fillOnes(weights []float64) {
	for c := range weights {
		weights[c] = 1
	}
}

// clampAll raises negative numbers to 0 and returns the sum.
func clampAll(values []float64) float64 {
	sum := 0.0
	for i, v := range values {
		values[i] = math.Max(0, v)
		sum += values[i]
	}
	return sum
}

// apportion gives each child its share of n in proportion to its weight, rounded down, and returns
// what is left over. Without weight no child gets anything and nothing is left over.
func (s *shares) apportion(n int, weights []float64, given []int) (left int) {
	clear(given)
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	if !(sum > 0) {
		return 0
	}
	left = n
	for c, w := range weights {
		// Rounding up in the quotient must not give out more than there is.
		given[c] = min(int(math.Floor(float64(w*float64(n))/sum)), left)
		left -= given[c]
	}
	return left
}

// spread gives what is left over to children drawn at random among those with a share, at most one
// each.
func (s *shares) spread(left int, weights []float64, given []int) {
	if left <= 0 {
		return
	}
	s.open = s.open[:0]
	for c, w := range weights {
		if w > 0 {
			s.open = append(s.open, c)
		}
	}
	for i := range min(left, len(s.open)) {
		j := i + s.draws.IntN(len(s.open)-i)
		s.open[i], s.open[j] = s.open[j], s.open[i]
		given[s.open[i]]++
	}
}

// programFactor is what the released program multiplies sizes by before it adds noise (errata D8).
const programFactor = 10_000

// asProgram is the released program's rule: the non-negative part of the noise, on sizes times
// 10,000, against the exact size of the parent; what is left over goes one by one to the first
// children.
func (s *shares) asProgram(path *privacy.Path, epsilon float64, h int, sizes []int32,
	given []int) error {
	noise := s.weights[:len(sizes)]
	clear(noise)
	clear(given)
	if err := s.noise.AddAll(path, epsilon, noise); err != nil {
		return err
	}
	parent := 0
	for _, n := range sizes {
		parent += int(n)
	}
	if parent == 0 {
		return nil
	}
	left := h - 1
	for c, n := range sizes {
		size := float64(programFactor*float64(n)) + math.Max(0, math.Ceil(noise[c]))
		share := math.Floor(float64(size*float64(h-1)) / float64(programFactor*float64(parent)))
		given[c] = int(math.Min(share, float64(left)))
		left -= given[c]
	}
	for c := 0; left > 0; c, left = (c+1)%len(given), left-1 {
		given[c]++
	}
	return nil
}
