package classifiers

import "ppdp/datasets"

// Evaluate predicts the given rows of a table and counts the outcomes. weights are by table row,
// nil for 1 each. The table must have a class attribute and the schema the model was fitted on.
func Evaluate(model Model, table *datasets.Table, rows []int32, weights []float64) *Confusion {
	schema := table.Schema()
	confusion := NewConfusion(schema.Classes())
	codes := make([]uint32, 2*len(rows))
	predicted, actual := codes[:len(rows)], codes[len(rows):]
	model.Predict(predicted, table, rows)
	Codes(actual, table.Column(schema.Class()), rows)
	for i, row := range rows {
		weight := 1.0
		if weights != nil {
			weight = weights[row]
		}
		confusion.Add(actual[i], predicted[i], weight)
	}
	return confusion
}

// Accuracy is the weighted fraction of the given rows that the model predicts right: NaN for no
// rows. See Evaluate.
func Accuracy(model Model, table *datasets.Table, rows []int32, weights []float64) float64 {
	return Evaluate(model, table, rows, weights).Accuracy()
}
