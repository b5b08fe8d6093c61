package bins

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// TestUnits: whole weights are themselves, the smallest numbers there are still have a unit, and
// large ones keep their ratios.
func TestUnits(t *testing.T) {
	const least = math.SmallestNonzeroFloat64
	for _, c := range []struct {
		weights []float64
		ratios  []float64
	}{
		{nil, []float64{1, 1}}, {[]float64{3, 0, 2}, []float64{3, 0, 2}},
		{[]float64{least, 2 * least}, []float64{1, 2}},
		{[]float64{1e300, 2.5e300}, []float64{2, 5}},
		{[]float64{0.25, 0.5}, []float64{1, 2}},
	} {
		units, total, unit := Units(c.weights, len(c.ratios))
		sum := int64(0)
		for i, n := range units {
			sum += n
			want := float64(units[0]) * c.ratios[i] / c.ratios[0]
			if math.Abs(float64(n)-want) > 2 {
				t.Errorf("%v: units %v, must be as %v", c.weights, units, c.ratios)
			}
		}
		if sum != total || total <= 0 || total >= 1<<(totalBits+1) || !(unit > 0) {
			t.Errorf("%v: units %v of %v, total %d", c.weights, units, unit, total)
		}
	}
	if units, _, _ := Units([]float64{3, 0, 2}, 3); !slices.Equal(units, []int64{3, 0, 2}) {
		t.Errorf("whole weights became %v", units)
	}
}

// TestWalk compares with each row's own way down a tree, of small trees and of large ones.
func TestWalk(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := &datasets.Schema{}
		for f := range rapid.IntRange(1, 5).Draw(t, "attributes") {
			cells := rapid.IntRange(2, 400).Draw(t, "cells")
			schema.Attributes = append(schema.Attributes, datasets.Attribute{
				Name: strconv.Itoa(f), High: float64(cells), Step: 1})
		}
		n := rapid.SampledFrom([]int{1, 100, Block, Block + 1}).Draw(t, "rows")
		draws := random.NewKey(rapid.Uint64().Draw(t, "seed")).Stream()
		b := datasets.NewBuilder(schema, n)
		for row := range n {
			b.AddRow()
			for a := range schema.Attributes {
				b.Set(row, a, uint32(draws.IntN(schema.Attributes[a].Cells())))
			}
		}
		table := b.Table()
		weights, _, _ := Units(nil, n)
		attributes := make([]int, len(schema.Attributes))
		for a := range attributes {
			attributes[a] = a
		}
		m := New(table, table.AllRows(), weights, attributes)
		trees, made := make([][]Node, 3), make([]Tree, 3)
		for i := range trees {
			nodes, leaves := make([]Node, 1), []int{0}
			most := rapid.SampledFrom([]int{1, 2, few - 1, few, few + 1, 99}).Draw(t, "leaves")
			for len(m.Features) > 0 && len(leaves) < most {
				at, f := draws.IntN(len(leaves)), draws.IntN(len(m.Features))
				node := Node{Feature: int32(f), Next: int32(len(nodes))}
				for bin := range m.Features[f].Bins {
					if draws.IntN(2) == 0 {
						node.Left.Add(uint8(bin))
					}
				}
				nodes[leaves[at]] = node
				nodes = append(nodes, Node{}, Node{})
				leaves = append(leaves, int(node.Next)+1)
				leaves[at] = int(node.Next)
			}
			for leaf, at := range leaves {
				nodes[at].Leaf = int32(leaf)
			}
			trees[i], made[i] = nodes, NewTree(nodes)
		}
		found, done := make([][]int32, len(trees)), 0
		Walk(m.Features, made, table, table.AllRows(), func(tree int, leaves []int32) {
			found[tree] = append(found[tree], leaves...)
		}, func(from, n int) {
			if from != done {
				t.Fatalf("from %d, must be %d", from, done)
			}
			done += n
		})
		for i, nodes := range trees {
			for row := range n {
				at := nodes[0]
				for at.Next != 0 {
					next := at.Next
					if !at.Left.Has(m.Columns[at.Feature][row]) {
						next++
					}
					at = nodes[next]
				}
				if done != n || len(found[i]) != n || found[i][row] != at.Leaf {
					t.Fatalf("tree %d, row %d: %v, must be %d", i, row, found[i], at.Leaf)
				}
			}
		}
	})
}
