package random

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestNormal: the library, whose tables are written down, draws the same numbers from the same
// stream, but for the last bits of those in the tails.
func TestNormal(t *testing.T) {
	key := NewKey(5)
	stream, library := key.Stream(), rand.New(rand.NewChaCha8(key))
	beyond := 0
	for i := range 1_000_000 {
		got, want := stream.NormFloat64(), library.NormFloat64()
		if math.Abs(want) > tail {
			beyond++
			if math.Abs(got-want) <= 4e-16*math.Abs(want) {
				continue
			}
		}
		if got != want {
			t.Fatalf("draw %d is %v, the library's %v", i, got, want)
		}
	}
	// 0.000576 of all draws; 12 standard deviations either way.
	if beyond < 290 || beyond > 870 {
		t.Errorf("%d of a million draws lie in the tails", beyond)
	}
}
