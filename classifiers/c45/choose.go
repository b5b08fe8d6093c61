package c45

import (
	"math"
	"math/bits"
	"slices"

	"ppdp/numeric/elementary"
)

// test is the best test on one feature at a node.
type test struct {
	feature     int
	valid       bool
	gain, ratio float64 // bits per case; gain already less the threshold's cost
	cut         uint32  // numeric: codes up to here go left
}

// choose returns the feature and the threshold of the best test at a node, feature -1 for none: the
// greatest gain ratio among the tests whose gain is at least the average (Quinlan 1993, section
// 2.2). Of equals the first attribute wins.
func (g *grower) choose(at int32) (feature int, cut uint32) {
	if !g.worthTesting(at) {
		return -1, 0
	}
	distribution := g.distribution(at)
	cases, _ := wrong(distribution)
	low, high := int(g.nodes[at].low), int(g.nodes[at].high)
	entropy := g.log2(cases)
	for _, w := range distribution {
		entropy -= g.log2(w)
	}
	least := g.least(cases)
	if g.exactSums {
		g.dropConstant(g.nodeTally, high-low)
	}
	paired := g.paired(cases)
	average, averaged := 0.0, 0
	g.tests = g.tests[:0]
	for n, word := range g.candidates {
		for ; word != 0; word &= word - 1 {
			i := 64*n + bits.TrailingZeros64(word)
			f := &g.features[i]
			var t test
			switch {
			case f.numeric:
				t = g.threshold(f, low, high, distribution, cases, least, entropy)
			case f.bundle != nil && paired:
				t = g.multiwayPair(f, distribution, cases, entropy)
			default:
				t = g.multiway(f, low, high, distribution, cases, entropy)
			}
			if !t.valid {
				continue
			}
			t.feature = i
			g.tests = append(g.tests, t)
			if f.few || !g.anyFew {
				average += t.gain
				averaged++
			}
		}
	}
	if averaged > 0 {
		average /= float64(averaged)
	}
	feature, best := -1, epsilon
	for i := range g.tests {
		t := &g.tests[i]
		if t.gain >= average-averageSlack && t.ratio > best+epsilon {
			feature, best, cut = t.feature, t.ratio, t.cut
		}
	}
	return feature, cut
}

// worthTesting reports whether tests can save training errors at a node, and whether it has enough
// cases for one. Where they cannot, whatever grew would fall back into a leaf.
func (g *grower) worthTesting(at int32) bool {
	n := &g.nodes[at]
	cases, _ := wrong(g.distribution(at))
	return n.estimate-n.inseparable > collapseSlack/g.unit && cases >= 2*g.settings.minCases
}

// count adds up the weight of each code and class over order[low:high], of a node with the given
// distribution. With whole weights, codes without weight may be left out.
func (g *grower) count(f *feature, low, high int, distribution []float64) []float64 {
	switch {
	case f.bundle != nil:
		return g.countBundled(f, distribution)
	case g.exactSums && !f.numeric:
		return g.countMarked(f.column)
	}
	counts := g.counts[:f.arity*g.classes]
	clear(counts)
	for _, i := range g.order[low:high] {
		from := int(g.code(f.column, i)) * g.classes
		g.add(counts[from:from+g.classes], i)
	}
	return counts
}

// countMarked is count from the node's tally.
func (g *grower) countMarked(column int) []float64 {
	counts := g.counts[:0]
	first := g.columns[column].first / 64
	for n, word := range g.nodeTally.marks[first : first+g.columns[column].words()] {
		for ; word != 0; word &= word - 1 {
			place := 64*(first+n) + bits.TrailingZeros64(word)
			counts = counts[:len(counts)+g.classes]
			unpack(counts[len(counts)-g.classes:], g.nodeTally.weights[place*g.words:])
		}
	}
	return counts
}

// multiway is the test with a branch for each value.
func (g *grower) multiway(f *feature, low, high int, distribution []float64,
	cases, entropy float64) test {
	if f.arity < 2 {
		return test{}
	}
	counts := g.count(f, low, high, distribution)
	// Asked first: deep in the tree most features have one value left, and logarithms take time.
	filled := 0
	for from := 0; from < len(counts) && filled < 2; from += g.classes {
		bag := 0.0
		for _, w := range counts[from : from+g.classes] {
			bag += w
		}
		if bag >= g.settings.minCases {
			filled++
		}
	}
	if filled < 2 {
		return test{}
	}
	split, after := g.log2(cases), 0.0
	for from := 0; from < len(counts); from += g.classes {
		bag := 0.0
		for _, w := range counts[from : from+g.classes] {
			if w > 0 {
				bag += w
				after -= g.log2(w)
			}
		}
		if bag == 0 {
			continue
		}
		bagged := g.log2(bag)
		after += bagged
		split -= bagged
	}
	return g.gainRatio(entropy-after, split, cases, 0)
}

