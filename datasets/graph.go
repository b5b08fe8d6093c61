package datasets

// Graph is a simple undirected graph in compressed adjacency form. It is immutable once built and
// safe for concurrent readers.
type Graph struct {
	// Offsets has one more entry than there are nodes: the neighbours of node v, ascending, are
	// Neighbours[Offsets[v]:Offsets[v+1]]. Each edge stands twice, once at either end.
	Offsets    []int64
	Neighbours []int32
}

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return max(0, len(g.Offsets)-1) }

// Edges is the number of undirected edges.
func (g *Graph) Edges() int { return len(g.Neighbours) / 2 }

// Degree is the number of neighbours of node v.
func (g *Graph) Degree(v int32) int { return int(g.Offsets[v+1] - g.Offsets[v]) }
