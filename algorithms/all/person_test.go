package all

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/audit"
)

// TestPersons: whatever holds for records holds for persons with up to three, at the same budget:
// replayed call by call on neighbours that differ in all records of a person, in pure epsilon and,
// where a delta is taken, in rho.
func TestPersons(t *testing.T) {
	for _, name := range algorithms.Names() {
		a := must(algorithms.Lookup(name))
		info := a.Info()
		for i := range info.Variants {
			g := &info.Variants[i]
			if g.Model != algorithms.DifferentialPrivacy || g.Unit != "record" ||
				g.Status != algorithms.Holds {
				continue
			}
			for _, delta := range []float64{0, 1e-9} {
				if delta > 0 && !g.Approximate {
					continue
				}
				c := must(audit.NewCase(audit.Subject{Algorithm: a, Variant: g.Variant,
					Params: quick(a.Params()), Epsilon: 1, Delta: delta, Contributions: 3}, ""))
				found := must(c.Audit(t.Context(), audit.Options{Transcripts: 1, Seed: 1}))
				if found.Error != "" || !found.Passed() || found.Unit != "person" {
					t.Errorf("%s, %s, delta %v: %s%+v", name, g.Variant, delta, found.Error,
						found.Failures)
				}
			}
		}
	}
}
