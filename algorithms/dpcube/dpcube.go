// Package dpcube publishes a histogram by noisy multidimensional partitioning (Xiao, Xiong, Fan,
// Goryczka & Li, DPCube: Differentially Private Histogram Release through Multidimensional
// Partitioning, Transactions on Data Privacy 7(3), 2014). The cells of a grid over the attributes
// and the class get noise; a kd-tree over the noisy cells finds blocks of about equal cells; the
// blocks are counted once more, with fresh noise, and a block's count is spread evenly over its
// cells. Published are the grid's cells with their counts, and records drawn from them. The package
// leaves out the paper's workloads of range queries.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record leaves one cell and enters another: up to twice the epsilon). A record is in one cell and
// in one block, so each phase is charged once, half of the budget. The tree sees noisy cells only
// and costs nothing. The guarantee holds (errata X2).
//
// Variants:
//   - published: Laplace noise.
//   - strict: two-sided geometric noise.
//
// Deviations:
//   - The paper was not at hand; the algorithm follows the descriptions of it by others.
//   - A block is cut no further when the squared deviation of its noisy cells from their mean is at
//     most Params.Threshold times what noise alone gives m equal cells, (m-1) times its variance.
//     The paper has an absolute threshold. A program in circulation stops where no cut lowers the
//     deviation by more than 1/ε, which compares a count with a squared count (errata X2).
//   - The tree may cut between classes like along any other dimension.
//   - Numeric attributes are cut into the bins that the schema gives, or into at most Params.Bins
//     bins of whole cells of the public granularity, equal but for one cell. With cut: private a
//     tenth of the budget first goes for bins of about as many records each, of numbers with more
//     than 256 cells and none in the schema; it must be large (docs/tried.md). Values of a
//     categorical attribute are in the order of the schema. A table whose grid would outgrow
//     Params.MaxCells is refused.
//   - grid: coarse, which is not in the paper, accepts such a table. The attribute of the most
//     parts (of equal ones the first of the schema) is made coarser until the grid fits: bins of
//     numbers and ordered values without a taxonomy are replaced by half as many equal runs, the
//     schema's bins and private ones joined in pairs; other values are joined by the next coarser
//     level of their taxonomy, or into one without a taxonomy. Classes are never joined. The rule
//     reads no row, so it costs nothing. Records are drawn uniformly in the coarse cells.
//   - Counts are clamped at 0 for each cell, after spreading. Fractions stay in the published
//     counts; drawing records carries their remainders from cell to cell.
//   - Where noise makes more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package dpcube

import (
	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Algorithm is the baseline "dpcube".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "dpcube",
	Title:    "DPCube: histogram by a kd-tree over noisy cells",
	Source:   "Xiao et al. 2014, two-phase partitioning",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
	Variants: []algorithms.Guarantee{
		algorithms.RecordPrivacy(algorithms.Published,
			"Two charges in sequence, cells and blocks; the partition is made of noisy"+
				" cells only.", "X2"),
		algorithms.RecordPrivacy(algorithms.Strict,
			"As published, with two-sided geometric noise.", "X2"),
	},
	Revision: 2,
}, DefaultParams, publish)

// Grid says what becomes of a table whose grid has more than Params.MaxCells cells.
type Grid string

const (
	Exact  Grid = "exact"  // it is refused
	Coarse Grid = "coarse" // values are joined until the grid fits
)

func (Grid) Enum() []string { return algorithms.Words(Exact, Coarse) }

// Params are the settings of a release. Indices of the grid's cells fit in 31 bits.
type Params struct {
	Threshold float64     `yaml:"threshold" doc:"end a block whose squared deviation is at most this multiple of what noise explains; 0 cuts down to blocks of equal cells" min:"0"`
	Bins      int         `yaml:"bins" doc:"the largest number of bins of a numeric attribute" min:"1" max:"1073741824"`
	Cut       margins.Cut `yaml:"cut" doc:"into what bins numbers of more than 256 cells are cut, where the schema gives none: equal ones of the public domain, or private (or wide), of about as many records each by noisy counts"`
	Grid      Grid        `yaml:"grid" doc:"what becomes of a table whose grid has more than max_cells cells: exact refuses it, coarse joins values until it fits"`
	MaxCells  int         `yaml:"max_cells" doc:"the largest number of cells of the grid, classes included; one near the number of records, if that is public, loses least to noise" min:"1" max:"1073741824"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams stop where noise explains all.
func DefaultParams() *Params {
	return &Params{Threshold: 1, Bins: 16, Cut: margins.Equal, Grid: Exact,
		MaxCells: 1 << 22, Drawing: partition.DefaultDrawing()}
}

// FitSchema joins values until the grid has the number of cells.
func (p *Params) FitSchema(s *datasets.Schema, cells int) {
	p.Grid, p.MaxCells = Coarse, max(cells, s.Classes())
}
