package testinput

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	_ "ppdp/datasets/graph" // the networks
	"ppdp/internal/must"
)

// Network loads one of the four networks of Qardaji & Li 2012 from $PPDP_DATA, or skips the test.
func Network(tb testing.TB, name string) *datasets.Graph {
	tb.Helper()
	source := must.Get(datasets.Lookup(name))
	return load(tb, source, datasets.Request{Files: files(tb)}).Graph
}

// Graph is a simple graph of the edges {from[i], to[i]}.
func Graph(tb testing.TB, nodes int, from, to []int32) *datasets.Graph {
	tb.Helper()
	return must.Get(datasets.NewGraph(nodes, from, to))
}

// SkewedGraph is a path of n nodes in which node v is also joined to node √v. Most degrees are 3,
// the largest about 2√n.
func SkewedGraph(tb testing.TB, n int) *datasets.Graph {
	tb.Helper()
	var from, to []int32
	for v := range int32(n - 1) {
		from, to = append(from, v), append(to, v+1)
		if root := int32(math.Sqrt(float64(v + 1))); root < v {
			from, to = append(from, root), append(to, v+1)
		}
	}
	return Graph(tb, n, from, to)
}

// DrawGraph draws a simple graph of 1 to most nodes.
func DrawGraph(t *rapid.T, most int) *datasets.Graph {
	n := rapid.IntRange(1, most).Draw(t, "nodes")
	var from, to []int32
	for u := range n {
		for v := u + 1; v < n; v++ {
			if rapid.Bool().Draw(t, "edge") {
				from, to = append(from, int32(u)), append(to, int32(v))
			}
		}
	}
	return must.Get(datasets.NewGraph(n, from, to))
}

// W2 is the second Wasserstein distance of two sorted sequences of equal length.
func W2(a, b []int32) float64 {
	sum := 0.0
	for i := range a {
		d := float64(a[i]) - float64(b[i])
		sum += float64(d * d)
	}
	return math.Sqrt(sum / float64(len(a)))
}
