package language

import (
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// Refuses reports what keeps a configuration from releasing n rows or more of a table; one error
// for each reason.
func (c *Config) Refuses(n int, schema *datasets.Schema) []error {
	var reasons []error
	if anonymous, ok := c.Parameters.(algorithms.Anonymous); ok {
		reasons = append(reasons, algorithms.CheckEnough(n, anonymous.Anonymity()))
	}
	if check, ok := c.Implementation.(algorithms.SchemaChecker); ok {
		reasons = append(reasons, check.CheckSchema(schema, c.Parameters))
	}
	var all []error
	for _, text := range flatten(errors.Join(reasons...)) {
		all = append(all, errors.New(text))
	}
	return all
}

// CheckTable reports the algorithms, metrics and classifiers of the spec that a loaded table cannot
// serve when n of its rows are released, by the lines that ask for them.
func (p *Plan) CheckTable(d *Dataset, n int, schema *datasets.Schema) error {
	r := strictyaml.NewReader(p.Spec.File)
	reported := make(map[string]bool)
	problem := func(node *strictyaml.Node, err error) {
		if err == nil {
			return
		}
		text := fmt.Sprintf("%v (dataset %s)", err, d.Label())
		if key := fmt.Sprint(node.Line, text); !reported[key] {
			reported[key] = true
			r.Problemf(node, "%s", text)
		}
	}
	for _, config := range p.Configs {
		if config.Data == d {
			for _, err := range config.Refuses(n, schema) {
				problem(config.node, err)
			}
		}
	}
	for _, measure := range p.Spec.Measures {
		problem(measure.node, metrics.CheckSchema(measure.Metric, measure.Classifier,
			measure.Params, schema))
	}
	return r.Err()
}
