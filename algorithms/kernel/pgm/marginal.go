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

// Walks computes tables over pairs of attributes that no clique has: one walk through the tree from
// an attribute takes the place of a Marginal for each of the others; last bits may differ. It is
// safe for concurrent use.
type Walks struct {
	*Model
	components []int       // of the cliques: what share nothing are independent
	single     [][]float64 // each attribute's table
	// of each cell of a clique, the cells of its separators from its parent and from each of its
	// children, and the values of its attributes
	above         [][]int32
	below, values [][][]int32
}

// Walks prepares walks.
func (m *Model) Walks() *Walks {
	w := &Walks{m, make([]int, len(m.nodes)), make([][]float64, len(m.sizes)),
		make([][]int32, len(m.nodes)), make([][][]int32, len(m.nodes)),
		make([][][]int32, len(m.nodes))}
	for a := range m.sizes {
		w.single[a] = m.Marginal([]int{a})
	}
	for i := range m.nodes {
		n := &m.nodes[i]
		if w.components[i] = i; n.shared > 0 {
			w.components[i] = w.components[n.parent]
		}
		cells := func(inner []int) []int32 { return cellMap(m.sizes, n.attributes, inner) }
		w.above[i] = cells(n.attributes[:n.shared])
		for _, c := range m.children[i] {
			w.below[i] = append(w.below[i], cells(m.nodes[c].attributes[:m.nodes[c].shared]))
		}
		for _, a := range n.attributes {
			w.values[i] = append(w.values[i], cells([]int{a}))
		}
	}
	return w
}

// From is, for each of other attributes, by number, the model's table over a and it, as Marginal
// has it.
func (w *Walks) From(a int, others []int) [][]float64 {
	start := w.first(a)
	tables := make([][]float64, len(w.sizes))
	var near set
	for _, b := range others {
		if w.components[w.first(b)] == w.components[start] {
			near.add(b)
			continue
		}
		for _, x := range w.single[min(a, b)] {
			for _, y := range w.single[max(a, b)] {
				tables[b] = append(tables[b], x*y/w.Total)
			}
		}
	}
	if near == (set{}) {
		return tables
	}
	v := &walk{w, w.sizes[a], near, w.subtree(near.or(setOf([]int{a}))), tables}
	for !v.inside[start] || !w.nodes[start].members.has(a) {
		start++
	}
	n := &w.nodes[start]
	v.visit(start, -1, w.values[start][slices.Index(n.attributes, a)], nil)
	for b := range near.all() {
		if b > a {
			tables[b] = transposed(tables[b], w.sizes[a])
		}
	}
	return tables
}

// first is the first clique that has an attribute.
func (m *Model) first(a int) int {
	for i := range m.holding[a].all() {
		return i
	}
	return -1
}

// transposed is a table, whose rows have width cells, by columns.
func transposed(table []float64, width int) []float64 {
	by := make([]float64, 0, len(table))
	for column := range width {
		for at := column; at < len(table); at += width {
			by = append(by, table[at])
		}
	}
	return by
}

// walk goes from clique to clique with the probabilities of an attribute's values.
type walk struct {
	*Walks
	size   int // how many values the attribute has
	near   set // attributes still to come
	inside []bool
	tables [][]float64 // by the other attribute, whose values are rows
}

// visit enters clique i from another. shared has, for each cell of i, its cell s of the separator
// between the two. Row s of given is p(v|s) of the values v of the walk's attribute. At the start
// given is nil, and s is v.
func (w *walk) visit(i, from int, shared []int32, given []float64) {
	n := &w.nodes[i]
	mu := w.mu[n.from : n.from+n.cells]
	together := func(cells int, at []int32) []float64 { // p(v,·)
		sums := make([]float64, cells*w.size)
		if given == nil {
			for cell, x := range mu {
				sums[int(at[cell])*w.size+int(shared[cell])] += x
			}
			return sums
		}
		for cell, x := range mu {
			p := given[int(shared[cell])*w.size:][:w.size]
			to := sums[int(at[cell])*w.size:][:w.size]
			for v, p := range p {
				to[v] += float64(p * x)
			}
		}
		return sums
	}
	for k, b := range n.attributes {
		if w.near.has(b) {
			w.tables[b] = together(w.sizes[b], w.values[i][k])
			w.near.remove(b)
		}
	}
	enter := func(to, cells int, at, there []int32) {
		sums := together(cells, at)
		for row := range cells {
			p, sum := sums[row*w.size:][:w.size], 0.0
			for _, x := range p {
				sum += x
			}
			for v := range p {
				if sum > 0 {
					p[v] /= sum
				}
			}
		}
		w.visit(to, i, there, sums)
	}
	if n.shared > 0 && n.parent != from && w.inside[n.parent] {
		k := slices.Index(w.children[n.parent], i)
		enter(n.parent, n.blocks, w.above[i], w.below[n.parent][k])
	}
	for k, c := range w.children[i] {
		if child := &w.nodes[c]; child.shared > 0 && c != from && w.inside[c] {
			enter(c, child.blocks, w.below[i][k], w.above[c])
		}
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
	e := embed(m.sizes, n.attributes, attributes)
	e.sum(m.mu[n.from:], t.values)
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
