package blackbox

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/numeric/elementary"
)

const (
	// maxConditions is the length of the longest rule; the best of every length is tested.
	maxConditions = 3
	// beam is how many rules of a length are tried as beginnings of longer ones.
	beam = 8
	// maxBins is the most intervals that the values of a feature are cut into.
	maxBins = 64
	// maxFeatures bounds memory: features first seen after that many others are left out.
	maxFeatures = 2000
)

// binnedFeature is a feature in the training releases. Its values are divided into bins of about
// equal frequency, one for each value where these are few. Bin 0 is for absence, such as that of
// the count of a fifth region where there are four; bin b holds what is below low[b+1] and not
// below low[b], bin 1 whatever is less.
type binnedFeature struct {
	feature
	values []float64 // by release; NaN, or beyond the end, where absent
	low    []float64
	bins   []uint8 // by release
}

// cut fills low and bins for n releases. ok is false for a feature that never differs.
func (c *binnedFeature) cut(n int) (ok bool) {
	sorted := slices.DeleteFunc(slices.Clone(c.values), math.IsNaN)
	slices.Sort(sorted)
	present := len(sorted)
	distinct := slices.Compact(slices.Clone(sorted))
	c.low = []float64{math.NaN(), math.Inf(-1)}
	if len(distinct) < maxBins {
		c.low = append(c.low, distinct[min(1, len(distinct)):]...)
	} else {
		for k := 1; k < maxBins-1; k++ {
			v := sorted[k*present/(maxBins-1)]
			if v > max(sorted[0], c.low[len(c.low)-1]) {
				c.low = append(c.low, v)
			}
		}
	}
	c.bins = make([]uint8, n)
	for release, v := range c.values {
		c.bins[release] = c.bin(v)
	}
	return len(distinct) > 1 || present > 0 && present < n
}

// bin is where a value belongs, NaN for an absent one.
func (c *binnedFeature) bin(v float64) uint8 {
	if math.IsNaN(v) {
		return 0
	}
	k, exact := slices.BinarySearch(c.low[1:], v)
	if exact {
		k++
	}
	return uint8(k)
}

// valueIn is the feature's value in a release, NaN where it is absent.
func (c *binnedFeature) valueIn(values []featureValue) float64 {
	at := slices.IndexFunc(values, func(r featureValue) bool { return r.feature == c.feature })
	if at < 0 {
		return math.NaN()
	}
	return values[at].value
}

// condition says that a feature's value is in the bins from first to last.
type condition struct {
	*binnedFeature
	first, last uint8
}

func (c condition) holds(bin uint8) bool { return c.first <= bin && bin <= c.last }

func (c condition) String() string {
	least, most := c.first > 1, int(c.last) < len(c.low)-1
	switch {
	case c.last == 0:
		return fmt.Sprintf("%s is absent", c.feature)
	case least && most:
		return fmt.Sprintf("%.6g ≤ %s < %.6g", c.low[c.first], c.feature, c.low[c.last+1])
	case least:
		return fmt.Sprintf("%s ≥ %.6g", c.feature, c.low[c.first])
	case most:
		return fmt.Sprintf("%s < %.6g", c.feature, c.low[c.last+1])
	}
	return fmt.Sprintf("%s is present", c.feature)
}

// rule is an event: all of its conditions hold. side is where training found it likelier.
type rule struct {
	conditions []condition
	side       int
	hits       [2]int // in training
	score      float64
}

// holds reports whether the event occurs in a release with these values.
func (r *rule) holds(values []featureValue) bool {
	return !slices.ContainsFunc(r.conditions, func(c condition) bool {
		return !c.holds(c.bin(c.valueIn(values)))
	})
}

func (r *rule) String() string {
	return strings.Join(results.Mapped(r.conditions, condition.String), " and ")
}

// training holds the values of the training releases.
type training struct {
	index   map[feature]int
	columns []*binnedFeature // without those that never differ, once there are rules
	sides   []uint8          // by release
}

