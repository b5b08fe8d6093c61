package incognito

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/audit/conformance"
	"ppdp/datasets"
)

// counted is how often each value occurs.
func counted(values []uint32) map[uint32]float64 {
	counts := make(map[uint32]float64)
	for _, value := range values {
		counts[value]++
	}
	return counts
}

// holds is the definitions of l-diversity and of t-closeness at equal and ordered distance, of
// values up to 3.
func holds(p *Params, class, all []uint32) bool {
	counts, whole := counted(class), counted(all)
	var sorted []float64
	entropy, equal, ordered, sum := 0.0, 0.0, 0.0, 0.0
	occur := 0.0
	for value := range uint32(4) {
		share := counts[value] / float64(len(class))
		if share > 0 {
			sorted = append(sorted, counts[value])
			entropy -= share * math.Log2(share)
		}
		d := share - whole[value]/float64(len(all))
		equal += math.Abs(d) / 2
		if sum += d; whole[value] > 0 {
			ordered += math.Abs(sum)
			occur++
		}
	}
	if occur > 1 {
		ordered /= occur - 1
	}
	slices.Sort(sorted)
	slices.Reverse(sorted)
	diverse := len(sorted) >= p.L
	switch {
	case p.L == 1:
	case p.Diversity == disclosure.Entropy:
		diverse = entropy > math.Log2(float64(p.L))-1e-6
	case p.Diversity == disclosure.Recursive && diverse:
		tail := 0.0
		for _, n := range sorted[p.L-1:] {
			tail += n
		}
		diverse = sorted[0] < p.C*tail
	}
	distance := equal
	if p.Distance == disclosure.Ordered {
		distance = ordered
	}
	return diverse && distance <= p.T+1e-12
}

// judged says which classes a vector may publish, by the definition, and what that costs.
func judged(p *Params, table *datasets.Table, vector []int) (left map[string][]uint32, suppressed,
	cost int) {
	left = make(map[string][]uint32)
	of := make(map[string][]int32)
	for _, row := range table.AllRows() {
		for key := range groups(table, []int32{row}, vector) { // order-free: there is one
			of[key] = append(of[key], row)
		}
	}
	for key, rows := range of { // order-free: fills a map
		persons := make(map[int]bool)
		for _, row := range rows {
			persons[int(row)/max(1, table.Schema().Contributions)] = true
		}
		if len(persons) < p.K {
			continue
		}
		for _, row := range rows {
			left[key] = append(left[key], table.Column(len(vector)).At(row))
		}
	}
	for again := true; again; {
		var all []uint32
		for _, class := range left { // order-free: only counts matter
			all = append(all, class...)
		}
		again = false
		for key, class := range left { // order-free: each is judged by all
			if !holds(p, class, all) {
				delete(left, key)
				again = true
			}
		}
	}
	released := 0
	for _, class := range left { // order-free: a sum of whole numbers
		released += len(class)
		cost += len(class) * len(class)
	}
	suppressed = table.Len() - released
	return left, suppressed, cost + suppressed*table.Len()
}

