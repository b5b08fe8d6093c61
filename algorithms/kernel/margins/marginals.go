// Package margins holds what releases that measure marginals share: domains of few values by
// bins, a table's marginals, noise in either unit of privacy, merged values, and records
// from a fitted model. Which marginals are measured is each baseline's own.
//
// Privacy. Neighbours differ by adding or removing one record. That moves one cell of a marginal by
// 1: sensitivity 1 in L1 and in L2. Domains are the schema's, bins are whole cells of these and
// public or computed from noisy counts, and the number of records published is estimated from the
// noisy marginals. Nothing else of the table is read.
//
// In a budget of pure epsilon marginals get two-sided geometric noise under strict and Laplace
// noise under published; in one of (epsilon, delta), counted in zCDP, discrete Gaussian and
// Gaussian noise. Strict noise is drawn exactly, in integers.
package margins

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/algorithms/kernel/pgm"
	"ppdp/datasets"
	"ppdp/privacy"
)

// Params are the settings that all releases from marginals have.
type Params struct {
	Bins int `yaml:"bins" doc:"into how many bins a numeric attribute is cut, at most; one of fewer cells keeps its cells" min:"2" max:"65536"`
	// Cut is for attributes that the schema gives no bins.
	Cut        Cut `yaml:"cut" doc:"into what bins, where the schema gives none: equal ones of the public domain, private, of about as many records each by noisy counts, or wide: private for numbers of more than 256 cells"`
	Iterations int `yaml:"iterations" doc:"the largest number of steps of a fit; the last fit may take twice as many, and fewer smooth the model" min:"1" max:"100000"`
	// Copies cost nothing more, and a classifier learns more of the model from more of them.
	Copies int `yaml:"copies" doc:"how many records are drawn for each of the estimated number; each has the weight 1/copies" min:"1" max:"100"`
	// Drawing says how records are drawn.
	partition.Drawing `yaml:",inline"`
}

// DefaultParams are 24 bins and fits of moderate length.
func DefaultParams() *Params {
	return &Params{Bins: 24, Cut: Private, Iterations: 100, Copies: 1,
		Drawing: partition.DefaultDrawing()}
}

// TargetParams cut narrow attributes into equal bins, from which a class is predicted better.
func TargetParams() *Params {
	p := DefaultParams()
	p.Cut = Wide
	return p
}

// SingleCopy asks for one record for each of the estimated number: then none needs a weight.
func (p *Params) SingleCopy() { p.Copies = 1 }

// FitSchema asks for one copy of the records, so that they need no weights.
func (p *Params) FitSchema(*datasets.Schema, int) { p.SingleCopy() }

// Most is the largest number of rows that are drawn for a number of records.
func (p *Params) Most(records int) int { return min(records*p.Copies, p.MaxRows) }

// tolerance ends a fit that is proven to be within this share of the least loss, or whose loss
// falls by less than a tenth of it in 50 steps.
const tolerance = 1e-3

// MaxCells caps the cells of a model and of a marginal.
const MaxCells = 1 << 22

// Guarantees are the two variants that every release from marginals has. note says what is chosen
// and measured.
func Guarantees(note string) []algorithms.Guarantee {
	published := algorithms.RecordPrivacy(algorithms.Published, note+
		" Public domains, a noisy number of records, noise in floating point.")
	strict := algorithms.RecordPrivacy(algorithms.Strict, note+
		" Public domains, a noisy number of records, integer noise drawn exactly.")
	published.Approximate, strict.Approximate = true, true
	return []algorithms.Guarantee{published, strict}
}

