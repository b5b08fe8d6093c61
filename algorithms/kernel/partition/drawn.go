package partition

import (
	"context"
	"math"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// draw replaces the quasi-identifiers of records, which are the input's rows region after region,
// by values drawn from their regions. The table is not published yet, so its columns may be
// written.
func (g *Generalised) draw(ctx context.Context, records *datasets.Table, from Records,
	stream *random.Stream) error {
	f := filling{ends: g.Ends, dims: len(g.Regions.Attributes), low: g.Regions.Low,
		high: g.Regions.High}
	if from != Box {
		f.low, f.high = g.Regions.TightLow, g.Regions.TightHigh
	}
	if len(g.Rows)*f.dims >= manyValues {
		var stop func()
		stream, stop = stream.Ahead()
		defer stop()
	}
	f.drawer, f.intervals = newDrawer(g.Ends, stream, true), make([]interval, len(g.Ends))
	for d, attribute := range g.Regions.Attributes {
		if err := ctx.Err(); err != nil {
			return err
		}
		column := records.Column(attribute)
		codedOf(column).fill(&f, d, &records.Schema().Attributes[attribute], column.Exact)
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
		codedOf(column).exchange(others)
		if column.Exact != nil {
			exchange(column.Exact, others)
		}
		return nil
	})
}

// filling is what the attributes of a generalisation's records are drawn from.
type filling struct {
	ends      []int32  // where the records of each region end
	dims      int      // of the regions
	low, high []uint32 // the interval [low, high) of region r on dimension d, at r·dims + d
	drawer    *drawer
	intervals []interval // scratch, one for each region
}

// fill draws one attribute uniformly from [low, high).
func (codes width[T]) fill(f *filling, d int, a *datasets.Attribute, exact []float64) {
	start, needed := int32(0), 0
	for region, end := range f.ends {
		at := region*f.dims + d
		from, to := f.low[at], f.high[at]
		f.intervals[region] = half(from, to)
		needed += int(end-start) * int(f.intervals[region].draws)
		for row := start; row < end && exact != nil; row++ {
			code, number := within(a, from, to, f.drawer.stream.Open01())
			codes[row], exact[row] = T(code), number
		}
		start = end
	}
	if exact == nil {
		draw(f.drawer, codes, f.intervals, needed)
	}
}

// within returns the number at share u of the cells [low, high), and its cell.
func within(a *datasets.Attribute, low, high uint32, u float64) (uint32, float64) {
	if missing := a.MissingCode(); high > missing { // one of the cells
		numbers := float64(missing-low) / float64(high-low)
		if u >= numbers {
			return missing, math.NaN()
		}
		u, high = u/numbers, missing
	}
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
