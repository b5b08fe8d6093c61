package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestColumnWidths: codes come back as they were from columns of one, two and four bytes, whether
// the domain is known or a column widens as they come.
func TestColumnWidths(t *testing.T) {
	for _, test := range []struct {
		codes []uint32
		cells int
		bytes int64
	}{
		{[]uint32{0, 255, 7}, 256, 3},
		{[]uint32{0, 255, 256, 65535, 7}, 65536, 10},
		{[]uint32{0, 255, 256, 65535, 65536, 7}, 65537, 24},
		{[]uint32{3, 70_000, 4}, 70_001, 12}, // from one byte to four
	} {
		var grown Column
		for _, code := range test.codes {
			grown.Append(code)
		}
		whole := (*Disk)(nil).Column(test.cells, len(test.codes))
		whole.Put(0, test.codes, nil)
		for _, column := range []Column{grown, whole} {
			table := Table{columns: []Column{column}}
			codes, last := make([]uint32, len(test.codes)), int32(len(test.codes)-1)
			column.Widen(0, codes)
			column.Widen(1, codes[1:])
			if !slices.Equal(codes, test.codes) || column.At(last) != test.codes[last] ||
				table.Bytes() != test.bytes {
				t.Errorf("%v became %v in %d bytes, must take %d", test.codes, codes,
					table.Bytes(), test.bytes)
			}
		}
	}
}

// TestRanks: few cells are counted, many are sorted; the ranks are those of the definition.
func TestRanks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cells := rapid.SampledFrom([]uint32{1, 5, 80, 10_000}).Draw(t, "cells")
		codes := rapid.SliceOfN(rapid.Uint32Range(0, cells-1), 0, 20).Draw(t, "codes")
		got := slices.Clone(codes)
		occurring := Ranks(got)
		for i, code := range codes {
			var below []uint32
			for _, other := range codes {
				if other < code && !slices.Contains(below, other) {
					below = append(below, other)
				}
			}
			if int(got[i]) != len(below) || occurring[got[i]] != code {
				t.Fatalf("code %d of %v has rank %d among %v", code, codes, got[i], occurring)
			}
		}
		if !slices.IsSorted(occurring) {
			t.Fatalf("%v are not in order", occurring)
		}
	})
}
