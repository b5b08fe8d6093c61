package mst

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
)

// BenchmarkWide is a release of many attributes.
func BenchmarkWide(b *testing.B) {
	for _, attributes := range []int{20, 80, 200, 500} {
		table := testinput.Wide(attributes, 50_000)
		a := Algorithm{Name: "mst"}
		b.Run(fmt.Sprint("attributes=", attributes), func(b *testing.B) {
			for i := uint64(0); b.Loop(); i++ {
				testinput.LazyRelease(b, a, testinput.Input(table, a.Params(), algorithms.Strict,
					1, i))
			}
		})
	}
}
