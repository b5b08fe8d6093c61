package plots

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ppdp/results"
)

// epsilonName is the name of the privacy budget where a parameter's name may stand.
const epsilonName = "epsilon"

// selection is the rows a figure shows.
type selection struct {
	curves     []*results.Row
	references map[string][]*results.Row // by the figure's name for it
}

// choose applies the figure's where. Rows of a reference are taken out of the curves unless where
// asks for them by name.
func choose(figure *results.Figure, rows []results.Row) (selection, error) {
	if problems := unknownKeys(figure, rows); problems != nil {
		return selection{}, problems
	}
	s := selection{references: make(map[string][]*results.Row)}
	for i := range rows {
		r := &rows[i]
		if r.Metric == figure.Y && figure.Where.Selects(r) && !isReference(figure, r) {
			s.curves = append(s.curves, r)
		}
	}
	for _, name := range figure.Reference {
		s.references[name] = referenceRows(figure, rows, name)
	}
	if len(s.curves) == 0 {
		return selection{}, fmt.Errorf("figure %q: no rows with %s; there are %s", figure.Name, wanted(figure), available(figure, rows))
	}
	return s, nil
}

func unknownKeys(figure *results.Figure, rows []results.Row) error {
	var problems []error
	for _, key := range slices.Sorted(maps.Keys(figure.Where)) {
		known := func(r results.Row) bool { _, ok := r.Fact(key); return ok }
		if key == epsilonName || slices.ContainsFunc(rows, known) {
			continue
		}
		problems = append(problems, fmt.Errorf("figure %q: where: %q is no column and no row has such a parameter, must be one of %s",
			figure.Name, key, strings.Join(columnNames(rows), ", ")))
	}
	return errors.Join(problems...)
}

func columnNames(rows []results.Row) []string {
	names := make(map[string]bool)
	for i := range rows {
		for name := range rows[i].Facts() { // order-free: fills a set
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

// isReference says whether the row belongs to a horizontal line and not to a curve.
func isReference(figure *results.Figure, r *results.Row) bool {
	for _, name := range figure.Reference {
		if r.Algorithm == name && figure.Where["algorithm"] == "" {
			return true
		}
		if r.Classifier == name && figure.Where["classifier"] == "" {
			return true
		}
	}
	return false
}

// referenceRows are the rows a reference line is the mean of: those of the algorithm called name, as
// far as dataset, metric and classifier are what the figure shows; or those of the classifier called
// name, on the data as they are where the experiment measured that, else on every release.
func referenceRows(figure *results.Figure, rows []results.Row, name string) []*results.Row {
	var algorithm, raw, classifier []*results.Row
	sameDataset, sameClassifier := figure.Where.Only("dataset"), figure.Where.Only("classifier")
	for i := range rows {
		r := &rows[i]
		if r.Metric != figure.Y || !sameDataset.Selects(r) {
			continue
		}
		if r.Classifier == name {
			classifier = append(classifier, r)
			if r.Algorithm == "identity" {
				raw = append(raw, r)
			}
			continue
		}
		if r.Algorithm == name && sameClassifier.Selects(r) && !slices.Contains(figure.Reference, r.Classifier) {
			algorithm = append(algorithm, r)
		}
	}
	switch {
	case len(algorithm) > 0:
		return algorithm
	case len(raw) > 0:
		return raw
	}
	return classifier
}

// wanted says what a figure asks for.
func wanted(figure *results.Figure) string {
	parts := []string{"metric " + figure.Y}
	for _, key := range slices.Sorted(maps.Keys(figure.Where)) {
		parts = append(parts, key+" "+figure.Where[key])
	}
	return strings.Join(parts, ", ")
}

// available says what the rows offer for it.
func available(figure *results.Figure, rows []results.Row) string {
	if len(rows) == 0 {
		return "no rows at all"
	}
	keys := append([]string{"metric"}, slices.Sorted(maps.Keys(figure.Where))...)
	var parts []string
	for i, key := range keys {
		if i > 0 && key == "metric" {
			continue
		}
		var values []string
		seen := make(map[string]bool)
		for i := range rows {
			if value, ok := rows[i].Fact(key); ok && value != "" && !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
		parts = append(parts, key+" "+strings.Join(values, "|"))
	}
	return strings.Join(parts, "; ")
}
