// Package svm holds the linear support vector machine with soft margin: "svm". It is fitted in the
// dual by coordinate descent (Hsieh, Chang, Lin, Keerthi & Sundararajan, A Dual Coordinate Descent
// Method for Large-scale Linear SVM, ICML 2008, algorithm 1) until the duality gap is small. It
// leaves out kernels, probabilities and every choice of settings by looking at data.
//
// For points xᵢ with labels yᵢ = ±1 and weights cᵢ it minimises
//
//	½·(|w|² + b²) + C·Σ cᵢ·max(0, 1 - yᵢ·(w·xᵢ + b)).
//
// A categorical attribute of three or more values is one indicator for each, one of two values a
// single indicator of the second, one of a single value nothing at all. A numeric attribute is
// scaled to [0,1] by its public bounds. With more than two classes there is one machine for each
// against the rest, and the largest w·x + b wins, the lowest code of equals.
//
// Records of equal features are one point with a weight for each label, and a step finds the
// minimum for both its labels at once. Coordinate by coordinate, two labels of one point push each
// other up by a constant step a pass, without end where weights are large, as the counts of a
// generalised table are.
//
// Deviations from SVM-light (Joachims 1999), which the papers use:
//   - the bias is the weight of a constant feature 1 and is penalised like the others, so that the
//     dual has no equality constraint and one coordinate can move alone; SVM-light leaves it free;
//   - C is SVM-light's default 1/mean(|x|²), the constant feature left out of |x|², but the mean is
//     weighted, as everything is; where all x are 0 it is 1;
//   - the stopping rule is the relative duality gap, not the largest violation of optimality.
package svm

import (
	"context"
	"fmt"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Classifier is the linear support vector machine.
var Classifier = classifiers.Add(classifiers.Info{
	Name:     "svm",
	Title:    "Linear SVM",
	Source:   "Hsieh et al. 2008, algorithm 1 (hinge loss); C as in Joachims 1999, SVM-light",
	Revision: 3,
}, fit)

// fit solves one problem for two classes, one for each class when there are more.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	layout := linear.NewLayout(data.Table.Schema())
	p := linear.NewPoints(data, layout)
	m := linear.NewModel(layout, p)
	if m.Machines == 0 { // nothing to separate
		return m, nil
	}
	price, machines := defaultC(p), m.Classes
	if m.Machines == 1 {
		machines = m.Classes[1:] // with two classes, the second against the first
	}
	for k, positive := range machines {
		// The order of visits is part of the method, not of the experiment: it depends on nothing.
		s, err := solve(ctx, p, positive, price, random.NewKey(0).Derive("svm").Stream())
		if err != nil {
			return nil, err
		}
		for f, w := range s.weights {
			m.Weights[f*m.Machines+k] = w
		}
		m.Bias[k] = s.bias
	}
	return m, nil
}

// defaultC is 1/mean(|x|²), 1 where all points are 0.
func defaultC(p *linear.Points) float64 {
	mass, sum := 0.0, 0.0
	for i, w := range p.Mass {
		mass += w
		sum += float64(w * p.Squares[i/p.Classes])
	}
	if !(sum > 0) {
		return 1
	}
	return mass / sum
}

const (
	// relativeGap is when the dual counts as solved: the duality gap, an upper bound of how far the
	// primal objective is from its minimum, is at most this share of the objective. At 10⁻⁴, as
	// close as SVM-light's tolerance of 10⁻³ of the margin comes, single accuracies on tables of
	// mostly noise still differed by 3.5 points from those at 10⁻⁶; at 10⁻⁵ no accuracy of
	// compare/adult differs by more than 0.3 points, and a mean over folds by more than 0.06.
	relativeGap = 1e-5
	// firstPasses and mostPasses are how many passes of a round visit only the points that still
	// move: twice as many in each round as in the one before. Most points stay at a corner of their
	// box from early on, and whether one has to leave it shows in the next round. Where most points
	// move, as among distinct records, a round is soon enough to see the gap closed; where few do,
	// as among the heavy points of a generalised table, visiting all the others is what takes the
	// time.
	firstPasses = 2
	mostPasses  = 200
	// maxRounds ends problems whose gap closes too slowly. Adult needs a handful, tables of noisy
	// counts up to some dozens.
	maxRounds = 1000
	// worstGap is the relative gap up to which a problem that was ended may be used.
	worstGap = 1e-2
)

// solution is a solved problem and how far from its optimum it may be.
type solution struct {
	weights     []float64
	bias        float64
	primal, gap float64
	rounds      int
}

// problem is the separation of one class from all others.
type problem struct {
	*linear.Points
	duals []dual // by point
}

// dual is what a step has to know of a point besides its numbers: all in one place, since points
// are visited in random order.
type dual struct {
	beta          float64 // the dual variable
	for1, against float64 // C times the weight of the records with the label 1 and -1
	square        float64 // |x|² + 1
	from, to      int32   // the indicators
}

