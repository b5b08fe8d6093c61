// Package gower finds the closest records of tables by Gower's distance (A General Coefficient of
// Similarity and Some of Its Properties, Biometrics 1971), which takes numbers and categories
// alike: of two numbers, their difference as a part of the range; of two categories, 0 where they
// are equal and 1 where not. A missing number is as far from every other as the ends of the range,
// and 0 from another missing one. The distance of two records is the mean over the attributes. It
// leaves out weights of attributes.
package gower

import (
	"context"
	"math"
	"math/bits"
	"sync"

	"ppdp/datasets"
)

// Unit is the distance of two values that differ as much as values of their attribute can.
// Distances are whole numbers: the sum over the attributes, right to a part of 2²⁴ in each.
const Unit = 1 << 24

// missing stands for a missing number, beyond the end of the range.
const missing = 2 * Unit

// Space is how records of a schema are written down.
//
// Categories stand in fields of words, each with a free bit above it: where two words differ, the
// sum of their difference and a field of ones carries into that bit. A few instructions so count
// in how many of a dozen attributes two records differ, and most pairs of records need no more.
type Space struct {
	schema  *datasets.Schema
	numeric []int // attributes
	low     []float64
	span    []float64 // above 0; Unit divided by it may be infinite
	fields  []field
	ones    []uint64 // by word: the fields' bits
	free    []uint64 // and the bits above
}

// field is the place of a categorical attribute.
type field struct {
	attribute, word, shift int
	mask                   uint64 // of the value, once it is shifted down
}

// New reads the ranges of numbers from rows of a table. Numbers that are the same in all of them
// do not count.
func New(table *datasets.Table, parts ...[]int32) *Space {
	g := &Space{schema: table.Schema()}
	used := 64
	for a := range g.schema.Attributes {
		attribute := &g.schema.Attributes[a]
		if attribute.Kind == datasets.Categorical {
			width := bits.Len(uint(attribute.Cells() - 1))
			if used+width+1 > 64 {
				g.ones, g.free, used = append(g.ones, 0), append(g.free, 0), 0
			}
			last := len(g.ones) - 1
			g.fields = append(g.fields, field{a, last, used, 1<<width - 1})
			g.ones[last] |= (1<<width - 1) << used
			g.free[last] |= 1 << (used + width)
			used += width + 1
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, rows := range parts {
			for _, row := range table.Present(rows, a) {
				x := table.Number(row, a)
				low, high = min(low, x), max(high, x)
			}
		}
		if low == high && attribute.Missing != nil {
			high++ // so that missing numbers count
		}
		if low < high {
			g.numeric = append(g.numeric, a)
			g.low, g.span = append(g.low, low), append(g.span, high-low)
		}
	}
	return g
}

// Points are records written down, the words one after the other, the numbers record by record.
type Points struct {
	*Space
	n       int
	words   [][]uint64
	numbers []int32
	tree    func() *tree // made once
}

// Len is the number of points.
func (p *Points) Len() int { return p.n }

// Points writes down rows of a table of the same schema. A number out of the range is at its end.
func (g *Space) Points(table *datasets.Table, rows []int32) *Points {
	p := &Points{Space: g, n: len(rows), words: make([][]uint64, max(1, len(g.ones))),
		numbers: make([]int32, len(rows)*len(g.numeric))}
	p.tree = sync.OnceValue(func() *tree { return newTree(p) })
	for w := range p.words {
		p.words[w] = make([]uint64, len(rows))
	}
	for _, f := range g.fields {
		column, words := table.Column(f.attribute), p.words[f.word]
		for i, row := range rows {
			words[i] |= uint64(column.At(row)) << f.shift
		}
	}
	for k, a := range g.numeric {
		for i, row := range rows {
			x := math.Round((table.Number(row, a) - g.low[k]) / g.span[k] * Unit)
			if x = max(0, min(Unit, x)); x != x { // a difference of more than Unit counts as Unit
				x = missing
			}
			p.numbers[i*len(g.numeric)+k] = int32(x)
		}
	}
	return p
}

// Neighbour is what a record is near to: its distances to the closest and to the second closest
// record, and the closest one's position, the first of equals. Where there are not so many records
// a distance is Beyond all others.
type Neighbour struct {
	First, Second int
	At            int32
}

// Beyond is larger than every distance.
const Beyond = math.MaxInt

// Nearest finds for each of the points the closest of others. In the worst case all pairs are
// looked at, which the caller bounds; records that have something in common are found sooner. The
// first search among others prepares them, which takes longer than a thousand records' search.
func (p *Points) Nearest(ctx context.Context, others *Points) ([]Neighbour, error) {
	found, t := make([]Neighbour, p.n), *others.tree()
	t.apart = make([]int, len(t.apart)) // a search of its own
	for i := range found {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		t.of, t.at, t.nearest, t.stop = p, i, Neighbour{Beyond, Beyond, -1}, Beyond
		t.visit(0, 0)
		found[i] = t.nearest
	}
	return found, nil
}
