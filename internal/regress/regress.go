// Package regress is the regression gate: it compares what a run measured with a reference, the
// committed numbers of an earlier run, and names the inputs in which two runs differ. It runs
// nothing, and equal inputs give equal results to the bit.
//
// There are two kinds of comparison. Values must be equal exactly where seed, data and revisions
// are those of the reference, and where an algorithm without differential privacy gave one value in
// all trials of fixed data. Where the seed or a revision differs, means are tested: trial by trial
// if both runs saw the same data and folds, by Welch's test otherwise.
//
// Holm's correction covers all points of all experiments. Tests are two-sided, because a leak shows
// as a number that is too good.
package regress

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"ppdp/internal/results"

	"gonum.org/v1/gonum/stat/distuv"
)

const (
	// Alpha bounds the chance that a run whose code has not changed, under another seed, is found
	// changed at all. Runs with the reference's seed are never found changed without a reason: they
	// are compared exactly.
	Alpha = 0.01
	// Floor is the least change, relative to the mean of old and new, that is called one where
	// means are tested.
	Floor = 0.01
)

// Verdicts on a comparison.
const (
	Same      = "same"      // equal exactly, trial by trial
	Unchanged = "unchanged" // tested, and no change found
	Changed   = "changed"
	Missing   = "missing"  // in the reference, not in the run: a point, or trials of one
	Added     = "added"    // in the run, not in the reference: nothing to compare with
	Unjudged  = "unjudged" // cannot be compared; Reason says why
)

// Comparison is one point of a reference beside that of a run.
type Comparison struct {
	Experiment       string
	*results.Setting // of one of the runs
	results.Measurement
	// Old and New are means over trials; nil without any. N are the numbers of trials.
	Old, New   *float64
	OldN, NewN int
	// Change is (new-old)/|old|; nil where old is 0 or absent.
	Change *float64
	Test   string
	P      *float64 // of the test alone
	// for all that was tested; Changed where at most Alpha
	Holm *float64
	// Verdict is Same, Unchanged, Changed, Missing, Added or Unjudged.
	Verdict string
	Swept   string // the parameters that tell the setting from others of its name: "k 5"
	Reason  string

	effect float64 // relative to the mean of old and new
}

// Gate is the outcome of a comparison.
type Gate struct {
	Comparisons []Comparison
	Counts      map[string]int // by verdict
}

// Failed reports whether something changed or went missing.
func (g *Gate) Failed() bool { return g.Counts[Changed]+g.Counts[Missing] > 0 }

// Pair is an experiment's reference and its new run.
type Pair struct{ Old, New *Reference }

// Compare judges runs by their references; what is tested at the level alpha, such as Alpha.
func Compare(pairs []Pair, alpha float64) *Gate {
	g := &Gate{Counts: make(map[string]int)}
	for _, pair := range pairs {
		g.Comparisons = append(g.Comparisons, comparePair(pair)...)
	}
	var tested []*Comparison
	var p []float64
	for i := range g.Comparisons {
		if c := &g.Comparisons[i]; c.P != nil {
			tested = append(tested, c)
			p = append(p, *c.P)
		}
	}
	for i, adjusted := range results.Holm(p) {
		c := tested[i]
		c.Holm = &adjusted
		switch {
		case adjusted > alpha:
			c.Verdict = Unchanged
		case c.effect < Floor:
			c.Verdict = Unchanged
			c.Reason = fmt.Sprintf("significant, but below the floor of %g %%", 100*Floor)
		default:
			c.Verdict = Changed
		}
	}
	for i := range g.Comparisons {
		g.Counts[g.Comparisons[i].Verdict]++
	}
	return g
}

// relation says what a sample of two runs has in common.
type relation struct {
	seed, data, revision bool // the same
	resampled            bool // data are drawn anew for every trial
	noiseless            bool // without differential privacy, so perhaps without noise
}

func relate(old, new *results.Manifest, s *results.Sample) relation {
	a, b := usesOf(old, s), usesOf(new, s)
	return relation{
		seed:      old.Seed == new.Seed,
		data:      a.data.Checksum == b.data.Checksum && a.data.Resampled == b.data.Resampled,
		resampled: a.data.Resampled && b.data.Resampled,
		revision: old.Arithmetic == new.Arithmetic &&
			a.algorithm.Revision == b.algorithm.Revision &&
			a.measure.Revision == b.measure.Revision &&
			a.measure.ClassifierRevision == b.measure.ClassifierRevision,
		noiseless: a.algorithm.Name != "" && a.algorithm.Guarantee != results.DifferentialPrivacy,
	}
}

