package elementary

import "math"

// AtLeast is the chance of so many hits or more in so many trials that hit with probability p:
// between whole numbers the regularised incomplete beta function of hits and of - hits + 1. It is
// right to 1e-9 for up to two million trials.
func AtLeast(hits, of, p float64) float64 {
	switch {
	case hits <= 0 || hits <= of && p >= 1:
		return 1
	case hits > of || p <= 0:
		return 0
	}
	return beta(hits, of-hits+1, p)
}

// LowestProbability is the lower end of a probability's interval after so many hits in so many
// trials (Clopper & Pearson 1934): where they or more have the chance tail.
func LowestProbability(hits, of, tail float64) float64 {
	if hits <= 0 {
		return 0
	}
	return Crossing(func(p float64) float64 { return AtLeast(hits, of, p) - tail })
}

// Crossing is the point between 0 and 1 where an increasing function reaches 0, from above by less
// than a unit in the last place.
func Crossing(f func(p float64) float64) float64 {
	under, over := 0.0, 1.0
	for {
		p := float64((under + over) / 2)
		switch {
		case p == under || p == over:
			return over
		case f(p) < 0:
			under = p
		default:
			over = p
		}
	}
}

// beta is the regularised incomplete beta function: DLMF 8.17.22, a continued fraction, from its
// tail on.
func beta(a, b, p float64) float64 {
	if p > (a+1)/(a+b+2) {
		return 1 - beta(b, a, 1-p)
	}
	fraction := 1.0
	for m := 100 + float64(4*math.Floor(math.Sqrt(max(a, b)))); m >= 0; m-- {
		even := m + 1 // the term behind the odd one of m
		fraction = 1 + even*(b-even)*p/((a+2*even-1)*(a+2*even))/fraction
		fraction = 1 - (a+m)*(a+b+m)*p/((a+2*m)*(a+2*m+1))/fraction
	}
	logs := float64(a*Log(p)) + float64(b*Log1p(-p)) + logGamma(a+b) - logGamma(a) - logGamma(b)
	return Exp(logs) / a / fraction
}

// logGamma is the logarithm of the gamma function of a positive number, by Stirling's series.
func logGamma(x float64) float64 {
	below := 1.0
	for x < 16 {
		below *= x
		x++
	}
	square := x * x
	series := (1.0/12 - (1.0/360-(1.0/1260-1.0/1680/square)/square)/square) / x
	const half = 0.9189385332046727418 // of ln 2π
	return float64((x-0.5)*Log(x)) - x + half + series - Log(below)
}
