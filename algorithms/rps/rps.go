// Package rps is Recursive Partitioning and Summarization for tables (Qardaji & Li, ASIACCS 2012,
// Algorithm 1 with the instantiation of section 3.2). The space of the quasi-identifiers is cut in
// two again and again, each cut chosen by the exponential mechanism; a noisy count decides where to
// stop; leaves are published with noisy counts and re-drawn as synthetic records. Section 5, for
// graphs, is package rpsgraph.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement a
// record touches two paths of the tree: up to twice the epsilon, errata R2). Schema, bounds,
// granularity and orders are public inputs (errata R4). Half of the budget is kept for the leaf.
// The rest is spent on the way to it, over the levels by Params.Allocation and within a level
// evenly between stop test and cut. "All remaining privacy budget" goes to the last query of a
// path.
//
// Variants:
//   - published: Laplace noise; both quality functions are drawn by exp(ε′q) and charged ε′, that
//     is 2ε′Δq with Δq = 1/2. For eq. 3 Δq is 3/2 (errata R1), and the ledger shows the
//     overspending.
//   - strict: Δq = 3/2 for eq. 3, two-sided geometric noise for counts, leaf sizes by noisy counts
//     only. Its ledger takes no credit for monotone qualities (errata R0b), so that it holds for
//     replacement too, call by call.
//
// Deviations:
//   - Level shares, and the split of a level between stop test and cut, are not in the paper.
//   - A region where no attribute can be cut, or at the maximum depth, is a leaf without a query.
//     The root is tested like any other region. "Narrow enough" is a single cell of every
//     attribute, or Params.Narrow.
//   - Categories are cut along an order, as in section 4.2. Section 3.2 also allows all subsets of
//     a small domain. They are left out: to everything that reads a release (metrics, classifiers,
//     maps, audits) a region is a box of intervals, which a set of categories is not (errata R11).
//   - The median of partition: median is the lower one, and its cut is brought inside the region
//     (errata R12). The number of a region's rows is not public, so that neighbours have another.
//   - "Stop at a count of 0" is a noisy count of at most 0; no test at all is stop_check: false
//     (errata R9: at depth 50 that would be 2⁵⁰ leaves, so nodes are capped).
//   - Majority and size of a leaf come from one vector of noisy class counts, charged once since
//     the classes are disjoint (errata R5). Under counts: depth the vector serves the vote alone.
//   - Noisy counts are clamped at 0 and rounded. The remainders of N/2^depth are carried from leaf
//     to leaf.
//   - A categorical value is a uniform member of the region's interval, not the set of its values.
//   - Where noise makes more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part and are drawn from their public domain.
package rps

import (
	"fmt"

	"ppdp/algorithms"
)

// Algorithm is the baseline "rps".
var Algorithm = algorithms.Add(algorithms.Info{
	Name:     "rps",
	Title:    "Recursive Partitioning and Summarization",
	Source:   "Qardaji & Li 2012, Algorithm 1 and section 3.2",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct},
	Variants: algorithms.Guarantees(DefaultParams(), algorithms.Published, algorithms.Strict),
	Revision: 1,
}, DefaultParams, publish)

// Guarantee depends on the quality function and on where leaf sizes come from.
func (p *Params) Guarantee(variant algorithms.Variant) algorithms.Guarantee {
	g := algorithms.RecordPrivacy(variant,
		"The exponential mechanism is calibrated to the proven sensitivity of its quality"+
			" function,"+
			" counts get two-sided geometric noise.", "R1", "R2", "R3", "R4", "R7")
	if variant == algorithms.Strict {
		return g
	}
	g.Errata = []string{"R0b", "R1", "R2", "R3", "R4", "R5"}
	switch {
	case p.Counts == ByDepth:
		g.Status = algorithms.Broken
		g.Note = "counts: depth has no finite guarantee because it publishes N."
	case p.Partition == Balanced && p.Quality == Class:
		g.Status = algorithms.Short
		g.Note = "quality: class spends its share for cuts one and a half times."
	default:
		g.Note = "Holds as long as cuts are scored by quality: even, or fixed, and counts are" +
			" noisy: quality: class is short, counts: depth broken."
	}
	return g
}

// CheckVariant refuses leaf sizes of N/2^depth under strict.
func (p *Params) CheckVariant(variant algorithms.Variant) error {
	if variant != algorithms.Strict || p.Counts != ByDepth {
		return nil
	}
	return fmt.Errorf("counts: %q publishes the number of records (errata R3), must be %q under"+
		" strict", ByDepth, Noisy)
}
