package metrics

import (
	"cmp"
	"math"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/radix"
)

// Sample is an empirical distribution on the line. Values ascend (equal ones may repeat); Weights
// are their masses in the same order, finite and at least 0, in any unit; nil means 1 each. Two
// samples that are compared need not have the same size or the same total mass: each is scaled to
// a probability distribution. Whole-numbered masses whose totals multiply to less than 2⁵³ are
// handled without rounding.
type Sample struct {
	Values  []float64
	Weights []float64
}

// Mass is the sum of the weights.
func (s *Sample) Mass() float64 {
	if s.Weights == nil {
		return float64(len(s.Values))
	}
	sum := 0.0
	for _, w := range s.Weights {
		sum += w
	}
	return sum
}

// weight is the mass of value i.
func (s *Sample) weight(i int) float64 {
	if s.Weights == nil {
		return 1
	}
	return s.Weights[i]
}

// mean is NaN without mass.
func (s *Sample) mean() float64 {
	sum := 0.0
	for i, value := range s.Values {
		sum += float64(value * s.weight(i))
	}
	return sum / s.Mass()
}

// quantile is the least value that a share q of the mass does not exceed, NaN without mass.
func (s *Sample) quantile(q float64) float64 {
	below, wanted := 0.0, float64(q*s.Mass())
	for i, value := range s.Values {
		if below += s.weight(i); below >= wanted && below > 0 {
			return value
		}
	}
	if last := len(s.Values) - 1; below > 0 { // the shares add up to less by rounding
		return s.Values[last]
	}
	return math.NaN()
}

// degreeSample is the distribution of a degree sequence, which ascends.
func degreeSample(degrees []int32) Sample {
	var sample Sample
	for i, d := range degrees {
		if i == 0 || d != degrees[i-1] {
			sample.Values, sample.Weights = append(sample.Values,
				float64(d)), append(sample.Weights, 0)
		}
		sample.Weights[len(sample.Weights)-1]++
	}
	return sample
}

// countingFactor bounds the cells a column may have for its rows to be counted instead of sorted:
// at this many cells a row, walking the cells costs about what sorting the rows would.
const countingFactor = 8

// columnSample is the distribution of a numeric attribute over some rows of a table: the exact
// values where the table keeps them, else the values the codes stand for. weights are by table
// row, nil for 1 each.
func columnSample(table *datasets.Table, attribute int, rows []int32, weights []float64) Sample {
	rows = table.Present(rows, attribute)
	column, a := table.Column(attribute), &table.Schema().Attributes[attribute]
	if cells := a.Cells(); column.Exact == nil && cells <= countingFactor*len(rows) {
		return countedSample(column, a, cells, rows, weights)
	}
	if weights == nil {
		values := make([]float64, len(rows))
		for i, row := range rows {
			values[i] = table.Number(row, attribute)
		}
		radix.Floats(values)
		return Sample{Values: values}
	}
	type weighted struct{ value, weight float64 }
	pairs := make([]weighted, len(rows))
	for i, row := range rows {
		pairs[i] = weighted{table.Number(row, attribute), weights[row]}
	}
	// Stable, so that equal values keep the order of rows and sums of weights are the same
	// everywhere.
	slices.SortStableFunc(pairs, func(a, b weighted) int { return cmp.Compare(a.value, b.value) })
	sample := Sample{Values: make([]float64, len(rows)), Weights: make([]float64, len(rows))}
	for i, p := range pairs {
		sample.Values[i], sample.Weights[i] = p.value, p.weight
	}
	return sample
}

// countedSample is columnSample by counting the rows of each cell instead of sorting them. It adds
// weights in the order of the rows, as every sum of them must.
func countedSample(column *datasets.Column, a *datasets.Attribute, cells int, rows []int32,
	weights []float64) Sample {
	mass := make([]float64, cells)
	for _, row := range rows {
		mass[column.At(row)] += weightOf(weights, row)
	}
	var sample Sample
	for code, m := range mass {
		if m > 0 {
			sample.Values = append(sample.Values, a.Number(uint32(code)))
			sample.Weights = append(sample.Weights, m)
		}
	}
	return sample
}
