package graph

import (
	"context"
	"math"
	"math/bits"
	"strconv"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Shape is what a graph looks like beyond its degrees.
type Shape struct {
	// Clustering is the share of closed ones among the paths of two edges, 0 to 1: three times the
	// triangles over the paths (transitivity; Newman 2003, equation 3). NaN where there is no path.
	Clustering float64
	// PathLength is the mean number of edges of a shortest path between two nodes that are
	// connected. NaN where there is no edge. In graphs of more than shapeSources nodes it is that
	// of the pairs that shapeSources nodes belong to, spread evenly over the nodes' order: with
	// nodes in the order of their degrees, the sources have each degree in proportion.
	PathLength float64
}

const (
	// shapeSources is how many nodes shortest paths are counted from: 128 leave the mean of a
	// network like those of Qardaji & Li 2012 uncertain by about a hundredth.
	shapeSources = 128
	// shapeEdges is the most edges RandomShape draws: five times those of the largest network of
	// Qardaji & Li 2012. Noise can ask for a thousand times as many, and for hours.
	shapeEdges = 4_000_000
	// shapeDraws is how many random graphs RandomShape takes the mean of.
	shapeDraws = 2
)

// ShapeOf measures a graph in time of the order of m·√m + min(n, shapeSources)·m for n nodes and m
// edges.
func ShapeOf(ctx context.Context, g *datasets.Graph) (Shape, error) {
	length, err := pathLength(ctx, g)
	if err != nil {
		return Shape{}, err
	}
	paths := 0.0
	for v := range int32(g.Nodes()) {
		d := float64(g.Degree(v))
		paths += float64(d * (d - 1) / 2)
	}
	clustering := math.NaN()
	if paths > 0 {
		clustering = 3 * float64(triangles(g)) / paths
	}
	return Shape{clustering, length}, ctx.Err()
}

// RandomShape is the mean shape of random simple graphs with given degrees, in ascending order, or
// the nearest that a graph can have (see Realise). They are the same graphs for the same degrees.
// It is NaN where they would have more than shapeEdges edges.
func RandomShape(ctx context.Context, degrees []int32) (Shape, error) {
	wanted := int64(0)
	for _, d := range degrees {
		wanted += int64(min(max(d, 0), int32(len(degrees)-1)))
	}
	if wanted > 2*shapeEdges {
		return Shape{math.NaN(), math.NaN()}, nil
	}
	var mean Shape
	for draw := range shapeDraws {
		stream := random.NewKey(0).Derive("shape", strconv.Itoa(draw)).Stream()
		g, err := Realise(ctx, stream, degrees)
		if err != nil {
			return Shape{}, err
		}
		shape, err := ShapeOf(ctx, g)
		if err != nil {
			return Shape{}, err
		}
		mean.Clustering += float64(shape.Clustering / shapeDraws)
		mean.PathLength += float64(shape.PathLength / shapeDraws)
	}
	return mean, nil
}

// triangles counts each triangle once, at the edge between its two nodes of fewest neighbours: an
// edge points to the node of more, and of equally many to the later one, so that no node has more
// than √(2m) edges that point away from it.
func triangles(g *datasets.Graph) int64 {
	n := int32(g.Nodes())
	points := func(v, w int32) bool {
		a, b := g.Degree(v), g.Degree(w)
		return a < b || a == b && v < w
	}
	starts, ends := make([]int64, n+1), make([]int32, 0, g.Edges())
	for v := range n {
		for _, w := range g.Adjacent(v) {
			if points(v, w) {
				ends = append(ends, w)
			}
		}
		starts[v+1] = int64(len(ends))
	}
	count := int64(0)
	mark := make([]int32, n) // v+1 for the nodes that v points to
	for v := range n {
		out := ends[starts[v]:starts[v+1]]
		for _, w := range out {
			mark[w] = v + 1
		}
		for _, w := range out {
			for _, x := range ends[starts[w]:starts[w+1]] {
				if mark[x] == v+1 {
					count++
				}
			}
		}
	}
	return count
}

// searches is a set of breadth-first searches, one bit each.
type searches [shapeSources / 64]uint64

// pathLength is Shape.PathLength: the distances of breadth-first searches, all of which go on at
// once, so that a layer reads each neighbourhood once for all of them (Then et al. 2014).
func pathLength(ctx context.Context, g *datasets.Graph) (float64, error) {
	n := g.Nodes()
	// at holds, for each node, the searches that have come to it, and those that come to it next.
	at := make([]struct{ seen, next searches }, n)
	front := make([]searches, n)     // those that came to it in the last layer
	layer := make([]int32, 0, n)     // the nodes with any
	following := make([]int32, 0, n) // and those of the next layer
	sources := min(n, shapeSources)
	for search := range sources {
		source := int32((2*search + 1) * n / (2 * sources)) // the middle of its share of the nodes
		front[source][search>>6] = 1 << (search & 63)
		at[source].seen = front[source]
		layer = append(layer, source)
	}
	sum, pairs := int64(0), int64(0)
	for distance := int64(1); len(layer) > 0; distance++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		following = following[:0]
		for _, v := range layer {
			f := front[v]
			for _, w := range g.Adjacent(v) {
				node := &at[w]
				low, high := f[0]&^node.seen[0], f[1]&^node.seen[1]
				if low|high == 0 {
					continue
				}
				if node.next == (searches{}) {
					following = append(following, w)
				}
				node.next[0] |= low
				node.next[1] |= high
			}
		}
		found := 0
		for _, w := range following {
			node := &at[w]
			for i, next := range node.next {
				node.seen[i] |= next
				found += bits.OnesCount64(next)
			}
			front[w], node.next = node.next, searches{}
		}
		sum, pairs = sum+distance*int64(found), pairs+int64(found)
		layer, following = following, layer
	}
	if pairs == 0 {
		return math.NaN(), nil
	}
	return float64(sum) / float64(pairs), nil
}
