package privacy

import "math/big"

// Exact draws compare random bits with numbers such as exp(-n/d), which have no end of digits. The
// arithmetic below encloses them between two integers at any precision, so that a comparison is
// either certain or repeated with more digits.

// bounds are integers low ≤ x·2^p ≤ high for a number x and a precision p of bits.
type bounds struct{ low, high *big.Int }

// real is a number from 0 to 1 that can be computed to any precision.
type real func(precision uint) bounds

func one(precision uint) *big.Int { return new(big.Int).Lsh(big.NewInt(1), precision) }

// ceilShift is x/2^n rounded up, x ≥ 0.
func ceilShift(x *big.Int, n uint) *big.Int {
	up := new(big.Int).Sub(one(n), big.NewInt(1))
	return up.Rsh(up.Add(up, x), n)
}

// ceilQuo is x/y rounded up, x ≥ 0, y > 0.
func ceilQuo(x, y *big.Int) *big.Int {
	up := new(big.Int).Sub(y, big.NewInt(1))
	return up.Quo(up.Add(up, x), y)
}

// square is the bounds of x² at the same precision.
func (b bounds) square(precision uint) bounds {
	low, high := new(big.Int).Mul(b.low, b.low), new(big.Int).Mul(b.high, b.high)
	return bounds{low.Rsh(low, precision), ceilShift(high, precision)}
}

// coarser drops bits of precision.
func (b bounds) coarser(bits uint) bounds {
	return bounds{new(big.Int).Rsh(b.low, bits), ceilShift(b.high, bits)}
}

// expOf is exp(-n/d), n ≥ 0, d > 0.
func expOf(n, d *big.Int) real {
	return func(precision uint) bounds {
		if n.Cmp(new(big.Int).Mul(d, big.NewInt(int64(precision)))) > 0 { // e^-p < 2^-p
			return bounds{new(big.Int), big.NewInt(1)}
		}
		// exp(-n/d) is exp(-n/(d·2^m)) squared m times, n/(d·2^m) ≤ 1/2. Each squaring about
		// doubles the error.
		m := uint(max(0, n.BitLen()-d.BitLen()+2))
		work := precision + m + 64
		divisor := new(big.Int).Lsh(d, m)
		low, high := one(work), one(work)         // of the sum
		termLow, termHigh := one(work), one(work) // of (n/(d·2^m))^k/k!
		for k := int64(1); termHigh.BitLen() > 1; k++ {
			by := new(big.Int).Mul(divisor, big.NewInt(k))
			termLow.Quo(termLow.Mul(termLow, n), by)
			termHigh = ceilQuo(termHigh.Mul(termHigh, n), by)
			if k%2 == 1 {
				low.Sub(low, termHigh)
				high.Sub(high, termLow)
			} else {
				low.Add(low, termLow)
				high.Add(high, termHigh)
			}
		}
		// The terms alternate and fall: what is left out is less than the last one, 1 or 0.
		low.Sub(low, big.NewInt(1))
		high.Add(high, big.NewInt(1))
		if high.Cmp(one(work)) > 0 {
			high = one(work)
		}
		b := bounds{low, high}
		for range m {
			b = b.square(work)
		}
		return b.coarser(work - precision)
	}
}

// below reports whether a uniform number lies below x, where the first bits of the number are
// given: they are those of start, and known says how many. Further bits are drawn until that is
// certain.
// It is true with probability x·2^known - start.
func below(w Words, start uint64, known uint, x real) bool {
	digits := new(big.Int).SetUint64(start)
	for {
		known += 64
		digits.Or(digits.Lsh(digits, 64), new(big.Int).SetUint64(w.Uint64()))
		b := x(known)
		switch {
		case digits.Cmp(b.low) < 0: // and so digits+1 ≤ low
			return true
		case digits.Cmp(b.high) >= 0:
			return false
		}
	}
}

// chance is an event of probability exactly x. One random word nearly always decides it: between
// sure and possible, which enclose x, more bits are needed.
type chance struct {
	sure, possible uint64 // words below sure say yes, words above possible no
	x              real
}

func newChance(x real) chance {
	b, c := x(64), chance{^uint64(0), ^uint64(0), x} // where both bounds are 1
	if b.low.IsUint64() {
		c.sure = b.low.Uint64()
	}
	if b.high.IsUint64() {
		c.possible = b.high.Uint64() - 1
	}
	return c
}

func (c *chance) draw(w Words) bool {
	switch u := w.Uint64(); {
	case u < c.sure:
		return true
	case u > c.possible:
		return false
	default:
		return below(w, u, 64, c.x)
	}
}
