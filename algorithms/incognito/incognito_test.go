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
	"ppdp/datasets/discrete"
	"ppdp/internal/must"
)

// at are the default parameters with another k.
func at(k int) *Params {
	params := DefaultParams()
	params.K = k
	return params
}

// patients is the table that LeFevre et al. 2005 use as an example: birth dates go up to everything
// at once, so does sex, zip codes lose one digit and then all.
func patients() *datasets.Table {
	zip := &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
		{Name: "*", Parent: -1, Children: []int{1, 2}},
		{Name: "5370*", Parent: 0, Children: []int{3, 4}}, {Name: "5371*", Parent: 0,
			Children: []int{5}},
		{Name: "53703", Parent: 1}, {Name: "53706", Parent: 1}, {Name: "53715", Parent: 2},
	}}
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "born", Kind: datasets.Categorical, Values: []string{"1/21/76", "2/28/76",
			"4/13/86"}},
		{Name: "sex", Kind: datasets.Categorical, Values: []string{"female", "male"}},
		{Name: "zip", Kind: datasets.Categorical, Values: []string{"53715", "53706", "53703"},
			Taxonomy: zip},
	}}
	return testinput.Table(schema, [][]uint32{{0, 1, 0}, {2, 0, 0}, {1, 1, 2}, {0, 1, 2},
		{2, 0, 1}, {1, 0, 1}}...)
}

// TestPatients: worked out by hand. Born as it is needs sex and zip at the top; all dates in one
// leave pairs of equal zips without sex, and three of each sex without zip.
func TestPatients(t *testing.T) {
	table := patients()
	result := must.Get(Search(context.Background(), table, table.AllRows(), at(2)))
	want := &Result{
		Minimal: [][]int{{0, 1, 2}, {1, 0, 2}, {1, 1, 0}}, Discernibility: []int64{12, 18, 12},
		Best: []int{0, 1, 2}, Heights: []int{1, 1, 2}, Counted: result.Counted,
		hierarchies: result.hierarchies,
	}
	if diff := cmp.Diff(want, result, cmp.AllowUnexported(Result{})); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	regions := release(t, table, table.AllRows(), 2).Regions
	if diff := cmp.Diff([]float64{2, 2, 2}, regions.Counts); diff != "" {
		t.Errorf("counts (-want +got)\n%s", diff)
	}
	// Sex and zip are their taxonomies' roots, birth dates leaves.
	if diff := cmp.Diff([]int32{1, 0, 0, 2, 0, 0, 3, 0, 0}, regions.Nodes); diff != "" {
		t.Errorf("nodes (-want +got)\n%s", diff)
	}
}

func release(t testing.TB, table *datasets.Table, rows []int32, k int) *algorithms.Release {
	t.Helper()
	in := testinput.Input(table, at(k), algorithms.Published, 0, 0)
	in.Rows = rows
	return conformance.Released(t, Algorithm, in)
}

// groups are the rows' groups under a vector, straight from the definition.
func groups(table *datasets.Table, vector []int) map[string][]int32 {
	levels := make([][]uint32, len(vector))
	for d := range levels {
		h := must.Get(table.Schema().Attributes[d].Generalisation())
		levels[d] = h.Levels[vector[d]].Group
	}
	classes := make(map[string][]int32)
	for _, row := range table.AllRows() {
		key := ""
		for d, group := range levels {
			key += fmt.Sprint(group[table.Column(d).At(row)], " ")
		}
		classes[key] = append(classes[key], row)
	}
	return classes
}

// vectors are all up to heights, in the order of their numbers.
func vectors(heights []int) (all [][]int) {
	vector := make([]int, len(heights))
	for {
		all = append(all, slices.Clone(vector))
		d := len(vector) - 1
		for ; d >= 0 && vector[d] == heights[d]; d-- {
			vector[d] = 0
		}
		if d < 0 {
			return all
		}
		vector[d]++
	}
}

// TestPruning: of 1,024 vectors of five binary trees, and all those of their parts, only some are
// counted.
func TestPruning(t *testing.T) {
	t.Parallel()
	table := testinput.Discrete(t, discrete.Skewed, 2000)
	result := must.Get(Search(context.Background(), table, table.AllRows(), at(10)))
	least := int64(math.MaxInt64)
	for _, vector := range vectors(result.Heights) {
		holds, cost := true, int64(0)
		for _, class := range groups(table, vector) { // order-free: a sum of integers
			holds = holds && len(class) >= 10
			cost += int64(len(class)) * int64(len(class))
		}
		if holds {
			least = min(least, cost)
		}
	}
	best := release(t, table, table.AllRows(), 10)
	sum := 0.0
	for _, size := range best.Regions.Counts {
		sum += size * size
	}
	if sum != float64(least) {
		t.Errorf("the release costs %v, the best of 1,024 vectors %d", sum, least)
	}
	// A vector is counted once; all parts together have 5⁵-1 vectors (each attribute at one of four
	// levels or left out).
	if most := 3124; result.Counted >= most/2 {
		t.Errorf("%d of %d vectors were counted, must be less than half with pruning and marking",
			result.Counted, most)
	}
}

func TestTooFew(t *testing.T) {
	table := patients()
	if _, err := Search(context.Background(), table, table.AllRows(), at(7)); !errors.Is(err,
		algorithms.ErrTooFew) {
		t.Errorf("7 of 6 rows: %v, must wrap ErrTooFew", err)
	}
}

// TestTooLarge: a lattice that cannot be kept is refused, not tried.
func TestTooLarge(t *testing.T) {
	schema := &datasets.Schema{}
	for d := range 12 {
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: fmt.Sprint("x", d),
			Low: 0, High: 16, Step: 1, Hierarchy: datasets.BinaryHierarchy(16)})
	}
	table := testinput.Table(schema, nil, nil)
	if _, err := Search(context.Background(), table, table.AllRows(), at(2)); !errors.Is(err,
		algorithms.ErrTooLarge) {
		t.Errorf("5¹² vectors: %v, must wrap ErrTooLarge", err)
	}
}

func BenchmarkSearch(b *testing.B) {
	table := testinput.Adult(b, "mondrian")
	rows := table.AllRows()
	for _, k := range []int{2, 10, 100} {
		b.Run(fmt.Sprint("k=", k), func(b *testing.B) {
			counted := 0
			b.ReportAllocs()
			for b.Loop() {
				result := must.Get(Search(context.Background(), table, rows, at(k)))
				counted = result.Counted
			}
			b.ReportMetric(float64(counted), "vectors")
			b.ReportMetric(float64(b.N)*float64(len(rows))/b.Elapsed().Seconds(), "rows/s")
		})
	}
}

// judged says which classes a vector may publish, by the definition, and what that costs.
func judged(p *Params, table *datasets.Table, vector []int) (classes map[string][]int32,
	suppressed int, cost int64) {
	classes = groups(table, vector)
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
		all := vectors(heights)
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
		r := conformance.Released(t, Algorithm,
			testinput.Input(table, p, algorithms.Published, 0, 0))
		if r.Regions.Len() != len(classes) || len(r.Regions.Suppressed) != suppressed {
			t.Fatalf("%d regions, %d suppressed, must be %d and %d", r.Regions.Len(),
				len(r.Regions.Suppressed), len(classes), suppressed)
		}
	})
}
