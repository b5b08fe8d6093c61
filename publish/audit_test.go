package publish

import (
	"context"
	"errors"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/internal/must"
)

// leaky publishes the true records or, of a table that is thinned, their true number in weights.
type leaky struct {
	algorithms.Algorithm
	weights bool
}

func (l leaky) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	r, err := l.Algorithm.Release(ctx, in)
	if err != nil {
		return nil, err
	}
	for i := range r.Weights {
		r.Weights[i] = float64(len(in.Rows)) / float64(len(r.Weights))
	}
	if !l.weights {
		r.Table = in.Table.Select(in.Rows)
	}
	return r, nil
}

// TestAudit: a release says how its very settings were audited. Where the audit finds something,
// nothing is released and nothing is spent.
func TestAudit(t *testing.T) {
	_, r := files(t, 50)
	made := must.Get(Make(t.Context(), r))
	a := made.Certificate.Audit
	if a == nil || a.Pairs < 1 || a.Pairs > 4 || a.Transcripts != 2*auditRounds*a.Pairs {
		t.Errorf("audited %+v", a)
	} else if !strings.Contains(read(t, r.Out+"/"+PageFile), a.Sentence()) {
		t.Errorf("the page lacks %q", a.Sentence())
	}
	r.Out, r.Algorithm, r.Epsilon = r.Out+"-k", "mondrian", 0
	if made := must.Get(Make(t.Context(), r)); made.Certificate.Audit != nil {
		t.Errorf("k-anonymity has %+v", made.Certificate.Audit)
	}

	r.Algorithm, r.Epsilon = "independent", 1
	table, _, err := r.load(t.Context())
	must.Do(t, err)
	c := must.Get(choose(t.Context(), r, table.Schema(), nil))
	sound := c.algorithm
	for _, weights := range []bool{false, true} {
		c.algorithm = leaky{sound, weights}
		_, err = c.audit(t.Context(), r, table.Schema())
		if !errors.Is(err, ErrRefused) || !strings.Contains(err.Error(), "output: ") {
			t.Errorf("true records, or (%t) their number, are published: %v", weights, err)
		}
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.audit(cancelled, r, table.Schema()); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	text := new(Audited).Sentence()
	must.Be(t, strings.HasPrefix(text, "These settings were not audited"), true, text)
}