// gainRatio is a test of the given gain and split information, times the cases in bits (Quinlan
// 1993, section 2.2), where naming a threshold costs so much a case.
func (g *grower) gainRatio(gain, splitInfo, cases, cost float64) test {
	gain, splitInfo = gain/cases-cost, splitInfo/cases
	if splitInfo < epsilon || gain < epsilon {
		return test{valid: true, gain: max(gain, 0)}
	}
	return test{valid: true, gain: gain, ratio: gain / splitInfo}
}

// least is how many cases either side of a numeric test must have.
func (g *grower) least(cases float64) float64 {
	least := 0.1 * cases / float64(g.classes)
	return max(g.settings.minCases, min(least, mostNumericCases/g.unit))
}

// threshold is the best binary test on a numeric feature.
func (g *grower) threshold(f *feature, low, high int, distribution []float64,
	cases, least, entropy float64) test {
	if cases < 2*least || f.arity < 2 {
		return test{}
	}
	s := scan{g: g, distribution: distribution, cases: cases, least: least, best: -1,
		after: math.Inf(1)}
	paired := g.paired(cases)
	switch clear(g.left); {
	case paired && !g.wide(f.column, high-low):
		s.pairs(g.markedSteps(f))
	case f.arity > 2*(high-low):
		g.sort(f.column, low, high)
		if paired {
			s.pairs(g.sortedSteps(g.keys))
		} else {
			s.sorted()
		}
	default:
		s.counted(g.count(f, low, high, distribution))
	}
	if s.best < 0 {
		return test{}
	}
	// Trying many thresholds finds a good one by chance: naming one costs the logarithm of their
	// number.
	cost := elementary.Log2(float64(s.tried)) / (cases * g.unit)
	split := g.log2(cases) - g.log2(s.bestLeft) - g.log2(cases-s.bestLeft)
	t := g.gainRatio(entropy-s.after, split, cases, cost)
	if t.gain < epsilon {
		return test{}
	}
	// The threshold is the greatest value of the whole training set that does not exceed the middle
	// of the gap at this node.
	middle := (f.values[s.best] + f.values[s.next]) / 2
	above, found := slices.BinarySearch(f.values[s.best:s.next], middle)
	t.cut = uint32(s.best + above)
	if !found {
		t.cut--
	}
	return t
}

// scan walks the distinct values of a node in ascending order and keeps the threshold that leaves
// the least entropy.
type scan struct {
	g            *grower
	distribution []float64
	cases, least float64

	weight   float64 // left of here
	last     int     // the code just added
	tried    int
	best     int // greatest code on the left of the best threshold
	next     int // least code on its right
	bestLeft float64
	after    float64 // entropy in bits times cases after the best split
}

// enter is called with each occurring code before its cases are added: the gap below it is a
// possible threshold.
func (s *scan) enter(code int) {
	if s.weight >= s.least && s.cases-s.weight >= s.least {
		s.tried++
		g := s.g
		after := g.log2(s.weight) + g.log2(s.cases-s.weight)
		for k, w := range g.left {
			after -= g.log2(w) + g.log2(s.distribution[k]-w)
		}
		if after < s.after-float64(epsilon*s.cases) {
			s.after, s.best, s.next, s.bestLeft = after, s.last, code, s.weight
		}
	}
	s.last = code
}

// counted walks the weights of all codes.
func (s *scan) counted(counts []float64) {
	classes := s.g.classes
	for code := 0; code*classes < len(counts); code++ {
		here, bag := counts[code*classes:(code+1)*classes], 0.0
		for _, w := range here {
			bag += w
		}
		if bag == 0 {
			continue
		}
		s.enter(code)
		for k, w := range here {
			s.g.left[k] += w
		}
		s.weight += bag
	}
}

// sort lists cases in the order of their codes in a column, each after its code.
func (g *grower) sort(column, low, high int) {
	g.keys = g.keys[:0]
	for _, i := range g.order[low:high] {
		g.keys = append(g.keys, uint64(g.code(column, i))<<32|uint64(i))
	}
	slices.Sort(g.keys)
}

// sorted is counted for nodes with far fewer cases than the feature has values, which are sorted.
func (s *scan) sorted() {
	previous := -1
	for _, key := range s.g.keys {
		code, i := int(key>>32), uint32(key)
		if code != previous {
			s.enter(code)
			previous = code
		}
		s.weight += s.g.add(s.g.left, int32(i))
	}
}
