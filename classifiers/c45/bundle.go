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
// cases only where all weights are whole numbers (see packed); other data are not bundled.
type bundle struct {
	joint   []uint8  // of each case, until it is a column
	codes   int      // joint codes are below it
	members []int    // indices of features
	has     []bitmap // by joint code, the features of value 1
}

// bitmap is a set of joint codes or of features.
type bitmap []uint64

func newBitmap(size int) bitmap { return make(bitmap, (size+63)/64) }

func (b bitmap) add(i int) { b[i>>6] |= 1 << (i & 63) }

// parting adds the features to a set that have both values among some joint codes.
func (b *bundle) parting(to, codes bitmap) {
	for n := range to {
		some, every := uint64(0), ^uint64(0)
		for m, word := range codes {
			for ; word != 0; word &= word - 1 {
				has := b.has[64*m+bits.TrailingZeros64(word)][n]
				some |= has
				every &= has
			}
		}
		to[n] |= some &^ every
	}
}

// mostJointCodes is how many joint codes fit their type.
const mostJointCodes = 1 << 8

// packed reports whether all weights, nil for 1 each of so many cases, are whole numbers of which
// any sum fits half a word, and so is exact in any order.
func packed(weights []float64, cases int) bool {
	sum := 0.0
	for _, w := range weights {
		if w != math.Trunc(w) {
			return false
		}
		sum += w
	}
	return max(sum, float64(cases)) <= math.MaxUint32
}

// join adds the two-valued feature with the given codes to the last bundle, or to a new one where
// it parts more than one of the joint codes in two: then it is no function of the same node, and
// codes would multiply.
func (g *grower) join(at int, codes []uint32) {
	var b *bundle
	var seen [mostJointCodes][2]bool
	takes := false
	if len(g.bundles) > 0 {
		b = g.bundles[len(g.bundles)-1]
		seen, takes = b.takes(codes)
	}
	if !takes {
		b = &bundle{joint: make([]uint8, len(codes)), codes: 1}
		g.bundles = append(g.bundles, b)
		seen, _ = b.takes(codes)
	}
	// The value of each joint code: that of its cases. One that has both keeps those of value 0.
	f := &g.features[at]
	f.bundle = b
	f.value = make([]uint8, b.codes, b.codes+1)
	for j, s := range seen[:b.codes] {
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

// takes reports whether a feature can join, and which of its values occur at each joint code.
func (b *bundle) takes(codes []uint32) (seen [mostJointCodes][2]bool, ok bool) {
	for i, code := range codes {
		seen[b.joint[i]][code] = true
	}
	parted := 0
	for _, s := range seen {
		if s[0] && s[1] {
			parted++
		}
	}
	return seen, parted == 0 || parted == 1 && b.codes < mostJointCodes
}

// seal notes, once all features have joined, the joint codes at which each has the value 1, and
// adds the bundles to the columns.
func (g *grower) seal(columns [][]uint32) [][]uint32 {
	for _, b := range g.bundles {
		codes := make([]uint32, len(b.joint))
		for i, j := range b.joint {
			codes[i] = uint32(j)
		}
		b.joint = nil
		for range b.codes {
			b.has = append(b.has, newBitmap(len(g.features)))
		}
		for _, member := range b.members {
			f := &g.features[member]
			f.column, f.ones = len(columns), newBitmap(b.codes)
			for j, value := range f.value {
				if value == 1 {
					f.ones.add(j)
					b.has[j].add(member)
				}
			}
		}
		columns = append(columns, codes)
		g.columns = append(g.columns, codeColumn{codes: b.codes, bundle: b})
		g.numeric = append(g.numeric, false)
	}
	return columns
}

// countBundled is count for a feature in a bundle.
func (g *grower) countBundled(f *feature, distribution []float64) []float64 {
	first, sums := g.columns[f.column].first, g.sums
	clear(sums)
	for n, word := range f.ones {
		for word &= g.here.marks[first/64+n]; word != 0; word &= word - 1 {
			from := (first + 64*n + bits.TrailingZeros64(word)) * len(sums)
			for at, w := range g.here.weights[from : from+len(sums)] {
				sums[at] += w
			}
		}
	}
	counts := g.counts[:2*g.classes]
	zero, one := counts[:g.classes], counts[g.classes:]
	unpack(one, sums)
	for k, w := range distribution {
		zero[k] = w - one[k]
	}
	return counts
}
