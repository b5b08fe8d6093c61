package pgm

import (
	"fmt"
	"math"
	"testing"
)

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
