package engine

import (
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// promised is what a job's algorithm promises, whatever the data say.
func (r *run) promised(i int) algorithms.Guarantee {
	c := &r.plan.Jobs[i]
	return c.Config.Guarantee.OfPersons(r.cache.of(c).contributions)
}

// guarantee is what a finished job's algorithm promises, as far as the data and the ledger bear it
// out. It says of the data no more than whether they do.
func (r *run) guarantee(i int) algorithms.Guarantee {
	data := r.cache.of(&r.plan.Jobs[i])
	g := r.promised(i)
	if data.Share > 1 && g.Model != algorithms.NoPrivacy && g.Status != algorithms.Broken {
		g.Status, g.Errata = algorithms.Short, append(slices.Clip(g.Errata), "D13")
	}
	if g.Model != algorithms.DifferentialPrivacy {
		return g
	}
	for _, b := range data.Breaks {
		g.Break(b.Reason, b.Erratum)
	}
	if most := g.MaxDegree; most > 0 && most < data.nodes-1 && data.maxDegree >= most {
		g.Break("A node has lambda edges or more: the neighbour relation leaves the graph out, or "+
			"lambda may have been read off it.", "G4")
	}
	switch {
	case g.Status != algorithms.Holds:
	case r.proofs[i] == unbounded:
		g.Break("No finite loss is proven.")
	case r.proofs[i] == above:
		g.Status = algorithms.Short
	}
	return g
}

// proof is how the proven loss of a finished job compares with its budget.
type proof uint8

const (
	within    proof = iota // or nothing is spent
	above                  // the budget
	unbounded              // no finite loss is proven
)

func proofOf(c *language.Config, spent *results.Spent) proof {
	switch {
	case spent == nil:
		return within
	case !spent.Proven.Finite():
		return unbounded
	case spent.Rho > 0 && spent.Proven.Exceeds(spent.Rho),
		spent.Rho == 0 && c.Epsilon != nil && spent.Proven.Exceeds(*c.Epsilon):
		return above
	}
	return within
}

// keep keeps a finished job in memory.
func (r *run) keep(i int, e *entry) {
	r.entries[i], r.proofs[i] = e, proofOf(r.plan.Jobs[i].Config, e.Spent)
}

// unproved is an entry with the proven loss that its job has for a person. Where the guarantee is
// broken none is finite: the mechanisms' losses do not cover what breaks it. Where several records
// come from one person their losses add up.
func (r *run) unproved(i int, e entry) entry {
	times := float64(max(1, r.cache.of(&r.plan.Jobs[i]).Share))
	if r.guarantee(i).Status == algorithms.Broken {
		times = math.Inf(1)
	}
	if times == 1 {
		return e
	}
	e.Ledger = slices.Clone(e.Ledger)
	if e.Spent != nil && e.Spent.Rho > 0 {
		times *= times // as ρ grows with the square of a group's size
	}
	proven := func(b *results.Bound) {
		if math.IsInf(times, 1) {
			*b = results.Bound(times) // of 0 too
		} else {
			*b *= results.Bound(times)
		}
	}
	if e.Spent != nil {
		spent := *e.Spent
		e.Spent = &spent
		proven(&e.Spent.Proven)
		if e.Spent.Rho > 0 {
			e.Spent.ProvenEpsilon = results.Bound(privacy.EpsilonOf(float64(e.Spent.Proven),
				r.plan.Jobs[i].Config.Delta))
		}
	}
	for row := range e.Ledger {
		proven(&e.Ledger[row].Loss)
	}
	return e
}
