package datasets

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ppdp/internal/must"
)

// TestNewGraph compares with an adjacency matrix: random lists, most of them not simple.
func TestNewGraph(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 8).Draw(t, "nodes")
		m := rapid.IntRange(0, 8).Draw(t, "edges")
		if n == 0 {
			m = 0
		}
		end := rapid.Int32Range(0, int32(max(0, n-1)))
		from, to := rapid.SliceOfN(end, m, m).Draw(t, "from"), rapid.SliceOfN(end, m,
			m).Draw(t, "to")
		want := new(EdgeError)
		joined := make([]bool, n*n)
		for i := range from {
			u, v := int(from[i]), int(to[i])
			switch {
			case u == v:
				want.SelfLoops = append(want.SelfLoops, i)
			case joined[u*n+v]:
				want.Duplicates = append(want.Duplicates, i)
			default:
				joined[u*n+v], joined[v*n+u] = true, true
			}
		}
		g, err := NewGraph(n, from, to)
		if len(want.SelfLoops)+len(want.Duplicates) > 0 {
			var got *EdgeError
			if !errors.As(err, &got) {
				t.Fatalf("error %v, want %v", err, want)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatal(diff)
			}
			return
		}
		must.Do(t, err)
		if g.Nodes() != n || g.Edges() != m {
			t.Fatalf("%d nodes, %d edges, want %d and %d", g.Nodes(), g.Edges(), n, m)
		}
		var degrees []int32
		for u := range n {
			var neighbours []int32
			for v := range n {
				if joined[u*n+v] {
					neighbours = append(neighbours, int32(v))
				}
			}
			if !slices.Equal(g.Adjacent(int32(u)), neighbours) {
				t.Fatalf("node %d has neighbours %v, want %v", u, g.Adjacent(int32(u)), neighbours)
			}
			degrees = append(degrees, int32(len(neighbours)))
		}
		slices.Sort(degrees)
		if !slices.Equal(g.DegreeSequence(), degrees) || n > 0 &&
			g.MaxDegree() != int(degrees[n-1]) {
			t.Fatalf("degrees %v, want %v", g.DegreeSequence(), degrees)
		}
	})
}

func TestGraphChecksum(t *testing.T) {
	build := func(n int) *Graph {
		return must.Get(NewGraph(n, []int32{1, 0}, []int32{2, 2}))
	}
	var b strings.Builder
	if err := build(3).WriteEdges(&b); err != nil || b.String() != "0 2\n1 2\n" {
		t.Errorf("edges %q, %v", b.String(), err)
	}
	if build(3).Checksum() == build(4).Checksum() || build(4).Checksum() == build(5).Checksum() {
		t.Error("a node without edges does not change the checksum")
	}
	if build(3).Checksum() != checksum([]byte("0 2\n1 2\n")) {
		t.Error("the checksum is not that of the canonical edge list")
	}
	if (&Graph{}).MaxDegree() != 0 || len((&Graph{}).DegreeSequence()) != 0 {
		t.Error("the empty graph has degrees")
	}
}

// TestDerived: one build for each key, also when many ask at once.
func TestDerived(t *testing.T) {
	type key struct{ n int }
	g := &Graph{}
	var mu sync.Mutex
	built := map[int]int{}
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			got := Derived(g, key{i % 4}, func() int {
				mu.Lock()
				defer mu.Unlock()
				built[i%4]++
				return 10 * (i % 4)
			})
			must.Be(t, got, 10*(i%4), "key", i%4)
		})
	}
	wait.Wait()
	for k := range 4 {
		must.Be(t, built[k], 1, "how often key", k, "is built")
	}
}
