package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// Case is a guarantee with the pairs of neighbours that it is audited on. Series is the name of the
// curve in the run it belongs to and Settings its parameters there, both empty without a run.
type Case struct {
	Subject
	Series    string
	Settings  map[string]string
	Guarantee algorithms.Guarantee
	Pairs     []Pair
}

// NewCase finds out what a subject guarantees and makes the neighbours that Pairs knows for it.
func NewCase(s Subject) (*Case, error) {
	c := &Case{Subject: s}
	return c, c.On("", Data{})
}

// On finds out what the case guarantees and chooses its neighbours: with a name those of the data
// of that name, whose schema says what is protected; without a name those of made-up inputs.
func (c *Case) On(name string, data Data) (err error) {
	if data.Table != nil {
		c.Contributions = data.Table.Schema().Contributions
	}
	g, err := algorithms.GuaranteeOf(c.Algorithm, c.Variant, c.Params)
	if err != nil {
		return err
	}
	if c.Guarantee = g.OfPersons(c.Contributions); name == "" {
		c.Pairs, err = Pairs(c.Guarantee)
	} else {
		c.Pairs, err = PairsOn(c.Guarantee, name, data)
	}
	return err
}

// describe fills in the fields of an audit that say what was audited.
func (c *Case) describe(a *results.Audit) {
	info := c.Algorithm.Info()
	a.Algorithm, a.Variant, a.Revision = info.Name, string(c.Variant), info.Revision
	a.Series, a.Params, a.Epsilon, a.Delta = c.Series, c.Settings, c.Epsilon, c.Delta
	a.Publication = c.Publication
	a.Unit, a.Relation = c.Guarantee.Unit, c.Guarantee.Relation
	a.Status = c.Guarantee.Status
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
		replay = tryRelease
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
	if !o.boxed() {
		return found, nil
	}
	finding, err := blackbox.Audit(ctx, c.target(), c.blackBox(o))
	if err != nil {
		return found, err
	}
	found.BlackBox = &results.Certified{Releases: finding.Releases, Accused: finding.Accused(),
		Bound: finding.Certified(), Detectable: results.Bound(finding.Detectable),
		Text: finding.String(), Curve: finding.Curve}
	return found, nil
}

// errDeclared is the error of a case that nothing would check.
var errDeclared = errors.New("what a program declares of itself can be audited as a black box " +
	"only: --black-box 4000")

// tryRelease takes the place of Replay for a program outside, which draws its own noise: no call is
// seen and no loss is proven. The error is that no release can be made, or that no black box is
// asked for either.
func tryRelease(ctx context.Context, s Subject, pairs []Pair, o Options) (results.Audit, error) {
	if !o.boxed() {
		return results.Audit{}, errDeclared
	}
	_, err := s.run(ctx, &pairs[0].A, s.Budget(&pairs[0].A), random.NewKey(o.Seed))
	if err != nil {
		err = fmt.Errorf("audit: no release could be made: %w", err)
	}
	return results.Audit{Pairs: len(pairs), Proven: results.Bound(math.Inf(1))}, err
}

// blackBox are the options of a case's black box.
func (c *Case) blackBox(o Options) blackbox.Options {
	box := o.BlackBox
	box.Workers, box.Key = o.Jobs, random.NewKey(o.Seed).Derive("audit", "black box", c.Series)
	return box
}

// target is the claim for the black box: of the replay's neighbours those that are small.
func (c *Case) target() blackbox.Target {
	target := blackbox.Target{Name: fmt.Sprintf("%s %s", c.Algorithm.Info().Name, c.Variant),
		Epsilon: c.Epsilon, Delta: c.Delta}
	for p := range results.Each(c.Pairs) {
		if p.Unrelated || p.Weight > 1 {
			continue
		}
		target.Pairs = append(target.Pairs, blackbox.Pair{Name: p.Name,
			Probes: blackbox.Probes(p.A.Table, p.B.Table),
			Release: func(ctx context.Context, key random.Key, side int, times float64) (
				release *algorithms.Release, err error) {
				defer recovered(&err)
				s, input := c.Subject, []*Data{&p.A, &p.B}[side]
				s.Epsilon *= times
				if release, err = s.Release(ctx, input, s.Budget(input), key); err == nil {
					_, _, err = release.Records(ctx)
				}
				return release, err
			}})
	}
	return target
}

// Releases is how many releases the black box of a case makes.
func (c *Case) Releases(o Options) int {
	if !o.boxed() {
		return 0
	}
	return c.blackBox(o).Cost(len(c.target().Pairs))
}
