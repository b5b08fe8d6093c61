// Package incognito publishes a table with k-anonymity by full-domain generalisation (LeFevre,
// DeWitt & Ramakrishnan, Incognito: Efficient Full-Domain K-Anonymity, SIGMOD 2005). Every
// quasi-identifier is generalised as a whole, to one level of its hierarchy: a generalisation is a
// vector of levels. The search goes breadth first through the vectors of one set of
// quasi-identifiers after the other, a set after all its subsets, prunes those with a part that is
// not k-anonymous, counts the others by rolling up known counts, and finds every minimal
// k-anonymous vector. The one with the least discernibility is published; since discernibility
// grows along generalisation, it is the least of all k-anonymous vectors.
//
// With suppression a vector is allowed when the records in groups of fewer than k are no more than
// a limit; they are left out. That is monotone, since no record leaves the groups of k when these
// grow. But a record that is left out costs as much as there are records, and a generalisation may
// cost less than a vector below it: every allowed vector is judged, not the minimal ones alone.
//
// Groups may have to keep l-diversity and t-closeness, too (package disclosure). Without
// suppression these prune as k does. With it entropy, recursive and t do not, since a group that
// breaks them may spoil one that it is joined with: then vectors are pruned by what is necessary, k
// and as many different values as l says, and all others are judged. A distance is to the records
// that are published: groups that are too far are left out, all at once, until all that remain are
// near.
//
// Published are the groups that hold records, with their boxes and exact class counts; class and
// sensitive attributes stay as they are. k-anonymity bounds how far a record can be linked, not
// what can be inferred about it (errata M3). Regions.Assignment is for measuring only and not to be
// published. The package leaves out the hierarchies, which are part of the schema.
//
// Deviations:
//   - The paper returns all k-anonymous vectors. Here the minimal ones are found (Search) and the
//     one with the least discernibility is released, as in LeFevre et al. 2006; of equal ones the
//     first in the order of levels.
//   - Counts of a set of attributes start from those of the whole table's distinct records (the
//     paper's Cube Incognito starts from those of the superset).
//   - l-diversity and t-closeness are not in the paper.
//   - Without a hierarchy an attribute has its taxonomy, or its values and one group above them
//     (datasets.Attribute.Generalisation).
package incognito

import (
	"context"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// Params are Incognito's parameters.
type Params struct {
	K                      int `yaml:"k" doc:"the least number of records that share a published combination of quasi-identifiers" min:"2" max:"2147483647"`
	disclosure.Limits      `yaml:",inline"`
	disclosure.Suppression `yaml:"suppression" doc:"the largest share of records that may be left out" min:"0" max:"1"`
}

func (p *Params) Anonymity() int { return p.K }

// Algorithm is the baseline "incognito".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "incognito", Title: "Incognito full-domain k-anonymity",
	Source: "LeFevre, DeWitt & Ramakrishnan 2005, section 3; the opponent in LeFevre et al." +
		" 2006, section 6",
	Input:    algorithms.TableInput,
	Produces: []algorithms.Product{algorithms.RegionsProduct, algorithms.MembershipProduct},
	Variants: []algorithms.Guarantee{algorithms.KAnonymous(
		"The generalised table is k-anonymous, without suppression unless that is asked for.")},
	Revision: 2,
}, DefaultParams, publish)

// DefaultParams are groups of at least 10 records, none suppressed.
func DefaultParams() *Params {
	return &Params{K: 10, Limits: disclosure.NoLimits()}
}

// publish generalises the rows by the best vector. Regions are in ascending order of their
// groups, whatever the order of the rows. An empty input gives an empty release; 1 to k-1 rows give
// an error that wraps algorithms.ErrTooFew. More than 16 quasi-identifiers, too many vectors of
// levels or values give one that wraps algorithms.ErrTooLarge. Structure counts the vectors whose
// groups were counted as Nodes, the regions as Leaves, and the sum of the vector's levels as Depth.
func publish(ctx context.Context, in algorithms.Input,
	params *Params) (*algorithms.Release, error) {
	result, err := Search(ctx, in.Table, in.Rows, params)
	if err != nil {
		return nil, err
	}
	regions, err := generalise(in.Table, in.Rows, result, params)
	if err != nil {
		return nil, err
	}
	structure := algorithms.Structure{Nodes: result.Counted, Leaves: regions.Len()}
	for _, level := range result.Best {
		structure.Depth += level
	}
	return &algorithms.Release{Regions: regions, Structure: structure}, nil
}

// generalise makes the regions of the best vector: the groups of values on its levels.
func generalise(table *datasets.Table, rows []int32, result *Result,
	params *Params) (*algorithms.Regions, error) {
	limits, err := params.Checker(table, rows, params.K)
	if err != nil {
		return nil, err
	}
	dims := len(result.hierarchies)
	levels, axes := make([]*datasets.Level, dims), make([]*datasets.Axis, dims)
	codes, groups := make([]uint32, len(rows)), make([]uint32, len(rows)*dims)
	for d, attribute := range table.Schema().QuasiIdentifiers() {
		hierarchy := result.hierarchies[d]
		levels[d], axes[d] = &hierarchy.Levels[result.Best[d]], hierarchy.Axis
		table.Column(attribute).Gather(rows, codes)
		for i, code := range codes {
			groups[i*dims+d] = levels[d].Group[code]
		}
	}
	regions, published := partition.ClassRegions(table, rows, groups,
		func(d int, group uint32) (low, high uint32) {
			return levels[d].Low[group], levels[d].High[group]
		}, func(of []int32, classes int) []bool {
			return limits.Published(params.K, rows, of, classes)
		})
	if !slices.ContainsFunc(axes, func(axis *datasets.Axis) bool { return axis != nil }) {
		return regions, nil
	}
	regions.Axes, regions.Nodes = axes, []int32{}
	for _, groups := range published {
		for d, group := range groups {
			node := int32(-1)
			if levels[d].Node != nil {
				node = levels[d].Node[group]
			}
			regions.Nodes = append(regions.Nodes, node)
		}
	}
	return regions, nil
}
