package metrics

import (
	"context"
	"fmt"

	"ppdp/classifiers"
	"ppdp/datasets"
)

func init() {
	info := attack("attribute-inference", "Attribute inference", "", "Yeom et al. 2018 and "+
		"Stadler et al. 2022: accuracy on members less that on records held out, of a model "+
		"trained on the release, "+attackerSource+"; how accurate it is on either is the "+
		"population's pattern and no breach")
	info.Revision = 2
	Register(parameterised[AttributeInferenceParams]{info,
		AttributeInferenceParams{Of: Difference, End: Estimate}, attributeInference})
}

// AttributeInferenceParams are the parameters of the metric attribute-inference.
type AttributeInferenceParams struct {
	Attribute string `yaml:"attribute" doc:"the attribute that is guessed from all others" values:"a categorical attribute; the first sensitive one without, else the class"`
	Of        Whose  `yaml:"of" doc:"whose values are guessed right"`
	End       End    `yaml:"end" doc:"the number, or an end of its 95 % interval"`

	LearnParams `yaml:",inline"`
}

// CheckSchema refuses attributes that cannot be guessed.
func (p *AttributeInferenceParams) CheckSchema(s *datasets.Schema) error {
	_, err := p.target(s)
	return err
}

// target is the attribute that is guessed.
func (p *AttributeInferenceParams) target(s *datasets.Schema) (int, error) {
	target := s.Class()
	for a := len(s.Attributes) - 1; a >= 0; a-- {
		attribute := &s.Attributes[a]
		if attribute.Name == p.Attribute ||
			p.Attribute == "" && attribute.Role == datasets.Sensitive &&
				attribute.Kind == datasets.Categorical {
			target = a
		}
	}
	if target < 0 || p.Attribute != "" && s.Attributes[target].Name != p.Attribute ||
		s.Attributes[target].Kind != datasets.Categorical {
		return 0, fmt.Errorf("attribute: %q, must be a categorical attribute; without a name a "+
			"sensitive one or the class is taken, and the table has neither", p.Attribute)
	}
	return target, nil
}

// attributeInference is the share of equally many members and records held out whose value an
// attacker guesses who has seen only the release, or the difference of the two. It is undefined
// without rows on either side.
func attributeInference(ctx context.Context, c Case, params *AttributeInferenceParams) (float64,
	error) {
	target, _ := params.target(c.Table.Schema()) // which is checked
	s, err := sidesOf(ctx, c)
	if err != nil {
		return 0, err
	}
	type key struct{ guessed int }
	right, err := memoize(ctx, c.Published, key{target},
		func() ([2]share, error) { return guessed(ctx, c, s, target) })
	return params.Of.among(right, params.End), err
}

// guessed is how many members' and others' values of an attribute an attacker knows who has seen
// only the release.
func guessed(ctx context.Context, c Case, s sides, target int) (right [2]share, err error) {
	schema, released := withClass(c.Table.Schema(), target), c.Release.Table
	table, err := c.Table.WithSchema(schema)
	if err == nil {
		released, err = released.WithSchema(schema)
	}
	if err != nil {
		return right, err
	}
	model, err := fit(ctx, attacker, classifiers.Data{Table: released,
		Rows: released.AllRows(), Weights: c.Release.Weights})
	if err != nil {
		return right, err
	}
	values, guesses := table.Column(target), make([]uint32, len(s.members))
	for side, rows := range [][]int32{s.members, s.held} {
		model.Predict(guesses, table, rows)
		right[side].of = float64(len(rows))
		for i, row := range rows {
			if guesses[i] == values.At(row) {
				right[side].hits++
			}
		}
	}
	return right, nil
}
