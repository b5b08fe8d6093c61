package dpcube

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Combine says what the first phase's noisy cells add to a block's noisy count.
type Combine string

const (
	// NotCombined uses the block's count alone.
	NotCombined Combine = "none"
	// Cells is the least-squares solution for the cells themselves: they keep their own noise and
	// share out evenly what the block's count corrects them by.
	Cells Combine = "cells"
)

func (Combine) Enum() []string { return algorithms.Words(NotCombined, Cells) }

// Grid says what becomes of a table whose grid has more than Params.MaxCells cells.
type Grid string

const (
	Exact  Grid = "exact"  // it is refused
	Coarse Grid = "coarse" // values are joined until the grid fits
)

func (Grid) Enum() []string { return algorithms.Words(Exact, Coarse) }

// Params are the settings of a release. Indices of the grid's cells fit in 31 bits.
type Params struct {
	Split     float64     `yaml:"split" doc:"the share of the budget for the cells; blocks get the rest" above:"0" below:"1"`
	Threshold float64     `yaml:"threshold" doc:"end a block whose squared deviation is at most this multiple of what noise explains; 0 cuts down to blocks of equal cells" min:"0"`
	Combine   Combine     `yaml:"combine" doc:"what the noisy cells add to a block's noisy count: nothing, or each its own part"`
	Bins      int         `yaml:"bins" doc:"the largest number of bins of a numeric attribute" min:"1" max:"1073741824"`
	Cut       margins.Cut `yaml:"cut" doc:"into what bins numbers of more than 256 cells are cut, where the schema gives none: equal ones of the public domain, or private, of about as many records each by noisy counts"`
	Grid      Grid        `yaml:"grid" doc:"what becomes of a table whose grid has more than max_cells cells: exact refuses it, coarse joins values until it fits"`
	MaxCells  int         `yaml:"max_cells" doc:"the largest number of cells of the grid, classes included; one near the number of records, if that is public, loses least to noise" min:"1" max:"1073741824"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams divide the budget in half and stop where noise explains all.
func DefaultParams() *Params {
	return &Params{
		Split: 0.5, Threshold: 1, Combine: NotCombined, Bins: 16, Cut: margins.Equal,
		Grid: Exact, MaxCells: 1 << 22,
		Drawing: partition.DefaultDrawing(),
	}
}

var _ algorithms.Fitter = Algorithm{}

// FitSchema joins values until the grid has the number of cells.
func (Algorithm) FitSchema(s *datasets.Schema, cells int) algorithms.Params {
	p := DefaultParams()
	p.Grid, p.MaxCells = Coarse, max(cells, s.Classes())
	return p
}
