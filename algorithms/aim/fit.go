package aim

import (
	"ppdp/algorithms"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Labelled{}

// FitSchema asks for one copy of the records: ten would teach a classifier more, and count wrongly.
func (a Labelled) FitSchema(*datasets.Schema, int) algorithms.Params {
	p := a.Params().(*LabelParams)
	p.Copies = 1
	return p
}
