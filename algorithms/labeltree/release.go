package labeltree

import (
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
)

const (
	recordShare = 0.02 // of epsilon, for the number of records
	cutShare    = 0.5  // for cuts
	perLeaf     = 18   // records times epsilon that a leaf of average size has
	mostLevels  = 12
	mostCuts    = 10  // of a numeric interval, evenly spaced or evenly among the schema's bins
	maxNodes    = 5e7 // regions visited; a release that would need more fails
	smoothing   = 8   // counts times epsilon that speak for a region's parent
	logBins     = 256
	// binShare is the share of epsilon for so many private bins of each number.
	binShare, privateBins = 0.1, 32
	// Sensitivities of the scores of first and of later cuts.
	mixedSensitivity, majoritySensitivity = 0.75, 0.5
)

// problem is what stays the same while a tree grows.
type problem struct {
	ctx      context.Context
	params   *Params
	axes     []*datasets.Axis
	bins     [][]uint32 // of each dimension, one after the last code of each; nil for all codes
	missing  []uint32   // of each dimension, the code of a missing number
	private  [][]uint32 // the same of private bins, nil for none
	columns  [][]uint32 // of each dimension: ranks, or codes without an axis
	labels   []uint32
	classes  int
	epsilon  float64   // what the tree and its counts may spend
	epsilons []float64 // of each level of cuts
	strength float64   // smoothing/ε
	mixed    int       // how many levels are scored by impurity too

	firstCuts, cuts *privacy.PermuteAndFlip
	counts          privacy.Noise
}

// grower is the state of one release: the tree so far, and memory that is used again.
type grower struct {
	problem
	builder *partition.Builder
	parents []int32   // of each inner region, -1 for the first
	above   []int32   // the parent of each leaf
	noisy   []float64 // class counts of each leaf, as they came

	open   []candidate
	scores []float64
	tally  []int32
	parts  []int32 // class counts of two parts
	moved  []int32
	places []uint32
}

// candidate is a cut of the current box on a dimension: at a code, or of its taxonomy node.
type candidate struct {
	dim int
	at  uint32
}

// Release publishes a table. Time is linear in the rows, times dimensions, for each level.
func (a Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*Params](ctx, a, in)
	if err != nil {
		return nil, err
	}
	g := newGrower(ctx, &in, params)
	path := in.Budget.Root()
	if params.Cut != margins.Equal {
		if err := g.cutNumbers(&in, &path); err != nil {
			return nil, fmt.Errorf("label-tree: %w", err)
		}
	}
	if err := g.plan(&in, &path); err != nil {
		return nil, fmt.Errorf("label-tree: %w", err)
	}
	rows := make([]int32, len(in.Rows))
	for i := range rows {
		rows[i] = int32(i)
	}
	if err := g.region(rows, path, 0, -1); err != nil {
		return nil, fmt.Errorf("label-tree: %w", err)
	}
	r := &algorithms.Release{Regions: g.builder.Regions(), Structure: g.builder.Structure()}
	if err := partition.AddRecords(r, in.Table.Schema(), g.label(), params.Drawing,
		in.Noise.Open("records")); err != nil {
		return nil, fmt.Errorf("label-tree: %w", err)
	}
	return r, nil
}

func newGrower(ctx context.Context, in *algorithms.Input, params *Params) *grower {
	schema := in.Table.Schema()
	attributes := schema.QuasiIdentifiers()
	space := partition.NewSpace(in.Table, attributes)
	g := &grower{
		problem: problem{ctx: ctx, params: params, axes: partition.Axes(schema, attributes),
			classes: schema.Classes(), labels: make([]uint32, len(in.Rows)),
			private: make([][]uint32, len(attributes)), epsilon: in.Budget.Epsilon(),
			firstCuts: in.Budget.PermuteAndFlip("first cuts", in.Noise.Open("first cuts"),
				privacy.Exact(mixedSensitivity)),
			cuts: in.Budget.PermuteAndFlip("cuts", in.Noise.Open("cuts"),
				privacy.Exact(majoritySensitivity)),
			counts: in.CountNoise("class counts", privacy.Exact(1))},
		builder: partition.NewBuilder(space, maxNodes),
		parts:   make([]int32, 2*schema.Classes()), moved: make([]int32, len(in.Rows)),
	}
	g.builder.Generalise(g.axes)
	space.Labels(in.Rows, g.labels)
	for dim, axis := range g.axes {
		column := make([]uint32, len(in.Rows))
		space.Codes(in.Rows, dim, column)
		if axis != nil {
			for i, code := range column {
				column[i] = axis.Rank[code]
			}
		}
		g.columns = append(g.columns, column)
		a := &schema.Attributes[attributes[dim]]
		g.bins = append(g.bins, a.PublicBins(logBins))
		g.missing = append(g.missing, a.MissingCode())
	}
	return g
}

