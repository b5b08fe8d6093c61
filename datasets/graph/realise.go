package graph

import (
	"context"
	"fmt"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// nearestGraphical returns, for any numbers, a sequence nearest to them in L1 that some simple
// graph has, and the distance. Numbers outside [0, n-1] are brought to its ends. Then the node that
// wants most neighbours is again and again joined to those that want most after it (as in
// havelHakimi), and what it wants beyond them is given up. Time is linear in nodes and edges, up to
// a logarithm.
func nearestGraphical(degrees []int32) (nearest []int32, distance int64, err error) {
	nearest = make([]int32, len(degrees))
	total := int64(0)
	for v, d := range degrees {
		nearest[v] = min(max(d, 0), int32(len(degrees)-1))
		total += int64(nearest[v])
	}
	if total/2 > maxGeneratedEdges {
		return nil, 0, fmt.Errorf("degrees of %d edges, must be at most %d",
			total/2, maxGeneratedEdges)
	}
	err = joinLargest(nearest, func(first, _ int32, unserved int) error {
		nearest[first] -= int32(unserved)
		return nil
	}, nil)
	if err != nil {
		return nil, 0, err
	}
	for v, d := range degrees {
		change := int64(nearest[v]) - int64(d)
		distance += max(change, -change)
	}
	return nearest, distance, nil
}

// Realise draws a simple graph from a degree sequence that was released with noise and need not be
// one of a simple graph: node v has, in the order given, the degree that nearestGraphical makes of
// degrees[v], and the law is that of WithDegrees. It returns the L1 distance between both sequences
// as well.
func Realise(ctx context.Context, stream *random.Stream,
	degrees []int32) (g *datasets.Graph, distance int64, err error) {
	nearest, distance, err := nearestGraphical(degrees)
	if err != nil {
		return nil, 0, err
	}
	g, err = WithDegrees(ctx, stream, nearest)
	return g, distance, err
}

// joinLargest joins the node that wants most neighbours to those that want most after it until none
// wants any. join, which may be nil, is called for each edge; short for a node that wants more
// neighbours than there are, and by how many. An error of short ends it.
func joinLargest(degrees []int32, short func(first, wanted int32, unserved int) error,
	join func(v, w int32)) error {
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
			return nil
		}
		rest := first + 1
		if rest+d > n || wanted[rest+d-1] == 0 {
			partners, _ := slices.BinarySearchFunc(wanted[rest:], 0, descending)
			if err := short(node[first], wanted[first], d-partners); err != nil {
				return err
			}
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
			if join != nil {
				join(node[first], node[at])
			}
			wanted[at]--
		}
	}
	return nil
}
