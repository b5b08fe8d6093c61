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
	joint   []bitmap // by joint code its cases, until they are a column
	codes   int      // joint codes are below it
	members []int    // indices of features
	has     []bitmap // by joint code, the features of value 1
}

// bitmap is a set of joint codes, of features or of cases.
type bitmap []uint64

func newBitmap(size int) bitmap { return make(bitmap, (size+63)/64) }

func (b bitmap) add(i int) { b[i>>6] |= 1 << (i & 63) }

// pack makes it the set of cases of code 1, where all have 0 or 1.
func (b bitmap) pack(codes []uint32) {
	for n := range b {
		word := uint64(0)
		for i, code := range codes[64*n : min(64*n+64, len(codes))] {
			word |= uint64(code) << i
		}
		b[n] = word
	}
}

func (b bitmap) meets(other bitmap) bool {
	for n, word := range b {
		if word&other[n] != 0 {
			return true
		}
	}
	return false
}

// exceeds reports whether some of a set are not in another.
func (b bitmap) exceeds(other bitmap) bool {
	for n, word := range b {
		if word&^other[n] != 0 {
			return true
		}
	}
	return false
}

// part takes those in another set out of a set, and returns them.
func (b bitmap) part(other bitmap) bitmap {
	out := make(bitmap, len(b))
	for n, word := range other {
		out[n] = b[n] & word
		b[n] &^= word
	}
	return out
}

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

// join adds the two-valued feature that has the value 1 in the given cases, of so many, to the last
// bundle, or to a new one where it parts more than one of the joint codes in two: then it is no
// function of the same node, and codes would multiply.
func (g *grower) join(at int, ones bitmap, cases int) {
	var b *bundle
	takes, parted := false, -1
	if len(g.bundles) > 0 {
		b = g.bundles[len(g.bundles)-1]
		takes, parted = b.takes(ones)
	}
	if !takes {
		every := newBitmap(cases)
		for i := range cases {
			every.add(i)
		}
		b = &bundle{joint: []bitmap{every}, codes: 1}
		g.bundles = append(g.bundles, b)
		_, parted = b.takes(ones)
	}
	if parted >= 0 {
		// A code for those of value 1, which has the other features' values; the rest keep theirs.
		b.joint = append(b.joint, b.joint[parted].part(ones))
		b.codes++
		for _, member := range b.members {
			m := &g.features[member]
			m.value = append(m.value, m.value[parted])
		}
	}
	f := &g.features[at]
	f.bundle = b
	f.value = make([]uint8, b.codes, b.codes+1)
	for j, cases := range b.joint {
		if cases.meets(ones) {
			f.value[j] = 1
		}
	}
	b.members = append(b.members, at)
}

// takes reports whether a feature can join, and the joint code that it parts, -1 for none.
func (b *bundle) takes(ones bitmap) (takes bool, parted int) {
	parted = -1
	for j, cases := range b.joint {
		if cases.meets(ones) && cases.exceeds(ones) {
			if parted >= 0 {
				return false, -1
			}
			parted = j
		}
	}
	return parted < 0 || b.codes < mostJointCodes, parted
}

// seal notes, once all features have joined, the joint codes at which each has the value 1, and
// adds the bundles to the columns.
func (g *grower) seal(columns [][]uint32, cases int) [][]uint32 {
	for _, b := range g.bundles {
		codes := make([]uint32, cases)
		for j, of := range b.joint {
			for n, word := range of {
				for ; word != 0; word &= word - 1 {
					codes[64*n+bits.TrailingZeros64(word)] = uint32(j)
				}
			}
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
