package partition

import (
	"context"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Records says where a published record's quasi-identifiers come from. The paper publishes ranges
// and is silent about records; Qardaji & Li 2012 train classifiers on them without saying how.
type Records string

const (
	// Box draws every value uniformly from the region's box, which reaches to the next cuts.
	Box Records = "box"
	// Range draws every value uniformly from the tight range of the region's own records.
	Range Records = "range"
)

func (Records) Enum() []string { return algorithms.Words(Box, Range) }

// Generalised is a partition of all rows of a table into regions, on its way to a release under
// k-anonymity: a generalised table with statistics, and records drawn from it.
type Generalised struct {
	// Regions have boxes, and TightLow and TightHigh as far as they are known (Unknown), or nil.
	Regions *algorithms.Regions
	Rows    []int32 // all rows, region after region, ascending within a region
	Ends    []int32 // where each region ends in Rows
}

// End notes that the next region has n rows.
func (g *Generalised) End(n int) {
	if done := len(g.Ends); done > 0 {
		n += int(g.Ends[done-1])
	}
	g.Ends = append(g.Ends, int32(n))
}

// Unknown stands for the upper end of a tight range that was not measured; no range ends at 0.
const Unknown = 0

// InOrder lists rows in the order of the table, so that a partition depends on which they are and
// not on how the caller lists them. Copied together they are also close in memory: all rows of the
// table that is returned are meant. order is the place of each in the caller's list, nil where
// that is the order of the table.
func InOrder(table *datasets.Table, rows []int32) (of *datasets.Table, all []int32, order []int) {
	if whole(rows, table.Len()) {
		return table, rows, nil
	}
	if !slices.IsSorted(rows) {
		order = make([]int, len(rows))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return int(rows[i]) - int(rows[j]) })
		sorted := make([]int32, len(rows))
		for i, at := range order {
			sorted[i] = rows[at]
		}
		rows = sorted
	}
	of = table.Select(rows)
	return of, of.AllRows(), order
}

