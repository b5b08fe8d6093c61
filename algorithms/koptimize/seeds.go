package koptimize

import (
	"context"
	"errors"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/incognito"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
)

// rungs are the values of k above the one asked for whose solutions a limited search begins with,
// the largest first: those of 2, 5, 10, 25, 50, 100, 250, ... that leave more than one class.
func rungs(k, n int) []int {
	var larger []int
	for unit := 1; unit <= n; unit *= 10 {
		for _, rung := range []int{max(2, unit), 5 * unit / 2, 5 * unit} {
			if rung > k && rung <= n/2 {
				larger = append(larger, rung)
			}
		}
	}
	slices.Reverse(larger)
	return slices.Compact(larger)
}

// solve searches for the best partitioning into classes of k rows. What is allowed at some k is
// allowed at any smaller one and costs no more there. A limited search therefore begins with what
// the same search, with the same limits, finds at larger k (rungs), so that a solution never costs
// more than that of a rung above. Every search also begins with the best full-domain generalisation
// that is a partitioning.
func solve(ctx context.Context, table *datasets.Table, rows []int32, p *problem,
	l limits) (*search, error) {
	ks := []int{p.k}
	if l != (limits{}) { // else the search ends with the best there is
		ks = append(rungs(p.k, p.n), p.k)
	}
	var s *search
	for _, k := range ks {
		p.k = k
		p.price()
		next := newSearch(ctx, p, l)
		if s != nil {
			next.offer(next.cost(s.bestCuts), s.bestCuts...)
		}
		if err := next.fullDomain(table, rows); err != nil {
			return nil, err
		}
		if err := next.run(); err != nil {
			return nil, err
		}
		s = next
	}
	return s, nil
}

// fullDomain offers the cheapest minimal full-domain generalisation all of whose groups of values
// are intervals of those that occur; none where there is no such generalisation, or too many to
// search.
func (s *search) fullDomain(table *datasets.Table, rows []int32) error {
	params := incognito.DefaultParams()
	params.K = s.problem.k
	result, err := incognito.Search(s.ctx, table, rows, params)
	if errors.Is(err, algorithms.ErrTooFew) || errors.Is(err, algorithms.ErrTooLarge) {
		return nil
	}
	if err != nil {
		return err
	}
	for i, vector := range result.Minimal {
		if result.Discernibility[i] >= s.best {
			continue
		}
		if cuts, ok := s.problem.cutsOf(table.Schema(), vector); ok {
			s.offer(result.Discernibility[i], cuts...)
		}
	}
	return nil
}

// cutsOf are the cuts between the groups of a vector of levels, if these are intervals.
func (p *problem) cutsOf(schema *datasets.Schema, vector []int) (cuts []int32, ok bool) {
	for d, attribute := range schema.QuasiIdentifiers() {
		hierarchy, err := schema.Attributes[attribute].Generalisation()
		if err != nil {
			return nil, false
		}
		group := hierarchy.Levels[vector[d]].Group
		seen := map[uint32]bool{}
		for i, code := range p.values[d] {
			if i > 0 && group[code] == group[p.values[d][i-1]] {
				continue
			}
			if seen[group[code]] {
				return nil, false
			}
			seen[group[code]] = true
			if i > 0 {
				cuts = append(cuts, int32(p.first[d]+i-1))
			}
		}
	}
	return cuts, true
}

// cost is that of a set of cuts.
func (s *search) cost(cuts []int32) int64 {
	p, head := s.problem, s.problem.set(cuts)
	parts := make([]uint32, 2*p.words*len(p.cells.weight))
	for i, key := range p.cells.key {
		beyond := key & head[i%p.words]
		parts[2*i], parts[2*i+1] = uint32(beyond), uint32(beyond>>32)
	}
	groups, of := partition.Group(parts, 2*p.words, len(p.cells.weight))
	sizes := make([]int32, len(groups))
	for i, group := range of {
		sizes[group] += p.cells.weight[i]
	}
	total := int64(0)
	for _, size := range sizes {
		total += p.cost[size]
	}
	return total
}
