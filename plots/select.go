package plots

import (
	"maps"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// epsilonName is the name of the privacy budget among the names of parameters.
const epsilonName = "epsilon"

// curveRows applies the figure's where. Rows of a reference are left out unless where asks for them
// by name.
func (c *chart) curveRows(rows []results.Row) (chosen []*results.Row, err error) {
	f := &c.figure
	for i := range rows {
		r := &rows[i]
		if r.Metric == f.Y && f.Where.Selects(r) && !isReference(f, r) {
			chosen = append(chosen, r)
		}
	}
	if len(chosen) == 0 {
		return nil, c.problem("no rows with %s", strings.Join(
			append([]string{"metric " + f.Y}, filterTexts(f.Where)...), ", "))
	}
	return chosen, nil
}

// isReference reports whether the row belongs to a horizontal line and not to a curve.
func isReference(figure *results.Figure, r *results.Row) bool {
	return slices.ContainsFunc(figure.Reference, func(name string) bool {
		return r.Algorithm == name && figure.Where["algorithm"] == "" ||
			r.Classifier == name && figure.Where["classifier"] == ""
	})
}

// referenceRows are the rows a reference line is the mean of: those of the algorithm called name,
// as far as dataset (with its parameters), metric and classifier are what the figure shows; or
// those of the classifier called name, on the original data where the experiment measured that,
// else on every release.
func referenceRows(figure *results.Figure, rows []results.Row, name string) []*results.Row {
	var algorithm, original, classifier []*results.Row
	sameClassifier := figure.Where.Only("classifier")
	for i := range rows {
		r := &rows[i]
		sameDataset := figure.Where.Only("dataset")
		for name, wanted := range figure.Where { // order-free: fills a set
			if _, known := r.Dataset.Params[name]; known {
				sameDataset[name] = wanted
			}
		}
		if r.Metric != figure.Y || !sameDataset.Selects(r) {
			continue
		}
		if r.Classifier == name {
			classifier = append(classifier, r)
			if r.Algorithm == "identity" {
				original = append(original, r)
			}
		} else if r.Algorithm == name && sameClassifier.Selects(r) &&
			!slices.Contains(figure.Reference, r.Classifier) {
			algorithm = append(algorithm, r)
		}
	}
	switch {
	case len(algorithm) > 0:
		return algorithm
	case len(original) > 0:
		return original
	}
	return classifier
}

// filterTexts names what a filter keeps: "classifier c45", "stop 5".
func filterTexts(where results.Filter) (texts []string) {
	for _, name := range slices.Sorted(maps.Keys(where)) {
		texts = append(texts, name+" "+where[name])
	}
	return texts
}