// Publish fills in the statistics of the regions, whose classes have counts of 0 so far, and draws
// a record for each row of the table. The records are in the order of the regions and shuffled
// within each, so that their place does not lead back to a row. order is InOrder's.
func (g *Generalised) Publish(ctx context.Context, table *datasets.Table, order []int,
	from Records, noise *random.Streams) (*algorithms.Release, error) {
	g.Regions.Assignment = g.assignment(order)
	records := table.Select(g.Rows)
	g.summarise(records)
	// Each of the two has a stream of its own, and only one needs the records.
	draws, places := noise.Open("records"), noise.Open("order of records")
	var others []int32
	err := together(len(g.Rows)*len(g.Regions.Attributes), 2, func(i int) (err error) {
		if i == 0 {
			err = g.draw(ctx, records, from, draws)
		} else {
			others = g.order(places)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	shuffle(records, others)
	return &algorithms.Release{Table: records, Regions: g.Regions}, nil
}

// assignment is the region of each row, at its place in order.
func (g *Generalised) assignment(order []int) []int32 {
	assigned := make([]int32, len(g.Rows))
	start := int32(0)
	for region, end := range g.Ends {
		for _, row := range g.Rows[start:end] {
			if order != nil {
				row = int32(order[row])
			}
			assigned[row] = int32(region)
		}
		start = end
	}
	return assigned
}

// whole reports whether rows are all rows of a table in order.
func whole(rows []int32, n int) bool {
	if len(rows) != n {
		return false
	}
	for i, row := range rows {
		if int(row) != i {
			return false
		}
	}
	return true
}

// summarise fills in the regions' statistics (paper, section 5): tight ranges, means and exact
// class counts. records are the table's rows, region after region.
func (g *Generalised) summarise(records *datasets.Table) {
	schema, regions := records.Schema(), g.Regions
	if regions.TightHigh == nil { // all Unknown
		regions.TightLow = make([]uint32, len(regions.Low))
		regions.TightHigh = make([]uint32, len(regions.Low))
	}
	regions.Means = make([]float64, len(regions.Low))
	together(len(g.Rows)*len(regions.Attributes), len(regions.Attributes), func(d int) error {
		attribute := regions.Attributes[d]
		column := records.Column(attribute)
		codedOf(column).summarise(g, d, &schema.Attributes[attribute], column.Exact)
		return nil
	})
	class := schema.Class()
	start := int32(0)
	for region, end := range g.Ends {
		counts := regions.Count(region)
		if class < 0 {
			counts[0] = float64(end - start)
		} else {
			column := records.Column(class)
			for row := start; row < end; row++ {
				counts[column.At(row)]++
			}
		}
		start = end
	}
}

// summarise bounds the codes of each region on dimension d, where that is not known already, and
// averages its numbers: the exact ones where the table keeps them.
func (codes width[T]) summarise(g *Generalised, d int, a *datasets.Attribute, exact []float64) {
	r, dims, start := g.Regions, len(g.Regions.Attributes), int32(0)
	missing := a.MissingCode() // which means leave out
	for region, end := range g.Ends {
		at := region*dims + d
		if r.TightHigh[at] == Unknown {
			lowest := uint32(codes[start])
			highest := lowest
			for _, code := range codes[start:end] {
				lowest, highest = min(lowest, uint32(code)), max(highest, uint32(code))
			}
			r.TightLow[at], r.TightHigh[at] = lowest, highest+1
		}
		value := math.NaN()
		switch n := float64(end - start); {
		case a.Kind == datasets.Categorical:
		case exact != nil:
			sum := 0.0
			for _, number := range exact[start:end] {
				if number == number {
					sum += number
				} else {
					n--
				}
			}
			value = sum / n // not a number where all are missing
		default: // numbers are linear in codes, and a sum of codes is exact
			sum := uint64(0)
			for _, code := range codes[start:end] {
				if uint32(code) != missing {
					sum += uint64(code)
				} else {
					n--
				}
			}
			value = a.Number(0) + float64(float64(sum)*a.Step)/n
		}
		r.Means[at] = value
		start = end
	}
}

// draw replaces the quasi-identifiers of records, which are the input's rows region after region,
// by values drawn from their regions. The table is not published yet, so its columns may be
// written.
func (g *Generalised) draw(ctx context.Context, records *datasets.Table, from Records,
	stream *random.Stream) error {
	lows, highs, dims := g.Regions.Low, g.Regions.High, len(g.Regions.Attributes)
	if from != Box {
		lows, highs = g.Regions.TightLow, g.Regions.TightHigh
	}
	if len(g.Rows)*dims >= manyValues {
		var stop func()
		stream, stop = stream.Ahead()
		defer stop()
	}
	drawer, intervals := newDrawer(g.Ends, stream, true), make([]interval, len(g.Ends))
	var cells []uint32 // of a region's numbers
	for d, attribute := range g.Regions.Attributes {
		if err := ctx.Err(); err != nil {
			return err
		}
		a, column := &records.Schema().Attributes[attribute], records.Column(attribute)
		needed, start := 0, int32(0)
		for region, end := range g.Ends {
			low, high := lows[region*dims+d], highs[region*dims+d]
			intervals[region] = half(low, high)
			needed += int(end-start) * int(intervals[region].draws)
			if column.Exact != nil {
				cells = slices.Grow(cells[:0], int(end-start))[:end-start]
				for i := range cells {
					cells[i], column.Exact[int(start)+i] = within(a, low, high, stream.Open01())
				}
				column.Put(int(start), cells, nil)
			}
			start = end
		}
		if column.Exact == nil {
			codedOf(column).drawRanks(drawer, intervals, needed, nil)
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
		codedOf(column).exchange(others)
		if column.Exact != nil {
			exchange(column.Exact, others)
		}
		return nil
	})
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
