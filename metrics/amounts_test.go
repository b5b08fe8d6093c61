package metrics

import (
	"testing"

	"ppdp/datasets"
)

// TestAmounts: of the numbers 0, 2, 4 and 10 the mean is 4, the median 2 and the 95th percentile
// 10; of 1 and 9 with the weights 3 and 1 they are 3, 1 and 9. z is 0 in all rows, so that its
// errors are undefined.
func TestAmounts(t *testing.T) {
	table := codedTable([]datasets.Attribute{number("x", 11), number("z", 3), category("c", "a")},
		[]uint32{10, 0, 0}, []uint32{0, 0, 0}, []uint32{4, 0, 0}, []uint32{2, 0, 0})
	records := codedTable(table.Schema().Attributes, []uint32{9, 1, 0}, []uint32{1, 2, 0})
	c := against(table, records, []float64{1, 3})
	c.Truth, c.Published = new(Memo), new(Memo)
	for of, want := range map[Amount]float64{ // order-free: each for itself
		MeanAmount: 0.25, MedianAmount: 0.5, HighAmount: 0.1} {
		for _, attribute := range []string{"", "x"} {
			if got := defined(t, "amounts", c, func(p Params) {
				p.(*AmountsParams).Of, p.(*AmountsParams).Attribute = of, attribute
			}); !near(got, want) {
				t.Errorf("%s of %q: %v, want %v", of, attribute, got, want)
			}
		}
	}
	if got, ok := measure(t, "amounts", c, func(p Params) {
		p.(*AmountsParams).Attribute = "z"
	}); ok {
		t.Errorf("of zeros: %v, want none", got)
	}
	if err := (&AmountsParams{Attribute: "c"}).CheckSchema(table.Schema()); err == nil {
		t.Error("the mean of a category is accepted")
	}
}