// cutNumbers lets numbers of many cells be cut between private bins, too, which it pays for.
func (g *grower) cutNumbers(in *algorithms.Input, path *privacy.Path) error {
	cost := float64(binShare * g.epsilon)
	ends, paid, err := margins.PrivateEnds(in, privateBins, path, cost)
	if g.private = ends; paid {
		g.epsilon -= cost
	}
	return err
}

// plan decides how many levels there are and what each has of the budget.
func (g *grower) plan(in *algorithms.Input, path *privacy.Path) error {
	g.strength = smoothing / g.epsilon
	parts, attributes := 0.0, 0.0
	for dim, axis := range g.axes {
		if axis != nil && len(axis.Taxonomy.Nodes[0].Children) > 0 {
			parts += float64(len(axis.Taxonomy.Nodes[0].Children))
			attributes++
		} else if axis == nil && g.builder.Width(dim) > 1 {
			parts += 2
			attributes++
		}
	}
	mean := parts / attributes
	if !(mean > 1) { // also where there is no cut
		return nil
	}
	epsilon, levels := g.epsilon, g.params.Levels
	if levels == 0 {
		n, err := in.CountNoise("number of records", privacy.Exact(1)).Add(path,
			recordShare*epsilon, float64(len(in.Rows)))
		if err != nil {
			return err
		}
		if room := epsilon * n / perLeaf; room > 1 {
			levels = int(min(mostLevels, elementary.Log(room)/elementary.Log(mean)))
		}
	}
	weight, sum := 1.0, 0.0
	for range levels {
		g.epsilons = append(g.epsilons, weight)
		sum += weight
		weight *= math.Sqrt(mean)
	}
	for i := range g.epsilons {
		g.epsilons[i] *= cutShare * epsilon / sum
	}
	g.mixed = (levels + 1) / 2
	return nil
}

// between are the codes at which the box may be cut along a numeric dimension: evenly spaced and
// between private bins, or evenly among the bins that the schema gives, and above all numbers,
// where missing ones are.
func (g *grower) between(dim int) []uint32 {
	low, high := g.builder.Low[dim], g.builder.High[dim]
	ends, first, width := g.bins[dim], 0, uint64(high-low)
	if ends != nil {
		first, _ = slices.BinarySearch(ends, low+1)
		last, _ := slices.BinarySearch(ends, high)
		width = uint64(last - first + 1)
	}
	pieces := min(uint64(mostCuts+1), width)
	g.places = g.places[:0]
	for j := uint64(1); j < pieces; j++ {
		at := low + uint32(width*j/pieces)
		if ends != nil {
			at = ends[first+int(width*j/pieces)-1]
		}
		g.places = append(g.places, at)
	}
	if private := g.private[dim]; private != nil {
		from, _ := slices.BinarySearch(private, low+1)
		to, _ := slices.BinarySearch(private, high)
		g.places = append(g.places, private[from:to]...)
	}
	if missing := g.missing[dim]; low < missing && missing < high {
		g.places = append(g.places, missing)
	}
	slices.Sort(g.places)
	g.places = slices.Compact(g.places)
	return g.places
}

// region handles the builder's current box, which the given rows lie in. The path is that of its
// own records, parent the number of the inner region it is a part of.
func (g *grower) region(rows []int32, path privacy.Path, level int, parent int32) error {
	if err := g.ctx.Err(); err != nil {
		return err
	}
	if dim := g.unparted(); dim >= 0 {
		return g.cut(rows, path, candidate{dim, g.missing[dim]}, level, parent)
	}
	if level >= len(g.epsilons) {
		return g.leaf(rows, &path, parent)
	}
	if g.score(rows, level < g.mixed); len(g.open) == 0 {
		return g.leaf(rows, &path, parent)
	}
	choice := g.cuts
	if level < g.mixed {
		choice = g.firstCuts
	}
	chosen, err := choice.Choose(&path, g.epsilons[level], g.scores)
	if err != nil {
		return err
	}
	return g.cut(rows, path, g.open[chosen], level+1, parent)
}

