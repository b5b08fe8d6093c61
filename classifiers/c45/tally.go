package c45

import "math/bits"

// codeColumn is a feature outside of bundles, or a bundle: each case has one code in each column.
type codeColumn struct {
	codes int // are below it
	first int // is added to its codes in the rows, which makes them places in all columns' counts
	// What one pass over a node's cases has counted, 0 and empty without cases:
	counts []float64 // the weight by code·classes + class
	marks  []uint64  // the codes that occur, a bit each
}

// codesPerCase bounds how many codes a numeric feature may have for the cases of a node to be
// tallied: to look at a word of 64 marks costs about as much as to sort a fourth of a case.
const codesPerCase = 256

// lay copies columns into rows, so that a case's codes lie side by side: deep in the tree the cases
// of a node are far apart, and each is fetched once.
func (g *grower) lay(columns [][]uint32) {
	g.stride = len(columns)
	places := 0
	for i := range g.columns {
		c := &g.columns[i]
		c.first = places
		places += (c.codes + 63) &^ 63 // marks of a column are words of its own
	}
	g.codes = make([]uint32, g.stride*len(g.labels))
	for c, codes := range columns {
		first := uint32(g.columns[c].first)
		for i, code := range codes {
			g.codes[i*g.stride+c] = first + code
		}
	}
	if !g.whole {
		return
	}
	g.placeCounts, g.placeMarks = make([]float64, places*g.classes), make([]uint64, places/64)
	for i := range g.columns {
		c := &g.columns[i]
		c.counts = g.placeCounts[c.first*g.classes:][:c.codes*g.classes]
		c.marks = g.placeMarks[c.first/64:][:(c.codes+63)/64]
	}
}

// code is the code of a case in a column.
func (g *grower) code(column int, i int32) uint32 {
	return g.codes[int(i)*g.stride+column] - uint32(g.columns[column].first)
}

// tally counts the cases order[low:high] in all columns, in those of numeric features only if asked
// to. Weights must be whole: other sums depend on the order of the cases.
func (g *grower) tally(low, high int, numeric bool) {
	g.clearTally()
	g.tallied = g.tallied[:0]
	for i := range g.features {
		f := &g.features[i]
		if f.bundle == nil && (!f.numeric || numeric && f.arity <= codesPerCase*(high-low)) {
			g.tallied = append(g.tallied, int32(f.column))
		}
	}
	for _, b := range g.bundles {
		g.tallied = append(g.tallied, int32(b.column))
	}
	counts, marks, classes := g.placeCounts, g.placeMarks, g.classes
	for _, i := range g.order[low:high] {
		label, w := int(g.labels[i]), 1.0
		if g.weight != nil {
			w = g.weight[i]
		}
		row := g.codes[int(i)*g.stride:][:g.stride]
		for _, at := range g.tallied {
			place := int(row[at])
			counts[place*classes+label] += w
			marks[place>>6] |= 1 << (place & 63)
		}
	}
	for _, b := range g.bundles {
		b.sum(&g.columns[b.column], g.classes)
	}
}

// clearTally empties the columns of the last node.
func (g *grower) clearTally() {
	for _, at := range g.tallied {
		c := &g.columns[at]
		for n, word := range c.marks {
			for ; word != 0; word &= word - 1 {
				code := 64*n + bits.TrailingZeros64(word)
				clear(c.counts[code*g.classes : (code+1)*g.classes])
			}
			c.marks[n] = 0
		}
	}
}
