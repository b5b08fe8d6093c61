package pgm

import (
	"iter"
	"math/bits"
	"slices"
)

// set is a set of attributes.
type set [8]uint64

func setOf(attributes []int) (s set) {
	for _, a := range attributes {
		s.add(a)
	}
	return s
}

func (s *set) add(a int)      { s[a/64] |= 1 << (a % 64) }
func (s *set) remove(a int)   { s[a/64] &^= 1 << (a % 64) }
func (s *set) has(a int) bool { return s[a/64]>>(a%64)&1 == 1 }

func (s set) and(o set) set {
	for i := range s {
		s[i] &= o[i]
	}
	return s
}

func (s set) or(o set) set {
	for i := range s {
		s[i] |= o[i]
	}
	return s
}

func (s set) without(o set) set {
	for i := range s {
		s[i] &^= o[i]
	}
	return s
}

func (s set) within(o set) bool {
	for i := range s {
		if s[i]&^o[i] != 0 {
			return false
		}
	}
	return true
}

func (s set) len() (n int) {
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// all goes through the members, ascending.
func (s set) all() iter.Seq[int] { return ones(s[:]) }

// ones goes through the bits that are set in some words, ascending.
func ones(words []uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i, word := range words {
			for ; word != 0; word &= word - 1 {
				if !yield(64*i + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// list is the members, ascending.
func (s set) list() []int { return slices.AppendSeq(make([]int, 0, s.len()), s.all()) }

// cells is the number of cells of a table over the set.
func (s set) cells(sizes []int) float64 {
	n := 1.0
	for a := range s.all() {
		n *= float64(sizes[a])
	}
	return n
}

// node is a clique of a junction tree. Its table is at [from, from+cells) of the model's arrays;
// the attributes that it shares with its parent come first, so that the cells that agree on them
// are a block.
type node struct {
	attributes  []int // in the order of the table
	members     set
	from, cells int
	parent      int // -1 at the root
	shared      int // how many attributes the parent has too
	blocks      int // cells of the table over the shared ones
	sepFrom     int // where that table is in the model's separator arrays
	// inParent is how the shared table lies in the parent's.
	inParent embedding
}

// tree is a junction tree: whatever two cliques share, the cliques between them have. Parents come
// before their children.
type tree struct {
	sizes             []int
	nodes             []node
	children          [][]int
	holding           []set // of each attribute, the cliques that have it
	every             set   // cliques, of which there are no more than attributes
	cells, separators int
}

func newTree(sizes []int, t triangulation) *tree {
	tr := &tree{sizes: sizes, children: make([][]int, len(t.cliques)),
		holding: make([]set, len(sizes))}
	// A spanning tree of the largest sum of shared attributes is a junction tree. Cliques that
	// share nothing are joined by an empty separator.
	placed := make([]bool, len(t.cliques))
	at := make([]int, len(t.cliques)) // the place of each clique
	best, link := make([]int, len(t.cliques)), make([]int, len(t.cliques))
	for i := range best {
		best[i], link[i] = -1, -1
	}
	for range t.cliques {
		next := -1
		for i := range t.cliques {
			if !placed[i] && (next < 0 || best[i] > best[next]) {
				next = i
			}
		}
		c := t.cliques[next]
		n := node{members: c, parent: -1, from: tr.cells, sepFrom: tr.separators}
		var shared set
		if link[next] >= 0 {
			n.parent = at[link[next]]
			shared = c.and(t.cliques[link[next]])
			tr.children[n.parent] = append(tr.children[n.parent], len(tr.nodes))
		}
		n.attributes = append(shared.list(), c.without(shared).list()...)
		n.shared, n.blocks = shared.len(), int(shared.cells(sizes))
		n.cells = int(c.cells(sizes))
		if n.parent >= 0 {
			n.inParent = embed(sizes, tr.nodes[n.parent].attributes, n.attributes[:n.shared])
		}
		tr.cells += n.cells
		tr.separators += n.blocks
		at[next], placed[next] = len(tr.nodes), true
		tr.every.add(len(tr.nodes))
		for a := range c.all() {
			tr.holding[a].add(len(tr.nodes))
		}
		tr.nodes = append(tr.nodes, n)
		for i := range t.cliques {
			if share := c.and(t.cliques[i]).len(); !placed[i] && share > best[i] {
				best[i], link[i] = share, next
			}
		}
	}
	return tr
}

// covering is the smallest clique that holds a set, -1 for none.
func (t *tree) covering(s set) int {
	cliques := t.every
	for a := range s.all() {
		cliques = cliques.and(t.holding[a])
	}
	best := -1
	for i := range cliques.all() {
		if best < 0 || t.nodes[i].cells < t.nodes[best].cells {
			best = i
		}
	}
	return best
}

// strides are the steps in a table over inner that steps in one over outer make, 0 along attributes
// that inner has not.
func strides(sizes, outer, inner []int) []int {
	steps := make([]int, len(outer))
	step := 1
	for i := len(inner) - 1; i >= 0; i-- {
		if at := slices.Index(outer, inner[i]); at >= 0 {
			steps[at] = step
		}
		step *= sizes[inner[i]]
	}
	return steps
}

func sizesOf(sizes, attributes []int) []int {
	own := make([]int, len(attributes))
	for i, a := range attributes {
		own[i] = sizes[a]
	}
	return own
}

// cellMap is, for each cell of a table over outer, the cell of one over inner, a part of outer.
func cellMap(sizes, outer, inner []int) []int32 {
	return cellsOf(sizesOf(sizes, outer), strides(sizes, outer, inner))
}

// cellsOf is, for each cell of a table of the given sizes, the sum of its steps.
func cellsOf(sizes, steps []int) []int32 {
	to := []int32{0}
	for i, size := range sizes {
		next := make([]int32, 0, len(to)*size)
		for _, cell := range to {
			for v := range size {
				next = append(next, cell+int32(v*steps[i]))
			}
		}
		to = next
	}
	return to
}

// embedding is how a table over some attributes lies in one over more. Runs of the larger table's
// cells, as long as can be, fall on cells of the smaller that are a fixed step apart.
type embedding struct {
	starts      []int32 // by run, the cell of its first
	width, step int
}

func embed(sizes, outer, inner []int) embedding {
	steps := strides(sizes, outer, inner)
	e, rest := embedding{width: 1}, len(outer)
	for ; rest > 0 && (e.width == 1 || steps[rest-1] == e.step*e.width); rest-- {
		if e.width == 1 {
			e.step = steps[rest-1]
		}
		e.width *= sizes[outer[rest-1]]
	}
	e.starts = cellsOf(sizesOf(sizes, outer[:rest]), steps)
	return e
}

// sum adds the cells of the larger table to those of the smaller, in order.
func (e *embedding) sum(from, to []float64) {
	for run, at := range e.starts {
		cells := from[run*e.width : (run+1)*e.width]
		switch own := to[at:]; e.step {
		case 0:
			sum := own[0]
			for _, x := range cells {
				sum += x
			}
			own[0] = sum
		case 1:
			own = own[:len(cells)]
			for k, x := range cells {
				own[k] += x
			}
		default:
			for k, x := range cells {
				own[k*e.step] += x
			}
		}
	}
}

// spread adds to the cells of the larger table those of the smaller.
func (e *embedding) spread(to, from []float64) {
	for run, at := range e.starts {
		cells := to[run*e.width : (run+1)*e.width]
		switch own := from[at:]; e.step {
		case 0:
			x := own[0]
			for k := range cells {
				cells[k] += x
			}
		case 1:
			own = own[:len(cells)]
			for k, x := range own {
				cells[k] += x
			}
		default:
			for k := range cells {
				cells[k] += own[k*e.step]
			}
		}
	}
}
