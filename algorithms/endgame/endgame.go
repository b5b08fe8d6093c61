// Package endgame publishes a table with k-anonymity by strict multidimensional partitioning, as
// Mondrian does, and plays the end well: a region is cut greedily as long as it is large, and at
// the least possible cost once it has fewer than exact·k records. The cost is discernibility, the
// sum of the squares of the regions' sizes. There is no paper; docs/tried.md has what was tried.
//
// The opening. A cut gains what the ranges of the records on its dimension become narrower by,
// added up over records, in shares of the domain: what it takes from the normalised certainty
// penalty if no other dimension changes. The cut of the largest gain is taken, of all dimensions
// and all places that leave k records on both sides. Where a large region is cut matters little for
// the sizes that its parts end with, but much for their ranges.
//
// The endgame. Let c(S) be the least cost of a set S of n records that cuts can come to. A class
// has at least k records, so that c(S) = n² below 2k. From there on
//
//	c(S) = min(n², min over cuts with k records on both sides of c(S below) + c(S above)),
//
// since a partition by cuts other than S itself has a first cut and partitions both sides. Three
// facts make this fast enough to be solved exactly, by branch and bound over sets of records, each
// of which is solved once:
//   - Classes of at least k records are at most ⌊n/k⌋ many, and squares add up to the least when
//     sizes are as equal as can be: c(S) ≥ e(n) = EvenSquares(n, ⌊n/k⌋). A cut whose sides have
//     e(a) + e(b) of no less than what was found need not be tried, nor one whose smaller side
//     turns out to cost too much.
//   - Below 3k records there is at most one cut, and the most even one is best.
//   - A cut that leaves fewer than k records of S on a side leaves fewer of every part of S, so
//     that the parts inherit a list of cuts that becomes shorter and shorter.
//
// Of cuts that lead to the same cost one of the widest dimension is taken. The search is exact
// unless its steps run out, which a warning reports.
//
// Classes may have to keep l-diversity and t-closeness, too (package disclosure). A cut is then
// allowed where both sides keep them, which they do wherever classes made of them do: the recursion
// stays exact, and so do its bounds. But the parts may allow a cut that the whole does not.
//
// How far from the optimum. A class has at least k records, and a strict one holds all records that
// are equal to one of its own: a record that g records are equal to, itself included, costs at
// least max(k, g). So every strict partition costs at least Σ max(k, g) over records, and at least
// e(n). Structure.Gap is (cost - bound)/cost for the larger bound, as a warning says in words; what
// cuts in the opening lose is within that gap.
//
// What is published, and what k-anonymity promises, is as with Mondrian: boxes, tight ranges,
// means, exact class counts, and a record drawn for each. The partition depends on the quasi-
// identifiers, with limits also on sensitive values, which cuts that are refused may tell of, and
// on whose records they are. k bounds how far a record can be linked, not what can be inferred
// about it (errata M3). Regions.Assignment is for measuring only and not to be published.
//
// The package leaves out relaxed partitions, suppression and hierarchies: values are cut in the
// schema's order.
//
// Deviations: none; there is no paper.
package endgame

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
)

// Params are the parameters of endgame.
type Params struct {
	K     int `yaml:"k" doc:"the least number of records that share a published combination of quasi-identifiers" min:"2" max:"2147483647"`
	Exact int `yaml:"exact" doc:"a region of fewer than this many times k records is partitioned at the least discernibility; 2 leaves nothing to that" min:"2" max:"64"`

	disclosure.Limits `yaml:",inline"`
}

func (p *Params) Anonymity() int { return p.K }

// Algorithm is the baseline "endgame".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "endgame", Title: "Greedy cuts with an exact endgame",
	Source: "none: made here, after LeFevre, DeWitt & Ramakrishnan 2006",
	Input:  algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct,
		algorithms.MembershipProduct},
	Variants: []algorithms.Guarantee{algorithms.KAnonymous(
		"The generalised table is k-anonymous; records are drawn from it.")},
	Revision: 2,
}, DefaultParams, publish)

// DefaultParams are regions of at least 10 records, at the least cost below 200.
func DefaultParams() *Params {
	return &Params{K: 10, Exact: 20, Limits: disclosure.NoLimits()}
}

// publish partitions the rows and draws a record for each, as Mondrian's does. An empty input gives
// an empty release; 1 to k-1 rows give an error that wraps algorithms.ErrTooFew. Structure has the
// Gap, which a warning puts into words.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	if err := algorithms.CheckEnough(len(in.Rows), params.K); err != nil {
		return nil, fmt.Errorf("endgame: %w", err)
	}
	table, rows, order := partition.InOrder(in.Table, in.Rows)
	p, err := divide(ctx, table, rows, params)
	if err != nil {
		return nil, fmt.Errorf("endgame: %w", err)
	}
	release, err := p.made.Publish(ctx, table, order, partition.Box, in.Noise)
	if err != nil {
		return nil, err
	}
	release.Structure = p.boxes.Structure()
	cost, bound := p.discernibility()
	if cost > bound {
		release.Structure.Gap = float64(cost-bound) / float64(cost)
		release.Warnings = append(release.Warnings, fmt.Sprintf(
			"a discernibility of %d was found, and none below %d is possible where equal records"+
				" stay together (gap %.1f %%)", cost, bound, 100*release.Structure.Gap))
	}
	if p.unfinished > 0 {
		release.Warnings = append(release.Warnings, fmt.Sprintf("%d of %d regions of fewer than"+
			" %d records are not proven optimal: the search ended at its limit",
			p.unfinished, p.solved, p.small))
	}
	return release, nil
}
