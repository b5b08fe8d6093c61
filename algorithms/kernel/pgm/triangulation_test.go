package pgm

import (
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// cellsByDefinition sums the tables of a greedy elimination that are within no other: of the
// attribute with the fewest missing edges between neighbours, by fill, then of the smallest table.
func cellsByDefinition(sizes []int, cliques [][]int, byFill bool) (sum float64) {
	joined := make([][]bool, len(sizes))
	for a := range joined {
		joined[a] = make([]bool, len(sizes))
		joined[a][a] = true
	}
	for _, c := range cliques {
		for _, a := range c {
			for _, b := range c {
				joined[a][b] = true
			}
		}
	}
	gone := make([]bool, len(sizes))
	var tables []set
	for range sizes {
		next, fewest, smallest := -1, 0, 0.0
		var table []int
		for a := range sizes {
			if gone[a] {
				continue
			}
			var own []int
			fill, cells := 0, 1.0
			for b := range sizes {
				if !gone[b] && joined[a][b] {
					own = append(own, b)
					cells *= float64(sizes[b])
				}
			}
			for _, b := range own {
				for _, c := range own {
					if byFill && !joined[b][c] {
						fill++
					}
				}
			}
			if next < 0 || fill < fewest || fill == fewest && cells < smallest {
				next, fewest, smallest, table = a, fill, cells, own
			}
		}
		gone[next] = true
		for _, b := range table {
			for _, c := range table {
				joined[b][c] = true
			}
		}
		if c := setOf(table); !slices.ContainsFunc(tables, c.within) {
			tables = append(tables, c)
			sum += smallest
		}
	}
	return sum
}

// TestGrowth: a candidate fits where a model with it is no larger by definition, and not where a
// cell less is allowed, whatever was asked before.
func TestGrowth(t *testing.T) {
	stream := random.NewKey(9).Stream()
	for range 40 {
		sizes := make([]int, 4+stream.IntN(20))
		for a := range sizes {
			sizes[a] = 1 + stream.IntN(12)
		}
		candidates := randomCliques(len(sizes), 10, stream)
		g := NewGrowth(sizes, candidates)
		var cliques [][]int
		for _, clique := range randomCliques(len(sizes), stream.IntN(2*len(sizes)), stream) {
			g.Add(clique)
			cliques = append(cliques, clique)
			for i, c := range candidates {
				with := append(slices.Clip(cliques), c)
				size := min(cellsByDefinition(sizes, with, false),
					cellsByDefinition(sizes, with, true))
				for _, more := range []float64{-1, 0, float64(stream.IntN(200) - 100)} {
					if got := g.Fits(i, size+more); got != (more >= 0) {
						t.Fatalf("%v and %v of sizes %v: %v cells, fits %v: %v", cliques, c,
							sizes, size, size+more, got)
					}
				}
			}
		}
	}
}