// uses is what a manifest says of the inputs of a sample: empty where it says nothing.
type uses struct {
	data      results.DatasetUse
	algorithm results.AlgorithmUse
	measure   results.MeasureUse
}

func usesOf(m *results.Manifest, s *results.Sample) (u uses) {
	for _, use := range m.Datasets {
		if use.Name == s.Dataset.Label() {
			u.data = use
		}
	}
	for _, use := range m.Algorithms {
		if u.algorithm.Name == "" && use.Name == s.Algorithm && use.Variant == s.Variant {
			u.algorithm = use
		}
	}
	for _, use := range m.Measures {
		if use.Measurement == s.Measurement {
			u.measure = use
		}
	}
	return u
}

func comparePair(pair Pair) (all []Comparison) {
	olds := aligned(pair.Old.Samples, pair.New.Samples)
	news := aligned(pair.New.Samples, pair.Old.Samples)
	newAt, oldAt := byKey(news), byKey(olds)
	swept := sweptIn(slices.Concat(olds, news))
	for old := range results.Each(olds) {
		all = append(all, comparePoint(pair, old, newAt[keyOf(old)]))
	}
	for new := range results.Each(news) {
		if oldAt[keyOf(new)] == nil {
			all = append(all, comparePoint(pair, nil, new))
		}
	}
	a, b := &pair.Old.Manifest, &pair.New.Manifest
	same := !a.Overrides.Settled && a.Overrides.Quick == b.Overrides.Quick &&
		len(specDifferences(a.Spec, b.Spec)) == 0 &&
		!slices.ContainsFunc(all, func(c Comparison) bool { return c.Verdict == Missing })
	for i := range all {
		all[i].Swept = swept(all[i].Setting)
		if c := &all[i]; same && c.Verdict == Added {
			c.Verdict, c.Reason = Changed, "the reference has the same spec and lacks it: its "+
				TrialsFile+" is damaged, or there are new defaults"
		}
	}
	return all
}

// set sets the means over the trials of both runs that have a value, which it returns, and the
// change.
func (c *Comparison) set(before, after []float64) (x, y []float64) {
	mean := func(trials []float64) ([]float64, int, *float64) {
		finite := slices.DeleteFunc(slices.Clone(trials), math.IsNaN)
		if len(finite) == 0 {
			return nil, 0, nil
		}
		return finite, len(finite), new(results.Mean(finite))
	}
	x, c.OldN, c.Old = mean(before)
	y, c.NewN, c.New = mean(after)
	if c.Old == nil || c.New == nil {
		return x, y
	}
	a, b := *c.Old, *c.New
	if a != 0 {
		c.Change = new((b - a) / math.Abs(a))
	}
	switch scale := math.Abs(a+b) / 2; {
	case a == b:
		c.effect = 0
	case scale == 0:
		c.effect = math.Inf(1)
	default:
		c.effect = math.Abs(b-a) / scale
	}
	return x, y
}

