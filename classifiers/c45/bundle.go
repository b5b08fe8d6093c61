package c45

import (
	"math"
	"math/bits"
)

// bundle is a set of two-valued features that one pass over the cases counts together. Generalised
// records have a feature for each taxonomy node that occurs, a hundred and more, which are all
// functions of the node a record carries: one joint code gives the values of all of them. It is the
// exclusive feature bundling of Ke et al. (LightGBM, NIPS 2017, section 4) for features that lie
// one within another.
//
// Counts of a feature are sums over joint codes. They are the same to the last bit as sums over
// cases only where all weights are whole numbers (see whole); other data are not bundled.
type bundle struct {
	joint   []uint8 // of each case
	codes   int     // joint codes are below it
	members []int   // indices of features

	low, high int       // the cases that were counted last
	occurring bitmap    // their joint codes
	here      []uint8   // the same, ascending
	counts    []float64 // their weight: joint code·classes + class, 0 where no case is
	total     []float64 // and in all of each class
}

// bitmap is a set of joint codes.
type bitmap [mostJointCodes / 64]uint64

func (b *bitmap) add(code uint8) { b[code>>6] |= 1 << (code & 63) }

// parts reports whether some codes of a set are in b and some are not.
func (b *bitmap) parts(set *bitmap) bool {
	inside, outside := uint64(0), uint64(0)
	for i, word := range set {
		inside |= word & b[i]
		outside |= word &^ b[i]
	}
	return inside != 0 && outside != 0
}

// mostJointCodes is how many joint codes fit their type.
const mostJointCodes = 1 << 8

// largestWhole is up to where sums of whole numbers are exact in any order.
const largestWhole = 1 << 53

// whole reports whether all weights, nil for 1 each, are whole numbers that add up exactly.
func whole(weights []float64) bool {
	sum := 0.0
	for _, w := range weights {
		if w != math.Trunc(w) {
			return false
		}
		sum += w
	}
	return sum <= largestWhole
}

// join adds the two-valued feature with the given codes to the last bundle, or to a new one where
// it parts more than one of the joint codes in two: then it is no function of the same node, and
// codes would multiply.
func (g *grower) join(at int, codes []uint32) {
	if len(g.bundles) == 0 || !g.bundles[len(g.bundles)-1].takes(codes) {
		g.bundles = append(g.bundles, &bundle{joint: make([]uint8, len(codes)), codes: 1, low: -1})
	}
	b := g.bundles[len(g.bundles)-1]
	// The value of each joint code: that of its cases. One that has both keeps those of value 0.
	seen := make([][2]bool, b.codes)
	for i, code := range codes {
		seen[b.joint[i]][code] = true
	}
	f := &g.features[at]
	f.bundle = b
	f.value = make([]uint8, b.codes, b.codes+1)
	for j, s := range seen {
		if s[1] && !s[0] {
			f.value[j] = 1
		}
		if s[0] && s[1] {
			// The code for those of value 1 has the other features' values.
			for _, member := range b.members {
				m := &g.features[member]
				m.value = append(m.value, m.value[j])
			}
			f.value = append(f.value, 1)
			for i, code := range codes {
				if code == 1 && int(b.joint[i]) == j {
					b.joint[i] = uint8(b.codes)
				}
			}
			b.codes++
		}
	}
	b.members = append(b.members, at)
}

// takes reports whether a feature can join.
func (b *bundle) takes(codes []uint32) bool {
	var seen [mostJointCodes][2]bool
	for i, code := range codes {
		seen[b.joint[i]][code] = true
	}
	parted := 0
	for _, s := range seen {
		if s[0] && s[1] {
			parted++
		}
	}
	return parted == 0 || parted == 1 && b.codes < mostJointCodes
}

// seal notes, once all features have joined, the joint codes at which each has the value 1.
func (g *grower) seal() {
	for _, b := range g.bundles {
		b.counts, b.total = make([]float64, b.codes*g.classes), make([]float64, g.classes)
		for _, member := range b.members {
			f := &g.features[member]
			for j, value := range f.value {
				if value == 1 {
					f.ones.add(uint8(j))
				}
			}
		}
	}
}

// countBundled is count for a feature in a bundle; nil where all cases have one value.
func (g *grower) countBundled(f *feature, low, high int) []float64 {
	b, classes := f.bundle, g.classes
	if b.low != low || b.high != high {
		b.low, b.high = low, high
		g.countJoint(b)
	}
	if !f.ones.parts(&b.occurring) {
		return nil
	}
	counts := g.counts[:2*classes]
	clear(counts)
	zero, one := counts[:classes], counts[classes:]
	for _, j := range b.here {
		if f.value[j] == 1 {
			for k, w := range b.counts[int(j)*classes : (int(j)+1)*classes] {
				one[k] += w
			}
		}
	}
	for k, w := range b.total {
		zero[k] = w - one[k]
	}
	return counts
}

// countJoint adds up the weight of each joint code and class over a bundle's cases.
func (g *grower) countJoint(b *bundle) {
	classes, joint, labels, counts := g.classes, b.joint, g.labels, b.counts
	for _, j := range b.here {
		clear(counts[int(j)*classes : (int(j)+1)*classes])
	}
	b.occurring = bitmap{}
	for _, i := range g.order[b.low:b.high] {
		w := 1.0
		if g.weight != nil {
			w = g.weight[i]
		}
		j := joint[i]
		counts[int(j)*classes+int(labels[i])] += w
		b.occurring.add(j)
	}
	b.here = b.here[:0]
	for i, word := range b.occurring {
		for ; word != 0; word &= word - 1 {
			b.here = append(b.here, uint8(64*i+bits.TrailingZeros64(word)))
		}
	}
	clear(b.total)
	for _, j := range b.here {
		for k, w := range counts[int(j)*classes : (int(j)+1)*classes] {
			b.total[k] += w
		}
	}
}
