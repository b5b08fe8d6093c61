// Package audit checks the guarantees of algorithms call by call.
//
// A release is made while a transcript of its mechanisms' calls is kept. The same algorithm then
// runs on another input, where every mechanism is forced to answer as recorded. Three things are
// compared, and no statistics are needed for them:
//
//   - sensitivity: how far the values moved that the mechanisms were given,
//   - privacy loss: how much more likely one input makes the answers than the other,
//   - non-interference: the calls made, what is published, and whether the release fails.
//
// The first two are compared between neighbours, the third between any two inputs. The recorded
// draws are also tested, as a sample, against the laws that the ledger charges for.
//
// It does not see floating point, time, memory or the quality of random numbers. Package blackbox
// audits from releases alone.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"

	"golang.org/x/sync/errgroup"

	"ppdp/algorithms"
	"ppdp/audit/blackbox"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Subject is an algorithm with all it needs to make releases whose guarantee is checked.
type Subject struct {
	Algorithm algorithms.Algorithm
	Variant   algorithms.Variant
	Params    algorithms.Params // validated
	Epsilon   float64
	Delta     float64 // 0 for pure differential privacy
	// Publication says that releases are made as they are handed out: with a Publication's draws.
	Publication bool
	// Contributions is how many records of one person there are, where persons are protected; 0
	// where records are.
	Contributions int
}

// Budget is for a release of an input, of which it protects persons if its schema says so.
func (s *Subject) Budget(d *Data) *privacy.Budget {
	b := privacy.NewApproximate(s.Epsilon, s.Delta)
	if s.Publication {
		b = privacy.NewSeededPublication(s.Epsilon, s.Delta)
	}
	if d.Table != nil {
		b.Group(d.Table.Schema().Contributions)
	}
	return b
}

// Options say how much is tried. The result is a function of them, at any number of workers.
type Options struct {
	Transcripts int // for each small pair and direction
	Seed        uint64
	Jobs        int // pairs replayed at once; 0 means one for each processor
	// BlackBox says what a Case also does as a black box: nothing unless it has a number of
	// releases or a time. Its key and workers are those of the seed and Jobs.
	BlackBox blackbox.Options
}

// boxed reports whether a black box is asked for.
func (o *Options) boxed() bool { return o.BlackBox.Releases > 0 || o.BlackBox.For > 0 }

// Kinds of failures, in the order in which they are checked.
const (
	Calls       = "calls"       // the neighbour makes other calls of mechanisms
	Sensitivity = "sensitivity" // values moved further than the proven sensitivity
	Claim       = "claim"       // values moved further than the sensitivity that noise is scaled to
	Loss        = "loss"        // a transcript's privacy loss exceeds epsilon, or does too often
	Accounting  = "accounting"  // calls that saw different data cost more than ledger or claim say
	Output      = "output"      // what is published differs although all answers are the same
	Failing     = "failing"     // one side fails, or fails with another error
	State       = "state"       // no call sees that inputs differ which have little in common
	Law         = "law"         // draws do not have the law that the ledger charges for
)

// Failure refutes a guarantee: a pair of neighbours, a transcript, and what differed.
type Failure = results.AuditFailure

// tally is what was found so far, in the fields of an audit for that. Error is the first error of a
// release that failed on both sides. Of one pair, alike says that no call saw the inputs differ.
type tally struct {
	results.Audit
	laws  laws
	alike bool
	rho   float64 // the largest of a transcript, between neighbours
	at    int     // that transcript
}

// rounding is the relative error that sums of logarithms may carry.
const rounding = 1e-9

