package all

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffgen"
	"ppdp/algorithms/diffmulti"
	"ppdp/algorithms/hay"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/partition"
	"ppdp/algorithms/rps"
	"ppdp/algorithms/rpsgraph"
	"ppdp/audit"
	"ppdp/internal/must"
)

// with returns parameters with a change.
func with[P algorithms.Params](p P, change func(P)) P {
	change(p)
	return p
}

// TestReplayShowsErrata: every erratum on privacy that a release on its own can show is refuted by
// a replay, in the way its entry says.
func TestReplayShowsErrata(t *testing.T) {
	for _, c := range []struct {
		erratum   string
		algorithm string
		variant   algorithms.Variant
		params    algorithms.Params
		kind      string
	}{
		// errata R1: a record moves the score by three times what is claimed.
		{"R1", "rps", algorithms.Published, with(rps.DefaultParams(),
			func(p *rps.Params) { p.Quality = rps.Class }), audit.Claim},
		// errata R3: counts computed from the exact number of records.
		{"R3", "rps", algorithms.Published, with(rps.DefaultParams(),
			func(p *rps.Params) { p.Counts = rps.ByDepth }), audit.Output},
		// errata D1: a region without a record gets no further cuts.
		{"D1", "diffmulti", algorithms.Published, diffmulti.DefaultParams(), audit.Calls},
		// errata D2: cut points in the middle between values of the data.
		{"D2", "diffmulti", algorithms.Published, with(diffmulti.DefaultParams(),
			func(p *diffmulti.Params) { p.Utility = partition.CertaintyPenalty }), audit.Loss},
		{"D2", "diffgen", algorithms.Published, with(diffgen.DefaultParams(),
			func(p *diffgen.Params) { p.Utility = partition.CertaintyPenalty }), audit.Loss},
		// errata D8: what the released program does.
		{"D8", "diffmulti", algorithms.RefCode, diffmulti.DefaultParams(), audit.Loss},
		// errata X1: DiffGen's program.
		{"X1", "diffgen", algorithms.RefCode, diffgen.DefaultParams(), audit.Loss},
		// errata G3: one node moves more counts than the noise is scaled to.
		{"G3", "rps-graph", algorithms.Published, rpsgraph.DefaultParams(), audit.Loss},
		{"G3", "rps-graph", algorithms.Published, with(rpsgraph.DefaultParams(),
			func(p *rpsgraph.Params) {
				p.Form, p.Counts = rpsgraph.Tree, rpsgraph.Unit
			}), audit.Claim},
		{"G3", "rps-graph", algorithms.Published, with(rpsgraph.DefaultParams(),
			func(p *rpsgraph.Params) {
				p.Form, p.Counts = rpsgraph.Tree, rpsgraph.Laplace
			}), audit.Loss},
		// errata G4: noise scaled to the graph's own maximum degree.
		{"G4", "hay", algorithms.Published, with(hay.DefaultParams(), func(p *hay.Params) {
			p.Neighbours, p.Lambda = hay.Node, degrees.MaxDegree
		}), audit.Calls},
	} {
		t.Run(c.erratum+" "+c.algorithm+" "+c.kind, func(t *testing.T) {
			t.Parallel()
			a := must.Get(algorithms.Lookup(c.algorithm))
			g := must.Get(algorithms.GuaranteeOf(a, c.variant, c.params))
			pairs := must.Get(audit.Pairs(g))
			subject := audit.Subject{Algorithm: a, Variant: c.variant, Params: c.params, Epsilon: 1}
			v := must.Get(audit.Replay(t.Context(), subject, pairs, audit.Options{Transcripts: 20}))
			found := slices.ContainsFunc(v.Failures,
				func(f audit.Failure) bool { return f.Kind == c.kind })
			if !found || !slices.Contains(g.Errata, c.erratum) {
				t.Errorf("found %v, want %s; the guarantee names %v", v.Failures, c.kind, g.Errata)
			}
		})
	}
}
