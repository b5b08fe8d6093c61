package degrees

import (
	"ppdp/datasets"
	"ppdp/numeric/radix"
)

// edgeOrder is a graph's edges in the data-independent order of mix.
type edgeOrder struct{ from, to []int32 }

type edgeOrderKey struct{}

// mix scrambles a number, one to one: the finaliser of splitmix64 (Steele, Lea & Flood 2014). An
// edge's place depends on its two ends alone, never on what other edges there are, and no two edges
// tie.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

func unmix(x uint64) uint64 {
	x = (x ^ x>>31 ^ x>>62) * 0x319642b2d24d8ec3
	x = (x ^ x>>27 ^ x>>54) * 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}

// orderOf returns the graph's edges in order, sorted once for each graph.
func orderOf(g *datasets.Graph) *edgeOrder {
	return datasets.Derived(g, edgeOrderKey{}, func() *edgeOrder {
		m := g.Edges()
		keys := make([]uint64, 0, m)
		for u := range g.Nodes() {
			for _, v := range g.Adjacent(int32(u)) {
				if int(v) > u {
					keys = append(keys, mix(uint64(u)<<32|uint64(v)))
				}
			}
		}
		radix.Sort(keys, nil)
		order := &edgeOrder{from: make([]int32, m), to: make([]int32, m)}
		for i, key := range keys {
			edge := unmix(key)
			order.from[i], order.to[i] = int32(edge>>32), int32(edge&(1<<32-1))
		}
		return order
	})
}

// Projection is what remains of a graph when no node may keep more than theta edges: the edges are
// visited in an order that depends on their ends alone, and one is kept iff both its ends have
// kept fewer than theta so far (Day, Li & Lyu 2016). It is shared: nobody may change it.
//
// Sensitivity. Neighbouring graphs are G and G', in which one node v is isolated. Let a be the
// number of v's edges that G keeps, a ≤ θ, and let δ(x), x ≠ v, be x's kept degree in G less that
// in G', as the edges are visited one after the other. Σ|δ| starts at 0. A kept edge of v adds at
// most 1. At any other edge {x, y} nothing changes unless the decisions differ. If G keeps the edge
// and G' does not, one end, say x, is full in G' only, so δ(x) < 0 and |δ(x)| falls by 1 while
// |δ(y)| rises by at most 1; the other case is the same with the graphs exchanged. So Σ|δ| ≤ a in
// the end, while v falls from a to 0. Beside v, at most θ nodes change their degree, by at most θ
// in all; and the number of kept edges, half the sum of kept degrees, is larger in G by (a +
// Σδ)/2, between 0 and a ≤ θ.
type Projection struct {
	// Counts[d] is the number of nodes of projected degree d, 0 to theta.
	Counts []int32
	Edges  int
}

type projectionKey struct{ theta int }

// Project returns the projection of g by theta, at least 1 if it has edges. It is computed once for
// each graph and theta; the first for a graph sorts its edges.
func Project(g *datasets.Graph, theta int) *Projection {
	return datasets.Derived(g, projectionKey{theta}, func() *Projection {
		p := &Projection{Counts: make([]int32, theta+1)}
		if theta >= g.MaxDegree() { // every edge stays
			for _, d := range g.DegreeSequence() {
				p.Counts[d]++
			}
			p.Edges = g.Edges()
			return p
		}
		degrees := projectedDegrees(g.Nodes(), orderOf(g), int32(theta))
		sum := 0
		for _, d := range degrees {
			p.Counts[d]++
			sum += int(d)
		}
		p.Edges = sum / 2
		return p
	})
}

// projectedDegrees takes the edges in order and keeps one iff both its ends still have fewer than
// theta.
func projectedDegrees(nodes int, order *edgeOrder, theta int32) []int32 {
	degrees := make([]int32, nodes)
	to := order.to
	for i, u := range order.from {
		v := to[i]
		// Whether an edge is kept is close to a coin toss; adding a computed 0 or 1 spares the
		// processor the guess. The differences are negative, and their sign bits 1, below theta.
		du, dv := degrees[u], degrees[v]
		kept := int32(uint32((du-theta)&(dv-theta)) >> 31)
		degrees[u], degrees[v] = du+kept, dv+kept
	}
	return degrees
}
