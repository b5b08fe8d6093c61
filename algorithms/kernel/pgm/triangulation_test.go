package pgm

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

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

// TestEmbeddings: sums and copies along runs are those cell by cell, in the same order.
func TestEmbeddings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sizes := rapid.SliceOfN(rapid.IntRange(1, 4), 1, 5).Draw(t, "sizes")
		outer := rapid.Permutation([]int{0, 1, 2, 3, 4}[:len(sizes)]).Draw(t, "outer")
		var inner []int
		for a := range sizes {
			if rapid.Bool().Draw(t, "inner") {
				inner = append(inner, a)
			}
		}
		e, cells := embed(sizes, outer, inner), cellMap(sizes, outer, inner)
		large, small := make([]float64, len(cells)), make([]float64, slices.Max(cells)+1)
		for i := range large {
			large[i] = 1 / float64(i+3)
		}
		for i := range small {
			small[i] = float64(i)
		}
		sums, spread := slices.Clone(small), slices.Clone(large)
		for cell, at := range cells {
			sums[at] += large[cell]
			spread[cell] += small[at]
		}
		own, to := slices.Clone(small), slices.Clone(large)
		e.sum(large, own)
		e.spread(to, small)
		if !slices.Equal(own, sums) || !slices.Equal(to, spread) {
			t.Fatalf("sizes %v, %v in %v: %+v", sizes, inner, outer, e)
		}
	})
}

// BenchmarkGrowth fits chains of pairs, with as many cliques and cells to a clique as the names
// say, for 100 steps. A step, one pass of sum-product over all cliques, is to take a time in
// proportion to the cells, whatever they are divided into.
func BenchmarkGrowth(b *testing.B) {
	for _, shape := range []struct{ cliques, values int }{{8, 10}, {32, 10}, {120, 10}, {8, 32},
		{32, 32}, {120, 32}, {8, 100}, {32, 100}, {8, 316}} {
		values := shape.values
		b.Run(fmt.Sprintf("cliques=%d/cells=%d", shape.cliques, values*values),
			func(b *testing.B) {
				sizes, measured := make([]int, shape.cliques+1), []Measurement{}
				for a := range sizes {
					sizes[a] = values
					if a == 0 {
						continue
					}
					counts := make([]float64, values*values)
					for cell := range counts {
						counts[cell] = 1e6 / float64(len(counts)) * (1 + math.Sin(float64(cell)))
					}
					// so much noise that there is one stage
					measured = append(measured, Measurement{[]int{a - 1, a}, counts,
						[]float64{1e6}})
				}
				o := Options{Iterations: 100, MaxCells: 1e7}
				steps := 0
				for b.Loop() {
					steps += mustFit(b, sizes, measured, 1e6, o).Iterations
				}
				cells := float64(shape.cliques * values * values)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(steps)/cells,
					"ns/cell/step")
				b.ReportMetric(float64(steps)/float64(b.N), "steps")
			})
	}
}
