// Package id3 holds ID3 decision trees, grown by golearn's tree inducer; no other package uses
// golearn. It leaves out numeric attributes (ID3 has none; use c45), pruning and missing values.
//
// golearn's inducer is used for its recursion only. It counts rows, picks majorities in the random
// order of Go's maps and gives up on values it has not seen, so three things are done here:
// choosing the test (a RuleGenerator with weights), the class of every node (counted again, with
// weights, over the finished tree) and the answer for a branch without training cases. Equal
// training records are merged into one weighted record beforehand: the inducer then works on the
// distinct records only.
//
// Deviations from Quinlan 1986:
//   - a branch no training case took predicts the majority of its parent, where the paper leaves
//     the object unclassified;
//   - growth stops where no attribute has any gain, at the majority class.
package id3

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/trees"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/equal"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

// Classifier is ID3: multiway tests of the greatest information gain, no pruning.
var Classifier = classifiers.Add(classifiers.Info{
	Name:     "id3",
	Title:    "ID3",
	Source:   "Quinlan 1986; grown by golearn",
	Revision: 1,
}, fit)

// fit grows a tree. A numeric feature is an error wrapping classifiers.ErrNumeric.
func fit(ctx context.Context, data classifiers.Data) (classifiers.Model, error) {
	schema := data.Table.Schema()
	var bad datasets.Problems
	for _, at := range classifiers.Features(schema) {
		if schema.Attributes[at].Kind != datasets.Categorical {
			bad.Add("%s: %w; leave it out or use c45",
				schema.Attributes[at].Name, classifiers.ErrNumeric)
		}
	}
	if err := bad.Err(); err != nil {
		return nil, err
	}
	s := newSample(data)
	if len(s.weights) == 0 {
		t := &classifiers.Tree{}
		t.Root = ^t.Ends.Add(make([]float64, schema.Classes()))
		return t, nil
	}
	grown, err := s.grow(ctx)
	if err != nil {
		return nil, err
	}
	return s.compile(grown), nil
}

// sample is the training data as distinct records with weights, in lexicographic order of their
// codes: the tree cannot depend on the order of the rows.
type sample struct {
	features []int
	classes  int
	arity    []int
	codes    [][]uint32 // by feature, then record
	labels   []uint32
	weights  []float64

	attributes []base.Attribute // golearn's: the features, the class and a record's number
}

func newSample(data classifiers.Data) *sample {
	schema := data.Table.Schema()
	rows, labels, weights := data.Labels()
	s := &sample{features: classifiers.Features(schema), classes: schema.Classes()}
	raw := make([][]uint32, len(s.features))
	for i, at := range s.features {
		s.arity = append(s.arity, schema.Attributes[at].Cells())
		raw[i] = make([]uint32, len(rows))
		data.Table.Column(at).Gather(rows, raw[i])
	}
	s.codes = make([][]uint32, len(raw))
	for _, group := range equal.Groups(len(rows), func(a, b int32) int {
		for _, column := range raw {
			if column[a] != column[b] {
				return cmp.Compare(column[a], column[b])
			}
		}
		return cmp.Compare(labels[a], labels[b])
	}, nil) {
		for f := range raw {
			s.codes[f] = append(s.codes[f], raw[f][group[0]])
		}
		weight := 0.0
		for _, i := range group {
			weight += weights.At(i)
		}
		s.labels = append(s.labels, labels[group[0]])
		s.weights = append(s.weights, weight)
	}
	return s
}

// grow hands the records to golearn. Panics become errors: golearn's own, and the one by which rule
// ends golearn's recursion when the context has ended.
func (s *sample) grow(ctx context.Context) (root *trees.DecisionTreeNode, err error) {
	defer func() {
		if r := recover(); r != nil {
			if err = ctx.Err(); err == nil {
				err = fmt.Errorf("id3: golearn panicked: %v", r)
			}
		}
	}()
	return trees.InferID3Tree(s.grid(), &rule{ctx, s}), nil
}

