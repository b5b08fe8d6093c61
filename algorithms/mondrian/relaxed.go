package mondrian

import (
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
)

// overlapping collects the regions of a relaxed partition. Their boxes may share the cells of a
// median, so that no tree leads from a point to its region: only rows have one.
type overlapping struct {
	low, high []uint32 // the current box
	regions   *algorithms.Regions
	structure algorithms.Structure
}

func newOverlapping(space *partition.Space) *overlapping {
	o := &overlapping{
		low: make([]uint32, space.Dims()), high: make([]uint32, space.Dims()),
		regions: &algorithms.Regions{
			Attributes: space.Attributes(), Classes: space.Classes(),
			Low: []uint32{}, High: []uint32{}, Counts: []float64{},
		},
	}
	for d := range o.high {
		o.high[d] = space.Cells(d)
	}
	return o
}

// leaf makes the current box a region.
func (o *overlapping) leaf(depth int) {
	o.regions.Low = append(o.regions.Low, o.low...)
	o.regions.High = append(o.regions.High, o.high...)
	for range o.regions.Classes {
		o.regions.Counts = append(o.regions.Counts, 0)
	}
	o.structure.Leaves++
	o.structure.Depth = max(o.structure.Depth, depth)
}

// relaxed partitions the rows of the current box: at the median of the widest dimension, and of the
// first one where all rows are equal, as long as both halves can have k rows.
func (s *splitter) relaxed(rows []int32, depth int) error {
	if err := s.poll.After(len(rows)); err != nil {
		return err
	}
	o := s.overlap
	o.structure.Nodes++
	if len(rows) < 2*s.params.K {
		o.leaf(depth)
		s.end(rows, s.level(depth))
		return nil
	}
	// nothing to generalise, so nothing to cut on either: halves are as good as any
	if s.dims == 0 {
		half := (len(rows) + 1) / 2
		if err := s.relaxed(rows[:half], depth+1); err != nil {
			return err
		}
		return s.relaxed(rows[half:], depth+1)
	}
	spans := s.level(depth)
	dim := max(0, s.chooseDimension(rows, spans))
	median, below, equal := s.space.Median(rows, dim, spans[dim].low, spans[dim].high+1)
	half := (len(rows) + 1) / 2
	s.share(rows, dim, median, half-below)

	whole, low, high := spans[dim], o.low[dim], o.high[dim]
	child := s.descend(depth)
	child[dim] = span{low: whole.low, high: median, measured: whole.measured}
	o.high[dim] = median + 1
	if err := s.part(rows[:half], depth+1); err != nil {
		return err
	}
	o.high[dim] = high
	child = s.descend(depth)
	if half < below+equal { // the median's records are on both sides
		child[dim] = span{low: median, high: whole.high, measured: whole.measured}
		o.low[dim] = median
	} else {
		child[dim] = span{low: median + 1, high: whole.high}
		o.low[dim] = median + 1
	}
	if err := s.part(rows[half:], depth+1); err != nil {
		return err
	}
	o.low[dim] = low
	return nil
}

// share moves the rows below the median and the first quota of those at it to the front. The
// order is kept on both sides, so that rows at a later median are again in the table's order.
func (s *splitter) share(rows []int32, dim int, median uint32, quota int) {
	s.codes = slices.Grow(s.codes[:0], len(rows))[:len(rows)]
	codes := s.codes
	s.space.Codes(rows, dim, codes)
	moved := s.moved[:0]
	left := 0
	for i, row := range rows {
		switch {
		case codes[i] < median:
		case codes[i] == median && quota > 0:
			quota--
		default:
			moved = append(moved, row)
			continue
		}
		rows[left] = row
		left++
	}
	copy(rows[left:], moved)
	s.moved = moved
}
