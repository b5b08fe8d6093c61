package diffgen

import (
	"math/bits"
	"slices"
)

// A digit of a radix sort, and how few keys are sorted by comparison: counting digits would cost
// more.
const (
	digitBits = 11
	fewKeys   = 1 << digitBits
)

// sortKeys sorts keys in place, digit by digit from the lowest up to that of the largest. Keys of
// records are cells or codes with a class, mostly of two digits, which takes a fifth of the time of
// comparing them.
func sortKeys(keys []uint64) {
	if len(keys) < fewKeys {
		slices.Sort(keys)
		return
	}
	used := bits.Len64(slices.Max(keys))
	from, to := keys, make([]uint64, len(keys))
	for shift := 0; shift < used; shift += digitBits {
		var next [1 << digitBits]int32 // where the next key of a digit goes
		for _, key := range from {
			next[key>>shift%(1<<digitBits)]++
		}
		at := int32(0)
		for digit, n := range next {
			next[digit] = at
			at += n
		}
		for _, key := range from {
			digit := key >> shift % (1 << digitBits)
			to[next[digit]] = key
			next[digit]++
		}
		from, to = to, from
	}
	if &from[0] != &keys[0] {
		copy(keys, from)
	}
}
