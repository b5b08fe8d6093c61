package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/internal/results"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Case is a guarantee with the pairs of neighbours that it is audited on. Series is the name of the
// curve in the run it belongs to, empty without a run.
type Case struct {
	Subject
	Series    string
	Guarantee algorithms.Guarantee
	Pairs     []Pair
	Targets   int // how many of the pairs' records a black box attacks; 0 unless they were chosen
}

// NewCase finds out what a subject guarantees and makes the neighbours that Pairs knows for it.
func NewCase(s Subject, series string) (*Case, error) {
	g, err := algorithms.GuaranteeOf(s.Algorithm, s.Variant, s.Params)
	if err != nil {
		return nil, err
	}
	g = g.OfPersons(s.Contributions)
	pairs, err := Pairs(g)
	return &Case{s, series, g, pairs, 0}, err
}

// describe fills in the fields of an audit that say what was audited.
func (c *Case) describe(a *results.Audit) {
	info := c.Algorithm.Info()
	a.Algorithm, a.Variant, a.Revision = info.Name, string(c.Variant), info.Revision
	a.Series, a.Epsilon, a.Delta = c.Series, c.Epsilon, c.Delta
	a.Publication = c.Publication
	a.Unit, a.Relation = c.Guarantee.Unit, c.Guarantee.Relation
	a.Status = string(c.Guarantee.Status)
}

// Failed is the result of a case that could not be audited.
func (c *Case) Failed(err error) results.Audit {
	found := results.Audit{Error: err.Error()}
	c.describe(&found)
	return found
}

// Audit replays the case and, if Options say so, audits it as a black box. A result with its Error
// set says that no release could be made. The error returned is the context's, or that options are
// invalid.
func (c *Case) Audit(ctx context.Context, o Options) (results.Audit, error) {
	replay := Replay
	if c.Guarantee.Status == algorithms.Declared {
		replay = unproven
	}
	found, err := replay(ctx, c.Subject, c.Pairs, o)
	c.describe(&found)
	if ctx.Err() != nil {
		return found, ctx.Err()
	}
	if err != nil {
		return c.Failed(err), nil
	}
	if c.Guarantee.Status == algorithms.Holds && found.Proven.Exceeds(c.Epsilon) {
		all := tally{Audit: found}
		all.fail(Failure{Kind: Accounting, Pair: "all pairs", Text: fmt.Sprintf("the ledger "+
			"proves a loss of %v, claimed is %v", found.Proven, c.Epsilon)})
		found = all.Audit
	}
	if o.BlackBox == 0 {
		return found, nil
	}
	finding, err := blackbox.Audit(ctx, c.target(), c.blackBox(o))
	if err != nil {
		return found, err
	}
	found.BlackBox = &results.Certified{Releases: finding.Releases, Accused: finding.Accused(),
		Bound: finding.Bound, Detectable: results.Bound(finding.Detectable),
		Text: finding.String()}
	if c.Targets > 0 {
		found.BlackBox.Attacks = attacks(finding)
	}
	return found, nil
}

// attacks are the best tests of a finding, one for each pair that has any. The first side of a pair
// is with the record.
func attacks(f *blackbox.Finding) (best []results.Attack) {
	for _, t := range f.Tests {
		with, without, event := t.Hits[0], t.Hits[1], t.Event
		if t.Likelier == 1 {
			with, without, event = t.Of-with, t.Of-without, "not so: "+event
		}
		attack := results.Attack{Target: t.Pair, Event: event, Bound: t.Bound,
			TruePositives:  float64(with) / float64(t.Of),
			FalsePositives: float64(without) / float64(t.Of)}
		gain := func(a *results.Attack) float64 { return a.TruePositives - a.FalsePositives }
		last := len(best) - 1
		if last < 0 || best[last].Target != t.Pair {
			best = append(best, attack)
		} else if b := &best[last]; attack.Bound > b.Bound ||
			attack.Bound == b.Bound && gain(&attack) > gain(b) {
			best[last] = attack
		}
	}
	return best
}

// errDeclared is the error of a case that nothing would check.
var errDeclared = errors.New("what a program declares of itself can be audited as a black box " +
	"only: --black-box 4000")

// unproven takes the place of Replay for a program outside, which draws its own noise: no call is
// seen and no loss is proven. The error is that no release can be made, or that no black box is
// asked for either.
func unproven(ctx context.Context, s Subject, pairs []Pair, o Options) (results.Audit, error) {
	if o.BlackBox == 0 {
		return results.Audit{}, errDeclared
	}
	_, err := s.run(ctx, &pairs[0].A, s.budget(&pairs[0].A), random.NewKey(o.Seed))
	if err != nil {
		err = fmt.Errorf("audit: no release could be made: %w", err)
	}
	return results.Audit{Pairs: len(pairs), Proven: results.Bound(math.Inf(1))}, err
}

// blackBox are the options of a case's black box.
func (c *Case) blackBox(o Options) blackbox.Options {
	return blackbox.Options{Releases: o.BlackBox, Level: o.Level, Workers: o.Jobs,
		Key: random.NewKey(o.Seed).Derive("audit", "black box", c.Series)}
}

// released are the pairs for the black box: the replay's neighbours that are small.
func (c *Case) released() []Pair {
	return slices.DeleteFunc(slices.Clone(c.Pairs), func(p Pair) bool {
		return p.Far || p.Costly > 1
	})
}

// target is the claim for the black box.
func (c *Case) target() blackbox.Target {
	var neighbours []blackbox.Neighbours
	for _, p := range c.released() {
		neighbours = append(neighbours, blackbox.Neighbours{Name: p.Name,
			Inputs: [2]algorithms.Input{{Table: p.A.Table, Graph: p.A.Graph},
				{Table: p.B.Table, Graph: p.B.Graph}}})
	}
	algorithm := c.Algorithm
	if c.Publication {
		algorithm = rehearsed{algorithm}
	}
	return blackbox.AlgorithmTarget(algorithm, c.Variant, c.Params, c.Epsilon, c.Delta,
		neighbours...)
}

// rehearsed makes releases with a Publication's draws.
type rehearsed struct{ algorithms.Algorithm }

func (r rehearsed) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	in.Budget = privacy.NewRehearsal(in.Budget.Epsilon(), in.Budget.Delta())
	return r.Algorithm.Release(ctx, in)
}

// Releases is how many releases the black box of a case makes.
func (c *Case) Releases(o Options) int {
	if o.BlackBox == 0 {
		return 0
	}
	return c.blackBox(o).Cost(len(c.released()))
}
