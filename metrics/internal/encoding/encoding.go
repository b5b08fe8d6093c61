// Package encoding writes the regions of a published partition as records that classifiers can
// learn from: one record for each region, an attribute for what its box says along each dimension.
// It leaves out weights (the published counts), finding a record's region, and learning.
//
// A record that is generalised is the record of its region, so that training and test records that
// share a region become equal (Al-Hussaeni et al. 2018, section 5.1). What is read off the release,
// such as which taxonomy nodes occur, is read off all of its regions and not off the records.
package encoding

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Encoding is a way of writing a box as attributes. Its first word is for the categorical
// dimensions, its second for the numeric ones; a single word is for both.
type Encoding string

const (
	// NodeMidpoint has for each taxonomy node that some region carries an attribute of the values
	// no and yes: yes where the region's node is that node or lies below it. The root, which is yes
	// everywhere, is left out. Intervals become their midpoints.
	NodeMidpoint Encoding = "node-midpoint"
	// NodeWidth is NodeMidpoint with the width of intervals as a share of the domain.
	NodeWidth Encoding = "node-width"
	// Nominal has one attribute for each dimension, whose values are the nodes or intervals that
	// occur, so that nothing numeric is left.
	Nominal Encoding = "nominal"
	// Midpoint reads every dimension as a line: categorical ones are intervals of ranks or codes.
	Midpoint Encoding = "midpoint"
)

// Enum lists all of them.
func (Encoding) Enum() []string {
	return algorithms.Words(NodeMidpoint, NodeWidth, Nominal, Midpoint)
}

// form writes one dimension as attributes.
type form func(x *dimension, add func(datasets.Attribute, column))

// forms are those of categorical and of numeric dimensions.
var forms = map[Encoding][2]form{
	NodeMidpoint: {(*dimension).membership, (*dimension).midpoint},
	NodeWidth:    {(*dimension).membership, (*dimension).width},
	Nominal:      {(*dimension).nominal, (*dimension).nominal},
	Midpoint:     {(*dimension).midpoint, (*dimension).midpoint},
}

// Record is a generalised record: a region and the class that goes with it.
type Record struct {
	Region int32
	Class  uint32
}

// Encode writes records of the regions of a release as a table, in order. The last attribute is the
// class attribute of the schema the regions were made in, which must have one; all numeric
// attributes have public bounds. It returns early with ctx.Err() when the context ends.
func (e Encoding) Encode(ctx context.Context, schema *datasets.Schema, regions *algorithms.Regions,
	records []Record) (*datasets.Table, error) {
	as, class := forms[e], schema.Class()
	encoded := &datasets.Schema{}
	var columns []column
	add := func(a datasets.Attribute, c column) {
		encoded.Attributes = append(encoded.Attributes, a)
		columns = append(columns, c)
	}
	for d, attribute := range regions.Attributes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		x := &dimension{regions: regions, dim: d, attribute: &schema.Attributes[attribute]}
		if x.attribute.Kind == datasets.Numeric {
			as[1](x, add)
		} else {
			as[0](x, add)
		}
	}
	last := len(encoded.Attributes)
	encoded.Attributes = append(encoded.Attributes, schema.Attributes[class])
	builder := datasets.NewBuilder(encoded, len(records))
	for range records {
		builder.AddRow()
	}
	var byPlace []uint32 // of the records in byRecord
	byRecord := make([]uint32, len(records))
	for at, c := range columns {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(byPlace) == 0 || &byPlace[0] != &c.byPlace[0] {
			byPlace = c.byPlace
			for row, record := range records {
				byRecord[row] = byPlace[c.place(int(record.Region))]
			}
		}
		builder.Column(at).Put(0, byRecord, c.translate)
	}
	for row, record := range records {
		builder.Set(row, last, record.Class)
	}
	return builder.Table(), nil
}

// column holds the codes of one attribute. Attributes that say different things about one dimension
// share what is as long as the places are many.
type column struct {
	*dimension
	byPlace   []uint32
	translate []uint32 // from what byPlace holds to codes; nil where those are the codes
}

// dimension is one dimension of a release's regions.
type dimension struct {
	regions   *algorithms.Regions
	dim       int
	attribute *datasets.Attribute
}

// place is where what is said of a region is kept: at its side where regions share them, which are
// few, else at the region.
func (x *dimension) place(region int) int {
	if x.regions.Sides != nil {
		return x.regions.Side(region, x.dim)
	}
	return region
}

// atPlaces is what is said of the side at each place, 0 at those that no region has.
func atPlaces[T uint32 | uint64](x *dimension, say func(side int) T) []T {
	n := x.regions.Len()
	if x.regions.Sides != nil {
		n = len(x.regions.Low)
	}
	said, seen := make([]T, n), make([]bool, n)
	for r := range x.regions.Len() {
		if at := x.place(r); !seen[at] {
			said[at], seen[at] = say(x.regions.Side(r, x.dim)), true
		}
	}
	return said
}

