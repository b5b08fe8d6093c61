package dpcube

import (
	"ppdp/algorithms"
	"ppdp/datasets"
)

var _ algorithms.Fitter = Algorithm{}

// FitSchema joins values until the grid has the number of cells.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	p.Grid, p.MaxCells = Coarse, max(cells, s.Classes())
	return p
}
