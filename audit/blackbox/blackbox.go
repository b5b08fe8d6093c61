// Package blackbox audits a claim of differential privacy from releases alone. It makes many
// releases of two neighbouring inputs and searches for an event that is more likely on one of them
// than the claim allows. Audit takes a target (a mechanism, its claim, pairs of inputs) and returns
// a Finding, whose Bound is a certified lower bound on epsilon.
//
// For each pair of inputs T and T′ half of the releases train. Of all conditions on all features
// (counts by class and region, sizes, edges of regions, presence of values, order, degrees,
// failures), and of rules of up to three conditions, training keeps those that promise the largest
// bound. Which input each is likelier on is part of the choice. Then the rules are frozen and the
// other half of the releases is made.
//
// Clopper-Pearson bounds of a rule's two probabilities, exact at any sample size, give the bound
// ln((P[E | T] − δ)/P[E | T′]). Training needs no correction, because the test uses fresh releases
// only. What is corrected for is that several frozen rules are tested on several pairs (Holm 1979).
// A sound mechanism is accused with probability at most Options.Level.
//
// A rule is one path of a decision tree. It is used in place of a whole classifier because it is
// chosen for the very bound that is reported, and can be read.
//
// Where it accuses nothing it tells what it could have seen. A release may hide a fault: records
// drawn anew from noisy counts show little of how noisy these were. So the mechanism itself is made
// worse, by several times the budget that is claimed, and audited in the same way: it is weakened.
//
// What it cannot see: what is not in the features (a joint law of four counts, or the last bits of
// numbers, where Laplace noise in floating point fails: Mironov 2012), events rarer than some ten
// divided by the number of releases, an excess of epsilon below Finding.Detectable, pairs that it
// is not given, and time and memory. No accusation is no proof. Warnings and Structure of a release
// are not published and not used.
package blackbox

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sort"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"ppdp/algorithms"
	"ppdp/internal/problem"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// Target is a mechanism with its claim.
type Target struct {
	Name string
	// Epsilon and Delta are what is claimed of every pair. Under differential privacy
	// P[E | T] ≤ e^Epsilon·P[E | T′] + Delta for every event E, and the same with T and T′ swapped.
	Epsilon, Delta float64
	Pairs          []Pair
}

// Pair is a mechanism on two neighbouring inputs.
type Pair struct {
	Name string // how the two differ, in words
	// Release releases T (side 0) or T′ (side 1), all its randomness drawn from the key, with the
	// claimed epsilon times a factor, which is 1 unless it is weakened. It is called from several
	// goroutines at once. An error is an observation like any other, unless the context has ended.
	Release func(ctx context.Context, key random.Key, side int, times float64) (
		*algorithms.Release, error)
	// Probes are records, as codes for each attribute of the schema, for whose cells and
	// regions there are more features: best those by which T and T′ differ. Nil for none.
	Probes [][]uint32
}

// DefaultReleases is how often each input of a pair is released unless Options say otherwise.
const DefaultReleases = 4000

// MostReleases takes its place where a time ends the audit: what is read off them is in memory.
const MostReleases = 10 * DefaultReleases

// DefaultLevel is the chance of accusing a sound mechanism unless Options say otherwise.
const DefaultLevel = 0.05

// Options say how much is done. The zero value is usable.
type Options struct {
	Releases int        // of either input of each pair, at least 2; 0 for DefaultReleases
	Level    float64    // the chance of accusing a sound mechanism; 0 for DefaultLevel
	Key      random.Key // equal keys give equal findings, with any number of workers
	Workers  int        // goroutines; 0 for as many as there are processors
	// BoundOnly leaves out what tells which faults could have been seen.
	BoundOnly bool
	// Curve also bounds the trade-off curve of a score.
	Curve bool
	// For ends the audit after about that long by Now, with at most as many releases as Releases
	// says: each pair has an equal share, and training half of it. 0 for no such end. The times,
	// not the releases seen, decide how many are made, so that all bounds hold.
	For time.Duration
	Now func() time.Time
	// Progress is told the part of the audit that is done, by releases or by time. May be nil.
	Progress func(part float64)
}

func (o Options) resolved() Options {
	if o.Releases == 0 && o.For > 0 {
		o.Releases = MostReleases
	} else if o.Releases == 0 {
		o.Releases = DefaultReleases
	}
	if o.Level == 0 {
		o.Level = DefaultLevel
	}
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	return o
}

