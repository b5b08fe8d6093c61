package partition

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"ppdp/datasets"
)

// Weights say how much the precision of quasi-identifiers matters, as a text such as "age = 2; sex
// = 0.5". Those that are not named weigh 1.
type Weights string

// Unweighted asks for nothing in particular.
const Unweighted Weights = "equal"

// Check reports everything wrong with the text.
func (w Weights) Check() error {
	_, err := w.parse()
	return err
}

func (w Weights) parse() (map[string]float64, error) {
	weights := make(map[string]float64)
	var bad []error
	for part := range strings.SplitSeq(string(w), ";") {
		at := strings.LastIndex(part, "=")
		name := strings.TrimSpace(part[:max(at, 0)])
		weight, err := strconv.ParseFloat(strings.TrimSpace(part[at+1:]), 64)
		switch {
		case w == Unweighted:
		case name == "" || err != nil || !(weight >= 1e-6 && weight <= 1e6):
			bad = append(bad, fmt.Errorf("weights: %q, must be %s or parts such as age = 2, "+
				"joined by semicolons, with numbers from 0.000001 to 1000000",
				strings.TrimSpace(part), Unweighted))
		case weights[name] != 0:
			bad = append(bad, fmt.Errorf("weights: %q is there twice", name))
		default:
			weights[name] = weight
		}
	}
	return weights, errors.Join(bad...)
}

// Of returns the weights of a schema's quasi-identifiers, nil where none were asked for.
func (w Weights) Of(s *datasets.Schema) ([]float64, error) {
	if w == Unweighted || w == "" {
		return nil, nil
	}
	named, err := w.parse()
	if err != nil {
		return nil, err
	}
	var weights []float64
	var names []string
	for _, i := range s.QuasiIdentifiers() {
		name := s.Attributes[i].Name
		weight, ok := named[name]
		if !ok {
			weight = 1
		}
		weights, names = append(weights, weight), append(names, name)
		delete(named, name)
	}
	for name := range named { // order-free: one is enough
		return nil, fmt.Errorf("weights: %q, must be a quasi-identifier: %s", name,
			strings.Join(names, ", "))
	}
	return weights, nil
}
