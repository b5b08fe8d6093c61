package c45

import (
	"math"
	"math/bits"
	"slices"
)

// codeColumn is a feature outside of bundles, or a bundle: each case has one code in each column.
type codeColumn struct {
	codes   int     // are below it
	first   int     // is added to its codes in the rows: they are places among all columns' codes
	feature int     // outside of bundles
	bundle  *bundle // nil for none
}

// words is how many words of marks a column has; no two columns share one.
func (c *codeColumn) words() int { return (c.codes + 63) / 64 }

// layout is where the places of a case stand in its row: two in a word where all fit halves.
type layout struct {
	halves int // 1 for two in a word, 0 for one
	mask   uint32
}

func layoutOf(columns []codeColumn, places int) layout {
	for i := range columns {
		places = max(places, columns[i].first+columns[i].codes)
	}
	if places <= 1<<16 {
		return layout{1, 1<<16 - 1}
	}
	return layout{0, 1<<32 - 1}
}

func (l layout) word(column int) int   { return column >> l.halves }
func (l layout) shift(column int) uint { return uint(column&l.halves) << 4 & 31 }

// spot is where the places of a column stand.
type spot struct {
	word  int32
	shift uint32
}

// tally is what the cases of a node add up to: for each place the weights of the classes, two in a
// word, the even one in its lower half, and a mark where there are any. Outside of columns all are
// 0. Weights must be whole, see packed.
type tally struct {
	weights []uint64 // at place·g.words + class/2
	marks   []uint64 // a bit a place
	columns []int32
}

// codesPerCase bounds how many codes a numeric feature may have for the cases of a node to be
// tallied: to look at a word of 64 marks costs about as much as to sort a fourth of a case.
const codesPerCase = 256

// lay copies columns into rows, so that what is known of a case lies side by side: deep in the tree
// the cases of a node are far apart, and each is fetched once. After the places come the label and
// the two halves of the weight's bits; where weights are packed, half the label and the word of the
// two classes. Equal neighbours are then made one case if merge says so: a generalised record has
// one for each class.
func (g *grower) lay(columns [][]uint32, labels []uint32, weights []float64, merge bool) {
	for i := range g.columns {
		c := &g.columns[i]
		c.first = g.places
		if g.whole {
			g.places += 64 * c.words()
		}
	}
	g.layout = layoutOf(g.columns, g.places)
	g.label = g.word(len(columns)-1) + 1
	g.stride = g.label + 3
	g.words = (g.classes + 1) / 2
	g.sums = make([]uint64, g.words)
	g.codes = make([]uint32, g.stride*len(labels))
	last, cases := []uint32(nil), 0
	for i, label := range labels {
		row := g.codes[cases*g.stride:][:g.stride]
		clear(row[:g.label])
		for c, codes := range columns {
			row[g.word(c)] |= (uint32(g.columns[c].first) + codes[i]) << g.shift(c)
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		value := math.Float64bits(w)
		if g.whole {
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
	g.order, g.spare = make([]int32, cases), make([]int32, cases)
	for i := range g.order {
		g.order[i] = int32(i)
	}
}

func (g *grower) row(i int32) []uint32 { return g.codes[int(i)*g.stride:][:g.stride] }

func (g *grower) value(row []uint32) uint64 {
	return uint64(row[g.label+1]) | uint64(row[g.label+2])<<32
}

// code is the code of a case in a column.
func (g *grower) code(column int, i int32) uint32 {
	word := g.codes[int(i)*g.stride+g.word(column)]
	return word>>g.shift(column)&g.mask - uint32(g.columns[column].first)
}

// add adds the weight of a case to that of its classes.
func (g *grower) add(dst []float64, i int32) (weight float64) {
	row := g.row(i)
	value, label := g.value(row), int(row[g.label])
	if !g.whole {
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

// unpack writes the weights of the classes in some words.
func unpack(dst []float64, words []uint64) {
	for k := range dst {
		dst[k] = float64(uint32(words[k/2] >> (32 * (k % 2))))
	}
}

// level is the tally for nodes that so many smaller children contain: as deep as that are two that
// are needed at a time. It is empty.
func (g *grower) level(depth int) *tally {
	for len(g.levels) <= depth {
		g.levels = append(g.levels, &tally{weights: make([]uint64, g.places*g.words),
			marks: make([]uint64, g.places/64)})
	}
	return g.levels[depth]
}

// all is the tally of all cases in all columns.
func (g *grower) all() *tally {
	t := g.level(0)
	for c := range g.columns {
		t.columns = append(t.columns, int32(c))
	}
	g.include(t, g.order)
	return t
}

// include adds cases to a tally.
func (g *grower) include(t *tally, cases []int32) {
	codes, stride, words, label, mask := g.codes, g.stride, g.words, g.label, g.mask
	weights, marks := t.weights, t.marks
	at := g.spots[:0]
	for _, c := range t.columns {
		at = append(at, spot{int32(g.word(int(c))), uint32(g.shift(int(c)))})
	}
	g.spots = at
	for _, i := range cases {
		row := codes[int(i)*stride:][:stride]
		value := uint64(row[label+1]) | uint64(row[label+2])<<32
		word := int(row[label])
		for _, c := range at {
			place := int(row[c.word] >> (c.shift & 31) & mask)
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
			place := int(row[g.word(int(c))] >> g.shift(int(c)) & g.mask)
			t.weights[place*g.words+word] -= value
			t.settle(place, g.words)
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
				t.settle(place, g.words)
			}
		}
	}
}

// settle removes the mark of a place where nothing is left.
func (t *tally) settle(place, words int) {
	for _, left := range t.weights[place*words : (place+1)*words] {
		if left != 0 {
			return
		}
	}
	t.marks[place>>6] &^= 1 << (place & 63)
}

// narrow leaves those columns in a tally whose codes differ between its cases, of numeric features
// only those of not too many codes: a column that is too wide here is so below too. It notes as
// open the features that may part the cases.
func (g *grower) narrow(t *tally, cases int) {
	clear(g.open)
	for c, numeric := range g.numeric {
		if numeric && g.wide(c, cases) {
			g.open.add(g.columns[c].feature)
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
			g.empty(t, c)
			continue
		case column.bundle != nil:
			column.bundle.parting(g.open, marks)
		default:
			g.open.add(column.feature)
		}
		kept = append(kept, c)
	}
	t.columns = kept
}

// wide reports whether a numeric column has too many codes for so many cases to be tallied.
func (g *grower) wide(column, cases int) bool {
	return g.numeric[column] && g.columns[column].codes > g.perCase*cases
}

// drain empties a tally.
func (g *grower) drain(t *tally) {
	for _, c := range t.columns {
		g.empty(t, c)
	}
	t.columns = t.columns[:0]
}

func (g *grower) empty(t *tally, column int32) {
	first := g.columns[column].first / 64
	for n, word := range t.marks[first : first+g.columns[column].words()] {
		for ; word != 0; word &= word - 1 {
			place := 64*(first+n) + bits.TrailingZeros64(word)
			clear(t.weights[place*g.words : (place+1)*g.words])
		}
		t.marks[first+n] = 0
	}
}