// factors are how many times the claimed epsilon a weakened mechanism spends. The least that is
// accused is searched for by halving, in at most as many audits as weakenings says.
var factors = []float64{1.1, 1.25, 1.5, 2, 4, 8, 64}

const weakenings = 3

// Cost is the most releases that an audit of the given number of pairs makes.
func (o Options) Cost(pairs int) int {
	if !o.BoundOnly {
		pairs += weakenings
	}
	return 2 * o.resolved().Releases * pairs
}

// Audit makes at most Options.Cost releases and tests the target's claim. Its errors are those of
// the context and of a target or options that are invalid.
func Audit(ctx context.Context, target Target, options Options) (*Finding, error) {
	o := options.resolved()
	if err := check(target, o); err != nil {
		return nil, fmt.Errorf("audit of %s: %w", target.Name, err)
	}
	if o.Curve {
		o.Level /= 2
	}
	f := &Finding{Target: target.Name, Epsilon: target.Epsilon, Delta: target.Delta,
		Level: o.Level, Detectable: math.Inf(1)}
	// Each bound has two ends, which share the error left to it by Bonferroni's correction.
	most := float64(maxConditions * len(target.Pairs))
	run := series{finding: f, options: o, times: 1, cost: o.Cost(len(target.Pairs)),
		candidates: search{z: elementary.NormalUpper(o.Level / 2 / most), delta: target.Delta}}
	run.halves = run.cost / o.Releases
	if o.For > 0 {
		run.end = o.Now().Add(o.For)
	}
	half := 0
	var points []point
	for p := range target.Pairs {
		if run.late() {
			f.Untried = len(target.Pairs) - p
			break
		}
		run.pair, run.key = &target.Pairs[p], o.Key.Derive(target.Name, strconv.Itoa(p))
		tests, curve, of, err := run.tests(ctx)
		if err != nil {
			return nil, err
		}
		f.Tests, points, half = append(f.Tests, tests...), append(points, curve...), max(half, of)
	}
	f.judge()
	if o.Curve {
		f.judgeCurve(points)
	}
	clearest := 0
	if best := f.Best(); best != nil {
		clearest = slices.IndexFunc(target.Pairs, func(p Pair) bool { return p.Name == best.Pair })
	}
	tail := o.Level / float64(2*max(1, len(f.Tests)))
	f.Most = epsilonBound(half, 0, half, tail, f.Delta)
	if o.Curve {
		f.Most = families(f.Delta)[1].bound(half, 0, half, o.Level/2, f.Most)
	}
	if f.Accused() || o.BoundOnly || f.Epsilon == 0 || f.Most <= f.Epsilon || run.late() {
		return f, nil
	}
	f.weakened = true
	var err error
	sort.Search(len(factors), func(at int) bool {
		run.pair, run.times = &target.Pairs[clearest], factors[at]
		run.key = o.Key.Derive(target.Name, "weakened", strconv.Itoa(at))
		tests, points, _, failed := run.tests(ctx)
		err = errors.Join(err, failed)
		seen := slices.ContainsFunc(tests, func(t Test) bool {
			high, low := t.Hits[t.Likelier], t.Hits[1-t.Likelier]
			return surely(high, low, t.Of, tail, f.Delta) > f.Epsilon
		})
		if o.Curve && failed == nil {
			power := f.curvePower(points, run.key.Derive("power").Stream())
			seen = seen || power >= 0.8
			if run.times == 2 { // always tried, as the middle of the factors
				f.Curve.HalfNoisePower = &power
			}
		}
		if seen {
			f.Detectable = run.times * f.Epsilon
		}
		return seen
	})
	return f, err
}

