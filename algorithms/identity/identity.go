// Package identity is the reference without privacy: it publishes the input rows as they are, so
// that figures can show what the raw data would have given. It leaves out everything else.
//
// Deviations: none; there is no paper.
package identity

import (
	"context"

	"ppdp/algorithms"
)

func init() { algorithms.Register(identity{}) }

// identity is the algorithm; it has no state.
type identity struct{}

// Params are identity's parameters: it has none.
type Params struct{}

// Validate finds nothing wrong.
func (*Params) Validate() error { return nil }

// Info describes the algorithm.
func (identity) Info() algorithms.Info {
	return algorithms.Info{
		Name: "identity", Title: "Original data", Source: "none: the raw reference",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.Records},
		Variants: []algorithms.Guarantee{{
			Variant: algorithms.Published, Model: algorithms.NoPrivacy, Relation: "none", Status: algorithms.Holds,
			Note: "No privacy at all: the records are published unchanged. For reference only.",
		}},
		Revision: 1,
	}
}

// Params returns the empty parameter struct.
func (identity) Params() algorithms.Params { return &Params{} }

// Release returns a copy of the rows in their order. It costs no budget and draws nothing.
func (identity) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &algorithms.Release{Table: in.Table.Select(in.Rows)}, nil
}
