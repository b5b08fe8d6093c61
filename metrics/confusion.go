package metrics

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/metrics/internal/encoding"
)

func init() {
	Register(parameterised[ConfusionParams]{Info{
		Name: "confusion", Title: "Confusion of classes", Unit: "fraction",
		Source: "van Rijsbergen 1979, chapter 7: precision, recall and their harmonic mean F1, " +
			"by default macro-F1, its mean over the classes; " +
			"predictions as for accuracy-published",
		Classifier: true, HigherIsBetter: true, Revision: 1,
	}, ConfusionParams{Of: F1, Encoding: defaultEncoding.Encoding}, confusion})
}

// ConfusionFigure is a number made of a confusion matrix: counts of test rows by class and
// predicted class.
type ConfusionFigure string

const (
	Precision ConfusionFigure = "precision" // share of those predicted to be of a class that are
	Recall    ConfusionFigure = "recall"    // share of those of a class that are predicted to be
	F1        ConfusionFigure = "f1"        // the harmonic mean of the two
)

func (ConfusionFigure) Enum() []string { return algorithms.Words(Precision, Recall, F1) }

// ConfusionParams are the parameters of confusion.
type ConfusionParams struct {
	Of       ConfusionFigure   `yaml:"of" doc:"the number asked for"`
	Class    string            `yaml:"class" doc:"the class it is about" values:"a value of the class attribute; empty for the mean over all"`
	Encoding encoding.Encoding `yaml:"encoding" doc:"how a classifier sees a region"`

	LearnParams `yaml:",inline"`
}

// CheckSchema refuses a class that a table's class attribute does not have.
func (p *ConfusionParams) CheckSchema(s *datasets.Schema) error {
	_, err := p.code(s)
	return err
}

// code is the code of the class given, 0 for none.
func (p *ConfusionParams) code(s *datasets.Schema) (uint32, error) {
	if p.Class == "" {
		return 0, nil
	}
	code, err := s.Attributes[s.Class()].TextCode(p.Class)
	if err != nil {
		return 0, fmt.Errorf("class: %w", err)
	}
	return code, nil
}

// confusion is a figure of the confusion matrix of the predictions that accuracy-published counts.
// A precision is undefined where nothing is predicted to be of the class, a recall where no test
// row is, F1 where neither, and a mean where any of its figures is.
func confusion(ctx context.Context, c Case, params *ConfusionParams) (float64, error) {
	predicted, err := predictFromPublished(ctx, c, params.Encoding)
	n, labels := c.Table.Schema().Classes(), c.Table.Column(c.Table.Schema().Class())
	// Of each class: the rows of it, those predicted to be of it, and those that are both.
	actual, guessed, right := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, class := range predicted {
		label := labels.At(c.Test[i])
		actual[label]++
		guessed[class]++
		if label == class {
			right[class]++
		}
	}
	figure := func(class int) float64 { // NaN where it is undefined
		switch params.Of {
		case Precision:
			return right[class] / guessed[class]
		case Recall:
			return right[class] / actual[class]
		}
		return 2 * right[class] / (actual[class] + guessed[class])
	}
	if params.Class != "" {
		class, _ := params.code(c.Table.Schema()) // which is checked
		return figure(int(class)), err
	}
	sum := 0.0
	for class := range n {
		sum += figure(class)
	}
	return sum / float64(n), err
}
