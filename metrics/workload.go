package metrics

import (
	"context"
	"fmt"
	"math"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Operator compares an attribute with a constant.
type Operator string

const (
	Equal   Operator = "equal"
	AtMost  Operator = "at-most"  // along the attribute's order
	AtLeast Operator = "at-least" // along the attribute's order
)

func (Operator) Enum() []string { return algorithms.Words(Equal, AtMost, AtLeast) }

// WorkloadParams describe a workload of queries with one predicate each, "attribute operator
// value".
type WorkloadParams struct {
	Attribute string   `yaml:"attribute" doc:"the attribute of the queries' predicates" values:"the name of a quasi-identifier; empty for each in turn"`
	Operator  Operator `yaml:"operator" doc:"how a query compares the attribute with its constant"`
	Values    string   `yaml:"values" doc:"the constants that queries compare with; a list needs an attribute" values:"all (every value of the domain) or a list of values and ranges of values such as \"18, 25, 40..60\""`
	Ranges    Ranges   `yaml:"ranges" doc:"over which cells a region's records are spread: its box or the range its records span"`
}

func defaultWorkload() WorkloadParams {
	return WorkloadParams{Operator: Equal, Values: datasets.AllValues, Ranges: Box}
}

func (p *WorkloadParams) Validate() error {
	switch {
	case strings.TrimSpace(p.Values) == "":
		return fmt.Errorf("values: %q, must be %s or a list such as 18, 25, 40..60",
			p.Values, datasets.AllValues)
	case p.Values != datasets.AllValues && p.Attribute == "":
		return fmt.Errorf("values: %q without an attribute, must be %s", p.Values,
			datasets.AllValues)
	}
	return nil
}

// maxQueries bounds a workload: each query costs time linear in the regions.
const maxQueries = 1 << 17

// predicates lists the workload's predicates: those of one attribute after those of another.
func (p *WorkloadParams) predicates(schema *datasets.Schema) ([]Predicate, error) {
	positions := schema.QuasiIdentifiers()
	if p.Attribute != "" {
		at := schema.Index(p.Attribute)
		if at < 0 || schema.Attributes[at].Role != datasets.QuasiIdentifier {
			var names []string
			for _, i := range positions {
				names = append(names, schema.Attributes[i].Name)
			}
			return nil, fmt.Errorf("attribute: %q, must be one of the quasi-identifiers %s",
				p.Attribute, strings.Join(names, ", "))
		}
		positions = []int{at}
	}
	var predicates []Predicate
	for _, at := range positions {
		a := &schema.Attributes[at]
		spans, err := a.TextSpans(p.Values)
		if err != nil {
			return nil, fmt.Errorf("values: %w", err)
		}
		for _, span := range spans {
			if len(predicates)+int(span.High-span.Low) > maxQueries {
				return nil, fmt.Errorf("values: more than %d queries; list fewer values",
					maxQueries)
			}
			for code := span.Low; code < span.High; code++ {
				q := Predicate{Attribute: at, Low: code, High: code + 1}
				switch p.Operator {
				case AtMost:
					q.Low = 0
				case AtLeast:
					q.High = uint32(a.Cells())
				}
				predicates = append(predicates, q)
			}
		}
	}
	return predicates, nil
}

// truth answers single predicates on a table exactly. It holds the aggregates of the rows at each
// code of the attribute it was made for.
type truth struct {
	attribute int
	codes     []Answer
}

// newTruth aggregates attribute of (-1 to count only) over rows for each code of attribute.
func newTruth(ctx context.Context, table *datasets.Table, rows []int32,
	attribute, of int) (*truth, error) {
	t := &truth{attribute: attribute,
		codes: make([]Answer, table.Schema().Attributes[attribute].Cells())}
	if of >= 0 {
		for code := range t.codes {
			t.codes[code].Min, t.codes[code].Max = math.Inf(1), math.Inf(-1)
		}
	}
	column := table.Column(attribute)
	for i, row := range rows {
		if i%pollEvery == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		at := &t.codes[column.At(row)]
		at.Count++
		if of >= 0 {
			number := table.Number(row, of)
			at.Sum += number
			at.Min, at.Max = min(at.Min, number), max(at.Max, number)
		}
	}
	return t, nil
}

// answer folds the codes that a predicate on the attribute selects.
func (t *truth) answer(p Predicate) Answer {
	answer := t.codes[p.Low]
	for code := p.Low + 1; code < p.High; code++ {
		at := &t.codes[code]
		answer.Count += at.Count
		answer.Sum += at.Sum
		answer.Min, answer.Max = min(answer.Min, at.Min), max(answer.Max, at.Max)
	}
	return answer
}
