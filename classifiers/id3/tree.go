package id3

import (
	"context"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// Tree is a fitted ID3 tree.
type Tree struct {
	attributes []int // by feature: position in the schema
	steps      []step
	next       []int32
	root       int32 // a step, or ^class for a leaf
}

// step is one test: the branch of code c is next[first+c], a step or ^class.
type step struct {
	feature, first int32
}

// grow adds the tests for some records, whose tests above have used some features, to the tree. It
// returns the index of the first one, or ^class for a leaf. Records are in ascending order, so that
// sums are always the same.
func (t *Tree) grow(ctx context.Context, s *sample, records []int, used []bool) (int32, error) {
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	class := ^int32(classifiers.Majority(s.distribution(records)))
	f := s.choose(records, used)
	if f < 0 {
		return class, nil
	}
	parts := make([][]int, s.arity[f])
	for _, record := range records {
		code := s.codes[f][record]
		parts[code] = append(parts[code], record)
	}
	here, first := int32(len(t.steps)), len(t.next)
	t.steps = append(t.steps, step{feature: int32(f), first: int32(first)})
	t.next = append(t.next, make([]int32, len(parts))...)
	used[f] = true
	defer func() { used[f] = false }()
	for code, part := range parts {
		next := class
		if len(part) > 0 {
			var err error
			if next, err = t.grow(ctx, s, part, used); err != nil {
				return 0, err
			}
		}
		t.next[first+code] = next
	}
	return here, nil
}

// Tests is the number of inner nodes.
func (t *Tree) Tests() int { return len(t.steps) }

// block is the number of rows whose codes are gathered at a time.
const block = 512

// Predict sends each row down the tree.
func (t *Tree) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	codes := make([]uint32, len(t.attributes)*block)
	for len(rows) > 0 {
		n := min(block, len(rows))
		for f, at := range t.attributes {
			classifiers.Codes(codes[f*block:f*block+n], table.Column(at), rows[:n])
		}
		for i := range n {
			at := t.root
			for at >= 0 {
				s := &t.steps[at]
				at = t.next[int(s.first)+int(codes[int(s.feature)*block+i])]
			}
			dst[i] = uint32(^at)
		}
		dst, rows = dst[n:], rows[n:]
	}
}
