package pgm

import (
	"context"
	"fmt"
	"math"
	"slices"
)

// Options say how a model is fitted.
type Options struct {
	// Iterations caps the steps of mirror descent, each one pass of sum-product.
	Iterations int
	// Tolerance stops the fit when the loss is proven to be within this share of its minimum, or
	// when it has fallen by less than a tenth of this share in plateau steps. 0 never stops early.
	Tolerance float64
	MaxCells  float64 // of the model; a larger one is refused
}

// How often the fit looks whether to stop.
const (
	gapEvery = 25
	plateau  = 50
)

// The line search's constants: the step grows after a success and shrinks after a failure, which is
// a decrease of less than a quarter of what the gradient promises.
const (
	stepGrowth = 1.4
	stepCut    = 0.5
	enough     = 0.25
	maxCuts    = 60 // one after the other: rounding hides any decrease
)

// Model is a fitted distribution of a number of records. It is safe for concurrent use once it is
// fitted.
type Model struct {
	Total float64 // the number of records
	// Loss is half the sum of squared distances from what was measured, in units of the noise, and
	// Gap bounds how far it is above its minimum; it is 0 or more.
	Loss, Gap  float64
	Iterations int // taken

	*tree
	theta, mu []float64 // potentials and marginals of all cliques
}

// target is what was measured of one marginal: of several measurements the mean, weighted by the
// inverse of their variances.
type target struct {
	attributes []int
	counts     []float64
	weights    []float64 // 1/variance
	from       int       // of its clique in the model's arrays
	cells      []int32   // for each cell of the clique, the marginal's
}

// targetsOf joins the measurements of each marginal.
func targetsOf(measured []Measurement) []*target {
	var targets []*target
	for i := range measured {
		m := &measured[i]
		at := slices.IndexFunc(targets, func(t *target) bool {
			return slices.Equal(t.attributes, m.Attributes)
		})
		if at < 0 {
			at = len(targets)
			targets = append(targets, &target{attributes: m.Attributes,
				counts: make([]float64, len(m.Counts)), weights: make([]float64, len(m.Counts))})
		}
		t := targets[at]
		for cell, count := range m.Counts {
			w := 1 / m.variance(cell)
			t.weights[cell] += w
			t.counts[cell] += float64(w * count)
		}
	}
	for _, t := range targets {
		for cell, w := range t.weights {
			t.counts[cell] /= w
		}
	}
	return targets
}

// Fit fits a model of total records over attributes of the given sizes to noisy marginals. Every
// attribute takes part, measured or not. warm may be nil or a model whose cliques lie within those
// of the new one: its potentials are the start.
func Fit(ctx context.Context, sizes []int, measured []Measurement, total float64, o Options,
	warm *Model) (*Model, error) {
	if len(sizes) > maxAttributes {
		return nil, fmt.Errorf("%w: %d attributes, must be at most %d", ErrTooLarge, len(sizes),
			maxAttributes)
	}
	checkSizes(sizes, measured)
	targets := targetsOf(measured)
	cliques := make([]set, len(targets))
	for i, t := range targets {
		cliques[i] = setOf(t.attributes)
	}
	t := cheapest(sizes, cliques)
	if t.cells > o.MaxCells || t.cells > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %.0f cells, must be at most %.0f", ErrTooLarge, t.cells,
			o.MaxCells)
	}
	m := &Model{Total: total, tree: newTree(sizes, t)}
	m.theta, m.mu = make([]float64, m.cells), make([]float64, m.cells)
	if warm != nil {
		m.warm(warm)
	}
	f := &fitting{Model: m, oracle: newOracle(m.tree, total), targets: targets}
	f.assign(cliques)
	return m, f.run(ctx, o)
}

// warm adds the potentials of a model to those of a covering one.
func (m *Model) warm(old *Model) {
	for i := range old.nodes {
		n := &old.nodes[i]
		to := &m.nodes[m.covering(n.members)]
		own := m.theta[to.from : to.from+to.cells]
		for cell, at := range cellMap(m.sizes, to.attributes, n.attributes) {
			own[cell] += old.theta[n.from+int(at)]
		}
	}
}

// fitting is the state of a fit. Values with the name next are of the point that is tried.
type fitting struct {
	*Model
	oracle    *oracle
	targets   []*target
	lipschitz float64
	gradient  []float64 // with respect to the cliques' tables
	next      struct{ theta, mu []float64 }
	// of each target: the model's marginal, the tried one, and the loss's derivative
	fitted, tried, residual [][]float64
}

