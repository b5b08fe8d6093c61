package graph

import (
	"context"
	"math"
	"strconv"

	"ppdp/datasets"
	"ppdp/random"
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
		g, _, err := Realise(ctx, stream, degrees)
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
	starts := make([]int64, n+1)
	for v := range n {
		starts[v+1] = starts[v]
		for _, w := range g.Adjacent(v) {
			if points(v, w) {
				starts[v+1]++
			}
		}
	}
	ends := make([]int32, 0, starts[n])
	for v := range n {
		for _, w := range g.Adjacent(v) {
			if points(v, w) {
				ends = append(ends, w)
			}
		}
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

// pathLength is Shape.PathLength: the distances of breadth-first searches.
func pathLength(ctx context.Context, g *datasets.Graph) (float64, error) {
	n := g.Nodes()
	sources := min(n, shapeSources)
	seen := make([]int32, n) // by which search, counted from 1
	queue := make([]int32, 0, n)
	sum, pairs := int64(0), int64(0)
	for search := range sources {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		source := int32((2*search + 1) * n / (2 * sources)) // the middle of its share of the nodes
		mark := int32(search + 1)
		seen[source] = mark
		queue = append(queue[:0], source)
		distance := int64(0)
		for from := 0; from < len(queue); { // one layer at a time
			layer := queue[from:]
			from = len(queue)
			distance++
			for _, v := range layer {
				for _, w := range g.Adjacent(v) {
					if seen[w] != mark {
						seen[w] = mark
						queue = append(queue, w)
					}
				}
			}
			found := int64(len(queue) - from)
			sum, pairs = sum+distance*found, pairs+found
		}
	}
	if pairs == 0 {
		return math.NaN(), nil
	}
	return float64(sum) / float64(pairs), nil
}
