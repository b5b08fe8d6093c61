package all

import (
	"testing"

	"ppdp/classifiers"
	"ppdp/classifiers/conformance"
)

// TestConformance runs the suite over everything registered.
func TestConformance(t *testing.T) {
	for _, name := range classifiers.Names() {
		t.Run(name, func(t *testing.T) {
			c, err := classifiers.Lookup(name)
			if err != nil {
				t.Fatal(err)
			}
			conformance.Run(t, c)
		})
	}
}
