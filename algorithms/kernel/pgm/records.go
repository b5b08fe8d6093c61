package pgm

import (
	"math"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Records draws records from the model: for each attribute, a column on a disk. Attributes come one
// after the other, given those that share a clique with them. Of the k records that agree on these,
// each value gets k times its probability, rounded up or down, at random places: every expectation
// is exact, and no variance is added that need not be.
func (m *Model) Records(rows int, stream *random.Stream, disk *datasets.Disk) []datasets.Column {
	columns := make([]datasets.Column, len(m.sizes))
	key := disk.Column(math.MaxInt, rows).U32 // which group a record is in
	order := make([]int32, rows)              // records by group
	var counts []int
	for i := range m.nodes {
		n := &m.nodes[i]
		clear(key)
		for _, a := range n.attributes[:n.shared] {
			columns[a].Cross(0, key, uint32(m.sizes[a]))
		}
		groups := n.blocks
		for place, a := range n.attributes[n.shared:] {
			size := m.sizes[a]
			var heap *datasets.Disk // which any order is fast on
			columns[a] = heap.Column(size, rows)
			table := m.ofClique(i, n.attributes[:n.shared+place+1]).values
			ends := bucket(key, groups, order)
			if len(counts) < size {
				counts = make([]int, size)
			}
			first := 0
			for group, end := range ends {
				members := order[first:end]
				if first = end; len(members) == 0 {
					continue
				}
				round(table[group*size:(group+1)*size], len(members), counts[:size], stream)
				stream.Permute(members)
				for v, k := range counts[:size] {
					columns[a].PutAt(members[:k], uint32(v))
					members = members[k:]
				}
			}
			disk.Keep(&columns[a], size, rows)
			columns[a].Cross(0, key, uint32(size))
			groups *= size
		}
	}
	return columns
}

// bucket writes the records by group to order and returns where each group ends.
func bucket(key []uint32, groups int, order []int32) (ends []int) {
	starts := make([]int, groups)
	for _, k := range key {
		starts[k]++
	}
	sum := 0
	for k, n := range starts {
		starts[k] = sum
		sum += n
	}
	for row, k := range key {
		order[starts[k]] = int32(row)
		starts[k]++
	}
	return starts
}

// round divides k records among values by their weights: each value's share, rounded up or down so
// that its expectation is the share (systematic sampling of the remainders). Without any weight the
// shares are equal.
func round(weights []float64, k int, counts []int, stream *random.Stream) {
	sum := 0.0
	for _, w := range weights {
		sum += w
	}
	share := func(v int) float64 {
		if sum > 0 {
			return weights[v] / sum * float64(k)
		}
		return float64(k) / float64(len(weights))
	}
	left := k
	for v := range counts {
		counts[v] = min(int(math.Floor(share(v))), left)
		left -= counts[v]
	}
	if left == 0 {
		return
	}
	next, passed, last := stream.Open01(), 0.0, -1
	for v := range counts {
		s := share(v)
		rest := s - math.Floor(s)
		if passed += rest; passed > next && left > 0 {
			counts[v]++
			left--
			next++
		} else if rest > 0 {
			last = v
		}
	}
	if left > 0 && last >= 0 { // rounding: the remainders add up to a little less than they should
		counts[last]++
		left--
	}
	for v := 0; left > 0; v++ {
		if weights[v] > 0 || sum == 0 {
			counts[v]++
			left--
		}
	}
}
