package pgm

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/numeric/elementary"
)

// Options say how a model is fitted.
type Options struct {
	// Iterations caps the steps of a stage, each one pass of sum-product. Most fits have one stage.
	Iterations int
	// Tolerance stops the fit when the loss is proven to be within this share of its minimum, or
	// when it has fallen by less than a tenth of this share in plateau steps. 0 never stops early.
	Tolerance float64
	MaxCells  float64 // of the model; a larger one is refused
}

// plateau is how many steps a fit takes between checks whether it can stop.
const plateau = 50

// Model is a fitted distribution of a number of records. It is safe for concurrent use once it is
// fitted.
type Model struct {
	Total float64 // the number of records
	// Loss is half the sum of squared distances from what was measured, in units of the noise, and
	// Gap bounds how far it is above its minimum; it is 0 or more.
	Loss, Gap  float64
	Iterations int // taken by the last stage

	*tree
	theta, mu []float64 // potentials and marginals of all cliques
	targets   []*target
}

// target is what was measured of one marginal: of several measurements the mean, weighted by the
// inverse of their variances.
type target struct {
	attributes []int
	counts     []float64
	weights    []float64 // 1/variance
	potentials []float64 // what the fit has added to the clique's for it
	from       int       // of its clique in the model's arrays
	within     embedding // in the clique
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
				counts: make([]float64, len(m.Counts)), weights: make([]float64, len(m.Counts)),
				potentials: make([]float64, len(m.Counts))})
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
// attribute takes part, measured or not. warm may be nil or a model whose measured marginals are
// all among the new ones: its potentials are the start.
func Fit(ctx context.Context, sizes []int, measured []Measurement, total float64, o Options,
	warm *Model) (*Model, error) {
	if len(sizes) > maxAttributes {
		return nil, fmt.Errorf("%w: %d attributes, must be at most %d", ErrTooLarge, len(sizes),
			maxAttributes)
	}
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
	m := &Model{Total: total, tree: newTree(sizes, t), targets: targets}
	m.theta, m.mu = make([]float64, m.cells), make([]float64, m.cells)
	f := &fitting{Model: m, oracle: newOracle(m.tree, total)}
	f.assign(cliques)
	if warm != nil {
		m.warm(warm)
	}
	return m, f.stages(ctx, o, warm == nil)
}

// sharp is the curvature times the number of records above which a fit that starts from nothing is
// made in stages; stageRatio is that of a stage to the one before.
const (
	sharp      = 100
	stageRatio = 8
)

// stages runs the method for measurements of little noise with more of it first. The steps that it
// takes grow with the curvature and with the divergence between start and end: where noise is
// taken away little by little each stage starts nearer, as its curvature grows.
func (f *fitting) stages(ctx context.Context, o Options, cold bool) error {
	soft := 1.0
	for cold && f.curvature*f.Total/soft > sharp {
		soft *= stageRatio
	}
	for ; soft >= 1; soft /= stageRatio {
		f.soften(soft)
		f.Iterations = 0
		if err := f.run(ctx, o); err != nil {
			return err
		}
		f.soften(1 / soft)
	}
	return nil
}

// soften divides the measurements' weights.
func (f *fitting) soften(by float64) {
	f.curvature /= by
	for _, t := range f.targets {
		for cell := range t.weights {
			t.weights[cell] /= by
		}
	}
}

// warm starts from the potentials of another model, which belong to the marginals it was fitted to:
// its cliques need not lie within the new ones, whose triangulation may add other edges.
func (m *Model) warm(old *Model) {
	for _, t := range m.targets {
		at := slices.IndexFunc(old.targets, func(o *target) bool {
			return slices.Equal(o.attributes, t.attributes)
		})
		if at < 0 {
			continue
		}
		copy(t.potentials, old.targets[at].potentials)
		t.within.spread(m.theta[t.from:], t.potentials)
	}
}

// fitting is the state of a fit: the points x, y and z of the method. The model's own tables are x,
// its potentials z's.
type fitting struct {
	*Model
	oracle     *oracle
	curvature  float64   // of the loss
	gradient   []float64 // with respect to the cliques' tables
	z, scratch []float64 // tables
	next       []float64 // potentials
	// the targets' marginals at x, at z and at the z that is tried, and the loss's derivative
	atX, atZ, tried, residual [][]float64
}

