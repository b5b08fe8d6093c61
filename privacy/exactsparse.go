package privacy

import (
	"math/big"
	"math/bits"
)

// skips draws how many empty counts with discrete Laplace noise of rate s/t come before the next
// that is seen, and that one's value, both exactly. The number is geometric: each is missed with
// probability q = 1/(1+exp(-s/t)). Of a geometric number the binary digits are independent: that of
// 2^j is 1 with probability x/(1+x), x = q^(2^j), since q^n is the product of q^(2^j) over the
// digits of n.
type skips struct {
	words  Words
	s, t   uint64
	digits []chance // of 2^j
	beyond chance   // of no digit but higher ones: 2^len(digits) or more
}

// missOf is q^(2^j).
func missOf(s, t uint64, j uint) real {
	exp := expOf(new(big.Int).SetUint64(s), new(big.Int).SetUint64(t))
	return func(precision uint) bounds {
		work := precision + j + 64
		e := exp(work)
		unit := one(2 * work)
		b := bounds{new(big.Int).Quo(unit, e.high.Add(e.high, one(work))),
			ceilQuo(unit, e.low.Add(e.low, one(work)))}
		for range j {
			b = b.square(work)
		}
		return b.coarser(work - precision)
	}
}

// odds is x/(1+x).
func odds(x real) real {
	return func(precision uint) bounds {
		work := precision + 2
		b, unit := x(work), one(work)
		low, high := new(big.Int).Lsh(b.low, work), new(big.Int).Lsh(b.high, work)
		low.Quo(low, b.low.Add(b.low, unit))
		return bounds{low, ceilQuo(high, b.high.Add(b.high, unit))}.coarser(2)
	}
}

func newSkips(w Words, s, t, places uint64) *skips {
	k := &skips{words: w, s: s, t: t}
	for j := range uint(bits.Len64(places)) {
		k.digits = append(k.digits, newChance(odds(missOf(s, t, j))))
	}
	k.beyond = newChance(missOf(s, t, uint(len(k.digits))))
	return k
}

// next returns the first place at or after from whose count is seen, or places, and its value.
func (k *skips) next(from, places uint64) (place uint64, value float64) {
	if from >= places || k.beyond.draw(k.words) {
		return places, 0
	}
	n := uint64(0)
	for j := range k.digits {
		if k.digits[j].draw(k.words) {
			n |= 1 << j
		}
	}
	if n >= places-from {
		return places, 0
	}
	return from + n, float64(1 + geometricSize(k.words, k.s, k.t))
}
