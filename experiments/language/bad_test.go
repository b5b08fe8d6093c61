package language

import (
	"errors"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/badfiles"
	"ppdp/metrics"
)

// TestBadSpecs: every mistake in a spec is reported. <algorithms> is the list of all algorithms,
// and so on, so that a new plug-in changes no file. go test ./experiments -run BadSpecs -update
func TestBadSpecs(t *testing.T) {
	lists := strings.NewReplacer(
		strings.Join(algorithms.Names(), ", "), "<algorithms>",
		strings.Join(datasets.Names(), ", "), "<datasets>",
		strings.Join(metrics.Names(), ", "), "<metrics>",
		strings.Join(classifiers.Names(), ", "), "<classifiers>")
	badfiles.Run(t, func(text []byte) error {
		spec, err := Parse(badfiles.Name, text)
		if err == nil {
			_, err = spec.Plan(Overrides{})
		}
		if err == nil {
			return nil
		}
		return errors.New(lists.Replace(err.Error()))
	})
}
