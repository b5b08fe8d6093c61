package metrics

import (
	"context"
	"math"
	"math/bits"

	"ppdp/datasets"
)

// gowerUnit is the distance of two values that differ as much as values of their attribute can.
// Distances are whole numbers: the sum over the attributes, right to a part of 2²⁴ in each.
const gowerUnit = 1 << 24

// gower is how records are written down for Gower's distance (Gower 1971): of two numbers, their
// difference as a part of the range in the original rows; of two categories, 0 where they are equal
// and 1 where not. The distance of two records is the mean over the attributes; here it is the sum.
//
// Categories stand in fields of words, each with a free bit above it: where two words differ, the
// sum of their difference and a field of ones carries into that bit. A few instructions so count
// in how many of a dozen attributes two records differ, and most pairs of records need no more.
type gower struct {
	schema  *datasets.Schema
	numeric []int // attributes
	low     []float64
	scale   []float64
	fields  []field
	ones    []uint64 // by word: the fields' bits
	free    []uint64 // and the bits above
}

// field is the place of a categorical attribute.
type field struct{ attribute, word, shift int }

// newGower reads the ranges of numbers from rows of the original. There must be some.
func newGower(table *datasets.Table, parts ...[]int32) *gower {
	g := &gower{schema: table.Schema()}
	used := 64
	for a := range g.schema.Attributes {
		attribute := &g.schema.Attributes[a]
		if attribute.Kind == datasets.Categorical {
			width := bits.Len(uint(attribute.Cells() - 1))
			if used+width+1 > 64 {
				g.ones, g.free, used = append(g.ones, 0), append(g.free, 0), 0
			}
			last := len(g.ones) - 1
			g.fields = append(g.fields, field{a, last, used})
			g.ones[last] |= (1<<width - 1) << used
			g.free[last] |= 1 << (used + width)
			used += width + 1
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for _, rows := range parts {
			for _, row := range rows {
				x := table.Number(row, a)
				low, high = min(low, x), max(high, x)
			}
		}
		if low < high {
			g.numeric = append(g.numeric, a)
			g.low, g.scale = append(g.low, low), append(g.scale, gowerUnit/(high-low))
		}
	}
	return g
}

// mean turns a distance into Gower's, from 0 to 1.
func (g *gower) mean(distance int) float64 {
	return float64(distance) / gowerUnit / float64(max(1, len(g.numeric)+len(g.fields)))
}

// points are records written down, the words one after the other, the numbers record by record.
type points struct {
	*gower
	n       int
	words   [][]uint64
	numbers []int32
}

// points writes down rows of a table of the same schema. A number out of the range is at its end.
func (g *gower) points(table *datasets.Table, rows []int32) *points {
	p := &points{g, len(rows), make([][]uint64, max(1, len(g.ones))),
		make([]int32, len(rows)*len(g.numeric))}
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
			x := math.Round(float64((table.Number(row, a) - g.low[k]) * g.scale[k]))
			p.numbers[i*len(g.numeric)+k] = int32(max(0, min(gowerUnit, x)))
		}
	}
	return p
}

// neighbour is what a record is near to: its distances to the closest and to the second closest
// record, and the closest one's position, the first of equals. Where there are not so many records
// a distance is beyond all others.
type neighbour struct {
	first, second int
	at            int32
}

const beyond = math.MaxInt

// nearest finds for each of the points the closest of others. It takes time in proportion to the
// product of their numbers, which the caller bounds.
func (p *points) nearest(ctx context.Context, others *points) ([]neighbour, error) {
	found := make([]neighbour, p.n)
	for i := range found {
		if i%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		found[i] = others.closest(p, i)
	}
	return found, nil
}

// closest finds the points closest to one of p. Only records that agree with it in enough words of
// categories are looked at further.
func (o *points) closest(p *points, of int) neighbour {
	n, limit := neighbour{beyond, beyond, -1}, beyond/gowerUnit
	var one, free uint64
	if len(o.ones) > 0 {
		one, free = o.ones[0], o.free[0]
	}
	word, width := p.words[0][of], len(o.numeric)
	numbers := p.numbers[of*width : (of+1)*width]
next:
	for i, other := range o.words[0] {
		differ := bits.OnesCount64(((word ^ other) + one) & free)
		if differ > limit {
			continue
		}
		for w := 1; w < len(o.words); w++ {
			differ += bits.OnesCount64(((p.words[w][of] ^ o.words[w][i]) + o.ones[w]) & o.free[w])
		}
		distance := differ * gowerUnit
		for k, x := range o.numbers[i*width : (i+1)*width] {
			if distance >= n.second {
				continue next
			}
			step := int(x - numbers[k])
			distance += max(step, -step)
		}
		if distance >= n.second {
			continue
		}
		n.second = distance
		if distance < n.first {
			n.first, n.second, n.at = distance, n.first, int32(i)
		}
		limit = (n.second - 1) / gowerUnit // -1/gowerUnit is 0: none below is found then
	}
	return n
}
