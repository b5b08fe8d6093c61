// Package clustering holds bisecting k-means on the records of a table, and on records that have
// been generalised to sets of values. It leaves out which records are clustered and what is done
// with the clusters.
//
// A record is a vector of length 1. Before scaling, a categorical attribute has one coordinate for
// each value, which share a mass of 1: all of it at the record's value, or evenly over the values
// that a generalised record describes. A numeric attribute has one coordinate from 0 to 1, its
// place between its public bounds; an interval is represented by its midpoint.
package clustering

import (
	"slices"

	"ppdp/datasets"
)

// Vectors are weighted sparse vectors of length 1 (or 0) over a table's attributes.
type Vectors struct {
	schema     *datasets.Schema
	attributes []int
	first      []int // place of each attribute's first coordinate
	size       int   // coordinates

	weights []float64
	squares []float64 // of the lengths: 1, or 0 of a vector without entries
	start   []int32   // vector i has the entries start[i] to start[i+1]
	at      []int32
	values  []float64
}

// NewVectors returns no vectors yet, over the attributes at the given schema positions.
func NewVectors(schema *datasets.Schema, attributes []int) *Vectors {
	v := &Vectors{schema: schema, attributes: slices.Clone(attributes), start: []int32{0}}
	for _, attribute := range attributes {
		v.first = append(v.first, v.size)
		if a := &schema.Attributes[attribute]; a.Kind == datasets.Categorical {
			v.size += len(a.Values)
		} else {
			v.size += 1 + a.Cells() - a.Numbers() // missing numbers have a coordinate
		}
	}
	return v
}

// Len is the number of vectors.
func (v *Vectors) Len() int { return len(v.weights) }

// AddRows appends one vector of weight 1 for each row of a table of the schema.
func (v *Vectors) AddRows(table *datasets.Table, rows []int32) {
	v.at = slices.Grow(v.at, len(rows)*len(v.attributes))
	v.values = slices.Grow(v.values, len(rows)*len(v.attributes))
	for _, row := range rows {
		for d, attribute := range v.attributes {
			if v.schema.Attributes[attribute].Kind == datasets.Categorical {
				v.entry(d, int(table.Column(attribute).At(row)), 1)
			} else if number := table.Number(row, attribute); number == number {
				v.entry(d, 0, v.place(attribute, number))
			} else {
				v.entry(d, 1, 1)
			}
		}
		v.close(1)
	}
}

// AddBox appends a generalised record of a weight above 0. Along the d-th of the attributes it
// covers the codes from low[d] up to, not including, high[d]; where axes has an axis these are
// ranks on it. axes may be nil.
func (v *Vectors) AddBox(low, high []uint32, axes []*datasets.Axis, weight float64) {
	for d, attribute := range v.attributes {
		a := &v.schema.Attributes[attribute]
		if a.Kind == datasets.Numeric {
			numbers, end := 1.0, min(high[d], uint32(a.Numbers()))
			if end < high[d] {
				numbers = float64(end-low[d]) / float64(high[d]-low[d])
			}
			if end > low[d] {
				first, last := a.Number(low[d]), a.Number(end-1)
				v.entry(d, 0, numbers*v.place(attribute, first+float64((last-first)/2)))
			}
			v.entry(d, 1, 1-numbers)
			continue
		}
		share := 1 / float64(high[d]-low[d])
		for code := low[d]; code < high[d]; code++ {
			if axes != nil && axes[d] != nil {
				v.entry(d, int(axes[d].Code[code]), share)
			} else {
				v.entry(d, int(code), share)
			}
		}
	}
	v.close(weight)
}

// place is where a number lies between an attribute's public bounds.
func (v *Vectors) place(attribute int, number float64) float64 {
	a := &v.schema.Attributes[attribute]
	return (number - a.Low) / (a.High - a.Low)
}

func (v *Vectors) entry(d, offset int, value float64) {
	if value != 0 {
		v.at = append(v.at, int32(v.first[d]+offset))
		v.values = append(v.values, value)
	}
}

// close ends the vector whose entries have been appended and scales it to length 1.
func (v *Vectors) close(weight float64) {
	values := v.values[v.start[len(v.start)-1]:]
	whole := 0.0
	if length := length(values); length > 0 {
		for k := range values {
			values[k] /= length
		}
		whole = 1
	}
	v.squares = append(v.squares, whole)
	v.start = append(v.start, int32(len(v.at)))
	v.weights = append(v.weights, weight)
}

// dot is the product of vector i and a dense one.
func (v *Vectors) dot(i int32, dense []float64) float64 {
	at := v.at[v.start[i]:v.start[i+1]]
	values := v.values[v.start[i]:v.start[i+1]]
	values = values[:len(at)]
	sum := 0.0
	for k, c := range at {
		sum += float64(values[k] * dense[c])
	}
	return sum
}

// addTo adds a multiple of vector i to a dense one.
func (v *Vectors) addTo(dense []float64, i int32, factor float64) {
	for k := v.start[i]; k < v.start[i+1]; k++ {
		dense[v.at[k]] += float64(factor * v.values[k])
	}
}
