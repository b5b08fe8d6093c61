package partition

import (
	"context"
	"math"

	"ppdp/datasets"
	"ppdp/random"
)

// draw replaces the quasi-identifiers of records, which are the input's rows region after region,
// by values drawn from their regions. The table is not published yet, so its columns may be
// written.
func (g *Generalised) draw(ctx context.Context, records *datasets.Table, from Records,
	stream *random.Stream) error {
	low, high := g.Regions.Low, g.Regions.High
	if from != Box {
		low, high = g.Regions.TightLow, g.Regions.TightHigh
	}
	dims := len(g.Regions.Attributes)
	if len(g.Rows)*dims >= manyValues {
		var stop func()
		stream, stop = stream.Ahead()
		defer stop()
	}
	drawer, intervals := newDrawer(g.Ends, stream, true), make([]interval, len(g.Ends))
	for d, attribute := range g.Regions.Attributes {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, column := &records.Schema().Attributes[attribute], records.Column(attribute)
		var mean []float64
		if from == Mean && a.Kind == datasets.Numeric {
			mean = g.Regions.Means
		}
		switch {
		case column.U8 != nil:
			fill(drawer, column.U8, column.Exact, a, g.Ends, low, high, mean, d, dims,
				intervals)
		case column.U16 != nil:
			fill(drawer, column.U16, column.Exact, a, g.Ends, low, high, mean, d, dims,
				intervals)
		default:
			fill(drawer, column.U32, column.Exact, a, g.Ends, low, high, mean, d, dims,
				intervals)
		}
	}
	return nil
}

// order draws what each record changes places with, the last first, so that the records of each
// region are in random order. Their places lead back to the input's order, in which a list sorted
// by age links sensitive values with certainty.
func (g *Generalised) order(stream *random.Stream) []int32 {
	others := make([]int32, len(g.Rows))
	start := int32(0)
	for _, end := range g.Ends {
		for last := end - 1; last >= start; last-- {
			others[last] = start
			if last > start {
				others[last] += int32(stream.Uint32N(uint32(last-start) + 1))
			}
		}
		start = end
	}
	return others
}

// shuffle makes the changes of order, in place.
func shuffle(records *datasets.Table, others []int32) {
	columns := len(records.Schema().Attributes)
	together(len(others)*columns, columns, func(i int) error {
		column := records.Column(i)
		switch {
		case column.U8 != nil:
			exchange(column.U8, others)
		case column.U16 != nil:
			exchange(column.U16, others)
		default:
			exchange(column.U32, others)
		}
		if column.Exact != nil {
			exchange(column.Exact, others)
		}
		return nil
	})
}

func exchange[T any](values []T, others []int32) {
	for last := len(others) - 1; last >= 0; last-- {
		other := others[last]
		values[last], values[other] = values[other], values[last]
	}
}

// fill draws one attribute: the mean where it is given, else uniformly from [low, high).
func fill[T uint8 | uint16 | uint32](d *drawer, codes []T, exact []float64, a *datasets.Attribute,
	ends []int32, low, high []uint32, mean []float64, dim, dims int, intervals []interval) {
	start, needed := int32(0), 0
	for region, end := range ends {
		from, to := low[region*dims+dim], high[region*dims+dim]
		switch {
		case mean != nil:
			code, number := nearest(a, mean[region*dims+dim], from, to)
			intervals[region] = single(code)
			if exact != nil {
				for row := start; row < end; row++ {
					exact[row] = number
				}
			}
		case exact != nil:
			for row := start; row < end; row++ {
				code, number := within(a, from, to, d.stream.Open01())
				codes[row], exact[row] = T(code), number
			}
		default:
			intervals[region] = half(from, to)
			needed += int(end-start) * int(intervals[region].draws)
		}
		start = end
	}
	if exact == nil || mean != nil {
		draw(d, codes, intervals, needed)
	}
}

// within returns the number at share u of the cells [low, high), and its cell.
func within(a *datasets.Attribute, low, high uint32, u float64) (uint32, float64) {
	from := a.Low + float64(float64(low)*a.Step)
	// the last cell may reach beyond the bounds
	to := min(a.Low+float64(float64(high)*a.Step), a.High)
	number := from + float64(u*(to-from))
	code, err := a.NumberCode(number)
	if err != nil || code < low || code >= high { // rounded over an end of the interval
		code = low
		number = a.Number(low)
	}
	return code, number
}

// nearest returns the value closest to a mean of values in the cells [low, high), and its cell.
func nearest(a *datasets.Attribute, mean float64, low, high uint32) (uint32, float64) {
	if a.Continuous {
		if code, err := a.NumberCode(mean); err == nil && code >= low && code < high {
			return code, mean
		}
		return low, a.Number(low)
	}
	cell := math.Round((mean - a.Low) / a.Step)
	code := uint32(min(max(cell, float64(low)), float64(high-1)))
	return code, a.Number(code)
}
