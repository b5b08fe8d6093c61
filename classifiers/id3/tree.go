package id3

import (
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/trees"

	"ppdp/classifiers"
)

// compile turns golearn's tree into one that predicts: classes are counted again here, with weights
// and a fixed order, and branches that golearn left out get the majority of their parent.
func (s *sample) compile(grown *trees.DecisionTreeNode) *classifiers.Tree {
	t := &classifiers.Tree{}
	for _, at := range s.features {
		t.Columns = append(t.Columns, classifiers.TreeColumn{Attribute: at})
	}
	records := make([]int, len(s.labels))
	for i := range records {
		records[i] = i
	}
	var emit func(n *trees.DecisionTreeNode, records []int) int32
	emit = func(n *trees.DecisionTreeNode, records []int) int32 {
		counts := make([]float64, s.classes)
		for _, record := range records {
			counts[s.labels[record]] += s.weights[record]
		}
		if n.Children == nil {
			return ^t.Ends.Add(counts)
		}
		f := slices.Index(s.attributes, n.SplitRule.SplitAttr)
		parts := make([][]int, s.arity[f])
		for _, record := range records {
			code := s.codes[f][record]
			parts[code] = append(parts[code], record)
		}
		here, first := int32(len(t.Steps)), int32(len(t.Next))
		t.Steps = append(t.Steps, classifiers.TreeStep{Column: int32(f), First: first})
		t.Next = append(t.Next, make([]int32, s.arity[f])...)
		for code := range parts {
			if child, ok := n.Children[strconv.Itoa(code)]; ok {
				t.Next[int(first)+code] = emit(child, parts[code])
			} else {
				t.Next[int(first)+code] = ^t.Ends.Add(counts)
			}
		}
		return here
	}
	t.Root = emit(grown, records)
	return t
}
