package metrics

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(measured{Info{
		Name: "ks-joint", Title: "Joint Kolmogorov-Smirnov distance", Unit: "fraction", Revision: 1,
		Source: "Peacock 1983, over boxes from the domain's lower corner only; for LeFevre et " +
			"al. 2006, section 6.3: uniform spread inside regions, the mean over pairs of " +
			"numeric attributes",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, jointDistance})
}

// maxJointCells bounds the grid of a pair of attributes: 32 MB of doubles.
const maxJointCells = 1 << 22

// jointDistance is how far a release's joint distribution of two attributes is from the truth: the
// Kolmogorov-Smirnov distance in two dimensions, over the boxes that begin at the domain's lower
// corner. A marginal that is right says little about it.
//
// It is taken between the published regions and all training rows, suppressed ones
// included, between 0 and 1. It takes time and memory linear in regions, rows and cells of a pair's
// grid. It is undefined without rows or published records; fewer than two numeric attributes in the
// regions and a grid of more than 4 million cells are errors.
func jointDistance(ctx context.Context, c Case) (float64, error) {
	regions := c.Release.Regions
	schema := c.Table.Schema()
	var dims []int
	for d, attribute := range regions.Attributes {
		if schema.Attributes[attribute].Kind == datasets.Numeric &&
			(regions.Axes == nil || regions.Axes[d] == nil) {
			dims = append(dims, d)
		}
	}
	if len(dims) < 2 {
		return 0, fmt.Errorf("%d numeric attributes are generalised, must be at least 2", len(dims))
	}
	sum, pairs := 0.0, 0
	for i, first := range dims {
		for _, second := range dims[:i] {
			distance, err := jointPair(ctx, c, second, first)
			if err != nil {
				return 0, err
			}
			sum += distance
			pairs++
		}
	}
	return sum / float64(pairs), nil
}

// jointPair is the distance on two dimensions of the regions; NaN where a side has no records.
func jointPair(ctx context.Context, c Case, first, second int) (float64, error) {
	regions, schema := c.Release.Regions, c.Table.Schema()
	a, b := regions.Attributes[first], regions.Attributes[second]
	rows, columns := schema.Attributes[a].Cells(), schema.Attributes[b].Cells()
	if rows > maxJointCells/columns {
		return 0, fmt.Errorf("%s and %s have %d x %d cells, must be at most %d",
			schema.Attributes[a].Name, schema.Attributes[b].Name, rows, columns, maxJointCells)
	}
	// A box of density d adds d at its lower corner and takes it away beyond its sides; summing
	// along both dimensions spreads it over the box, summing once more gives the distribution
	// function.
	width := columns + 1
	published := make([]float64, (rows+1)*width)
	truth := make([]int64, (rows+1)*width)
	mass := 0.0
	for r, n := range publishedSizes(regions) {
		mass += n
		low, high := regions.Interval(r, first)
		fromRow, toRow := int(low), int(high)
		low, high = regions.Interval(r, second)
		fromColumn, toColumn := int(low), int(high)
		density := n / float64((toRow-fromRow)*(toColumn-fromColumn))
		published[fromRow*width+fromColumn] += density
		published[fromRow*width+toColumn] -= density
		published[toRow*width+fromColumn] -= density
		published[toRow*width+toColumn] += density
	}
	one, other := c.Table.Column(a), c.Table.Column(b)
	for i, row := range c.Train {
		if i%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return 0, err
			}
		}
		truth[int(one.At(row))*width+int(other.At(row))]++
	}
	if len(c.Train) == 0 || !(mass > 0) {
		return math.NaN(), nil
	}
	accumulate(published, width)
	accumulate(published, width)
	accumulate(truth, width)
	most := 0.0
	for i, n := range published {
		most = max(most, math.Abs(n/mass-float64(truth[i])/float64(len(c.Train))))
	}
	return most, nil
}

// accumulate replaces each cell of a grid by the sum over all cells with no larger row and column.
func accumulate[N int64 | float64](grid []N, width int) {
	for start := 0; start < len(grid); start += width {
		var sum N
		for i := start; i < start+width; i++ {
			sum += grid[i]
			grid[i] = sum
			if start > 0 {
				grid[i] += grid[i-width]
			}
		}
	}
}
