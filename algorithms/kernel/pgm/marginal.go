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

// With is, for each of other attributes, by number, the model's table over a and it, the latter
// fastest. One walk through the tree takes the place of one of Marginal for each; last bits may
// differ.
func (m *Model) With(a int, others []int) [][]float64 {
	wanted := setOf(others)
	w := &walk{m, m.sizes[a], wanted, m.subtree(wanted.or(setOf([]int{a}))),
		make([][]float64, len(m.sizes))}
	start := 0
	for !w.inside[start] || !m.nodes[start].members.has(a) {
		start++
	}
	itself := make([]float64, w.values*w.values)
	for v := range w.values {
		itself[v*w.values+v] = 1
	}
	w.visit(start, -1, embed(m.sizes, m.nodes[start].attributes, []int{a}), itself)
	return w.tables
}

// walk goes from clique to clique with the probabilities of an attribute's values.
type walk struct {
	*Model
	values int // of the attribute
	wanted set // attributes still to come
	inside []bool
	tables [][]float64
}

// visit enters a clique. For each value, given has its probability by what the clique shares with
// the one that the walk comes from: p(v|s).
func (w *walk) visit(i, from int, shared embedding, given []float64) {
	type exit struct {
		to       int
		out, in  embedding // of what is shared, in this clique and in the next
		together []float64 // p(v,s)
	}
	n := &w.nodes[i]
	var exits []exit
	leave := func(to, cells int, out, in embedding) {
		exits = append(exits, exit{to, out, in, make([]float64, w.values*cells)})
	}
	own := func(n *node) embedding {
		return embed(w.sizes, n.attributes, n.attributes[:n.shared])
	}
	if n.parent >= 0 && n.parent != from && w.inside[n.parent] {
		leave(n.parent, n.blocks, own(n), n.inParent)
	}
	for _, c := range w.children[i] {
		if child := &w.nodes[c]; c != from && w.inside[c] {
			leave(c, child.blocks, child.inParent, own(child))
		}
	}
	tables := len(exits) // what follows are tables over one attribute
	for b := range n.members.and(w.wanted).all() {
		leave(-1, w.sizes[b], embed(w.sizes, n.attributes, []int{b}), embedding{})
		w.tables[b] = exits[len(exits)-1].together
	}
	w.wanted = w.wanted.without(n.members)
	row := make([]float64, n.cells)
	for v := range w.values {
		clear(row)
		shared.spread(row, part(given, v, w.values))
		for cell, x := range w.mu[n.from : n.from+n.cells] {
			row[cell] *= x
		}
		for k := range exits {
			exits[k].out.sum(row, part(exits[k].together, v, w.values))
		}
	}
	for _, e := range exits[:tables] {
		cells := len(e.together) / w.values
		for s := range cells {
			sum := 0.0
			for at := s; at < len(e.together); at += cells {
				sum += e.together[at]
			}
			for at := s; at < len(e.together) && sum > 0; at += cells {
				e.together[at] /= sum
			}
		}
		w.visit(e.to, i, e.in, e.together)
	}
}

// part is one of n equal parts.
func part(all []float64, i, n int) []float64 {
	width := len(all) / n
	return all[i*width : (i+1)*width]
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
