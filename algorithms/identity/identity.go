// Package identity is the control without privacy: it publishes the input rows as they are, so
// that figures can show what the raw data would have given. It leaves out everything else.
//
// Deviations: none; there is no paper.
package identity

import (
	"context"

	"ppdp/algorithms"
)

// Algorithm is the baseline "identity".
var Algorithm = algorithms.Add(algorithms.Info{
	Name: "identity", Title: "Original data", Source: "none: the raw reference",
	Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
	Variants: []algorithms.Guarantee{algorithms.NotPrivate(
		"No privacy at all: the records are published unchanged. For reference only.")},
	Revision: 1,
}, algorithms.NoDefaults, publish)

// publish returns a copy of the rows in their order. It costs no budget and draws nothing.
func publish(_ context.Context, in algorithms.Input,
	_ *algorithms.NoParams) (*algorithms.Release, error) {
	return &algorithms.Release{Table: in.Table.Select(in.Rows)}, nil
}
