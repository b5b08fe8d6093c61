package clustering

import (
	"context"
	"fmt"
	"math"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

const (
	// restarts is how many pairs of seeds each bisection tries: the default of CLUTO's vcluster.
	restarts = 10
	// leastGain is by what share of the criterion a move must raise it to be made: far above the
	// rounding of the sums, so that no move is made and taken back for ever, and far below any gain
	// that matters.
	leastGain = 1e-10
	// maxPasses ends a refinement. Every pass raises the criterion, and Adult needs some dozens;
	// rounding must not be able to make a search endless that theory says is not.
	maxPasses = 10_000
)

// Clusters divides the vectors into k clusters by repeated bisection, for cosine similarity and the
// criterion I₂ (Zhao & Karypis 2004, Empirical and Theoretical Comparisons of Selected Criterion
// Functions for Document Clustering, Machine Learning 55): the sum over the clusters of the length
// of their weighted vectors' sum, to be maximised. Each step takes the bisection that raises the
// criterion most. It returns the cluster of each vector, from 0; vector 0 is in cluster 0. There
// are fewer than k clusters when there are fewer different vectors.
//
// A bisection is the best of ten, each from two vectors drawn at random: every vector goes to the
// more similar of the two, then vectors are moved one at a time, in order, while that raises the
// criterion. The draws are part of the method and come from a fixed key: equal vectors in equal
// order give equal clusters. It returns early with ctx.Err() when the context ends.
func (v *Vectors) Clusters(ctx context.Context, k int) ([]uint32, error) {
	if k < 1 {
		return nil, fmt.Errorf("%d clusters, must be at least 1", k)
	}
	assigned := make([]uint32, v.Len())
	if v.Len() == 0 {
		return assigned, nil
	}
	seeds := random.NewKey(0).Derive("bisecting k-means").Stream()
	first, err := v.bisect(ctx, datasets.InOrder(v.Len()), seeds)
	if err != nil {
		return nil, err
	}
	clusters := []bisection{first}
	for len(clusters) < k {
		best := 0
		for c := range clusters {
			if clusters[c].gain > clusters[best].gain {
				best = c
			}
		}
		if !(clusters[best].gain > 0) {
			break
		}
		left, right := clusters[best].left, clusters[best].right
		for _, i := range right {
			assigned[i] = uint32(len(clusters))
		}
		if len(clusters)+1 == k {
			break // what the last two could be cut into is not asked for
		}
		if clusters[best], err = v.bisect(ctx, left, seeds); err != nil {
			return nil, err
		}
		next, err := v.bisect(ctx, right, seeds)
		if err != nil {
			return nil, err
		}
		clusters = append(clusters, next)
	}
	return assigned, nil
}

// bisection is the best way found to cut a cluster in two; its first member is on the left.
type bisection struct {
	left, right []int32
	gain        float64 // what it adds to the criterion
}

func (v *Vectors) bisect(ctx context.Context, members []int32,
	seeds *random.Stream) (bisection, error) {
	if len(members) < 2 {
		return bisection{left: members}, nil
	}
	whole := make([]float64, v.size)
	for _, i := range members {
		v.addTo(whole, i, v.weights[i])
	}
	before := length(whole)
	h := halves{vectors: v, members: members, side: make([]int, len(members)),
		sums: [2][]float64{make([]float64, v.size), make([]float64, v.size)}}
	best, found := make([]int, len(members)), 0.0
	for range restarts {
		a := seeds.IntN(len(members))
		b := seeds.IntN(len(members) - 1)
		if b >= a {
			b++
		}
		h.start(members[a], members[b])
		for range maxPasses {
			if err := ctx.Err(); err != nil {
				return bisection{}, err
			}
			if !h.refine() {
				break
			}
		}
		// The best of equals is the first, so rounding must not separate equals.
		if value := h.criterion(); value > found*(1+leastGain) {
			found = value
			copy(best, h.side)
		}
	}
	cut := bisection{gain: found - before}
	if cut.gain <= leastGain*before {
		return bisection{left: members}, nil // all members point the same way
	}
	for n, i := range members {
		if best[n] == best[0] {
			cut.left = append(cut.left, i)
		} else {
			cut.right = append(cut.right, i)
		}
	}
	return cut, nil
}

// halves is a bisection in the making.
type halves struct {
	vectors *Vectors
	members []int32
	side    []int // 0 or 1, by position in members
	sums    [2][]float64
	squares [2]float64 // of the sums' lengths
	sizes   [2]int     // numbers of members
}

// start assigns every member to the more similar of two.
func (h *halves) start(a, b int32) {
	toward := make([]float64, h.vectors.size)
	h.vectors.addTo(toward, b, 1)
	h.vectors.addTo(toward, a, -1)
	clear(h.sums[0])
	clear(h.sums[1])
	h.sizes = [2]int{}
	for n, i := range h.members {
		s := 0
		if h.vectors.dot(i, toward) > 0 {
			s = 1
		}
		h.side[n] = s
		h.vectors.addTo(h.sums[s], i, h.vectors.weights[i])
		h.sizes[s]++
	}
	h.measure()
}

// measure computes the squares anew, so that the rounding of many moves does not build up.
func (h *halves) measure() {
	for s, sum := range h.sums {
		h.squares[s] = square(sum)
	}
}

func (h *halves) criterion() float64 { return math.Sqrt(h.squares[0]) + math.Sqrt(h.squares[1]) }

// refine passes once over the members and moves each whose move raises the criterion. It reports
// whether one did.
func (h *halves) refine() bool {
	v, moved := h.vectors, false
	value := h.criterion()
	for n, i := range h.members {
		from := h.side[n]
		if h.sizes[from] == 1 {
			// The last member never gains by leaving, but what is left of the sum is all rounding.
			continue
		}
		w := v.weights[i]
		own := float64(w * w * v.squares[i])
		out := h.squares[from] - float64(2*w*v.dot(i, h.sums[from])) + own
		in := h.squares[1-from] + float64(2*w*v.dot(i, h.sums[1-from])) + own
		after := math.Sqrt(max(0, out)) + math.Sqrt(in)
		if after <= value*(1+leastGain) {
			continue
		}
		v.addTo(h.sums[from], i, -w)
		v.addTo(h.sums[1-from], i, w)
		h.squares[from], h.squares[1-from] = max(0, out), in
		h.side[n] = 1 - from
		h.sizes[from]--
		h.sizes[1-from]++
		value, moved = after, true
	}
	h.measure()
	return moved
}

// square is the square of a vector's length.
func square(values []float64) (sum float64) {
	for _, c := range values {
		sum += float64(c * c)
	}
	return sum
}

func length(dense []float64) float64 { return math.Sqrt(square(dense)) }
