package publish

import (
	"context"
	"fmt"
	"time"

	"ppdp/algorithms"
	"ppdp/audit"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// auditTime bounds how long a release waits for the audit of its settings.
const auditTime = 10 * time.Second

// auditRounds is how many transcripts each pair of neighbours has in either direction, if there is
// time. Only tests change it.
var auditRounds = 3

// Audited is what was done to audit the very settings of a release, by the program that made it.
type Audited struct {
	// Pairs of neighbouring tables of made-up records, and Transcripts recorded on one and replayed
	// on the other. Both are 0 where there was no time for any.
	Pairs       int `json:"pairs"`
	Transcripts int `json:"transcripts"`
}

// Sentence says it in words.
func (a *Audited) Sentence() string {
	if a.Transcripts == 0 {
		return "These settings were not audited: no replay on made-up records ended in time."
	}
	return fmt.Sprintf("With this schema and these settings, the program replayed %d releases of "+
		"made-up records call by call, on %d pairs of neighbouring tables, before it made this "+
		"one. Nothing was found against the guarantee. Tables that were not tried may show more.",
		a.Transcripts, a.Pairs)
}

// audit replays releases of made-up records as they are handed out. What it finds against the
// guarantee is an error: nothing may be released then.
func (c *chosen) audit(ctx context.Context, r *Request, schema *datasets.Schema) (*Audited, error) {
	if c.guarantee.Model != algorithms.DifferentialPrivacy {
		return nil, nil
	}
	pairs, err := audit.PairsOf(c.guarantee, schema)
	if err != nil {
		return nil, err
	}
	subject := audit.Subject{Algorithm: c.algorithm, Variant: c.guarantee.Variant,
		Params: c.params, Epsilon: r.Epsilon, Delta: r.Delta, Publication: true}
	limited, cancel := context.WithTimeout(ctx, auditTime)
	defer cancel()
	done, seeds := new(Audited), random.SystemStream()
	for round := range auditRounds {
		for i := range pairs {
			far := pairs[i].Unrelated
			if far && round > 0 {
				continue
			}
			found, err := audit.Replay(limited, subject, pairs[i:i+1],
				audit.Options{Transcripts: 1, Seed: seeds.Uint64()})
			switch {
			case limited.Err() != nil: // the replay was cut off: what it found means nothing
				return done, ctx.Err()
			case err != nil && !far: // more records may be too many
				return nil, err
			case err == nil && !found.Passed():
				return nil, fmt.Errorf("%s, variant %s, %w: an audit of these settings on "+
					"made-up records found a fault of the program (%s: %s). Please report it",
					c.info.Name, c.guarantee.Variant, ErrRefused, found.Failures[0].Kind,
					found.Failures[0].Text)
			}
			if !far { // of which the certificate speaks
				done.Pairs = max(done.Pairs, i+1)
				done.Transcripts += found.Transcripts
			}
		}
	}
	return done, nil
}
