package graph

import (
	"context"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// checkEvery is how many edges are drawn between two checks of the context.
const checkEvery = 1 << 16

// switches is the number of attempted switches for each edge in Realise. Every attempt names two
// edges, so an edge is named eight times on average and less than one in a thousand never is.
const switches = 4

// Realise draws a simple graph from a degree sequence that may have been released with noise and
// need not be one of a simple graph: node v has, in the order given, the degree that
// nearestGraphical makes of degrees[v], which is degrees[v] where some simple graph has these. The
// law is that of the configuration model conditioned on being simple, uniform over all such graphs.
// From the graph that joinLargest makes (Havel 1955, Hakimi 1962) on, two random edges {a,b}, {c,d}
// are switched into {a,d}, {c,b} where that leaves the graph simple, four attempts for each edge: a
// short run of a Markov chain with the uniform law as its stationary one. Time is linear in nodes
// and edges, up to a logarithm. The error is the context's.
func Realise(ctx context.Context, stream *random.Stream,
	degrees []int32) (*datasets.Graph, error) {
	nearest, total := nearestGraphical(degrees), 0
	for _, d := range nearest {
		total += int(d)
	}
	from, to := make([]int32, 0, total/2), make([]int32, 0, total/2)
	joinLargest(nearest, func(v, w int32) { from, to = append(from, v), append(to, w) })
	if len(from) >= 2 {
		present := newEdgeSet(len(from))
		for i := range from {
			present.add(edgeKey(from[i], to[i]))
		}
		for attempt := range switches * len(from) {
			if attempt%checkEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			i, j := stream.IntN(len(from)), stream.IntN(len(from))
			a, b, c, d := from[i], to[i], from[j], to[j]
			if stream.Uint64()&1 == 1 {
				c, d = d, c
			}
			if a == d || c == b || i == j {
				continue
			}
			one, two := edgeKey(a, d), edgeKey(c, b)
			if present.has(one) || present.has(two) {
				continue
			}
			present.remove(edgeKey(a, b))
			present.remove(edgeKey(c, d))
			present.add(one)
			present.add(two)
			from[i], to[i], from[j], to[j] = a, d, c, b
		}
	}
	return datasets.NewGraph(len(degrees), from, to)
}

// edgeKey packs an edge into one number, whichever way it is given; no edge gives 0, since its
// larger end is at least 1.
func edgeKey(u, v int32) uint64 {
	if u > v {
		u, v = v, u
	}
	return uint64(u)<<32 | uint64(v)
}

// edgeSet is a set of edge keys with open addressing, a quarter to half full; 0 marks a free slot.
type edgeSet struct {
	slots []uint64
	shift uint
}

func newEdgeSet(edges int) *edgeSet {
	size, shift := 4, uint(62)
	for size < 2*edges {
		size, shift = size*2, shift-1
	}
	return &edgeSet{make([]uint64, size), shift}
}

// home is the slot a key would have in an empty set: multiplicative hashing by the golden ratio.
func (s *edgeSet) home(key uint64) int { return int(key * 0x9e3779b97f4a7c15 >> s.shift) }

// find returns the slot of key or the free one where it would go.
func (s *edgeSet) find(key uint64) int {
	at := s.home(key)
	for s.slots[at] != 0 && s.slots[at] != key {
		at = (at + 1) & (len(s.slots) - 1)
	}
	return at
}

func (s *edgeSet) has(key uint64) bool { return s.slots[s.find(key)] == key }
func (s *edgeSet) add(key uint64)      { s.slots[s.find(key)] = key }

// remove takes a key out and moves later ones of its run up, so that no search meets a gap.
func (s *edgeSet) remove(key uint64) {
	mask := len(s.slots) - 1
	gap := s.find(key)
	for at := (gap + 1) & mask; s.slots[at] != 0; at = (at + 1) & mask {
		if home := s.home(s.slots[at]); (at-home)&mask >= (at-gap)&mask {
			s.slots[gap] = s.slots[at]
			gap = at
		}
	}
	s.slots[gap] = 0
}