// Data are a release's rows as values of small domains, with the noisy marginals measured so far.
type Data struct {
	Sizes    []int // values of each attribute
	Class    int   // the class attribute, -1 for none
	Measured []pgm.Measurement
	Path     privacy.Path

	ctx     context.Context
	in      *algorithms.Input
	params  *Params
	schema  *datasets.Schema
	columns []datasets.Column   // values by attribute and row; cells of those to be cut
	bins    []Bins              // of each attribute
	uncut   []bool              // attributes to be cut privately
	members [][][]int           // of each attribute's values, the bins merged; nil where none are
	values  [][][]datasets.Span // of each attribute's values, their cells; nil until asked for
	paid    []algorithms.Marginal
	cutting *privacy.Noise // of the counts that say where to cut; nil before the first
}

// Open bins the rows of an input. Attributes that are cut privately have their bins from
// MeasureAll, which comes first.
func Open(ctx context.Context, in *algorithms.Input, params *Params) (*Data, error) {
	schema := in.Table.Schema()
	attributes := len(schema.Attributes)
	d := &Data{Sizes: make([]int, attributes), Class: schema.Class(), Path: in.Budget.Root(),
		ctx: ctx, in: in, params: params, schema: schema,
		columns: make([]datasets.Column, attributes),
		bins:    make([]Bins, attributes), uncut: make([]bool, attributes),
		members: make([][][]int, attributes), values: make([][][]datasets.Span, attributes)}
	for a := range schema.Attributes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		attribute := &schema.Attributes[a]
		d.bins[a] = PublicBins(attribute, params.Bins)
		d.Sizes[a] = d.bins[a].Size
		if d.Sizes[a] > MaxCells {
			return nil, fmt.Errorf("%w: %s has %d values, must have at most %d",
				algorithms.ErrTooLarge, attribute.Name, d.Sizes[a], MaxCells)
		}
		if d.uncut[a] = params.Cut.Cuts(attribute, params.Bins); !d.uncut[a] {
			d.bin(a)
		}
	}
	return d, nil
}

// bin makes an attribute's values of the rows' cells.
func (d *Data) bin(a int) {
	d.columns[a] = d.in.Table.Disk().Column(d.bins[a].Size, len(d.in.Rows))
	from := 0
	for cells := range cellsOf(d.in, a) {
		d.bins[a].Codes(cells)
		d.columns[a].Put(from, cells, nil)
		from += len(cells)
	}
}

// cellsOf are an attribute's cells by row, some that fit a cache at a time.
func cellsOf(in *algorithms.Input, a int) iter.Seq[[]uint32] {
	return func(yield func([]uint32) bool) {
		block := make([]uint32, min(len(in.Rows), blockRows))
		for rows := range slices.Chunk(in.Rows, blockRows) {
			cells := block[:len(rows)]
			if in.Table.Column(a).Gather(rows, cells); !yield(cells) {
				return
			}
		}
	}
}

// blockRows are few enough for a cache, and many beside what a block costs.
const blockRows = 1 << 16

// cutWeight is how many times the cost of a marginal the counts cost that an attribute is cut by,
// for a third of the noise in either unit: chosen on tables that no figure reports
// (docs/tried.md).
func (d *Data) cutWeight() float64 {
	if d.in.Budget.Unit() == privacy.Rho {
		return 9
	}
	return 3
}

// MeasureAll measures marginals of one attribute, or of one and the class, at the same cost each.
// Attributes to be cut privately are cut before, for so many times that: with the counts of their
// bins, which are measured thereby, and with the marginal they share with the class.
func (d *Data) MeasureAll(noise *privacy.Noise, cost float64, sets [][]int) error {
	for _, set := range sets {
		each := cost
		if a := d.uncutOf(set); a >= 0 {
			each = d.cutWeight() * cost / float64(len(set))
			if err := d.cut(each, a); err != nil {
				return err
			}
			if len(set) == 1 {
				continue
			}
		}
		if err := d.Measure(noise, each, set); err != nil {
			return err
		}
	}
	return nil
}

// Each is the cost at which MeasureAll spends a total.
func (d *Data) Each(total float64, sets [][]int) float64 {
	weights := 0.0
	for _, set := range sets {
		if weights++; d.uncutOf(set) >= 0 {
			weights += d.cutWeight() - 1
		}
	}
	return total / weights
}

