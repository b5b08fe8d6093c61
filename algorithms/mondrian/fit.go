package mondrian

import (
	"ppdp/algorithms"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// FitSchema cuts where classes separate best, where there is one.
func (Algorithm) FitSchema(s *datasets.Schema, _ int) algorithms.Params {
	p := DefaultParams()
	if s.Class() >= 0 {
		p.Split = Class
	}
	return p
}