// assign gives each target to the smallest clique that covers it.
func (f *fitting) assign(cliques []set) {
	curvature := make([]float64, len(f.nodes))
	for i, t := range f.targets {
		c := f.covering(cliques[i])
		n := &f.nodes[c]
		t.from, t.cells = n.from, cellMap(f.sizes, n.attributes, t.attributes)
		// summing out from a clique to a marginal has the squared norm n_C/n_r
		ratio := float64(n.cells) / float64(len(t.counts))
		curvature[c] += float64(ratio * slices.Max(t.weights))
		for _, all := range []*[][]float64{&f.fitted, &f.tried, &f.residual} {
			*all = append(*all, make([]float64, len(t.counts)))
		}
	}
	f.lipschitz = slices.Max(curvature)
	f.gradient = make([]float64, len(f.mu))
	f.next.theta, f.next.mu = make([]float64, len(f.mu)), make([]float64, len(f.mu))
}

// run is mirror descent with the entropy as its mirror map, which makes the step additive in the
// potentials.
func (f *fitting) run(ctx context.Context, o Options) error {
	f.oracle.marginals(f.theta, f.mu)
	f.Loss = f.project(f.mu, f.fitted)
	f.differentiate()
	step := 2 / (f.lipschitz * f.Total)
	earlier, cuts := f.Loss, 0
	for f.Iterations < o.Iterations && f.lipschitz > 0 && cuts < maxCuts {
		if err := ctx.Err(); err != nil {
			return err
		}
		for cell, g := range f.gradient {
			f.next.theta[cell] = f.theta[cell] - float64(step*g)
		}
		f.oracle.marginals(f.next.theta, f.next.mu)
		loss := f.project(f.next.mu, f.tried)
		f.Iterations++
		if promised := f.promised(); f.Loss-loss >= float64(enough*promised) && promised > 0 {
			f.theta, f.next.theta = f.next.theta, f.theta
			f.mu, f.next.mu = f.next.mu, f.mu
			f.fitted, f.tried = f.tried, f.fitted
			f.Loss = loss
			f.differentiate()
			step *= stepGrowth
			cuts = 0
		} else {
			step *= stepCut
			cuts++
		}
		if o.Tolerance == 0 {
			continue
		}
		if f.Iterations%plateau == 0 {
			if earlier-f.Loss < o.Tolerance/10*f.Loss {
				break
			}
			earlier = f.Loss
		}
		if f.Iterations%gapEvery == 0 && f.gap() <= o.Tolerance*f.Loss {
			break
		}
	}
	f.Gap = f.gap()
	return nil
}

// project writes the marginals of all targets and returns their loss.
func (f *fitting) project(mu []float64, to [][]float64) (loss float64) {
	for i, t := range f.targets {
		own := to[i]
		clear(own)
		for cell, x := range mu[t.from : t.from+len(t.cells)] {
			own[t.cells[cell]] += x
		}
		for cell, x := range own {
			d := x - t.counts[cell]
			loss += float64(t.weights[cell] * d * d)
		}
	}
	return float64(loss / 2)
}

// differentiate computes residuals and gradient at the model.
func (f *fitting) differentiate() {
	clear(f.gradient)
	for i, t := range f.targets {
		r := f.residual[i]
		for cell, x := range f.fitted[i] {
			r[cell] = float64(t.weights[cell] * (x - t.counts[cell]))
		}
		own := f.gradient[t.from : t.from+len(t.cells)]
		for cell, at := range t.cells {
			own[cell] += r[at]
		}
	}
}

// promised is the decrease of the loss that the gradient promises for the point that is tried.
func (f *fitting) promised() (sum float64) {
	for i, r := range f.residual {
		tried := f.tried[i]
		for cell, x := range f.fitted[i] {
			sum += float64(r[cell] * (x - tried[cell]))
		}
	}
	return sum
}

// gap is the Frank-Wolfe gap: what the loss, which is convex, could fall by at most if it were as
// flat as its tangent (3.4). The corners of all marginals are single records.
func (f *fitting) gap() float64 {
	sum := 0.0
	for i, r := range f.residual {
		for cell, x := range f.fitted[i] {
			sum += float64(r[cell] * x)
		}
	}
	return max(0, sum-float64(f.Total*f.oracle.least(f.gradient, f.next.mu)))
}
