package diffgen

import (
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/conformance"
	"ppdp/algorithms/partition"
)

func TestConformance(t *testing.T) {
	set := func(change func(*Params)) algorithms.Params {
		p := DefaultParams()
		change(p)
		return p
	}
	conformance.Run(t, DiffGen{},
		set(func(p *Params) { p.Utility = partition.InformationGain; p.Specialisations = 3; p.ListAll = 0 }),
		set(func(p *Params) { p.Utility = partition.Discernibility; p.Score = Children; p.Values = partition.Low }),
		set(func(p *Params) { p.Utility = partition.CertaintyPenalty; p.Values = partition.Midpoint }),
		set(func(p *Params) { p.Empty = Omitted; p.Specialisations = 40 }),
	)
}
