package claims

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"ppdp/internal/results"
)

// Numbers of the rule, see Evaluate.
const (
	familyError = 0.05 // chance that any point of a claim gets a wrong state, at any look
	power       = 0.8  // with which an excess of Evidence.Detectable is seen
	// The parts of its points that must support what holds in part, and that may oppose what is not
	// contradicted.
	enough, few = 0.5, 0.2
)

// Look is a number of trials after which a settled run is judged, and the part of the allowed error
// that is spent on it.
type Look struct {
	Trials int
	Share  float64
}

// Looks are those of settled runs, fixed before any was made. Their shares add up to 1: whatever
// the first looks show, the chance of a wrong state at any of them is at most familyError.
var Looks = []Look{{20, 0.1}, {60, 0.2}, {180, 0.3}, {540, 0.4}}

// share is the part of the allowed error for a point of n trials.
func share(n int, settled bool) float64 {
	if !settled || n == 0 { // judged once
		return 1
	}
	at := slices.IndexFunc(Looks, func(l Look) bool { return n <= l.Trials })
	if at < 0 {
		at = len(Looks) - 1
	}
	return Looks[at].Share
}

// States of a point.
const (
	supports = "supports"
	opposes  = "opposes"
	equal    = "equal"
	open     = "open"
)

// decide gives a point the state that it would have alone, with the p-value for that state. Which
// state it is, the estimate decides: equal, if it is nearer to the bound than to the end of the
// margin around it. Both other states together can be wrong in one way only, so P is twice the
// one-sided p-value.
func (b bounds) decide(p Point, margin float64) Point {
	near := p.Value - b.lo
	end := b.lo
	if over := b.hi - p.Value; over < near {
		near, end = over, b.hi
	}
	if 2*math.Abs(near) <= margin && margin > 0 {
		p.State, p.P = equal, min(1, 2*p.within(end, margin))
		return p
	}
	if !b.open { // the end is in, and a value computed to be it must not miss it by its last bit
		b.lo = math.Nextafter(b.lo-float64(rounding*math.Abs(b.lo)), math.Inf(-1))
		b.hi = math.Nextafter(b.hi+float64(rounding*math.Abs(b.hi)), math.Inf(1))
	}
	in := max(p.beyond(1, b.lo), p.beyond(-1, b.hi))
	out := min(p.beyond(-1, b.lo), p.beyond(1, b.hi))
	if !math.IsInf(b.lo, -1) && !math.IsInf(b.hi, 1) {
		out = min(1, 2*out) // either end may be passed
	}
	if p.State, p.P = supports, min(1, 2*in); out < in {
		p.State, p.P = opposes, min(1, 2*out)
	}
	return p
}

// beyond is the one-sided p-value of a point's value lying above a bound or, where sign is -1,
// below it. Means have Student's t with n-1 degrees of freedom, with Hall's correction for skewness
// (1992) where it makes the p-value larger and there are trials enough to tell the skewness; a mean
// that is the same in all trials is taken as known. Medians have the sign test: whatever the law, k
// or more of n trials are beyond its median with a chance of at most P(Binomial(n, 1/2) >= k); one
// at the bound is not beyond it.
func (p Point) beyond(sign, bound float64) float64 {
	excess := sign * (p.Value - bound)
	switch {
	case math.IsInf(bound, 0): // nothing to test
	case p.extreme != nil:
		return p.extreme.beyond(sign, bound, p.extreme.trials)
	case p.values != nil:
		others := results.Count(p.values, func(x float64) bool { return sign*(x-bound) <= 0 })
		return distuv.Binomial{N: float64(p.N), P: 0.5}.CDF(float64(others))
	case p.SE > 0:
		t, skew := excess/p.SE, 0.0
		if p.N >= Looks[0].Trials {
			skew = sign * p.skew / math.Sqrt(float64(p.N))
		}
		hall := t + float64(skew*t*t/3) + float64(skew*skew*t*t*t/27) + float64(skew/6)
		return studentT(p.N - 1).Survival(min(t, hall))
	}
	if excess > 0 {
		return 0
	}
	return 1
}

// within is the p-value of a point's value lying within a margin of a bound: the larger one of two
// one-sided tests.
func (p Point) within(bound, margin float64) float64 {
	return max(p.beyond(1, bound-margin), p.beyond(-1, bound+margin))
}

// Counts are numbers of points, by their state.
type Counts struct {
	Supports int `json:"supports"`
	Opposes  int `json:"opposes"`
	Equal    int `json:"equal"`
	Open     int `json:"open"`
}

func (c *Counts) count(state string) {
	switch state {
	case supports:
		c.Supports++
	case opposes:
		c.Opposes++
	case equal:
		c.Equal++
	default:
		c.Open++
	}
}

// All is how many points there are.
func (c Counts) All() int { return c.Supports + c.Opposes + c.Equal + c.Open }

// Counts counts the points of all checks.
func (j *Judgement) Counts() (all Counts) {
	for i := range j.Checks {
		for _, p := range j.Checks[i].Points {
			all.count(p.State)
		}
	}
	return all
}

// fromBest orders the verdicts of checks. One check without a difference decides against a claim of
// several, whatever becomes of one that is undecided.
var fromBest = []Verdict{Holds, HoldsInPart, Undecided, NoDifference, Contradicted}

// decide applies the rule of Evaluate to points whose state is the one that each would have alone.
func decide(j *Judgement) {
	var points []*Point
	var p []float64
	for i := range j.Checks {
		for point := range results.Each(j.Checks[i].Points) {
			points, p = append(points, point), append(p, min(1, point.P/point.share))
		}
	}
	undecided := 0
	for i, adjusted := range results.Holm(p) {
		if points[i].P = adjusted; adjusted > familyError {
			points[i].State = open
			undecided++
		}
	}
	for c := range results.Each(j.Checks) {
		for k := range c.Points {
			c.count(c.Points[k].State)
		}
		c.Verdict = c.verdict()
		c.Detectable = c.detectable(max(1, undecided))
	}
	j.Verdict = j.verdictBy(ours)
	typical := slices.SortedStableFunc(slices.Values(j.deciding().Points), byValue)
	j.Effect = &typical[(len(typical)-1)/2]
}

// detectable is Evidence.Detectable where this many points of the claim are open.
func (e *Evidence) detectable(undecided int) float64 {
	var all []float64
	for _, p := range e.Points {
		if p.N > 1 && (e.Open == 0 || p.State == open) {
			t := studentT(p.N - 1)
			level := familyError * p.share / float64(2*undecided)
			all = append(all, (t.Quantile(1-level)+t.Quantile(power))*p.SE)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func byValue(a, b Point) int { return cmp.Compare(a.Value, b.Value) }
