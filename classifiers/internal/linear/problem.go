package linear

import "math"

// Problem is a convex loss of the scores of standardised points with an L2 penalty, to be minimised
// over the machines' parameters. Those of machine k: its weights, then its bias.
type Problem struct {
	*Points
	Machines int
	Width    int       // of a machine's parameters: Size+1
	Total    float64   // weight
	Masses   []float64 // of each point, all classes together
	mean, sd []float64 // of each number
}

// NewProblem standardises the numbers of points.
func NewProblem(p *Points, machines int) *Problem {
	q := &Problem{Points: p, Machines: machines, Width: p.Size + 1,
		mean: make([]float64, p.Numbers), sd: make([]float64, p.Numbers),
		Masses: make([]float64, p.Len())}
	for i := range q.Masses {
		for _, w := range p.Mass[i*p.Classes : (i+1)*p.Classes] {
			q.Masses[i] += w
		}
		q.Total += q.Masses[i]
	}
	for k := range q.mean {
		varies := false
		for i, w := range q.Masses {
			varies = varies || p.Values[i*p.Numbers+k] != p.Values[k]
			q.mean[k] += float64(w / q.Total * p.Values[i*p.Numbers+k])
		}
		for i, w := range q.Masses {
			d := p.Values[i*p.Numbers+k] - q.mean[k]
			q.sd[k] += float64(w / q.Total * float64(d*d))
		}
		if q.sd[k] = math.Sqrt(q.sd[k]); !varies { // up to rounding, which is no spread
			q.sd[k] = 0
		}
		for i := range q.Masses {
			v := &p.Values[i*p.Numbers+k]
			if *v -= q.mean[k]; q.sd[k] > 0 {
				*v /= q.sd[k]
			} else {
				*v = 0
			}
		}
	}
	return q
}

// Products writes x·w_k + b_k of a point to scores.
func (q *Problem) Products(scores, parameters []float64, i int) {
	values, at := q.Point(int32(i))
	for k := range scores {
		w := parameters[k*q.Width : (k+1)*q.Width]
		s := w[q.Size]
		for n, v := range values {
			s += float64(v * w[n])
		}
		for _, f := range at {
			if int(f) < q.Size { // else a filler
				s += w[f]
			}
		}
		scores[k] = s
	}
}

// Spread adds x times the factor of each machine to parameters.
func (q *Problem) Spread(parameters, factors []float64, i int) {
	values, at := q.Point(int32(i))
	for k, factor := range factors {
		w := parameters[k*q.Width : (k+1)*q.Width]
		w[q.Size] += factor
		for n, v := range values {
			w[n] += float64(factor * v)
		}
		for _, f := range at {
			if int(f) < q.Size {
				w[f] += factor
			}
		}
	}
}

// Penalty is half the sum of squares of all weights; with a gradient it adds itself to that.
func (q *Problem) Penalty(parameters, gradient []float64) (sum float64) {
	for i, w := range parameters {
		if i%q.Width == q.Size {
			continue
		}
		sum += float64(float64(w*w) / 2)
		if gradient != nil {
			gradient[i] += w
		}
	}
	return sum
}

// Write turns parameters of standardised numbers into those of the model's.
func (q *Problem) Write(model *Model, parameters []float64) {
	for k := range q.Machines {
		w := parameters[k*q.Width : (k+1)*q.Width]
		bias := w[q.Size]
		for f, v := range w[:q.Size] {
			if f < q.Numbers {
				if q.sd[f] > 0 {
					v /= q.sd[f]
				} else {
					v = 0
				}
				bias -= float64(v * q.mean[f])
			}
			model.Weights[f*q.Machines+k] = v
		}
		model.Bias[k] = bias
	}
}

// Diagonal adds each parameter's own curvature to diagonal, where a point's score has the curvature
// given by point and machine.
func (q *Problem) Diagonal(diagonal []float64, curvature func(i, k int) float64) {
	for i := range q.Masses {
		values, at := q.Point(int32(i))
		for k := range q.Machines {
			w, c := diagonal[k*q.Width:(k+1)*q.Width], curvature(i, k)
			w[q.Size] += c
			for n, v := range values {
				w[n] += float64(c * float64(v*v))
			}
			for _, f := range at {
				if int(f) < q.Size {
					w[f] += c
				}
			}
		}
	}
}
