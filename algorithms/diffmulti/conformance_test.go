package diffmulti

import (
	"testing"

	"ppdp/algorithms/conformance"
	"ppdp/algorithms/partition"
)

// TestConformance runs the suite over every utility and rule; algorithms/all runs the defaults.
func TestConformance(t *testing.T) {
	set := func(change func(p *Params)) *Params {
		p := DefaultParams()
		p.Specialisations = 60
		change(p)
		return p
	}
	conformance.Run(t, DiffMulti{},
		set(func(p *Params) { p.Utility = partition.Discernibility }),
		set(func(p *Params) { p.Utility = partition.CertaintyPenalty; p.Values = partition.Midpoint }),
		set(func(p *Params) { p.Utility = partition.InformationGain; p.Remainder = DropRemainder }),
		set(func(p *Params) { p.HPrime = ByEven; p.CarryOver = false }),
		set(func(p *Params) { p.HPrime = ByExact; p.LongestPath = 3 }),
		set(func(p *Params) { p.HPrime = ByRefCode; p.NumericHeight = 0; p.MaxRows = 50 }),
	)
}