// Replay audits a subject on pairs of inputs, in both directions. What it finds, for or against
// the guarantee, is in the result, whose fields that describe the subject are empty. The error is
// the context's, or that no release could be made at all.
func Replay(ctx context.Context, s Subject, pairs []Pair, o Options) (results.Audit, error) {
	if err := s.unable(ctx, pairs, o.Seed); err != nil {
		return results.Audit{}, err
	}
	parts := make([]tally, len(pairs))
	var group errgroup.Group
	group.SetLimit(cmp.Or(max(0, o.Jobs), runtime.GOMAXPROCS(0)))
	for i := range pairs {
		group.Go(func() error {
			return parts[i].pair(ctx, pairs[i].subject(s), &pairs[i], o,
				falseAlarm/float64(2*len(pairs)))
		})
	}
	if err := group.Wait(); err != nil {
		return results.Audit{}, err
	}
	all := tally{Audit: results.Audit{Pairs: len(pairs)}}
	for i := range parts {
		all.add(&parts[i])
	}
	for _, f := range all.laws.judge() {
		all.fail(f)
	}
	if all.Failed > 0 && all.Failed == all.Transcripts {
		return results.Audit{}, fmt.Errorf("audit: no release could be made: %s", all.Error)
	}
	all.Error = ""
	return all.Audit, nil
}

// unable is the error that a subject gives to up to eight of the inputs, if they all get the same:
// others would only take long to get it, too. One pair alone is not tried.
func (s *Subject) unable(ctx context.Context, pairs []Pair, seed uint64) (err error) {
	for i := 0; i < len(pairs) && len(pairs) > 1; i += 1 + len(pairs)/8 {
		of := pairs[i].subject(*s)
		_, failed := of.run(ctx, &pairs[i].A, of.Budget(&pairs[i].A), random.NewKey(seed))
		if failed == nil || err != nil && failed.Error() != err.Error() {
			return nil
		}
		err = failed
	}
	return problem.Named("audit: no release could be made", err)
}

// pair replays a pair in both directions. alarm bounds the chance that a delta that holds is
// refuted in one of them.
func (v *tally) pair(ctx context.Context, s Subject, pair *Pair, o Options, alarm float64) error {
	var excess [2][]float64
	n := max(1, o.Transcripts/max(1, pair.Weight))
	v.alike = true
	for t := range n {
		for side, forward := range []bool{true, false} {
			if err := ctx.Err(); err != nil {
				return err
			}
			loss := v.replay(ctx, &s, pair, o.Seed, t, forward)
			excess[side] = append(excess[side], math.Max(0, -elementary.Expm1(s.Epsilon-loss)))
		}
	}
	switch {
	case pair.Unrelated && v.alike && v.Failed < n && len(v.Failures) == 0:
		v.fail(Failure{Kind: State, Pair: pair.Name, Text: "no call of a mechanism sees that the " +
			"inputs differ: something is kept from an earlier release"})
	case !pair.Unrelated && s.Delta > 0:
		v.concentrated(&s, pair.Name)
		for _, x := range excess {
			v.profile(&s, pair.Name, x, alarm)
		}
	}
	return nil
}

// add joins what was found on another pair.
func (v *tally) add(other *tally) {
	v.Transcripts += other.Transcripts
	v.Failed += other.Failed
	v.Calls += other.Calls
	v.Proven, v.Seen = max(v.Proven, other.Proven), max(v.Seen, other.Seen)
	v.SeenDelta, v.Error = max(v.SeenDelta, other.SeenDelta), cmp.Or(v.Error, other.Error)
	for _, m := range other.Moved {
		v.moved(m)
	}
	for _, f := range other.Failures {
		v.fail(f)
	}
	for _, s := range other.laws {
		v.laws.add(s.name, s.statistic, maxDraws, s.values)
	}
}

// moved keeps the largest movement of each mechanism.
func (v *tally) moved(m results.Moved) {
	for i := range v.Moved {
		if old := &v.Moved[i]; old.Purpose == m.Purpose && old.Mechanism == m.Mechanism {
			if m.Ratio > old.Ratio || m.Ratio == old.Ratio && m.Distance > old.Distance {
				*old = m
			}
			return
		}
	}
	v.Moved = append(v.Moved, m)
}