// grid copies the records into golearn's form: nominal columns named by feature, the class, and a
// last column with the record's number. The number finds the record again inside the views that the
// inducer makes; being the column that is left over, it also keeps golearn from stopping one
// attribute early.
func (s *sample) grid() *base.DenseInstances {
	grid := base.NewDenseInstances()
	for f := range s.codes {
		s.attributes = append(s.attributes, nominal(fmt.Sprint("f", f), s.arity[f]))
	}
	s.attributes = append(s.attributes, nominal("class", s.classes),
		base.NewFloatAttribute("record"))
	specs := make([]base.AttributeSpec, len(s.attributes))
	for i, a := range s.attributes {
		specs[i] = grid.AddAttribute(a)
	}
	class := len(s.codes)
	if err := errors.Join(grid.AddClassAttribute(s.attributes[class]),
		grid.Extend(len(s.labels))); err != nil {
		panic(err)
	}
	for record, label := range s.labels {
		for f := range s.codes {
			grid.Set(specs[f], record, base.PackU64ToBytes(uint64(s.codes[f][record])))
		}
		grid.Set(specs[class], record, base.PackU64ToBytes(uint64(label)))
		grid.Set(specs[class+1], record, base.PackFloatToBytes(float64(record)))
	}
	return grid
}

// nominal is a golearn attribute whose values are the codes 0..cells-1 in decimal.
func nominal(name string, cells int) base.Attribute {
	a := base.NewCategoricalAttribute()
	a.SetName(name)
	for code := range cells {
		a.GetSysValFromString(fmt.Sprint(code))
	}
	return a
}

// rule chooses tests for golearn's inducer.
type rule struct {
	ctx context.Context
	*sample
}

// GenerateSplitRule returns the attribute of the greatest information gain in a view of the
// records, the first of equals; nil when none has any.
func (r *rule) GenerateSplitRule(view base.FixedDataGrid) *trees.DecisionTreeRule {
	number, err := view.GetAttribute(r.attributes[len(r.attributes)-1])
	if err = errors.Join(err, r.ctx.Err()); err != nil {
		panic(err)
	}
	_, size := view.Size()
	records := make([]int, size)
	for i := range records {
		records[i] = int(base.UnpackBytesToFloat(view.Get(number, i)))
	}
	slices.Sort(records) // sums must not depend on how golearn orders its views
	best, gain := -1, least
	for f := range r.codes {
		if _, err := view.GetAttribute(r.attributes[f]); err != nil {
			continue // used further up
		}
		if g := r.gain(f, records); g > gain+least {
			best, gain = f, g
		}
	}
	if best < 0 {
		return nil
	}
	return &trees.DecisionTreeRule{SplitAttr: r.attributes[best]}
}

// least is the information gain, in bits per case, that counts as more than rounding.
const least = 1e-9

// gain is the information gain of a feature over some records, in bits per case.
func (s *sample) gain(f int, records []int) float64 {
	counts := make([]float64, s.arity[f]*s.classes)
	before := make([]float64, s.classes)
	for _, record := range records {
		counts[int(s.codes[f][record])*s.classes+int(s.labels[record])] += s.weights[record]
		before[s.labels[record]] += s.weights[record]
	}
	total := 0.0
	for _, w := range before {
		total += w
	}
	after := 0.0
	for from := 0; from < len(counts); from += s.classes {
		after += bits(counts[from : from+s.classes])
	}
	return (bits(before) - after) / total
}

// bits is a distribution's entropy times its total weight.
func bits(weights []float64) float64 {
	total, sum := 0.0, 0.0
	for _, w := range weights {
		if w > 0 {
			total += w
			sum -= float64(w * elementary.Log2(w))
		}
	}
	if total > 0 {
		sum += float64(total * elementary.Log2(total))
	}
	return sum
}

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
