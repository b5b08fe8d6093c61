package graph

import (
	"context"
	"slices"
	"testing"

	"ppdp/numeric/random"

	"pgregory.net/rapid"
)

// TestNearestGraphical compares with all graphs of up to five nodes: the sequence has a graph, the
// distance is its own, and no graph's sequence is nearer.
func TestNearestGraphical(t *testing.T) {
	var sequences [6][][]int32 // sorted degree sequences of all graphs, by nodes
	for n := range sequences {
		var pairs [][2]int
		for u := range n {
			for v := u + 1; v < n; v++ {
				pairs = append(pairs, [2]int{u, v})
			}
		}
		for mask := range 1 << len(pairs) {
			degrees := make([]int32, n)
			for i, pair := range pairs {
				degrees[pair[0]] += int32(mask >> i & 1)
				degrees[pair[1]] += int32(mask >> i & 1)
			}
			slices.Sort(degrees)
			sequences[n] = append(sequences[n], degrees)
		}
	}
	between := func(a, b []int32) int64 {
		sum := int64(0)
		for i := range a {
			sum += max(int64(a[i])-int64(b[i]), int64(b[i])-int64(a[i]))
		}
		return sum
	}
	rapid.Check(t, func(t *rapid.T) {
		degrees := rapid.SliceOfN(rapid.Int32Range(-2, 7), 0, 5).Draw(t, "degrees")
		nearest, distance, err := nearestGraphical(degrees)
		if err != nil {
			t.Fatal(err)
		}
		if got := between(degrees, nearest); got != distance {
			t.Fatalf("%v became %v at distance %d, reported as %d", degrees, nearest, got, distance)
		}
		if _, _, err := havelHakimi(nearest); err != nil {
			t.Fatalf("%v became %v: %v", degrees, nearest, err)
		}
		sorted := slices.Sorted(slices.Values(degrees))
		for _, other := range sequences[len(degrees)] {
			if between(sorted, other) < distance { // sorting both is the best way to match them
				t.Fatalf("%v became %v at distance %d, but %v is nearer",
					degrees, nearest, distance, other)
			}
		}
	})
}

// TestRealise: a graph's own sequence comes back as it is, in its order; a noisy one as near as it
// says.
func TestRealise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degrees := rapid.SliceOfN(rapid.Int32Range(-3, 40), 0, 60).Draw(t, "degrees")
		g, distance, err := Realise(context.Background(),
			random.NewKey(rapid.Uint64().Draw(t, "seed")).Stream(), degrees)
		if err != nil {
			t.Fatal(err)
		}
		if g.Nodes() != len(degrees) {
			t.Fatalf("%d nodes of %d degrees", g.Nodes(), len(degrees))
		}
		realised, sum := make([]int32, len(degrees)), int64(0)
		for v, d := range degrees {
			realised[v] = int32(g.Degree(int32(v)))
			sum += int64(max(realised[v]-d, d-realised[v]))
		}
		if sum != distance {
			t.Fatalf("%v realised as %v: distance %d, reported as %d",
				degrees, realised, sum, distance)
		}
		again, distance, err := Realise(context.Background(), random.NewKey(1).Stream(), realised)
		if err != nil || distance != 0 {
			t.Fatalf("%v again: distance %d, %v", realised, distance, err)
		}
		for v, d := range realised {
			if again.Degree(int32(v)) != int(d) {
				t.Fatalf("%v again: node %d has degree %d", realised, v, again.Degree(int32(v)))
			}
		}
	})
	if _, _, err := nearestGraphical(slices.Repeat([]int32{30_000}, 30_001)); err == nil {
		t.Error("450 million edges are realised")
	}
}
