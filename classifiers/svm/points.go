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

// stride divides the number of indicators of each point, those that are none included: sums over
// some dozen end where the processor expects it.
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
	rows, labels, weights := data.Labels()
	columns := len(l.features)
	// Codes of categorical, scaled numbers of numeric attributes.
	matrix := make([]float64, len(rows)*columns)
	codes := make([]uint32, len(rows))
	for c := range l.features {
		f := &l.features[c]
		column := data.Table.Column(f.attribute)
		numeric := f.indicators == 0
		if numeric && f.cells == nil {
			for i, row := range rows {
				matrix[i*columns+c] = f.scaled(data.Table.Number(row, f.attribute))
			}
			continue
		}
		classifiers.Codes(codes, column, rows)
		for i, code := range codes {
			if numeric {
				matrix[i*columns+c] = f.cells[code]
			} else {
				matrix[i*columns+c] = float64(code)
			}
		}
	}
	weight := func(i int32) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	same := func(i, j int32) int {
		a, b := matrix[int(i)*columns:int(i+1)*columns], matrix[int(j)*columns:int(j+1)*columns]
		for c, v := range a {
			if v != b[c] {
				return cmp.Compare(v, b[c])
			}
		}
		return 0
	}
	type keyed struct {
		digest uint64
		row    int32
	}
	order := make([]keyed, len(rows))
	for i := range order {
		order[i] = keyed{digest(matrix[i*columns : (i+1)*columns]), int32(i)}
	}
	slices.SortFunc(order, func(a, b keyed) int {
		if a.digest != b.digest {
			return cmp.Compare(a.digest, b.digest)
		}
		if by := same(a.row, b.row); by != 0 {
			return by
		}
		return cmp.Or(cmp.Compare(labels[a.row], labels[b.row]),
			cmp.Compare(weight(a.row), weight(b.row)))
	})

	p := &points{size: l.size, classes: data.Table.Schema().Classes(), numbers: l.numbers,
		start: []int32{0}}
	for n, k := range order {
		i := k.row
		if n > 0 && same(order[n-1].row, i) == 0 {
			p.mass[len(p.mass)-p.classes+int(labels[i])] += weight(i)
			continue
		}
		p.mass = append(p.mass, make([]float64, p.classes)...)
		p.mass[len(p.mass)-p.classes+int(labels[i])] = weight(i)
		square := 0.0
		row := matrix[int(i)*columns : int(i+1)*columns]
		for _, v := range row[:l.numbers] {
			p.values = append(p.values, v)
			square += float64(v * v)
		}
		for c, v := range row[l.numbers:] {
			if f := &l.features[l.numbers+c]; uint32(v) >= f.skip {
				p.at = append(p.at, int32(f.first+int(uint32(v)-f.skip)))
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

// digest mixes the numbers of a record into one; equal records have equal digests.
func digest(row []float64) uint64 {
	h := uint64(len(row))
	for _, v := range row {
		// 2⁶⁴ over the golden ratio; v+0 makes one of the two zeros.
		h = (h ^ math.Float64bits(v+0)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
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
