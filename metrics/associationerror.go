package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/datasets"
)

func init() {
	Register(measured{Info{
		Name: "association-error", Title: "Error of associations", Revision: 1, Records: true,
		Source: "absolute difference, over pairs of attributes, between published records and " +
			"rows released: of Pearson's correlation between numbers, the correlation ratio " +
			"between a number and a category, and Cramér's V, corrected for its bias " +
			"(Bergsma 2013), between categories",
	}, associationError})
}

// associationError is the mean over all pairs. It is undefined without rows or published records
// and for a single attribute.
func associationError(ctx context.Context, c Case) (float64, error) {
	pairs, err := Associations(ctx, c)
	sum := 0.0
	for _, pair := range pairs {
		sum += pair.Error()
	}
	return sum / float64(len(pairs)), err
}

// Association is how a pair of attributes hangs together in the rows released and in the published
// records: from -1 to 1 between numbers, else from 0 to 1; 0 where one does not vary.
type Association struct {
	First     string  `json:"first"`
	Second    string  `json:"second"`
	Original  float64 `json:"original"`
	Published float64 `json:"published"`
}

// Error is by how much the published association is off.
func (a Association) Error() float64 { return math.Abs(a.Original - a.Published) }

// Associations are those of all pairs of attributes, the worst published first. There are none
// without rows or published records, which must be drawn. A pair of categories with more than 4
// million combinations is an error.
func Associations(ctx context.Context, c Case) ([]Association, error) {
	type key struct{}
	original, err := memoize(ctx, c.Truth, key{}, func() ([]Association, error) {
		return associate(ctx, c.Table, c.Train, nil)
	})
	if err != nil {
		return nil, err
	}
	return memoize(ctx, c.Published, key{}, func() ([]Association, error) {
		table := c.Release.Table
		pairs, err := associate(ctx, table, table.AllRows(), c.Release.Weights)
		if err != nil || pairs == nil || original == nil {
			return nil, err
		}
		for i := range pairs {
			pairs[i].Published, pairs[i].Original = pairs[i].Original, original[i].Original
		}
		slices.SortStableFunc(pairs, func(a, b Association) int {
			return cmp.Compare(b.Error(), a.Error())
		})
		return pairs, nil
	})
}

// feature is an attribute's values, row by row: deviations from the mean and the sum of their
// squares, or codes and the weight of each.
type feature struct {
	numbers []float64
	squares float64
	codes   []int32
	masses  []float64
}

// associate is the associations of all pairs, in Original; nil without any weight. weights are by
// table row.
func associate(ctx context.Context, table *datasets.Table, rows []int32,
	weights []float64) ([]Association, error) {
	of, mass := make([]float64, len(rows)), 0.0
	for i, row := range rows {
		of[i] = weightOf(weights, row)
		mass += of[i]
	}
	if !(mass > 0) {
		return nil, nil
	}
	attributes := table.Schema().Attributes
	features := make([]feature, len(attributes))
	pairs := []Association{}
	for a := range attributes {
		features[a] = newFeature(table, rows, a, of)
		for b := range a {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			x, y := &features[b], &features[a]
			if len(x.masses) > 0 && len(y.masses) > maxMarginalCells/len(x.masses) {
				return nil, fmt.Errorf("%s and %s have more than %d combinations of values",
					attributes[b].Name, attributes[a].Name, maxMarginalCells)
			}
			pairs = append(pairs, Association{First: attributes[b].Name,
				Second: attributes[a].Name, Original: associationOf(x, y, of, mass)})
		}
	}
	return pairs, nil
}

func newFeature(table *datasets.Table, rows []int32, a int, weights []float64) feature {
	if attribute := &table.Schema().Attributes[a]; attribute.Kind == datasets.Categorical {
		f := feature{codes: make([]int32, len(rows)), masses: make([]float64, attribute.Cells())}
		column := table.Column(a)
		for i, row := range rows {
			f.codes[i] = int32(column.At(row))
			f.masses[f.codes[i]] += weights[i]
		}
		return f
	}
	f, mass, mean := feature{numbers: make([]float64, len(rows))}, 0.0, 0.0
	for i, row := range rows {
		if f.numbers[i] = table.Number(row, a); f.numbers[i] == f.numbers[i] { // not missing
			mass += weights[i]
		}
	}
	for i, n := range f.numbers {
		if n == n {
			mean += float64(weights[i] / mass * n)
		}
	}
	most, least := math.Inf(-1), math.Inf(1)
	for i, n := range f.numbers {
		if n != n { // a missing number stands at the mean, where it adds to no association
			f.numbers[i] = 0
			continue
		}
		if weights[i] > 0 {
			most, least = max(most, n), min(least, n)
		}
		f.numbers[i] -= mean
		f.squares += float64(weights[i] * f.numbers[i] * f.numbers[i])
	}
	if most == least {
		f.squares = 0 // what is left is rounding of the mean
	}
	return f
}

// associationOf is Pearson's correlation of two numbers, the correlation ratio of a number by a
// category, or the corrected Cramér's V of two categories, over records of the given weights.
func associationOf(x, y *feature, weights []float64, mass float64) float64 {
	switch {
	case x.codes == nil && y.codes == nil:
		if !(x.squares > 0 && y.squares > 0) {
			return 0
		}
		sum := 0.0
		for i, w := range weights {
			sum += float64(w * x.numbers[i] * y.numbers[i])
		}
		return max(-1, min(1, sum/math.Sqrt(x.squares)/math.Sqrt(y.squares)))
	case x.codes == nil:
		return correlationRatio(y, x, weights)
	case y.codes == nil:
		return correlationRatio(x, y, weights)
	}
	return cramer(x, y, weights, mass)
}

func correlationRatio(category, number *feature, weights []float64) float64 {
	if !(number.squares > 0) {
		return 0
	}
	sums := make([]float64, len(category.masses))
	for i, code := range category.codes {
		sums[code] += float64(weights[i] * number.numbers[i])
	}
	between := 0.0
	for code, mass := range category.masses {
		if mass > 0 {
			between += float64(sums[code] / mass * sums[code])
		}
	}
	return math.Sqrt(min(1, between/number.squares))
}

// cramer counts the values that occur. Of one record there is nothing to correct.
func cramer(x, y *feature, weights []float64, mass float64) float64 {
	counts := make([]float64, len(x.masses)*len(y.masses))
	for i, code := range x.codes {
		counts[int(code)*len(y.masses)+int(y.codes[i])] += weights[i]
	}
	r, k, chi := 0.0, 0.0, 0.0 // chi is that square over the mass
	for _, b := range y.masses {
		if b > 0 {
			k++
		}
	}
	for i, a := range x.masses {
		if a > 0 {
			r++
			for j, b := range y.masses {
				if n := counts[i*len(y.masses)+j]; n > 0 {
					chi += float64(n / a * (n / b))
				}
			}
		}
	}
	if !(mass > 1) {
		return 0
	}
	excess := chi - 1 - float64((r-1)*(k-1))/(mass-1)
	least := min(r-1-float64((r-1)*(r-1))/(mass-1), k-1-float64((k-1)*(k-1))/(mass-1))
	if !(excess > 0 && least > 0) {
		return 0
	}
	return math.Sqrt(min(1, excess/least))
}
