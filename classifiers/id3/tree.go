package id3

import (
	"fmt"
	"strconv"

	"github.com/sjwhitworth/golearn/trees"

	"ppdp/classifiers"
	"ppdp/datasets"
)

// Tree is a fitted ID3 tree.
type Tree struct {
	attributes []int // by feature: position in the schema
	steps      []step
	next       []int32
	root       int32 // a step, or ^leaf
	leaves     classifiers.Leaves
}

// step is one test: the branch of code c is next[first+c], a step or ^leaf.
type step struct {
	feature, first int32
}

// compile turns golearn's tree into one that predicts: classes are counted again here, with weights
// and a fixed order, and branches that golearn left out get the majority of their parent.
func (s *sample) compile(grown *trees.DecisionTreeNode) (*Tree, error) {
	t := &Tree{attributes: s.features}
	records := make([]int, len(s.labels))
	for i := range records {
		records[i] = i
	}
	var emit func(n *trees.DecisionTreeNode, records []int) (int32, error)
	emit = func(n *trees.DecisionTreeNode, records []int) (int32, error) {
		counts := make([]float64, s.classes)
		for _, record := range records {
			counts[s.labels[record]] += s.weights[record]
		}
		if n.Children == nil || n.SplitRule == nil || n.SplitRule.SplitAttr == nil {
			return ^t.leaves.Add(counts), nil
		}
		var f int
		if _, err := fmt.Sscanf(n.SplitRule.SplitAttr.GetName(), "f%d", &f); err != nil ||
			f >= len(s.codes) {
			return 0, fmt.Errorf("id3: golearn split on %q", n.SplitRule.SplitAttr.GetName())
		}
		parts := make([][]int, s.arity[f])
		for _, record := range records {
			code := s.codes[f][record]
			parts[code] = append(parts[code], record)
		}
		here, first := int32(len(t.steps)), int32(len(t.next))
		t.steps = append(t.steps, step{feature: int32(f), first: first})
		t.next = append(t.next, make([]int32, s.arity[f])...)
		for code := range parts {
			child, ok := n.Children[strconv.Itoa(code)]
			if !ok {
				t.next[int(first)+code] = ^t.leaves.Add(counts)
				continue
			}
			to, err := emit(child, parts[code])
			if err != nil {
				return 0, err
			}
			t.next[int(first)+code] = to
		}
		return here, nil
	}
	root, err := emit(grown, records)
	t.root = root
	return t, err
}

// Tests is the number of inner nodes.
func (t *Tree) Tests() int { return len(t.steps) }

// block is the number of rows whose codes are gathered at a time.
const block = 512

// each calls use with the position of each row and the leaf it comes to.
func (t *Tree) each(table *datasets.Table, rows []int32, use func(i int, leaf int32)) {
	codes := make([]uint32, len(t.attributes)*block)
	for from := 0; from < len(rows); from += block {
		part := rows[from:min(from+block, len(rows))]
		for f, at := range t.attributes {
			classifiers.Codes(codes[f*block:f*block+len(part)], table.Column(at), part)
		}
		for i := range part {
			at := t.root
			for at >= 0 {
				s := &t.steps[at]
				at = t.next[int(s.first)+int(codes[int(s.feature)*block+i])]
			}
			use(from+i, ^at)
		}
	}
}

// Predict sends each row down the tree.
func (t *Tree) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) { dst[i] = t.leaves.Class(leaf) })
}

// Probabilities writes the class shares of each row's leaf.
func (t *Tree) Probabilities(dst []float64, table *datasets.Table, rows []int32) {
	t.each(table, rows, func(i int, leaf int32) {
		shares := t.leaves.Shares(leaf)
		copy(dst[i*len(shares):], shares)
	})
}