// fail keeps the first failure of each kind.
func (v *tally) fail(f Failure) {
	if !slices.ContainsFunc(v.Failures, func(old Failure) bool { return old.Kind == f.Kind }) {
		v.Failures = append(v.Failures, f)
	}
}

// falseAlarm bounds the probability with which an audit refutes a delta that holds.
const falseAlarm = 1e-3

// profile checks the transcripts of one pair and direction under a guarantee with a delta. excess
// has max(0, 1 - e^(ε - loss)) of each, whose mean is δ(ε). alarm bounds the chance that a delta
// that holds is refuted.
func (v *tally) profile(s *Subject, pair string, excess []float64, alarm float64) {
	if slices.Max(excess) == 0 {
		return
	}
	least := elementary.Crossing(func(delta float64) float64 {
		return 1 - float64(alarm*capital(excess, delta))
	})
	v.SeenDelta = max(v.SeenDelta, least)
	if least > s.Delta {
		v.fail(Failure{Kind: Loss, Pair: pair, Transcript: len(excess),
			Text: fmt.Sprintf("%d transcripts show a delta of %v or more at epsilon %v, claimed "+
				"is %v", len(excess), least, s.Epsilon, s.Delta)})
	}
}

// stakes is how many shares of its capital a bettor tries.
const stakes = 12

// capital is what is left of 1 to somebody who at each of some independent numbers x, between 0 and
// 1, stakes a share b of what they have to get x/δ for each unit staked: the product of
// 1 + b(x/δ - 1), averaged over b = ½, ¼ and so on. Where the mean of the numbers is at most δ they
// expect no more than 1. By Markov's inequality they have 1/alarm or more with probability alarm at
// most, and a δ for which they do is refuted (Waudby-Smith & Ramdas 2024). It falls as δ grows.
func capital(excess []float64, delta float64) (sum float64) {
	for i, b := 0, 0.5; i < stakes; i, b = i+1, b/2 {
		log, none := 0.0, elementary.Log1p(-b)
		for _, x := range excess {
			if x == 0 {
				log += none
			} else {
				log += elementary.Log1p(float64(b * (x/delta - 1)))
			}
		}
		sum += elementary.Exp(log) / stakes
	}
	return sum
}

// concentrated checks the zCDP of a pair's transcripts under a guarantee with a delta. Calls depend
// on earlier answers: what they add to rho, given these, may on no transcript be more than the rho
// that implies epsilon and delta (Feldman & Zrnic 2021). More refutes the accounting; delta itself
// may hold still, if other transcripts have less.
func (v *tally) concentrated(s *Subject, pair string) {
	v.Seen = results.Bound(privacy.EpsilonOf(v.rho, s.Delta))
	if granted := privacy.RhoOf(s.Epsilon, s.Delta); v.rho > granted*(1+rounding) {
		v.fail(Failure{Kind: Accounting, Pair: pair, Transcript: v.at,
			Text: fmt.Sprintf("what was drawn has a rho of %v between these inputs, epsilon and "+
				"delta allow %v", v.rho, granted)})
	}
}

