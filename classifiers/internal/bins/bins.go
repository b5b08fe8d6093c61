// Package bins turns the features of labelled rows into columns of bytes and their weights into
// whole numbers, for classifiers that grow trees from histograms. Sums of whole numbers are the
// same in any order, so that a model depends on the set of rows alone.
package bins

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"ppdp/datasets"
)

// Most is how many bins a feature has at most: one number of a byte is left over.
const Most = 255

// tabulated is how many codes a numeric attribute may have for the bin of each to be stored.
const tabulated = 1 << 16

// Feature says which bin a value is in. Bins of numbers are in their order; of a categorical
// attribute with more than Most values, the rarest share the last bin.
type Feature struct {
	Attribute   int
	Categorical bool
	Bins        int
	missing     bool      // numbers may be missing: they have the last bin
	codes       []uint8   // bin of each code, where codes decide
	cuts        []float64 // else bin i holds the numbers below cuts[i] that no earlier bin holds
}

// Matrix is the features of rows, column by column.
type Matrix struct {
	Features []Feature
	Columns  [][]uint8 // by feature, then by row
	Rows     int
}

// New bins the attributes listed of rows that have whole weights (see Units). A numeric attribute
// with at most Most distinct values among the rows has a bin for each, which ends halfway to the
// next; one with more has bins of about equal weight. Missing numbers have a bin of their own, the
// last: one cut sets it apart, and no other depends on it.
func New(table *datasets.Table, rows []int32, weights []int64, attributes []int) *Matrix {
	m := &Matrix{Rows: len(rows)}
	for _, at := range attributes {
		a := &table.Schema().Attributes[at]
		f := Feature{Attribute: at, Categorical: a.Kind == datasets.Categorical,
			missing: a.Kind == datasets.Numeric && a.Missing != nil}
		if f.Categorical {
			f.pool(table.Column(at), rows, weights, a.Cells())
		} else {
			f.cut(table, rows, weights)
		}
		if f.Bins < 2 {
			continue // nothing to divide
		}
		m.Features = append(m.Features, f)
		m.Columns = append(m.Columns, make([]uint8, len(rows)))
		f.Fill(m.Columns[len(m.Columns)-1], table, rows)
	}
	return m
}

// Fill writes the bin of each row to dst, which has room for len(rows).
func (f *Feature) Fill(dst []uint8, table *datasets.Table, rows []int32) {
	column := table.Column(f.Attribute)
	switch {
	case f.codes == nil:
		for i, row := range rows {
			dst[i] = f.find(table.Number(row, f.Attribute))
		}
	case column.U8 != nil:
		look(dst, column.U8, f.codes, rows)
	case column.U16 != nil:
		look(dst, column.U16, f.codes, rows)
	default:
		look(dst, column.U32, f.codes, rows)
	}
}

func look[T uint8 | uint16 | uint32](dst []uint8, column []T, codes []uint8, rows []int32) {
	for i, row := range rows {
		dst[i] = codes[column[row]]
	}
}

// find is the bin of a number.
func (f *Feature) find(x float64) uint8 {
	if f.missing && x != x {
		return uint8(f.Bins - 1)
	}
	at, found := slices.BinarySearch(f.cuts, x)
	if found {
		at++
	}
	return uint8(at)
}

// pool gives each value of a categorical attribute a bin, or the rarest a common one.
func (f *Feature) pool(column *datasets.Column, rows []int32, weights []int64, values int) {
	f.codes, f.Bins = make([]uint8, values), min(values, Most)
	if values <= Most {
		for code := range f.codes {
			f.codes[code] = uint8(code)
		}
		return
	}
	total, order := make([]int64, values), make([]int, values)
	for i, row := range rows {
		total[column.At(row)] += weights[i]
	}
	for code := range order {
		order[code], f.codes[code] = code, Most-1
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(total[b], total[a]) })
	for bin, code := range order[:Most-1] {
		f.codes[code] = uint8(bin)
	}
}

// weighted is a number with the weight of all rows that have it.
type weighted struct {
	number float64
	weight int64
}

// cut finds the bounds between a numeric attribute's bins.
func (f *Feature) cut(table *datasets.Table, rows []int32, weights []int64) {
	numbers, most := make([]weighted, 0, len(rows)), Most
	for i, row := range rows {
		if x := table.Number(row, f.Attribute); x == x {
			numbers = append(numbers, weighted{x, weights[i]})
		}
	}
	if f.missing {
		most--
	}
	slices.SortFunc(numbers, func(a, b weighted) int { return cmp.Compare(a.number, b.number) })
	distinct, total := numbers[:0], int64(0)
	for _, n := range numbers {
		total += n.weight
		if last := len(distinct) - 1; last >= 0 && distinct[last].number == n.number {
			distinct[last].weight += n.weight
		} else {
			distinct = append(distinct, n)
		}
	}
	// A bin ends where the weight so far reaches its share; each is wide enough for one number.
	all, below := len(distinct) <= most, int64(0)
	for i := range max(1, len(distinct)) - 1 {
		below += distinct[i].weight
		here := float64(below) / float64(total) * float64(most)
		if all || here >= float64(len(f.cuts)+1) {
			low, high := distinct[i].number, distinct[i+1].number
			f.cuts = append(f.cuts, max(low+float64((high-low)/2), math.Nextafter(low, high)))
			if len(f.cuts) == most-1 && !all {
				break
			}
		}
	}
	if f.Bins = len(f.cuts) + 1; f.missing {
		f.Bins++
	}
	a := &table.Schema().Attributes[f.Attribute]
	if cells := a.Cells(); !a.Continuous && cells <= tabulated {
		f.codes = make([]uint8, cells)
		for code := range f.codes {
			f.codes[code] = f.find(a.Number(uint32(code)))
		}
	}
}

// totalBits bounds the sum of whole weights, so that 22 bits are left for what they multiply.
const totalBits = 40

// Units are the weights of n rows as whole numbers of a unit, with their sum; nil weights are 1
// each. Whole weights with a sum below 2⁴⁰ are themselves. Others are rounded to a unit, a power of
// two that does not depend on the order of rows.
func Units(weights []float64, n int) (units []int64, total int64, unit float64) {
	units, unit = make([]int64, n), 1
	if weights == nil {
		for i := range units {
			units[i] = 1
		}
		return units, int64(n), 1
	}
	most, whole := 0.0, true
	for _, w := range weights {
		most = max(most, w)
		whole = whole && w == math.Trunc(w)
	}
	_, exponent := math.Frexp(most)
	if exponent += bits.Len(uint(n)); !whole || exponent > totalBits {
		unit = max(math.SmallestNonzeroFloat64, math.Ldexp(1, exponent-totalBits))
	}
	for i, w := range weights {
		units[i] = int64(math.RoundToEven(w / unit))
		total += units[i]
	}
	return units, total, unit
}
