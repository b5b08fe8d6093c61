package privbayes

import (
	"sort"

	"ppdp/numeric/random"
)

// conditional draws a node given its parents.
type conditional struct {
	child   int
	size    int
	parents []lookup
	// cumulative holds, for parent configuration p and value x at p·size+x, the mass of values up
	// to x.
	cumulative []float64
}

// lookup is one parent's part of the number of a configuration.
type lookup struct {
	node int
	add  []uint32 // by the parent's value
}

// newConditional makes a conditional of joint counts, which it overwrites. A configuration of no
// mass gets the uniform law. levels are those of all nodes.
func newConditional(p apPair, all []levels, joint []float64) conditional {
	c := conditional{child: p.child, size: all[p.child].size[0], cumulative: joint}
	stride := uint32(1)
	for _, of := range p.parents {
		values := all[of.node].of[of.level]
		add := make([]uint32, len(values))
		for v, at := range values {
			add[v] = stride * at
		}
		c.parents = append(c.parents, lookup{of.node, add})
		stride *= uint32(all[of.node].size[of.level])
	}
	for at := 0; at < len(joint); at += c.size {
		row := joint[at : at+c.size]
		sum := 0.0
		for x, mass := range row {
			sum += mass
			row[x] = sum
		}
		if sum > 0 {
			continue
		}
		for x := range row {
			row[x] = float64(x + 1)
		}
	}
	return c
}

// draw draws the child's value, given those of the parents. There is no branch on a drawn bit,
// which would be guessed wrong half the time.
func (c *conditional) draw(nodes []uint32, stream *random.Stream) {
	config := uint32(0)
	for i := range c.parents {
		p := &c.parents[i]
		config += p.add[nodes[p.node]]
	}
	row := c.cumulative[int(config)*c.size:][:c.size]
	u := float64(stream.Open01() * row[len(row)-1])
	x := 0
	switch {
	case len(row) == 2:
		if row[0] <= u {
			x = 1
		}
	case len(row) <= 32:
		for x < len(row)-1 && row[x] <= u {
			x++
		}
	default:
		x = sort.Search(len(row)-1, func(i int) bool { return row[i] > u })
	}
	nodes[c.child] = uint32(x)
}

// marginalise sums the joint counts of an AP pair of bits down to those of a node among its
// parents, with the other AP pair's parents, which are among them too. Bit j of a configuration is
// the j-th parent.
func marginalise(joint []float64, from, to apPair) []float64 {
	place := func(node int) int { // 0 for the child of from, else one more than the parent's index
		for j, p := range from.parents {
			if p.node == node {
				return j + 1
			}
		}
		return 0
	}
	places := []int{place(to.child)}
	for _, p := range to.parents {
		places = append(places, place(p.node))
	}
	sums := make([]float64, 1<<len(places))
	for cell, mass := range joint { // bit 0 of a cell is the child, bit j+1 the j-th parent
		at := 0
		for j, from := range places {
			at |= cell >> from & 1 << j
		}
		sums[at] += mass
	}
	return sums
}
