package partition

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// synthesize draws records from regions: tuples[r·Classes+y] records of class y from the box of
// region r, attributes independent of each other, in the order of regions and classes. It is
// post-processing and costs no budget. Attributes that are neither a dimension of the regions nor
// the class are drawn from their whole public domain. On a continuous attribute the value is a
// real number inside the box, kept as Column.Exact. The table has the given schema.
func synthesize(ctx context.Context, schema *datasets.Schema, regions *algorithms.Regions,
	tuples []int, values Values, stream *random.Stream) (*datasets.Table, error) {
	if want := regions.Len() * regions.Classes; len(tuples) != want {
		return nil, fmt.Errorf("%d tuple counts for %d regions of %d classes", len(tuples),
			regions.Len(), regions.Classes)
	}
	total := 0
	for _, n := range tuples {
		total += n
	}
	if total > math.MaxInt32 {
		return nil, fmt.Errorf("%w: %d synthetic records, rows are numbered up to %d",
			algorithms.ErrTooLarge, total, math.MaxInt32)
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
	if total*len(schema.Attributes) >= manyValues {
		var stop func()
		stream, stop = stream.Ahead()
		defer stop()
	}
	filled := newFilled(regions, tuples, min(total, regions.Len()), stream)
	for i := range schema.Attributes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if i == classAttribute && dims[i] < 0 {
			row := 0
			for at, n := range tuples {
				for range n {
					b.Set(row, i, uint32(at%regions.Classes))
					row++
				}
			}
		} else {
			filled.draw(b, i, &schema.Attributes[i], dims[i], values)
		}
	}
	return b.Table(), nil
}

// filled are the regions that records are drawn from. Most of a large partition may have none, and
// the boxes of the others lie far apart in memory: an attribute's bounds are collected before the
// draws, when nothing keeps the machine from fetching many at a time.
type filled struct {
	regions   *algorithms.Regions
	numbers   []int32 // of the regions,
	ends      []int32 // and where the records of each end
	intervals []interval
	drawer    *drawer
}

// newFilled lists the regions that have records, of which there are at most most.
func newFilled(regions *algorithms.Regions, tuples []int, most int,
	stream *random.Stream) *filled {
	f := &filled{regions: regions, numbers: make([]int32, 0, most), ends: make([]int32, 0, most)}
	end := 0
	for region := range regions.Len() {
		n := 0
		for _, m := range tuples[region*regions.Classes : (region+1)*regions.Classes] {
			n += m
		}
		if n > 0 {
			end += n
			f.numbers = append(f.numbers, int32(region))
			f.ends = append(f.ends, int32(end))
		}
	}
	f.intervals = make([]interval, len(f.numbers))
	f.drawer = newDrawer(f.ends, stream, false)
	return f
}

// bounds is the interval of a region on a dimension, or the attribute's whole domain for -1.
func (f *filled) bounds(i int, a *datasets.Attribute, dim int) (low, high uint32) {
	if dim < 0 {
		return 0, uint32(a.Cells())
	}
	return f.regions.Interval(int(f.numbers[i]), dim)
}

// draw draws one attribute of all rows. dim is its dimension, or -1 for its whole domain.
func (f *filled) draw(b *datasets.Builder, attribute int, a *datasets.Attribute, dim int,
	values Values) {
	if a.Continuous {
		row := 0
		for i, end := range f.ends {
			for low, high := f.bounds(i, a, dim); row < int(end); row++ {
				fillContinuous(b, row, attribute, a, low, high, values, f.drawer.stream)
			}
		}
		return
	}
	var axis *datasets.Axis
	if dim >= 0 && f.regions.Axes != nil {
		axis = f.regions.Axes[dim]
	}
	needed, start := 0, int32(0)
	for i, end := range f.ends {
		low, high := f.bounds(i, a, dim)
		switch {
		case axis != nil || a.Kind != datasets.Numeric || values == Uniform:
			f.intervals[i] = between(low, high)
		case values == Midpoint:
			f.intervals[i] = single(low + (high-low-1)/2)
		default:
			f.intervals[i] = single(low)
		}
		needed += int(end-start) * int(f.intervals[i].draws)
		start = end
	}
	codedOf(b.Column(attribute)).drawRanks(f.drawer, f.intervals, needed, axis)
}

// SetWithin sets an attribute of a row to a point of the interval of codes [low, high): of a
// numeric attribute the one that values says, of a categorical one a uniformly drawn member.
func SetWithin(b *datasets.Builder, row, attribute int, a *datasets.Attribute, low, high uint32,
	values Values, stream *random.Stream) {
	switch {
	case a.Continuous:
		fillContinuous(b, row, attribute, a, low, high, values, stream)
	case a.Kind == datasets.Numeric && values == Low:
		b.Set(row, attribute, low)
	case a.Kind == datasets.Numeric && values == Midpoint:
		b.Set(row, attribute, low+(high-low-1)/2)
	case high-low == 1:
		b.Set(row, attribute, low)
	default:
		b.Set(row, attribute, low+stream.Uint32N(high-low))
	}
}

// fillContinuous sets one real value of the box.
func fillContinuous(b *datasets.Builder, row, attribute int, a *datasets.Attribute, low,
	high uint32, values Values, stream *random.Stream) {
	if missing := a.MissingCode(); high > missing {
		// Missing numbers are one of the cells.
		if low == missing || stream.Uint32N(high-low) == 0 {
			b.Set(row, attribute, missing)
			return
		}
		high = missing
	}
	place := float64(low) // in cells from the lower bound of the domain
	switch values {
	case Uniform:
		place += float64(stream.Open01() * float64(high-low))
	case Midpoint:
		place += float64(float64(high-low) / 2)
	}
	value := a.Low + float64(place*a.Step)
	// An end of the box may be rounded into the cell beside it; the next number or two up or down
	// is inside again. (The last cell may also reach over the upper bound of the domain, by more.)
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
