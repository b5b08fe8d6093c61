package svm

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func stream() *random.Stream { return random.NewKey(7).Stream() }

// dense writes a point out, the constant feature last.
func dense(p *linear.Points, i int) []float64 {
	x := make([]float64, p.Size+1)
	x[p.Size] = 1
	values, at := p.Point(int32(i))
	copy(x, values)
	for _, f := range at {
		x[f] = 1
	}
	return x
}

// example is one point with one label.
type example struct {
	x         []float64
	sign, top float64
}

// examples takes points apart into their labels.
func examplesOf(p *linear.Points, positive uint32, price float64) []example {
	var all []example
	for i, weight := range p.Mass {
		sign := -1.0
		if i%p.Classes == int(positive) {
			sign = 1
		}
		if weight > 0 {
			all = append(all, example{dense(p, i/p.Classes), sign, price * weight})
		}
	}
	return all
}

// bruteForce minimises the primal objective exactly: in the optimum every dual variable is 0, at
// its top or between, so that all 3ⁿ patterns are tried, the variables between solved for, and the
// best feasible dual value taken. Strong duality makes it the primal minimum.
func bruteForce(examples []example) float64 {
	n := len(examples)
	top := make([]float64, n)
	for i := range examples {
		top[i] = examples[i].top
	}
	q := func(i, j int) float64 {
		sum := 0.0
		for f := range examples[i].x {
			sum += examples[i].x[f] * examples[j].x[f]
		}
		return examples[i].sign * examples[j].sign * sum
	}
	best := 0.0 // all variables 0
	patterns := 1
	for range n {
		patterns *= 3
	}
	for pattern := range patterns {
		alpha := make([]float64, n)
		var free []int
		for i, rest := 0, pattern; i < n; i, rest = i+1, rest/3 {
			switch rest % 3 {
			case 1:
				alpha[i] = top[i]
			case 2:
				free = append(free, i)
			}
		}
		if len(free) > 0 {
			a, b := mat.NewDense(len(free), len(free), nil), mat.NewVecDense(len(free), nil)
			for r, i := range free {
				rhs := 1.0
				for j := range alpha {
					rhs -= q(i, j) * alpha[j] // free ones are still 0
				}
				b.SetVec(r, rhs)
				for c, j := range free {
					a.Set(r, c, q(i, j))
				}
			}
			var solved mat.VecDense
			if err := solved.SolveVec(a, b); err != nil {
				// Dependent points: another pattern with fewer of them between has the same value.
				continue
			}
			feasible := true
			for r, i := range free {
				v := solved.AtVec(r)
				feasible = feasible && v >= 0 && v <= top[i]
				alpha[i] = v
			}
			if !feasible {
				continue
			}
		}
		dual := 0.0
		for i := range alpha {
			dual += alpha[i]
			for j := range alpha {
				dual -= alpha[i] * alpha[j] * q(i, j) / 2
			}
		}
		best = max(best, dual)
	}
	return best
}

// primal is the objective as the package comment prints it.
func primal(examples []example, s *solution) float64 {
	sum := s.bias * s.bias / 2
	for _, w := range s.weights {
		sum += w * w / 2
	}
	for _, e := range examples {
		score := s.bias
		for f, w := range s.weights {
			score += w * e.x[f]
		}
		sum += e.top * max(0, 1-e.sign*score)
	}
	return sum
}

// TestAgainstBruteForce: the objective reached is within the promised share of the exact minimum,
// and the gap reported is no smaller than the true distance.
func TestAgainstBruteForce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 6, true)
		if table.Len() == 0 {
			return
		}
		weights := make([]float64, table.Len())
		for row := range weights {
			weights[row] = rapid.SampledFrom([]float64{0.25, 1, 3}).Draw(t, "weight")
		}
		data := classifiers.Data{Table: table, Rows: table.AllRows(), Weights: weights}
		p := linear.NewPoints(data, linear.NewLayout(table.Schema()))
		price := rapid.SampledFrom([]float64{0.01, defaultC(p), 20}).Draw(t, "C")
		s := must.Get(solve(context.Background(), p, 1, price, stream()))
		const rounding = 1e-9
		examples := examplesOf(p, 1, price)
		want, got := bruteForce(examples), primal(examples, s)
		if got < want-rounding || got > want*(1+relativeGap)/(1-relativeGap)+rounding {
			t.Fatalf("objective %v after %d rounds, minimum %v", got, s.rounds, want)
		}
		if math.Abs(got-s.primal) > rounding || got-want > s.gap+rounding {
			t.Fatalf("reported objective %v and gap %v, recomputed %v, minimum %v",
				s.primal, s.gap, got, want)
		}
	})
}

