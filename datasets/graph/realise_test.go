package graph

import (
	"context"
	"slices"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"

	"pgregory.net/rapid"
)

// TestNearestGraphical compares with all graphs of up to five nodes: the sequence has a graph, and
// no graph's sequence is nearer.
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
		nearest := nearestGraphical(degrees)
		distance := between(degrees, nearest)
		sorted := slices.Sorted(slices.Values(degrees))
		if all := sequences[len(degrees)]; !slices.ContainsFunc(all, func(some []int32) bool {
			return slices.Equal(some, slices.Sorted(slices.Values(nearest)))
		}) {
			t.Fatalf("%v became %v, which no graph has", degrees, nearest)
		}
		for _, other := range sequences[len(degrees)] {
			if between(sorted, other) < distance { // sorting both is the best way to match them
				t.Fatalf("%v became %v at distance %d, but %v is nearer",
					degrees, nearest, distance, other)
			}
		}
	})
}

// TestRealise: node by node a graph has the nearest degrees, and its own come back as they are.
func TestRealise(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		degrees := rapid.SliceOfN(rapid.Int32Range(-3, 40), 0, 60).Draw(t, "degrees")
		seed := random.NewKey(rapid.Uint64().Draw(t, "seed"))
		nearest := nearestGraphical(degrees)
		for _, asked := range [][]int32{degrees, nearest} {
			g := must.Get(Realise(context.Background(), seed.Stream(), asked))
			realised := make([]int32, g.Nodes())
			for v := range realised {
				realised[v] = int32(g.Degree(int32(v)))
			}
			if !slices.Equal(realised, nearest) {
				t.Fatalf("%v realised as %v, want %v", asked, realised, nearest)
			}
		}
	})
}
