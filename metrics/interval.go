package metrics

import (
	"math"

	"ppdp/algorithms"
	"ppdp/elementary"
)

// End is a number of an interval: the estimate inside it or one of its two ends.
type End string

const (
	Estimate End = "estimate"
	Low      End = "low"  // wrong, too large, in one of 40 samples at most
	High     End = "high" // wrong, too small, in one of 40 samples at most
)

func (End) Enum() []string { return algorithms.Words(Estimate, Low, High) }

// tail is the chance with which either end of an interval is wrong.
const tail = 0.025

// share is a number of hits and of trials. Half hits are ties; trials that depend on one
// another count as fewer (Korn & Graubard 1998).
type share struct{ hits, of float64 }

// at is the share or an end of its interval (Clopper & Pearson 1934), which is exact for any number
// of trials. There must be some.
func (s share) at(end End) float64 {
	switch end {
	case Low:
		return lowest(s.hits, s.of)
	case High:
		return 1 - lowest(s.of-s.hits, s.of)
	}
	return s.hits / s.of
}

// minus is the difference of two independent shares or an end of its interval, which is as far from
// the difference as both shares' own ends are from them, squared and added (Newcombe 1998, method
// 10, with exact ends).
func (s share) minus(o share, end End) float64 {
	p, q := s.at(Estimate), o.at(Estimate)
	switch end {
	case Low:
		return p - q - length(p-s.at(Low), o.at(High)-q)
	case High:
		return p - q + length(s.at(High)-p, q-o.at(Low))
	}
	return p - q
}

func length(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }

// lowest is the probability of a hit at which this number of hits, or more, has the chance tail.
func lowest(hits, of float64) float64 {
	if hits <= 0 {
		return 0
	}
	under, over := 0.0, 1.0
	for {
		p := float64((under + over) / 2)
		switch {
		case p == under || p == over || over-under < 1e-15:
			return p
		case beta(hits, of-hits+1, p) < tail:
			under = p
		default:
			over = p
		}
	}
}

// beta is the regularised incomplete beta function: for whole a and b the chance of a hits or more
// in a + b - 1 trials. It is right to 1e-9 for a and b up to a million. (DLMF 8.17.22, a continued
// fraction, from its tail on.)
func beta(a, b, p float64) float64 {
	if p > (a+1)/(a+b+2) {
		return 1 - beta(b, a, 1-p)
	}
	if p <= 0 {
		return 0
	}
	fraction := 1.0
	for m := 100 + float64(4*math.Floor(math.Sqrt(max(a, b)))); m >= 0; m-- {
		even := m + 1 // the term behind the odd one of m
		fraction = 1 + even*(b-even)*p/((a+2*even-1)*(a+2*even))/fraction
		fraction = 1 - (a+m)*(a+b+m)*p/((a+2*m)*(a+2*m+1))/fraction
	}
	logs := float64(a*elementary.Log(p)) + float64(b*elementary.Log1p(-p)) +
		logGamma(a+b) - logGamma(a) - logGamma(b)
	return elementary.Exp(logs) / a / fraction
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
	return float64((x-0.5)*elementary.Log(x)) - x + half + series - elementary.Log(below)
}
