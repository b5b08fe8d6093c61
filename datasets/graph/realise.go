package graph

import (
	"slices"

	"ppdp/datasets"
)

// nearestGraphical returns, for any numbers, a sequence nearest to them in L1 that some simple
// graph has. Numbers outside [0, n-1] are brought to its ends; the rest is for joinLargest. Time is
// linear in nodes and edges, up to a logarithm.
func nearestGraphical(degrees []int32) []int32 {
	nearest := make([]int32, len(degrees))
	for v, d := range degrees {
		nearest[v] = min(max(d, 0), int32(len(degrees)-1))
	}
	joinLargest(nearest, func(_, _ int32) {})
	return nearest
}

// joinLargest joins the node that wants most neighbours to those that want most after it until none
// wants any, and calls join for each edge. What a node wants beyond those is given up, and taken
// from its degree: nothing if some simple graph has the degrees.
func joinLargest(degrees []int32, join func(v, w int32)) {
	n := len(degrees)
	node := datasets.InOrder(n)
	slices.SortStableFunc(node, func(v, w int32) int { return int(degrees[w] - degrees[v]) })
	wanted := make([]int32, n) // descending, and kept so
	for i, v := range node {
		wanted[i] = degrees[v]
	}
	descending := func(have, want int32) int { return int(want - have) }
	for first := range n {
		d := int(wanted[first])
		if d == 0 {
			return
		}
		rest := first + 1
		if rest+d > n || wanted[rest+d-1] == 0 {
			partners, _ := slices.BinarySearchFunc(wanted[rest:], 0, descending)
			degrees[node[first]] -= int32(d - partners)
			if d = partners; d == 0 {
				continue
			}
		}
		// Of the last value that is only partly served the hindmost nodes are, which keeps the
		// order.
		least := wanted[rest+d-1]
		begin, _ := slices.BinarySearchFunc(wanted[rest:], least, descending)
		end, _ := slices.BinarySearchFunc(wanted[rest:], least-1, descending)
		for i := range d {
			at := rest + i
			if i >= begin {
				at = rest + end - d + i
			}
			join(node[first], node[at])
			wanted[at]--
		}
	}
}
