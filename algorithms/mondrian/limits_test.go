package mondrian

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// naive is strict Mondrian by its definition: it cuts the widest dimension beside the median, the
// paper's cut first, where both sides keep what is asked, and tries the next widest otherwise.
func naive(table *datasets.Table, rows []int32, p *Params, weights []float64) (regions [][]int32) {
	type wide struct {
		dim   int
		width float64
	}
	var order []wide
	for d, w := range weights {
		low, high := uint32(math.MaxUint32), uint32(0)
		for _, row := range rows {
			code := table.Column(d).At(row)
			low, high = min(low, code), max(high, code)
		}
		if low < high {
			cells := float64(table.Schema().Attributes[d].Cells())
			order = append(order, wide{d, w * float64(high-low) / cells})
		}
	}
	slices.SortStableFunc(order, func(a, b wide) int {
		if math.Abs(a.width-b.width) < 1e-12 {
			return 0
		}
		return map[bool]int{true: -1, false: 1}[a.width > b.width]
	})
	for _, o := range order {
		var codes []uint32
		for _, row := range rows {
			codes = append(codes, table.Column(o.dim).At(row))
		}
		slices.Sort(codes)
		median := codes[(len(codes)-1)/2]
		for _, at := range []uint32{median + 1, median} {
			var below, above []int32
			for _, row := range rows {
				if table.Column(o.dim).At(row) < at {
					below = append(below, row)
				} else {
					above = append(above, row)
				}
			}
			if keeps(table, below, p) && keeps(table, above, p) {
				return append(naive(table, below, p, weights), naive(table, above, p, weights)...)
			}
		}
	}
	return [][]int32{rows}
}

// keeps is the definitions of k-anonymity, for persons with rows next to each other, of the three
// forms of l-diversity and of t-closeness at equal distance.
func keeps(table *datasets.Table, rows []int32, p *Params) bool {
	persons := make(map[int]bool)
	for _, row := range rows {
		persons[int(row)/max(1, table.Schema().Contributions)] = true
	}
	if len(persons) < p.K {
		return false
	}
	at := len(table.Schema().Attributes) - 1
	counts, all := make([]float64, 4), make([]float64, 4)
	for _, row := range rows {
		counts[table.Column(at).At(row)]++
	}
	for _, row := range table.AllRows() {
		all[table.Column(at).At(row)] += 1 / float64(table.Len())
	}
	n, distance, entropy := float64(len(rows)), 0.0, 0.0
	for value, count := range counts {
		distance += math.Abs(count/n-all[value]) / 2
		if count > 0 {
			entropy -= count / n * math.Log(count/n)
		}
	}
	slices.Sort(counts)
	slices.Reverse(counts)
	tail := 0.0
	for _, count := range counts[p.L-1:] {
		tail += count
	}
	diverse := map[disclosure.Diversity]bool{
		disclosure.Distinct:  counts[p.L-1] > 0,
		disclosure.Entropy:   entropy > math.Log(float64(p.L))-1e-6,
		disclosure.Recursive: counts[p.L-1] > 0 && counts[0] < p.C*tail,
	}
	return (p.L == 1 || diverse[p.Diversity]) && distance <= p.T+1e-12
}

// TestLimits: the partition is that of the definition, under every kind of limit and with weights,
// and where not even all rows together keep the limits the release says so.
func TestLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := DefaultParams()
		p.K = rapid.IntRange(2, 4).Draw(t, "k")
		p.L = rapid.IntRange(1, 3).Draw(t, "l")
		p.Diversity = rapid.SampledFrom([]disclosure.Diversity{disclosure.Distinct,
			disclosure.Entropy, disclosure.Recursive}).Draw(t, "diversity")
		p.C = rapid.SampledFrom([]float64{.7, 1, 2.5}).Draw(t, "c")
		p.T = rapid.SampledFrom([]float64{.2, .4, 1}).Draw(t, "t")
		weights := []float64{1, 1, rapid.SampledFrom([]float64{1, .1, 7}).Draw(t, "weight")}
		if weights[2] != 1 {
			p.Weights = partition.Weights(fmt.Sprint("x2 = ", weights[2]))
		}
		schema := &datasets.Schema{Contributions: rapid.IntRange(0, 3).Draw(t, "contributions")}
		for d, cells := range []float64{3, 8, 20} {
			schema.Attributes = append(schema.Attributes, datasets.Attribute{
				Name: fmt.Sprint("x", d), High: cells, Step: 1})
		}
		schema.Attributes = append(schema.Attributes, datasets.Attribute{Name: "s", High: 4,
			Step: 1, Role: datasets.Sensitive})
		n := rapid.IntRange(p.K, 60).Draw(t, "rows")
		b := datasets.NewBuilder(schema, n)
		for range n {
			row := b.AddRow()
			for i := range schema.Attributes {
				b.Set(row, i, uint32(rapid.IntRange(0, schema.Attributes[i].Cells()-1).Draw(t,
					"code")))
			}
		}
		table := b.Table()
		if !keeps(table, table.AllRows(), p) {
			_, err := Algorithm{}.Release(context.Background(), algorithms.Input{Table: table,
				Rows: table.AllRows(), Params: p, Variant: algorithms.Published})
			if !errors.Is(err, disclosure.ErrUnattainable) &&
				!errors.Is(err, algorithms.ErrTooFew) {
				t.Fatalf("%v, must wrap %v", err, disclosure.ErrUnattainable)
			}
			return
		}
		r := release(t, table, table.AllRows(), *p).Regions
		found, want := make(map[string]bool), naive(table, table.AllRows(), p, weights)
		members := make([][]int32, r.Len())
		for row, region := range r.Assignment {
			members[region] = append(members[region], int32(row))
		}
		for _, rows := range members {
			found[fmt.Sprint(rows)] = true
		}
		for _, rows := range want {
			if !found[fmt.Sprint(rows)] {
				t.Fatalf("no region of %v; regions %v", rows, members)
			}
		}
		if len(want) != r.Len() {
			t.Fatalf("%d regions, must be %d", r.Len(), len(want))
		}
	})
}
