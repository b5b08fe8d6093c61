package elementary

import "math"

// Exponents are n·ln2/256 + r with a whole number n and |r| of at most ln2/512.
const (
	expSteps = 256

	// Adding and subtracting roundShift rounds to a whole number, which is then also in the sum's
	// last bits.
	roundShift = 0x1.8p52

	// Beyond these every result is +Inf or 0.
	expOverflow, expUnderflow = 709.79, -745.14
	// Between these no result is subnormal or close to overflow.
	expNormalMin, expNormalMax = -708, 709
)

// Exp is e^x, with an error below 0.51 units in the last place.
func Exp(x float64) float64 {
	if !(x > expNormalMin && x < expNormalMax) {
		return expFar(x)
	}
	n, r, tail := reduce(x)
	entry := &expTable[n&(expSteps-1)]
	scale := math.Float64frombits(uint64(n>>8+1023) << mantissaBits)
	p := r + (tail + expSeries(r))
	return (entry[0] + (entry[1] + float64(entry[0]*p))) * scale
}

// expFar is Exp where the result may be no normal number.
func expFar(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > expOverflow:
		return math.Inf(1)
	case x < expUnderflow:
		return 0
	}
	n, r, tail := reduce(x)
	entry := &expTable[n&(expSteps-1)]
	p := r + (tail + expSeries(r))
	rest := entry[1] + float64(entry[0]*p)
	y := entry[0] + rest
	k := int(n >> 8)
	if k > -1022 || k == -1022 && y >= 1 {
		return math.Ldexp(y, k)
	}
	// Subnormal numbers have a spacing of 2⁻¹⁰⁷⁴, which is that of doubles around anchor after
	// scaling by 2^k. Rounding to it goes by y and what y has lost.
	rest = (entry[0] - y) + rest
	anchor := math.Ldexp(1, -1022-k)
	sum := anchor + y
	rest = ((anchor - sum) + y) + rest
	return math.Ldexp((sum+rest)-anchor, k)
}

// reduce returns n, r and tail with x = n·ln2/256 + r + tail.
func reduce(x float64) (n int64, r, tail float64) {
	shifted := float64(x*perStep) + roundShift
	n = int64(math.Float64bits(shifted)<<13) >> 13
	steps := shifted - roundShift
	rough := x - float64(steps*stepHigh) // exact
	low := float64(steps * stepLow)
	r = rough - low
	return n, r, (rough - r) - low
}

// expSeries is e^r - 1 - r, to the sixth power.
func expSeries(r float64) float64 {
	square := float64(r * r)
	return float64(square * ((0.5 + float64(r*(1.0/6))) +
		float64(square*((1.0/24+float64(r*(1.0/120)))+float64(square*(1.0/720))))))
}

// Expm1 is e^x - 1, with an error below 0.52 units in the last place, close to 0 too.
func Expm1(x float64) float64 {
	switch {
	case !(x < expNormalMax):
		return expFar(x) // less 1 makes no difference
	case x < -40:
		return -1
	case math.Abs(x) < 0x1p-54:
		return x // with the sign of 0
	}
	n, r, tail := reduce(x)
	entry := &expTable[n&(expSteps-1)]
	scale := math.Float64frombits(uint64(n>>8+1023) << mantissaBits)
	power, low := float64(entry[0]*scale), float64(entry[1]*scale)
	low += float64(low * r)
	less := power - 1
	series := tail + expSeries(r)
	if math.Abs(x) < 0.6 {
		// power·(1+r+series) - 1 = less + r + less·(r+series) + series, and the first two are
		// added without loss.
		sum := less + r
		lost := (less - sum) + r
		return sum + (lost + (low + (float64(less*(r+series)) + series)))
	}
	var lost float64
	if power > 1 {
		lost = (power - less) - 1
	} else {
		lost = power - (less + 1)
	}
	return less + (lost + (low + float64(power*(r+series))))
}