// mostParted is in how many dimensions missing numbers are set apart before all else: that doubles
// the boxes each time. In others a cut may do so.
const mostParted = 4

// unparted is the first of these dimensions in which the current box has numbers and missing ones,
// -1 for none. Which these are is public, so that the cut costs nothing.
func (g *grower) unparted() int {
	parted := 0
	for dim, missing := range g.missing {
		if missing == datasets.NoCode || g.axes[dim] != nil {
			continue
		}
		if parted++; parted > mostParted {
			break
		}
		if g.builder.Low[dim] < missing && missing < g.builder.High[dim] {
			return dim
		}
	}
	return -1
}

// cut divides the current box and handles its parts.
func (g *grower) cut(rows []int32, path privacy.Path, c candidate, level int, parent int32) error {
	ends := g.divide(rows, c)
	inner := int32(len(g.parents))
	g.parents = append(g.parents, parent)
	if g.axes[c.dim] == nil {
		return g.builder.Halve(c.dim, c.at,
			func() error { return g.region(rows[:ends[0]], path.Fork(), level, inner) },
			func() error { return g.region(rows[ends[0]:], path.Fork(), level, inner) })
	}
	from := 0
	return g.builder.Specialise(c.dim, func(child int) error {
		own := rows[from:ends[child]]
		from = ends[child]
		return g.region(own, path.Fork(), level, inner)
	})
}

// score lists the cuts of the current box, which the rows lie in, and scores them.
func (g *grower) score(rows []int32, mixed bool) {
	g.open, g.scores = g.open[:0], g.scores[:0]
	share := 0.5
	if mixed {
		share = 0.25
	}
	offset := float64(share * float64(len(rows)))
	add := func(dim int, at uint32, sum float64) {
		g.open, g.scores = append(g.open, candidate{dim, at}), append(g.scores, sum-offset)
	}
	k := g.classes
	first, second := g.parts[:k:k], g.parts[k:]
	for dim, axis := range g.axes {
		if axis == nil {
			places := g.between(dim)
			counts := g.tallied(rows, dim, len(places)+1)
			clear(g.parts)
			addAll(second, counts)
			for j, at := range places {
				for y, n := range counts[j*k : (j+1)*k] { // the piece below changes sides
					first[y] += n
					second[y] -= n
				}
				add(dim, at, partScore(first, mixed)+partScore(second, mixed))
			}
			continue
		}
		node := g.builder.Nodes[dim]
		children, low := axis.Taxonomy.Nodes[node].Children, axis.Low[node]
		if len(children) == 0 {
			continue
		}
		counts := g.tallied(rows, dim, int(axis.High[node]-low))
		sum := 0.0
		for _, child := range children {
			clear(first)
			addAll(first, counts[int(axis.Low[child]-low)*k:int(axis.High[child]-low)*k])
			sum += partScore(first, mixed)
		}
		add(dim, 0, sum)
	}
}

// tallied counts the rows' classes on a dimension, slot·classes + class: for each rank of the
// current box, or for each piece between places. Three plain loops take half of the time of one
// that is told the slots.
func (g *grower) tallied(rows []int32, dim, slots int) []int32 {
	if size := slots * g.classes; len(g.tally) < size {
		g.tally = make([]int32, 2*size)
	}
	tally := g.tally[:slots*g.classes]
	clear(tally)
	column, low, classes := g.columns[dim], g.builder.Low[dim], uint32(g.classes)
	switch {
	case g.axes[dim] != nil:
		for _, row := range rows {
			tally[(column[row]-low)*classes+g.labels[row]]++
		}
	case g.bins[dim] != nil || g.private[dim] != nil || g.missing[dim] != datasets.NoCode:
		for _, row := range rows {
			piece, _ := slices.BinarySearch(g.places, column[row]+1)
			tally[uint32(piece)*classes+g.labels[row]]++
		}
	default:
		// Cut j lies at ⌊width·j/pieces⌋, which is at most x where j < (x+1)·pieces/width.
		width, pieces := uint64(g.builder.Width(dim)), uint64(slots)
		for _, row := range rows {
			piece := ((uint64(column[row]-low)+1)*pieces - 1) / width
			tally[uint32(piece)*classes+g.labels[row]]++
		}
	}
	return tally
}

