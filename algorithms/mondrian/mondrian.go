// Package mondrian publishes a table with k-anonymity by greedy multidimensional partitioning
// (LeFevre, DeWitt & Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006): a region is
// cut at the median of its widest quasi-identifier, recursively, as long as k records stay on
// either side. Strict partitions put equal records into the same region, relaxed ones need not.
//
// Beyond the paper, whose future work it is, a strict partition can be made for a purpose. With
// split: class, cuts are those that tell most about the class attribute, by information gain (as in
// LeFevre, DeWitt & Ramakrishnan, Workload-aware anonymization, KDD 2006, from which the idea is,
// not the details). With split: workload they are those that bring the answers to a given set of
// count queries closest to the truth: the error of each query over all regions is kept while
// regions are cut, largest first. Boxes decide, as for records spread uniformly in them. Either way
// cuts must leave k records on both sides, and regions are cut for as long as that is possible.
// k-anonymity is as before; but where a cut lies now depends on classes or counts, which are
// published too.
//
// What is published are the regions with their boxes, tight ranges, means and exact class counts;
// that table is k-anonymous with respect to the quasi-identifiers. Classifiers need records, so
// the release also holds one record for each input record, its quasi-identifiers drawn anew from
// its region. Drawing uses only what the regions say: it adds no protection and takes none away.
// Class and sensitive attributes are published as they are. k-anonymity bounds how far a record
// can be linked, not what can be inferred about it (errata M3), and is no differential privacy.
// Regions.Assignment, the region of each input row, is for measuring only and not to be published.
//
// The package leaves out discernibility and the other figures of the paper, which are metrics.
//
// Deviations:
//   - Where the cut {≤ m | > m} at the lower median m leaves too few records above, {< m | ≥ m} is
//     tried (cut: first) or the more even of the two is taken (cut: even). With the printed cut
//     alone, regions that could be cut are not and the paper's Theorem 4 is false (errata M1).
//   - Where the widest quasi-identifier has no allowable cut, the next widest is tried: the paper
//     asks for a cut if there is one, and for the widest dimension, without saying what comes
//     first.
//   - Widths are divided by the width of the public domain, not of the data; ties go to the
//     attribute that comes first in the schema.
//   - In relaxed partitions the records at the median are shared out in the order of the table's
//     rows; the paper leaves the order open.
//   - Continuous attributes are cut and summarised at the schema's cells; their means are exact.
//   - The paper does not say how records are had from regions; see Records.
//   - With split: workload at most 256 cuts of an attribute, evenly spread, are judged in a region.
package mondrian

import (
	"context"
	"fmt"
	"slices"

	"ppdp/algorithms"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "mondrian".
type Algorithm struct{}

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: "mondrian", Title: "Mondrian multidimensional k-anonymity",
		Source: "LeFevre, DeWitt & Ramakrishnan 2006, Fig. 7 and section 4",
		Input:  algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct,
			algorithms.MembershipProduct},
		Variants: []algorithms.Guarantee{algorithms.KAnonymous(
			"The generalised table is k-anonymous; records are drawn from it. No bound on"+
				" inference, no differential privacy.", "M1", "M3")},
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }

// Release partitions the rows and draws a record for each. The published records stand in the
// order of the regions, so that their place does not lead back to a row. An empty input gives an
// empty release; 1 to k-1 rows give an error that wraps algorithms.ErrTooFew.
func (Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*Params](ctx, Algorithm{}, in)
	if err != nil {
		return nil, err
	}
	if err := algorithms.CheckEnough(len(in.Rows), params.K); err != nil {
		return nil, fmt.Errorf("mondrian: %w", err)
	}
	// Rows are taken in the order of the table, so that a partition depends on which they are and
	// not on how the caller lists them. Copied together they are also close in memory.
	table, order, members := in.Table, []int(nil), in.Rows
	if !whole(in.Rows, in.Table.Len()) {
		rows := in.Rows
		if !slices.IsSorted(rows) {
			order = make([]int, len(rows))
			for i := range order {
				order[i] = i
			}
			slices.SortStableFunc(order, func(i, j int) int { return int(rows[i]) - int(rows[j]) })
			rows = make([]int32, len(rows))
			for i, at := range order {
				rows[i] = in.Rows[at]
			}
		}
		table = table.Select(rows)
		members = table.AllRows()
	}
	p, err := split(ctx, table, members, params)
	if err != nil {
		return nil, fmt.Errorf("mondrian: %w", err)
	}
	if p.regions.Assignment = p.assignment(); order != nil {
		assigned := make([]int32, len(order))
		for i, at := range order {
			assigned[at] = p.regions.Assignment[i]
		}
		p.regions.Assignment = assigned
	}
	records := table.Select(p.rows)
	p.summarise(records)
	if err := p.draw(ctx, records, params.Records, in.Noise.Open("records")); err != nil {
		return nil, err
	}
	return &algorithms.Release{Table: records, Regions: p.regions, Structure: p.structure}, nil
}

// whole says whether rows are all rows of a table in order.
func whole(rows []int32, n int) bool {
	if len(rows) != n {
		return false
	}
	for i, row := range rows {
		if int(row) != i {
			return false
		}
	}
	return true
}