func newProblem(p *linear.Points, positive uint32, price float64) *problem {
	q := &problem{Points: p, duals: make([]dual, p.Len())}
	for i := range q.duals {
		q.duals[i] = dual{square: p.Squares[i] + 1, from: p.Start[i], to: p.Start[i+1]}
	}
	for i, weight := range p.Mass {
		if d := &q.duals[i/p.Classes]; i%p.Classes == int(positive) {
			d.for1 = float64(price * weight)
		} else {
			d.against += float64(price * weight)
		}
	}
	return q
}

// step returns the dual variable β of point i, which enters the weights as β·x, that minimises the
// dual when the others stay: rest is the point's score without its own part β·square.
//
// The loss a·max(0,1-m) + b·max(0,1+m) of a point at score m has slopes of -a, b-a and b left of
// -1, between, and right of 1, and in the optimum β is the negative slope, or between two where m
// is at a bend. As β falls with m and m = rest + β·square grows with β, there is exactly one such
// β. (For b = 0 this is Hsieh et al. 2008, equation 9.)
func step(a, b, rest, square float64) float64 {
	switch {
	case rest+float64(a*square) <= -1:
		return a
	case rest+float64((a-b)*square) <= -1:
		return (-1 - rest) / square
	case rest+float64((a-b)*square) < 1:
		return a - b
	case rest-float64(b*square) <= 1:
		return (1 - rest) / square
	default:
		return -b
	}
}

// solve separates the class positive from all others. A round visits all points, then only those
// that moved, again and again, each time in the order of a fresh permutation drawn from order. It
// returns early with ctx.Err() when the context ends, and an error when the gap does not close.
func solve(ctx context.Context, p *linear.Points, positive uint32, price float64,
	order *random.Stream) (*solution, error) {
	q := newProblem(p, positive, price)
	s := &solution{weights: make([]float64, p.Size+1)} // the last belongs to no indicator
	all, moving := datasets.InOrder(p.Len()), make([]int32, p.Len())
	passes := firstPasses
	for s.rounds < maxRounds {
		moving = append(moving[:0], all...)
		for range 1 + passes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			order.Permute(moving)
			if moving = s.pass(q, moving); len(moving) == 0 {
				break
			}
		}
		s.rounds++
		passes = min(2*passes, mostPasses)
		if s.measure(q); s.gap <= relativeGap*s.primal {
			break
		}
	}
	s.weights = s.weights[:p.Size]
	return s, s.check()
}

// check reports a problem that is too far from its optimum to be used.
func (s *solution) check() error {
	if !(s.gap <= worstGap*s.primal) { // NaN is no solution either
		return fmt.Errorf("svm: not solved in %d rounds: the objective is %v, its minimum may be "+
			"%v lower", s.rounds, s.primal, s.gap)
	}
	return nil
}

// score is w·x + b of a point.
func (s *solution) score(values []float64, at []int32) float64 {
	w, score := s.weights, s.bias
	numbers := w[:len(values)]
	for k, v := range values {
		score += float64(v * numbers[k])
	}
	for ; len(at) >= linear.Stride; at = at[linear.Stride:] {
		score += w[at[0]]
		score += w[at[1]]
		score += w[at[2]]
		score += w[at[3]]
	}
	return score
}

// pass visits points in order and returns those that moved, in the same memory.
func (s *solution) pass(q *problem, visits []int32) (moved []int32) {
	w, moved := s.weights, visits[:0]
	for _, i := range visits {
		d := &q.duals[i]
		values := q.Values[int(i)*q.Numbers : (int(i)+1)*q.Numbers]
		at := q.At[d.from:d.to]
		score := s.score(values, at)
		next := step(d.for1, d.against, score-float64(d.beta*d.square), d.square)
		by := next - d.beta
		if by == 0 {
			continue
		}
		moved = append(moved, i)
		d.beta = next
		s.bias += by
		numbers := w[:len(values)]
		for k, v := range values {
			numbers[k] += float64(by * v)
		}
		for ; len(at) >= linear.Stride; at = at[linear.Stride:] {
			w[at[0]] += by
			w[at[1]] += by
			w[at[2]] += by
			w[at[3]] += by
		}
		w[q.Size] = 0
	}
	return moved
}

// measure computes the primal objective and the duality gap.
func (s *solution) measure(q *problem) {
	norm := float64(s.bias * s.bias)
	for _, w := range s.weights {
		norm += float64(w * w)
	}
	loss, dual := 0.0, 0.0
	for i := range q.duals {
		d := &q.duals[i]
		score := s.score(q.Point(int32(i)))
		loss += float64(d.for1*max(0, 1-score)) + float64(d.against*max(0, 1+score))
		dual += min(2*d.for1-d.beta, 2*d.against+d.beta) // minus the loss' convex conjugate at -β
	}
	half := float64(norm / 2)
	s.primal = half + loss
	s.gap = s.primal - (dual - half)
}