// uncutOf is the attribute of a set that is yet to be cut, -1 for none.
func (d *Data) uncutOf(set []int) int {
	if at := slices.IndexFunc(set, func(a int) bool { return d.uncut[a] }); at >= 0 {
		return set[at]
	}
	return -1
}

// cut cuts an attribute into private bins and keeps the counts that say where. They serve the fit,
// and are not among the marginals published with their errors: each is of two draws.
func (d *Data) cut(cost float64, a int) error {
	if d.cutting == nil {
		d.cutting = d.Noise("private bins")
	}
	bins, counts, variances, err := privateBins(&d.schema.Attributes[a], cellsOf(d.in, a),
		d.params.Bins, d.cutting, &d.Path, cost)
	if err != nil {
		return err
	}
	d.bins[a], d.Sizes[a], d.uncut[a] = bins, bins.Size, false
	d.bin(a)
	d.Measured = append(d.Measured, pgm.Measurement{Attributes: []int{a}, Counts: counts,
		Variances: variances})
	return d.ctx.Err()
}

// Cells is the number of cells of a marginal.
func (d *Data) Cells(attributes []int) float64 {
	n := 1.0
	for _, a := range attributes {
		n *= float64(d.Sizes[a])
	}
	return n
}

// Exact is the table's marginal over attributes, which are ascending: not private.
func (d *Data) Exact(attributes []int) ([]float64, error) {
	cells := d.Cells(attributes)
	if cells > MaxCells {
		return nil, fmt.Errorf("%w: a marginal of %.0f cells, must have at most %d; fewer bins"+
			" make it smaller", algorithms.ErrTooLarge, cells, MaxCells)
	}
	counts := make([]float64, int(cells))
	before, last := attributes[:len(attributes)-1], attributes[len(attributes)-1]
	var block [1024]uint32 // rows that fit a cache
	for from := 0; from < len(d.in.Rows); from += len(block) {
		to := min(from+len(block), len(d.in.Rows))
		at := block[:to-from] // cells of the attributes before the last: all 0 without any
		if len(before) > 0 {
			d.columns[before[0]].Widen(from, at)
		}
		for _, a := range before[min(1, len(before)):] {
			d.columns[a].Cross(from, at, uint32(d.Sizes[a]))
		}
		switch c, size := &d.columns[last], uint32(d.Sizes[last]); {
		case c.U8 != nil:
			tally(counts, at, c.U8[from:to], size)
		case c.U16 != nil:
			tally(counts, at, c.U16[from:to], size)
		default:
			tally(counts, at, c.U32[from:to], size)
		}
	}
	return counts, nil
}

// tally counts the cells that Cross would make.
func tally[T uint8 | uint16 | uint32](counts []float64, at []uint32, column []T, size uint32) {
	at = at[:len(column)]
	for row, value := range column {
		counts[at[row]*size+uint32(value)]++
	}
}

// fine is the grid to which models' marginals are rounded before they are compared with counts, so
// that distances are computed without rounding and move by no more than their sensitivity.
const fine = 1 << 16

// Distance is the sum of |x - y| over counts x and a model's marginal y, rounded to the grid. One
// record more or less moves it by at most 1.
func Distance(counts, model []float64) (sum float64) {
	for cell, x := range counts {
		sum += math.Abs(x - float64(math.Round(float64(model[cell]*fine))/fine))
	}
	return sum
}

// Noise declares the noise of marginals in the budget's unit. It opens the stream of the same name.
func (d *Data) Noise(purpose string) *privacy.Noise { return noiseOf(d.in, purpose, 1) }

func noiseOf(in *algorithms.Input, purpose string, sensitivity float64) *privacy.Noise {
	b, stream, exact := in.Budget, in.Noise.Open(purpose), privacy.Exact(sensitivity)
	strict := in.Variant == algorithms.Strict
	switch {
	case b.Unit() == privacy.Rho && strict:
		return b.DiscreteGaussian(purpose, stream, exact)
	case b.Unit() == privacy.Rho:
		return b.Gaussian(purpose, stream, exact)
	case strict:
		return b.DiscreteLaplace(purpose, stream, exact)
	}
	return b.Laplace(purpose, stream, exact)
}

