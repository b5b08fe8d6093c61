package gower

import (
	"math/bits"
	"slices"

	"ppdp/datasets"
)

// tree divides points by one attribute after the other (Friedman, Bentley & Finkel 1977): numbers
// at a median, categories into those of the most frequent value and the others. A part that is too
// far off by the attributes that divide it is not looked at.
type tree struct {
	*Points         // in the order of the parts
	order   []int32 // the position of each among the points given
	nodes   []node

	// The search for one record.
	of      *Points
	at      int
	apart   []int // what each attribute, numbers first, adds to the distance of a part at least
	nearest Neighbour
	stop    int // no distance from here on is looked for
}

// node is a part of the points. Where it is divided, the first part has the numbers up to last or
// the value last, and comes next in the nodes; the second has numbers from first on.
type node struct {
	from, to    int
	by          int // numbers first, then fields
	last, first int
	second      int // among the nodes, 0 for none
}

// leaf is how many points are not divided further, judged how many are looked at to choose by what.
const leaf, judged = 24, 24

func newTree(p *Points) *tree {
	t := &tree{order: datasets.InOrder(p.n), apart: make([]int, len(p.numeric)+len(p.fields))}
	t.divide(p, 0, p.n)
	t.Points = &Points{Space: p.Space, n: p.n, words: make([][]uint64, len(p.words)),
		numbers: make([]int32, len(p.numbers))}
	width := len(p.numeric)
	for i, from := range t.order {
		copy(t.numbers[i*width:(i+1)*width], p.numbers[int(from)*width:])
	}
	for w, words := range p.words {
		t.words[w] = make([]uint64, p.n)
		for i, from := range t.order {
			t.words[w][i] = words[from]
		}
	}
	return t
}

// value is a point's number or category by an attribute.
func (p *Points) value(at, by int) int {
	if width := len(p.numeric); by < width {
		return int(p.numbers[at*width+by])
	}
	f := p.fields[by-len(p.numeric)]
	return int(p.words[f.word][at] >> f.shift & f.mask)
}

// divide adds the node of a part of the order and of all that it is divided into.
func (t *tree) divide(p *Points, from, to int) {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{from: from, to: to})
	if to-from <= leaf {
		return
	}
	most, n := 0.0, node{from: from, to: to}
	values := make([]int, min(judged, to-from))
	for by := range t.apart {
		for i := range values {
			values[i] = p.value(int(t.order[from+i*(to-from)/len(values)]), by)
		}
		slices.Sort(values)
		last := values[(len(values)-1)/2]
		spread := float64(values[len(values)*3/4]-values[len(values)/4]) / Unit
		if by >= len(p.numeric) {
			run, longest := 0, 0
			for i, v := range values {
				if run++; i > 0 && v != values[i-1] {
					run = 1
				}
				if run > longest {
					longest, last = run, v
				}
			}
			share := float64(longest) / float64(len(values))
			spread = 4 * share * (1 - share)
		}
		if spread > most {
			most, n.by, n.last = spread, by, last
		}
	}
	if most == 0 {
		return
	}
	part, middle := t.order[from:to], 0
	n.first = Beyond
	for i, point := range part {
		switch v := p.value(int(point), n.by); {
		case v == n.last || v < n.last && n.by < len(p.numeric):
			part[i], part[middle] = part[middle], part[i]
			middle++
		default:
			n.first = min(n.first, v)
		}
	}
	if middle == len(part) {
		return
	}
	t.divide(p, from, from+middle)
	n.second = len(t.nodes)
	t.divide(p, from+middle, to)
	t.nodes[at] = n
}

// visit looks for closer points in a part that is so far off at least.
func (t *tree) visit(at, distance int) {
	n := &t.nodes[at]
	if n.second == 0 {
		t.scan(n.from, n.to)
		return
	}
	near, far, step := at+1, n.second, Unit
	switch v := t.of.value(t.at, n.by); {
	case n.by < len(t.numeric) && v <= n.last:
		step = n.first - v
	case n.by < len(t.numeric): // it may lie between the two parts
		near, far, step = far, near, v-n.last
	case v != n.last:
		near, far = far, near
	}
	t.visit(near, distance)
	before := t.apart[n.by]
	step = max(min(step, Unit), before)
	if distance += step - before; distance < t.stop {
		t.apart[n.by] = step
		t.visit(far, distance)
		t.apart[n.by] = before
	}
}

// scan compares with each point of a part. Only records that agree in enough words of categories
// are looked at further.
func (t *tree) scan(from, to int) {
	n, stop := t.nearest, t.stop
	limit := (stop - 1) / Unit
	width := len(t.numeric)
	numbers := t.of.numbers[t.at*width : (t.at+1)*width]
next:
	for i := from; i < to; i++ {
		differ := 0
		for w, ones := range t.ones {
			differ += bits.OnesCount64(((t.of.words[w][t.at] ^ t.words[w][i]) + ones) & t.free[w])
		}
		if differ > limit {
			continue
		}
		distance := differ * Unit
		for k, x := range t.numbers[i*width : (i+1)*width] {
			if distance >= stop {
				continue next
			}
			step := int(x - numbers[k])
			distance += min(max(step, -step), Unit)
		}
		switch {
		case distance >= stop:
			continue
		case distance < n.First:
			n.First, n.Second, n.At = distance, n.First, t.order[i]
		default:
			if n.Second = distance; distance == n.First {
				n.At = min(n.At, t.order[i])
			}
		}
		if stop = n.Second; n.First == n.Second {
			stop++ // the first of equals is still looked for
		}
		limit = (stop - 1) / Unit
	}
	t.nearest, t.stop = n, stop
}
