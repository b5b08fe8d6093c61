package id3

import (
	"fmt"
	"strconv"

	"github.com/sjwhitworth/golearn/trees"

	"ppdp/classifiers"
)

// compile turns golearn's tree into one that predicts: classes are counted again here, with weights
// and a fixed order, and branches that golearn left out get the majority of their parent.
func (s *sample) compile(grown *trees.DecisionTreeNode) (*classifiers.Tree, error) {
	t := &classifiers.Tree{}
	for _, at := range s.features {
		t.Columns = append(t.Columns, classifiers.TreeColumn{Attribute: at})
	}
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
			return ^t.Ends.Add(counts), nil
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
		here, first := int32(len(t.Steps)), int32(len(t.Next))
		t.Steps = append(t.Steps, classifiers.TreeStep{Column: int32(f), First: first})
		t.Next = append(t.Next, make([]int32, s.arity[f])...)
		for code := range parts {
			child, ok := n.Children[strconv.Itoa(code)]
			if !ok {
				t.Next[int(first)+code] = ^t.Ends.Add(counts)
				continue
			}
			to, err := emit(child, parts[code])
			if err != nil {
				return 0, err
			}
			t.Next[int(first)+code] = to
		}
		return here, nil
	}
	root, err := emit(grown, records)
	t.Root = root
	return t, err
}
