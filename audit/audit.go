// Package audit checks the guarantees of releases call by call. A release is made while a
// transcript of its mechanisms' calls is kept; the same algorithm is then run on a neighbouring
// input with every mechanism forced to answer as recorded. Three things are compared, none of them
// statistical: how far the values moved that the mechanisms were given (sensitivity), how much more
// likely one input makes the answers than the other (privacy loss), and whether anything else
// differs: the calls that are made, what is published, and whether the release fails
// (non-interference).
//
// It does not see floating point, time, memory or the quality of random numbers.
package audit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"ppdp/algorithms"
	"ppdp/elementary"
	"ppdp/internal/results"
	"ppdp/privacy"
	"ppdp/random"
)

// Subject is a release whose guarantee is checked.
type Subject struct {
	Algorithm algorithms.Algorithm
	Variant   algorithms.Variant
	Params    algorithms.Params // validated
	Epsilon   float64
	Delta     float64 // 0 for pure differential privacy
}

func (s *Subject) budget() *privacy.Budget { return privacy.NewApproximate(s.Epsilon, s.Delta) }

// Options say how much is tried. The result is a function of them, at any number of workers.
type Options struct {
	Transcripts int // for each pair and direction
	Seed        uint64
	Jobs        int // pairs replayed at once; 0 means one for each processor
	// BlackBox is how often a Case also releases either input of each pair, 0 for not. Level is the
	// chance of its accusing a sound mechanism, 0 for blackbox.DefaultLevel.
	BlackBox int
	Level    float64
}

// DefaultTranscripts is how many are made for each pair and direction unless a user says otherwise.
const DefaultTranscripts = 100

// Kinds of failures, in the order in which they are looked for.
const (
	Calls       = "calls"       // the neighbour makes other calls of mechanisms
	Sensitivity = "sensitivity" // values moved further than the proven sensitivity
	Claim       = "claim"       // values moved further than the sensitivity that noise is scaled to
	Loss        = "loss"        // a transcript's privacy loss exceeds epsilon, or does too often
	Accounting  = "accounting"  // calls that saw different data cost more than the ledger says
	Output      = "output"      // what is published differs although all answers are the same
	Failing     = "failing"     // one side fails, or fails with another error
)

// Failure refutes a guarantee: a pair of neighbours, a transcript, and what differed.
type Failure = results.AuditFailure

// Seen is the largest distance of a mechanism's values that was seen.
type Seen struct {
	results.Moved
	Proven float64 // sensitivity, +Inf without a bound
}

// Verdict is what an audit found.
type Verdict struct {
	Pairs       int
	Transcripts int // recorded and replayed
	Failed      int // of these, on both sides with the same error
	Calls       int // compared
	Epsilon     float64
	Delta       float64
	// SeenDelta is the largest δ at epsilon that the transcripts of one pair and direction show:
	// the mean of max(0, 1 - e^(ε - loss)), whose expectation is the mechanisms' δ(ε). Only for
	// guarantees with a delta.
	SeenDelta float64
	// Proven is the largest loss by the ledgers, as an epsilon at Delta; Loss the largest of any
	// transcript, which with a delta may exceed epsilon, +Inf where the neighbour cannot give a
	// transcript at all.
	Proven   float64
	Loss     float64
	Seen     []Seen
	Failures []Failure // the first of each kind
}

// Passed reports whether nothing was found against the guarantee.
func (v *Verdict) Passed() bool { return len(v.Failures) == 0 }

// rounding is the relative error that sums of logarithms may carry.
const rounding = 1e-9

