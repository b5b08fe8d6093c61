package testinput

import (
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// sensitiveValues is how many values the sensitive attribute of Sensitive has.
const sensitiveValues = 4

// Sensitive is a table of n rows over attributes x0, x1, ... of the given numbers of cells, with
// binary hierarchies, and a sensitive attribute of four values. Up to three rows next to each other
// are a person's. draw draws a number below n.
func Sensitive(draw func(n int) int, n int, cells ...int) *datasets.Table {
	schema := &datasets.Schema{Contributions: draw(4)}
	for d, c := range cells {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: fmt.Sprint("x", d),
			High: float64(c), Step: 1, Hierarchy: datasets.BinaryHierarchy(c)})
	}
	schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "s",
		High: sensitiveValues, Step: 1, Role: datasets.Sensitive})
	b := datasets.NewBuilder(schema, n)
	for range n {
		row := b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(draw(schema.Attributes[i].Cells())))
		}
	}
	return b.Table()
}

// Draw draws numbers below n for Sensitive.
func Draw(t *rapid.T) func(n int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "below") }
}

// DrawLimits draws limits at equal distances.
func DrawLimits(draw func(n int) int) disclosure.Limits {
	return disclosure.Limits{L: 1 + draw(3), C: []float64{.7, 1, 2.5}[draw(3)],
		T: []float64{.15, .25, .4, 1, 1}[draw(5)], Distance: disclosure.Equal,
		Diversity: []disclosure.Diversity{disclosure.Distinct, disclosure.Entropy,
			disclosure.Recursive}[draw(3)]}
}

// Keeps reports whether rows of a table of Sensitive are of k persons and keep limits beside all
// that is published, straight from the definitions of the three forms of l-diversity and of
// t-closeness at equal and ordered distance.
func Keeps(table *datasets.Table, rows, published []int32, k int, limits *disclosure.Limits) bool {
	persons := make(map[int32]bool)
	for _, row := range rows {
		persons[row/int32(max(1, table.Schema().Contributions))] = true
	}
	shares := func(rows []int32) (of [sensitiveValues]float64) {
		for _, row := range rows {
			column := table.Column(len(table.Schema().Attributes) - 1)
			of[column.At(row)] += 1 / float64(len(rows))
		}
		return of
	}
	class, all := shares(rows), shares(published)
	entropy, equal, ordered, sum, occur := 0.0, 0.0, 0.0, 0.0, 0.0
	for value, share := range class {
		if share > 0 {
			entropy -= float64(share * elementary.Log(share))
		}
		equal += float64(math.Abs(share-all[value]) / 2)
		if sum += share - all[value]; all[value] > 0 {
			ordered += math.Abs(sum)
			occur++
		}
	}
	distance := equal
	if limits.Distance == disclosure.Ordered {
		distance = ordered / max(1, occur-1)
	}
	slices.Sort(class[:])
	slices.Reverse(class[:])
	diverse, tail := class[limits.L-1] > 0, 0.0
	for _, share := range class[limits.L-1:] {
		tail += share
	}
	const rounding = 1e-9
	switch {
	case limits.L == 1:
	case limits.Diversity == disclosure.Entropy:
		diverse = entropy > elementary.Log(float64(limits.L))-rounding
	case limits.Diversity == disclosure.Recursive:
		diverse = diverse && class[0] < float64(limits.C*tail)-rounding
	}
	return len(persons) >= k && diverse && distance <= limits.T+rounding
}

// Publish deletes the classes that may not be published: those of fewer than k persons, then all
// that break a limit beside those that remain, until none does. It returns how many rows they
// have, and the discernibility: the sum of the squares of the others' sizes, and the table's size
// for each row left out.
func Publish(table *datasets.Table, classes map[string][]int32, k int,
	limits *disclosure.Limits) (suppressed int, cost int64) {
	none := disclosure.NoLimits()
	for key, rows := range classes { // order-free: each for itself
		if !Keeps(table, rows, rows, k, &none) {
			delete(classes, key)
		}
	}
	for again := true; again; {
		var published []int32
		for _, rows := range classes { // order-free: only counts matter
			published = append(published, rows...)
		}
		again = false
		for key, rows := range classes { // order-free: all beside the same
			if !Keeps(table, rows, published, k, limits) {
				delete(classes, key)
				again = true
			}
		}
		suppressed = table.Len() - len(published)
	}
	cost = int64(suppressed) * int64(table.Len())
	for _, rows := range classes { // order-free: a sum of whole numbers
		cost += int64(len(rows)) * int64(len(rows))
	}
	return suppressed, cost
}
