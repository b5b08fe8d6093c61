package gower

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// drawTable is a table of up to ten numbers and categories, with small domains and large ones.
func drawTable(t *rapid.T, attributes, rows int) *datasets.Table {
	schema := &datasets.Schema{}
	for a := range attributes {
		name := fmt.Sprint("a", a)
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: name, Low: -5,
				High: -5 + float64(rapid.IntRange(1, 40).Draw(t, "cells")), Step: 1})
		case 1:
			schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: name, High: 1,
				Step: 0.125, Continuous: true})
		case 2:
			values := make([]string, rapid.SampledFrom([]int{1, 2, 3, 16, 300, 70000}).
				Draw(t, "values"))
			for v := range values {
				values[v] = fmt.Sprint(v)
			}
			schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: name,
				Kind: datasets.Categorical, Values: values})
		}
		last := &schema.Attributes[a]
		if marker := "?"; last.Kind == datasets.Numeric && rapid.Bool().Draw(t, "missing") {
			last.Missing = &marker
		}
	}
	b := datasets.NewBuilder(schema, rows)
	for row := range rows {
		b.AddRow()
		for a := range attributes {
			cells := schema.Attributes[a].Cells()
			code := rapid.IntRange(0, min(cells, 3)-1).Draw(t, "code")
			if rapid.Bool().Draw(t, "last") {
				code = cells - 1 - code
			}
			b.Set(row, a, uint32(code))
			if of := &schema.Attributes[a]; of.Continuous && uint32(code) != of.MissingCode() {
				x := rapid.Float64Range(0, 0.999).Draw(t, "x")
				must.Do(t, b.SetNumber(row, a, x))
			}
		}
	}
	return b.Table()
}

// mean turns a distance into Gower's, from 0 to 1.
func (g *Space) mean(distance int) float64 {
	return float64(distance) / Unit / float64(max(1, len(g.numeric)+len(g.fields)))
}

// TestNearest compares with the definition, pair by pair, in floating point.
func TestNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		attributes := rapid.IntRange(1, 20).Draw(t, "attributes")
		n := rapid.IntRange(2, rapid.SampledFrom([]int{12, 300}).Draw(t, "most")).Draw(t, "rows")
		table := drawTable(t, attributes, n)
		split := rapid.IntRange(1, n-1).Draw(t, "split")
		rows := table.AllRows()
		ranges := table.AllRows()[:rapid.IntRange(1, n).Draw(t, "original")]
		low, high := make([]float64, attributes), make([]float64, attributes)
		compared := 0
		for a := range attributes {
			numeric := table.Schema().Attributes[a].Kind == datasets.Numeric
			low[a], high[a] = math.Inf(1), math.Inf(-1)
			for _, row := range ranges {
				if x := table.Number(row, a); numeric && !math.IsNaN(x) {
					low[a], high[a] = min(low[a], x), max(high[a], x)
				}
			}
			if low[a] == high[a] && table.Schema().Attributes[a].Missing != nil {
				high[a]++
			}
			if !numeric || high[a] > low[a] {
				compared++
			}
		}
		distance := func(one, other int32) (sum float64) {
			for a := range attributes {
				if table.Schema().Attributes[a].Kind == datasets.Categorical {
					if table.Column(a).At(one) != table.Column(a).At(other) {
						sum++
					}
				} else if no, not := math.IsNaN(table.Number(one, a)),
					math.IsNaN(table.Number(other, a)); no || not {
					if no != not && high[a] > low[a] { // a number and a missing one
						sum++
					}
				} else if high[a] > low[a] {
					x := max(low[a], min(high[a], table.Number(one, a)))
					y := max(low[a], min(high[a], table.Number(other, a)))
					sum += math.Abs(x-y) / (high[a] - low[a])
				}
			}
			return sum / float64(max(1, compared))
		}
		g := New(table, ranges)
		found := must.Get(g.Points(table, rows[:split]).Nearest(t.Context(),
			g.Points(table, rows[split:])))
		for i, got := range found {
			first, second := math.Inf(1), math.Inf(1)
			for _, other := range rows[split:] {
				d := distance(rows[i], other)
				first, second = min(first, d), min(second, max(first, d))
			}
			const rounding = 1e-6
			at := distance(rows[i], rows[split:][got.At])
			if math.Abs(g.mean(got.First)-first) > rounding || math.Abs(at-first) > rounding ||
				(got.Second == Beyond) != math.IsInf(second, 1) ||
				got.Second != Beyond && math.Abs(g.mean(got.Second)-second) > rounding {
				t.Fatalf("row %d: %v and %v, row %d; must be %v and %v", i, g.mean(got.First),
					g.mean(got.Second), got.At, first, second)
			}
		}
	})
}
