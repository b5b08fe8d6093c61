package pgm

import (
	"math"
	"math/bits"
	"slices"
)

// triangulation is the maximal cliques of a triangulated graph and the cells of their tables.
type triangulation struct {
	cliques []set
	cells   float64
}

// cheapest triangulates the graph in which the attributes of each clique are joined, by eliminating
// greedily what makes the smallest table and by what adds the fewest edges, and returns the smaller
// model. The first alone fills in trees: an inner attribute between two small ones goes before a
// leaf of many values.
func cheapest(sizes []int, cliques []set) triangulation {
	t := triangulation{cells: math.Inf(1)}
	for _, g := range []*graph{newGraph(sizes, false), newGraph(sizes, true)} {
		for _, c := range cliques {
			g.join(g.words(c))
		}
		for a := range sizes {
			g.update(a)
			g.left = append(g.left, a)
		}
		cells := g.eliminate(math.Inf(1))
		if cells > t.cells {
			continue
		}
		t = triangulation{cells: cells}
		for _, a := range g.maximal {
			var s set
			copy(s[:], g.joinedTo(a))
			t.cliques = append(t.cliques, s)
		}
	}
	return t
}

// graph joins attributes, to be eliminated one after the other. Sets of them have as many words as
// they need.
type graph struct {
	sizes  []int
	byFill bool
	width  int      // words of a set
	joined []uint64 // by attribute, the set of those that it is joined to, itself included
	costs  []cost

	left    []int    // attributes to be eliminated
	waiting []int    // eliminated ones of whose cliques all others are left
	maximal []int    // eliminated ones whose cliques are within no other
	rest    []uint64 // scratch
}

// cost is what eliminating an attribute adds: edges, each counted twice and only where they count,
// and the cells of a table.
type cost struct {
	fill  int
	cells float64
}

func newGraph(sizes []int, byFill bool) *graph {
	g := &graph{sizes: sizes, byFill: byFill, width: (len(sizes) + 63) / 64,
		costs: make([]cost, len(sizes))}
	g.joined = make([]uint64, len(sizes)*g.width)
	for a := range sizes {
		g.joinedTo(a)[a/64] = 1 << (a % 64)
	}
	return g
}

func (g *graph) joinedTo(a int) []uint64 { return g.joined[a*g.width:][:g.width] }

// words are the words of a set that the graph's sets have.
func (g *graph) words(s set) []uint64 { return slices.Clone(s[:g.width]) }

func hasBit(words []uint64, a int) bool { return words[a/64]>>(a%64)&1 == 1 }

// common is the number of attributes that two sets share.
func common(a, b []uint64) (n int) {
	for i, word := range a {
		n += bits.OnesCount64(word & b[i])
	}
	return n
}

// join joins the attributes of a clique. Their costs change, and by fill those of others that are
// joined to two of them: update computes them.
func (g *graph) join(clique []uint64) {
	for a := range ones(clique) {
		own := g.joinedTo(a)
		for i, more := range clique {
			own[i] |= more
		}
	}
}

// update computes the cost of an attribute.
func (g *graph) update(a int) {
	own := g.joinedTo(a)
	c := cost{cells: 1}
	for b := range ones(own) {
		c.cells *= float64(g.sizes[b])
		if g.byFill {
			for i, other := range g.joinedTo(b) {
				c.fill += bits.OnesCount64(own[i] &^ other)
			}
		}
	}
	g.costs[a] = c
}

// eliminate removes the attributes left, which others are not joined to, joining those that each is
// joined to, its clique. Ties go to the smaller table and then to the attribute listed first. It is
// the sum of the tables of maximal cliques, and stops where they have more cells than the most.
func (g *graph) eliminate(most float64) (cells float64) {
	g.waiting, g.maximal = g.waiting[:0], g.maximal[:0]
	for len(g.left) > 0 && cells <= most {
		best, least := 0, g.costs[g.left[0]]
		for i, a := range g.left {
			if c := g.costs[a]; c.cells < least.cells && c.fill <= least.fill ||
				c.fill < least.fill {
				best, least = i, c
			}
		}
		a := g.left[best]
		g.left = slices.Delete(g.left, best, best+1)
		clique := g.joinedTo(a)
		if g.isMaximal(a, clique) {
			cells += least.cells
			g.maximal = append(g.maximal, a)
		}
		g.waiting = append(g.waiting, a)
		g.rest = append(g.rest[:0], clique...)
		g.rest[a/64] &^= 1 << (a % 64)
		g.join(g.rest)
		for b := range ones(g.rest) {
			g.joinedTo(b)[a/64] &^= 1 << (a % 64)
		}
		for b := range ones(g.rest) {
			g.update(b)
		}
		if least.fill > 0 {
			for _, b := range g.left {
				if !hasBit(g.rest, b) && common(g.joinedTo(b), g.rest) > 1 {
					g.update(b)
				}
			}
		}
	}
	return cells
}

