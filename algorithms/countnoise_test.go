package algorithms

import (
	"math"
	"testing"

	"ppdp/numeric/random"
	"ppdp/privacy"
)

// TestCountNoise: strict noise is whole, the other is not; both are in the ledger under their name,
// of which there is one stream.
func TestCountNoise(t *testing.T) {
	for variant, kind := range map[Variant]string{Strict: "geometric", Published: "laplace",
		RefCode: "laplace"} {
		in := Input{Variant: variant, Budget: privacy.NewBudget(1),
			Noise: random.NewStreams(random.NewKey(1))}
		path := in.Budget.Root()
		x, err := in.CountNoise("leaf counts", privacy.Exact(2)).Add(&path, 1, 7)
		if err != nil {
			t.Fatal(err)
		}
		entry := in.Budget.Ledger()[0]
		if entry.Mechanism != kind || entry.Purpose != "leaf counts" || entry.Claimed != 2 {
			t.Errorf("%s: ledger %+v, want %s", variant, entry, kind)
		}
		if (x == math.Trunc(x)) != (variant == Strict) {
			t.Errorf("%s: 7 became %v", variant, x)
		}
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: the stream can be opened again", variant)
				}
			}()
			in.Noise.Open("leaf counts")
		}()
	}
}
