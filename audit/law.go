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

// laws holds what the recorded transcripts say of each mechanism's draws, in order of first use.
type laws []sample

// sample is a sequence that is independent of everything before it at each step if mechanisms draw
// what their charges say: places, uniform between 0 and 1, or products of two places 2p-1 of
// different draws, of mean 0 and between -1 and 1.
type sample struct {
	of      string
	product bool
	values  []float64
}

// maxDraws is how many values of a sample are kept, of one pair and of all.
const maxPairDraws, maxDraws = 1 << 13, 1 << 17

// maxLaws is the most samples that an audit can have: for up to eight mechanisms one of places, two
// of products and one for each pair of mechanisms. maxSizes is how many sizes a sample may have.
const maxLaws, maxSizes = 3*8 + 28, 18

// add appends to a sample, up to a size.
func (l *laws) add(of string, product bool, most int, values ...float64) {
	i := slices.IndexFunc(*l, func(s sample) bool { return s.of == of && s.product == product })
	if i < 0 {
		i = len(*l)
		*l = append(*l, sample{of: of, product: product})
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
	t.Places(stream.Open01, func(purpose, kind string, places []float64) {
		of := kind + " for " + purpose
		l.add(of, false, maxPairDraws, places...)
		l.add(of+", one draw and the next", true, maxPairDraws, products(places, places[1:])...)
		if len(last[of]) == len(places) {
			l.add(of+", one call and the next", true, maxPairDraws, products(last[of], places)...)
		}
		if all[of] == nil {
			names = append(names, of)
		}
		last[of], all[of] = places, append(all[of], places...)
	})
	for i, a := range names {
		for _, b := range names[:i] {
			l.add(b+", and "+a, true, maxPairDraws, products(all[a], all[b])...)
		}
	}
}

func products(a, b []float64) []float64 {
	found := make([]float64, min(len(a), len(b))) // as many as both have
	for i := range found {
		found[i] = float64((2*a[i] - 1) * (2*b[i] - 1))
	}
	return found
}

// judge returns a failure for each sample that the mechanisms' laws do not explain: all together
// are wrong with probability falseAlarm at most. How many draws there are may depend on the draws.
// The first n for a fixed n do not, and of these the bounds hold; the largest power of two is
// taken, and the error divided by the number of powers that it may be.
func (l laws) judge() (failures []Failure) {
	tail := elementary.Log(2 * maxLaws * maxSizes / falseAlarm)
	for _, s := range l {
		n := 1 << max(0, bits.Len(uint(len(s.values)))-1)
		values, text := s.values[:min(n, len(s.values))], ""
		if s.product { // Azuma 1967
			sum := 0.0
			for _, v := range values {
				sum += v
			}
			if most := math.Sqrt(float64(2*n) * tail); math.Abs(sum) > most {
				text = fmt.Sprintf("%s: draws depend on each other: their products sum to %.4g in "+
					"%d, chance explains %.4g", s.of, sum, n, most)
			}
		} else { // Massart 1990
			slices.Sort(values)
			distance := 0.0
			for i, v := range values {
				distance = max(distance, v-float64(i)/float64(n), float64(i+1)/float64(n)-v)
			}
			if most := math.Sqrt(tail / float64(2*n)); distance > most {
				text = fmt.Sprintf("%s: %d draws do not have the law that is charged: they are "+
					"%.3g away from it, chance explains %.3g", s.of, n, distance, most)
			}
		}
		if text != "" {
			failures = append(failures, Failure{Kind: Law, Pair: "all pairs", Text: text})
		}
	}
	return failures
}
