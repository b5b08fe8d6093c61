package metrics

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/random"
)

func init() {
	const source = "McKenna, Mullins, Sheldon & Miklau 2022, section 6: total variation between " +
		"the marginals of the published records and of the rows released, the mean over all sets " +
		"of so many attributes"
	Register(parameterised[*MarginalDistanceParams]{Info{
		Name: "marginal-distance", Title: "Distance of marginals", Unit: "fraction", Revision: 1,
		Source: source, Needs: []algorithms.Product{algorithms.RecordsProduct},
	}, defaultMarginals, marginalDistance})
	Register(parameterised[*MarginalDistanceParams]{Info{
		Name: "marginal-distance-error", Title: "Standard error of the distance of marginals",
		Source: source + ": its standard error where sets are drawn, without replacement " +
			"(Cochran 1977, section 2.4), 0 where all are measured",
		Needs: []algorithms.Product{algorithms.RecordsProduct}, Revision: 1,
	}, defaultMarginals, func(ctx context.Context, c Case,
		params *MarginalDistanceParams) (float64, bool, error) {
		e, err := overMarginals(ctx, c, params, totalVariation)
		return e.standardError(), e.measured > 0 && (e.measured > 1 || e.sets == 1), err
	}})
	Register(parameterised[*MarginalDistanceParams]{Info{
		Name: "nist-score", Title: "k-marginal score", Revision: 1, HigherIsBetter: true,
		Source: "NIST's k-marginal score (SDNist): 1000 times what the mean distance of " +
			"marginals lacks to 1; its reports take pairs, and numbers in 20 quantile bins",
		Needs: []algorithms.Product{algorithms.RecordsProduct},
	}, func() *MarginalDistanceParams {
		return &MarginalDistanceParams{Attributes: 2, Bins: 20, Cut: Quantile}
	}, func(ctx context.Context, c Case, params *MarginalDistanceParams) (float64, bool, error) {
		distance, ok, err := marginalDistance(ctx, c, params)
		return 1000 * (1 - distance), ok, err
	}})
}

func defaultMarginals() *MarginalDistanceParams {
	return &MarginalDistanceParams{Attributes: 2, Bins: 24, Cut: Equally}
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
		if attributes[a].Kind == datasets.Numeric {
			b.sizes[a] = min(cells, bins)
		}
		column, codes := table.Column(a), make([]int32, len(rows))
		for i, row := range rows {
			code := column.At(row)
			if edges != nil && b.sizes[a] < cells {
				at, _ := slices.BinarySearch(edges[a], code)
				codes[i] = int32(at)
				continue
			}
			codes[i] = int32(uint64(code) * uint64(b.sizes[a]) / uint64(cells))
		}
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
		if attributes[a].Kind != datasets.Numeric || attributes[a].Cells() <= bins ||
			len(rows) == 0 {
			continue
		}
		classifiers.Codes(codes, table.Column(a), rows)
		slices.Sort(codes)
		for j := 1; j < bins; j++ {
			edges[a] = append(edges[a], codes[(j*len(codes)+bins-1)/bins-1])
		}
	}
	return edges
}

// extend adds an attribute to a marginal: from former, each row's cell of the marginal without it,
// it writes each row's cell of the marginal with it to at.
func (b *binned) extend(at, former []int32, attribute int) {
	size := int32(b.sizes[attribute])
	for i, code := range b.columns[attribute] {
		at[i] = former[i]*size + code
	}
}

