package partition

import (
	"runtime"
	"slices"
	"testing"
)

// TestShared: passes over many rows, divided between processors, add to the counts that are there
// and split as one processor would by the definition.
func TestShared(t *testing.T) {
	table := benchmarkTable()
	schema := table.Schema()
	space := NewSpace(table, schema.QuasiIdentifiers())
	var rows []int32 // some of them more than once, in no order
	for i := range 3*sharedRows + 5 {
		rows = append(rows, int32(i*7919%table.Len()))
	}
	for _, processors := range []int{1, 2, 3, 200} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for dim, attribute := range space.Attributes() {
			codes, labels := codesOf(table, rows, attribute), codesOf(table, rows, schema.Class())
			lowest, highest := space.Extent(rows, dim, 0, space.Cells(dim)-1)
			if lowest != slices.Min(codes) || highest != slices.Max(codes) {
				t.Errorf("dimension %d: extent [%d, %d]", dim, lowest, highest)
			}
			counts := make([]int32, space.Cells(dim))
			joint := make([]int32, len(counts)*space.Classes())
			counts[0], joint[0] = 5, 6
			space.Histogram(rows, dim, 0, counts)
			space.ClassHistogram(rows, dim, 0, joint)
			at := space.Cells(dim) / 3
			var below, above []int32
			for i, code := range codes {
				counts[code]--
				joint[int(code)*space.Classes()+int(labels[i])]--
				if code < at {
					below = append(below, rows[i])
				} else {
					above = append(above, rows[i])
				}
			}
			counts[0], joint[0] = counts[0]-5, joint[0]-6
			if slices.Max(counts) != 0 || slices.Min(counts) != 0 || slices.Max(joint) != 0 ||
				slices.Min(joint) != 0 {
				t.Errorf("%d processors, dimension %d: other counts", processors, dim)
			}
			split := slices.Clone(rows)
			n := space.Split(split, dim, at)
			if !slices.Equal(split[:n], below) || !slices.Equal(split[n:], above) {
				t.Errorf("%d processors, dimension %d: another split", processors, dim)
			}
		}
	}
}
