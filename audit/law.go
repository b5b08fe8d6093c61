package audit

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// laws are samples of what the recorded transcripts say of each mechanism's draws, in order of
// first use.
type laws []sample

// sample is a sequence of numbers. If mechanisms draw what their charges say, each has its
// statistic's law, given all numbers before it.
type sample struct {
	name string
	statistic
	values []float64
}

// statistic is what a sample is tested by.
type statistic int

const (
	// places of draws in their laws are uniform between 0 and 1. Of n of them the largest distance
	// D between the share at or below p and p exceeds d with probability 2·exp(-2nd²) at most
	// (Massart 1990).
	places statistic = iota
	// products (2p-1)(2q-1) of the places of two draws are between -1 and 1 and have mean 0. The
	// sum of n of them exceeds s in size with probability 2·exp(-s²/2n) at most (Azuma 1967).
	products
)

// maxPairDraws and maxDraws are how many values of a sample are kept, of one pair and of all.
const maxPairDraws, maxDraws = 1 << 13, 1 << 17

// maxLaws is the most samples that an audit can have: for up to eight mechanisms one of places, two
// of products and one for each pair of mechanisms. maxSizes is how many sizes a sample may have.
const maxLaws, maxSizes = 3*8 + 28, 18

// add appends values to the sample of a name and a statistic, which keeps at most a number of them.
func (l *laws) add(name string, tested statistic, most int, values []float64) {
	i := slices.IndexFunc(*l, func(s sample) bool {
		return s.name == name && s.statistic == tested
	})
	if i < 0 {
		i = len(*l)
		*l = append(*l, sample{name: name, statistic: tested})
	}
	s := &(*l)[i]
	s.values = append(s.values, values[:min(len(values), max(0, most-len(s.values)))]...)
}

// read adds the draws of a transcript. A product is of neighbours within a call, of the same place
// in a mechanism's call and its next of the same length, or of two mechanisms' draws of the same
// number.
func (l *laws) read(t *privacy.Transcript, stream *random.Stream) {
	var names []string
	last, all := make(map[string][]float64), make(map[string][]float64)
	t.Places(stream.Open01, func(purpose, kind string, drawn []float64) {
		name := kind + " for " + purpose
		l.add(name, places, maxPairDraws, drawn)
		l.add(name+", one draw and the next", products, maxPairDraws, multiply(drawn, drawn[1:]))
		if len(last[name]) == len(drawn) {
			l.add(name+", one call and the next", products, maxPairDraws,
				multiply(last[name], drawn))
		}
		if all[name] == nil {
			names = append(names, name)
		}
		last[name], all[name] = drawn, append(all[name], drawn...)
	})
	for i, a := range names {
		for _, b := range names[:i] {
			l.add(b+", and "+a, products, maxPairDraws, multiply(all[a], all[b]))
		}
	}
}

// multiply returns the products of as many places as both have.
func multiply(a, b []float64) []float64 {
	found := make([]float64, min(len(a), len(b)))
	for i := range found {
		found[i] = float64((2*a[i] - 1) * (2*b[i] - 1))
	}
	return found
}

// judge returns a failure for each sample that the mechanisms' laws do not explain; with
// probability falseAlarm at most there is one although they draw what they should.
//
// The bounds hold for a number n of values that is fixed before. How many values there are may
// depend on the draws. So only the first n are used, n the largest power of two there is, and a
// sample's share of falseAlarm is divided by the number of powers that n may be.
func (l laws) judge() (failures []Failure) {
	for _, s := range l {
		n := 1 << max(0, bits.Len(uint(len(s.values)))-1)
		if text := s.refute(s.values[:min(n, len(s.values))]); text != "" {
			failures = append(failures, Failure{Kind: Law, Pair: "all pairs", Text: text})
		}
	}
	return failures
}

// refute says how far values are from the sample's law where chance does not explain it, else "".
// With t = ln(2·maxLaws·maxSizes/falseAlarm) the bounds are d = √(t/2n) and s = √(2nt).
func (s *sample) refute(values []float64) string {
	n, t := float64(len(values)), elementary.Log(2*maxLaws*maxSizes/falseAlarm)
	if s.statistic == products {
		sum := 0.0
		for _, v := range values {
			sum += v
		}
		if most := math.Sqrt(2 * n * t); math.Abs(sum) > most {
			return fmt.Sprintf("%s: draws depend on each other: their products sum to %.4g in %v, "+
				"chance explains %.4g", s.name, sum, n, most)
		}
		return ""
	}
	slices.Sort(values)
	distance := 0.0
	for i, v := range values {
		distance = max(distance, v-float64(i)/n, float64(i+1)/n-v)
	}
	if most := math.Sqrt(t / (2 * n)); distance > most {
		return fmt.Sprintf("%s: %v draws do not have the law that is charged: they are %.3g away "+
			"from it, chance explains %.3g", s.name, n, distance, most)
	}
	return ""
}
