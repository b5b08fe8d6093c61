package metrics

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

// pairwise are the defaults of marginal-distance.
var pairwise = MarginalDistanceParams{Attributes: 2, Bins: 24, Cut: Equally}

func init() {
	register := func(name, title, source string, distance func(truth, published marginal) float64) {
		Register(parameterised[MarginalDistanceParams]{Info{
			Name: name, Title: title, Unit: "fraction", Source: source, Revision: 1, Records: true,
		}, pairwise,
			func(ctx context.Context, c Case, p *MarginalDistanceParams) (float64, error) {
				return overMarginals(ctx, c, p, distance)
			}})
	}
	register("marginal-distance", "Distance of marginals",
		"McKenna, Mullins, Sheldon & Miklau 2022, section 6: total variation between the "+
			"marginals of the published records and of the rows released, the mean over all sets "+
			"of this many attributes; numbers are cut into 24 equal bins of their domain, unless "+
			"the parameters say otherwise", totalVariation)
	register("range-error", "Error of range queries",
		"range-count queries as Xiao, Wang & Gehrke 2010 ask them: here all of the form a ≤ x and "+
			"b ≤ y, answered by the share of the published records", rangeError)
	Register(parameterised[MarginalDistanceParams]{Info{
		Name: "nist-score", Title: "k-marginal score", Revision: 1, HigherIsBetter: true,
		Records: true,
		Source: "NIST's k-marginal score (SDNist): 1000 times what the mean distance of " +
			"marginals lacks to 1; its reports take pairs, and numbers in 20 quantile bins, " +
			"each with equally many of the original's records",
	}, MarginalDistanceParams{Attributes: 2, Bins: 20, Cut: Quantile},
		func(ctx context.Context, c Case, params *MarginalDistanceParams) (float64, error) {
			distance, err := overMarginals(ctx, c, params, totalVariation)
			return 1000 * (1 - distance), err
		}})
}

// Cut says how numeric attributes are cut into bins.
type Cut string

const (
	Equally  Cut = "equal"
	Quantile Cut = "quantile"
)

func (Cut) Enum() []string { return algorithms.Words(Equally, Quantile) }

// MarginalDistanceParams are the parameters of the metrics over marginals.
type MarginalDistanceParams struct {
	Attributes int  `yaml:"attributes" doc:"how many attributes a marginal has" min:"1" max:"3"`
	Class      bool `yaml:"class" doc:"measure only the sets that have the class among them"`
	Bins       int  `yaml:"bins" doc:"how many bins a numeric attribute is cut into; one of fewer cells keeps its cells" min:"1" max:"256"`
	Cut        Cut  `yaml:"cut" doc:"into what bins: equal ones of the public domain, or quantile, with equally many of the original rows each"`
	Sets       int  `yaml:"sets" doc:"the most sets of attributes that are measured: of more, a sample of this size is drawn, always the same; 0 for all" min:"0" max:"1000000"`
}

// maxMarginalCells bounds a marginal: 32 MB of doubles.
const maxMarginalCells = 1 << 22

// binned is a table's rows by attribute, as small numbers.
type binned struct {
	sizes   []int
	columns [][]int32
	weights []float64 // nil for 1 each
	mass    float64
}

// bin cuts each numeric attribute into bins. edges are for each attribute the last code of each
// quantile bin but the last; nil for equal bins of the domain.
func bin(table *datasets.Table, rows []int32, weights []float64, bins int,
	edges [][]uint32) *binned {
	attributes := table.Schema().Attributes
	b := &binned{make([]int, len(attributes)), make([][]int32, len(attributes)), weights,
		float64(len(rows))}
	if weights != nil {
		b.mass = 0
		for _, w := range weights {
			b.mass += w
		}
	}
	for a := range attributes {
		cells := attributes[a].Cells()
		b.sizes[a] = cells
		missing := attributes[a].MissingCode()
		if attributes[a].Kind == datasets.Numeric {
			cells = attributes[a].Numbers()
			b.sizes[a] = min(cells, bins)
		}
		numbers := b.sizes[a]
		column, codes := table.Column(a), make([]int32, len(rows))
		for i, row := range rows {
			code := column.At(row)
			if code == missing && attributes[a].Kind == datasets.Numeric {
				codes[i] = int32(numbers) // a bin beside the others
				continue
			}
			if edges != nil && numbers < cells {
				at, _ := slices.BinarySearch(edges[a], code)
				codes[i] = int32(at)
				continue
			}
			codes[i] = int32(uint64(code) * uint64(numbers) / uint64(cells))
		}
		b.sizes[a] += attributes[a].Cells() - cells
		b.columns[a] = codes
	}
	return b
}

