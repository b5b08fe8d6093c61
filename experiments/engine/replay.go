package engine

import (
	"context"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/internal/results"
)

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
