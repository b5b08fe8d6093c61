package privbayes

import (
	"ppdp/algorithms"
	"ppdp/privacy"
)

// scorer rates contingency tables of one total by the paper's choice for the encoding: F, how near
// a table is to one of largest mutual information, for bits (for larger domains it is hard to
// compute), and R, half the L1 distance from the product of its margins, for attributes. It holds
// scratch memory: not safe for concurrent use.
type scorer struct {
	encoding Encoding
	n        int64
	// centre is added to every score: see the package comment on F under strict.
	centre float64

	childSum []int64
	items    []item // F: parent configurations to choose from,
	front    []item // what is gained at which cost,
	next     []item // and with one more configuration
}

func newScorer(encoding Encoding, n int, variant algorithms.Variant) *scorer {
	s := &scorer{encoding: encoding, n: int64(n)}
	if encoding == Binary && variant == algorithms.Strict {
		s.centre = float64(n) / 4
	}
	return s
}

// of rates a table of counts: cells[p·children+x] is the number of records with parent
// configuration p and child x. The unit is records.
func (s *scorer) of(cells []int32, children int) float64 {
	if s.encoding == Binary {
		return s.maximalJoint(cells) + s.centre
	}
	return s.totalVariation(cells, children)
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

// totalVariation is n·R = ½ Σ |c - c_x c_p/n|. The sum times 2n is an integer below 2⁶³, since R <
// 1 and n < 2³¹.
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

// item is what a parent configuration takes from K₀ and gives to K₁, twice each, when it is sent to
// 1 instead of 0.
type item struct{ cost, gain int64 }

// maximalJoint is n·F = max min(n/2, K₀) + min(n/2, K₁) - n (section 4 of the paper). The child is
// binary.
//
// Say the child's value 0 is the more frequent one, n₀ ≥ n/2; then K₁ never exceeds n/2, and of a
// set of configurations sent to 1 the sum is n/2 + gain - max(0, cost - (n₀ - n/2)): a knapsack
// whose capacity may be exceeded at a price of 1 a unit. Configurations that gain what they cost or
// more always go in. Once the capacity is reached no other one pays, so the rest is a knapsack with
// one overfull way to end. It is solved by dynamic programming over the pairs (cost, gain) that no
// other dominates and whose linear relaxation beats the best ending so far; few do.
func (s *scorer) maximalJoint(cells []int32) float64 {
	zeros := int64(0)
	for at := 0; at+1 < len(cells); at += 2 {
		zeros += int64(cells[at])
	}
	frequent := 0
	if 2*zeros < s.n {
		zeros, frequent = s.n-zeros, 1
	}
	// In halves of records, so that n/2 is an integer.
	capacity, sure := 2*zeros-s.n, int64(0)
	items := s.items[:0]
	for at := 0; at+1 < len(cells); at += 2 {
		i := item{cost: 2 * int64(cells[at+frequent]), gain: 2 * int64(cells[at+1-frequent])}
		switch {
		case i.gain >= i.cost:
			capacity, sure = capacity-i.cost, sure+i.gain
		case i.gain > 0:
			// By gain for the cost, descending.
			to := len(items)
			items = append(items, i)
			for ; to > 0 && items[to-1].gain*i.cost < i.gain*items[to-1].cost; to-- {
				items[to] = items[to-1]
			}
			items[to] = i
		}
	}
	s.items = items
	if capacity <= 0 {
		sure += capacity // over it already
	} else {
		sure += s.knapsack(items, capacity)
	}
	return float64(sure-s.n) / 2
}

// knapsack is the largest total gain, less what the total cost exceeds a positive capacity by, of a
// subset of items, which are in descending order of gain/cost < 1.
func (s *scorer) knapsack(items []item, capacity int64) int64 {
	best, filled := int64(0), item{}
	for _, i := range items { // a good ending to begin with
		if filled.cost+i.cost > capacity {
			best = max(best, filled.gain+i.gain-(filled.cost+i.cost-capacity))
			continue
		}
		filled.cost, filled.gain = filled.cost+i.cost, filled.gain+i.gain
		best = max(best, filled.gain)
	}
	front, next := append(s.front[:0], item{}), s.next // cost and gain ascend
	for at, i := range items {
		next = next[:0]
		for without, with := 0, 0; without < len(front) || with < len(front); {
			var p item
			if with == len(front) || without < len(front) &&
				front[without].cost <= front[with].cost+i.cost {
				p = front[without]
				without++
			} else {
				p = item{front[with].cost + i.cost, front[with].gain + i.gain}
				with++
				if p.cost >= capacity {
					best = max(best, p.gain-(p.cost-capacity))
					continue
				}
				best = max(best, p.gain)
			}
			if last := len(next) - 1; last >= 0 && p.gain <= next[last].gain {
				continue
			} else if last >= 0 && p.cost == next[last].cost {
				next = next[:last]
			}
			if relaxed(items[at+1:], capacity-p.cost)+p.gain > best {
				next = append(next, p)
			}
		}
		if front, next = next, front; len(front) == 0 {
			break
		}
	}
	s.front, s.next = front, next
	return best
}

// relaxed bounds what items can still gain within a capacity: the best of them may be taken in
// part.
func relaxed(items []item, capacity int64) int64 {
	gain := int64(0)
	for _, i := range items {
		if i.cost > capacity {
			// rounded up: it is a bound
			return gain + int64(float64(float64(i.gain)*(float64(capacity)/float64(i.cost)))+1)
		}
		capacity -= i.cost
		gain += i.gain
	}
	return gain
}

// sensitivity is how far a score in counts moves between neighbours among n records; n matters to
// published only, where it is public. The package comment derives the bounds of strict; those of
// published are the paper's, times n.
func sensitivity(encoding Encoding, variant algorithms.Variant, n int) privacy.Sensitivity {
	switch {
	case encoding == Binary && variant == algorithms.Strict:
		return privacy.Exact(0.75)
	case encoding == Binary:
		return privacy.Exact(1)
	case variant == algorithms.Strict:
		return privacy.Exact(2)
	default: // 3/n + 2/n²; a single record's scores are all 0: any bound holds
		return privacy.Exact(3 + 2/float64(max(2, n)))
	}
}