// quantileEdges are for each numeric attribute of more cells than bins the codes that a share of
// 1/bins, 2/bins, ... of the rows do not exceed. One that many rows have ends several bins, of
// which all but the first stay empty.
func quantileEdges(table *datasets.Table, rows []int32, bins int) [][]uint32 {
	attributes := table.Schema().Attributes
	edges := make([][]uint32, len(attributes))
	codes := make([]uint32, len(rows))
	for a := range attributes {
		rows := table.Present(rows, a)
		if attributes[a].Kind != datasets.Numeric || attributes[a].Numbers() <= bins ||
			len(rows) == 0 {
			continue
		}
		codes = codes[:len(rows)]
		table.Column(a).Gather(rows, codes)
		slices.Sort(codes)
		for j := 1; j < bins; j++ {
			edges[a] = append(edges[a], codes[(j*len(codes)+bins-1)/bins-1])
		}
	}
	return edges
}

// side is a table of which marginals are counted, set after set.
type side struct {
	*binned
	// Each row's cell of the marginals over the first attributes of a set: none, one and so on.
	at     [3][]int32
	counts []float64 // scratch of a marginal
}

// extend finds the rows' cells of the marginal over the first n attributes and another.
func (s *side) extend(n, attribute int) {
	size := int32(s.sizes[attribute])
	if s.at[n+1] == nil {
		s.at[n+1] = make([]int32, len(s.at[n]))
	}
	at, former := s.at[n+1], s.at[n]
	for i, code := range s.columns[attribute] {
		at[i] = former[i]*size + code
	}
}

// marginal counts the rows in each cell of the marginal over a set, whose rows' cells are known for
// all attributes but the last.
func (s *side) marginal(set []int, cells int) marginal {
	s.counts = slices.Grow(s.counts[:0], cells)[:cells]
	clear(s.counts)
	last := len(set) - 1
	size, column := int32(s.sizes[set[last]]), s.columns[set[last]]
	counts, former := s.counts, s.at[last][:len(column)]
	m := marginal{counts: counts, mass: s.mass}
	for _, a := range set {
		m.sizes = append(m.sizes, s.sizes[a])
	}
	if s.weights == nil {
		for i, code := range column {
			counts[former[i]*size+code]++
		}
		return m
	}
	for i, code := range column {
		counts[former[i]*size+code] += s.weights[i]
	}
	return m
}

// marginal is one marginal of a table, cell by cell, with its attributes' sizes, the last running
// fastest, and the sum of its cells.
type marginal struct {
	counts []float64
	sizes  []int
	mass   float64
}

// totalVariation is half the L1 distance of the normalised marginals.
func totalVariation(truth, published marginal) float64 {
	distance := 0.0
	for cell, x := range truth.counts {
		distance += math.Abs(x/truth.mass - published.counts[cell]/published.mass)
	}
	return float64(distance / 2)
}

// choose is the number of sets of k of n things.
func choose(n, k int) int {
	sets := 1
	for i := range k {
		sets = sets * (n - i) / (i + 1)
	}
	return sets
}

