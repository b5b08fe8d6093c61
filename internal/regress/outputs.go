package regress

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"ppdp/internal/results"
)

// JobDifferences lists in what two jobs differ before they are run: setting, trial and fold.
func JobDifferences(a, b *results.Record) []Difference {
	var all differences
	add := func(what, a, b string) { all.add("job", what, a, b) }
	add("dataset", a.Dataset.Label(), b.Dataset.Label())
	add("algorithm", a.Algorithm, b.Algorithm)
	add("variant", a.Variant, b.Variant)
	for _, pair := range matched(paramsOf(a.Setting), paramsOf(b.Setting)) {
		add("parameter "+pair.name, pair.a, pair.b)
	}
	add("epsilon", a.EpsilonText(), b.EpsilonText())
	add("delta", a.DeltaText(), b.DeltaText())
	add("trial", strconv.Itoa(a.Trial), strconv.Itoa(b.Trial))
	fold := func(c *results.Record) string {
		if c.Fold == nil {
			return ""
		}
		return strconv.Itoa(*c.Fold)
	}
	add("fold", fold(a), fold(b))
	return all
}

// JobOutputDifference returns the first value in which two jobs differ, or nil.
func JobOutputDifference(a, b *results.Record) *Difference {
	if a.Status != b.Status {
		return &Difference{"status", a.Error + b.Error, a.Status, b.Status}
	}
	for _, v := range a.Values {
		x, y := valueOf(a, v.Measurement), valueOf(b, v.Measurement)
		if !sameValue(x, y) {
			return &Difference{"value", v.Measurement.String(), results.NumberText(x),
				results.NumberText(y)}
		}
	}
	return nil
}

// valueOf is NaN where the record has no value.
func valueOf(c *results.Record, m results.Measurement) float64 {
	for _, v := range c.Values {
		if v.Measurement == m && v.Value != nil {
			return *v.Value
		}
	}
	return math.NaN()
}

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
	algorithms, datasets := unknown(samples, others, func(s *results.Setting) (string, params) {
		return s.Algorithm, s.Params
	}), unknown(samples, others, func(s *results.Setting) (string, params) {
		return s.Dataset.Name, s.Dataset.Params
	})
	if len(algorithms)+len(datasets) == 0 {
		return samples
	}
	aligned, with := slices.Clone(samples), make(map[*results.Setting]*results.Setting)
	for i, s := range samples {
		if with[s.Setting] == nil {
			with[s.Setting] = s.With(algorithms[s.Algorithm], datasets[s.Dataset.Name])
		}
		aligned[i].Setting = with[s.Setting]
	}
	return aligned
}

type params = map[string]string

// unknown finds the parameters, by name of what has them, that no setting of the samples has and
// that have the same value in all others.
func unknown(samples, others []results.Sample,
	of func(*results.Setting) (string, params)) map[string]params {
	known := make(map[string]map[string]bool)
	for i := range samples {
		name, has := of(samples[i].Setting)
		if known[name] == nil {
			known[name] = make(map[string]bool)
		}
		for param := range has { // order-free: fills a set
			known[name][param] = true
		}
	}
	found, varied := make(map[string]params), make(map[string]map[string]bool)
	for i := range others {
		name, has := of(others[i].Setting)
		for param, value := range has { // order-free: whatever comes first
			if known[name] == nil || known[name][param] || varied[name][param] {
				continue
			}
			if found[name] == nil {
				found[name], varied[name] = make(params), make(map[string]bool)
			}
			if old, seen := found[name][param]; seen && old != value {
				varied[name][param] = true
				delete(found[name], param)
				continue
			}
			found[name][param] = value
		}
	}
	maps.DeleteFunc(found, func(_ string, p params) bool { return len(p) == 0 })
	return found
}

func byKey(samples []results.Sample) map[sampleKey]*results.Sample {
	at := make(map[sampleKey]*results.Sample, len(samples))
	for i := range samples {
		at[keyOf(&samples[i])] = &samples[i]
	}
	return at
}
