package pgm

import (
	"math"
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
	var all set
	for a := range sizes {
		all.add(a)
	}
	bySize := newGraph(sizes, cliques, false).eliminate(all, math.Inf(1))
	byFill := newGraph(sizes, cliques, true).eliminate(all, math.Inf(1))
	if bySize.cells < byFill.cells {
		return bySize
	}
	return byFill
}

// graph joins attributes, to be eliminated one after the other.
type graph struct {
	sizes      []int
	byFill     bool
	neighbours []set // of each attribute, itself included
	costs      []cost
}

// cost is what eliminating an attribute adds: edges, each counted twice and only where they count,
// and the cells of a table.
type cost struct {
	fill  int
	cells float64
}

func newGraph(sizes []int, cliques []set, byFill bool) *graph {
	g := &graph{sizes, byFill, make([]set, len(sizes)), make([]cost, len(sizes))}
	for a := range sizes {
		g.neighbours[a].add(a)
	}
	for _, c := range cliques {
		g.join(c)
	}
	for a := range sizes {
		g.update(a)
	}
	return g
}

// join joins the attributes of a clique. Their costs change, and by fill those of others that are
// joined to two of them: update computes them.
func (g *graph) join(clique set) {
	for a := range clique.all() {
		g.neighbours[a] = g.neighbours[a].or(clique)
	}
}

// update computes the cost of an attribute.
func (g *graph) update(a int) {
	own := g.neighbours[a]
	c := cost{cells: own.cells(g.sizes)}
	if g.byFill {
		for b := range own.all() {
			c.fill += own.without(g.neighbours[b]).len()
		}
	}
	g.costs[a] = c
}

// eliminate removes those of the attributes left, which others are not joined to, joining the
// neighbours of each. Ties go to the smaller table and then to the attribute listed first. It stops
// where the tables have more cells than the most.
func (g *graph) eliminate(left set, most float64) (t triangulation) {
	order := left.list()
	for len(order) > 0 && t.cells <= most {
		best := 0
		least := g.costs[order[0]]
		for i, a := range order {
			if c := g.costs[a]; c.fill < least.fill ||
				c.fill == least.fill && c.cells < least.cells {
				best, least = i, c
			}
		}
		a := order[best]
		order = slices.Delete(order, best, best+1)
		clique := g.neighbours[a]
		if !slices.ContainsFunc(t.cliques, func(c set) bool {
			return c.has(a) && clique.within(c)
		}) {
			t.cliques = append(t.cliques, clique)
			t.cells += least.cells
		}
		rest := clique
		rest.remove(a)
		g.join(rest)
		for b := range rest.all() {
			g.neighbours[b].remove(a)
		}
		for b := range rest.all() {
			g.update(b)
		}
		if least.fill > 0 {
			for _, b := range order {
				if !rest.has(b) && g.neighbours[b].and(rest).len() > 1 {
					g.update(b)
				}
			}
		}
	}
	return t
}

// Growth sizes models of given cliques and one more.
type Growth struct {
	bySize, byFill ordered
	parts          []set // the graph's connected parts
	part           []int // that each attribute is in
}

// ordered is a graph with the cells of its parts by an order of elimination.
type ordered struct {
	*graph
	cells []float64
	// scratch is the graph that is eliminated.
	scratch graph
}

// NewGrowth takes the given cliques over attributes of the given sizes.
func NewGrowth(sizes []int, cliques [][]int) *Growth {
	sets := setsOf(cliques)
	g := &Growth{part: make([]int, len(sizes))}
	g.bySize.graph, g.byFill.graph = newGraph(sizes, sets, false), newGraph(sizes, sets, true)
	var placed set
	for a := range sizes {
		if placed.has(a) {
			continue
		}
		part := g.bySize.neighbours[a]
		for before := (set{}); before != part; {
			before = part
			for b := range before.all() {
				part = part.or(g.bySize.neighbours[b])
			}
		}
		for b := range part.all() {
			g.part[b] = len(g.parts)
		}
		g.parts, placed = append(g.parts, part), placed.or(part)
	}
	for _, o := range []*ordered{&g.bySize, &g.byFill} {
		o.scratch = graph{sizes, o.byFill, make([]set, len(sizes)), make([]cost, len(sizes))}
		for _, part := range g.parts {
			o.cells = append(o.cells, o.eliminated(part, set{}, math.Inf(1)))
		}
	}
	return g
}

// Fits reports whether the model that Fit makes of the cliques and another one has at most the
// given number of cells. An attribute's cost depends on its own part of the graph, so that parts
// which the clique does not touch are eliminated as without it, in whatever order parts alternate.
func (g *Growth) Fits(clique []int, most float64) bool {
	members := setOf(clique)
	var touched set
	for _, a := range clique {
		touched = touched.or(g.parts[g.part[a]])
	}
	for _, o := range []*ordered{&g.bySize, &g.byFill} {
		left := most
		for i, cells := range o.cells {
			if !g.parts[i].within(touched) {
				left -= cells
			}
		}
		if left > 0 && o.eliminated(touched, members, left) <= left {
			return true
		}
	}
	return false
}

// eliminated is the number of cells of connected parts with a clique more, or one above the most.
func (o *ordered) eliminated(parts, clique set, most float64) float64 {
	s := &o.scratch
	for a := range parts.all() {
		s.neighbours[a], s.costs[a] = o.neighbours[a], o.costs[a]
	}
	s.join(clique)
	for a := range parts.all() {
		if s.neighbours[a].and(clique).len() > 1 {
			s.update(a)
		}
	}
	return s.eliminate(parts, most).cells
}
