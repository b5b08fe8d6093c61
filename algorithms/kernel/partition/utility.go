package partition

import (
	"math"

	"ppdp/algorithms"
	"ppdp/numeric/elementary"
)

// Utility scores a specialisation, a set of rows that is about to be divided among children. More
// is better for all of them: measures of loss are negated.
type Utility string

const (
	// MaxClass sums the largest class count of each child (Al-Hussaeni et al. 2018, equation 8).
	MaxClass Utility = "max"
	// Discernibility is minus the sum of the children's squared sizes (equation 3).
	Discernibility Utility = "dm"
	// CertaintyPenalty is minus the sum of the children's sizes times their penalties (equation 6).
	CertaintyPenalty Utility = "ncp"
	// InformationGain is the gain in bits about the class (Mohammed et al. 2011).
	InformationGain Utility = "infogain"
)

// Utilities lists them.
func Utilities() []Utility {
	return []Utility{MaxClass, Discernibility, CertaintyPenalty, InformationGain}
}

func (Utility) Enum() []string { return algorithms.Words(Utilities()...) }

// programTop is the score the released program gives a discernibility of 0.
const programTop = 10_000

// Scorer computes one utility's scores.
type Scorer struct {
	Utility Utility
	// Classes is the number of class values, at least 1.
	Classes int
	// Records is the paper's |D|, the number of records the release is made from. The sensitivity
	// of Discernibility contains it though it is private (errata D3).
	Records int
	// Program puts scores on the released program's scales: certainty penalties as |D| minus the
	// sum, discernibility mapped to 0..10000 (errata D8).
	Program bool
}

// Sensitivity is the Δu that the paper calibrates the exponential mechanism to: 1, or 2|D|+1 for
// Discernibility, or log₂ of the number of classes for InformationGain (0 without a class).
func (s *Scorer) Sensitivity() float64 {
	switch s.Utility {
	case Discernibility:
		return 2*float64(s.Records) + 1
	case InformationGain:
		return elementary.Log2(float64(s.Classes))
	default:
		return 1
	}
}

// Monotone reports that one more record never raises any score, or never lowers any (errata R0b).
func (s *Scorer) Monotone() bool {
	return s.Utility == MaxClass || s.Utility == CertaintyPenalty && !s.Program
}

// Score is that of dividing rows among children. counts[c·Classes+y] are the rows of class y in
// child c; penalties, the children's certainty penalties, are used by CertaintyPenalty only.
func (s *Scorer) Score(counts []int32, penalties []float64) float64 {
	switch s.Utility {
	case MaxClass:
		sum := 0
		for at := 0; at < len(counts); at += s.Classes {
			most := counts[at]
			for _, n := range counts[at+1 : at+s.Classes] {
				most = max(most, n)
			}
			sum += int(most)
		}
		return float64(sum)
	case Discernibility, CertaintyPenalty:
		sum := 0.0
		for c := range len(counts) / s.Classes {
			n := float64(total(counts[c*s.Classes : (c+1)*s.Classes]))
			weight := n
			if s.Utility == CertaintyPenalty {
				weight = penalties[c]
			}
			sum += float64(n * weight)
		}
		return s.loss(sum)
	default:
		return s.gain(counts)
	}
}

func (s *Scorer) loss(sum float64) float64 {
	switch {
	case !s.Program:
		return -sum
	case s.Utility == CertaintyPenalty:
		return float64(s.Records) - sum
	default:
		all := float64(s.Records) * float64(s.Records)
		if all == 0 {
			return programTop
		}
		return float64(programTop * (1 - sum/all))
	}
}

// gain is the mutual information, in bits, of child and class: never negative but for rounding.
func (s *Scorer) gain(counts []int32) float64 {
	all, sum := 0, 0.0
	for at := 0; at < len(counts); at += s.Classes {
		n := 0
		for _, count := range counts[at : at+s.Classes] {
			sum += plog(int(count))
			n += int(count)
		}
		sum -= plog(n)
		all += n
	}
	if all == 0 {
		return 0
	}
	for y := range s.Classes {
		n := 0
		for at := y; at < len(counts); at += s.Classes {
			n += int(counts[at])
		}
		sum -= plog(n)
	}
	sum += plog(all)
	return math.Max(0, sum/float64(all))
}

// plog is n·log₂n, 0 at 0.
func plog(n int) float64 {
	if n <= 1 {
		return 0
	}
	return float64(float64(n) * elementary.Log2(float64(n)))
}

func total(counts []int32) int {
	n := 0
	for _, count := range counts {
		n += int(count)
	}
	return n
}

// EvenSquares is the least discernibility of m rows in the given number of classes: the sum of the
// classes' squared sizes when these are as equal as can be.
func EvenSquares(m, classes int64) int64 {
	each, more := m/classes, m%classes
	return (classes-more)*each*each + more*(each+1)*(each+1)
}
