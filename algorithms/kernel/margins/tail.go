package margins

import (
	"cmp"
	"math"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// A tail is fitted to the noisy counts of leaves far from zero, on either side of it: the share of
// the numbers beyond x among those beyond its start is exp(-at - bt²), t = ln(x/start). With b = 0
// that is Pareto's distribution, and lognormal ones are close to it with b > 0.
type tail struct {
	records     float64 // beyond the start
	slope, bend float64 // a and b
}

const (
	// tailShare is the largest share of a side's numbers that a tail has, and leastShare the least,
	// where manyLeaves of them are more than noise.
	tailShare, leastShare, manyLeaves = 0.25, 0.05, 8
	// sureLeaves is how many have to be more than noise for a fit.
	sureLeaves = 3
	// lightest is the least slope at the end of what is more than noise: with a slope of 1 or less
	// amounts beyond it would have no mean.
	lightest = 1.25
	// cautious is the quantile, by likelihood, of the amounts that shapes in the grid give a tail:
	// a tail too heavy does more harm than one too light.
	cautious = 0.4
	// trust is how far off a fitted count is taken to be, as a share of it.
	trust = 0.3
	// outlier is by how many standard deviations of its noise a count is above the fitted one that
	// no tail explains: many records may share a largest value.
	outlier = 8
	// finest is the ratio of the ends of leaves that a tail divides others into.
	finest = 1.15
	// grouped is that ratio for leaves whose counts are fitted together where noise hides them.
	grouped = 1.25
)

// beyond is how many records are beyond the place with this logarithm of x/start.
func (t *tail) beyond(log float64) float64 {
	return float64(t.records * elementary.Exp(-float64(log*(t.slope+float64(t.bend*log)))))
}

// side is the leaves on one side of zero, the nearest first.
type side struct {
	leaves []leaf
	zero   float64 // the cell of zero, from the first of the domain
	down   bool    // numbers below zero
	tail
	start  float64 // of the tail, in cells from zero; infinite for none
	hidden leaf    // all that noise hides, of no width for nothing
}

// at is how far a leaf's ends are from zero, in cells.
func (s *side) at(l leaf) (near, far float64) {
	if s.down {
		return s.zero + 1 - float64(l.high), s.zero + 1 - float64(l.low)
	}
	return float64(l.low) - s.zero, float64(l.high) - s.zero
}

// tails pools leaves but for those far below and far above zero, whose counts follow from fits. All
// are then divided as the fits say. hidden is the widest interval whose records noise hides.
func tails(a *datasets.Attribute, leaves []leaf) (all []leaf, hidden leaf) {
	bulk := bulkOf(leaves)
	zero := math.Round(-a.Low / a.Step)
	positive, negative := 0, 0
	for _, l := range leaves {
		if float64(l.low) <= zero {
			positive++
		}
		if float64(l.high) <= zero {
			negative++
		}
	}
	up := side{leaves: leaves[positive:], zero: zero}
	down := side{leaves: slices.Clone(leaves[:negative]), zero: zero, down: true}
	slices.Reverse(down.leaves)
	nearer, above := up.fit()
	positive += nearer
	nearer, below := down.fit()
	slices.Reverse(below)
	pooled, hidden := pool(leaves[negative-nearer:positive], bulk)
	all = below
	for _, l := range pooled {
		switch {
		case float64(l.low) > zero:
			all = append(all, up.divide(l)...)
		case float64(l.high) <= zero:
			parts := down.divide(l)
			slices.Reverse(parts)
			all = append(all, parts...)
		default:
			all = append(all, l)
		}
	}
	for _, l := range []leaf{up.hidden, down.hidden} {
		if l.width() > hidden.width() {
			hidden = l
		}
	}
	return append(all, above...), hidden
}

// fit fits the tail, if enough counts are above noise. It returns how many leaves are nearer to
// zero than the first count that noise hides, and what the tail has from there on.
func (s *side) fit() (nearer int, fitted []leaf) {
	groups, ends := s.groups()
	first := start(groups)
	s.start = math.Inf(1)
	if first == len(groups) {
		return len(s.leaves), nil
	}
	near, _ := s.at(groups[first])
	logs := make([]float64, 1, len(groups)+1)
	for _, l := range groups[first:] {
		_, far := s.at(l)
		logs = append(logs, elementary.Log(far/near))
	}
	t, ok := shape(groups[first:], logs)
	if !ok {
		return len(s.leaves), nil
	}
	s.tail, s.start = t, near
	hidden := first + slices.IndexFunc(groups[first:], func(l leaf) bool {
		return !l.above(certain)
	})
	if hidden < first {
		return len(s.leaves), nil
	}
	last := groups[len(groups)-1]
	s.hidden.low = min(groups[hidden].low, last.low)
	s.hidden.high = max(groups[hidden].high, last.high)
	for i, l := range groups[hidden:] {
		i += hidden - first
		s.hidden.variance += l.variance
		expected := s.beyond(logs[i]) - s.beyond(logs[i+1])
		if l.count-expected < outlier*math.Sqrt(l.variance) {
			l.learn(expected, max(expected+float64(trust*trust*expected*expected), minVariance))
		}
		l.count = max(0, l.count)
		fitted = append(fitted, s.divide(l)...)
	}
	if hidden > 0 {
		nearer = ends[hidden-1]
	}
	return nearer, fitted
}

// groups joins neighbouring leaves that noise hides until it does not, or they are wide. It returns
// one after the last leaf of each.
func (s *side) groups() (groups []leaf, ends []int) {
	open := false
	for i, l := range s.leaves {
		sure := l.above(certain)
		if g := len(groups) - 1; open && !sure {
			groups[g].low, groups[g].high = min(groups[g].low, l.low), max(groups[g].high, l.high)
			groups[g].count += l.count
			groups[g].variance += l.variance
			ends[g] = i + 1
		} else {
			groups, ends = append(groups, l), append(ends, i+1)
		}
		g := groups[len(groups)-1]
		near, far := s.at(g)
		open = !g.above(certain) && far < near*grouped
	}
	return groups, ends
}

// start is the first leaf of the tail: enough leaves that are more than noise, of a quarter of all
// records at most, are as far from zero.
func start(leaves []leaf) int {
	total := 0.0
	for _, l := range leaves {
		if l.above(certain) {
			total += l.count
		}
	}
	at, sum, sure := len(leaves), 0.0, 0
	for at > 0 && (sure < sureLeaves ||
		sum < tailShare*total && (sure < manyLeaves || sum < leastShare*total)) {
		if at--; leaves[at].above(certain) {
			sum, sure = sum+leaves[at].count, sure+1
		}
	}
	return at
}

// shape fits a tail by weighted least squares over a grid of slopes and bends. A count that is off
// by more than three standard deviations counts as if it were off by three. Where noise leaves many
// shapes possible, one is taken by what its amounts are.
func shape(leaves []leaf, logs []float64) (tail, bool) {
	sure, last := 0, 0
	for i, l := range leaves {
		if l.above(certain) {
			sure, last = sure+1, i
		}
	}
	if sure < sureLeaves {
		return tail{}, false
	}
	type candidate struct {
		tail
		amount, loss float64
	}
	var all []candidate
	least := math.Inf(1)
	shares, middles := make([]float64, len(leaves)), make([]float64, len(leaves))
	for i := range leaves {
		middles[i] = elementary.Exp((logs[i] + logs[i+1]) / 2)
	}
	for slope := 0.05; slope < 2000; slope *= 1.25 {
		for bend := 0.0; bend < 8; bend = max(0.02, bend*1.6) {
			if slope+float64(2*bend*logs[last+1]) < lightest {
				continue
			}
			c := candidate{tail: tail{records: 1, slope: slope, bend: bend}}
			product, square, before := 0.0, 0.0, 1.0
			for i, l := range leaves {
				after := c.beyond(logs[i+1])
				shares[i], before = before-after, after
				weight := 1 / (l.variance + max(0, l.count))
				product += float64(weight * shares[i] * l.count)
				square += float64(weight * shares[i] * shares[i])
			}
			if c.records = product / square; !(c.records > 0) {
				continue
			}
			for i, l := range leaves {
				expected := float64(c.records * shares[i])
				off := l.count - expected
				c.loss += min(9, float64(off*off)/
					(l.variance+expected+float64(trust*trust*expected*expected)))
				c.amount += float64(expected * middles[i])
			}
			least = min(least, c.loss)
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int { return cmp.Compare(a.amount, b.amount) })
	total := 0.0
	for i := range all {
		total += elementary.Exp((least - all[i].loss) / 2)
	}
	for i, sum := 0, 0.0; i < len(all); i++ {
		if sum += elementary.Exp((least - all[i].loss) / 2); sum >= cautious*total {
			return all[i].tail, true
		}
	}
	return tail{}, false
}

// divide divides a leaf of the tail into narrow ones with the parts of its count that the tail
// gives them, the nearest to zero first.
func (s *side) divide(l leaf) (parts []leaf) {
	near, far := s.at(l)
	if near < s.start || far <= near*finest {
		return []leaf{l}
	}
	log := func(x float64) float64 { return elementary.Log(x / s.start) }
	before := s.beyond(log(near))
	whole := before - s.beyond(log(far))
	if !(whole > 0) {
		return []leaf{l}
	}
	for from := near; from < far; {
		to := min(far, max(from+1, math.Floor(from*finest)))
		after := s.beyond(log(to))
		part, share := l, (before-after)/whole
		part.count, part.variance = share*l.count, share*l.variance
		if s.down {
			part.low, part.high = uint32(s.zero+1-to), uint32(s.zero+1-from)
		} else {
			part.low, part.high = uint32(s.zero+from), uint32(s.zero+to)
		}
		parts = append(parts, part)
		from, before = to, after
	}
	return parts
}
