package claims

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// run is a run and, once they are needed, its samples, measured and derived.
type run struct {
	*results.Summary
	samples []results.Sample
}

// valuesOf lists the values but "" that samples have of a fact, in order of first appearance; nil
// where no sample has the fact.
func (r *run) valuesOf(fact string) (values []string) {
	for i := range r.samples {
		value, known := r.samples[i].Fact(fact)
		if known && values == nil {
			values = []string{}
		}
		if value != "" && !slices.Contains(values, value) {
			values = append(values, value)
		}
	}
	return values
}

// selected returns the samples of an experiment that a selector keeps, in the variant asked for.
func (s *scope) selected(experiment string, where Selector, at string) ([]*results.Sample, error) {
	r := s.runs[experiment]
	if r == nil {
		s.judgement.absent = true
		return nil, missing("%s has not been run", experiment)
	}
	if r.samples == nil {
		r.samples = append(r.Samples(), r.Derived()...)
	}
	s.judgement.Experiments = append(s.judgement.Experiments, experiment)
	reduced := r.Manifest.Overrides.Reduced()
	s.judgement.Reduced = s.judgement.Reduced || reduced
	ofTimes := func(t term) bool { return t.key == "metric" && t.wanted == results.RuntimeMetric }
	if !r.Timed && slices.ContainsFunc(where, ofTimes) {
		return nil, missing("%s has no %s", experiment, results.TimingsFile)
	}
	var kept []*results.Sample
	for i := range r.samples {
		if x := &r.samples[i]; where.selects(x) {
			kept = append(kept, x)
			if s.options.Used != nil {
				s.options.Used(experiment, x)
			}
		}
	}
	err := r.check(s.file, where)
	text, known := s.options.Specs[experiment]
	switch {
	case err == nil && len(kept) > 0:
	case known && text != r.Manifest.Spec:
		return nil, missing("%s was run in another version, without %s: run it again",
			experiment, where)
	case err != nil:
		return nil, err
	case reduced:
		return nil, missing("the reduced run of %s has nothing of %s", experiment, where)
	default:
		return nil, fmt.Errorf("%s: no record of %s has all of %s", at, experiment, where)
	}
	if where.mentions("variant") {
		return kept, nil
	}
	if kept = s.inVariant(kept); len(kept) == 0 {
		return nil, missing("%s has no record of %s in the %s variant",
			experiment, where, s.options.Variant)
	}
	return kept, nil
}

// check reports terms that no sample can match. A run with overrides may lack values of a fact.
func (r *run) check(f *File, where Selector) error {
	var problems []error
	for _, t := range where {
		no := fmt.Sprintf("%s: where: no record of %s has %s", f.lineOf(t.node),
			r.Manifest.Experiment, t.key)
		values := r.valuesOf(t.key)
		if values == nil {
			problems = append(problems, errors.New(no))
			continue
		}
		for alternative := range strings.SplitSeq(t.wanted, "|") {
			matches := func(value string) bool { return results.Matches(value, alternative) }
			if alternative != "" && !r.Manifest.Overrides.Reduced() &&
				!slices.ContainsFunc(values, matches) {
				problems = append(problems, fmt.Errorf("%s %s, must be one of %s",
					no, alternative, strings.Join(values, ", ")))
			}
		}
	}
	return errors.Join(problems...)
}

// inVariant keeps the samples of algorithms under test in the variant asked for, and those of the
// others in the published one where they have it.
func (s *scope) inVariant(samples []*results.Sample) []*results.Sample {
	published := make(map[string]bool)
	for _, x := range samples {
		published[x.Algorithm] = published[x.Algorithm] || x.Variant == Published
	}
	return slices.DeleteFunc(samples, func(x *results.Sample) bool {
		if slices.Contains(s.file.UnderTest, x.Algorithm) {
			return x.Variant != s.options.Variant
		}
		return published[x.Algorithm] && x.Variant != Published
	})
}

// Selector keeps samples by their facts, like a results.Filter, and remembers the order and the
// nodes of its terms for messages.
type Selector []term

type term struct {
	key, wanted string
	node        *strictyaml.Node
}

// UnmarshalStrict reads a mapping from facts to the alternatives kept.
func (s *Selector) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	for _, entry := range r.Entries(n) {
		var wanted string
		r.Decode(entry.Value, &wanted)
		*s = append(*s, term{entry.Key, wanted, entry.Value})
	}
}

// with returns the selector with other's terms added, which replace those of the same key.
func (s Selector) with(other Selector) Selector {
	again := func(t term) bool { return other.mentions(t.key) }
	return append(slices.DeleteFunc(slices.Clone(s), again), other...)
}

// replaced returns the selector with the values of other for the keys that both mention.
func (s Selector) replaced(other Selector) Selector {
	all := slices.Clone(s)
	for i := range all {
		for _, t := range other {
			if t.key == all[i].key {
				all[i] = t
			}
		}
	}
	return all
}

func (s Selector) mentions(key string) bool {
	return slices.ContainsFunc(s, func(t term) bool { return t.key == key })
}

func (s Selector) String() string {
	parts := results.Mapped(s, func(t term) string { return t.key + " " + t.wanted })
	return strings.Join(parts, ", ")
}

// selects reports whether all terms hold. A fact that is not known is the empty text.
func (s Selector) selects(x results.Facts) bool {
	for _, t := range s {
		if value, _ := x.Fact(t.key); !results.Matches(value, t.wanted) {
			return false
		}
	}
	return true
}
