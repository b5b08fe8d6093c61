package metrics

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	Register(parameterised[GroupGapParams]{Info{
		Name: "group-gap", Title: "Gap between groups", Unit: "fraction",
		Source: "Hardt, Price & Srebro 2016, definition 2.1: by how much a rate differs between " +
			"groups at most; trained on the release's records, tested on raw rows held out",
		Needs:      []algorithms.Product{algorithms.RecordsProduct},
		Classifier: true, AsPublished: true, Revision: 1,
	}, GroupGapParams{Of: Odds, Least: 30}, groupGap})
}

// GroupRate is a rate that groups may differ in.
type GroupRate string

const (
	// Odds is the worse of the true- and the false-positive rate: equalised odds.
	Odds         GroupRate = "odds"
	ErrorRate    GroupRate = "error"
	TruePositive GroupRate = "true-positive"
)

func (GroupRate) Enum() []string { return algorithms.Words(Odds, ErrorRate, TruePositive) }

// GroupGapParams are the parameters of group-gap.
type GroupGapParams struct {
	Attribute string    `yaml:"attribute" doc:"the attribute whose values are the groups" values:"the name of an attribute of at most 256 values; it has to be given"`
	Of        GroupRate `yaml:"of" doc:"the rate: of errors, of true positives, or odds, the worse of true and false positives; with several classes that of each against the rest, and the largest gap counts"`
	Least     int       `yaml:"least" doc:"how many test rows a rate must be of: those of fewer are left out" min:"1" max:"1000000"`

	LearnParams `yaml:",inline"`
}

func (p *GroupGapParams) Validate() error {
	if p.Attribute == "" {
		return errors.New("attribute: missing, must name the attribute of the groups")
	}
	return nil
}

// CheckSchema refuses attributes that a table does not have or that have too many values.
func (p *GroupGapParams) CheckSchema(s *datasets.Schema) error {
	const most = 256
	at := s.Index(p.Attribute)
	if at < 0 || s.Attributes[at].Cells() > most {
		return fmt.Errorf("attribute: %q, must be an attribute of the table with at most %d values",
			p.Attribute, most)
	}
	return nil
}

// Group is how a classifier does on the test rows with one value of an attribute.
type Group struct {
	Value       string
	Rows, Wrong int
	// Of each class: its rows, those of them that are predicted to be of it, and the rows of other
	// classes that are.
	Of, True, False []int
}

// Groups are the groups of params.Attribute in the order of its values, those without test rows
// too.
func Groups(ctx context.Context, c Case, params *GroupGapParams) ([]Group, error) {
	schema := c.Table.Schema()
	if err := params.CheckSchema(schema); err != nil {
		return nil, err
	}
	predicted, err := predictFromRecords(ctx, c)
	if err != nil || len(predicted) == 0 {
		return nil, err
	}
	at := schema.Index(params.Attribute)
	groups := make([]Group, schema.Attributes[at].Cells())
	for code := range groups {
		n := schema.Classes()
		groups[code] = Group{Value: schema.Attributes[at].Text(uint32(code)), Of: make([]int, n),
			True: make([]int, n), False: make([]int, n)}
	}
	for i, row := range c.Test {
		g, label := &groups[c.Table.Column(at).At(row)], c.Table.Column(schema.Class()).At(row)
		g.Rows++
		if g.Of[label]++; predicted[i] == label {
			g.True[label]++
		} else {
			g.Wrong++
			g.False[predicted[i]]++
		}
	}
	return groups, nil
}

// groupGap is the largest difference of a rate between two groups. It is undefined where fewer than
// two groups have one.
func groupGap(ctx context.Context, c Case, params *GroupGapParams) (float64, bool, error) {
	groups, err := Groups(ctx, c, params)
	if err != nil {
		return 0, false, err
	}
	gap, known := 0.0, false
	between := func(rate func(g *Group) (part, whole int)) {
		least, most, judged := 1.0, 0.0, 0
		for i := range groups {
			if part, whole := rate(&groups[i]); whole >= params.Least {
				share := float64(part) / float64(whole)
				least, most = min(least, share), max(most, share)
				judged++
			}
		}
		if judged > 1 {
			gap, known = max(gap, most-least), true
		}
	}
	if params.Of == ErrorRate {
		between(func(g *Group) (int, int) { return g.Wrong, g.Rows })
		return gap, known, nil
	}
	for class := range c.Table.Schema().Classes() {
		between(func(g *Group) (int, int) { return g.True[class], g.Of[class] })
		if params.Of == Odds {
			between(func(g *Group) (int, int) { return g.False[class], g.Rows - g.Of[class] })
		}
	}
	return gap, known, nil
}
