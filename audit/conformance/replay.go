package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/audit"
)

// checkReplay audits the release, on the pairs of "ppdp audit": a guarantee that holds must pass at
// every epsilon, any other must be refuted at one of them.
func checkReplay(s subject) error {
	if !s.private() || s.guarantee.Status == algorithms.Declared { // whose noise is not ours
		return nil
	}
	refuted := false
	var problems []error
	for _, epsilon := range []float64{0.1, 1, 5} {
		s.Epsilon = epsilon
		c, err := audit.NewCase(s.Subject)
		if err != nil {
			return err
		}
		// which are other epsilons again
		c.Pairs = slices.DeleteFunc(c.Pairs, func(p audit.Pair) bool { return p.Times > 0 })
		v, err := c.Audit(context.Background(), audit.Options{Transcripts: s.transcripts, Jobs: 1})
		if err == nil && v.Error != "" {
			err = errors.New(v.Error)
		}
		if err != nil {
			return err
		}
		refuted = refuted || !v.Passed()
		for _, f := range v.Failures {
			problems = append(problems, fmt.Errorf("epsilon %v: %s: %s, transcript %d: %s",
				epsilon, f.Kind, f.Pair, f.Transcript, f.Text))
		}
	}
	switch {
	case s.guarantee.Status.Stands():
		return errors.Join(problems...)
	case !refuted:
		return fmt.Errorf("the guarantee is %s, but no replay refutes it", s.guarantee.Status)
	}
	return nil
}
