package diffgen

import (
	"cmp"
	"context"
	"slices"
	"sort"

	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/privacy"
)

// member is one value of the common cut: a taxonomy node or an interval of one attribute.
type member struct {
	dim       int
	node      int32 // -1 of a numeric attribute
	low, high uint32
	// at is the cut point of an interval of more than one cell, 0 of others.
	at    uint32
	score float64
}

// cut is the search for the common cut.
type cut struct {
	params    *Params
	scorer    partition.Scorer
	space     *partition.Space
	axes      []*datasets.Axis // of the dimensions, nil of numeric ones
	labels    []uint32         // of the rows
	marginals []marginal
	step      float64 // ε′
	path      privacy.Path
	choice    *privacy.Exponential
	cutPoints *partition.CutPoints
	noise     *privacy.Noise // of the cells

	members   []member // that cannot be specialised, or not yet
	open      []member // candidates
	made      int      // specialisations
	counts    []int32
	penalties []float64
	scores    []float64
}

// step is ε′ = ε/(2(|A_num|+2h)).
func step(epsilon float64, numeric, h int) float64 { return epsilon / (2 * float64(numeric+2*h)) }

// search specialises up to h times, from the tops of all attributes.
func (c *cut) search(ctx context.Context) error {
	for dim := range c.marginals {
		m := member{dim: dim, node: -1, high: c.marginals[dim].cells}
		if c.marginals[dim].axis != nil {
			m.node = 0
		}
		if err := c.enter(&c.path, m); err != nil {
			return err
		}
	}
	for c.made < c.params.Specialisations && len(c.open) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		c.scores = c.scores[:0]
		for i := range c.open {
			c.scores = append(c.scores, c.open[i].score)
		}
		chosen, err := c.choice.Choose(&c.path, c.step, c.scores, nil)
		if err != nil {
			return err
		}
		m := c.open[chosen]
		c.open = slices.Delete(c.open, chosen, chosen+1)
		c.made++
		if err := c.specialise(m); err != nil {
			return err
		}
	}
	c.members = append(c.members, c.open...)
	slices.SortFunc(c.members, func(a, b member) int {
		return cmp.Or(cmp.Compare(a.dim, b.dim), cmp.Compare(a.low, b.low))
	})
	return nil
}

// specialise puts a value's children in its place. The children of an interval hold disjoint
// records and draw their cut points in parallel.
func (c *cut) specialise(m member) error {
	axis := c.marginals[m.dim].axis
	if axis != nil {
		for _, child := range axis.Taxonomy.Nodes[m.node].Children {
			next := member{dim: m.dim, node: int32(child)}
			next.low, next.high = axis.Low[child], axis.High[child]
			if err := c.enter(&c.path, next); err != nil {
				return err
			}
		}
		return nil
	}
	before := c.path.Fork()
	for _, ends := range [2][2]uint32{{m.low, m.at}, {m.at, m.high}} {
		next := member{dim: m.dim, node: -1, low: ends[0], high: ends[1]}
		path := before.Fork()
		if err := c.enter(&path, next); err != nil {
			return err
		}
		if path.Spent() > c.path.Spent() {
			c.path = path
		}
	}
	return nil
}

