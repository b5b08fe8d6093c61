package pgm

import (
	"math"

	"ppdp/numeric/elementary"
)

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
