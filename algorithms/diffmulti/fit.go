package diffmulti

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// FitSchema specialises until regions are as many as their counts allow, by a score that needs no
// class where the table has none.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	widest := 2
	for _, fanouts := range partition.Fanouts(s) {
		widest = max(widest, fanouts[0])
	}
	p.Specialisations = max(1, (max(1, cells/s.Classes())-1)/(widest-1))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
	return p
}
