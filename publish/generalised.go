package publish

import (
	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/publish/risk"
)

// measure says what generalised records still disclose, from what is published alone; nil where
// all are suppressed. Classes below k, or the usual threshold, are small.
func (c *chosen) measure(r *records, schema *datasets.Schema) (*risk.Report, error) {
	if r.Rows == 0 {
		return nil, nil
	}
	table, err := risk.NewTable(&r.Texts, schema)
	if err != nil {
		return nil, err
	}
	options := risk.Defaults()
	options.K = max(c.params.(algorithms.Anonymous).Anonymity(), options.K)
	options.Suppressed = "" // such records are not in the file: a "*" is a value of the others
	if limits := c.limits(); limits.Any() {
		options.C = limits.C
	}
	return risk.Measure(table, nil, options)
}
