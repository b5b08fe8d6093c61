// Package linear holds what classifiers by linear scores share: the features of an attribute, the
// distinct records of some rows as points, and the model.
package linear

import (
	"cmp"
	"math"
	"slices"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/equal"
	"ppdp/datasets"
)

// Feature says where an attribute's numbers stand in a weight vector.
type Feature struct {
	attribute int
	first     int // position of the first number
	// indicators is how many values have one; 0 for a numeric attribute, which has one number.
	indicators int
	// skip is the code below which there is no indicator: 1 where the first value has none, that of
	// a missing number where this alone has one.
	skip  uint32
	low   float64 // numeric attributes: the number is (value - low)·scale
	scale float64
	// Numeric attributes of codes: the scaled number of each, unless there are too many.
	cells []float64
}

// most cells a numeric attribute may have for its scaled numbers to be tabulated.
const tabulated = 1 << 16

// Layout is the order of the features in a weight vector of the given size: numeric attributes
// first, so that their numbers are a dense part of every point and all others are indicators.
type Layout struct {
	Features []Feature
	Numbers  int // numeric attributes
	Size     int
}

// NewLayout lays out the features of a schema.
func NewLayout(schema *datasets.Schema) *Layout {
	return layout(schema, classifiers.Features(schema))
}

func layout(schema *datasets.Schema, of []int) *Layout {
	l := &Layout{}
	for _, at := range of {
		if a := &schema.Attributes[at]; a.Kind == datasets.Numeric {
			f := Feature{attribute: at, first: l.Size}
			f.low, f.scale = a.Low, 1/(a.High-a.Low)
			if cells := a.Cells(); !a.Continuous && cells <= tabulated {
				f.cells = make([]float64, cells)
				for code := range f.cells {
					f.cells[code] = f.scaled(a.Number(uint32(code)))
				}
			}
			l.Features = append(l.Features, f)
			l.Size++
		}
	}
	l.Numbers = l.Size
	for _, at := range of {
		a := &schema.Attributes[at]
		if a.Kind == datasets.Numeric {
			if a.Missing != nil { // an indicator of its own, beside the middle of the range
				l.Features = append(l.Features, Feature{attribute: at, first: l.Size,
					indicators: 1, skip: a.MissingCode()})
				l.Size++
			}
			continue
		}
		f := Feature{attribute: at, first: l.Size, indicators: len(a.Values)}
		if f.indicators <= 2 {
			f.indicators--
			f.skip = 1
		}
		if f.indicators > 0 {
			l.Features = append(l.Features, f)
			l.Size += f.indicators
		}
	}
	return l
}

func (f *Feature) scaled(value float64) float64 {
	if value != value { // missing
		return 0.5
	}
	return float64((value - f.low) * f.scale)
}

// Points are the distinct records in a fixed order that does not depend on the rows' order, without
// the constant feature: the numbers of numeric attributes, and the positions of the indicators that
// are 1.
type Points struct {
	Size    int       // of a weight vector
	Classes int       // of the schema
	Numbers int       // numeric attributes: positions 0 to Numbers-1
	Mass    []float64 // weight of point i and class c, at i·Classes+c
	Squares []float64 // |x|²
	Values  []float64 // number k of point i, at i·Numbers+k
	Start   []int32   // point i has the indicators Start[i] to Start[i+1]
	At      []int32   // positions in the weight vector; Size stands for no indicator
}

// Stride divides the number of indicators of each point, fillers included: sums over a few dozen
// then have no rest to branch for.
const Stride = 4

// Len is the number of points.
func (p *Points) Len() int { return len(p.Squares) }

// Point returns the numbers of a point and the positions of its indicators.
func (p *Points) Point(i int32) (values []float64, at []int32) {
	return p.Values[int(i)*p.Numbers : (int(i)+1)*p.Numbers], p.At[p.Start[i]:p.Start[i+1]]
}

// NewPoints merges records of equal features: rows are sorted by features, label and weight, so
// that sums too are the same in whatever order rows are given. What order that is does not matter:
// a digest of the features comes first, because it decides at once between rows that differ.
func NewPoints(data classifiers.Data, l *Layout) *Points {
	rows, labels, weights := data.Labels()
	return newPoints(newRecords(data.Table, rows, labels, weights, l), l,
		data.Table.Schema().Classes())
}

