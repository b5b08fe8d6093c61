package engine

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
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

// replay replays the settings of some jobs whose programs ask for their noise, before their
// guarantees are called replayed: each once on made-up neighbours and far pairs, of the schema of
// its table. The error is what refutes one.
func (r *run) replay(ctx context.Context, jobs []int) error {
	known := make(map[string]bool)
	for _, i := range jobs {
		job, g := &r.plan.Jobs[i], r.promised(i)
		c := job.Config
		setting := fmt.Sprint(c.Info.Program, g.Variant, g.Contributions, c.Data.Label(),
			results.FormatParams(c.Params), c.BudgetText())
		if g.Status != algorithms.Replayed || c.Epsilon == nil || known[setting] {
			continue
		}
		known[setting] = true
		r.opts.Log(c.Info.Name + " asks for its noise: its calls are replayed on made-up records")
		pairs, err := pairsFor(g, r.cache.of(job).schema)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Info.Name, err)
		}
		found, err := audit.Replay(ctx, audit.Subject{Algorithm: c.Implementation,
			Variant: g.Variant, Params: c.Parameters, Epsilon: *c.Epsilon, Delta: c.Delta}, pairs,
			audit.Options{Transcripts: 1, Seed: r.plan.Seed, Jobs: r.opts.Workers})
		switch {
		case ctx.Err() != nil:
			return ErrInterrupted
		case err != nil:
			return fmt.Errorf("%s cannot be replayed, as its guarantee says: %w", c.Info.Name, err)
		case !found.Passed():
			f := found.Failures[0]
			return fmt.Errorf("%s: a replay refutes its guarantee: %s: %s: %s", c.Info.Name, f.Kind,
				f.Pair, f.Text)
		}
	}
	return nil
}

// pairsFor are small pairs under a guarantee: of a table's schema, unless that has persons or is
// nil.
func pairsFor(g algorithms.Guarantee, schema *datasets.Schema) ([]audit.Pair, error) {
	if schema == nil || g.Contributions > 0 {
		pairs, err := audit.Pairs(g)
		return slices.DeleteFunc(pairs, func(p audit.Pair) bool { return p.Weight > 1 }), err
	}
	far := audit.Larger(schema, g.Relation == algorithms.ReplaceRecord, [2]float64{})
	near, err := audit.PairsOn(g, "made-up records", far[0].A)
	return append(near, far...), err
}
