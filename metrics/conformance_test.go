package metrics_test

import (
	"testing"

	_ "ppdp/classifiers/all"
	"ppdp/metrics"
	"ppdp/metrics/conformance"
)

// TestConformance runs the suite over everything registered.
func TestConformance(t *testing.T) {
	for _, name := range metrics.Names() {
		t.Run(name, func(t *testing.T) {
			m, err := metrics.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			if p, ok := m.(metrics.Parameterised); ok {
				if params, ok := p.Params().(*metrics.AggregateErrorParams); ok { // the attribute has no default
					params.Of = "x"
					conformance.Run(t, m, params)
					return
				}
			}
			conformance.Run(t, m)
		})
	}
}