// replay records transcript t on one side of a pair, A where forward is true, and forces it on the
// other. It returns the transcript's loss, in nats.
func (v *tally) replay(ctx context.Context, s *Subject, pair *Pair, seed uint64, t int,
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
	recorded := s.Budget(from)
	transcript := recorded.Record()
	published, failed := s.run(ctx, from, recorded, key)
	forced := s.Budget(to)
	replay := forced.Replay(transcript)
	replayed, failing := s.run(ctx, to, forced, key)
	v.Transcripts++
	v.Calls += transcript.Len()
	v.laws.read(transcript, key.Derive("law").Stream())
	v.alike = v.alike && len(replay.Distances) == 0

	_, proven := recorded.Spent()
	ledger := proven
	if s.Delta > 0 {
		ledger = privacy.EpsilonOf(proven, s.Delta)
	}
	if pair.Times == 0 {
		v.Proven = max(v.Proven, results.Bound(ledger))
	}
	if failing == nil && failed == nil {
		failing = replay.Complete(transcript)
	}
	loss := 0.0
	if !pair.Unrelated {
		loss = v.compare(s, replay, fail)
		if replay.Rho > v.rho {
			v.rho, v.at = replay.Rho, t
		}
	}
	if math.IsInf(loss, 1) || replay.Impossible {
		return loss // the other input cannot give these answers, what it did with them is nothing
	}
	if errors.Is(failing, privacy.ErrDiverged) {
		fail(Calls, "%v", failing)
		return replay.Loss // what follows is no release of the other input's
	}
	if !pair.Unrelated && replay.Proven > proven*(1+rounding) {
		fail(Accounting, "calls that saw different data cost %v, the ledger has %v", replay.Proven,
			proven)
	}
	switch {
	case fmt.Sprint(failed) != fmt.Sprint(failing):
		fail(Failing, "one side fails with %v, the other with %v", failed, failing)
	case failed != nil:
		v.Failed++
		v.Error = cmp.Or(v.Error, failed.Error())
	case published != replayed:
		fail(Output, "the answers of all mechanisms are the same, what is published is not")
	}
	return replay.Loss
}

// compare checks the distances between neighbours and the loss of a transcript, whose size it
// returns, in nats.
func (v *tally) compare(s *Subject, replay *privacy.Replay, fail func(kind, format string,
	args ...any)) float64 {
	for _, d := range replay.Distances {
		moved := results.Moved{Purpose: d.Purpose, Mechanism: d.Mechanism, Distance: d.Distance}
		if !math.IsInf(d.Proven, 1) {
			moved.Ratio = d.Ratio()
		}
		v.moved(moved)
		if moved.Ratio > 1+rounding {
			fail(Sensitivity, "call %d, %s for %s: values moved by %v, proven is %v",
				d.Call, d.Mechanism, d.Purpose, d.Distance, d.Proven)
		}
		if d.Distance > d.Claimed*(1+rounding) {
			fail(Claim, "call %d, %s for %s: values moved by %v, claimed is %v",
				d.Call, d.Mechanism, d.Purpose, d.Distance, d.Claimed)
		}
	}
	loss := math.Abs(replay.Loss)
	if s.Delta == 0 {
		v.Seen = max(v.Seen, results.Bound(loss))
	}
	most := float64(s.Epsilon*(1+rounding)) + rounding
	if s.Publication { // spares more than rounding may add
		most = s.Epsilon
	}
	if loss > most && s.Delta == 0 {
		fail(Loss, "the loss of the transcript is %v, epsilon is %v", loss, s.Epsilon)
	}
	return loss
}

// run makes a release and returns the fingerprint of what it publishes. A panic is an error.
func (s *Subject) run(ctx context.Context, d *Data, budget *privacy.Budget,
	key random.Key) (published string, err error) {
	defer recovered(&err)
	release, err := s.Release(ctx, d, budget, key)
	if err == nil {
		published, err = release.Fingerprint(ctx)
		if s.Algorithm.Info().Program != "" { // whose warnings may hold anything
			published = fmt.Sprint(published, release.Warnings)
		}
	}
	if refused := budget.Refused(); err == nil && refused != nil {
		err = fmt.Errorf("went on after a refusal: %w", refused)
	}
	return published, err
}

// Release makes a release of an input. A panic is an error.
func (s *Subject) Release(ctx context.Context, d *Data, budget *privacy.Budget,
	key random.Key) (release *algorithms.Release, err error) {
	defer recovered(&err)
	in := algorithms.Input{Table: d.Table, Graph: d.Graph, Params: s.Params, Variant: s.Variant,
		Budget: budget, Noise: random.NewStreams(key)}
	if in.Rows = slices.Clone(d.Rows); d.Table != nil && d.Rows == nil {
		in.Rows = d.Table.AllRows()
	}
	return s.Algorithm.Release(ctx, in)
}

// recovered makes a panic an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		*err = fmt.Errorf("panic: %v", p)
	}
}
