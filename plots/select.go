package plots

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"

	"ppdp/results"
)

// epsilonName is the name of the privacy budget where a parameter's name may stand.
const epsilonName = "epsilon"

// fields are the columns a figure's where may name besides epsilon and parameters.
var fields = []struct {
	name string
	of   func(*results.Row) string
}{
	{"metric", func(r *results.Row) string { return r.Metric }},
	{"classifier", func(r *results.Row) string { return r.Classifier }},
	{"variant", func(r *results.Row) string { return r.Variant }},
	{"dataset", func(r *results.Row) string { return r.Dataset }},
	{"algorithm", func(r *results.Row) string { return r.Algorithm }},
	{"series", func(r *results.Row) string { return r.Series }},
}

// lookUp returns a row's value of a field, of epsilon or of a parameter; ok is false where the row has
// no such parameter or no epsilon.
func lookUp(r *results.Row, name string) (value string, ok bool) {
	for _, f := range fields {
		if f.name == name {
			return f.of(r), true
		}
	}
	if name == epsilonName {
		if r.Epsilon == nil {
			return "", false
		}
		return strconv.FormatFloat(*r.Epsilon, 'g', -1, 64), true
	}
	value, ok = r.Params[name]
	return value, ok
}

// facts is all that a figure's where may ask of a row.
func facts(r *results.Row) map[string]string {
	known := make(map[string]string, len(fields)+1+len(r.Params))
	for name, value := range r.Params { // order-free: a copy
		known[name] = value
	}
	for _, f := range fields {
		known[f.name] = f.of(r)
	}
	known[epsilonName], _ = lookUp(r, epsilonName)
	return known
}

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
		if r.Metric == figure.Y && figure.Selects(facts(r)) && !isReference(figure, r) {
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
next:
	for _, key := range sortedKeys(figure.Where) {
		if key == epsilonName {
			continue
		}
		for i := range rows {
			if _, ok := lookUp(&rows[i], key); ok {
				continue next
			}
		}
		problems = append(problems, fmt.Errorf("figure %q: where: %q is no column and no row has such a parameter, must be one of %s",
			figure.Name, key, strings.Join(columnNames(rows), ", ")))
	}
	return errors.Join(problems...)
}

func columnNames(rows []results.Row) []string {
	var names []string
	for _, f := range fields {
		names = append(names, f.name)
	}
	names = append(names, epsilonName)
	params := make(map[string]string)
	for i := range rows {
		for name := range rows[i].Params {
			params[name] = ""
		}
	}
	return append(names, sortedKeys(params)...)
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
	sameDataset, sameClassifier := only(figure, "dataset"), only(figure, "classifier")
	for i := range rows {
		r := &rows[i]
		if r.Metric != figure.Y || !sameDataset.Selects(facts(r)) {
			continue
		}
		if r.Classifier == name {
			classifier = append(classifier, r)
			if r.Algorithm == "identity" {
				raw = append(raw, r)
			}
			continue
		}
		if r.Algorithm == name && sameClassifier.Selects(facts(r)) && !isClassifierReference(figure, r.Classifier) {
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

// only is the part of a figure's filter that concerns one column.
func only(figure *results.Figure, key string) *results.Figure {
	wanted, asked := figure.Where[key]
	if !asked {
		return &results.Figure{}
	}
	return &results.Figure{Where: map[string]string{key: wanted}}
}

// isClassifierReference keeps the majority's accuracy out of the mean over the other classifiers.
func isClassifierReference(figure *results.Figure, classifier string) bool {
	for _, name := range figure.Reference {
		if name == classifier {
			return true
		}
	}
	return false
}

// wanted says what a figure asks for.
func wanted(figure *results.Figure) string {
	parts := []string{"metric " + figure.Y}
	for _, key := range sortedKeys(figure.Where) {
		parts = append(parts, key+" "+figure.Where[key])
	}
	return strings.Join(parts, ", ")
}

// available says what the rows offer for it.
func available(figure *results.Figure, rows []results.Row) string {
	if len(rows) == 0 {
		return "no rows at all"
	}
	keys := append([]string{"metric"}, sortedKeys(figure.Where)...)
	var parts []string
	for i, key := range keys {
		if i > 0 && key == "metric" {
			continue
		}
		var values []string
		seen := make(map[string]bool)
		for i := range rows {
			if value, ok := lookUp(&rows[i], key); ok && value != "" && !seen[value] {
				seen[value] = true
				values = append(values, value)
			}
		}
		parts = append(parts, key+" "+strings.Join(values, "|"))
	}
	return strings.Join(parts, "; ")
}

func sortedKeys(m map[string]string) []string {
	keys := make([]string, 0, len(m))
	for key := range m {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
