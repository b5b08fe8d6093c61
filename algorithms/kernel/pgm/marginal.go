package pgm

import "slices"

// table is a table over attributes.
type table struct {
	attributes []int
	values     []float64
}

// Covers reports whether one clique of the model has all of the attributes.
func (m *Model) Covers(attributes []int) bool { return m.covering(setOf(attributes)) >= 0 }

// Marginal is the model's table over attributes, which are ascending. Where no clique has them all,
// the cliques between them are multiplied and the others summed out.
func (m *Model) Marginal(attributes []int) []float64 {
	wanted := setOf(attributes)
	if c := m.covering(wanted); c >= 0 {
		return m.ofClique(c, attributes).values
	}
	inside := m.subtree(wanted)
	messages := make([]*table, len(m.nodes))
	for i := len(m.nodes) - 1; ; i-- {
		if !inside[i] {
			continue
		}
		n := &m.nodes[i]
		top := n.parent < 0 || !inside[n.parent]
		// what is needed above, and of the clique for each of the messages from below
		above := wanted
		if !top {
			above = above.or(setOf(n.attributes[:n.shared]))
		}
		var below []set
		var from []int
		for _, c := range m.children[i] {
			if inside[c] {
				child := &m.nodes[c]
				below = append(below, setOf(child.attributes[:child.shared]))
				from = append(from, c)
			}
		}
		needed := func(after int) set { // by messages after one
			s := above
			for _, b := range below[after:] {
				s = s.or(b)
			}
			return s
		}
		t := m.ofClique(i, n.members.and(needed(0)).list())
		if !top {
			m.condition(t, n)
		}
		for k, c := range from {
			both := setOf(t.attributes).or(setOf(messages[c].attributes))
			t = multiply(m.sizes, t, messages[c], both.and(needed(k+1)).list())
			messages[c] = nil
		}
		if top {
			return t.values
		}
		messages[i] = t
	}
}

// subtree marks the smallest connected part of the tree that has all wanted attributes.
func (m *Model) subtree(wanted set) []bool {
	inside, degree := make([]bool, len(m.nodes)), make([]int, len(m.nodes))
	for i := range m.nodes {
		inside[i] = true
		if p := m.nodes[i].parent; p >= 0 {
			degree[i]++
			degree[p]++
		}
	}
	for again := true; again; {
		again = false
		for i := len(m.nodes) - 1; i >= 0; i-- {
			if !inside[i] || degree[i] != 1 {
				continue
			}
			neighbour := m.nodes[i].parent
			if neighbour < 0 || !inside[neighbour] {
				at := slices.IndexFunc(m.children[i], func(c int) bool { return inside[c] })
				neighbour = m.children[i][at]
			}
			if m.nodes[i].members.and(wanted).within(m.nodes[neighbour].members) {
				inside[i], again = false, true
				degree[neighbour]--
			}
		}
	}
	return inside
}

// ofClique sums a clique's table out to some of its attributes.
func (m *Model) ofClique(c int, attributes []int) *table {
	n := &m.nodes[c]
	t := &table{attributes, make([]float64, int(setOf(attributes).cells(m.sizes)))}
	sumOut(m.mu[n.from:n.from+n.cells], sizesOf(m.sizes, n.attributes),
		strides(m.sizes, n.attributes, attributes), t.values)
	return t
}

// condition divides a table by its marginal over what a clique shares with its parent. 0/0 is 0.
func (m *Model) condition(t *table, n *node) {
	shared := n.attributes[:n.shared]
	sums := make([]float64, n.blocks)
	to := cellMap(m.sizes, t.attributes, shared)
	for cell, x := range t.values {
		sums[to[cell]] += x
	}
	for cell := range t.values {
		if s := sums[to[cell]]; s > 0 {
			t.values[cell] /= s
		}
	}
}

// sumOut adds the cells of a table of the given sizes to those of another, whose steps are given.
func sumOut(from []float64, sizes, steps []int, to []float64) {
	switch len(sizes) {
	case 0:
		to[0] += from[0]
		return
	case 1:
		at, step := 0, steps[0]
		for _, x := range from {
			to[at] += x
			at += step
		}
		return
	}
	width := len(from) / sizes[0]
	for v := range sizes[0] {
		sumOut(from[v*width:(v+1)*width], sizes[1:], steps[1:], to[v*steps[0]:])
	}
}

// multiply is the product of two tables, summed out to the attributes kept.
func multiply(sizes []int, a, b *table, keep []int) *table {
	all := setOf(a.attributes).or(setOf(b.attributes)).list()
	// what is summed out comes last, so that each cell kept is one inner sum
	order := append(slices.Clone(keep), setOf(all).without(setOf(keep)).list()...)
	t := &table{keep, make([]float64, int(setOf(keep).cells(sizes)))}
	product(sizesOf(sizes, order), strides(sizes, order, a.attributes),
		strides(sizes, order, b.attributes), strides(sizes, order, keep), a.values, b.values,
		t.values)
	return t
}

func product(sizes, stepA, stepB, stepTo []int, a, b, to []float64) {
	switch len(sizes) {
	case 0:
		to[0] += float64(a[0] * b[0])
		return
	case 1:
		i, j, k := 0, 0, 0
		for range sizes[0] {
			to[k] += float64(a[i] * b[j])
			i, j, k = i+stepA[0], j+stepB[0], k+stepTo[0]
		}
		return
	}
	for v := range sizes[0] {
		product(sizes[1:], stepA[1:], stepB[1:], stepTo[1:], a[v*stepA[0]:], b[v*stepB[0]:],
			to[v*stepTo[0]:])
	}
}
