package partition

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Values says which point of its interval stands for an ordered attribute of a drawn record.
// Categorical attributes always get a uniformly drawn member of the interval or taxonomy node.
type Values string

const (
	Uniform  Values = "uniform"  // a uniformly drawn point
	Midpoint Values = "midpoint" // the middle; of an even number of discrete cells the lower one
	Low      Values = "low"      // the lower end
)

// Synthesize draws records from regions: tuples[r·Classes+y] records of class y from the box of
// region r, attributes independent of each other, in the order of regions and classes. It is
// post-processing and costs no budget. Attributes that are neither a dimension of the regions nor
// the class are drawn from their whole public domain. On a continuous attribute the value is a
// real number inside the box, kept as Column.Exact. The table has the given schema.
func Synthesize(ctx context.Context, schema *datasets.Schema, regions *algorithms.Regions, tuples []int, values Values, stream *privacy.Stream) (*datasets.Table, error) {
	if want := regions.Len() * regions.Classes; len(tuples) != want {
		return nil, fmt.Errorf("%d tuple counts for %d regions of %d classes", len(tuples), regions.Len(), regions.Classes)
	}
	total := 0
	for _, n := range tuples {
		total += n
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d synthetic records, rows are numbered up to %d", algorithms.ErrTooLarge, total, math.MaxInt32)
	}
	b := datasets.NewBuilder(schema, total)
	for range total {
		b.AddRow()
	}
	classAttribute := schema.Class()
	dims := make([]int, len(schema.Attributes)) // the dimension of each attribute, or -1
	for i := range dims {
		dims[i] = -1
	}
	for d, attribute := range regions.Attributes {
		dims[attribute] = d
	}
	for i := range schema.Attributes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		switch {
		case i == classAttribute && dims[i] < 0:
			fillClass(b, i, regions.Classes, tuples)
		default:
			fill(b, i, &schema.Attributes[i], dims[i], regions, tuples, values, stream)
		}
	}
	return b.Table(), nil
}

// fillClass labels the rows.
func fillClass(b *datasets.Builder, attribute, classes int, tuples []int) {
	row := 0
	for i, n := range tuples {
		code := uint32(i % classes)
		for range n {
			b.Set(row, attribute, code)
			row++
		}
	}
}

// fill draws one attribute of all rows. dim is its dimension, or -1 for its whole domain.
func fill(b *datasets.Builder, attribute int, a *datasets.Attribute, dim int, regions *algorithms.Regions, tuples []int, values Values, stream *privacy.Stream) {
	dims, classes := len(regions.Attributes), regions.Classes
	low, high := uint32(0), uint32(a.Cells())
	var axis *datasets.Axis
	if dim >= 0 && regions.Axes != nil {
		axis = regions.Axes[dim]
	}
	row := 0
	for region := range regions.Len() {
		n := 0
		for _, m := range tuples[region*classes : (region+1)*classes] {
			n += m
		}
		if n == 0 {
			continue
		}
		if dim >= 0 {
			low, high = regions.Low[region*dims+dim], regions.High[region*dims+dim]
		}
		end := row + n
		switch {
		case a.Continuous:
			for ; row < end; row++ {
				fillContinuous(b, row, attribute, a, low, high, values, stream)
			}
		case axis != nil:
			for ; row < end; row++ {
				rank := low
				if high-low > 1 {
					rank += stream.Uint32N(high - low)
				}
				b.Set(row, attribute, axis.Code[rank])
			}
		case high-low == 1 || a.Kind == datasets.Numeric && values != Uniform:
			code := low
			if values == Midpoint {
				code = low + (high-low-1)/2
			}
			for ; row < end; row++ {
				b.Set(row, attribute, code)
			}
		default:
			for ; row < end; row++ {
				b.Set(row, attribute, low+stream.Uint32N(high-low))
			}
		}
	}
}

// fillContinuous sets one real value of the box.
func fillContinuous(b *datasets.Builder, row, attribute int, a *datasets.Attribute, low, high uint32, values Values, stream *privacy.Stream) {
	place := float64(low) // in cells from the lower bound of the domain
	switch values {
	case Uniform:
		place += float64(stream.Open01() * float64(high-low))
	case Midpoint:
		place += float64(high-low) / 2
	}
	value := a.Low + float64(place*a.Step)
	// An end of the box may be rounded into the cell beside it; the next number or two up or down is
	// inside again. (The last cell may also reach over the upper bound of the domain, by more.)
	for range 4 {
		code, err := a.NumberCode(value)
		switch {
		case err == nil && code >= low && code < high:
			if b.SetNumber(row, attribute, value) == nil {
				return
			}
		case err == nil && code < low, err != nil && value < a.Low:
			value = math.Nextafter(value, math.Inf(1))
		default:
			value = math.Nextafter(value, math.Inf(-1))
		}
	}
	b.Set(row, attribute, min(max(uint32(place), low), high-1))
}