// The variances that models are fitted with lie between these: less noise makes no difference, more
// leaves no numbers to fit.
const minVariance, maxVariance = 1e-6, 1e30

// Measure adds the noisy marginal over attributes to what is measured, at a cost in the budget's
// unit.
func (d *Data) Measure(noise *privacy.Noise, cost float64, attributes []int) error {
	counts, err := d.Exact(attributes)
	if err != nil {
		return err
	}
	variance := noise.Variance(cost)
	if !(variance <= maxVariance) {
		return fmt.Errorf("%w: marginals would have noise of standard deviation %g",
			privacy.ErrTooSmall, math.Sqrt(variance))
	}
	if err := noise.AddAll(&d.Path, cost, counts); err != nil {
		return err
	}
	d.Measured = append(d.Measured, pgm.Measurement{Attributes: attributes, Counts: counts,
		Variances: []float64{max(variance, minVariance)}})
	measured := algorithms.Marginal{Attributes: attributes, Counts: counts,
		Purpose: noise.Purpose(), Cost: cost * d.in.Budget.Times()}
	for _, a := range attributes {
		measured.Values = append(measured.Values, d.spans(a))
	}
	d.paid = append(d.paid, measured)
	return d.ctx.Err()
}

// spans are the cells of each of an attribute's values as it is now.
func (d *Data) spans(a int) [][]datasets.Span {
	for v := len(d.values[a]); v < d.Sizes[a]; v++ {
		bins := []int{v}
		if d.members[a] != nil {
			bins = d.members[a][v]
		}
		var cells []datasets.Span
		for _, bin := range bins {
			low, high := d.bins[a].whole(uint32(bin))
			if last := len(cells) - 1; last >= 0 && cells[last].High == low {
				cells[last].High = high
			} else {
				cells = append(cells, datasets.Span{Low: low, High: high})
			}
		}
		d.values[a] = append(d.values[a], cells)
	}
	return d.values[a]
}

// Fit fits a model to what has been measured, in a multiple of the iterations.
func (d *Data) Fit(times float64, warm *pgm.Model) (*pgm.Model, error) {
	m, err := pgm.Fit(d.ctx, d.Sizes, d.Measured, pgm.Total(d.Measured), pgm.Options{
		Iterations: int(math.Ceil(float64(times * float64(d.params.Iterations)))),
		Tolerance:  tolerance, MaxCells: MaxCells}, warm)
	if errors.Is(err, pgm.ErrTooLarge) {
		err = fmt.Errorf("%w: %w", algorithms.ErrTooLarge, err)
	}
	return m, err
}

// OneWay lists the sets of one attribute.
func (d *Data) OneWay() [][]int {
	sets := make([][]int, len(d.Sizes))
	for a := range sets {
		sets[a] = []int{a}
	}
	return sets
}

// WithClass lists the pairs of an attribute and the class; without a class, or with nothing else,
// it is OneWay.
func (d *Data) WithClass() [][]int {
	if d.Class < 0 || len(d.Sizes) == 1 {
		return d.OneWay()
	}
	var sets [][]int
	for a := range d.Sizes {
		if a != d.Class {
			sets = append(sets, []int{min(a, d.Class), max(a, d.Class)})
		}
	}
	return sets
}

// Subsets goes through the sets of size of some attributes, in the order in which these are listed.
func Subsets(of []int, size int) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		var add func(set, rest []int) bool
		add = func(set, rest []int) bool {
			if len(set) == size {
				return yield(set)
			}
			for i, a := range rest {
				if !add(append(slices.Clip(set), a), rest[i+1:]) {
					return false
				}
			}
			return true
		}
		add(nil, of)
	}
}
