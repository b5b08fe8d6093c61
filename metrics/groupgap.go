package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/problem"
)

func init() {
	Register(parameterised[GroupGapParams]{Info{
		Name: "group-gap", Title: "Gap between groups", Unit: "fraction",
		Source: "Hardt, Price & Srebro 2016, definition 2.1: by how much a rate differs between " +
			"groups at most; trained on the release's records, tested on raw rows held out",
		Classifier: true, AsPublished: true, Revision: 1,
	}, GroupGapParams{Of: Odds, Least: 30}, groupGap})
}

// GroupRate is a rate that groups may differ in.
type GroupRate string

const (
	// Odds is the worse of the true- and the false-positive rate: equalised odds.
	Odds      GroupRate = "odds"
	ErrorRate GroupRate = "error"
)

func (GroupRate) Enum() []string { return algorithms.Words(Odds, ErrorRate) }

// GroupGapParams are the parameters of group-gap.
type GroupGapParams struct {
	Attribute string    `yaml:"attribute" doc:"the attribute whose values are the groups" values:"the name of an attribute of at most 256 values; it has to be given" missing:"must name the attribute of the groups"`
	Of        GroupRate `yaml:"of" doc:"the rate: of errors, or odds, the worse of true and false positives; with several classes that of each against the rest, and the largest gap counts"`
	Least     int       `yaml:"least" doc:"how many test rows a rate must be of: those of fewer are left out" min:"1" max:"1000000"`

	LearnParams `yaml:",inline"`
}

// CheckSchema refuses attributes that a table does not have or that have too many values.
func (p *GroupGapParams) CheckSchema(s *datasets.Schema) error {
	const most = 256
	at := s.Index(p.Attribute)
	return problem.Unless(at >= 0 && s.Attributes[at].Cells() <= most,
		"attribute: %q, must be an attribute of the table with at most %d values",
		p.Attribute, most)
}

// groupGap is the largest difference of a rate between two groups. It is undefined where fewer than
// two groups have one.
func groupGap(ctx context.Context, c Case, params *GroupGapParams) (float64, error) {
	predicted, err := predictFromRecords(ctx, c)
	if err != nil {
		return 0, err
	}
	schema, at := c.Table.Schema(), c.Table.Schema().Index(params.Attribute)
	gap := math.NaN()
	// of says which rows a rate is of, by their label, hit which of them it counts.
	between := func(of func(label uint32) bool, hit func(label, predicted uint32) bool) {
		parts := make([]share, schema.Attributes[at].Cells())
		for i, row := range c.Test {
			label := c.Table.Column(schema.Class()).At(row)
			if group := &parts[c.Table.Column(at).At(row)]; of(label) {
				if group.of++; hit(label, predicted[i]) {
					group.hits++
				}
			}
		}
		least, most, judged := 1.0, 0.0, 0
		for _, group := range parts {
			if group.of >= float64(params.Least) {
				rate := group.at(Estimate)
				least, most = min(least, rate), max(most, rate)
				judged++
			}
		}
		if judged > 1 && !(gap > most-least) {
			gap = most - least
		}
	}
	if params.Of == ErrorRate {
		between(func(uint32) bool { return true },
			func(label, predicted uint32) bool { return label != predicted })
		return gap, nil
	}
	for class := range uint32(schema.Classes()) {
		says := func(_, predicted uint32) bool { return predicted == class }
		between(func(label uint32) bool { return label == class }, says)
		between(func(label uint32) bool { return label != class }, says)
	}
	return gap, nil
}
