package results

import (
	"fmt"
	"math"
	"strconv"
)

// CellDifferences lists in what two cells differ before they are run: configuration, trial and fold.
func CellDifferences(a, b *Record) []Difference {
	var all []Difference
	add := func(what, a, b string) {
		if a != b {
			all = append(all, Difference{"cell", what, a, b})
		}
	}
	add("experiment", a.Experiment, b.Experiment)
	add("dataset", a.Dataset, b.Dataset)
	add("algorithm", a.Algorithm, b.Algorithm)
	add("variant", a.Variant, b.Variant)
	parameters := func(r *Record) []named {
		var list []named
		for _, name := range sortedNames(r.Params) {
			list = append(list, named{name, r.Params[name]})
		}
		return list
	}
	for _, pair := range matched(parameters(a), parameters(b)) {
		add("parameter "+pair.name, pair.a, pair.b)
	}
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return formatNumber(*v)
	}
	add("epsilon", number(a.Epsilon), number(b.Epsilon))
	add("trial", strconv.Itoa(a.Trial), strconv.Itoa(b.Trial))
	fold := func(r *Record) string {
		if r.Fold == nil {
			return ""
		}
		return strconv.Itoa(*r.Fold)
	}
	add("fold", fold(a), fold(b))
	return all
}

// CellOutputDifference returns the first value in which two cells differ, nil when there is none.
func CellOutputDifference(a, b *Record) *Difference {
	if a.Status != b.Status {
		return &Difference{"status", a.Error + b.Error, a.Status, b.Status}
	}
	for _, v := range a.Values {
		m := measurement{v.Metric, v.Classifier}
		x, y := math.NaN(), math.NaN()
		if v.Value != nil {
			x = *v.Value
		}
		if other := valueOf(b, m); other != nil {
			y = *other
		}
		if !sameValue(x, y) {
			return &Difference{"value", measurementName(m), formatNumber(x), formatNumber(y)}
		}
	}
	return nil
}

// OutputDifference returns the first trial mean in which two runs differ, of those that both have; nil when there is none.
func OutputDifference(a, b *Baseline) *Difference {
	at := make(map[string]int)
	for i := range b.Samples {
		at[b.Samples[i].key()] = i
	}
	for i := range a.Samples {
		s := &a.Samples[i]
		j, found := at[s.key()]
		if !found {
			continue
		}
		other := &b.Samples[j]
		for t := range min(len(s.Trials), len(other.Trials)) {
			if sameValue(s.Trials[t], other.Trials[t]) {
				continue
			}
			what := s.Series
			if s.Epsilon != nil {
				what += " at epsilon " + formatNumber(*s.Epsilon)
			}
			what += fmt.Sprintf(", trial %d, %s", t, measurementName(measurement{s.Metric, s.Classifier}))
			return &Difference{"value", what, formatNumber(s.Trials[t]), formatNumber(other.Trials[t])}
		}
	}
	return nil
}
