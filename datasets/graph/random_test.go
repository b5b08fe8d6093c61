package graph

import (
	"context"
	"testing"

	"pgregory.net/rapid"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func stream(purpose string) *random.Stream { return random.NewKey(2012).Derive(purpose).Stream() }

// TestRealiseUniform: six nodes of degree 1 have 15 perfect matchings, all equally likely. Six
// nodes mean three edges and twelve attempts, enough to mix; a cell of 15,000 draws has a deviation
// of 30.6, and 5 of them are exceeded by one seed in 100,000. What is left of the start after
// twelve attempts adds 50.
func TestRealiseUniform(t *testing.T) {
	counts := make(map[string]int)
	s := stream("matchings")
	for range 15_000 {
		g := must.Get(Realise(context.Background(), s, []int32{1, 1, 1, 1, 1, 1}))
		counts[canonical(t, g)]++
	}
	if len(counts) != 15 {
		t.Fatalf("%d matchings drawn, there are 15", len(counts))
	}
	for matching, count := range counts {
		must.Near(t, float64(count), 1000, 5*30.6+50, matching)
	}
}

// TestEdgeSet compares with a Go map over random insertions and removals.
func TestEdgeSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		set, model := newEdgeSet(8), map[uint64]bool{}
		for range rapid.IntRange(0, 200).Draw(t, "steps") {
			key := edgeKey(rapid.Int32Range(0, 5).Draw(t, "u"), rapid.Int32Range(6, 9).Draw(t, "v"))
			switch {
			case model[key]:
				set.remove(key)
				delete(model, key)
			case len(model) < 8:
				set.add(key)
				model[key] = true
			}
			for u := int32(0); u <= 5; u++ {
				for v := int32(6); v <= 9; v++ {
					if key := edgeKey(v, u); set.has(key) != model[key] {
						t.Fatalf("edge %d %d: %t, want %t", u, v, set.has(key), model[key])
					}
				}
			}
		}
	})
}