// addAll adds the class counts of several slots to those of a part.
func addAll(part, counts []int32) {
	for i, n := range counts {
		part[i%len(part)] += n
	}
}

// partScore is what a part with these class counts adds to a candidate's score: M, or (G+M)/2 where
// mixed (see the package comment).
func partScore(counts []int32, mixed bool) float64 {
	most, n, squares := int32(0), 0.0, 0.0
	for _, count := range counts {
		most = max(most, count)
		n += float64(count)
		squares += float64(float64(count) * float64(count))
	}
	if !mixed || n == 0 {
		return float64(most)
	}
	return float64((float64(most) + squares/n) / 2)
}

// divide sorts rows by the part of the current box they go to, keeping their order, and returns
// where each part ends.
func (g *grower) divide(rows []int32, c candidate) []int {
	axis, column := g.axes[c.dim], g.columns[c.dim]
	bounds := []uint32{c.at, g.builder.High[c.dim]}
	if axis != nil {
		bounds = bounds[:0]
		for _, child := range axis.Taxonomy.Nodes[g.builder.Nodes[c.dim]].Children {
			bounds = append(bounds, axis.High[child])
		}
	}
	ends := make([]int, len(bounds))
	moved, done := g.moved[:0], 0
	for i, bound := range bounds {
		rest := rows[done:]
		left := 0
		moved = moved[:0]
		for _, row := range rest {
			if column[row] < bound {
				rest[left] = row
				left++
			} else {
				moved = append(moved, row)
			}
		}
		copy(rest[left:], moved)
		done += left
		ends[i] = done
	}
	return ends
}

// leaf publishes the class counts of the current box, with what its path has left.
func (g *grower) leaf(rows []int32, path *privacy.Path, parent int32) error {
	_, counts, err := g.builder.Leaf()
	if err != nil {
		return err
	}
	for _, row := range rows {
		counts[g.labels[row]]++
	}
	if err := g.counts.AddAll(path, path.Remaining(), counts); err != nil {
		return err
	}
	g.above = append(g.above, parent)
	g.noisy = append(g.noisy, counts...)
	for y, n := range counts {
		counts[y] = max(0, n)
	}
	return nil
}

// label returns how many records of each class every leaf gets: as many as its counts add up to,
// all of one class. That is the class of the largest count once smoothing/ε counts more have been
// added to the leaf's own, in the shares of its parent's counts, which are corrected by its own
// parent in the same way.
func (g *grower) label() []float64 {
	k := g.classes
	inner := make([]float64, len(g.parents)*k)
	for leaf, parent := range g.above {
		if parent >= 0 {
			addTo(inner[int(parent)*k:], g.noisy[leaf*k:(leaf+1)*k])
		}
	}
	for i := len(g.parents) - 1; i > 0; i-- { // parts come after the whole
		addTo(inner[int(g.parents[i])*k:], inner[i*k:(i+1)*k])
	}
	correct := func(counts []float64, parent int32) {
		for y, n := range counts {
			counts[y] = max(0, n)
		}
		if parent < 0 {
			return
		}
		above := inner[int(parent)*k : int(parent+1)*k]
		if sum := sumOf(above); sum > 0 {
			for y, n := range above {
				counts[y] += float64(g.strength * n / sum)
			}
		}
	}
	for i, parent := range g.parents {
		correct(inner[i*k:(i+1)*k], parent)
	}
	for leaf, parent := range g.above {
		counts := g.noisy[leaf*k : (leaf+1)*k]
		size := max(0, sumOf(counts))
		correct(counts, parent)
		best := slices.Index(counts, slices.Max(counts))
		clear(counts)
		counts[best] = size
	}
	return g.noisy
}

func addTo(sums, counts []float64) {
	for y, n := range counts {
		sums[y] += n
	}
}

func sumOf(counts []float64) float64 {
	sum := 0.0
	for _, n := range counts {
		sum += n
	}
	return sum
}
