package mondrian

import (
	"errors"
	"math"
	"slices"
	"sync"

	"ppdp/algorithms/kernel/partition"
)

// plan is the upper part of a large table's partition. Its regions are partitioned further by
// themselves, all at the same time. What comes of it does not depend on that: nothing is drawn, and
// each region's rows are its own.
type plan struct {
	most  int // rows of a region that is left to others
	units []unit
}

// unit is a region of a plan: its rows, which are its own to order, and what is known of them.
type unit struct {
	rows  []int32
	spans []span
}

// shares is how many times more rows than a unit a table has at least: units differ in size, and
// what is above them is done by one processor.
const shares = 8

// leave makes the current box a unit.
func (s *splitter) leave(rows []int32, depth int) error {
	s.plan.units = append(s.plan.units, unit{rows, slices.Clone(s.level(depth))})
	_, _, err := s.boxes.Leaf()
	return err
}

// together partitions the rows of the current box, the whole space.
func (s *splitter) together(rows []int32) error {
	s.plan = &plan{most: len(rows) / shares}
	if err := s.part(rows, 0); err != nil {
		return err
	}
	units, upper := s.plan.units, s.boxes.Regions()
	parts := make([]*splitter, len(units))
	failed := make([]error, len(units))
	var running sync.WaitGroup
	for i, unit := range units {
		low, high := upper.Box(i)
		parts[i] = &splitter{ctx: s.ctx, params: s.params, table: s.table,
			rows: len(unit.rows), dims: s.dims,
			space: partition.NewSpace(s.table, s.space.Attributes()), spans: unit.spans,
			boxes: s.boxes.Part(low, high)}
		running.Go(func() { failed[i] = parts[i].part(unit.rows, 0) })
	}
	running.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	s.plan, s.boxes = nil, partition.NewBuilder(s.space, math.MaxInt)
	regions := 0
	for _, part := range parts {
		regions += part.boxes.Leaves()
	}
	s.boxes.Grow(regions)
	s.ends = slices.Grow(s.ends, regions)
	s.tightLow = slices.Grow(s.tightLow, regions*s.dims)
	s.tightHigh = slices.Grow(s.tightHigh, regions*s.dims)
	var place func(child int32) error
	place = func(child int32) error {
		if child >= 0 {
			cut := upper.Tree[child]
			return s.boxes.Halve(cut.Dim, cut.At, func() error { return place(cut.Left) },
				func() error { return place(cut.Right) })
		}
		part := parts[^child]
		parts[^child] = nil // its memory is free once it is placed
		s.boxes.Graft(part.boxes)
		start := int32(0)
		if n := len(s.ends); n > 0 {
			start = s.ends[n-1]
		}
		for _, end := range part.ends {
			s.ends = append(s.ends, start+end)
		}
		s.tightLow = append(s.tightLow, part.tightLow...)
		s.tightHigh = append(s.tightHigh, part.tightHigh...)
		return nil
	}
	if len(upper.Tree) == 0 {
		return place(^0)
	}
	return place(0)
}
