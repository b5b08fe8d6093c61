package c45

import (
	"math"
	"math/bits"
	"slices"

	"ppdp/classifiers"
)

// bundle is a set of two-valued features that one pass over the cases counts together. Generalised
// records have a feature for each taxonomy node that occurs, a hundred and more, which are all
// functions of the node a record carries: one joint code gives the values of all of them. It is the
// exclusive feature bundling of Ke et al. (LightGBM, NIPS 2017, section 4) for features that lie
// one within another.
//
// Counts of a feature are sums over joint codes. They are the same to the last bit as sums over
// cases only where all weights are whole numbers (see wholeWeights); other data are not bundled.
//
// A bundle is built in two steps: addToBundle fits features one by one, and sealBundles makes a
// column of joint codes of it, so that counting treats it like any other feature.
type bundle struct {
	joint   []bitmap // for each joint code, its cases; nil once sealed
	codes   int      // joint codes are 0 to codes-1
	members []int    // the features in it, as indices into problem.features
	has     []bitmap // for each joint code, the features that have the value 1; nil until sealed
}

// bitmap is a set of joint codes, of features or of cases.
type bitmap []uint64

func newBitmap(size int) bitmap { return make(bitmap, (size+63)/64) }

func (b bitmap) add(i int) { b[i>>6] |= 1 << (i & 63) }

// set makes it the set of the cases whose code is 1. All codes are 0 or 1.
func (b bitmap) set(codes []uint32) {
	for n := range b {
		word := uint64(0)
		for i, code := range codes[64*n : min(64*n+64, len(codes))] {
			word |= uint64(code) << i
		}
		b[n] = word
	}
}

// split reports whether some members of a set are in another, and whether some are not.
func (b bitmap) split(other bitmap) (some, rest bool) {
	for n := 0; n < len(b) && !(some && rest); n++ {
		some, rest = some || b[n]&other[n] != 0, rest || b[n]&^other[n] != 0
	}
	return some, rest
}

// takeOut removes the members of another set from a set, and returns them.
func (b bitmap) takeOut(other bitmap) bitmap {
	out := make(bitmap, len(b))
	for n, word := range other {
		out[n] = b[n] & word
		b[n] &^= word
	}
	return out
}

// addVarying adds to a set of features those that have both values among some joint codes.
func (b *bundle) addVarying(to, codes bitmap) {
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

// common is the weight of every case if it is the same and no whole number, as in a thinned
// release, else 1, and the weights in units of it. So sums of cases of one weight are exact.
func common(weights classifiers.Weights) (unit float64, inUnits classifiers.Weights) {
	if len(weights) == 0 || weights[0] == math.Trunc(weights[0]) ||
		slices.ContainsFunc(weights, func(w float64) bool { return w != weights[0] }) {
		return 1, weights
	}
	return weights[0], nil
}

// wholeWeights reports whether all weights are whole numbers, and their sum fits half a word. Then
// sums are exact, whatever their order. Nil weights are 1 for each of n cases.
func wholeWeights(weights []float64, n int) bool {
	sum := 0.0
	for _, w := range weights {
		if w != math.Trunc(w) {
			return false
		}
		sum += w
	}
	return max(sum, float64(n)) <= math.MaxUint32
}

// addToBundle adds the two-valued feature at an index, which has the value 1 in the given cases, to
// the last bundle. If it would divide the cases of more than one joint code, it is no function of
// the same taxonomy node, and codes would multiply: it begins a new bundle.
func (g *grower) addToBundle(at int, ones bitmap, cases int) {
	var b *bundle
	fits, divided := false, -1
	if len(g.bundles) > 0 {
		b = g.bundles[len(g.bundles)-1]
		fits, divided = b.fits(ones)
	}
	if !fits {
		every := newBitmap(cases)
		for i := range cases {
			every.add(i)
		}
		b = &bundle{joint: []bitmap{every}, codes: 1}
		g.bundles = append(g.bundles, b)
		_, divided = b.fits(ones)
	}
	if divided >= 0 {
		// A code for those of value 1, which has the other features' values; the rest keep theirs.
		b.joint = append(b.joint, b.joint[divided].takeOut(ones))
		b.codes++
		for _, member := range b.members {
			m := &g.features[member]
			m.value = append(m.value, m.value[divided])
		}
	}
	f := &g.features[at]
	f.bundle = b
	f.value = make([]uint8, b.codes, b.codes+1)
	for j, cases := range b.joint {
		if some, _ := cases.split(ones); some {
			f.value[j] = 1
		}
	}
	b.members = append(b.members, at)
}

// fits reports whether a feature can be added, and the joint code whose cases it divides, or -1.
func (b *bundle) fits(ones bitmap) (fits bool, divided int) {
	divided = -1
	for j, cases := range b.joint {
		if some, rest := cases.split(ones); some && rest {
			if divided >= 0 {
				return false, -1
			}
			divided = j
		}
	}
	return divided < 0 || b.codes < mostJointCodes, divided
}

// sealBundles notes for each bundled feature the joint codes at which it is 1, and appends a column
// of joint codes for each bundle. All features must have been added before.
func (g *grower) sealBundles(columns [][]uint32, cases int) [][]uint32 {
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
	}
	return columns
}

// countBundled is count for a feature in a bundle: the joint codes at which it is 1 are added up
// from the node's tally, and the rest of the distribution has the value 0.
func (g *grower) countBundled(f *feature, distribution []float64) []float64 {
	first, sums := g.columns[f.column].first, g.sums
	clear(sums)
	for n, word := range f.ones {
		for word &= g.nodeTally.marks[first/64+n]; word != 0; word &= word - 1 {
			from := (first + 64*n + bits.TrailingZeros64(word)) * len(sums)
			for at, w := range g.nodeTally.weights[from : from+len(sums)] {
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
