// Package rps is Recursive Partitioning and Summarization for tables (Qardaji & Li, ASIACCS 2012,
// Algorithm 1 with the instantiation of section 3.2): the space of the quasi-identifiers is cut in
// two again and again, each cut chosen by the exponential mechanism; a noisy count decides where
// to stop; leaves are published by noisy counts and re-drawn as synthetic records.
//
// The version for graphs of section 5 is package rpsgraph.
//
// Privacy. The unit is a record, neighbours differ by adding or removing one (under replacement
// a record touches two paths of the tree and everything costs up to twice as much: errata R2).
// Schema, bounds, granularity and orders are public inputs, never read off the data (errata R4).
// Of the budget, half is kept for the leaf and half is spent on the way to it, over the levels by
// Params.Allocation and within a level evenly between stop test and cut; "all remaining privacy
// budget" goes to the last query of a path (Params.Rollover).
//
// Variants:
//   - published: Laplace noise; both quality functions are drawn by exp(ε′q) and charged ε′, that
//     is 2ε′Δq with Δq = 1/2. For eq. 3 Δq is 3/2 (errata R1), and the ledger shows the overspending.
//   - strict: Δq = 3/2 for eq. 3, two-sided geometric noise for counts, leaf sizes by noisy counts
//     only. Its ledger takes no credit for the monotony of the qualities (errata R0b), so that
//     what it says of a single call holds for replacement too.
//
// Deviations:
//   - Level shares, and the split of a level between stop test and cut, are not in the paper.
//   - A region where no attribute can be cut any more is a leaf, without a query; so is one at the
//     maximum depth. The root is tested like any other region.
//   - "Stop at a count of 0" is a noisy count of at most 0; no test at all is stop_check: false
//     (errata R9: at depth 50 that would be 2⁵⁰ leaves, so nodes are capped).
//   - Majority and size of a leaf come from one vector of noisy class counts, charged once since
//     the classes are disjoint (errata R5). Under counts: depth the vector serves the vote alone.
//   - Noisy counts are clamped at 0 and rounded to whole records. N/2^depth is no whole number:
//     the remainder is carried from leaf to leaf.
//   - A categorical value is a uniform member of the region's interval, not the set of its values.
//   - Where noise makes for more records than max_rows the table is a thinned one with weights.
//   - Sensitive attributes take no part in partitioning and are drawn from their public domain.
package rps

import (
	"errors"
	"fmt"

	"ppdp/algorithms"
)

func init() { algorithms.Register(rps{}) }

// rps is the algorithm; it has no state.
type rps struct{}

var (
	_ algorithms.Algorithm      = rps{}
	_ algorithms.Guarantor      = rps{}
	_ algorithms.VariantChecker = rps{}
)

// relation is the neighbour relation all charges of this package are for.
const relation = "add or remove one record"

// Info describes the algorithm under its default parameters.
func (rps) Info() algorithms.Info {
	return algorithms.Info{
		Name:     "rps",
		Title:    "Recursive Partitioning and Summarization",
		Source:   "Qardaji & Li 2012, Algorithm 1 and section 3.2",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.Records, algorithms.Boxes},
		Variants: []algorithms.Guarantee{guarantee(algorithms.Published, defaults()), guarantee(algorithms.Strict, defaults())},
		Revision: 1,
	}
}

// Guarantee describes what a variant promises under the parameters.
func (rps) Guarantee(variant algorithms.Variant, params algorithms.Params) algorithms.Guarantee {
	return guarantee(variant, params.(*Params))
}

func guarantee(variant algorithms.Variant, p *Params) algorithms.Guarantee {
	g := algorithms.Guarantee{
		Variant: variant, Model: algorithms.DifferentialPrivacy, Unit: "record", Relation: relation, Status: algorithms.Holds,
		Errata: []string{"R1", "R2", "R3", "R4", "R7"},
		Note:   "The exponential mechanism is calibrated to the proven sensitivity of its quality function, counts get two-sided geometric noise.",
	}
	if variant == algorithms.Strict {
		return g
	}
	g.Errata = []string{"R0b", "R1", "R2", "R3", "R4", "R5"}
	switch {
	case p.Counts == ByDepth:
		g.Status, g.Note = algorithms.Broken, "counts: depth has no finite guarantee because it publishes N."
	case p.Partition == Balanced && p.Quality == Class:
		g.Status, g.Note = algorithms.Short, "quality: class spends its share for cuts one and a half times."
	default:
		g.Note = "Holds as long as cuts are scored by quality: even, or fixed, and counts are noisy: quality: class is short, counts: depth broken."
	}
	return g
}

// Params returns the defaults.
func (rps) Params() algorithms.Params { return defaults() }

// CheckVariant refuses leaf sizes of N/2^depth under strict.
func (rps) CheckVariant(variant algorithms.Variant, params algorithms.Params) error {
	info := rps{}.Info()
	_, err := info.Guarantee(variant)
	if p, ok := params.(*Params); ok && variant == algorithms.Strict && p.Counts == ByDepth {
		err = errors.Join(err, fmt.Errorf("counts: %q under variant strict, must be %q: N/2^depth publishes the exact number of records (errata R3)", ByDepth, Noisy))
	}
	return err
}