// Replay audits a subject on pairs of neighbours, in both directions. The error is for what ends an
// audit, such as a subject that releases nothing; what refutes the guarantee is in the verdict.
func Replay(ctx context.Context, s Subject, pairs []Pair, o Options) (*Verdict, error) {
	parts := make([]Verdict, len(pairs))
	var group errgroup.Group
	group.SetLimit(max(1, o.Jobs))
	if o.Jobs == 0 {
		group.SetLimit(runtime.GOMAXPROCS(0))
	}
	for i := range pairs {
		group.Go(func() error {
			var excess [2]float64
			for t := range o.Transcripts {
				for side, forward := range []bool{true, false} {
					if err := ctx.Err(); err != nil {
						return err
					}
					loss := parts[i].replay(ctx, &s, &pairs[i], o.Seed, t, forward)
					excess[side] += math.Max(0, -elementary.Expm1(s.Epsilon-loss))
				}
			}
			if s.Delta > 0 {
				n, sums := o.Transcripts, 2*len(pairs)
				parts[i].profile(&s, &pairs[i], excess[0], n, sums)
				parts[i].profile(&s, &pairs[i], excess[1], n, sums)
			}
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	v := &Verdict{Pairs: len(pairs), Epsilon: s.Epsilon, Delta: s.Delta}
	for i := range parts {
		v.add(&parts[i])
	}
	if v.Failed > 0 && v.Failed == v.Transcripts {
		d := &pairs[0].A
		o := s.run(ctx, d, s.budget(), random.NewKey(o.Seed))
		return nil, fmt.Errorf("audit: no release could be made: %w", o.err)
	}
	return v, nil
}

// add joins the verdict on another pair.
func (v *Verdict) add(other *Verdict) {
	v.Transcripts += other.Transcripts
	v.Failed += other.Failed
	v.Calls += other.Calls
	v.Proven, v.Loss = max(v.Proven, other.Proven), max(v.Loss, other.Loss)
	v.SeenDelta = max(v.SeenDelta, other.SeenDelta)
	for _, s := range other.Seen {
		v.saw(s)
	}
	for _, f := range other.Failures {
		v.fail(f)
	}
}

func (v *Verdict) saw(s Seen) {
	for i := range v.Seen {
		if old := &v.Seen[i]; old.Purpose == s.Purpose && old.Mechanism == s.Mechanism {
			if s.Ratio > old.Ratio || s.Ratio == old.Ratio && s.Distance > old.Distance {
				*old = s
			}
			return
		}
	}
	v.Seen = append(v.Seen, s)
}

func (v *Verdict) fail(f Failure) {
	if !slices.ContainsFunc(v.Failures, func(old Failure) bool { return old.Kind == f.Kind }) {
		v.Failures = append(v.Failures, f)
	}
}

// outcome is what a run of the algorithm gave.
type outcome struct {
	published string // the release's fingerprint
	err       error
	budget    *privacy.Budget
}

// falseAlarm bounds the probability with which an audit refutes a delta that holds.
const falseAlarm = 1e-3

// profile books the transcripts of one pair and direction under a guarantee with a delta. excess is
// the sum of max(0, 1 - e^(ε - loss)), each of mean δ(ε) at most: by Markov's inequality it reaches
// n·δ/p with probability p at most, p being falseAlarm over all sums of the audit.
func (v *Verdict) profile(s *Subject, pair *Pair, excess float64, n, sums int) {
	v.SeenDelta = max(v.SeenDelta, excess/float64(n))
	if most := float64(n) * s.Delta * float64(sums) / falseAlarm; excess > most {
		v.fail(Failure{Kind: Loss, Pair: pair.Name, Transcript: n,
			Text: fmt.Sprintf("%d transcripts show a delta of %v at epsilon %v, claimed is %v", n,
				excess/float64(n), s.Epsilon, s.Delta)})
	}
}

// replay records one transcript on one side of a pair and forces it on the other. It returns the
// transcript's loss.
func (v *Verdict) replay(ctx context.Context, s *Subject, pair *Pair, seed uint64, t int,
	forward bool) float64 {
	from, to := &pair.A, &pair.B
	if !forward {
		from, to = to, from
	}
	key := random.NewKey(seed).Derive("audit", pair.Name, strconv.Itoa(t),
		strconv.FormatBool(forward))
	fail := func(kind, format string, args ...any) {
		v.fail(Failure{Kind: kind, Pair: pair.Name, Transcript: t,
			Text: fmt.Sprintf(format, args...)})
	}
	recorded := s.budget()
	transcript := recorded.Record()
	first := s.run(ctx, from, recorded, key)
	forced := s.budget()
	replay := forced.Replay(transcript)
	second := s.run(ctx, to, forced, key)
	v.Transcripts++
	v.Calls += transcript.Len()

	_, proven := recorded.Spent()
	if s.Delta > 0 {
		v.Proven = max(v.Proven, privacy.EpsilonOf(proven, s.Delta))
	} else {
		v.Proven = max(v.Proven, proven)
	}
	if second.err == nil && first.err == nil {
		second.err = replay.Complete(transcript)
	}
	for _, d := range replay.Distances {
		seen := Seen{results.Moved{Purpose: d.Purpose, Mechanism: d.Mechanism,
			Distance: d.Distance}, d.Proven}
		if !math.IsInf(d.Proven, 1) {
			seen.Ratio = d.Ratio()
		}
		v.saw(seen)
		if seen.Ratio > 1+rounding {
			fail(Sensitivity, "call %d, %s for %s: values moved by %v, proven is %v",
				d.Call, d.Mechanism, d.Purpose, d.Distance, d.Proven)
		}
		if d.Distance > d.Claimed*(1+rounding) {
			fail(Claim, "call %d, %s for %s: values moved by %v, claimed is %v",
				d.Call, d.Mechanism, d.Purpose, d.Distance, d.Claimed)
		}
	}
	loss := math.Abs(replay.Loss)
	v.Loss = max(v.Loss, loss)
	if loss > float64(s.Epsilon*(1+rounding))+rounding && s.Delta == 0 {
		fail(Loss, "the loss of the transcript is %v, epsilon is %v", loss, s.Epsilon)
	}
	if math.IsInf(loss, 1) {
		return loss // the neighbour cannot give these answers: what it did with them means nothing
	}
	if errors.Is(second.err, privacy.ErrDiverged) {
		fail(Calls, "%v", second.err)
		return replay.Loss // what follows is no release of the neighbour's
	}
	if replay.Proven > proven*(1+rounding) {
		fail(Accounting, "calls that saw different data cost %v, the ledger has %v", replay.Proven,
			proven)
	}
	switch {
	case (first.err == nil) != (second.err == nil) || first.err != nil &&
		first.err.Error() != second.err.Error():
		fail(Failing, "one side fails with %v, the other with %v", first.err, second.err)
	case first.err != nil:
		v.Failed++
	case first.published != second.published:
		fail(Output, "the answers of all mechanisms are the same, what is published is not")
	}
	return replay.Loss
}

// run makes a release and identifies what it publishes. A panic is an error.
func (s *Subject) run(ctx context.Context, d *Data, budget *privacy.Budget,
	key random.Key) (o outcome) {
	o.budget = budget
	defer func() {
		if p := recover(); p != nil {
			o.err = fmt.Errorf("panic: %v", p)
		}
	}()
	in := algorithms.Input{Table: d.Table, Graph: d.Graph, Params: s.Params, Variant: s.Variant,
		Budget: budget, Noise: random.NewStreams(key)}
	if d.Table != nil {
		in.Rows = d.Table.AllRows()
	}
	release, err := s.Algorithm.Release(ctx, in)
	if err == nil {
		o.published, err = release.Fingerprint(ctx)
	}
	if refused := budget.Refused(); err == nil && refused != nil {
		err = fmt.Errorf("went on after a refusal: %w", refused)
	}
	o.err = err
	return o
}
