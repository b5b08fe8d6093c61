package koptimize

import (
	"context"
	"errors"
	"slices"

	"ppdp/algorithms"
	"ppdp/algorithms/incognito"
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
func solve(ctx context.Context, table *datasets.Table, p *problem, limit int64) (*search, error) {
	final := newSearch(ctx, p, limit)
	final.near = true
	if limit > 0 { // else the search ends with the best there is
		larger := *p
		var s *search
		for _, k := range rungs(p.k, p.n) {
			larger.k = k
			larger.price()
			next := newSearch(ctx, &larger, limit)
			if s != nil {
				next.improve(next.costOf(s.bestCuts), s.bestCuts...)
			}
			next.near = final.near
			if err := next.begin(table); err != nil {
				return nil, err
			}
			s, final.near = next, next.gap() == 0
			final.improve(final.costOf(s.bestCuts), s.bestCuts...)
		}
	}
	return final, final.begin(table)
}

// costOf is what a set of cuts costs.
func (s *search) costOf(cuts []int32) (cost int64) {
	p := s.problem
	s.classOf = resize(s.classOf, p.n)
	s.number(&s.classes, p.cells.key, p.setOf(cuts), s.classOf)
	sizes := make([]int32, s.classes.Len())
	for _, class := range s.classOf {
		sizes[class]++
	}
	for _, size := range sizes {
		cost += p.cost[size]
	}
	return cost
}

// begin tries the best full-domain generalisation, and runs the search.
func (s *search) begin(table *datasets.Table) error {
	if err := s.fullDomain(table); err != nil {
		return err
	}
	return s.run()
}

// fullDomain tries the cheapest minimal full-domain generalisation all of whose groups of values
// are intervals of those that occur; none where there is no such generalisation, or too many to
// search.
func (s *search) fullDomain(table *datasets.Table) error {
	p, params := s.problem, incognito.DefaultParams()
	params.K = p.k
	result, err := incognito.Search(s.ctx, table, p.rows, params)
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
		if cuts, ok := p.cutsOf(table.Schema(), vector); ok {
			s.improve(result.Discernibility[i], cuts...)
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
