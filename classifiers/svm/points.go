package svm

import (
	"cmp"
	"math"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// feature says where an attribute's numbers stand in a weight vector.
type feature struct {
	attribute int
	first     int // position of the first number
	// indicators is how many values have one; 0 for a numeric attribute, which has one number.
	indicators int
	// skip is the code below which there is no indicator: 1 where the first value has none.
	skip  uint32
	low   float64 // numeric attributes: the number is (value - low)·scale
	scale float64
	// Numeric attributes of codes: the scaled number of each, unless there are too many.
	cells []float64
}

// most cells a numeric attribute may have for its scaled numbers to be tabulated.
const tabulated = 1 << 16

// layout is the order of the features in a weight vector of the given size: numeric attributes
// first, so that their numbers are a dense part of every point and all others are indicators.
type layout struct {
	features []feature
	numbers  int // numeric attributes
	size     int
}

func newLayout(schema *datasets.Schema) *layout {
	l := &layout{}
	of := classifiers.Features(schema)
	for _, at := range of {
		if a := &schema.Attributes[at]; a.Kind == datasets.Numeric {
			f := feature{attribute: at, first: l.size}
			f.low, f.scale = a.Low, 1/(a.High-a.Low)
			if cells := a.Cells(); !a.Continuous && cells <= tabulated {
				f.cells = make([]float64, cells)
				for code := range f.cells {
					f.cells[code] = f.scaled(a.Number(uint32(code)))
				}
			}
			l.features = append(l.features, f)
			l.size++
		}
	}
	l.numbers = l.size
	for _, at := range of {
		a := &schema.Attributes[at]
		if a.Kind == datasets.Numeric {
			continue
		}
		f := feature{attribute: at, first: l.size, indicators: len(a.Values)}
		if f.indicators <= 2 {
			f.indicators--
			f.skip = 1
		}
		if f.indicators > 0 {
			l.features = append(l.features, f)
			l.size += f.indicators
		}
	}
	return l
}

func (f *feature) scaled(value float64) float64 { return float64((value - f.low) * f.scale) }

// points are the distinct records in a fixed order that does not depend on the rows' order, without
// the constant feature: the numbers of numeric attributes, and the positions of the indicators that
// are 1.
type points struct {
	size    int       // of a weight vector
	classes int       // of the schema
	numbers int       // numeric attributes: positions 0 to numbers-1
	mass    []float64 // weight of point i and class c, at i·classes+c
	squares []float64 // |x|²
	values  []float64 // number k of point i, at i·numbers+k
	start   []int32   // point i has the indicators start[i] to start[i+1]
	at      []int32   // positions in the weight vector; size stands for no indicator
}

// stride divides the number of indicators of each point, fillers included: sums over a few dozen
// then have no rest to branch for.
const stride = 4

// len is the number of points.
func (p *points) len() int { return len(p.squares) }

// point returns the numbers of a point and the positions of its indicators.
func (p *points) point(i int32) (values []float64, at []int32) {
	return p.values[int(i)*p.numbers : (int(i)+1)*p.numbers], p.at[p.start[i]:p.start[i+1]]
}

// newPoints merges records of equal features: rows are sorted by features, label and weight, so
// that sums too are the same in whatever order rows are given. What order that is does not matter:
// a digest of the features comes first, because it decides at once between rows that differ.
func newPoints(data classifiers.Data, l *layout) *points {
	r := newRecords(data, l)
	p := &points{size: l.size, classes: data.Table.Schema().Classes(), numbers: l.numbers}
	sorted, distinct := r.sorted(), 0
	for n, k := range sorted {
		if n == 0 || k.digest != sorted[n-1].digest {
			distinct++ // as many points, unless two have one digest
		}
	}
	p.mass = make([]float64, 0, distinct*p.classes)
	p.squares, p.start = make([]float64, 0, distinct), append(make([]int32, 0, distinct+1), 0)
	p.values = make([]float64, 0, distinct*l.numbers)
	indicators := 0 // that every point has
	for i := range l.features {
		if f := &l.features[i]; f.indicators > 0 && f.skip == 0 {
			indicators++
		}
	}
	p.at = make([]int32, 0, distinct*((indicators+stride-1)/stride*stride))
	last := []uint32(nil)
	for n, k := range sorted {
		i := k.row
		row := r.features(i)
		if n > 0 && slices.Equal(last, row) {
			p.mass[len(p.mass)-p.classes+int(r.labels[i])] += r.weight(i)
			continue
		}
		last = row
		p.mass = append(p.mass, make([]float64, p.classes)...)
		p.mass[len(p.mass)-p.classes+int(r.labels[i])] = r.weight(i)
		square := 0.0
		for c, code := range row {
			if r.of[c] < 0 {
				continue
			}
			switch f := &l.features[r.of[c]]; {
			case f.indicators == 0:
				var v float64
				if f.cells != nil {
					v = f.cells[code]
				} else {
					v = math.Float64frombits(uint64(code)<<32 | uint64(row[c+1]))
				}
				p.values = append(p.values, v)
				square += float64(v * v)
			case code >= f.skip:
				p.at = append(p.at, int32(f.first+int(code-f.skip)))
				square++
			}
		}
		for len(p.at)%stride > 0 {
			p.at = append(p.at, int32(p.size))
		}
		p.start = append(p.start, int32(len(p.at)))
		p.squares = append(p.squares, square)
	}
	return p
}

// records are labelled rows and what a point is made of: codes or, for numbers that are not
// tabulated, both halves of their bits.
type records struct {
	labels  []uint32
	weights []float64 // nil for 1 each
	of      []int     // by column, its feature, -1 for the lower half of a number
	codes   []uint32  // row by row
	digests []uint64
}

func newRecords(data classifiers.Data, l *layout) *records {
	rows, labels, weights := data.Labels()
	r := &records{labels: labels, weights: weights, digests: make([]uint64, len(rows))}
	for at := range l.features {
		r.of = append(r.of, at)
		if f := &l.features[at]; f.indicators == 0 && f.cells == nil {
			r.of = append(r.of, -1)
		}
	}
	width := len(r.of)
	r.codes = make([]uint32, len(rows)*width)
	for i := range r.digests {
		r.digests[i] = uint64(len(l.features))
	}
	codes := make([]uint32, len(rows))
	c := 0
	for at := range l.features {
		f := &l.features[at]
		if f.indicators == 0 && f.cells == nil {
			for i, row := range rows {
				v := math.Float64bits(f.scaled(data.Table.Number(row, f.attribute)) + 0)
				r.codes[i*width+c], r.codes[i*width+c+1] = uint32(v>>32), uint32(v)
				r.digests[i] = digest(r.digests[i], v)
			}
			c += 2
			continue
		}
		classifiers.Codes(codes, data.Table.Column(f.attribute), rows)
		for i, code := range codes {
			r.codes[i*width+c] = code
			v := float64(code)
			if f.cells != nil {
				v = f.cells[code]
			}
			r.digests[i] = digest(r.digests[i], math.Float64bits(v+0))
		}
		c++
	}
	return r
}

// digest mixes one more number into the digest of a record; equal records have equal digests. The
// factor is 2⁶⁴ over the golden ratio; +0 has made one of the two zeros.
func digest(h, number uint64) uint64 {
	h = (h ^ number) * 0x9e3779b97f4a7c15
	return h ^ h>>32
}

func (r *records) features(i int32) []uint32 {
	return r.codes[int(i)*len(r.of) : (int(i)+1)*len(r.of)]
}

func (r *records) weight(i int32) float64 {
	if r.weights == nil {
		return 1
	}
	return r.weights[i]
}

type keyed struct {
	digest uint64
	row    int32
}

// sorted lists the rows so that equal records are neighbours, in an order that does not depend on
// that of the rows: by digest, then by what the digest is of, label and weight.
func (r *records) sorted() []keyed {
	order := make([]keyed, len(r.digests))
	for i, d := range r.digests {
		order[i] = keyed{d, int32(i)}
	}
	slices.SortFunc(order, func(a, b keyed) int {
		if a.digest != b.digest {
			return cmp.Compare(a.digest, b.digest)
		}
		return cmp.Or(slices.Compare(r.features(a.row), r.features(b.row)),
			cmp.Compare(r.labels[a.row], r.labels[b.row]),
			cmp.Compare(r.weight(a.row), r.weight(b.row)))
	})
	return order
}

// defaultC is 1/mean(|x|²), 1 where all points are 0.
func (p *points) defaultC() float64 {
	mass, sum := 0.0, 0.0
	for i, w := range p.mass {
		mass += w
		sum += float64(w * p.squares[i/p.classes])
	}
	if !(sum > 0) {
		return 1
	}
	return mass / sum
}
