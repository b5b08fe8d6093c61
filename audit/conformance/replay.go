package conformance

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/audit"
)

// replayed is how many transcripts the suite replays for each pair, direction and epsilon.
const replayed = 5

// checkReplay replays the release on neighbouring inputs: a guarantee that holds must pass at every
// epsilon, any other must be refuted at one of them.
func checkReplay(s subject) error {
	if !s.private() || s.guarantee.Status == algorithms.Declared { // whose noise is not ours
		return nil
	}
	pairs, err := audit.Pairs(s.guarantee)
	if err != nil {
		return err
	}
	refuted, transcripts := false, replayed
	if s.delta > 0 {
		transcripts = 1
	}
	var problems []error
	for _, epsilon := range []float64{0.1, 1, 5} {
		subject := audit.Subject{Algorithm: s.algorithm, Variant: s.guarantee.Variant,
			Params: s.params, Epsilon: epsilon, Delta: s.delta}
		v, err := audit.Replay(context.Background(), subject, pairs,
			audit.Options{Transcripts: transcripts, Jobs: 1})
		if err != nil {
			return err
		}
		refuted = refuted || !v.Passed()
		if s.guarantee.Status == algorithms.Holds && !v.Proven.Finite() {
			problems = append(problems, fmt.Errorf("epsilon %v: no bound is proven", epsilon))
		}
		for _, f := range v.Failures {
			problems = append(problems, fmt.Errorf("epsilon %v: %s: %s, transcript %d: %s",
				epsilon, f.Kind, f.Pair, f.Transcript, f.Text))
		}
	}
	switch {
	case s.guarantee.Status == algorithms.Holds:
		return errors.Join(problems...)
	case !refuted:
		return fmt.Errorf("the guarantee is %s, but no replay refutes it", s.guarantee.Status)
	}
	return nil
}