// axis is the dimension's axis; where boxes are intervals of codes, that of the attribute. Nil for
// a numeric dimension.
func (x *dimension) axis() (axis *datasets.Axis, own bool) {
	if x.regions.Axes != nil && x.regions.Axes[x.dim] != nil {
		return x.regions.Axes[x.dim], true
	}
	return x.attribute.Axis(), false
}

// node returns the taxonomy node of a side: its own or, for an interval of codes, the lowest that
// has all of them below it.
func (x *dimension) node(axis *datasets.Axis, own bool, side int) uint32 {
	if own {
		return uint32(x.regions.Nodes[side])
	}
	low, high := x.regions.Low[side], x.regions.High[side]
	first, last := axis.Rank[low], axis.Rank[low]
	for _, rank := range axis.Rank[low:high] {
		first, last = min(first, rank), max(last, rank)
	}
	at := 0
	for len(axis.Taxonomy.Nodes[at].Children) > 0 {
		child := axis.Child(at, first)
		if last >= axis.High[child] {
			break
		}
		at = child
	}
	return uint32(at)
}

// membership adds an attribute for each node that occurs.
func (x *dimension) membership(add func(datasets.Attribute, column)) {
	axis, own := x.axis()
	nodes := atPlaces(x, func(side int) uint32 { return x.node(axis, own, side) })
	tree := axis.Taxonomy.Nodes
	occurs := make([]bool, len(tree))
	for _, n := range nodes {
		occurs[n] = true
	}
	for n := 1; n < len(tree); n++ {
		if !occurs[n] {
			continue
		}
		below := make([]uint32, len(tree)) // parents come before their children
		below[n] = 1
		for i := n + 1; i < len(tree); i++ {
			below[i] = below[tree[i].Parent]
		}
		add(datasets.Attribute{Name: x.attribute.Name + "/" + tree[n].Name,
			Kind: datasets.Categorical, Values: []string{"no", "yes"}}, column{x, nodes, below})
	}
}

// nominal adds one attribute of the nodes or intervals that occur, in their order.
func (x *dimension) nominal(add func(datasets.Attribute, column)) {
	name := func(key uint64) string { return fmt.Sprintf("[%d, %d)", key>>32, key&(1<<32-1)) }
	key := func(side int) uint64 {
		return uint64(x.regions.Low[side])<<32 | uint64(x.regions.High[side])
	}
	if axis, own := x.axis(); axis != nil {
		key = func(side int) uint64 { return uint64(x.node(axis, own, side)) }
		name = func(key uint64) string {
			return strconv.FormatUint(key, 10) + " " + axis.Taxonomy.Nodes[key].Name
		}
	}
	var distinct []uint64
	keys := atPlaces(x, func(side int) uint64 {
		distinct = append(distinct, key(side))
		return distinct[len(distinct)-1]
	})
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	a := datasets.Attribute{Name: x.attribute.Name, Kind: datasets.Categorical}
	for _, key := range distinct {
		a.Values = append(a.Values, name(key))
	}
	of := make([]uint32, len(keys))
	for place, key := range keys {
		at, _ := slices.BinarySearch(distinct, key)
		of[place] = uint32(at)
	}
	add(a, column{x, of, nil})
}

// midpoint adds the mean of the interval's numbers, in steps of half a cell.
func (x *dimension) midpoint(add func(datasets.Attribute, column)) {
	a := datasets.Attribute{Name: x.attribute.Name, Step: 0.5}
	if x.attribute.Kind == datasets.Numeric {
		a.Low, a.Step = x.attribute.Number(0), x.attribute.Step/2
	}
	cells := uint32(x.attribute.Numbers())
	a.High = a.Low + float64(float64(2*cells-1)*a.Step)
	if x.attribute.Kind == datasets.Numeric {
		a.Missing = x.attribute.Missing
	}
	add(a, column{x, atPlaces(x, func(side int) uint32 {
		// Missing numbers have no part in a mean; alone they are missing here, too.
		return x.regions.Low[side] + min(x.regions.High[side], cells+x.regions.Low[side]/cells) - 1
	}), nil})
}

// width adds the interval's share of the domain.
func (x *dimension) width(add func(datasets.Attribute, column)) {
	cell := 1 / float64(x.attribute.Cells())
	add(datasets.Attribute{Name: x.attribute.Name, Low: cell, High: 1 + cell, Step: cell},
		column{x, atPlaces(x, func(side int) uint32 {
			return x.regions.High[side] - x.regions.Low[side] - 1
		}), nil})
}