// isMaximal reports whether the clique of an attribute that is eliminated is within none before it.
// Of an earlier clique whose first attribute to follow is this one, the others are in this clique:
// it is within the earlier one where that has one attribute more.
func (g *graph) isMaximal(a int, clique []uint64) bool {
	maximal, size := true, common(clique, clique)
	g.waiting = slices.DeleteFunc(g.waiting, func(earlier int) bool {
		own := g.joinedTo(earlier)
		if !hasBit(own, a) {
			return false
		}
		maximal = maximal && common(own, own) <= size
		return true
	})
	return maximal
}

// Growth sizes models of cliques that come one after the other, each with a candidate more.
type Growth struct {
	candidates [][]int
	orders     [2]order
	components []component
	in         []int // the component of each attribute
	cliques    int   // so far
}

// order is an order of elimination, by size or by fill.
type order struct {
	graph, scratch *graph  // of the cliques so far, and what is eliminated
	total          float64 // of all components
	known          []known // by candidate
}

// component is a connected part of the graph of the cliques so far.
type component struct {
	attributes []int
	cells      [2]float64 // by each order
	since      int        // how many cliques there were when it came to be
}

// known is how many cells the components that a candidate touches have with it, or, where these are
// above the most that counted, some number above it.
type known struct {
	cells, most float64
	at          int // how many cliques there were
}

// NewGrowth takes sets of attributes of the given sizes as candidates. There are no cliques yet.
func NewGrowth(sizes []int, candidates [][]int) *Growth {
	g := &Growth{candidates: candidates}
	for i := range g.orders {
		o := &g.orders[i]
		*o = order{newGraph(sizes, i == 1), newGraph(sizes, i == 1), 0,
			make([]known, len(candidates))}
		for a, size := range sizes {
			o.graph.update(a)
			o.total += float64(size)
		}
		for c := range candidates {
			o.known[c].at = -1
		}
	}
	for a, size := range sizes {
		cells := float64(size)
		g.components = append(g.components, component{[]int{a}, [2]float64{cells, cells}, 0})
		g.in = append(g.in, a)
	}
	return g
}

// Add adds a clique, which makes the components that it touches one.
func (g *Growth) Add(clique []int) {
	g.cliques++
	parts := g.touched(clique)
	whole := &g.components[parts[0]]
	whole.since = g.cliques
	for _, p := range parts[1:] {
		for _, a := range g.components[p].attributes {
			g.in[a] = parts[0]
		}
		whole.attributes = append(whole.attributes, g.components[p].attributes...)
		g.components[p].attributes = nil
	}
	slices.Sort(whole.attributes)
	for i := range g.orders {
		o := &g.orders[i]
		for _, p := range parts {
			o.total -= g.components[p].cells[i]
		}
		o.graph.join(o.graph.words(setOf(clique)))
		for _, a := range whole.attributes {
			o.graph.update(a)
		}
		whole.cells[i] = o.with(whole.attributes, nil, math.Inf(1))
		o.total += whole.cells[i]
	}
}

// touched lists the components that a clique has attributes of.
func (g *Growth) touched(clique []int) (parts []int) {
	for _, a := range clique {
		if !slices.Contains(parts, g.in[a]) {
			parts = append(parts, g.in[a])
		}
	}
	return parts
}

// Fits reports whether the model that Fit makes of the cliques and a candidate, by its number, has
// at most the given number of cells. An attribute's cost depends on its own component: those that
// the candidate does not touch are eliminated as without it, in whatever order they alternate, and
// the cells of those that it touches stay known until a clique touches them.
func (g *Growth) Fits(candidate int, most float64) bool {
	clique := g.candidates[candidate]
	parts := g.touched(clique)
	since := 0
	for _, p := range parts {
		since = max(since, g.components[p].since)
	}
	for i := range g.orders {
		o := &g.orders[i]
		left := most - o.total
		for _, p := range parts {
			left += g.components[p].cells[i]
		}
		k := &o.known[candidate]
		if k.at < since || k.cells > k.most && k.most < left {
			var attributes []int
			for _, p := range parts {
				attributes = append(attributes, g.components[p].attributes...)
			}
			slices.Sort(attributes)
			*k = known{o.with(attributes, clique, left), left, g.cliques}
		}
		if k.cells <= left {
			return true
		}
	}
	return false
}

// with is the number of cells of components, given by their attributes, with a clique more, or
// one above the most.
func (o *order) with(attributes, clique []int, most float64) float64 {
	s := o.scratch
	s.left = append(s.left[:0], attributes...)
	for _, a := range attributes {
		copy(s.joinedTo(a), o.graph.joinedTo(a))
		s.costs[a] = o.graph.costs[a]
	}
	joined := s.words(setOf(clique))
	s.join(joined)
	for _, a := range attributes {
		if common(s.joinedTo(a), joined) > 1 {
			s.update(a)
		}
	}
	return s.eliminate(most)
}
