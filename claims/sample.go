package claims

import (
	"math"
	"slices"

	"ppdp/results"
)

// sample is one measurement of one setting: its facts, and a value for each trial that has one.
type sample struct {
	facts   map[string]string
	trials  []int // ascending
	values  []float64
	standIn bool
}

// value returns the value of a trial that the sample has.
func (s *sample) value(trial int) float64 {
	i, _ := slices.BinarySearch(s.trials, trial)
	return s.values[i]
}

// samplesOf returns all that can be judged of a run: measured and derived samples.
func samplesOf(r *results.Run) []*sample {
	measured := append(r.Samples(), r.Derived()...)
	samples := make([]*sample, len(measured))
	for i := range measured {
		m := &measured[i]
		s := &sample{facts: m.Facts(), standIn: m.Dataset.StandIn()}
		for trial, value := range m.Trials {
			if !math.IsNaN(value) {
				s.trials = append(s.trials, trial)
				s.values = append(s.values, value)
			}
		}
		samples[i] = s
	}
	return samples
}
