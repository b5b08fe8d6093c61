// Package incognito publishes a table with k-anonymity by full-domain generalisation (LeFevre,
// DeWitt & Ramakrishnan, Incognito: Efficient Full-Domain K-Anonymity, SIGMOD 2005). Every
// quasi-identifier is generalised as a whole, to one level of its hierarchy: a generalisation is a
// vector of levels. The search goes breadth first through the vectors of ever larger sets of
// quasi-identifiers, prunes those with a part that is not k-anonymous, counts the others by rolling
// up known counts, and finds every minimal k-anonymous vector. The one with the least
// discernibility is published; since discernibility grows along generalisation, it is the least of
// all k-anonymous vectors.
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
//   - No record is suppressed.
//   - Without a hierarchy an attribute has its taxonomy, or its values and one group above them
//     (datasets.Attribute.Generalisation).
package incognito

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "incognito".
type Algorithm struct{}

// Params are Incognito's parameters.
type Params struct {
	K int `yaml:"k" doc:"the least number of records that share a published combination of quasi-identifiers" min:"2" max:"2147483647"`
}

func (p *Params) Anonymity() int { return p.K }

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: "incognito", Title: "Incognito full-domain k-anonymity",
		Source: "LeFevre, DeWitt & Ramakrishnan 2005, section 3; the opponent in LeFevre et al." +
			" 2006, section 6",
		Input:    algorithms.TableInput,
		Produces: []algorithms.Product{algorithms.RegionsProduct, algorithms.MembershipProduct},
		Variants: []algorithms.Guarantee{algorithms.KAnonymous(
			"The generalised table is k-anonymous without suppression.")},
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return DefaultParams() }

// DefaultParams are groups of at least 10 records.
func DefaultParams() *Params { return &Params{K: 10} }

// Release generalises the rows by the best vector. Regions are in ascending order of their
// groups, whatever the order of the rows. An empty input gives an empty release; 1 to k-1 rows give
// an error that wraps algorithms.ErrTooFew. More than 16 quasi-identifiers, too many vectors of
// levels or values give one that wraps algorithms.ErrTooLarge. Structure counts the vectors whose
// groups were counted as Nodes, the regions as Leaves, and the sum of the vector's levels as Depth.
func (Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*Params](ctx, Algorithm{}, in)
	if err != nil {
		return nil, err
	}
	if err := algorithms.CheckEnough(in.Table.Schema(), len(in.Rows), params.K); err != nil {
		return nil, fmt.Errorf("incognito: %w", err)
	}
	result, err := Search(ctx, in.Table, in.Rows,
		algorithms.LeastRecords(in.Table.Schema(), params.K))
	if err != nil {
		return nil, err
	}
	attributes := in.Table.Schema().QuasiIdentifiers()
	hierarchies, err := hierarchiesOf(in.Table.Schema(), attributes)
	if err != nil {
		return nil, err
	}
	regions := generalise(in.Table, in.Rows, attributes, hierarchies, result.Best)
	structure := algorithms.Structure{Nodes: result.Counted, Leaves: regions.Len()}
	for _, level := range result.Best {
		structure.Depth += level
	}
	return &algorithms.Release{Regions: regions, Structure: structure}, nil
}

func generalise(table *datasets.Table, rows []int32, attributes []int,
	hierarchies []*datasets.Hierarchy, vector []int) *algorithms.Regions {
	schema := table.Schema()
	dims := len(attributes)
	regions := &algorithms.Regions{
		Attributes: attributes, Classes: schema.Classes(),
		Low: []uint32{}, High: []uint32{}, Counts: []float64{},
		Assignment: make([]int32, len(rows)),
	}
	levels := make([]*datasets.Level, dims)
	columns := make([]*datasets.Column, dims)
	for d, attribute := range attributes {
		hierarchy := hierarchies[d]
		levels[d] = &hierarchy.Levels[vector[d]]
		columns[d] = table.Column(attribute)
		if hierarchy.Axis != nil {
			if regions.Axes == nil {
				regions.Axes, regions.Nodes = make([]*datasets.Axis, dims), []int32{}
			}
			regions.Axes[d] = hierarchy.Axis
		}
	}
	codes := make([]uint32, len(rows)*dims)
	for d := range dims {
		for i, row := range rows {
			codes[i*dims+d] = levels[d].Group[columns[d].At(row)]
		}
	}
	groups, of := partition.Group(codes, dims, len(rows))
	for _, group := range groups {
		for d, code := range group {
			regions.Low = append(regions.Low, levels[d].Low[code])
			regions.High = append(regions.High, levels[d].High[code])
			if regions.Axes == nil {
				continue
			}
			node := int32(-1)
			if levels[d].Node != nil {
				node = levels[d].Node[code]
			}
			regions.Nodes = append(regions.Nodes, node)
		}
	}
	regions.Counts = make([]float64, len(groups)*regions.Classes)
	class := schema.Class()
	for i, row := range rows {
		region, label := of[i], 0
		if class >= 0 {
			label = int(table.Column(class).At(row))
		}
		regions.Assignment[i] = region
		regions.Counts[int(region)*regions.Classes+label]++
	}
	return regions
}
