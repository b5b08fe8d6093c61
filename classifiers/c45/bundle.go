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
	joint   []uint8 // of each case, until it is a column
	column  int
	codes   int   // joint codes are below it
	members []int // indices of features

	occurring bitmap    // the joint codes tallied last
	here      []uint8   // the same, ascending
	total     []float64 // and their weight of each class
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
		g.bundles = append(g.bundles, &bundle{joint: make([]uint8, len(codes)), codes: 1})
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

// seal notes, once all features have joined, the joint codes at which each has the value 1, and
// adds the bundles to the columns.
func (g *grower) seal(columns [][]uint32) [][]uint32 {
	for _, b := range g.bundles {
		b.total = make([]float64, g.classes)
		b.column = len(columns)
		codes := make([]uint32, len(b.joint))
		for i, j := range b.joint {
			codes[i] = uint32(j)
		}
		b.joint = nil
		columns = append(columns, codes)
		g.columns = append(g.columns, codeColumn{codes: mostJointCodes})
		for _, member := range b.members {
			f := &g.features[member]
			for j, value := range f.value {
				if value == 1 {
					f.ones.add(uint8(j))
				}
			}
		}
	}
	return columns
}

// countBundled is count for a feature in a bundle; nil where all cases have one value.
func (g *grower) countBundled(f *feature) []float64 {
	b, classes := f.bundle, g.classes
	if !f.ones.parts(&b.occurring) {
		return nil
	}
	counts := g.counts[:2*classes]
	clear(counts)
	zero, one := counts[:classes], counts[classes:]
	joint := g.columns[b.column].counts
	for _, j := range b.here {
		if f.value[j] == 1 {
			for k, w := range joint[int(j)*classes : (int(j)+1)*classes] {
				one[k] += w
			}
		}
	}
	for k, w := range b.total {
		zero[k] = w - one[k]
	}
	return counts
}

// sum adds up what has been tallied of a bundle.
func (b *bundle) sum(c *codeColumn, classes int) {
	b.occurring, b.here = bitmap(c.marks), b.here[:0]
	clear(b.total)
	for n, word := range b.occurring {
		for ; word != 0; word &= word - 1 {
			j := 64*n + bits.TrailingZeros64(word)
			b.here = append(b.here, uint8(j))
			for k, w := range c.counts[j*classes : (j+1)*classes] {
				b.total[k] += w
			}
		}
	}
}
