package mondrian

import "slices"

// halves is the cut of relaxed partitions (section 3): rows are halved at the median of the widest
// dimension, and of the first one where all rows are equal, as long as both halves can have k rows.
// The first half of the rows is the left-hand side. Boxes may share the cells of a median, so that
// no tree leads from a point to its region.
func (s *splitter) halves(rows []int32, spans []span) (c cut, half int, ok bool) {
	half, ok = (len(rows)+1)/2, len(rows) >= 2*s.params.K
	if !ok || s.dims == 0 { // nothing to generalise or to cut on: halves are as good as any
		return cut{dim: -1}, half, ok
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
	return cut{dim, left, right}, half, true
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