// assign gives each target to the smallest clique that covers it.
func (f *fitting) assign(cliques []set) {
	curvature := make([]float64, len(f.nodes))
	for i, t := range f.targets {
		c := f.covering(cliques[i])
		n := &f.nodes[c]
		t.from, t.within = n.from, embed(f.sizes, n.attributes, t.attributes)
		// Summing out never makes an L1 distance larger, nor does repeating a largest value, so
		// that the weights add up.
		curvature[c] += slices.Max(t.weights)
		for _, all := range []*[][]float64{&f.atX, &f.atZ, &f.tried, &f.residual} {
			*all = append(*all, make([]float64, len(t.counts)))
		}
	}
	f.curvature = slices.Max(curvature)
	n := len(f.mu)
	f.gradient, f.z, f.scratch = make([]float64, n), make([]float64, n), make([]float64, n)
	f.next = make([]float64, n)
}

// The step of the method grows a little while it proves short enough, and is cut where it is not.
const (
	stepGrowth = 1.1
	stepCut    = 0.5
	maxCuts    = 60 // one after the other: nothing is left to gain
	// roundingShare is how much of the logarithms that a divergence is made of is rounding.
	roundingShare = 1e-13
)

// run is the interior gradient method with the entropy as its kernel, which makes steps additive in
// the potentials and keeps every z a model (Auslender & Teboulle, Interior gradient and proximal
// methods for convex and conic optimization, 2006, section 5). The distance from the least loss
// falls with the square of the number of steps. A step is short enough when the loss, which is
// quadratic, bends by less than the divergence of the models pays for; the method's proof asks for
// no more, so that no bound on the curvature of all cliques together is needed.
func (f *fitting) run(ctx context.Context, o Options) error {
	logZ := f.oracle.marginals(f.theta, f.z)
	copy(f.mu, f.z)
	f.project(f.z, f.atZ)
	f.project(f.z, f.atX)
	f.Loss = f.evaluate(1)
	earlier := f.Loss
	scale, cuts := 1/(f.curvature*f.Total), 0 // the paper's 1/L
	// The paper's c, as large as the distance from the start may count: with a smaller one, what
	// the loss is at the start wears off too slowly where noise is small, and fits that start from
	// each other get worse and worse.
	weight := 1 / scale
	for f.Iterations < o.Iterations && f.curvature > 0 && cuts < maxCuts {
		if err := ctx.Err(); err != nil {
			return err
		}
		f.Iterations++
		// the root of a² = (1-a)·weight·scale between 0 and 1, by the smaller of a and 1-a
		s := 2 + float64(weight*scale)
		rest := 2 / (s + math.Sqrt(float64(s*s)-4))
		a := 1 - rest
		f.evaluate(rest)
		f.differentiate()
		step := a / (weight * rest)
		for cell, g := range f.gradient {
			f.next[cell] = f.theta[cell] - float64(step*g)
		}
		nextZ := f.oracle.marginals(f.next, f.scratch)
		f.project(f.scratch, f.tried)
		if bend, paid := f.bend(step, nextZ-logZ); bend > paid/scale+
			float64(roundingShare/scale*f.Total*(1+math.Abs(logZ))) {
			scale *= stepCut
			cuts++
			continue
		}
		scale, weight, cuts, logZ = scale*stepGrowth, weight*rest, 0, nextZ
		f.theta, f.next = f.next, f.theta
		f.z, f.scratch = f.scratch, f.z
		f.atZ, f.tried = f.tried, f.atZ
		for cell, z := range f.z {
			f.mu[cell] = float64(rest*f.mu[cell]) + float64(a*z)
		}
		for i, t := range f.targets {
			x, z := f.atX[i], f.atZ[i]
			for cell, r := range f.residual[i] {
				t.potentials[cell] -= float64(step * r)
				x[cell] = float64(rest*x[cell]) + float64(a*z[cell])
			}
		}
		if o.Tolerance == 0 || f.Iterations%plateau != 0 {
			continue
		}
		if f.Loss = f.evaluate(1); earlier-f.Loss < o.Tolerance/10*f.Loss ||
			f.gap() <= o.Tolerance*f.Loss {
			break
		}
		earlier = f.Loss
	}
	f.Loss = f.evaluate(1)
	f.Gap = f.gap()
	return nil
}

// project writes the marginals of all targets.
func (f *fitting) project(mu []float64, to [][]float64) {
	for i, t := range f.targets {
		clear(to[i])
		t.within.sum(mu[t.from:], to[i])
	}
}

// evaluate computes loss and residuals at y, a share of x and the rest of z.
func (f *fitting) evaluate(share float64) (loss float64) {
	for i, t := range f.targets {
		r, z := f.residual[i], f.atZ[i]
		for cell, x := range f.atX[i] {
			d := float64(share*x) + float64((1-share)*z[cell]) - t.counts[cell]
			r[cell] = float64(t.weights[cell] * d)
			loss += float64(r[cell] * d / 2)
		}
	}
	return loss
}

