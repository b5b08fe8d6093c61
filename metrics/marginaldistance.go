package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[*MarginalDistanceParams]{Info{
		Name: "marginal-distance", Title: "Distance of marginals", Unit: "fraction", Revision: 1,
		Source: "McKenna, Mullins, Sheldon & Miklau 2022, section 6: total variation between the " +
			"marginals of the published records and of the rows released, the mean over all sets " +
			"of so many attributes",
		Needs: []algorithms.Product{algorithms.RecordsProduct},
	}, func() *MarginalDistanceParams {
		return &MarginalDistanceParams{Attributes: 2, Bins: 24}
	}, marginalDistance})
}

// MarginalDistanceParams are the parameters of the metric marginal-distance.
type MarginalDistanceParams struct {
	Attributes int  `yaml:"attributes" doc:"how many attributes a marginal has" min:"1" max:"3"`
	Class      bool `yaml:"class" doc:"measure only the sets that have the class among them"`
	Bins       int  `yaml:"bins" doc:"how many bins of its public domain a numeric attribute is cut into; one of fewer cells keeps its cells" min:"1" max:"256"`
}

// Validate reports everything out of range.
func (p *MarginalDistanceParams) Validate() error {
	return errors.Join(algorithms.CheckRange("attributes", p.Attributes, 1, 3),
		algorithms.CheckRange("bins", p.Bins, 1, 256))
}

// maxMarginalCells bounds a marginal: 32 MB of doubles.
const maxMarginalCells = 1 << 22

// binned is a table's rows by attribute, as small numbers.
type binned struct {
	sizes   []int
	columns [][]int32
	weights []float64 // nil for 1 each
	mass    float64
}

func bin(table *datasets.Table, rows []int32, weights []float64, bins int) *binned {
	attributes := table.Schema().Attributes
	b := &binned{make([]int, len(attributes)), make([][]int32, len(attributes)), weights,
		float64(len(rows))}
	if weights != nil {
		b.mass = 0
		for _, w := range weights {
			b.mass += w
		}
	}
	for a := range attributes {
		cells := attributes[a].Cells()
		b.sizes[a] = cells
		if attributes[a].Kind == datasets.Numeric {
			b.sizes[a] = min(cells, bins)
		}
		column, codes := table.Column(a), make([]int32, len(rows))
		for i, row := range rows {
			codes[i] = int32(uint64(column.At(row)) * uint64(b.sizes[a]) / uint64(cells))
		}
		b.columns[a] = codes
	}
	return b
}

// extend adds an attribute to a marginal: from former, each row's cell of the marginal without it,
// it writes each row's cell of the marginal with it to at.
func (b *binned) extend(at, former []int32, attribute int) {
	size := int32(b.sizes[attribute])
	for i, code := range b.columns[attribute] {
		at[i] = former[i]*size + code
	}
}

// marginal adds an attribute to a marginal, as extend does, and counts the rows in each cell.
func (b *binned) marginal(counts []float64, former []int32, attribute int) {
	clear(counts)
	size, column := int32(b.sizes[attribute]), b.columns[attribute]
	former = former[:len(column)]
	if b.weights == nil {
		for i, code := range column {
			counts[former[i]*size+code]++
		}
		return
	}
	for i, code := range column {
		counts[former[i]*size+code] += b.weights[i]
	}
}

// marginal is one marginal of a table, cell by cell, with its attributes' sizes, the last running
// fastest, and the sum of its cells.
type marginal struct {
	counts []float64
	sizes  []int
	mass   float64
}

// marginalDistance is half the L1 distance of the normalised marginals, as overMarginals has them.
func marginalDistance(ctx context.Context, c Case,
	params *MarginalDistanceParams) (float64, bool, error) {
	return overMarginals(ctx, c, params, func(truth, published marginal) float64 {
		distance := 0.0
		for cell, x := range truth.counts {
			distance += math.Abs(x/truth.mass - published.counts[cell]/published.mass)
		}
		return float64(distance / 2)
	})
}

// overMarginals averages a distance over all sets of params.Attributes attributes, or over the one
// set of all where there are fewer. It is undefined without rows or published records. A marginal
// of more than 4 million cells and, where it is asked for, a missing class are errors.
func overMarginals(ctx context.Context, c Case, params *MarginalDistanceParams,
	distance func(truth, published marginal) float64) (float64, bool, error) {
	schema := c.Table.Schema()
	class := schema.Class()
	if params.Class && class < 0 {
		return 0, false, errors.New("class: the table has no class attribute")
	}
	table, weights, err := publishedRecords(ctx, c)
	if err != nil {
		return 0, false, err
	}
	type key struct{ marginalBins int }
	truth, err := memoize(ctx, c.Truth, key{params.Bins}, func() (*binned, error) {
		return bin(c.Table, c.Train, nil, params.Bins), nil
	})
	if err != nil {
		return 0, false, err
	}
	published, err := memoize(ctx, c.Published, key{params.Bins}, func() (*binned, error) {
		return bin(table, table.AllRows(), weights, params.Bins), nil
	})
	if err != nil {
		return 0, false, err
	}
	if len(c.Train) == 0 || !(published.mass > 0) {
		return 0, false, nil
	}
	// The rows' cells of the marginals over the first attributes of a set, none, one and so on.
	var trueAt, publishedAt [3][]int32
	for n := range params.Attributes {
		trueAt[n], publishedAt[n] = make([]int32, len(c.Train)), make([]int32, table.Len())
	}
	var counts, other []float64
	sum, sets := 0.0, 0
	sizes := make([]int, 0, params.Attributes)
	measure := func(set []int) error {
		cells := 1
		sizes = sizes[:0]
		for _, a := range set {
			sizes = append(sizes, truth.sizes[a])
			if cells *= truth.sizes[a]; cells > maxMarginalCells {
				return fmt.Errorf("%s and others have a marginal of more than %d cells",
					schema.Attributes[a].Name, maxMarginalCells)
			}
		}
		if cap(counts) < cells {
			counts, other = make([]float64, cells), make([]float64, cells)
		}
		counts, other = counts[:cells], other[:cells]
		last := len(set) - 1
		truth.marginal(counts, trueAt[last], set[last])
		published.marginal(other, publishedAt[last], set[last])
		sum += distance(marginal{counts, sizes, truth.mass},
			marginal{other, sizes, published.mass})
		sets++
		return ctx.Err()
	}
	var visit func(set []int, from int) error
	size := min(params.Attributes, len(schema.Attributes))
	visit = func(set []int, from int) error {
		if len(set) == size {
			for _, a := range set {
				if a == class || !params.Class {
					return measure(set)
				}
			}
			return nil
		}
		for a := from; a < len(schema.Attributes); a++ {
			if n := len(set); n+1 < size {
				truth.extend(trueAt[n+1], trueAt[n], a)
				published.extend(publishedAt[n+1], publishedAt[n], a)
			}
			if err := visit(append(set, a), a+1); err != nil {
				return err
			}
		}
		return nil
	}
	if err := visit(make([]int, 0, size), 0); err != nil {
		return 0, false, err
	}
	return min(1, sum/float64(sets)), true, nil
}
