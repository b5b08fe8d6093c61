package radix

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/numeric/random"
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

func TestSort(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{0, 1, fewKeys - 1, fewKeys, 2*fewKeys + 1}).Draw(t, "n")
		keys := keysBelow(n, rapid.IntRange(1, 64).Draw(t, "bits"), rapid.Uint64().Draw(t, "seed"))
		short, numbers := make([]uint32, n), make([]float64, n)
		for i, key := range keys {
			short[i], numbers[i] = uint32(key), math.Float64frombits(key)
			if numbers[i] != numbers[i] {
				numbers[i] = -float64(key)
			}
		}
		want, wantShort, wantNumbers := slices.Clone(keys), slices.Clone(short),
			slices.Clone(numbers)
		slices.Sort(want)
		slices.Sort(wantShort)
		slices.Sort(wantNumbers)
		Sort(keys, nil)
		Sort(short, nil)
		Floats(numbers)
		if !slices.Equal(keys, want) || !slices.Equal(short, wantShort) ||
			!slices.Equal(numbers, wantNumbers) {
			t.Fatal("not sorted, or other keys")
		}
	})
}
