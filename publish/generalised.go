package publish

import (
	"context"
	"path/filepath"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/publish/risk"
)

// measure says what the generalised table in a folder still gives away, from what is published
// alone; nil where all records are suppressed. Classes below k, or the usual threshold, are small.
func (c *chosen) measure(ctx context.Context, dir string,
	schema *datasets.Schema) (*risk.Report, error) {
	table, err := risk.Read(ctx, filepath.Join(dir, RecordsFile), csvtable.Plain(schema), schema)
	if err != nil || table.Rows == 0 {
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
