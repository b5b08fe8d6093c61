package privbayes

import (
	"math"

	"ppdp/algorithms"
	"ppdp/privacy"
)

// scorer rates contingency tables of one total. It holds scratch memory: not safe for concurrent use.
type scorer struct {
	score Score
	n     int64
	// centre is added to every score: see the package comment on F under strict.
	centre float64

	xlog     []float64 // xlog[c] = c·log₂ c
	childSum []int64
	front    []point // F: candidates so far,
	next     []point // and with one more parent configuration
}

// newScorer returns the scorer for n records.
func newScorer(score Score, n int, variant algorithms.Variant) *scorer {
	s := &scorer{score: score, n: int64(n)}
	if score == MaximalJoint && variant == algorithms.Strict {
		s.centre = float64(n) / 4
	}
	if score == MutualInformation {
		s.xlog = make([]float64, n+1)
		for c := 2; c <= n; c++ {
			s.xlog[c] = float64(c) * math.Log2(float64(c))
		}
	}
	return s
}

// of rates a table of counts: cells[p·children+x] is the number of records with parent configuration
// p and child x. The unit is records, for mutual information bits times records.
func (s *scorer) of(cells []int32, children int) float64 {
	switch s.score {
	case MaximalJoint:
		return s.maximalJoint(cells) + s.centre
	case MutualInformation:
		return s.mutualInformation(cells, children)
	default:
		return s.totalVariation(cells, children)
	}
}

// margins sums over the parents' configurations.
func (s *scorer) margins(cells []int32, children int) []int64 {
	if cap(s.childSum) < children {
		s.childSum = make([]int64, children)
	}
	sums := s.childSum[:children]
	clear(sums)
	for at := 0; at < len(cells); at += children {
		for x, c := range cells[at : at+children] {
			sums[x] += int64(c)
		}
	}
	return sums
}

// mutualInformation is n·I(X;Π) = n log n + Σ c log c - Σ c_x log c_x - Σ c_p log c_p.
func (s *scorer) mutualInformation(cells []int32, children int) float64 {
	sum := s.xlog[s.n]
	for at := 0; at < len(cells); at += children {
		parent := int32(0)
		for _, c := range cells[at : at+children] {
			sum += s.xlog[c]
			parent += c
		}
		sum -= s.xlog[parent]
	}
	for _, c := range s.margins(cells, children) {
		sum -= s.xlog[c]
	}
	return max(0, sum) // rounding may leave a trace below 0
}

// totalVariation is n·R = ½ Σ |c - c_x c_p/n|. The sum times 2n is an integer below 2⁶³, since R < 1 and
// n < 2³¹.
func (s *scorer) totalVariation(cells []int32, children int) float64 {
	if s.n == 0 {
		return 0
	}
	margins := s.margins(cells, children)
	sum := int64(0)
	for at := 0; at < len(cells); at += children {
		row := cells[at : at+children]
		parent := int64(0)
		for _, c := range row {
			parent += int64(c)
		}
		if parent == 0 {
			continue
		}
		for x, c := range row {
			excess := s.n*int64(c) - margins[x]*parent
			if excess < 0 {
				excess = -excess
			}
			sum += excess
		}
	}
	return float64(sum) / float64(2*s.n)
}

// point is what the parent configurations seen so far put on the two sides: twice the number of
// records with child 0 sent to 0, and with child 1 sent to 1, each at most n.
type point struct{ zero, one int64 }

// maximalJoint is n·F = max min(n/2, K₀) + min(n/2, K₁) - n (section 4 of the paper), by dynamic
// programming over the pairs (K₀, K₁) that can be reached and that no other reaches beyond on both sides.
// The child is binary.
func (s *scorer) maximalJoint(cells []int32) float64 {
	n := s.n
	// Configurations that only one value of the child occurs with have one sensible side.
	start := point{}
	for at := 0; at+1 < len(cells); at += 2 {
		switch a, b := int64(cells[at]), int64(cells[at+1]); {
		case b == 0:
			start.zero += 2 * a
		case a == 0:
			start.one += 2 * b
		}
	}
	start.zero, start.one = min(n, start.zero), min(n, start.one)
	front := append(s.front[:0], start) // zero ascends, one descends
	next := s.next
	for at := 0; at+1 < len(cells); at += 2 {
		a, b := 2*int64(cells[at]), 2*int64(cells[at+1])
		if a == 0 || b == 0 {
			continue
		}
		// Merge the points with the configuration sent to 0 (i) and to 1 (j) in descending order of
		// zero, and keep those that rise on the other side.
		next = next[:0]
		i, j := len(front)-1, len(front)-1
		best := int64(-1)
		for i >= 0 || j >= 0 {
			var p point
			if i >= 0 && (j < 0 || min(n, front[i].zero+a) >= front[j].zero) {
				p = point{min(n, front[i].zero+a), front[i].one}
				i--
			} else {
				p = point{front[j].zero, min(n, front[j].one+b)}
				j--
			}
			switch {
			case p.one <= best:
			case len(next) > 0 && next[len(next)-1].zero == p.zero:
				next[len(next)-1], best = p, p.one
			default:
				next, best = append(next, p), p.one
			}
		}
		for l, r := 0, len(next)-1; l < r; l, r = l+1, r-1 {
			next[l], next[r] = next[r], next[l]
		}
		front, next = next, front
	}
	s.front, s.next = front, next
	largest := int64(0)
	for _, p := range front {
		largest = max(largest, p.zero+p.one)
	}
	return float64(largest-2*n) / 2
}

// sensitivity is how far a score in counts moves between neighbours among n records (n matters to
// published only, where it is public). bits says that every node is binary.
func sensitivity(score Score, variant algorithms.Variant, n int, bits bool) privacy.Sensitivity {
	m := float64(max(2, n)) // a single record's scores are all 0: any bound holds
	switch {
	case score == MaximalJoint && variant == algorithms.Strict:
		return privacy.Exact(0.75)
	case score == TotalVariation && variant == algorithms.Strict:
		return privacy.Exact(2)
	case score == MaximalJoint:
		return privacy.Exact(1)
	case score == TotalVariation: // the paper's 3/n + 2/n²
		return privacy.Exact(3 + 2/m)
	case bits: // the paper's bound where child or parents are binary
		return privacy.Exact(math.Log2(m) + float64((m-1)*math.Log2(m/(m-1))))
	default:
		return privacy.Exact(2*math.Log2((m+1)/2) + float64((m-1)*math.Log2((m+1)/(m-1))))
	}
}
