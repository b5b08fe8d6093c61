package privbayes

import (
	"sort"

	"ppdp/numeric/random"
	"ppdp/privacy"
)

// marginals buys noisy joint counts of pairs, at equal cost each.
type marginals struct {
	noise   privacy.Noise
	path    *privacy.Path
	epsilon float64 // of one marginal
}

// noisy returns counts with noise, negative ones raised to 0.
func (m *marginals) noisy(cells []int32) ([]float64, error) {
	values := make([]float64, len(cells))
	for i, c := range cells {
		values[i] = float64(c)
	}
	if err := m.noise.AddAll(m.path, m.epsilon, values); err != nil {
		return nil, err
	}
	for i, v := range values {
		values[i] = max(0, v)
	}
	return values, nil
}

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
func newConditional(p pair, all []levels, joint []float64) conditional {
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

// draw draws the child's value, given those of the parents.
func (c *conditional) draw(nodes []uint32, stream *random.Stream) {
	config := uint32(0)
	for i := range c.parents {
		p := &c.parents[i]
		config += p.add[nodes[p.node]]
	}
	row := c.cumulative[int(config)*c.size : (int(config)+1)*c.size]
	u := float64(stream.Open01() * row[len(row)-1])
	x := 0
	if len(row) <= 32 {
		for x < len(row)-1 && row[x] <= u {
			x++
		}
	} else {
		x = sort.Search(len(row)-1, func(i int) bool { return row[i] > u })
	}
	nodes[c.child] = uint32(x)
}

// bitConditional is a conditional of a bit whose parents are bits, the j-th at bit j of the
// configuration.
type bitConditional struct {
	child      int
	parents    []int
	cumulative [][2]float64
}

// newBitConditionals takes apart the conditionals of a network over bits.
func newBitConditionals(network []conditional) []bitConditional {
	bits := make([]bitConditional, len(network))
	for i := range network {
		c, b := &network[i], &bits[i]
		b.child, b.cumulative = c.child, make([][2]float64, len(c.cumulative)/2)
		for _, p := range c.parents {
			b.parents = append(b.parents, p.node)
		}
		for p := range b.cumulative {
			b.cumulative[p] = [2]float64(c.cumulative[2*p:])
		}
	}
	return bits
}

// drawRecord does what conditional.draw does for each node of the network in its order. There is no
// branch on a drawn bit, which would be guessed wrong half the time. uniform is scratch memory, a
// number for each node.
func drawRecord(network []bitConditional, nodes []uint32, uniform []float64,
	stream *random.Stream) {
	for i := range uniform {
		uniform[i] = stream.Open01()
	}
	for i := range network {
		c := &network[i]
		config := uint32(0)
		for j, node := range c.parents {
			config |= nodes[node] << (j & 31)
		}
		row := &c.cumulative[config]
		x := uint32(0)
		if row[0] <= float64(uniform[i]*row[1]) {
			x = 1
		}
		nodes[c.child] = x
	}
}

// marginalise sums the joint counts of a pair of bits down to those of a node among its parents,
// with the other pair's parents, which are among them too. Bit j of a configuration is the j-th
// parent.
func marginalise(joint []float64, from, to pair) []float64 {
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