// tests chooses rules and the points of a curve on one half of the releases, and tests them on the
// other, which has so many releases of either side.
func (s *series) tests(ctx context.Context) (tests []Test, points []point, of int, err error) {
	var seen training
	n, err := s.each(ctx, "training", s.options.Releases/2, seen.add)
	if err != nil {
		return nil, nil, 0, err
	}
	s.candidates.n = n
	frozen := s.candidates.rules(&seen)
	var terms score
	if s.options.Curve {
		var scores []float64
		terms, scores = seen.learn()
		points = s.candidates.points(&seen, scores)
	}
	hits := make([][2]int, len(frozen)+len(points))
	of, err = s.each(ctx, "test", s.options.Releases-s.options.Releases/2,
		func(side int, values []featureValue) {
			for i, rule := range frozen {
				if rule.holds(values) {
					hits[i][side]++
				}
			}
			score := terms.of(values)
			for i, p := range points {
				if score >= p.threshold {
					hits[len(frozen)+i][side]++
				}
			}
		})
	for i := range points {
		points[i].count(hits[len(frozen)+i], 0, of)
	}
	for i, rule := range frozen {
		tests = append(tests, Test{Pair: s.pair.Name, Event: rule.String(), Likelier: rule.side,
			Of: of, Hits: hits[i]})
		if s.options.Curve {
			p := point{promises: s.candidates.promises(rule.hits[rule.side],
				rule.hits[1-rule.side])}
			p.count(hits[i], rule.side, of)
			points = append(points, p)
		}
	}
	return tests, points, of, err
}

func check(target Target, o Options) error {
	return errors.Join(
		problem.Unless(target.Epsilon >= 0 && !math.IsInf(target.Epsilon, 1),
			"epsilon %v, must be a finite number of at least 0", target.Epsilon),
		problem.Unless(target.Delta >= 0 && target.Delta < 1,
			"delta %v, must be at least 0 and below 1", target.Delta),
		problem.Unless(len(target.Pairs) > 0, "no pairs of inputs, must be at least 1"),
		problem.Unless(o.Releases >= 2, "%d releases, must be at least 2", o.Releases),
		problem.Unless(o.For == 0 || o.For > 0 && o.Now != nil,
			"a time of %v, must be at least 0 and have a clock", o.For),
		problem.Unless(o.Level > 0 && o.Level < 1, "level %v, must be above 0 and below 1",
			o.Level))
}

// series makes the releases of one pair after the other.
type series struct {
	pair       *Pair
	finding    *Finding
	options    Options
	candidates search
	times      float64 // the claimed epsilon
	key        random.Key
	cost       int       // the most releases
	halves     int       // that are to come, of training or test
	end        time.Time // by Options.Now
}

func (s *series) left() time.Duration { return s.end.Sub(s.options.Now()) }

// late reports whether the time is over.
func (s *series) late() bool { return s.options.For > 0 && s.left() <= 0 }

// chunk is how many releases of either side are made before they are used, to bound memory; then
// the clock is read.
const chunk = 32

// each makes up to n releases of either side and hands on what is read off them, in order. It
// returns how many it made: fewer only where a time ends the audit.
func (s *series) each(ctx context.Context, half string, n int,
	visit func(side int, values []featureValue)) (of int, err error) {
	var made [2 * chunk]featureVector
	var failed [2 * chunk]bool
	var until time.Duration // is left for the halves after this one
	if s.options.For > 0 {
		until = max(0, s.left()-s.left()/time.Duration(s.halves))
	}
	s.halves--
	for start := 0; start < n; start += chunk {
		if s.options.For > 0 && start > 0 && s.left() <= until {
			return start, nil
		}
		size := 2 * min(chunk, n-start)
		group, ctx := errgroup.WithContext(ctx)
		for worker := range s.options.Workers {
			group.Go(func() error {
				for i := worker; i < size && ctx.Err() == nil; i += s.options.Workers {
					side := i % 2
					key := s.key.Derive(half, strconv.Itoa(side), strconv.Itoa(start+i/2))
					release, err := s.pair.Release(ctx, key, side, s.times)
					made[i] = featureVector{made[i].values[:0], s.pair.Probes}
					failed[i] = made[i].read(ctx, release, err)
				}
				return ctx.Err()
			})
		}
		if err := group.Wait(); err != nil {
			return 0, err
		}
		for i := range size {
			if failed[i] {
				s.finding.Failed++
			}
			visit(i%2, made[i].values)
		}
		s.finding.Releases += size
		if part := float64(s.finding.Releases) / float64(s.cost); s.options.Progress != nil {
			if s.options.For > 0 {
				part = max(part, 1-s.left().Seconds()/s.options.For.Seconds())
			}
			s.options.Progress(min(1, part))
		}
	}
	return n, nil
}
