package partition

import (
	"slices"
	"testing"

	"ppdp/numeric/random"
)

// TestDraws: the same codes as drawn one after another, by words as the library draws and by halves
// with what is left of a word kept for the next attribute; then the stream goes on at the same
// place. Widths near 2³¹ have to be drawn again every other time.
func TestDraws(t *testing.T) {
	for seed := range uint64(40) {
		shape := random.NewKey(seed).Derive("shape").Stream()
		var ends []int32
		for end := int32(0); end < 3000; ends = append(ends, end) {
			end += 1 + shape.Int32N(1+shape.Int32N(200))
		}
		for _, halves := range []bool{false, true} {
			stream, alone := random.NewKey(seed).Stream(), random.NewKey(seed).Stream()
			d := newDrawer(ends, stream, halves)
			spare, spared := uint32(0), false
			next := func(n uint32) uint32 {
				for {
					bits := spare
					if spared = !spared; spared {
						both := alone.Uint64()
						bits, spare = uint32(both), uint32(both>>32)
					}
					product := uint64(bits) * uint64(n)
					if uint32(product) >= uint32((1<<32)%uint64(n)) {
						return uint32(product >> 32)
					}
				}
			}
			for range 5 {
				intervals := make([]interval, len(ends))
				var want []uint32
				needed, start := 0, int32(0)
				for region, end := range ends {
					low := shape.Uint32N(1 << 30)
					width := 1 + shape.Uint32N(1<<shape.IntN(32))>>(8*shape.IntN(2))
					for ; start < end; start++ {
						code := low
						switch {
						case width == 1:
						case halves:
							code += next(width)
						default:
							code += alone.Rand.Uint32N(width)
						}
						want = append(want, code)
					}
					intervals[region] = between(low, low+width)
					if halves {
						intervals[region] = half(low, low+width)
					}
					if width > 1 {
						needed += int(end)
						if region > 0 {
							needed -= int(ends[region-1])
						}
					}
				}
				got := make([]uint32, len(want))
				draw(d, got, intervals, needed)
				if !slices.Equal(got, want) {
					t.Fatalf("seed %d, halves %v: other codes", seed, halves)
				}
			}
			if a, b := stream.Uint64(), alone.Uint64(); a != b {
				t.Errorf("seed %d, halves %v: the streams go on with %d and %d", seed, halves, a, b)
			}
		}
	}
}
