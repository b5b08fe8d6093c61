package partition

import (
	"math/bits"

	"ppdp/numeric/random"
)

// interval is what a region's records draw from on one attribute: low is added to a number below
// factor, or to the last bits of a draw where mask says how many. Where there is one value, draws
// is 0 and nothing is drawn.
type interval struct{ low, factor, mask, draws uint32 }

// single is the interval of one value.
func single(code uint32) interval { return interval{low: code} }

// between is [low, high), a draw of which takes a word of 64 random bits, as Stream.Uint32N does.
func between(low, high uint32) interval {
	i := half(low, high)
	if n := i.factor; n&(n-1) == 0 && n > 0 {
		i.factor, i.mask = 0, n-1
	}
	return i
}

// half is [low, high), a draw of which takes half a word: on a large table the generator is the
// greater part of the cost of a draw.
func half(low, high uint32) interval {
	if high-low == 1 {
		return single(low)
	}
	return interval{low: low, factor: high - low, draws: 1}
}

// block is how many rows are drawn between two calls of the generator.
const block = 512

// drawer draws the records' codes, attribute after attribute. Regions of few records are many: what
// is done for each row knows no regions, and has nothing to guess wrong.
type drawer struct {
	stream *random.Stream
	halves bool    // a draw takes half a word
	first  []uint8 // 1 for each row that is the first of its region, else 0

	words      [2 * block]uint64 // words[used:kept] are drawn ahead, never more than are needed;
	used, kept int               // halves are upper ones
	fresh      [block]uint64
}

// newDrawer is for regions that end at these rows; each has some.
func newDrawer(ends []int32, stream *random.Stream, halves bool) *drawer {
	d := &drawer{stream: stream, halves: halves}
	if len(ends) > 0 {
		d.first = make([]uint8, ends[len(ends)-1])
		start := int32(0)
		for _, end := range ends {
			d.first[start] = 1
			start = end
		}
	}
	return d
}

// ahead draws words, or halves of words, until n are kept.
func (d *drawer) ahead(n int) {
	if d.kept-d.used >= n {
		return
	}
	d.kept, d.used = copy(d.words[:], d.words[d.used:d.kept]), 0
	if !d.halves {
		d.stream.Words(d.words[d.kept:n])
		d.kept = n
		return
	}
	fresh := d.fresh[:(n-d.kept+1)/2]
	d.stream.Words(fresh)
	for _, both := range fresh {
		d.words[d.kept], d.words[d.kept+1] = both<<32, both>>32<<32
		d.kept += 2
	}
}

// draw fills codes, one for each row, from the intervals of the regions; they need that many draws
// altogether.
func draw[T uint8 | uint16 | uint32](d *drawer, codes []T, intervals []interval, needed int) {
	region := -1
	for start := 0; start < len(codes); start += block {
		part := codes[start:min(start+block, len(codes))]
		first := d.first[start:][:len(part)]
		d.ahead(min(needed, len(part)))
		end, used, rejected := place(part, first, intervals, region, &d.words, d.used)
		if !rejected {
			region, needed, d.used = end, needed-(used-d.used), used
			continue
		}
		for row, more := range first {
			region += int(more)
			part[row] = T(d.one(&intervals[region]))
			needed -= int(intervals[region].draws)
		}
	}
}

// place is the loop over rows of draw, by multiplication (Lemire 2019). It returns the last row's
// region and the place behind the last word used; rejected says that a draw might have to be
// repeated, which is rare.
func place[T uint8 | uint16 | uint32](codes []T, first []uint8, intervals []interval, region int,
	words *[2 * block]uint64, used int) (end, next int, rejected bool) {
	first = first[:len(codes)]
	signs := uint64(0)
	for row := range codes {
		region += int(first[row])
		i, word := &intervals[region], words[uint(used)%(2*block)]
		used += int(i.draws)
		high, low := bits.Mul64(word, uint64(i.factor))
		signs |= low>>32 - uint64(i.factor)
		codes[row] = T(i.low + uint32(high) + uint32(word)&i.mask)
	}
	return region, used, int64(signs) < 0
}

// one draws a single code: of the first 2⁶⁴ mod n products (2³² mod n, of halves) none.
func (d *drawer) one(i *interval) uint32 {
	if i.draws == 0 {
		return i.low
	}
	n := uint64(i.factor)
	for {
		d.ahead(1)
		word := d.words[d.used]
		d.used++
		high, low := bits.Mul64(word, n)
		least := n // of the words' unit
		if d.halves {
			least <<= 32
		}
		if n == 0 || low >= least || low >= -least%least {
			return i.low + uint32(high) + uint32(word)&i.mask
		}
	}
}
