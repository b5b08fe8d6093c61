package aim

import (
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/random"
)

// classed is a table of attributes with so many values each, of which one is the class.
func classed(class int, sizes []int, rows ...[]uint32) *datasets.Table {
	schema := &datasets.Schema{}
	for a, n := range sizes {
		attribute := datasets.Attribute{Name: fmt.Sprint("a", a), High: float64(n), Step: 1}
		if a == class {
			attribute = testinput.Class(n)
		}
		schema.Attributes = append(schema.Attributes, attribute)
	}
	return testinput.Table(schema, rows...)
}

// TestDrawnLabels: where the class depends on two attributes by a logistic regression, labels at a
// huge epsilon have its probabilities for each pair of values, within six standard deviations and
// what the prior takes. A release from the marginals with the class alone would not: the attributes
// depend on each other. Weights add up to the table's records.
func TestDrawnLabels(t *testing.T) {
	const n, copies = 20000, 5
	scores := [][][]float64{ // of classes 1 and 2, by attribute and value
		{{-1, 0.5, 1.5}, {0, -1, -0.5, 1}},
		{{0.5, 0.5, -1}, {1, 0, -2, 0.5}},
	}
	probability := func(a, b uint32) []float64 {
		z := []float64{0, scores[0][0][a] + scores[0][1][b], scores[1][0][a] + scores[1][1][b]}
		sum := 0.0
		for k := range z {
			z[k] = math.Exp(z[k])
			sum += z[k]
		}
		for k := range z {
			z[k] /= sum
		}
		return z
	}
	for class := range 3 {
		stream := random.NewKey(uint64(class)).Stream()
		records := make([][]uint32, n)
		others := [][]int{{1, 2}, {0, 2}, {0, 1}}[class]
		for i := range records {
			a := stream.Uint32N(3)
			b := a
			if stream.Open01() < 0.5 {
				b = stream.Uint32N(4)
			}
			u, y := stream.Open01(), uint32(0)
			for k, p := range probability(a, b) {
				if u -= p; u < 0 {
					y = uint32(k)
					break
				}
			}
			records[i] = make([]uint32, 3)
			records[i][others[0]], records[i][others[1]], records[i][class] = a, b, y
		}
		sizes := []int{0, 0, 0}
		sizes[others[0]], sizes[others[1]], sizes[class] = 3, 4, 3
		table := classed(class, sizes, records...)
		p := Logistic{}.Params().(*LogisticParams)
		p.Copies = copies
		release := testinput.LazyRelease(t, Logistic{},
			testinput.Input(table, p, algorithms.Strict, 1e3, 1))
		var counts [3][4][3]float64
		total := 0.0
		for row := range int32(release.Table.Len()) {
			at := func(a int) uint32 { return release.Table.Column(a).At(row) }
			counts[at(others[0])][at(others[1])][at(class)]++
			total += release.Weights[row]
		}
		if math.Abs(total-n) > 1e-6 {
			t.Errorf("records of weight %v", total)
		}
		for a := range counts {
			for b, of := range counts[a] {
				sum := of[0] + of[1] + of[2]
				for k, want := range probability(uint32(a), uint32(b)) {
					// of the table's labels and of those drawn
					sd := math.Sqrt(want * (1 - want) / sum * (copies + 1))
					if got := of[k] / sum; math.Abs(got-want) > 6*sd+0.005 {
						t.Errorf("class %d of %d, %d: share %.4f, want %.4f", k, a, b, got, want)
					}
				}
			}
		}
	}
}

// TestNothingToPredict: without a class, or a class of one value, records are AIM's.
func TestNothingToPredict(t *testing.T) {
	for _, table := range []struct {
		class int
		sizes []int
	}{{1, []int{3, 1}}, {0, []int{2}}} {
		row := make([]uint32, len(table.sizes))
		records := [][]uint32{row, row, row}
		in := testinput.Input(classed(table.class, table.sizes, records...),
			Logistic{}.Params(), algorithms.Strict, 100, 1)
		if release := testinput.LazyRelease(t, Logistic{}, in); release.Table.Len() != 30 {
			t.Errorf("%+v: %d records", table, release.Table.Len())
		}
	}
}
