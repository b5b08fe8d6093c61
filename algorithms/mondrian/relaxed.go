package mondrian

import "slices"

// anonymizeRelaxed is the recursion of relaxed partitions (section 3): the rows of the current box
// are halved at the median of the widest dimension, and of the first one where all rows are equal,
// as long as both halves can have k rows. Boxes may share the cells of a median, so that no tree
// leads from a point to its region.
func (s *splitter) anonymizeRelaxed(rows []int32, depth int) error {
	if err := s.poll.After(len(rows)); err != nil {
		return err
	}
	spans := s.level(depth)
	if len(rows) < 2*s.params.K {
		return s.summarise(rows, spans)
	}
	half := (len(rows) + 1) / 2
	if s.dims == 0 { // nothing to generalise, so nothing to cut on: halves are as good as any
		return s.boxes.Overlap(-1, 0, 0,
			func() error { return s.anonymizeRelaxed(rows[:half], depth+1) },
			func() error { return s.anonymizeRelaxed(rows[half:], depth+1) })
	}
	dim := max(0, s.chooseDimension(rows, spans))
	whole := spans[dim]
	median, below, equal := s.space.Median(rows, dim, whole.low, whole.high+1)
	s.share(rows, dim, median, half-below)
	left := span{low: whole.low, high: median, measured: whole.measured}
	right := span{low: median + 1, high: whole.high}
	if half < below+equal { // the median's records are on both sides
		right = span{low: median, high: whole.high, measured: whole.measured}
	}
	return s.boxes.Overlap(dim, median+1, right.low, func() error {
		s.descend(depth)[dim] = left
		return s.part(rows[:half], depth+1)
	}, func() error {
		s.descend(depth)[dim] = right
		return s.part(rows[half:], depth+1)
	})
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
