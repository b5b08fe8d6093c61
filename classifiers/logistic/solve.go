package logistic

import (
	"context"
	"fmt"
	"math"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/elementary"
)

// Limits of the search. The gradient is judged in units of the total weight, so that tables of all
// sizes are solved equally well; what is then left of the loss is far below 10⁻⁸ a record.
const (
	tolerance  = 1e-7
	mostSteps  = 100
	mostHalves = 40 // of a step's length
)

// problem is the loss over standardised points. Parameters of machine k: its weights, then b_k.
type problem struct {
	*linear.Points
	model    *linear.Model
	price    float64
	machines int
	width    int       // of a machine's parameters: Size+1
	mean, sd []float64 // of each number
	of       []int     // class of the schema of each machine
	base     int       // class of the schema without a machine, -1 for none
	total    float64   // weight
	masses   []float64 // of each point, all classes together
}

func newProblem(p *linear.Points, m *linear.Model, price float64) *problem {
	q := &problem{Points: p, model: m, price: price, machines: m.Machines, width: p.Size + 1,
		base: -1, mean: make([]float64, p.Numbers), sd: make([]float64, p.Numbers),
		masses: make([]float64, p.Len())}
	for _, class := range m.Classes {
		q.of = append(q.of, int(class))
	}
	if m.Machines == 1 {
		q.base, q.of = q.of[0], q.of[1:]
	}
	for i := range q.masses {
		for _, w := range p.Mass[i*p.Classes : (i+1)*p.Classes] {
			q.masses[i] += w
		}
		q.total += q.masses[i]
	}
	for k := range q.mean {
		for i, w := range q.masses {
			q.mean[k] += float64(w / q.total * p.Values[i*p.Numbers+k])
		}
		for i, w := range q.masses {
			d := p.Values[i*p.Numbers+k] - q.mean[k]
			q.sd[k] += float64(w / q.total * float64(d*d))
		}
		q.sd[k] = math.Sqrt(q.sd[k])
		for i := range q.masses {
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

// products writes x·w_k + b_k of a point to scores.
func (q *problem) products(scores, parameters []float64, i int) {
	values, at := q.Point(int32(i))
	for k := range scores {
		w := parameters[k*q.width : (k+1)*q.width]
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

// spread adds x times the factor of each machine to parameters.
func (q *problem) spread(parameters, factors []float64, i int) {
	values, at := q.Point(int32(i))
	for k, factor := range factors {
		w := parameters[k*q.width : (k+1)*q.width]
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

// penalty is half the sum of squares of all weights; with a gradient it adds itself to that.
func (q *problem) penalty(parameters, gradient []float64) (sum float64) {
	for i, w := range parameters {
		if i%q.width == q.Size {
			continue
		}
		sum += float64(w * w / 2)
		if gradient != nil {
			gradient[i] += w
		}
	}
	return sum
}

// loss is the objective. With a gradient it writes that too, and the classes' probabilities.
func (q *problem) loss(parameters, gradient, probabilities []float64) float64 {
	clear(gradient)
	value := q.penalty(parameters, gradient)
	scores, raw := make([]float64, q.machines), make([]float64, q.machines)
	for i, mass := range q.masses {
		q.products(scores, parameters, i)
		copy(raw, scores)
		logSum := 0.0
		if q.base >= 0 {
			s := scores[0]
			scores[0] = classifiers.Logistic(s)
			logSum = max(s, 0) + elementary.Log1p(elementary.Exp(-math.Abs(s)))
		} else {
			logSum = classifiers.Softmax(scores)
		}
		value += float64(q.price * mass * logSum)
		for k, class := range q.of {
			own := q.Mass[i*q.Classes+class]
			value -= float64(q.price * own * raw[k])
			raw[k] = q.price * (float64(mass*scores[k]) - own)
		}
		if gradient != nil {
			copy(probabilities[i*q.machines:], scores)
			q.spread(gradient, raw, i)
		}
	}
	return value
}

// curve writes the second derivative times a direction.
func (q *problem) curve(to, direction, probabilities []float64) {
	clear(to)
	q.penalty(direction, to)
	z := make([]float64, q.machines)
	for i, mass := range q.masses {
		p := probabilities[i*q.machines : (i+1)*q.machines]
		q.products(z, direction, i)
		mean := 0.0
		for k := range z {
			mean += float64(p[k] * z[k])
		}
		for k := range z {
			z[k] = q.price * mass * float64(p[k]*(z[k]-mean))
		}
		q.spread(to, z, i)
	}
}

// solve finds the minimum and writes it to the model.
func (q *problem) solve(ctx context.Context) error {
	n := q.machines * q.width
	parameters, gradient := make([]float64, n), make([]float64, n)
	trial := make([]float64, n)
	probabilities := make([]float64, q.Len()*q.machines)
	value := q.loss(parameters, gradient, probabilities)
	small := tolerance * q.price * q.total
	for range mostSteps {
		if norm(gradient) <= small {
			q.write(parameters)
			return nil
		}
		step, err := q.newton(ctx, gradient, probabilities)
		if err != nil {
			return err
		}
		slope, length := dot(step, gradient), 1.0
		better := false
		for range mostHalves {
			for i, s := range step {
				trial[i] = parameters[i] + float64(length*s)
			}
			if q.loss(trial, nil, nil) <= value+float64(1e-4*length*slope) {
				better = true
				break
			}
			length /= 2
		}
		if !better {
			break // as near as numbers of this size come
		}
		copy(parameters, trial)
		value = q.loss(parameters, gradient, probabilities)
	}
	if norm(gradient) <= 1e3*small {
		q.write(parameters)
		return nil
	}
	return fmt.Errorf("logistic: not solved in %d steps: the gradient is %v a record", mostSteps,
		norm(gradient)/q.total)
}

// newton solves curvature·step = -gradient by conjugate gradients, only as well as is worth it.
func (q *problem) newton(ctx context.Context,
	gradient, probabilities []float64) ([]float64, error) {
	n := len(gradient)
	step, rest := make([]float64, n), make([]float64, n)
	direction, curved := make([]float64, n), make([]float64, n)
	for i, g := range gradient {
		rest[i], direction[i] = -g, -g
	}
	square := dot(rest, rest)
	size := math.Sqrt(square)
	enough := float64(min(0.1, math.Sqrt(size/(q.price*q.total))) * size)
	for range 2 * n {
		if math.Sqrt(square) <= enough {
			break
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q.curve(curved, direction, probabilities)
		bend := dot(direction, curved)
		if !(bend > 0) {
			break
		}
		along := square / bend
		for i := range step {
			step[i] += float64(along * direction[i])
			rest[i] -= float64(along * curved[i])
		}
		next := dot(rest, rest)
		for i := range direction {
			direction[i] = rest[i] + float64(next/square*direction[i])
		}
		square = next
	}
	return step, nil
}

// write turns parameters of standardised numbers into those of the model's.
func (q *problem) write(parameters []float64) {
	for k := range q.machines {
		w := parameters[k*q.width : (k+1)*q.width]
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
			q.model.Weights[f*q.machines+k] = v
		}
		q.model.Bias[k] = bias
	}
}

func dot(a, b []float64) (sum float64) {
	for i, x := range a {
		sum += float64(x * b[i])
	}
	return sum
}

// norm is the largest number of a vector, whatever its sign.
func norm(v []float64) (most float64) {
	for _, x := range v {
		most = max(most, math.Abs(x))
	}
	return most
}