// differentiate computes the gradient at the point that was evaluated last.
func (f *fitting) differentiate() {
	clear(f.gradient)
	for i, t := range f.targets {
		t.within.spread(f.gradient[t.from:], f.residual[i])
	}
}

// bend is by how much the loss bends between z and the tried one; paid is the divergence of the
// tried model from z's, of mass Total. logs is the difference of their logarithms of mass.
func (f *fitting) bend(step, logs float64) (bend, paid float64) {
	for i, t := range f.targets {
		z, r := f.atZ[i], f.residual[i]
		for cell, x := range f.tried[i] {
			d := x - z[cell]
			bend += float64(t.weights[cell] * d * d / 2)
			paid -= float64(step * r[cell] * x)
		}
	}
	return bend, paid - float64(f.Total*logs)
}

// gap is the Frank-Wolfe gap at x, where the loss was evaluated last: what the loss, which is
// convex, could fall by at most, as its tangent says. The corners of all marginals are single
// records.
func (f *fitting) gap() float64 {
	f.differentiate()
	sum := 0.0
	for i, r := range f.residual {
		for cell, x := range f.atX[i] {
			sum += float64(r[cell] * x)
		}
	}
	return max(0, sum-float64(f.Total*f.oracle.least(f.gradient, f.scratch)))
}

// oracle computes marginals of p(x) ∝ exp Σ_C θ_C(x_C) on a junction tree, by sum-product with two
// passes. It has the scratch for that.
type oracle struct {
	*tree
	total    float64
	messages []float64 // logarithms of what children send to their parents, by shared cell
	sums     []float64 // of the exponentials of a block
	factors  []float64
}

func newOracle(t *tree, total float64) *oracle {
	return &oracle{t, total, make([]float64, t.separators), make([]float64, t.separators),
		make([]float64, t.separators)}
}

// marginals writes the table of each clique, of mass total, to mu. Potentials theta are finite or
// -Inf; 0/0 is 0. Each block of cells has its own scale, so that nothing underflows that another
// clique could bring back. It returns the logarithm of the sum that p is divided by.
func (o *oracle) marginals(theta, mu []float64) (logZ float64) {
	copy(mu, theta)
	for i := len(o.nodes) - 1; i >= 0; i-- {
		n := &o.nodes[i]
		own := mu[n.from : n.from+n.cells]
		for _, c := range o.children[i] {
			child := &o.nodes[c]
			child.inParent.spread(own, o.messages[child.sepFrom:child.sepFrom+child.blocks])
		}
		width := n.cells / n.blocks
		for s := range n.blocks {
			block := own[s*width : (s+1)*width]
			top := math.Inf(-1)
			for _, b := range block {
				if b > top {
					top = b
				}
			}
			sum := 0.0
			if !math.IsInf(top, -1) {
				for k, b := range block {
					e := elementary.Exp(b - top)
					block[k] = e
					sum += e
				}
			} else {
				clear(block)
			}
			o.sums[n.sepFrom+s] = sum
			o.messages[n.sepFrom+s] = top + elementary.Log(sum)
		}
	}
	for i := range o.nodes {
		n := &o.nodes[i]
		factors := o.factors[n.sepFrom : n.sepFrom+n.blocks]
		if n.parent < 0 {
			factors[0] = o.total
		} else {
			clear(factors)
			p := &o.nodes[n.parent]
			n.inParent.sum(mu[p.from:], factors)
		}
		own, width := mu[n.from:n.from+n.cells], n.cells/n.blocks
		for s, f := range factors {
			if sum := o.sums[n.sepFrom+s]; sum > 0 {
				f /= sum
			}
			block := own[s*width : (s+1)*width]
			for k := range block {
				block[k] *= f
			}
		}
	}
	return o.messages[0]
}

// least is the minimum over all records x of Σ_C g_C(x_C), by min-sum. scratch has the tree's
// cells.
func (o *oracle) least(g, scratch []float64) float64 {
	copy(scratch, g)
	least := 0.0
	for i := len(o.nodes) - 1; i >= 0; i-- {
		n := &o.nodes[i]
		own := scratch[n.from : n.from+n.cells]
		for _, c := range o.children[i] {
			child := &o.nodes[c]
			child.inParent.spread(own, o.messages[child.sepFrom:child.sepFrom+child.blocks])
		}
		width := n.cells / n.blocks
		for s := range n.blocks {
			least = math.Inf(1)
			for _, x := range own[s*width : (s+1)*width] {
				least = min(least, x)
			}
			o.messages[n.sepFrom+s] = least
		}
	}
	return least
}
