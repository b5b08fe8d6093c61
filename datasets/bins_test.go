package datasets

import (
	"testing"

	"ppdp/internal/must"
)

// TestLogBins: of 1 to 10,000 in four bins each is ten times as wide as the one before; from 0 on,
// the distance to 0 counts from the first cell, and bins are never empty.
func TestLogBins(t *testing.T) {
	for _, c := range []struct {
		low, high float64
		bins      int
		want      []uint32
	}{
		{1, 10_000, 4, []uint32{9, 99, 999, 9999}},
		{100, 100_000_000, 3, []uint32{9_900, 999_900, 99_999_900}},
		{0, 255, 8, []uint32{1, 3, 7, 15, 31, 63, 127, 255}},
		{0, 12, 10, []uint32{1, 2, 3, 4, 5, 6, 7, 8, 9, 12}},
	} {
		a := Attribute{Name: "x", Low: c.low, High: c.high, Step: 1, Log: true}
		must.Equal(t, a.PublicBins(c.bins), c.want, c.low, c.high)
	}
	few := Attribute{Name: "x", Low: 0, High: 5, Step: 1, Log: true}
	if few.PublicBins(5) != nil {
		t.Error("bins of an attribute that keeps its cells")
	}
}
