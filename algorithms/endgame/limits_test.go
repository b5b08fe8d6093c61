package endgame

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
)

// keeps is the definitions of distinct and entropy l-diversity and of t-closeness at equal
// distance, of values up to 2, and of persons. What stands last is three times the person, plus the
// value.
func keeps(points, all [][]uint32, p *Params) bool {
	counts, shares := [3]float64{}, [3]float64{}
	for _, point := range points {
		counts[point[len(point)-1]%3]++
	}
	for _, point := range all {
		shares[point[len(point)-1]%3] += 1 / float64(len(all))
	}
	n, different, entropy, distance := float64(len(points)), 0, 0.0, 0.0
	persons := make(map[uint32]bool)
	for _, point := range points {
		persons[point[len(point)-1]/3] = true
	}
	for value, count := range counts {
		distance += math.Abs(count/n-shares[value]) / 2
		if count > 0 {
			different++
			entropy -= count / n * math.Log(count/n)
		}
	}
	diverse := different >= p.L
	if p.Diversity == disclosure.Entropy {
		diverse = entropy > math.Log(float64(p.L))-1e-6
	}
	return len(persons) >= p.K && diverse && distance <= p.T+1e-12
}

// cheapestWithin is cheapest where every class keeps the limits: it judges finished classes alone,
// and is -1 where there are none.
func cheapestWithin(points, all [][]uint32, p *Params) int {
	least := -1
	if keeps(points, all, p) {
		least = len(points) * len(points)
	}
	for d := range len(points[0]) - 1 {
		for _, at := range values(points, d)[1:] {
			var below, above [][]uint32
			for _, point := range points {
				if point[d] < at {
					below = append(below, point)
				} else {
					above = append(above, point)
				}
			}
			if len(below) < p.K || len(above) < p.K {
				continue
			}
			one, other := cheapestWithin(below, all, p), cheapestWithin(above, all, p)
			if one >= 0 && other >= 0 && (least < 0 || one+other < least) {
				least = one + other
			}
		}
	}
	return least
}

// TestExactWithinLimits: a small table gets the least discernibility of all partitions whose
// classes keep the limits.
func TestExactWithinLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := DefaultParams()
		p.K = rapid.IntRange(2, 3).Draw(t, "k")
		p.L = rapid.IntRange(1, 3).Draw(t, "l")
		p.Diversity = rapid.SampledFrom([]disclosure.Diversity{disclosure.Distinct,
			disclosure.Entropy}).Draw(t, "diversity")
		p.T = rapid.SampledFrom([]float64{.15, .3, .5, 1}).Draw(t, "t")
		schema := &datasets.Schema{Contributions: rapid.IntRange(0, 3).Draw(t, "contributions")}
		for d, cells := range []float64{3, 7} {
			schema.Attributes = append(schema.Attributes, datasets.Attribute{
				Name: fmt.Sprint("x", d), High: cells, Step: 1})
		}
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "s", High: 3,
			Step: 1, Role: datasets.Sensitive})
		n := rapid.IntRange(p.K, 16).Draw(t, "rows")
		b := datasets.NewBuilder(schema, n)
		var points [][]uint32
		for range n {
			row, point := b.AddRow(), make([]uint32, 3)
			for i := range point {
				point[i] = uint32(rapid.IntRange(0, schema.Attributes[i].Cells()-1).Draw(t, "code"))
				b.Set(row, i, point[i])
			}
			point[2] += 3 * uint32(row/max(1, schema.Contributions))
			points = append(points, point)
		}
		table := b.Table()
		space, err := divide(t.Context(), table, table.AllRows(), p)
		want := cheapestWithin(points, points, p)
		if (err != nil) != (want < 0) {
			t.Fatalf("%v, the least is %d", err, want)
		}
		if err != nil {
			return
		}
		cost, start := 0, int32(0)
		for _, end := range space.made.Ends {
			cost += int(end-start) * int(end-start)
			start = end
		}
		if cost != want {
			t.Fatalf("discernibility %d, the least is %d", cost, want)
		}
	})
}