// overMarginals is the mean of a distance, which is 1 at most, over all sets of params.Attributes
// attributes, or over the one set of all where there are fewer; over params.Sets of them where that
// many are asked for. It is undefined without rows or published records. A marginal of more than 4
// million cells and, where it is asked for, a missing class are errors.
func overMarginals(ctx context.Context, c Case, params *MarginalDistanceParams,
	distance func(truth, published marginal) float64) (float64, error) {
	schema, class := c.Table.Schema(), -1
	size := min(params.Attributes, len(schema.Attributes))
	left := choose(len(schema.Attributes), size) // sets that are still to come
	if params.Class {
		if class = schema.Class(); class < 0 {
			return 0, errors.New("class: the table has no class attribute")
		}
		left = choose(len(schema.Attributes)-1, size-1)
	}
	wanted := left // and how many of them to take
	if params.Sets > 0 {
		wanted = min(left, params.Sets)
	}
	rows, records, err := binnedSides(ctx, c, params)
	if err != nil || len(c.Train) == 0 || !(records.mass > 0) {
		return math.NaN(), err
	}
	truth := &side{binned: rows, at: [3][]int32{make([]int32, len(c.Train))}}
	published := &side{binned: records, at: [3][]int32{make([]int32, len(records.columns[0]))}}
	draws := random.NewKey(0).Derive("sets of attributes").Stream()
	sum, measured := 0.0, float64(wanted)
	for set, changed := range sets(len(schema.Attributes), size) {
		for n := changed; n < size-1; n++ {
			truth.extend(n, set[n])
			published.extend(n, set[n])
		}
		if class >= 0 && !slices.Contains(set, class) {
			continue
		}
		// One of the sample with the chance that makes all samples of this size equally likely
		// (Knuth, The Art of Computer Programming, algorithm 3.4.2S).
		taken := left == wanted || int(draws.Uint32N(uint32(left))) < wanted
		if left--; !taken {
			continue
		}
		wanted--
		cells := 1
		for _, a := range set {
			if cells *= truth.sizes[a]; cells > maxMarginalCells {
				return 0, fmt.Errorf("%s and others have a marginal of more than %d cells",
					schema.Attributes[a].Name, maxMarginalCells)
			}
		}
		sum += distance(truth.marginal(set, cells), published.marginal(set, cells))
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
	return min(1, sum/measured), nil
}

// sets are those of a size of the numbers below n, in order, each with the first place in which it
// differs from the one before.
func sets(n, size int) iter.Seq2[[]int, int] {
	return func(yield func(set []int, changed int) bool) {
		set := make([]int, size)
		for i := range set {
			set[i] = i
		}
		for at := 0; at >= 0 && yield(set, at); {
			at = size - 1
			for at >= 0 && set[at] == n-size+at {
				at--
			}
			for i := size - 1; at >= 0 && i >= at; i-- {
				set[i] = set[at] + 1 + i - at
			}
		}
	}
}

// Pair is two attributes and the distance of their marginal.
type Pair struct {
	First, Second string
	Distance      float64
}

// Pairs measures each pair of attributes whose distances marginal-distance averages, the furthest
// off first. There are none without rows or published records.
func Pairs(ctx context.Context, c Case) (pairs []Pair, err error) {
	var all []Pair
	names := c.Table.Schema().Names()
	for i, first := range names {
		for _, second := range names[i+1:] {
			all = append(all, Pair{First: first, Second: second})
		}
	}
	if len(all) == 0 {
		return nil, nil
	}
	_, err = overMarginals(ctx, c, &pairwise, func(truth, published marginal) float64 {
		pair := all[len(pairs)] // they are visited in this order
		pair.Distance = totalVariation(truth, published)
		pairs = append(pairs, pair)
		return pair.Distance
	})
	slices.SortStableFunc(pairs, func(a, b Pair) int { return cmp.Compare(b.Distance, a.Distance) })
	return pairs, err
}

// pairDistance is the distance of one pair.
func pairDistance(ctx context.Context, c Case, names ...string) (float64, error) {
	table, err := c.Table.Project(names...)
	if err != nil {
		return 0, err
	}
	release := *c.Release
	if release.Table, err = c.Release.Table.Project(names...); err != nil {
		return 0, err
	}
	both := Case{Table: table, Train: c.Train, Release: &release}
	return overMarginals(ctx, both, &pairwise, totalVariation)
}

// binnedSides are the rows released and the published records in the same bins.
func binnedSides(ctx context.Context, c Case, params *MarginalDistanceParams) (truth,
	published *binned, err error) {
	type key struct {
		marginalBins int
		cut          Cut
	}
	type edged struct {
		*binned
		edges [][]uint32
	}
	of := key{params.Bins, params.Cut}
	rows, err := memoize(ctx, c.Truth, of, func() (edged, error) {
		var edges [][]uint32
		if params.Cut == Quantile {
			edges = quantileEdges(c.Table, c.Train, params.Bins)
		}
		return edged{bin(c.Table, c.Train, nil, params.Bins, edges), edges}, nil
	})
	if err != nil {
		return nil, nil, err
	}
	published, err = memoize(ctx, c.Published, of, func() (*binned, error) {
		table := c.Release.Table
		return bin(table, table.AllRows(), c.Release.Weights, params.Bins, rows.edges), nil
	})
	return rows.binned, published, err
}

// rangeError is by how much the share of records with a ≤ x and b ≤ y is off, averaged over all
// bins x and y of attributes a and b, or of a set of another size. Values are in the schema's
// order; the last bin of an attribute, which all records satisfy, is left out where there are
// others.
func rangeError(truth, published marginal) float64 {
	for _, m := range []marginal{truth, published} {
		stride := 1
		for i := len(m.sizes) - 1; i >= 0; i-- { // counts of cells to those of corners
			for cell := stride; cell < len(m.counts); cell++ {
				if cell/stride%m.sizes[i] > 0 {
					m.counts[cell] += m.counts[cell-stride]
				}
			}
			stride *= m.sizes[i]
		}
	}
	sum, queries := 0.0, 0
	for cell, x := range truth.counts {
		rest, asked := cell, true
		for i := len(truth.sizes) - 1; i >= 0; i-- {
			size := truth.sizes[i]
			asked = asked && (rest%size < size-1 || size == 1)
			rest /= size
		}
		if asked {
			sum += math.Abs(x/truth.mass - published.counts[cell]/published.mass)
			queries++
		}
	}
	return sum / float64(queries)
}
