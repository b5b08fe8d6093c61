// Package identity is the control without privacy: it publishes the input rows as they are, so
// that figures can show what the raw data would have given. It leaves out everything else.
//
// Deviations: none; there is no paper.
package identity

import (
	"context"

	"ppdp/algorithms"
)

func init() { algorithms.Register(Algorithm{}) }

// Algorithm is the baseline "identity".
type Algorithm struct{}

func (Algorithm) Info() algorithms.Info {
	return algorithms.Info{
		Name: "identity", Title: "Original data", Source: "none: the raw reference",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(
			"No privacy at all: the records are published unchanged. For reference only.")},
		Revision: 1,
	}
}

func (Algorithm) Params() algorithms.Params { return &algorithms.NoParams{} }

// Release returns a copy of the rows in their order. It costs no budget and draws nothing.
func (Algorithm) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if _, err := algorithms.CheckInput[*algorithms.NoParams](ctx, Algorithm{}, in); err != nil {
		return nil, err
	}
	return &algorithms.Release{Table: in.Table.Select(in.Rows)}, nil
}