// NewTargetPoints lays out all attributes but a numeric one, whose numbers it returns by point,
// from 0 to 1 over the attribute's range. The points are the distinct records with this number
// among them, as if of one class; its place among their numbers stays and is 0.
func NewTargetPoints(data classifiers.Data, target int) (*Layout, *Points, []float64) {
	rows, weights := data.Counted()
	schema := *data.Table.Schema()
	schema.Attributes = slices.Clone(schema.Attributes)
	schema.Attributes[target].Missing = nil // no row lacks it
	l := layout(&schema, classifiers.Others(&schema, -1))
	p := newPoints(newRecords(data.Table, rows, make([]uint32, len(rows)), weights, l), l, 1)
	at := slices.IndexFunc(l.Features, func(f Feature) bool { return f.attribute == target })
	numbers := make([]float64, p.Len())
	for i := range numbers {
		v := &p.Values[i*p.Numbers+l.Features[at].first]
		numbers[i], *v = *v, 0
	}
	l.Features = slices.Delete(l.Features, at, at+1)
	return l, p, numbers
}

func newPoints(r *records, l *Layout, classes int) *Points {
	p := &Points{Size: l.Size, Classes: classes, Numbers: l.Numbers}
	groups := r.groups()
	distinct := len(groups)
	p.Mass = make([]float64, 0, distinct*p.Classes)
	p.Squares, p.Start = make([]float64, 0, distinct), append(make([]int32, 0, distinct+1), 0)
	p.Values = make([]float64, 0, distinct*l.Numbers)
	indicators := 0 // that every point has
	for i := range l.Features {
		if f := &l.Features[i]; f.indicators > 0 && f.skip == 0 {
			indicators++
		}
	}
	p.At = make([]int32, 0, distinct*((indicators+Stride-1)/Stride*Stride))
	for _, group := range groups {
		mass := make([]float64, p.Classes)
		for _, i := range group {
			mass[r.labels[i]] += r.weights.At(i)
		}
		p.Mass = append(p.Mass, mass...)
		square := 0.0
		for at, bits := range r.features(group[0]) {
			v := math.Float64frombits(bits)
			switch f := &l.Features[at]; {
			case f.indicators == 0:
				p.Values = append(p.Values, v)
				square += float64(v * v)
			case uint32(v) >= f.skip:
				p.At = append(p.At, int32(f.first+int(uint32(v)-f.skip)))
				square++
			}
		}
		for len(p.At)%Stride > 0 {
			p.At = append(p.At, int32(p.Size))
		}
		p.Start = append(p.Start, int32(len(p.At)))
		p.Squares = append(p.Squares, square)
	}
	return p
}

// records are labelled rows and what a point is made of: the bits of each feature's number or code.
type records struct {
	labels  []uint32
	weights classifiers.Weights
	bits    []uint64 // row by row
	width   int      // features of a row
	digests []uint64
}

func newRecords(table *datasets.Table, rows []int32, labels []uint32,
	weights classifiers.Weights, l *Layout) *records {
	width := len(l.Features)
	r := &records{labels, weights, make([]uint64, len(rows)*width), width,
		make([]uint64, len(rows))}
	for i := range r.digests {
		r.digests[i] = uint64(width)
	}
	codes := make([]uint32, len(rows))
	for at := range l.Features {
		f := &l.Features[at]
		coded := f.indicators > 0 || f.cells != nil
		if coded {
			table.Column(f.attribute).Gather(rows, codes)
		}
		for i, row := range rows {
			v := float64(codes[i])
			if f.cells != nil {
				v = f.cells[codes[i]]
			} else if !coded {
				v = f.scaled(table.Number(row, f.attribute))
			}
			bits := math.Float64bits(v + 0)
			r.bits[i*width+at] = bits
			r.digests[i] = digest(r.digests[i], bits)
		}
	}
	return r
}

// digest mixes one more number into the digest of a record; equal records have equal digests. The
// factor is 2⁶⁴ over the golden ratio; +0 has made one of the two zeros.
func digest(h, number uint64) uint64 {
	h = (h ^ number) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

func (r *records) features(i int32) []uint64 {
	return r.bits[int(i)*r.width : int(i+1)*r.width]
}

// groups lists equal records together, in an order that does not depend on that of the rows: by
// digest, then by what the digest is of, in a group by label and weight.
func (r *records) groups() [][]int32 {
	return equal.Groups(len(r.digests), func(a, b int32) int {
		if r.digests[a] != r.digests[b] {
			return cmp.Compare(r.digests[a], r.digests[b])
		}
		return slices.Compare(r.features(a), r.features(b))
	}, func(a, b int32) int {
		return cmp.Or(cmp.Compare(r.labels[a], r.labels[b]),
			cmp.Compare(r.weights.At(a), r.weights.At(b)))
	})
}