// marginal adds an attribute to a marginal, as extend does, and counts the rows in each cell.
func (b *binned) marginal(counts []float64, former []int32, attribute int) {
	clear(counts)
	size, column := int32(b.sizes[attribute]), b.columns[attribute]
	former = former[:len(column)]
	if b.weights == nil {
		for i, code := range column {
			counts[former[i]*size+code]++
		}
		return
	}
	for i, code := range column {
		counts[former[i]*size+code] += b.weights[i]
	}
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

// marginalDistance is the mean of totalVariation, as overMarginals has it.
func marginalDistance(ctx context.Context, c Case,
	params *MarginalDistanceParams) (float64, bool, error) {
	return meanOverMarginals(ctx, c, params, totalVariation)
}

// meanOverMarginals is the mean of a distance that is 1 at most.
func meanOverMarginals(ctx context.Context, c Case, params *MarginalDistanceParams,
	distance func(truth, published marginal) float64) (float64, bool, error) {
	e, err := overMarginals(ctx, c, params, distance)
	if err != nil || e.measured == 0 {
		return 0, false, err
	}
	return min(1, e.sum/float64(e.measured)), true, nil
}

// estimate is what was measured on some sets of attributes, of all that there are.
type estimate struct {
	sum, squares   float64
	measured, sets int
}

func (e estimate) standardError() float64 {
	n, all := float64(e.measured), float64(e.sets)
	if e.measured < 2 {
		return 0
	}
	variance := max(0, e.squares-float64(e.sum*e.sum)/n) / (n - 1)
	return math.Sqrt(variance / n * (1 - n/all))
}

// choose is the number of sets of k of n things.
func choose(n, k int) int {
	sets := 1
	for i := range k {
		sets = sets * (n - i) / (i + 1)
	}
	return sets
}

// overMarginals measures a distance on all sets of params.Attributes attributes, or on the one set
// of all where there are fewer; on params.Sets of them where that many are asked for. It measures
// none without rows or published records. A marginal of more than 4 million cells and, where it is
// asked for, a missing class are errors.
func overMarginals(ctx context.Context, c Case, params *MarginalDistanceParams,
	distance func(truth, published marginal) float64) (e estimate, err error) {
	schema := c.Table.Schema()
	class := schema.Class()
	if params.Class && class < 0 {
		return e, errors.New("class: the table has no class attribute")
	}
	table, weights, err := publishedRecords(ctx, c)
	if err != nil {
		return e, err
	}
	type key struct {
		marginalBins int
		cut          Cut
	}
	type edged struct {
		*binned
		edges [][]uint32
	}
	of := key{params.Bins, params.Cut}
	truth, err := memoize(ctx, c.Truth, of, func() (edged, error) {
		var edges [][]uint32
		if params.Cut == Quantile {
			edges = quantileEdges(c.Table, c.Train, params.Bins)
		}
		return edged{bin(c.Table, c.Train, nil, params.Bins, edges), edges}, nil
	})
	if err != nil {
		return e, err
	}
	published, err := memoize(ctx, c.Published, of, func() (*binned, error) {
		return bin(table, table.AllRows(), weights, params.Bins, truth.edges), nil
	})
	if err != nil || len(c.Train) == 0 || !(published.mass > 0) {
		return e, err
	}
	// The rows' cells of the marginals over the first attributes of a set, none, one and so on.
	var trueAt, publishedAt [3][]int32
	for n := range params.Attributes {
		trueAt[n], publishedAt[n] = make([]int32, len(c.Train)), make([]int32, table.Len())
	}
	var counts, other []float64
	sizes := make([]int, 0, params.Attributes)
	measure := func(set []int) error {
		cells := 1
		sizes = sizes[:0]
		for _, a := range set {
			sizes = append(sizes, truth.sizes[a])
			if cells *= truth.sizes[a]; cells > maxMarginalCells {
				return fmt.Errorf("%s and others have a marginal of more than %d cells",
					schema.Attributes[a].Name, maxMarginalCells)
			}
		}
		if cap(counts) < cells {
			counts, other = make([]float64, cells), make([]float64, cells)
		}
		counts, other = counts[:cells], other[:cells]
		last := len(set) - 1
		truth.marginal(counts, trueAt[last], set[last])
		published.marginal(other, publishedAt[last], set[last])
		d := distance(marginal{counts, sizes, truth.mass},
			marginal{other, sizes, published.mass})
		e.sum += d
		e.squares += float64(d * d)
		e.measured++
		return ctx.Err()
	}
	size := min(params.Attributes, len(schema.Attributes))
	if e.sets = choose(len(schema.Attributes), size); params.Class {
		e.sets = choose(len(schema.Attributes)-1, size-1)
	}
	wanted, seen := e.sets, 0
	if params.Sets > 0 {
		wanted = min(wanted, params.Sets)
	}
	draws := random.NewKey(0).Derive("sets of attributes").Stream()
	// Each set is taken with the chance that makes all draws of this size equally likely (Knuth,
	// The Art of Computer Programming, algorithm 3.4.2S).
	taken := func() bool {
		left := e.sets - seen
		seen++
		return left == wanted-e.measured || int(draws.Uint32N(uint32(left))) < wanted-e.measured
	}
	var visit func(set []int, from int) error
	visit = func(set []int, from int) error {
		if len(set) == size {
			for _, a := range set {
				if a == class || !params.Class {
					if !taken() {
						return nil
					}
					return measure(set)
				}
			}
			return nil
		}
		for a := from; a < len(schema.Attributes); a++ {
			if n := len(set); n+1 < size {
				truth.extend(trueAt[n+1], trueAt[n], a)
				published.extend(publishedAt[n+1], publishedAt[n], a)
			}
			if err := visit(append(set, a), a+1); err != nil {
				return err
			}
		}
		return nil
	}
	return e, visit(make([]int, 0, size), 0)
}
