package svm

import (
	"context"
	"fmt"

	"ppdp/random"
)

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
	*points
	for1, against []float64 // C times the weight of each point's records with the label 1 and -1
}

func newProblem(p *points, positive uint32, price float64) *problem {
	q := &problem{points: p, for1: make([]float64, p.len()), against: make([]float64, p.len())}
	for i, weight := range p.mass {
		if i%p.classes == int(positive) {
			q.for1[i/p.classes] = float64(price * weight)
		} else {
			q.against[i/p.classes] += float64(price * weight)
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
func solve(ctx context.Context, p *points, positive uint32, price float64,
	order *random.Stream) (*solution, error) {
	q := newProblem(p, positive, price)
	s := &solution{weights: make([]float64, p.size)}
	beta := make([]float64, p.len())
	all, moving := make([]int32, p.len()), make([]int32, p.len())
	for i := range all {
		all[i] = int32(i)
	}
	passes := firstPasses
	for s.rounds < maxRounds {
		moving = append(moving[:0], all...)
		for range 1 + passes {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			order.Shuffle(len(moving),
				func(i, j int) { moving[i], moving[j] = moving[j], moving[i] })
			if moving = s.pass(q, beta, moving); len(moving) == 0 {
				break
			}
		}
		s.rounds++
		passes = min(2*passes, mostPasses)
		if s.measure(q, beta); s.gap <= relativeGap*s.primal {
			break
		}
	}
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
func (s *solution) score(p *points, i int32) float64 {
	values, at := p.point(i)
	w := s.weights
	score := s.bias
	numbers := w[:len(values)]
	for k, v := range values {
		score += float64(v * numbers[k])
	}
	for _, f := range at {
		score += w[f]
	}
	return score
}

// pass visits points in order and returns those that moved, in the same memory.
func (s *solution) pass(q *problem, beta []float64, visits []int32) (moved []int32) {
	w, moved := s.weights, visits[:0]
	for _, i := range visits {
		score := s.score(q.points, i)
		square := q.squares[i] + 1
		next := step(q.for1[i], q.against[i], score-float64(beta[i]*square), square)
		by := next - beta[i]
		if by == 0 {
			continue
		}
		moved = append(moved, i)
		beta[i] = next
		s.bias += by
		values, at := q.point(i)
		for k, v := range values {
			w[k] += float64(by * v)
		}
		for _, f := range at {
			w[f] += by
		}
	}
	return moved
}

// measure computes the primal objective and the duality gap.
func (s *solution) measure(q *problem, beta []float64) {
	norm := float64(s.bias * s.bias)
	for _, w := range s.weights {
		norm += float64(w * w)
	}
	loss, dual := 0.0, 0.0
	for i, b := range beta {
		score := s.score(q.points, int32(i))
		loss += float64(q.for1[i]*max(0, 1-score)) + float64(q.against[i]*max(0, 1+score))
		dual += min(2*q.for1[i]-b, 2*q.against[i]+b) // minus the loss' convex conjugate at -β
	}
	half := float64(norm / 2)
	s.primal = half + loss
	s.gap = s.primal - (dual - half)
}
