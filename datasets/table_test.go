package datasets

import (
	"slices"
	"testing"
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
