package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/internal/results"
	"ppdp/random"
)

// Case is a guarantee to be audited on pairs of neighbours. Series is the name of the curve in the
// run it belongs to, if any.
type Case struct {
	Subject
	Series    string
	Guarantee algorithms.Guarantee
	Pairs     []Pair
}

// NewCase finds out what a subject guarantees and makes the neighbours that Pairs knows for it.
func NewCase(s Subject, series string) (*Case, error) {
	g, err := algorithms.GuaranteeOf(s.Algorithm, s.Variant, s.Params)
	if err != nil {
		return nil, err
	}
	pairs, err := Pairs(g)
	return &Case{s, series, g, pairs}, err
}

// about is what is known of a case before it is audited.
func (c *Case) about() results.Audit {
	info := c.Algorithm.Info()
	return results.Audit{Algorithm: info.Name, Variant: string(c.Variant),
		Revision: info.Revision, Series: c.Series, Epsilon: c.Epsilon, Delta: c.Delta,
		Unit: c.Guarantee.Unit, Relation: c.Guarantee.Relation,
		Status: string(c.Guarantee.Status)}
}

// Failed is the result of a case that could not be audited.
func (c *Case) Failed(err error) results.Audit {
	found := c.about()
	found.Error = err.Error()
	return found
}

// Audit replays the case, and looks at it as a black box where Options say so. That nothing could
// be released is in the first result; the error is the context's, or of options that are invalid.
func (c *Case) Audit(ctx context.Context, o Options) (results.Audit, *Verdict, error) {
	found := c.about()
	replay := Replay
	if c.Guarantee.Status == algorithms.Declared {
		replay = releases // whose noise is not ours
	}
	v, err := replay(ctx, c.Subject, c.Pairs, o)
	if ctx.Err() != nil {
		return found, nil, ctx.Err()
	} else if err != nil {
		return c.Failed(err), &Verdict{}, nil
	}
	found.Pairs, found.Transcripts, found.Failed, found.Calls = v.Pairs, v.Transcripts, v.Failed,
		v.Calls
	found.SeenDelta = v.SeenDelta
	found.Proven, found.Seen = results.Bound(v.Proven), results.Bound(v.Loss)
	for _, s := range v.Seen {
		found.Moved = append(found.Moved, s.Moved)
	}
	found.Failures = append(found.Failures, v.Failures...)
	if o.BlackBox == 0 {
		return found, v, nil
	}
	finding, err := blackbox.Audit(ctx, c.target(), c.blackBox(o))
	if err != nil {
		return found, v, err
	}
	found.BlackBox = &results.Certified{Releases: finding.Releases, Accused: finding.Accused(),
		Bound: finding.Bound, Detectable: results.Bound(finding.Detectable),
		Text: finding.String()}
	return found, v, nil
}

// errDeclared is what a replay would say of noise that it cannot see.
var errDeclared = errors.New("what a program declares of itself can be audited as a black box " +
	"only: --black-box 4000")

// releases is what takes the place of a replay where a program outside draws its own noise: nothing
// is proven, and no call is seen. The error is that it releases nothing, or that nothing else looks
// at what it releases.
func releases(ctx context.Context, s Subject, pairs []Pair, o Options) (*Verdict, error) {
	if o.BlackBox == 0 {
		return nil, errDeclared
	}
	made := s.run(ctx, &pairs[0].A, s.budget(), random.NewKey(o.Seed))
	if made.err != nil {
		return nil, fmt.Errorf("audit: no release could be made: %w", made.err)
	}
	return &Verdict{Pairs: len(pairs), Epsilon: s.Epsilon, Delta: s.Delta,
		Proven: math.Inf(1)}, nil
}

// blackBox are the options of a case's black box.
func (c *Case) blackBox(o Options) blackbox.Options {
	return blackbox.Options{Releases: o.BlackBox, Level: o.Level, Workers: o.Jobs,
		Key: random.NewKey(o.Seed).Derive("audit", "black box", c.Series)}
}

// target is the claim for the black box, on the replay's pairs.
func (c *Case) target() blackbox.Target {
	neighbours := make([]blackbox.Neighbours, len(c.Pairs))
	for i, p := range c.Pairs {
		neighbours[i] = blackbox.Neighbours{Name: p.Name, Inputs: [2]algorithms.Input{
			{Table: p.A.Table, Graph: p.A.Graph}, {Table: p.B.Table, Graph: p.B.Graph}}}
	}
	return blackbox.AlgorithmTarget(c.Algorithm, c.Variant, c.Params, c.Epsilon, c.Delta,
		neighbours...)
}

// Releases is how many releases the black box of a case makes.
func (c *Case) Releases(o Options) int {
	if o.BlackBox == 0 {
		return 0
	}
	return c.blackBox(o).Cost(len(c.Pairs))
}
