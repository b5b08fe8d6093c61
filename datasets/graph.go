package datasets

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
	"strconv"
	"sync"
)

// Graph is a simple undirected graph in compressed adjacency form. It is immutable once built and
// safe for concurrent readers; it must not be copied.
type Graph struct {
	// Offsets has one more entry than there are nodes: the neighbours of node v, ascending, are
	// Neighbours[Offsets[v]:Offsets[v+1]]. Each edge is listed twice, once at either end.
	Offsets    []int64
	Neighbours []int32

	derived sync.Map // of Derived: what is built once, by key
}

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return max(0, len(g.Offsets)-1) }

// Edges is the number of undirected edges.
func (g *Graph) Edges() int { return len(g.Neighbours) / 2 }

// Degree is the number of neighbours of node v.
func (g *Graph) Degree(v int32) int { return int(g.Offsets[v+1] - g.Offsets[v]) }

// Adjacent lists the neighbours of node v, ascending. The slice is the graph's own.
func (g *Graph) Adjacent(v int32) []int32 { return g.Neighbours[g.Offsets[v]:g.Offsets[v+1]] }

// EdgeError lists what keeps a list of edges from being a simple undirected graph. Entries are
// positions in the list, ascending.
type EdgeError struct {
	SelfLoops []int
	// An edge already listed, in this direction or the other; the first one is not named.
	Duplicates []int
}

func (e *EdgeError) Error() string {
	return fmt.Sprintf("not a simple graph: %d self loops, %d duplicates", len(e.SelfLoops),
		len(e.Duplicates))
}

// NewGraph builds the graph of the edges {from[i], to[i]} over the nodes 0 to nodes-1, in time
// linear in nodes and edges. A list that does not describe a simple graph is refused with an
// *EdgeError. It panics when the slices differ in length, or an end is no node.
func NewGraph(nodes int, from, to []int32) (*Graph, error) {
	if len(from) != len(to) {
		panic(fmt.Sprintf("datasets: %d edges begin but %d end", len(from), len(to)))
	}
	wrong := new(EdgeError)
	offsets := make([]int64, nodes+1)
	for i := range from {
		u, v := from[i], to[i]
		if u == v {
			wrong.SelfLoops = append(wrong.SelfLoops, i)
		}
		offsets[u+1]++
		offsets[v+1]++
	}
	if len(wrong.SelfLoops) > 0 {
		wrong.Duplicates = duplicates(nodes, from, to)
		return nil, wrong
	}
	for v := range nodes {
		offsets[v+1] += offsets[v]
	}
	// Edges are first dealt to their ends in the order of the list. Reading the nodes in ascending
	// order and dealing each to its neighbours then leaves every neighbourhood sorted.
	next := make([]int64, nodes)
	copy(next, offsets)
	dealt := make([]int32, 2*len(from))
	for i := range from {
		u, v := from[i], to[i]
		dealt[next[u]] = v
		dealt[next[v]] = u
		next[u]++
		next[v]++
	}
	copy(next, offsets)
	sorted := make([]int32, len(dealt))
	repeated := false
	for v := range nodes {
		for _, u := range dealt[offsets[v]:offsets[v+1]] {
			at := next[u]
			repeated = repeated || at > offsets[u] && sorted[at-1] == int32(v)
			sorted[at] = int32(v)
			next[u] = at + 1
		}
	}
	if repeated {
		wrong.Duplicates = duplicates(nodes, from, to)
		return nil, wrong
	}
	return &Graph{Offsets: offsets, Neighbours: sorted}, nil
}

// duplicates lists the positions of edges that repeat an earlier one; self loops are left out. The
// edges are sorted by their ends with two stable counting passes, so that repetitions stand side by
// side in the order of the list.
func duplicates(nodes int, from, to []int32) []int {
	order := make([]int32, 0, len(from))
	for i := range from {
		if from[i] != to[i] {
			order = append(order, int32(i))
		}
	}
	low := func(i int32) int32 { return min(from[i], to[i]) }
	high := func(i int32) int32 { return max(from[i], to[i]) }
	order = countingSort(nodes, countingSort(nodes, order, high), low)
	var found []int
	for k := 1; k < len(order); k++ {
		if i, j := order[k-1], order[k]; low(i) == low(j) && high(i) == high(j) {
			found = append(found, int(j))
		}
	}
	slices.Sort(found)
	return found
}

// countingSort returns items sorted stably by keys in [0, limit).
func countingSort(limit int, items []int32, key func(int32) int32) []int32 {
	next := make([]int, limit+1)
	for _, item := range items {
		next[key(item)+1]++
	}
	for k := range limit {
		next[k+1] += next[k]
	}
	sorted := make([]int32, len(items))
	for _, item := range items {
		k := key(item)
		sorted[next[k]] = item
		next[k]++
	}
	return sorted
}

// Derived returns what build makes of the graph. It is built at most once for each graph and key
// and lives as long as the graph, so that many releases share one sorting or indexing of the true
// data. build must depend on nothing but the graph and the key; keys are values of a type private
// to the caller. The result is shared: nobody may change it.
func Derived[T any](g *Graph, key any, build func() T) T {
	once, _ := g.derived.LoadOrStore(key, sync.OnceValue(build))
	return once.(func() T)()
}

type degreeSequenceKey struct{}

// DegreeSequence is the nodes' degrees, sorted ascending. It is computed once and shared: nobody
// may change it.
func (g *Graph) DegreeSequence() []int32 {
	return Derived(g, degreeSequenceKey{}, func() []int32 {
		sequence := make([]int32, g.Nodes())
		for v := range sequence {
			sequence[v] = int32(g.Degree(int32(v)))
		}
		slices.Sort(sequence)
		return sequence
	})
}

// MaxDegree is the largest degree, 0 in a graph of no nodes.
func (g *Graph) MaxDegree() int {
	sequence := g.DegreeSequence()
	if len(sequence) == 0 {
		return 0
	}
	return int(sequence[len(sequence)-1])
}

// WriteEdges writes the canonical edge list: a line "u v" for each edge with u < v, nodes counted
// from 0, in ascending order of u, then v.
func (g *Graph) WriteEdges(w io.Writer) error {
	lines := bufio.NewWriterSize(w, 1<<16)
	for u := range g.Nodes() {
		for _, v := range g.Adjacent(int32(u)) {
			if int(v) > u {
				line := append(strconv.AppendInt(lines.AvailableBuffer(), int64(u), 10), ' ')
				lines.Write(append(strconv.AppendInt(line, int64(v), 10), '\n'))
			}
		}
	}
	return lines.Flush() // which has the error of any Write
}

// Checksum is the SHA-256 of the canonical edge list in hexadecimal. Nodes without edges behind the
// last node that has one do not show in that list; a closing line "# nodes N" is hashed where there
// are any.
func (g *Graph) Checksum() string {
	h := sha256.New()
	g.WriteEdges(h) // a hash never fails to be written
	if n := g.Nodes(); n > 0 && g.Degree(int32(n-1)) == 0 {
		fmt.Fprintf(h, "# nodes %d\n", n)
	}
	return hex.EncodeToString(h.Sum(nil))
}
