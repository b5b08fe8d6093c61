package svm

import (
	"cmp"
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
	cells []float64 // numeric attributes of codes: the scaled number of each, unless there are too many
}

// most cells a numeric attribute may have for its scaled numbers to be tabulated.
const tabulated = 1 << 16

// layout is the order of the features in a weight vector of the given size.
type layout struct {
	features []feature
	size     int
}

func newLayout(schema *datasets.Schema) *layout {
	l := &layout{}
	for _, at := range classifiers.Features(schema) {
		a := &schema.Attributes[at]
		f := feature{attribute: at, first: l.size}
		if a.Kind == datasets.Numeric {
			f.low, f.scale = a.Low, 1/(a.High-a.Low)
			if cells := a.Cells(); !a.Continuous && cells <= tabulated {
				f.cells = make([]float64, cells)
				for code := range f.cells {
					f.cells[code] = f.scaled(a.Number(uint32(code)))
				}
			}
			l.features = append(l.features, f)
			l.size++
			continue
		}
		f.indicators = len(a.Values)
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

// points are the distinct records in a fixed order that does not depend on the rows' order, each a
// sparse vector without the constant feature.
type points struct {
	size    int       // of a weight vector
	classes int       // of the schema
	mass    []float64 // weight of point i and class c, at i·classes+c
	squares []float64 // |x|²
	start   []int32   // point i has the numbers start[i] to start[i+1]
	at      []int32   // positions in the weight vector
	values  []float64
}

// len is the number of points.
func (p *points) len() int { return len(p.squares) }

// newPoints merges records of equal features: rows are sorted by features, label and weight, so that sums too
// are the same in whatever order rows are given.
func newPoints(data classifiers.Data, l *layout) *points {
	rows, labels, weights := data.Labels()
	columns := len(l.features)
	matrix := make([]float64, len(rows)*columns) // codes of categorical, scaled numbers of numeric attributes
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
	order := make([]int32, len(rows))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(i, j int32) int {
		return cmp.Or(same(i, j), cmp.Compare(labels[i], labels[j]), cmp.Compare(weight(i), weight(j)))
	})

	p := &points{size: l.size, classes: data.Table.Schema().Classes(), start: []int32{0}}
	for n, i := range order {
		if n > 0 && same(order[n-1], i) == 0 {
			p.mass[len(p.mass)-p.classes+int(labels[i])] += weight(i)
			continue
		}
		p.mass = append(p.mass, make([]float64, p.classes)...)
		p.mass[len(p.mass)-p.classes+int(labels[i])] = weight(i)
		square := 0.0
		for c, v := range matrix[int(i)*columns : int(i+1)*columns] {
			f := &l.features[c]
			at := f.first
			if f.indicators > 0 {
				code := uint32(v)
				if code < f.skip {
					continue
				}
				at += int(code - f.skip)
				v = 1
			}
			if v == 0 {
				continue
			}
			p.at = append(p.at, int32(at))
			p.values = append(p.values, v)
			square += float64(v * v)
		}
		p.start = append(p.start, int32(len(p.at)))
		p.squares = append(p.squares, square)
	}
	return p
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