// enter adds a value to the cut. Where it has children it becomes a candidate with its score; a
// numeric one first draws its cut point, charged to the path.
func (c *cut) enter(path *privacy.Path, m member) error {
	from := &c.marginals[m.dim]
	classes := c.scorer.Classes
	c.counts, c.penalties = c.counts[:0], c.penalties[:0]
	root := float64(from.cells)
	penalty := float64(m.high-m.low) / root
	switch {
	case from.axis == nil && m.high-m.low > 1:
		frequencies := from.frequencies(m.low, m.high, classes)
		at, err := c.cutPoints.Choose(path, c.step, &frequencies)
		if err != nil {
			return err
		}
		m.at = at
		c.counts = from.add(c.counts, m.low, at, classes)
		c.counts = from.add(c.counts, at, m.high, classes)
		c.penalties = append(c.penalties, float64(at-m.low)/root, float64(m.high-at)/root)
	case from.axis != nil && len(from.axis.Taxonomy.Nodes[m.node].Children) > 0:
		penalty = from.axis.Penalty(int(m.node))
		for _, child := range from.axis.Taxonomy.Nodes[m.node].Children {
			c.counts = from.add(c.counts, from.axis.Low[child], from.axis.High[child], classes)
			c.penalties = append(c.penalties, from.axis.Penalty(child))
		}
	default:
		c.members = append(c.members, m)
		return nil
	}
	m.score = c.scorer.Score(c.counts, c.penalties)
	if c.params.scored() && c.params.Score == Reduction {
		c.counts = from.add(c.counts[:0], m.low, m.high, classes)
		c.penalties = append(c.penalties[:0], penalty)
		m.score -= c.scorer.Score(c.counts, c.penalties) // a value is the only child of itself
	}
	c.open = append(c.open, m)
	return nil
}

// grid is the product of the cut's values: cell Σ value[d]·stride[d].
type grid struct {
	members [][]member // of each dimension, ascending
	strides []uint64
	cells   uint64
}

// product lays the grid. At most 2⁶⁰ cells times classes can be numbered.
func (c *cut) product() (*grid, error) {
	dims := len(c.marginals)
	g := &grid{members: make([][]member, dims), strides: make([]uint64, dims), cells: 1}
	for _, m := range c.members {
		g.members[m.dim] = append(g.members[m.dim], m)
	}
	size := float64(c.scorer.Classes)
	for _, members := range g.members {
		size *= float64(len(members))
	}
	if size > 1<<60 {
		return nil, tooLarge("%.3g cells of %d specialisations", size, c.made)
	}
	for d := len(g.members) - 1; d >= 0; d-- {
		g.strides[d] = g.cells
		g.cells *= uint64(len(g.members[d]))
	}
	return g, nil
}

// marginal is one attribute's frequencies over all records. Specialisation is of whole attributes,
// so that scores and cut points never need more than this.
type marginal struct {
	axis  *datasets.Axis // nil of a numeric attribute
	cells uint32         // of its domain
	// values are the codes that occur, or all ranks of an axis, ascending; counts[i·classes+y] are
	// the records of class y at values[i].
	values []uint32
	counts []int32
	// sums[i·classes+y] are the records of class y before values[i].
	sums []int32
}

// newMarginal counts the records on one dimension.
func newMarginal(space *partition.Space, dim int, axis *datasets.Axis, rows []int32) marginal {
	m := marginal{axis: axis, cells: space.Cells(dim)}
	classes := space.Classes()
	if axis == nil {
		var t partition.Tally
		space.Tally(&t, rows, dim, 0, m.cells, true)
		m.values, m.counts = t.Values, t.Counts
	} else {
		histogram := make([]int32, int(m.cells)*classes)
		space.ClassHistogram(rows, dim, 0, histogram)
		for at, code := range axis.Code {
			m.values = append(m.values, uint32(at))
			m.counts = append(m.counts, histogram[int(code)*classes:(int(code)+1)*classes]...)
		}
	}
	m.sums = make([]int32, len(m.counts)+classes)
	for i, n := range m.counts {
		m.sums[i+classes] = m.sums[i] + n
	}
	return m
}

// place is the number of values before a code or rank.
func (m *marginal) place(code uint32) int {
	return sort.Search(len(m.values), func(i int) bool { return m.values[i] >= code })
}

// add appends the class counts of the records in [low, high) to counts.
func (m *marginal) add(counts []int32, low, high uint32, classes int) []int32 {
	from, to := m.place(low)*classes, m.place(high)*classes
	for y := range classes {
		counts = append(counts, m.sums[to+y]-m.sums[from+y])
	}
	return counts
}

// frequencies are the records of a numeric interval by value.
func (m *marginal) frequencies(low, high uint32, classes int) partition.Frequencies {
	from, to := m.place(low), m.place(high)
	return partition.Frequencies{Low: low, High: high, Root: m.cells, Values: m.values[from:to],
		Counts: m.counts[from*classes : to*classes]}
}
