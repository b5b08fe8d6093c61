// Package dpcube publishes a histogram by noisy multidimensional partitioning (Xiao, Xiong, Fan,
// Goryczka & Li, DPCube: Differentially Private Histogram Release through Multidimensional
// Partitioning, Transactions on Data Privacy 7(3), 2014). The cells of a grid over the attributes
// and the class get noise; a kd-tree over these noisy cells finds blocks of about equal cells; the
// blocks are counted once more, with fresh noise, and a block's count is spread evenly over its
// cells.
//
// What is published are the grid's cells with their counts, and records drawn from them. The
// workloads of range queries that the paper also estimates from the cells are not here.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record leaves one cell and enters another: up to twice the epsilon). A record is in one cell and
// in one block, so each phase is charged once: a share of Params.Split for the cells and the rest
// for the blocks. The tree sees noisy cells only and costs nothing. The two phases have a stream
// each. The guarantee holds (errata X2).
//
// Variants:
//   - published: Laplace noise.
//   - strict: two-sided geometric noise.
//
// Deviations:
//   - The paper was not at hand; the algorithm follows the descriptions of it by others.
//   - A block is cut no further when the squared deviation of its noisy cells from their mean is no
//     more than Params.Threshold times what noise alone gives m equal cells, (m-1) times its
//     variance. The paper has an absolute threshold. A program in circulation stops where no cut
//     lowers the deviation by more than 1/ε, a count against a squared count (errata X2); that rule
//     is not offered.
//   - The tree may cut between classes like along any other dimension.
//   - A grid takes every cell of the public domain to be worth a count. Numeric attributes are cut
//     into at most Params.Bins bins of whole cells of the public granularity, differing by one cell
//     where they do not divide evenly; a categorical attribute's values stand in the order of the
//     schema. A table whose grid would outgrow Params.MaxCells is refused: it is not one for this
//     algorithm.
//   - Params.Grid coarse, which is not of the paper, takes such a table all the same. One step at a
//     time the attribute of the most parts (of equal ones the first of the schema) is made coarser
//     until the grid fits: the bins of a number and the values of an ordered list without a
//     taxonomy are replaced by half as many equal runs, other values are joined by the next coarser
//     level of their taxonomy, or into one where there is none. Classes are never joined. The rule
//     reads the schema and the parameters, no row, so it costs nothing. What is published are the
//     coarse cells; a cell says nothing about where inside it records lie, and drawn records are
//     uniform there. A grid that fits is the exact one.
//   - Counts are clamped at 0 for each cell, after spreading. Fractions stay in the published
//     counts; drawing records carries their remainders from cell to cell.
//   - Where noise makes for more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package dpcube

import "ppdp/algorithms"

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "dpcube".
type Algorithm struct{}

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
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
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }
