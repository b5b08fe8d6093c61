package results

import (
	"math"
	"sort"
)

// Holm returns p-values adjusted for testing all of them (Holm 1979): where one is at most α, the
// chance that any true hypothesis is among those rejected is at most α, however the tests depend on
// each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool { return p[order[a]] < p[order[b]] })
	adjusted := make([]float64, len(p))
	worst := 0.0
	for rank, i := range order {
		worst = math.Max(worst, math.Min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = worst
	}
	return adjusted
}
