package id3

import (
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/evaluation"

	"ppdp/classifiers"
)

// ConfusionMatrix converts a confusion matrix into golearn's, so that its figures and tables
// (evaluation.GetF1Score, evaluation.ShowConfusionMatrix, ...) can be read beside our own.
// values names the classes, one for each. golearn counts whole rows: a weight that is not a
// whole number is an error. Classes that never occur are left out of golearn's rows, or else its
// means over classes would be undefined.
func ConfusionMatrix(c *classifiers.Confusion, values []string) (evaluation.ConfusionMatrix, error) {
	if len(values) != c.Classes {
		return nil, fmt.Errorf("%d names for %d classes", len(values), c.Classes)
	}
	matrix := make(evaluation.ConfusionMatrix, c.Classes)
	for actual, name := range values {
		for predicted, other := range values {
			weight := c.At(actual, predicted)
			count := int(weight)
			if float64(count) != weight || math.IsNaN(weight) {
				return nil, fmt.Errorf("%s predicted as %s: weight %v, must be a whole number", name, other, weight)
			}
			if c.Actual(actual) == 0 {
				continue
			}
			if matrix[name] == nil {
				matrix[name] = make(map[string]int, c.Classes)
			}
			matrix[name][other] = count
		}
	}
	return matrix, nil
}
