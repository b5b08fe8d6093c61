package experiments

import (
	"cmp"
	"container/heap"
	"fmt"
	"slices"
)

// Shard is one part of an experiment's cells when they are divided between machines, see
// Plan.shards: 0 ≤ Index < Count. A count of 0 is no division.
type Shard struct {
	Index int `json:"index"`
	Count int `json:"count"`
}

// Folder is the shard's own folder inside that of the results; empty for what is not divided.
func (s Shard) Folder() string {
	if s.Count == 0 {
		return ""
	}
	return fmt.Sprintf("shard-%d-of-%d", s.Index+1, s.Count)
}

// shards divides the plan's cells into count parts that should take equally long, and returns the
// part of each cell: the longest cells first, each to the part that has the least so far (Graham
// 1969, longest processing time). costs are as for cellCosts. Equal cells are dealt out in turn.
// The division follows from plan and costs alone, so machines agree on it.
func (p *Plan) shards(count int, costs []float64) []int32 {
	parts := make([]int32, len(p.Cells))
	seconds := p.cellCosts(costs)
	order := make([]int32, len(p.Cells))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		return cmp.Compare(seconds[b], seconds[a])
	})
	queue := make(loads, min(count, len(p.Cells)))
	for i := range queue {
		queue[i].part = int32(i)
	}
	for _, cell := range order {
		parts[cell] = queue[0].part
		queue[0].seconds += seconds[cell]
		queue[0].cells++
		heap.Fix(&queue, 0)
	}
	return parts
}

// cellCosts are the seconds of each cell. costs are those of a cell of each configuration, 0 where
// they are not known, or nil: what is not known is taken for the mean of what is.
func (p *Plan) cellCosts(costs []float64) []float64 {
	mean, known := 1.0, 0
	for _, cost := range costs {
		if cost > 0 {
			known++
			mean += (cost - mean) / float64(known)
		}
	}
	seconds := make([]float64, len(p.Cells))
	config := -1
	for i := range p.Cells {
		if i == 0 || p.Cells[i].Config != p.Cells[i-1].Config { // neighbours share it
			config++
		}
		if seconds[i] = mean; costs != nil && costs[config] > 0 {
			seconds[i] = costs[config]
		}
	}
	return seconds
}

// LongestShard is what the longest of count shards should take of one worker, in seconds; 0 where
// no cost is known.
func (p *Plan) LongestShard(count int, known Costs) float64 {
	costs := p.costs(known)
	if !slices.ContainsFunc(costs, func(cost float64) bool { return cost > 0 }) {
		return 0
	}
	cells := p.cellCosts(costs)
	seconds := make([]float64, count)
	for i, part := range p.shards(count, costs) {
		seconds[part] += cells[i]
	}
	return slices.Max(seconds)
}

// load is what a part has been given so far.
type load struct {
	part    int32
	cells   int
	seconds float64
}

// loads is a heap: the part with the least work first, of equal ones that with fewer cells, then
// the first.
type loads []load

func (l loads) Len() int      { return len(l) }
func (l loads) Swap(i, k int) { l[i], l[k] = l[k], l[i] }
func (l loads) Less(i, k int) bool {
	switch a, b := l[i], l[k]; {
	case a.seconds != b.seconds:
		return a.seconds < b.seconds
	case a.cells != b.cells:
		return a.cells < b.cells
	default:
		return a.part < b.part
	}
}
func (l *loads) Push(x any) { *l = append(*l, x.(load)) }
func (l *loads) Pop() any   { panic("no part is ever taken away") }
