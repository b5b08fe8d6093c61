package privbayes

import (
	"ppdp/algorithms"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// fittedBins are as many as other releases from marginals have by default.
const fittedBins = 24

// FitSchema encodes for general domains.
func (Algorithm) FitSchema(*datasets.Schema, int) algorithms.Params {
	p := DefaultParams()
	p.Encoding, p.Bins = Hierarchical, fittedBins
	return p
}