// TestDefaultC: 1/mean(|x|²) by hand. Outlook and temperature have three values, so one indicator
// is on in each row; humidity and windy have one for the second value alone.
func TestDefaultC(t *testing.T) {
	table := testtable.Weather(false)
	ones := 0
	for row := range table.Len() {
		ones += 2 + int(table.Column(2).At(int32(row))) + int(table.Column(3).At(int32(row)))
	}
	p := linear.NewPoints(classifiers.Data{Table: table, Rows: table.AllRows()},
		linear.NewLayout(table.Schema()))
	if got, want := defaultC(p), float64(table.Len())/float64(ones); math.Abs(got-want) > 1e-12 {
		t.Errorf("C %v, must be %v", got, want)
	}
	if p.Size != 8 {
		t.Errorf("%d features, must be 3+3+1+1", p.Size)
	}
}

// TestStep: β on a fine grid never beats the step in the dual, whose part of one point is
// -½·square·β² - rest·β + min(2a-β, 2b+β).
func TestStep(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := rapid.SampledFrom([]float64{0, 0.3, 1, 7, 1000})
		a, b := draw.Draw(t, "a"), draw.Draw(t, "b")
		rest, square := rapid.Float64Range(-50, 50).Draw(t, "rest"), rapid.Float64Range(1,
			9).Draw(t, "square")
		dual := func(beta float64) float64 {
			return -square*beta*beta/2 - rest*beta + min(2*a-beta, 2*b+beta)
		}
		got := step(a, b, rest, square)
		if got < -b || got > a {
			t.Fatalf("β %v outside [%v, %v]", got, -b, a)
		}
		const cells = 1000
		for i := range cells + 1 {
			beta := -b + (a+b)*float64(i)/cells
			if dual(beta) > dual(got)+1e-9*(1+math.Abs(dual(got))) {
				t.Fatalf("β %v has %v, %v has %v", got, dual(got), beta, dual(beta))
			}
		}
	})
}

// TestHeavyContradiction: one point with a million records of either label. The optimum, by hand:
// with u = w + b at the point's score, |w|² + b² = u²/2 as both share it evenly, and the loss is
// a·(1-u) + b·(1+u) inside [-1,1], so that for a = 2b the score is 1, the weights ½ and the
// objective ¼ + 2b. It has to be found in a few passes.
func TestHeavyContradiction(t *testing.T) {
	table := testtable.Table([]datasets.Attribute{testtable.Categorical("x", "a", "b"),
		testtable.Class("no", "yes")}, []uint32{1, 0}, []uint32{1, 1})
	p := linear.NewPoints(classifiers.Data{Table: table, Rows: table.AllRows(),
		Weights: []float64{1e6, 2e6}}, linear.NewLayout(table.Schema()))
	if c := defaultC(p); p.Len() != 1 || c != 1 {
		t.Fatalf("%d points, C %v, must be 1 and 1", p.Len(), c)
	}
	s := must.Get(solve(context.Background(), p, 1, 1, stream()))
	if s.rounds > 1 || math.Abs(s.weights[0]-0.5) > 1e-6 || math.Abs(s.bias-0.5) > 1e-6 ||
		math.Abs(s.primal-(0.25+2e6)) > 1e-3 {
		t.Errorf("w %v, b %v, objective %v after %d rounds, must be ½, ½, ¼ + 2e6",
			s.weights[0], s.bias, s.primal, s.rounds)
	}
}

// TestUnsolved: a problem that was given up far from its optimum is no model.
func TestUnsolved(t *testing.T) {
	for _, c := range []struct {
		primal, gap float64
		ok          bool
	}{{100, 0.99, true}, {100, 1.01, false}, {100, math.NaN(), false}, {0, 0, true}} {
		if err := (&solution{primal: c.primal, gap: c.gap}).check(); (err == nil) != c.ok {
			t.Errorf("objective %v, gap %v: error %v", c.primal, c.gap, err)
		}
	}
}

func TestSolveStops(t *testing.T) {
	table := testtable.Weather(true)
	p := linear.NewPoints(classifiers.Data{Table: table, Rows: table.AllRows()},
		linear.NewLayout(table.Schema()))
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := solve(ctx, p, 1, 1, stream()); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, must be %v", err, context.Canceled)
	}
}
