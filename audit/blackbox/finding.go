package blackbox

import (
	"fmt"
	"math"
	"strconv"

	"ppdp/internal/results"
)

// Test is one frozen event, tested on releases that had no part in its choice.
type Test struct {
	Pair     string
	Event    string // in words
	Likelier int    // the side on which training found the event likelier
	Hits     [2]int // releases in which it occurred, by side
	Of       int    // releases of either side
	Bound    float64
	P        float64 // of the hypothesis that the claim allows this event
	Adjusted float64 // P after Holm's correction for all tests of the audit
}

// Finding is what an audit found.
type Finding struct {
	Target         string
	Epsilon, Delta float64 // as claimed
	Level          float64 // of the tests; with a curve half of the audit's
	Releases       int     // made in all
	Failed         int     // of these
	Untried        int     // pairs that were left when the time was over
	// Tests are all frozen events, in the order of the pairs. Their bounds hold together with
	// probability 1 - Level. A pair whose releases all look the same has none.
	Tests []Test
	// Bound is the largest of the tests' bounds on epsilon, 0 without any.
	Bound float64
	// Most is the bound for an event that always tells the inputs apart, such as an exact number
	// that is published. No bound can be larger, at this number of releases and tests.
	Most float64
	// Detectable is the least epsilon that, given to the same mechanism, is accused in 80 % of such
	// audits. +Inf where none is, or none was tried: the audit has no power against too little
	// noise, whatever it found.
	Detectable float64
	Curve      *results.TradeOff // nil unless Options ask for it
	weakened   bool              // less noise was tried
}

// Accused reports whether the claim is refuted at the finding's level. Without a curve that is so
// just when some test's Adjusted is at most the level: Holm's first step is the correction that
// Bound has.
func (f *Finding) Accused() bool { return f.Certified() > f.Epsilon }

// Certified is the larger of the bounds on epsilon.
func (f *Finding) Certified() float64 {
	if f.Curve != nil {
		return max(f.Bound, f.Curve.Epsilon)
	}
	return f.Bound
}

// Best is the test with the largest bound, of equal ones that with the least P; nil without tests.
func (f *Finding) Best() *Test {
	var best *Test
	for t := range results.Each(f.Tests) {
		if best == nil || t.Bound > best.Bound || t.Bound == best.Bound && t.P < best.P {
			best = t
		}
	}
	return best
}

// String is the finding in one or two sentences.
func (f *Finding) String() string {
	best := f.Best()
	text := f.Target + ": "
	switch {
	case best == nil:
		text += fmt.Sprintf("all %d releases look the same.", f.Releases)
	case f.Accused():
		text += fmt.Sprintf("epsilon is at least %s, claimed is %s.", number(f.Certified()),
			number(f.Epsilon))
	default:
		text += fmt.Sprintf("no violation found; the certified lower bound is %s.",
			number(f.Certified()))
	}
	switch {
	case f.Most <= f.Epsilon:
		text += fmt.Sprintf(" No power: so few releases cannot show an epsilon above %s.",
			number(f.Most))
	case f.weakened:
		text += f.power()
	}
	if f.Curve != nil {
		text += curveText(f.Curve)
	}
	if f.Untried > 0 {
		text += fmt.Sprintf(" The time was over before %d of the pairs were tried.", f.Untried)
	}
	if best == nil {
		return text
	}
	sides := [2]string{"T", "T′"}
	return text + fmt.Sprintf(" %s: %s occurs in %d of %d releases of %s and %d of %s"+
		" (adjusted p %s).", best.Pair, best.Event, best.Hits[best.Likelier], best.Of,
		sides[best.Likelier], best.Hits[1-best.Likelier], sides[1-best.Likelier],
		number(best.Adjusted))
}

// power says what an audit that accuses nobody could have seen, for each kind of fault.
func (f *Finding) power() string {
	text := " No power against too little noise: with " + number(factors[len(factors)-1]) +
		" times less this audit would not detect the violation."
	if !math.IsInf(f.Detectable, 1) {
		text = fmt.Sprintf(" With %s times less noise this audit would detect the violation with "+
			"80 %% power.", number(f.Detectable/f.Epsilon))
	}
	return text + fmt.Sprintf(" The largest epsilon that so many releases can certify is %s.",
		number(f.Most))
}

func number(x float64) string { return strconv.FormatFloat(x, 'g', 3, 64) }

// judge computes bounds and p-values from the tests' hits.
func (f *Finding) judge() {
	tail := f.Level / float64(2*len(f.Tests))
	ps := make([]float64, len(f.Tests))
	for i := range f.Tests {
		t := &f.Tests[i]
		high, low := t.Hits[t.Likelier], t.Hits[1-t.Likelier]
		t.Bound = epsilonBound(high, low, t.Of, tail, f.Delta)
		t.P = pValue(high, low, t.Of, f.Epsilon, f.Delta)
		ps[i] = t.P
		f.Bound = max(f.Bound, t.Bound)
	}
	for i, p := range results.Holm(ps) {
		f.Tests[i].Adjusted = p
	}
}
