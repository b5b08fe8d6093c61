package partition

import "ppdp/datasets"

// coded are the codes of a column, at the width at which its table keeps them. Every pass over many
// rows is a method: the width is found out once for the pass, and its loop is a plain one.
type coded interface {
	// split moves the rows whose code is below at to the front and returns how many they are. It
	// copies the others to moved, which is as long as rows at least. Both keep their order.
	split(rows, moved []int32, at uint32) int
	// histogram adds the frequencies of the rows' codes to counts, the first of which is low's.
	histogram(rows []int32, low uint32, counts []int32)
	// classHistogram is histogram by code and class.
	classHistogram(labels *datasets.Column, classes uint32, rows []int32, low uint32,
		counts []int32)
	// extent is Space.Extent.
	extent(rows []int32, low, high uint32) (lowest, highest uint32)
	// exchange lets the last value change places with the one whose place is last in others, and so
	// on to the first.
	exchange(others []int32)
	// summarise is Generalised.summarise on dimension d, an attribute a with the given numbers.
	summarise(g *Generalised, d int, a *datasets.Attribute, exact []float64)
	// drawRanks draws codes by their places along an axis, nil where codes are in order.
	drawRanks(d *drawer, intervals []interval, needed int, axis *datasets.Axis)
}

// codedOf returns a column's codes.
func codedOf(column *datasets.Column) coded {
	switch {
	case column.U8 != nil:
		return width[uint8](column.U8)
	case column.U16 != nil:
		return width[uint16](column.U16)
	default:
		return width[uint32](column.U32)
	}
}

// width are codes of one width.
type width[T uint8 | uint16 | uint32] []T

// split writes every row to both sides and advances only the side it belongs to: around a good
// cut the comparison is a coin toss, which a branch would mispredict every other time.
func (codes width[T]) split(rows, moved []int32, at uint32) int {
	moved = moved[:len(rows)]
	left := 0
	for i, row := range rows {
		below := 0
		if uint32(codes[row]) < at {
			below = 1
		}
		rows[left] = row // left <= i: this place has been read
		moved[i-left] = row
		left += below
	}
	return left
}

func (codes width[T]) histogram(rows []int32, low uint32, counts []int32) {
	for _, row := range rows {
		counts[uint32(codes[row])-low]++
	}
}

func (codes width[T]) classHistogram(labels *datasets.Column, classes uint32, rows []int32,
	low uint32, counts []int32) {
	switch {
	case labels.U8 != nil:
		jointHistogram(codes, labels.U8, rows, low, classes, counts)
	case labels.U16 != nil:
		jointHistogram(codes, labels.U16, rows, low, classes, counts)
	default:
		jointHistogram(codes, labels.U32, rows, low, classes, counts)
	}
}

func jointHistogram[T, C uint8 | uint16 | uint32](codes width[T], labels []C, rows []int32, low,
	classes uint32, counts []int32) {
	for _, row := range rows {
		counts[(uint32(codes[row])-low)*classes+uint32(labels[row])]++
	}
}

// extentChunk is how many rows are read between tests whether both ends have been met.
const extentChunk = 64

func (codes width[T]) extent(rows []int32, low, high uint32) (uint32, uint32) {
	lowest := uint32(codes[rows[0]]) // of 32 bits: narrower ones are widened for each comparison
	highest := lowest
	for len(rows) > 0 && (lowest > low || highest < high) {
		chunk := rows[:min(extentChunk, len(rows))]
		rows = rows[len(chunk):]
		for _, row := range chunk {
			code := uint32(codes[row])
			lowest = min(lowest, code)
			highest = max(highest, code)
		}
	}
	return lowest, highest
}

func (codes width[T]) exchange(others []int32) { exchange(codes, others) }

func exchange[T any](values []T, others []int32) {
	for last := len(others) - 1; last >= 0; last-- {
		other := others[last]
		values[last], values[other] = values[other], values[last]
	}
}

func (codes width[T]) drawRanks(d *drawer, intervals []interval, needed int,
	axis *datasets.Axis) {
	draw(d, codes, intervals, needed)
	if axis != nil {
		for row, rank := range codes {
			codes[row] = T(axis.Code[rank])
		}
	}
}
