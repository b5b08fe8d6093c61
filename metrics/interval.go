package metrics

import (
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/numeric/elementary"
)

// End is a number of an interval: the estimate inside it or one of its two ends.
type End string

const (
	Estimate End = "estimate"
	Low      End = "low"  // wrong, too large, in one of 40 samples at most
	High     End = "high" // wrong, too small, in one of 40 samples at most
	Trials   End = "of"   // the share's denominator, a number of trials; no fraction
)

func (End) Enum() []string { return algorithms.Words(Estimate, Low, High, Trials) }

// tail is the chance with which either end of an interval is wrong.
const tail = 0.025

// share is a number of hits and of trials. Half hits are ties; trials that depend on one
// another count as fewer (Korn & Graubard 1998).
type share struct{ hits, of float64 }

// dependent is the share of hits in n trials that come in groups. Trials with the same number in
// groups have one outcome; trials without a number there add nothing to the variance. The interval
// is that of n²/Σ g² independent trials, g being the sizes of the groups: they have the same
// variance.
func dependent(hits, n float64, groups []int32) share {
	slices.Sort(groups)
	squares := 0.0
	for from := 0; from < len(groups); {
		to := from
		for to < len(groups) && groups[to] == groups[from] {
			to++
		}
		squares += float64((to - from) * (to - from))
		from = to
	}
	trials := n
	if squares > n {
		trials = n * n / squares
	}
	return share{hits / n * trials, trials}
}

// at is the share or an end of its interval (Clopper & Pearson 1934), which is exact for any number
// of trials. There must be some.
func (s share) at(end End) float64 {
	switch end {
	case Low:
		return elementary.LowestProbability(s.hits, s.of, tail)
	case High:
		return 1 - elementary.LowestProbability(s.of-s.hits, s.of, tail)
	case Trials:
		return s.of
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
	case Trials:
		return s.of
	}
	return p - q
}

func length(x, y float64) float64 { return math.Sqrt(float64(x*x) + float64(y*y)) }