// TestLimitsAgainstEveryVector: under every kind of limit, with and without suppression, the
// allowed vectors that are minimal and the cheapest one are those of a walk through all vectors
// that judges by the definitions; and the release leaves out the classes that the walk does.
func TestLimitsAgainstEveryVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := at(rapid.IntRange(2, 4).Draw(t, "k"))
		p.L = rapid.IntRange(1, 3).Draw(t, "l")
		p.Diversity = rapid.SampledFrom([]disclosure.Diversity{disclosure.Distinct,
			disclosure.Entropy, disclosure.Recursive}).Draw(t, "diversity")
		p.C = rapid.SampledFrom([]float64{.7, 1, 2.5}).Draw(t, "c")
		p.T = rapid.SampledFrom([]float64{.1, .25, .4, 1}).Draw(t, "t")
		p.Distance = rapid.SampledFrom([]disclosure.Distance{disclosure.Equal,
			disclosure.Ordered}).Draw(t, "distance")
		p.Suppression = rapid.SampledFrom([]disclosure.Suppression{0, .2, .5}).Draw(t,
			"suppression")
		schema := &datasets.Schema{Contributions: rapid.IntRange(0, 3).Draw(t, "contributions")}
		dims := rapid.IntRange(1, 3).Draw(t, "dims")
		for d := range dims {
			cells := rapid.IntRange(2, 5).Draw(t, "cells")
			schema.Attributes = append(schema.Attributes, datasets.Attribute{
				Name: fmt.Sprint("x", d), High: float64(cells), Step: 1,
				Hierarchy: datasets.BinaryHierarchy(cells)})
		}
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "s", High: 4,
			Step: 1, Role: datasets.Sensitive})
		n := rapid.IntRange(p.K, 40).Draw(t, "rows")
		b := datasets.NewBuilder(schema, n)
		for range n {
			row := b.AddRow()
			for i := range schema.Attributes {
				b.Set(row, i, uint32(rapid.IntRange(0, schema.Attributes[i].Cells()-1).Draw(t,
					"code")))
			}
		}
		table := b.Table()
		heights := make([]int, dims)
		for d := range heights {
			h, err := schema.Attributes[d].Generalisation()
			if err != nil {
				t.Fatal(err)
			}
			heights[d] = h.Height()
		}
		most := int(math.Floor(float64(p.Suppression)*float64(n) + 1e-9))
		_, all, _ := exhaustive(table, table.AllRows(), heights, 1)
		allowed := make(map[string]bool)
		var minimal [][]int
		var costs []int64
		least := -1
		for _, vector := range all {
			_, suppressed, cost := judged(p, table, vector)
			allowed[fmt.Sprint(vector)] = suppressed <= most
			if suppressed > most {
				continue
			}
			if least < 0 || cost < least {
				least = cost
			}
			below := slices.ContainsFunc(all, func(other []int) bool {
				under := allowed[fmt.Sprint(other)] && !slices.Equal(other, vector)
				for d := range other {
					under = under && other[d] <= vector[d]
				}
				return under
			})
			if !below {
				minimal, costs = append(minimal, vector), append(costs, int64(cost))
			}
			if p.Suppression == 0 || p.Limits.Upward() {
				for _, other := range all { // what is monotone allows all above
					above := true
					for d := range other {
						above = above && other[d] >= vector[d]
					}
					if _, n, _ := judged(p, table, other); above && n > most {
						t.Fatalf("%v is allowed and %v above it is not", vector, other)
					}
				}
			}
		}
		if least < 0 {
			_, err := Search(context.Background(), table, table.AllRows(), p)
			if !errors.Is(err, disclosure.ErrUnattainable) &&
				!errors.Is(err, algorithms.ErrTooFew) {
				t.Fatalf("%v, must wrap %v", err, disclosure.ErrUnattainable)
			}
			return
		}
		result := must(Search(context.Background(), table, table.AllRows(), p))
		if diff := cmp.Diff(minimal, result.Minimal); diff != "" {
			t.Fatalf("minimal vectors (-exhaustive +found)\n%s", diff)
		}
		if diff := cmp.Diff(costs, result.Discernibility); diff != "" {
			t.Fatalf("their costs (-exhaustive +found)\n%s", diff)
		}
		classes, suppressed, cost := judged(p, table, result.Best)
		if cost != least || suppressed > most {
			t.Fatalf("the best costs %d, %d suppressed of at most %d; the least is %d", cost,
				suppressed, most, least)
		}
		in := algorithms.Input{Table: table, Rows: table.AllRows(), Params: p,
			Variant: algorithms.Published}
		r, info := must(Algorithm{}.Release(context.Background(), in)), Algorithm{}.Info()
		if err := conformance.CheckRelease(&info, info.Variants[0], in, r); err != nil {
			t.Fatal(err)
		}
		if r.Regions.Len() != len(classes) || len(r.Regions.Suppressed) != suppressed {
			t.Fatalf("%d regions, %d suppressed, must be %d and %d", r.Regions.Len(),
				len(r.Regions.Suppressed), len(classes), suppressed)
		}
	})
}

// TestWeights: with one weight far above the others the least loss is that of the attribute alone,
// and equal weights choose the least of all allowed vectors, both by the metric's definition.
func TestWeights(t *testing.T) {
	table := patients()
	loss := func(vector []int, weights []float64) (sum float64) {
		for _, row := range table.AllRows() {
			for d, w := range weights {
				h, err := table.Schema().Attributes[d].Generalisation()
				if err != nil {
					t.Fatal(err)
				}
				level := &h.Levels[vector[d]]
				group := level.Group[table.Column(d).At(row)]
				if cells := level.High[group] - level.Low[group]; cells > 1 {
					sum += w * float64(cells) / float64(len(level.Group))
				}
			}
		}
		return sum
	}
	for text, weights := range map[string][]float64{ // order-free: each for itself
		"born = 1": {1, 1, 1}, "born = 100": {100, 1, 1}, "sex = 100; born=.5": {.5, 100, 1},
		"zip=100;sex = 2": {1, 2, 100}, "born = 0.1; zip = 3": {.1, 1, 3},
	} {
		p := at(2)
		p.Weights = partition.Weights(text)
		result := must(Search(context.Background(), table, table.AllRows(), p))
		anonymous, all, _ := exhaustive(table, table.AllRows(), result.Heights, 2)
		for _, vector := range all {
			if anonymous[fmt.Sprint(vector)] && loss(vector, weights) < loss(result.Best,
				weights)-1e-9 {
				t.Errorf("%s: %v costs %v, %v only %v", text, result.Best,
					loss(result.Best, weights), vector, loss(vector, weights))
			}
		}
	}
}
