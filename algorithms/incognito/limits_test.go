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
	"ppdp/algorithms/internal/testinput"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/audit/conformance"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// judged says which classes a vector may publish, by the definition, and what that costs.
func judged(p *Params, table *datasets.Table, vector []int) (classes map[string][]int32,
	suppressed int, cost int64) {
	classes = make(map[string][]int32)
	for _, row := range table.AllRows() {
		for key := range groups(table, []int32{row}, vector) { // order-free: there is one
			classes[key] = append(classes[key], row)
		}
	}
	suppressed, cost = testinput.Publish(table, classes, p.K, &p.Limits)
	return classes, suppressed, cost
}

// TestLimitsAgainstEveryVector: under every kind of limit, with and without suppression, the
// allowed vectors that are minimal and the cheapest one are those of a walk through all vectors
// that judges by the definitions; and the release leaves out the classes that the walk does.
func TestLimitsAgainstEveryVector(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := testinput.Draw(t)
		p := at(2 + draw(3))
		if draw(3) > 0 { // else k alone is asked for
			p.Limits = testinput.DrawLimits(draw)
			p.Distance = []disclosure.Distance{disclosure.Equal, disclosure.Ordered}[draw(2)]
			p.Suppression = []disclosure.Suppression{0, .2, .5}[draw(3)]
		}
		dims, n := 1+draw(3), p.K+draw(38)
		cells := []int{2 + draw(4), 2 + draw(4), 2 + draw(4)}[:dims]
		table := testinput.Sensitive(draw, n, cells...)
		schema := table.Schema()
		heights := make([]int, dims)
		for d := range heights {
			h := must.Get(schema.Attributes[d].Generalisation())
			heights[d] = h.Height()
		}
		most := int(math.Floor(float64(p.Suppression)*float64(n) + 1e-9))
		_, all, _ := exhaustive(table, table.AllRows(), heights, 1)
		allowed := make(map[string]bool)
		var minimal [][]int
		var costs []int64
		least := int64(-1)
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
				minimal, costs = append(minimal, vector), append(costs, cost)
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
		result := must.Get(Search(context.Background(), table, table.AllRows(), p))
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
		r := conformance.Released(t, Algorithm{},
			testinput.Input(table, p, algorithms.Published, 0, 0))
		if r.Regions.Len() != len(classes) || len(r.Regions.Suppressed) != suppressed {
			t.Fatalf("%d regions, %d suppressed, must be %d and %d", r.Regions.Len(),
				len(r.Regions.Suppressed), len(classes), suppressed)
		}
	})
}
