package regress

import (
	"fmt"
	"slices"

	"ppdp/internal/results"
)

// OutputDifference returns the first trial mean in which two runs differ, of those that both have,
// or nil.
func OutputDifference(a, b *Reference) *Difference {
	at := byKey(b.Samples)
	for i := range a.Samples {
		s := &a.Samples[i]
		other := at[keyOf(s)]
		if other == nil {
			continue
		}
		for t := range min(len(s.Trials), len(other.Trials)) {
			if sameValue(s.Trials[t], other.Trials[t]) {
				continue
			}
			what := s.Label()
			if s.Epsilon != nil {
				what += " at " + s.BudgetText()
			}
			what += fmt.Sprintf(", trial %d, %s", t, s.Measurement)
			return &Difference{"value", what, results.NumberText(s.Trials[t]),
				results.NumberText(other.Trials[t])}
		}
	}
	return nil
}

// sampleKey identifies a sample within an experiment.
type sampleKey struct {
	setting string
	results.Measurement
}

func keyOf(s *results.Sample) sampleKey { return sampleKey{s.Key(), s.Measurement} }

// aligned gives settings the parameters that only other ones of the same algorithm or dataset have,
// where these have a single value: so a parameter that is new, or gone, hides no change of what is
// measured.
func aligned(samples, others []results.Sample) []results.Sample {
	own, given := parametersOf(samples), make(map[owner]map[string]string)
	for of, theirs := range parametersOf(others) { // order-free: fills a map
		given[of] = make(map[string]string)
		for name, values := range theirs { // order-free: fills a map
			if _, known := own[of][name]; !known && len(values) == 1 {
				given[of][name] = values[0]
			}
		}
	}
	aligned, with := slices.Clone(samples), make(map[*results.Setting]*results.Setting)
	for i, s := range samples {
		if with[s.Setting] == nil {
			with[s.Setting] = s.With(given[owner{algorithm: s.Algorithm}],
				given[owner{dataset: s.Dataset.Name}])
		}
		aligned[i].Setting = with[s.Setting]
	}
	return aligned
}

// owner is what has parameters: an algorithm or a dataset.
type owner struct{ algorithm, dataset string }

// parametersOf lists the values that parameters have in any of the samples.
func parametersOf(samples []results.Sample) map[owner]map[string][]string {
	all := make(map[owner]map[string][]string)
	add := func(of owner, params map[string]string) {
		if all[of] == nil {
			all[of] = make(map[string][]string)
		}
		for name, value := range params { // order-free: a set
			if !slices.Contains(all[of][name], value) {
				all[of][name] = append(all[of][name], value)
			}
		}
	}
	var last *results.Setting
	for i := range samples {
		if s := samples[i].Setting; s != last {
			add(owner{algorithm: s.Algorithm}, s.Params)
			add(owner{dataset: s.Dataset.Name}, s.Dataset.Params)
			last = s
		}
	}
	return all
}

func byKey(samples []results.Sample) map[sampleKey]*results.Sample {
	at := make(map[sampleKey]*results.Sample, len(samples))
	for i := range samples {
		at[keyOf(&samples[i])] = &samples[i]
	}
	return at
}