func (t *training) add(side int, values []featureValue) {
	if t.index == nil {
		t.index = make(map[feature]int)
	}
	release := len(t.sides)
	t.sides = append(t.sides, uint8(side))
	for _, r := range values {
		at, known := t.index[r.feature]
		if !known && len(t.columns) == maxFeatures {
			continue
		}
		if !known {
			at = len(t.columns)
			t.index[r.feature] = at
			t.columns = append(t.columns, &binnedFeature{feature: r.feature})
		}
		c := t.columns[at]
		for len(c.values) < release {
			c.values = append(c.values, math.NaN())
		}
		if len(c.values) == release { // not read twice
			c.values = append(c.values, r.value)
		}
	}
}

// search finds rules by the bound they promise, estimated with Wilson's intervals, which are close
// to the exact ones and cheap.
type search struct {
	n     int // releases of either side
	z     float64
	delta float64
}

// rules returns the best rule of each length, the longer ones only where they promise more. Ties
// go to the feature seen first.
func (s *search) rules(t *training) (best []rule) {
	t.columns = slices.DeleteFunc(t.columns, func(c *binnedFeature) bool {
		return !c.cut(len(t.sides))
	})
	beginnings := []rule{{score: math.Inf(-1)}}
	for range maxConditions {
		var longer []rule
		for i := range beginnings {
			beginning := &beginnings[i]
			var releases []int32 // in which the beginning holds
			for release := range t.sides {
				if !slices.ContainsFunc(beginning.conditions, func(c condition) bool {
					return !c.holds(c.bins[release])
				}) {
					releases = append(releases, int32(release))
				}
			}
			for _, c := range t.columns {
				longer = append(longer, s.extend(beginning, c, releases, t.sides)...)
			}
		}
		slices.SortStableFunc(longer, byScore)
		beginnings = nil
		for _, r := range longer {
			// Rules of equal hits are mostly the same event in other words.
			if len(beginnings) < beam && !slices.ContainsFunc(beginnings, func(k rule) bool {
				return k.hits == r.hits
			}) {
				beginnings = append(beginnings, r)
			}
		}
		if len(beginnings) == 0 || len(best) > 0 && beginnings[0].score <= best[len(best)-1].score {
			break
		}
		best = append(best, beginnings[0])
	}
	return best
}

func byScore(a, b rule) int { return cmp.Compare(b.score, a.score) }

// extend returns the best two rules that a beginning and one condition on a feature make; no more,
// so that one feature cannot fill the beam. They promise more than the beginning.
func (s *search) extend(beginning *rule, c *binnedFeature, releases []int32, sides []uint8) []rule {
	var counts [maxBins][2]int
	for _, release := range releases {
		counts[c.bins[release]][sides[release]]++
	}
	var found []rule
	try := func(first, last int, hits [2]int) {
		for side := range 2 {
			if score := s.estimate(hits[side], hits[1-side]); score > beginning.score {
				conditions := append(slices.Clip(beginning.conditions),
					condition{c, uint8(first), uint8(last)})
				found = append(found, rule{conditions, side, hits, score})
			}
		}
	}
	try(0, 0, counts[0])
	last := len(c.low) - 1
	var below, above [2]int
	for k := 1; k <= last; k++ {
		try(k, k, counts[k])
		below[0], below[1] = below[0]+counts[k][0], below[1]+counts[k][1]
		try(1, k, below)
	}
	for k := last; k > 1; k-- {
		above[0], above[1] = above[0]+counts[k][0], above[1]+counts[k][1]
		try(k, last, above)
	}
	slices.SortStableFunc(found, byScore)
	return found[:min(len(found), 2)]
}

// estimate is the bound on epsilon that hits of either side promise, -Inf for none. Unlike the
// bound that is reported it may be negative, so that poor rules can be compared as well.
func (s *search) estimate(high, low int) float64 {
	p := s.wilson(high, -s.z) - s.delta
	if high <= low || p <= 0 {
		return math.Inf(-1)
	}
	return elementary.Log(p / s.wilson(low, s.z))
}

// wilson is the end of Wilson's interval at z deviations (Wilson 1927).
func (s *search) wilson(x int, z float64) float64 {
	n := float64(s.n)
	p, z2 := float64(x)/n, float64(z*z)/n
	return (p + float64(z2/2) + float64(z*math.Sqrt((float64(p*(1-p))+float64(z2/4))/n))) / (1 + z2)
}
