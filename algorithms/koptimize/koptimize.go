// Package koptimize publishes a table with k-anonymity by the best single-dimensional partitioning
// that a complete search finds (Bayardo & Agrawal, Data Privacy through Optimal k-Anonymization,
// ICDE 2005). Each cut of a quasi-identifier cuts the whole table; the classes lie between cuts.
// The search minimises discernibility, the sum of the squares of the classes' sizes. A class of
// fewer than k records is not allowed or, with suppression, left out at a cost of the table's size
// for each of its records.
//
// The search is the paper's K-OPTIMIZE (kOptimize lists its steps). It walks the set-enumeration
// tree of all sets of cuts; a node has a head, the cuts taken, and a tail, the cuts that may still
// join. PRUNE-USELESS-VALUES is priceTail, PRUNE prune, REORDER-TAIL reorderTail, COMPUTE-COST
// priceCuts and COMPUTE-LOWER-BOUND computeLowerBound. The search is exact when it ends by itself,
// and anytime: it begins with the best partitioning that a climb finds (climber) and keeps the
// best. When a limit of work or nodes ends it early, it has a lower bound for the sets not visited.
// Structure.Gap is (cost - bound)/cost: 0 if, and only if, the release is proven optimal; otherwise
// a warning reports it. Limits count steps, not seconds, so that releases are the same on every
// machine.
//
// A limited search begins with the best full-domain generalisation that is a partitioning, and with
// what searches at larger k find, so that cost falls with k (solve).
//
// What makes the search fast, without changing what it finds:
//   - Records are grouped into cells that no cut of the tail separates. A cell is a set of bits,
//     one for each cut it lies beyond. Classes with a single cell leave the search.
//   - All pairs of a node's cuts are priced from joint counts before any child is made. This finds
//     pairs that exclude each other, since they leave a class too small or cost too much already,
//     and cuts that lead to nothing better with any others.
//   - A node's bound adds up, class by class, the best of four: what its size allows (at most
//     ⌊m/k⌋ classes), the sum of what each cut through it saves, into how many classes e
//     cuts on d attributes can divide it, and the paper's, that no record costs less than k or
//     than its cell has records. Of cuts that exclude one another, grouped greedily, one counts.
//   - Attributes with few values are branched on first. What is left for the last one is solved by
//     dynamic programming.
//
// Where a person may have several records, k is as many records as k persons have for certain.
//
// Published are the classes' boxes, ranges and exact class counts; class and sensitive attributes
// stay as they are. k-anonymity bounds how far a record can be linked, not what can be inferred
// about it (errata M3). Regions.Assignment is for measuring only and not to be published. Like
// LeFevre et al. 2006, who compare against it, the package has no hierarchies: it takes every cut
// between values in the schema's order.
//
// Deviations:
//   - Without suppression, the default, no record is suppressed, as in LeFevre et al. 2006. A
//     share of 1 is the paper's own form.
//   - Tails are ordered by attribute, and of one attribute by the cost of the head with the cut,
//     the cheapest first; the paper orders by the number of classes that a cut splits.
//   - Cuts lie next to the lower of two neighbouring values that occur.
//   - The search starts from a partitioning found by a climb, by Incognito and at larger k; the
//     paper's starts from none.
package koptimize

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Params are K-Optimize's parameters.
type Params struct {
	K           int `yaml:"k" doc:"the least number of records that share a published combination of quasi-identifiers" min:"2" max:"2147483647"`
	Suppression int `yaml:"suppression" doc:"the largest share of records that may be left out: none or all; each costs as many records as the table has" min:"0" max:"1"`
	// Searches at larger k, of which there are one to three for each decade up to half the rows,
	// have the same limit.
	Work int `yaml:"work" doc:"end the search after this many million steps, a step being about a counted cell or 2 ns; 0 is no limit" min:"0" max:"1000000000"`
}

func (p *Params) Anonymity() int { return p.K }

// Suppressible is the largest share of records left out.
func (p *Params) Suppressible() disclosure.Suppression {
	return disclosure.Suppression(p.Suppression)
}

// Algorithm is the baseline "koptimize".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "koptimize", Title: "K-Optimize single-dimensional k-anonymity",
	Source: "Bayardo & Agrawal 2005, sections 3 to 5; the opponent in LeFevre et al. 2006," +
		" section 6",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RegionsProduct, algorithms.MembershipProduct},
	Variants: []algorithms.Guarantee{algorithms.KAnonymous(
		"The generalised table is k-anonymous, optimal or not.")},
	Revision: 6,
}, DefaultParams, publish)

