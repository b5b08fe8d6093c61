package diffgen

import (
	"fmt"
	"slices"
	"testing"

	"ppdp/random"

	"pgregory.net/rapid"
)

// keysBelow are n keys of at most the given number of bits.
func keysBelow(n, bits int, seed uint64) []uint64 {
	stream := random.NewKey(seed).Stream()
	keys := make([]uint64, n)
	for i := range keys {
		keys[i] = stream.Uint64() >> (64 - bits)
	}
	return keys
}

func TestSortKeys(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, fewKeys - 1, fewKeys, 2*fewKeys + 1}).Draw(t, "n")
		keys := keysBelow(n, rapid.IntRange(1, 64).Draw(t, "bits"), rapid.Uint64().Draw(t, "seed"))
		want := slices.Clone(keys)
		slices.Sort(want)
		if sortKeys(keys); !slices.Equal(keys, want) {
			t.Fatal("not sorted, or other keys")
		}
	})
}

func BenchmarkSortKeys(b *testing.B) {
	for _, bits := range []int{12, 22, 40} {
		b.Run(fmt.Sprintf("bits=%d", bits), func(b *testing.B) {
			keys := keysBelow(45_222, bits, 1)
			work := make([]uint64, len(keys))
			for b.Loop() {
				copy(work, keys)
				sortKeys(work)
			}
			b.ReportMetric(float64(len(keys))*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
