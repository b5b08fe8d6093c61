package audit

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

// TestPersons: what is sound for records is sound for persons with up to three, and costs what is
// claimed of a person. A release whose noise is that of one record is seen, call by call and as a
// black box, and so is one whose counts a person moves by more than three.
func TestPersons(t *testing.T) {
	replaced := counts{}.Info().Variants[0]
	replaced.Relation = algorithms.ReplaceRecord
	for _, c := range []struct {
		contributions int
		fault         string
		kinds         []string
	}{
		{1, "", nil}, {3, "", nil}, {1, "a person charged for one record", nil},
		{3, "a person charged for one record", []string{Sensitivity}},
		{3, "half the sensitivity", []string{Sensitivity}},
	} {
		subject := toy(counts{c.fault})
		subject.Contributions = c.contributions
		made := must.Get(NewCase(subject))
		o := Options{Transcripts: 50, Seed: 1}
		if c.contributions == 3 && c.fault != "half the sensitivity" {
			o.BlackBox.Releases = 1000
			made.Pairs = slices.DeleteFunc(made.Pairs, func(p Pair) bool {
				return p.Name != "alone in its class, record 20 of 20 and 2 more of the person"
			})
		}
		v := must.Get(made.Audit(t.Context(), o))
		for _, kind := range c.kinds {
			if !slices.ContainsFunc(v.Failures, ofKind(kind)) {
				t.Errorf("%d, %q: no failure of %s, found %v", c.contributions, c.fault, kind,
					v.Failures)
			}
		}
		if c.kinds == nil && !v.Passed() {
			t.Errorf("%d, %q: found %v", c.contributions, c.fault, v.Failures)
		}
		if v.Unit != "person" || v.Relation != algorithms.AddOrRemovePerson {
			t.Errorf("%s, %s: must be of persons", v.Unit, v.Relation)
		}
		if box := v.BlackBox; box != nil && box.Accused != (c.kinds != nil) {
			t.Errorf("%d, %q: the black box says %s", c.contributions, c.fault, box.Text)
		}
		if c.fault == "" && !(v.Proven > 0.999 && v.Proven < 1.001) {
			t.Errorf("%d: proven %v, want 1, the person's epsilon", c.contributions, v.Proven)
		}
	}
	// A person whose three records are others now moves counts by six: twice what is claimed here.
	pairs := must.Get(Pairs(replaced.OfPersons(3)))
	subject := toy(counts{})
	subject.Contributions = 3
	v := must.Get(Replay(t.Context(), subject, pairs, Options{Transcripts: 20, Seed: 1}))
	if v.Passed() || results.Bound(v.MaxMoved()) != 2 {
		t.Errorf("replaced records move counts by %v of what is proven, want 2", v.MaxMoved())
	}
}