// DefaultParams are classes of at least 10 records, none suppressed, 200 million steps.
func DefaultParams() *Params { return &Params{K: 10, Work: 200} }

// publish partitions the rows. Regions are the classes that hold records, in ascending order of
// their boxes, whatever the order of the rows. An empty input gives an empty release; 1 to k-1 rows
// give an error that wraps algorithms.ErrTooFew, unless all may be suppressed. A table whose
// quasi-identifiers have more than 4,096 cuts gives one that wraps algorithms.ErrTooLarge.
// Structure counts the nodes of the tree that were visited at this k as Nodes, the regions as
// Leaves, the number of cuts as Depth, and says the Gap.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	k, suppress := algorithms.LeastRecords(in.Table.Schema(), params.K), params.Suppression > 0
	if !suppress {
		if err := enough(in, params.K); err != nil {
			return nil, fmt.Errorf("koptimize: %w", err)
		}
		k = min(k, max(params.K, len(in.Rows))) // all of them are records of k persons
	}
	p, err := newProblem(in.Table, in.Rows, k, suppress)
	if err != nil {
		return nil, err
	}
	s, err := solve(ctx, in.Table, p, int64(params.Work)*1e6)
	if err != nil {
		return nil, err
	}
	regions := p.regions(in.Table, s.bestCuts)
	release := &algorithms.Release{Regions: regions, Structure: algorithms.Structure{
		Nodes: s.nodes, Leaves: regions.Len(), Depth: len(s.bestCuts), Gap: s.gap(),
	}}
	if release.Structure.Gap > 0 {
		release.Warnings = append(release.Warnings, fmt.Sprintf(
			"not proven optimal: the search ended at its limit after %d nodes, a discernibility"+
				" of %d was found and none below %d is possible (gap %.1f %%)",
			s.nodes, s.best, s.lower(), 100*release.Structure.Gap))
	}
	return release, nil
}

// enough reports rows that are fewer than k, or of fewer than k persons.
func enough(in algorithms.Input, k int) error {
	if err := algorithms.CheckEnough(len(in.Rows), k); err != nil {
		return err
	}
	persons, err := (&disclosure.Limits{}).Checker(in.Table, in.Rows, k)
	return errors.Join(err, persons.CheckAll())
}

// regions makes the classes of a set of cuts.
func (p *problem) regions(table *datasets.Table, taken []int32) *algorithms.Regions {
	ends := make([][]uint32, p.dims) // of the parts of each dimension
	for _, c := range slices.Sorted(slices.Values(taken)) {
		ends[p.cuts[c].dim] = append(ends[p.cuts[c].dim], p.cuts[c].at)
	}
	n := len(p.rows)
	codes, parts := make([]uint32, n*p.dims), make([]uint32, n*p.dims)
	column := make([]uint32, n)
	for d, attribute := range table.Schema().QuasiIdentifiers() {
		ends[d] = append(ends[d], uint32(table.Schema().Attributes[attribute].Cells()))
		table.Column(attribute).Gather(p.rows, column)
		for i, code := range column {
			part, _ := slices.BinarySearch(ends[d], code+1)
			codes[i*p.dims+d], parts[i*p.dims+d] = code, uint32(part)
		}
	}
	regions, _ := partition.ClassRegions(table, p.rows, parts,
		func(d int, part uint32) (low, high uint32) {
			if part > 0 {
				low = ends[d][part-1]
			}
			return low, ends[d][part]
		}, func(of []int32, classes int) []bool {
			var onlyK *disclosure.Checker // nil asks for nothing but k
			return onlyK.Published(p.k, p.rows, of, classes)
		})
	regions.TightLow, regions.TightHigh = slices.Clone(regions.High), slices.Clone(regions.Low)
	for i, region := range regions.Assignment {
		for d, code := range codes[i*p.dims : (i+1)*p.dims] {
			if region >= 0 {
				at := int(region)*p.dims + d
				regions.TightLow[at] = min(regions.TightLow[at], code)
				regions.TightHigh[at] = max(regions.TightHigh[at], code+1)
			}
		}
	}
	return regions
}
