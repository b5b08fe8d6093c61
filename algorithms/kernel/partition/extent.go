package partition

// ExtentWithin is Extent of rows whose codes are known to lie in [low, high]: it stops looking as
// soon as both ends are attained, which in a large region is after a small part of its rows.
func (s *Space) ExtentWithin(rows []int32, dim int, low, high uint32) (lowest, highest uint32) {
	column := s.columns[dim]
	switch {
	case column.U8 != nil:
		return extentWithin(column.U8, rows, low, high)
	case column.U16 != nil:
		return extentWithin(column.U16, rows, low, high)
	default:
		return extentWithin(column.U32, rows, low, high)
	}
}

// extentChunk is how many rows are looked at between tests whether the ends are attained.
const extentChunk = 64

func extentWithin[T uint8 | uint16 | uint32](codes []T, rows []int32,
	low, high uint32) (uint32, uint32) {
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
