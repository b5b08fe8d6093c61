package graph

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// distances are the lengths of all shortest paths (Floyd and Warshall), n where there is none.
func distances(g *datasets.Graph) [][]int {
	n := g.Nodes()
	d := make([][]int, n)
	for v := range d {
		d[v] = slices.Repeat([]int{n}, n)
		d[v][v] = 0
		for _, w := range g.Adjacent(int32(v)) {
			d[v][w] = 1
		}
	}
	for k := range n {
		for v := range n {
			for w := range n {
				d[v][w] = min(d[v][w], d[v][k]+d[k][w])
			}
		}
	}
	return d
}

// same reports whether two numbers are the same up to rounding, or both none.
func same(got, want float64) bool {
	return math.IsNaN(got) && math.IsNaN(want) || math.Abs(got-want) < 1e-12
}

// TestShapeOf compares with the definitions, looked up in all triples and all pairs of nodes.
func TestShapeOf(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "nodes")
		var from, to []int32
		for v := range int32(n) {
			for w := range v {
				if rapid.Bool().Draw(t, "edge") {
					from, to = append(from, w), append(to, v)
				}
			}
		}
		g := must.Get(datasets.NewGraph(n, from, to))
		d := distances(g)
		paths, closed, sum, pairs := 0.0, 0.0, 0.0, 0.0
		for v := range n {
			for a := range n {
				if a != v && d[v][a] < n {
					sum, pairs = sum+float64(d[v][a]), pairs+1
				}
				for b := range a {
					if d[v][a] == 1 && d[v][b] == 1 {
						paths++
						if d[a][b] == 1 {
							closed++
						}
					}
				}
			}
		}
		got := must.Get(ShapeOf(context.Background(), g))
		if !same(got.Clustering, closed/paths) || !same(got.PathLength, sum/pairs) {
			t.Fatalf("%+v, want %v of paths closed and a mean length of %v", got, closed/paths,
				sum/pairs)
		}
	})
}

// TestShapeSources: 128 sources of 700 nodes, ordered by degree as a released sequence is, have the
// mean of all their pairs, and that of all pairs within a hundredth.
func TestShapeSources(t *testing.T) {
	degrees := make([]int32, 700)
	for i := range degrees {
		degrees[i] = int32(3 + 100/(700-i)) // up to 103
	}
	g := must.Get(Realise(context.Background(), stream("realised"), degrees))
	got := must.Get(ShapeOf(context.Background(), g))
	d := distances(g)
	mean := func(sources int) float64 {
		sum, pairs := 0.0, 0.0
		for search := range sources {
			v := (2*search + 1) * len(d) / (2 * sources)
			for w, d := range d[v] {
				if v != w && d < g.Nodes() {
					sum, pairs = sum+float64(d), pairs+1
				}
			}
		}
		return sum / pairs
	}
	must.Be(t, got.PathLength, mean(shapeSources), "path length")
	must.Near(t, got.PathLength/mean(len(d)), 1, 0.01, "path length", got.PathLength)
}

// TestRandomShape: sequences that one graph alone has (up to names) have its shape, in closed form,
// and so do noisy ones that are nearest to them. In a random graph of n nodes that all have degree
// d, triangles are nearly Poisson of mean (d-1)³/6 (Bollobás 1980): those of two graphs of 4,000
// nodes and degree 9 add up to a mean of 170.7 with a deviation of 13.1, five of which are missed
// by one seed in two million.
func TestRandomShape(t *testing.T) {
	const n = 20
	star := append(slices.Repeat([]int32{1}, n-1), n-1)
	starLength := 2 * float64(n-1) / n // n-1 pairs at distance 1, the others at 2
	for _, test := range []struct {
		name               string
		degrees            []int32
		clustering, length float64
	}{
		{"complete", slices.Repeat([]int32{n - 1}, n), 1, 1},
		{"more than complete", slices.Repeat([]int32{n + 5}, n), 1, 1},
		{"star", star, 0, starLength},
		{"pairs", slices.Repeat([]int32{1}, n), math.NaN(), 1},
		{"pairs, one node less than nothing", append([]int32{-4}, slices.Repeat([]int32{1},
			n)...), math.NaN(), 1},
		{"triangle and a node", []int32{0, 2, 2, 2}, 1, 1},
		// a node of three, two of whose neighbours are joined
		{"paw", []int32{1, 2, 2, 3}, 3.0 / 5, 8.0 / 6},
		{"more edges than are drawn", slices.Repeat([]int32{4000}, 4001), math.NaN(), math.NaN()},
		{"no edges", make([]int32, n), math.NaN(), math.NaN()},
		{"no nodes", nil, math.NaN(), math.NaN()},
	} {
		got := must.Get(RandomShape(context.Background(), test.degrees))
		if !same(got.Clustering, test.clustering) || !same(got.PathLength, test.length) {
			t.Errorf("%s: %+v, want %v and %v", test.name, got, test.clustering, test.length)
		}
	}
	const nodes, degree = 4000, 9
	got := must.Get(RandomShape(context.Background(), slices.Repeat([]int32{degree}, nodes)))
	found := shapeDraws * got.Clustering * nodes * degree * (degree - 1) / 2 / 3
	if mean := shapeDraws * 8.0 * 8 * 8 / 6; math.Abs(found-mean) > 5*math.Sqrt(mean) {
		t.Errorf("%v triangles, want about %v", found, mean)
	}
}
