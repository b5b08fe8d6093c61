// Package mondrian publishes a table with k-anonymity by greedy multidimensional partitioning
// (LeFevre, DeWitt & Ramakrishnan, Mondrian Multidimensional K-Anonymity, ICDE 2006): a region is
// cut at the median of its widest quasi-identifier, recursively, as long as k records stay on
// either side (anonymize is Fig. 7, with its steps beside it). Strict partitions (section 2) put
// equal records into the same region, relaxed ones (section 3, anonymizeRelaxed) need not. A strict
// region of d quasi-identifiers has at most 2d(k-1)+m records, m of them equal (Theorem 4, with
// errata M1), a relaxed one 2k-1 (Theorem 5).
//
// Two more rules choose the cuts of a strict partition; the paper names them as future work. split:
// class takes the cut of largest information gain about the class (the idea, not the details, is
// that of LeFevre, DeWitt & Ramakrishnan, Workload-aware anonymization, KDD 2006). split: workload
// takes the cut that lowers the error of counts of every value the most, summed over all regions,
// the largest region first; records count as spread uniformly in their box. Regions are cut as
// long as k records stay on both sides. The partition then depends on classes or counts, which are
// published too.
//
// Regions may have to keep l-diversity and t-closeness, and to have records of k persons (package
// disclosure): a cut is allowed where both sides do. What a region breaks, its parts together
// break, so that no cut leads from a partition that breaks a limit to one that keeps it; but a cut
// that is refused in a region may be allowed in a part of it.
//
// Published are the regions with boxes, tight ranges, means and exact class counts (section 5).
// This table is k-anonymous with respect to the quasi-identifiers. The release also holds one
// record for each input record, its quasi-identifiers drawn anew from its region, which uses only
// what the regions say. Class and sensitive attributes stay as they are. k-anonymity bounds how far
// a record can be linked, not what can be inferred about it (errata M3). Regions.Assignment is for
// measuring only and not to be published.
//
// The package leaves out discernibility and the other figures of the paper, which are metrics.
//
// Deviations:
//   - Where the cut {≤ m | > m} at the lower median m leaves too few records above, {< m | ≥ m} is
//     tried (cut: first), or the more even of the two is taken (cut: even). With the printed cut
//     alone some regions stay uncut and the paper's Theorem 4 is false (errata M1).
//   - Where the widest quasi-identifier has no allowable cut, the next widest is tried.
//   - Widths are divided by the width of the public domain, not of the data; of equal ones the
//     first in the schema is taken.
//   - Relaxed partitions share out the records at the median in the order of the table's rows; the
//     paper leaves the order open. Who knows it may know which of two regions holds a record.
//   - Continuous attributes are cut and summarised at the schema's cells; their means are exact.
//   - The paper does not say how records are drawn from regions; see Records.
//   - split: workload judges at most 256 cuts of an attribute in a region, evenly spread.
//   - l-diversity and t-closeness are not in the paper. Of a region's dimensions only the
//     cuts beside the median are tried, as with k; with split: class before them the most
//     informative one.
//   - A workload is a count for every value of every quasi-identifier; section 5 defines weighted
//     aggregates over several attributes, and leaves cutting for them to the future.
//   - Section 4.2 partitions tables larger than memory on disk, a scan and a copy for each level of
//     the tree. Here the table must fit: codes take a byte each for domains of up to 256 cells, and
//     "ppdp release" peaks at 10 GB for 10⁸ rows of eight such attributes (docs/performance.md).
//     Rows are numbered in 31 bits.
//   - There are no user-defined hierarchies, as in the paper, whose section 8 leaves them to the
//     future: values are cut in the schema's order.
package mondrian

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
)

// Algorithm is the baseline "mondrian".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "mondrian", Title: "Mondrian multidimensional k-anonymity",
	Source: "LeFevre, DeWitt & Ramakrishnan 2006, Fig. 7 and section 4",
	Input:  algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct,
		algorithms.MembershipProduct},
	Variants: []algorithms.Guarantee{algorithms.KAnonymous(
		"The generalised table is k-anonymous; records are drawn from it.", "M1")},
	Revision: 3,
}, DefaultParams, publish)

// publish partitions the rows and draws a record for each. The published records are in the
// order of the regions and shuffled within each, so that their place does not lead back to a row.
// An empty input gives an empty release; 1 to k-1 rows give an error that wraps
// algorithms.ErrTooFew.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	if err := algorithms.CheckEnough(len(in.Rows), params.K); err != nil {
		return nil, fmt.Errorf("mondrian: %w", err)
	}
	table, rows, order := partition.InOrder(in.Table, in.Rows)
	p, err := split(ctx, table, rows, params)
	if err != nil {
		return nil, fmt.Errorf("mondrian: %w", err)
	}
	made, err := p.made.Publish(ctx, table, order, params.Records, in.Noise)
	if err != nil {
		return nil, err
	}
	made.Structure = p.structure
	return made, nil
}
