package c45

import (
	"math"
	"math/bits"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// codeColumn is what the cases are counted by: a feature outside of bundles, or a bundle. Each case
// has one code in each column. All columns' codes together are numbered one after the other; such a
// number is called a place.
type codeColumn struct {
	codes   int // the number of codes
	first   int // the place of code 0; a multiple of 64 where there are tallies
	feature int // its index in problem.features; of no meaning for a bundle
	numeric bool
	bundle  *bundle // nil for a feature
}

// words is how many words of marks a column has; no two columns share one.
func (c *codeColumn) words() int { return (c.codes + 63) / 64 }

// tally holds the weight of a node's cases by place and class. It must hold whole weights only, see
// wholeWeights. The tally of a child is counted from its cases or, for the largest child, found by
// subtracting the others from the tally of the parent.
type tally struct {
	weights []uint64 // at place·g.words + class/2; the even class is in the lower half
	marks   []uint64 // a bit for each place with any weight
	columns []int32  // the columns that are counted; all others have weight 0 here
}

// tallies are those of the nodes that are being grown.
type tallies struct {
	places int // of all columns
	words  int // for each place
	levels []*tally
	// With whole weights, the tally of the node that a test is chosen for.
	nodeTally *tally
	// The features that may have more than one value among the node's cases; otherwise all.
	candidates bitmap
}

// layOut copies columns into rows, so that everything about a case lies side by side: deep in the
// tree the cases of a node are far apart, and each is fetched from memory once.
//
// A row has the places of the case and three words more: the class and the two halves of the
// weight's bits. With whole weights these are class/2 and the weights of the two classes with that
// number. With merge, neighbours of the same places and class/2 then become one case: a generalised
// record has a case for each class, and they stand together.
func (g *grower) layOut(columns [][]uint32, labels []uint32, weights classifiers.Weights,
	merge bool) {
	for i := range g.columns {
		c := &g.columns[i]
		c.first = g.places
		if g.exactSums {
			g.places += 64 * c.words()
		}
	}
	g.label = len(columns)
	g.stride = g.label + 3
	g.words = (g.classes + 1) / 2
	g.sums = make([]uint64, g.words)
	g.codes = make([]uint32, g.stride*len(labels))
	last, cases := []uint32(nil), 0
	for i, label := range labels {
		row := g.codes[cases*g.stride:][:g.stride]
		for c, codes := range columns {
			row[c] = uint32(g.columns[c].first) + codes[i]
		}
		w := weights.At(int32(i))
		value := math.Float64bits(w)
		if g.exactSums {
			value = uint64(w) << (32 * (label % 2))
			label /= 2
		}
		row[g.label] = label
		if merge && cases > 0 && slices.Equal(row[:g.label+1], last[:g.label+1]) {
			value += g.value(last)
			row = last
		} else {
			last = row
			cases++
		}
		row[g.label+1], row[g.label+2] = uint32(value), uint32(value>>32)
	}
	g.codes = g.codes[:cases*g.stride]
	g.order, g.spare = datasets.InOrder(cases), make([]int32, cases)
}

// row is the row of a case.
func (g *grower) row(i int32) []uint32 { return g.codes[int(i)*g.stride:][:g.stride] }

// value is the weight in a row: its bits, or with whole weights those of two classes.
func (g *grower) value(row []uint32) uint64 {
	return uint64(row[g.label+1]) | uint64(row[g.label+2])<<32
}

// code is the code of a case in a column.
func (g *grower) code(column int, i int32) uint32 {
	return g.codes[int(i)*g.stride+column] - uint32(g.columns[column].first)
}

// add adds the weight of a case to the distribution dst.
func (g *grower) add(dst []float64, i int32) (weight float64) {
	row := g.row(i)
	value, label := g.value(row), int(row[g.label])
	if !g.exactSums {
		dst[label] += math.Float64frombits(value)
		return math.Float64frombits(value)
	}
	low, high := float64(uint32(value)), float64(value>>32)
	dst[2*label] += low
	if 2*label+1 < len(dst) {
		dst[2*label+1] += high
	}
	return low + high
}

// unpack writes the weight of each class, of which each word holds two, to dst.
func unpack(dst []float64, words []uint64) {
	for k := range dst {
		dst[k] = float64(uint32(words[k/2] >> (32 * (k % 2))))
	}
}

// tallyAt is the tally for nodes at a depth, where only steps to smaller children count: the
// largest child takes over the tally of its parent. So there are no more tallies than log₂ of the
// cases. A tally is empty when its node has been grown.
func (g *grower) tallyAt(depth int) *tally {
	for len(g.levels) <= depth {
		g.levels = append(g.levels, &tally{weights: make([]uint64, g.places*g.words),
			marks: make([]uint64, g.places/64)})
	}
	return g.levels[depth]
}

// tallyRoot counts all cases in all columns.
func (g *grower) tallyRoot() *tally {
	t := g.tallyAt(0)
	for c := range g.columns {
		t.columns = append(t.columns, int32(c))
	}
	g.include(t, g.order)
	return t
}

// include adds cases to a tally.
func (g *grower) include(t *tally, cases []int32) {
	codes, stride, words, label := g.codes, g.stride, g.words, g.label
	weights, marks := t.weights, t.marks
	for _, i := range cases {
		row := codes[int(i)*stride:][:stride]
		value := uint64(row[label+1]) | uint64(row[label+2])<<32
		word := int(row[label])
		for _, c := range t.columns {
			place := int(row[c])
			weights[place*words+word] += value
			marks[place>>6] |= 1 << (place & 63)
		}
	}
}

// exclude takes cases from a tally.
func (g *grower) exclude(t *tally, cases []int32) {
	for _, i := range cases {
		row := g.row(i)
		value, word := g.value(row), int(row[g.label])
		for _, c := range t.columns {
			place := int(row[c])
			t.weights[place*g.words+word] -= value
			t.unmarkEmpty(place, g.words)
		}
	}
}

// subtract takes another tally's cases from a tally of the same columns.
func (g *grower) subtract(t, other *tally) {
	for _, c := range t.columns {
		first := g.columns[c].first / 64
		for n, word := range other.marks[first : first+g.columns[c].words()] {
			for ; word != 0; word &= word - 1 {
				place := 64*(first+n) + bits.TrailingZeros64(word)
				for at := place * g.words; at < (place+1)*g.words; at++ {
					t.weights[at] -= other.weights[at]
				}
				t.unmarkEmpty(place, g.words)
			}
		}
	}
}

// unmarkEmpty removes the mark of a place where no weight is left.
func (t *tally) unmarkEmpty(place, words int) {
	for _, left := range t.weights[place*words : (place+1)*words] {
		if left != 0 {
			return
		}
	}
	t.marks[place>>6] &^= 1 << (place & 63)
}

// dropConstant removes from a tally the columns in which all its cases have the same code, and wide
// numeric ones, which are sorted instead: a column that is wide here is wide further down, too. It
// sets candidates to the features that may have more than one value among the cases.
func (g *grower) dropConstant(t *tally, cases int) {
	clear(g.candidates)
	for c := range g.columns {
		if g.wide(c, cases) {
			g.candidates.add(g.columns[c].feature)
		}
	}
	kept := t.columns[:0]
	for _, c := range t.columns {
		column, occurring := &g.columns[c], 0
		marks := t.marks[column.first/64:][:column.words()]
		for _, word := range marks {
			occurring += bits.OnesCount64(word)
		}
		switch {
		case occurring < 2 || g.wide(int(c), cases):
			g.clearColumn(t, c)
			continue
		case column.bundle != nil:
			column.bundle.addVarying(g.candidates, marks)
		default:
			g.candidates.add(column.feature)
		}
		kept = append(kept, c)
	}
	t.columns = kept
}

// wide reports whether a column is numeric and a number of cases is better sorted than tallied: it
// has too many codes for them, or its tests are not scored by pairs.
func (g *grower) wide(column, cases int) bool {
	c := &g.columns[column]
	return c.numeric && (g.classes != 2 || c.codes > g.tuning.codesPerCase*cases)
}

// clearAll empties a tally.
func (g *grower) clearAll(t *tally) {
	for _, c := range t.columns {
		g.clearColumn(t, c)
	}
	t.columns = t.columns[:0]
}

// clearColumn sets the weights and marks of a column to 0.
func (g *grower) clearColumn(t *tally, column int32) {
	first := g.columns[column].first / 64
	for n, word := range t.marks[first : first+g.columns[column].words()] {
		for ; word != 0; word &= word - 1 {
			place := 64*(first+n) + bits.TrailingZeros64(word)
			clear(t.weights[place*g.words : (place+1)*g.words])
		}
		t.marks[first+n] = 0
	}
}
