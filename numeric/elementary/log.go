package elementary

import "math"

// Logarithms are k·ln2 + ln c + ln(1+r): x is 2^k·z, c a point near z with few bits in its inverse.
// The range of z, from 0.707 to 1.415, is cut into 256 pieces, of which one has 1 in its middle;
// logStart is the bits of its lower end.
const (
	logSteps = 256
	logStart = 0x3fe6a<<44 - 1<<43
)

// Log is the natural logarithm, with an error below 0.51 units in the last place.
func Log(x float64) float64 {
	bits := math.Float64bits(x)
	shift := 0.0
	if bits-1<<mantissaBits >= exponentMask-1<<mantissaBits {
		var special float64
		if bits, shift, special = logFar(x); bits == 0 {
			return special
		}
	}
	place := bits - logStart
	entry := &logTable[place>>44&(logSteps-1)]
	k := float64(int64(place)>>mantissaBits) + shift
	r, tail := quotient(math.Float64frombits(bits-place&(0xfff<<mantissaBits)), entry[0])
	return logSum(k, entry, r, tail)
}

// logFar prepares what is no positive normal number. Subnormal numbers get the bits of their
// normal multiple and the shift to its logarithm to base 2; for others bits is 0.
func logFar(x float64) (bits uint64, shift, special float64) {
	switch {
	case x == 0:
		return 0, 0, math.Inf(-1)
	case x < 0:
		return 0, 0, math.NaN()
	case x != x || math.IsInf(x, 1):
		return 0, 0, x
	}
	return math.Float64bits(x * 0x1p52), -52, 0
}

// quotient returns r and tail with z·inverse = 1 + r + tail. Both products are exact, for an
// inverse has few bits.
func quotient(z, inverse float64) (r, tail float64) {
	high := head(z)
	rough := float64(high*inverse) - 1
	low := float64((z - high) * inverse)
	r = rough + low
	return r, low - (r - rough)
}

// logSum adds the parts of a logarithm.
func logSum(k float64, entry *[5]float64, r, tail float64) float64 {
	high := float64(k*ln2High) + entry[1] // exact
	sum := high + r
	rest := (high - sum) + r
	low := (float64(k*ln2Low) + entry[2]) + tail
	return sum + (rest + (low + logSeries(r)))
}

// logSeries is ln(1+r) - r, to the seventh power.
func logSeries(r float64) float64 {
	square := float64(r * r)
	return float64(square * ((float64(r*(1.0/3)) - 0.5) +
		float64(square*((float64(r*(1.0/5))-1.0/4)+
			float64(square*(float64(r*(1.0/7))-1.0/6))))))
}

// Log1p is ln(1+x), with an error below 0.51 units in the last place, close to 0 too.
func Log1p(x float64) float64 {
	switch {
	case math.Abs(x) < 0x1p-10:
		if math.Abs(x) < 0x1p-54 {
			return x // with the sign of 0
		}
		return x + logSeries(x)
	case !(x > -1):
		if x == -1 {
			return math.Inf(-1)
		}
		return math.NaN()
	case x > 0x1p54:
		return Log(x)
	}
	one := 1 + x
	lost := x - (one - 1)
	if x > 1 {
		lost = 1 - (one - x)
	}
	bits := math.Float64bits(one)
	place := bits - logStart
	entry := &logTable[place>>44&(logSteps-1)]
	exponent := int64(place) >> mantissaBits
	r, tail := quotient(math.Float64frombits(bits-place&(0xfff<<mantissaBits)), entry[0])
	// What 1+x has lost moves r; its effect on ln(1+r) is 1/(1+r) times as large.
	lost = float64(lost * math.Float64frombits(uint64(1023-exponent)<<mantissaBits) * entry[0])
	return logSum(float64(exponent), entry, r, tail+(lost-float64(lost*r)))
}

// Log2 is the logarithm to base 2, with an error below 0.51 units in the last place. It is exact
// for powers of 2.
func Log2(x float64) float64 {
	bits := math.Float64bits(x)
	shift := 0.0
	if bits-1<<mantissaBits >= exponentMask-1<<mantissaBits {
		var special float64
		if bits, shift, special = logFar(x); bits == 0 {
			return special
		}
	}
	place := bits - logStart
	entry := &logTable[place>>44&(logSteps-1)]
	k := float64(int64(place)>>mantissaBits) + shift
	r, tail := quotient(math.Float64frombits(bits-place&(0xfff<<mantissaBits)), entry[0])
	// r/ln2, with the leading part exact
	start := head(r)
	lead := float64(start * perLn2High)
	follow := float64(((r-start)+tail)*perLn2) + float64(start*perLn2Low)
	high := k + entry[3] // exact
	sum := high + lead
	rest := (high - sum) + lead
	return sum + (rest + ((entry[4] + follow) + float64(logSeries(r)*perLn2)))
}
