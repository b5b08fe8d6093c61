package diffgen

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// FitSchema specialises until all regions together are as many as their counts allow, by a score
// that needs no class where the table has none.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	p.Specialisations = partition.WholeSpecialisations(s, max(1, cells/s.Classes()))
	if s.Class() < 0 {
		p.Utility = partition.CertaintyPenalty
	}
	return p
}
