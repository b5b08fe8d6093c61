package svm

import (
	"context"

	"ppdp/privacy"
)

const (
	// relativeGap is when the dual counts as solved: the duality gap, an upper bound of how far the primal
	// objective is from its minimum, is at most this share of the objective. SVM-light's tolerance of
	// the optimality conditions is 10⁻³ of the margin; the gap is held ten times closer, so that what is left of
	// it moves hardly a prediction.
	relativeGap = 1e-4
	// gapEvery is how many passes lie between looks at the gap, which costs most of a pass.
	gapEvery = 4
	// maxPasses ends problems whose gap closes too slowly, those of very large weights C·c. Adult needs
	// some dozens.
	maxPasses = 2000
)

// solution is a solved problem and how far from its optimum it may be.
type solution struct {
	weights     []float64
	bias        float64
	primal, gap float64
	passes      int
}

// solve separates the class positive from all others. Visits follow a fresh permutation in each pass,
// drawn from order. It returns early with ctx.Err() when the context ends.
func solve(ctx context.Context, p *points, positive uint32, price float64, order *privacy.Stream) (*solution, error) {
	n := len(p.labels)
	s := &solution{weights: make([]float64, p.size)}
	alpha, top, sign := make([]float64, n), make([]float64, n), make([]float64, n)
	visits := make([]int32, n)
	for i, label := range p.labels {
		visits[i] = int32(i)
		top[i] = float64(price * p.weights[i])
		sign[i] = -1
		if label == positive {
			sign[i] = 1
		}
	}
	w := s.weights
	for s.passes < maxPasses {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		order.Shuffle(n, func(i, j int) { visits[i], visits[j] = visits[j], visits[i] })
		for _, i := range visits {
			at, values := p.at[p.start[i]:p.start[i+1]], p.values[p.start[i]:p.start[i+1]]
			values = values[:len(at)]
			margin := s.bias
			for k, f := range at {
				margin += float64(values[k] * w[f])
			}
			// The minimum along coordinate i, clipped to its box (Hsieh et al. 2008, equation 9).
			old := alpha[i]
			next := min(max(old-(float64(sign[i]*margin)-1)/(p.squares[i]+1), 0), top[i])
			if next == old {
				continue
			}
			alpha[i] = next
			step := float64((next - old) * sign[i])
			s.bias += step
			for k, f := range at {
				w[f] += float64(step * values[k])
			}
		}
		if s.passes++; s.passes%gapEvery == 0 {
			if s.measure(p, sign, top, alpha); s.gap <= relativeGap*s.primal {
				return s, nil
			}
		}
	}
	s.measure(p, sign, top, alpha)
	return s, nil
}

// measure computes the primal objective and the duality gap.
func (s *solution) measure(p *points, sign, top, alpha []float64) {
	norm := float64(s.bias * s.bias)
	for _, w := range s.weights {
		norm += float64(w * w)
	}
	loss, dual := 0.0, 0.0
	for i := range alpha {
		margin := s.bias
		for k := p.start[i]; k < p.start[i+1]; k++ {
			margin += float64(p.values[k] * s.weights[p.at[k]])
		}
		if violation := 1 - float64(sign[i]*margin); violation > 0 {
			loss += float64(top[i] * violation)
		}
		dual += alpha[i]
	}
	s.primal = norm/2 + loss
	s.gap = s.primal - (dual - norm/2)
}