// comparePoint compares one point; old or new is nil where one run lacks the point. Verdicts of
// tests are left open: Compare decides on all of them together.
func comparePoint(pair Pair, old, new *results.Sample) Comparison {
	point := cmp.Or(old, new)
	c := Comparison{Experiment: pair.Old.Manifest.Experiment, Setting: point.Setting,
		Measurement: point.Measurement}
	switch {
	case new == nil:
		c.set(old.Trials, nil)
		c.Verdict, c.Reason = Missing, "the run has no such point"
		return c
	case old == nil:
		c.set(nil, new.Trials)
		c.Verdict = Added
		return c
	}
	r := relate(&pair.Old.Manifest, &pair.New.Manifest, old)
	x, y := c.set(old.Trials, new.Trials)
	common := min(len(old.Trials), len(new.Trials))
	equal := common > 0
	for t := range common {
		equal = equal && sameValue(old.Trials[t], new.Trials[t])
	}
	asked := pair.New.Manifest.Overrides // of quick runs the spec gives other trials, too
	decide := func(test, verdict, why string) { c.Test, c.Verdict, c.Reason = test, verdict, why }
	switch {
	case common == 0:
		decide("", Unjudged, "no trial that both have")
	case r.seed && equal && common < len(old.Trials) && (asked.Trials == nil || asked.Quick):
		decide(TestExact, Missing, fmt.Sprintf("the run has %d of the reference's %d trials",
			common, len(old.Trials)))
	case r.seed && equal:
		decide(TestExact, Same, "")
	case r.seed && !r.data:
		decide(TestExact, Changed, "the same seed gives other data")
	case r.seed && r.revision:
		decide(TestExact, Changed,
			"seed, data and revisions are the reference's: values must be equal")
	case !r.data && !r.resampled:
		decide("", Unjudged, "data drawn once from another seed")
	case r.noiseless && r.data && !r.resampled && len(x) > 1 && len(x) == len(old.Trials) &&
		results.Constant(x):
		if len(y) == len(new.Trials) && results.Constant(y) && y[0] == x[0] {
			decide(TestExact, Same, "")
		} else {
			decide(TestExact, Changed,
				"all trials of the reference agree, without noise: values must be equal")
		}
	case len(x) == len(old.Trials) && len(y) < len(new.Trials):
		decide("", Changed, fmt.Sprintf("%d of %d trials have no value, all of the reference have",
			len(new.Trials)-len(y), len(new.Trials)))
	case len(x) == 0 && len(y) == 0:
		decide("", Unchanged, "no trial has a value, before and after")
	case r.seed && common < 3: // the t of two differences could hardly reach any level
		decide("", Changed, "another revision, with too few trials to test whether it matters")
	case r.seed && r.data:
		c.test(old.Trials, new.Trials, true)
	default:
		c.test(x, y, false)
	}
	return c
}

// test tests whether trials have one mean: by the differences of those that both runs have, or as
// two samples, all with a value.
func (c *Comparison) test(old, new []float64, byTrial bool) {
	var p float64
	if byTrial {
		d := results.Paired(old, new)
		p, c.Test = d.P, TestPaired
		if d.SE == 0 {
			c.Test = TestPermutation
		}
	} else {
		p, c.Test = welch(old, new)
	}
	if math.IsNaN(p) {
		c.Test, c.Verdict, c.Reason = "", Unjudged, "too few trials to test"
		return
	}
	c.P = &p
}

func sameValue(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }

// Kinds of comparison.
const (
	TestExact  = "exact"    // the values must be equal
	TestPaired = "paired t" // of the differences, trial by trial
	TestWelch  = "Welch t"  // of two means, each side with its own variance
	TestPooled = "pooled t" // of a mean and a single trial, which is given the others' variance
	// TestPermutation is used where a t has no scale because no sample varies: p counts the ways in
	// which the values, or the signs of the differences, could have fallen.
	TestPermutation = "permutation"
)

// welch tests whether two samples have one mean (Welch 1947, with the degrees of freedom of
// Satterthwaite 1946), two-sided. With a single trial on one side it is Student's test with the
// other side's variance. What cannot be tested, one trial on either side, has a NaN for p.
func welch(old, new []float64) (p float64, test string) {
	n, m := float64(len(old)), float64(len(new))
	if n+m < 3 || n == 0 || m == 0 {
		return math.NaN(), ""
	}
	a, u := results.Mean(old), results.Variance(old)
	b, v := results.Mean(new), results.Variance(new)
	if u == 0 && v == 0 {
		if a == b {
			return 1, TestPermutation
		}
		// Of all ways to deal the values to the two sides only this one, and its mirror image where
		// the sides are equally long, has means as far apart.
		ways := binomial(len(old)+len(new), len(old))
		if len(old) == len(new) {
			ways /= 2
		}
		return 1 / ways, TestPermutation
	}
	if n == 1 || m == 1 {
		variance := u + v // that of the single trial is 0
		se := math.Sqrt(variance * (1/n + 1/m))
		return twoSided((b-a)/se, n+m-2), TestPooled
	}
	u, v = u/n, v/m
	df := (u + v) * (u + v) / (u*u/(n-1) + v*v/(m-1))
	return twoSided((b-a)/math.Sqrt(u+v), df), TestWelch
}

func twoSided(t, df float64) float64 {
	return 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: df}.CDF(-math.Abs(t))
}

func binomial(n, k int) float64 {
	ways := 1.0
	for i := 1; i <= k; i++ {
		ways *= float64(n-k+i) / float64(i)
	}
	return ways
}
