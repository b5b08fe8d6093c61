package aim

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// classed is a table of attributes with so many values each, of which one is the class. Those of 3
// values have no order.
func classed(class int, sizes []int, rows ...[]uint32) *datasets.Table {
	schema := &datasets.Schema{}
	for a, n := range sizes {
		attribute := datasets.Attribute{Name: fmt.Sprint("a", a), High: float64(n), Step: 1}
		if a == class || n == 3 {
			attribute = testinput.Class(n)
		}
		if a != class {
			attribute.Name, attribute.Role = fmt.Sprint("a", a), datasets.QuasiIdentifier
		}
		schema.Attributes = append(schema.Attributes, attribute)
	}
	return testinput.Table(schema, rows...)
}

// TestDrawnLabels: labels have, for each pair of values, the probabilities of the regression that
// plain gradient descent finds here for the model's marginals with the class, the penalty of their
// noise included: on an attribute without an order, and on one with. Without the penalty they would
// not, nor with one that knows of no order.
func TestDrawnLabels(t *testing.T) {
	const n, classes, sd = 40_000, 3, 2000.0
	sizes := []int{3, 4}
	for class := range 3 {
		all := slices.Insert(slices.Clone(sizes), class, classes)
		row := make([]uint32, 3)
		params := logisticDefaults()
		in := testinput.Input(classed(class, all, row), params, algorithms.Strict, 1, 1)
		s := must.Get(open(t.Context(), &in, params))
		others := slices.DeleteFunc([]int{0, 1, 2}, func(a int) bool { return a == class })
		// a class that depends on both, which depend on each other
		joint := func(a, b, y int) float64 {
			x := float64(1 + (a+b)%3*y + a*(classes-y) + b*b%3*y)
			if a == b {
				x *= 3
			}
			return n * x / 264
		}
		for _, set := range [][]int{others, {min(others[0], class), max(others[0], class)},
			{min(others[1], class), max(others[1], class)}} {
			counts := make([]float64, all[set[0]]*all[set[1]])
			for a := range sizes[0] {
				for b := range sizes[1] {
					for y := range classes {
						value := map[int]int{others[0]: a, others[1]: b, class: y}
						counts[value[set[0]]*all[set[1]]+value[set[1]]] += joint(a, b, y)
					}
				}
			}
			s.Measured = append(s.Measured, pgm.Measurement{Attributes: set, Counts: counts,
				Variances: []float64{2 * sd * sd}})
		}
		// those with the class come first, as in a release
		s.Measured = append(s.Measured[1:], s.Measured[0])
		s.model = must.Get(s.Fit(20, nil))
		columns := make([][]uint32, len(all))
		for a, c := range s.model.Records(12*n, random.NewKey(uint64(class)).Stream(), nil) {
			columns[a] = make([]uint32, 12*n)
			c.Widen(0, columns[a])
		}
		must.Do(t, s.drawLabels(columns))
		var counts, first [3][4][classes]float64
		for i, a := range columns[others[0]] {
			b, y := columns[others[1]][i], columns[class][i]
			counts[a][b][y]++
			if i < modelRows {
				first[a][b][y]++
			}
		}
		off, apart, unordered := 0.0, 0.0, 0.0 // in χ²
		want, free := descend(s, others, first, sd, true), descend(s, others, first, 0, true)
		plain := descend(s, others, first, sd, false)
		for a := range counts {
			for b, of := range counts[a] {
				sum := of[0] + of[1] + of[2]
				for y, p := range want[a][b] {
					off += math.Pow(of[y]-sum*p, 2) / (sum * p)
					apart += math.Pow(sum*free[a][b][y]-sum*p, 2) / (sum * p)
					unordered += math.Pow(sum*plain[a][b][y]-sum*p, 2) / (sum * p)
				}
			}
		}
		// 24 degrees of freedom: 80 is passed once in ten million
		if off > 80 || apart < 800 || unordered < 150 {
			t.Errorf("class at %d: χ² %v, without the penalty about %v, without an order %v", class,
				off, apart, unordered)
		}
	}
}

// descend finds the penalised regression of three classes on two attributes, from how many records
// each pair of values has and which classes the model has among those of each value. The second
// attribute may have an order: 0.3 of the penalty is for its coefficients then, and 0.7 for their
// differences.
func descend(s *search, others []int, counts [3][4][3]float64, penalty float64, ordered bool) (
	p [3][4][3]float64) {
	var theta, gradient [2][4][3]float64 // of class 0 it stays 0
	var shares [2][][]float64
	for i, a := range others {
		shares[i] = s.sharesOfClasses(a)
	}
	total := 0.0
	for step := 0; ; step++ {
		gradient, total = [2][4][3]float64{}, 0
		for a := range counts {
			for b, of := range counts[a] {
				n, sum := of[0]+of[1]+of[2], 0.0
				total += n
				for y := range 3 {
					p[a][b][y] = math.Exp(theta[0][a][y] + theta[1][b][y])
					sum += p[a][b][y]
				}
				for y := range 3 {
					p[a][b][y] /= sum
					gradient[0][a][y] += n * (p[a][b][y] - shares[0][a][y])
					gradient[1][b][y] += n * (p[a][b][y] - shares[1][b][y])
				}
			}
		}
		if step == 20_000 {
			return p
		}
		for i := range theta {
			for v := range theta[i] {
				for y := 1; y < 3; y++ {
					x := theta[i][v][y]
					if slope := 0.0; i == 1 && ordered {
						if v > 0 {
							slope += x - theta[i][v-1][y]
						}
						if v < 3 {
							slope += x - theta[i][v+1][y]
						}
						x = 0.3*x + 0.7*slope
					}
					// as strong as for the model's number of records
					g := gradient[i][v][y] + penalty*total/s.model.Total*x
					theta[i][v][y] -= 2 * g / total
				}
			}
		}
	}
}

// TestOrdered: numbers and ordered categories have an order.
func TestOrdered(t *testing.T) {
	table := classed(2, []int{3, 4, 2, 3}, []uint32{0, 0, 0, 0})
	table.Schema().Attributes[3].Ordered = true
	params := logisticDefaults()
	in := testinput.Input(table, params, algorithms.Strict, 1, 1)
	s := must.Get(open(t.Context(), &in, params))
	for a, has := range []bool{false, true, false, true} {
		if got := s.ordered(a); got != has {
			t.Errorf("attribute %d has an order: %v", a, got)
		}
	}
}
