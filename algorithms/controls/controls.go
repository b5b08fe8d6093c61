// Package controls holds two releases of a degree sequence that no method is behind: "zeros" publishes n zeros, which anyone
// can who knows n; "perfect" publishes the truth. The first is a floor every method has to beat before a comparison says
// anything, the second is the ceiling of what any could reach.
//
// Deviations: none; there is no paper.
package controls

import (
	"context"
	"errors"
	"slices"

	"ppdp/algorithms"
)

func init() {
	algorithms.Register(control{"zeros", "n zeros", "No data are read but the number of nodes, which is public everywhere here: it needs no budget.",
		func(truth []int32) []int32 { return make([]int32, len(truth)) }})
	algorithms.Register(control{"perfect", "True degree sequence", "No privacy at all: the degrees are published unchanged. For reference only.",
		slices.Clone[[]int32]})
}

// control is one of the releases.
type control struct {
	name, title, note string
	of                func(truth []int32) []int32
}

var _ algorithms.Algorithm = control{}

// Params are the controls' parameters: they have none.
type Params struct{}

// Validate finds nothing wrong.
func (*Params) Validate() error { return nil }

// Info describes the control.
func (c control) Info() algorithms.Info {
	return algorithms.Info{
		Name: c.name, Title: c.title, Source: "none: a control",
		Input: algorithms.GraphInput, Produces: []algorithms.Product{algorithms.DegreeSequence},
		Variants: []algorithms.Guarantee{{
			Variant: algorithms.Published, Model: algorithms.NoPrivacy, Relation: "none", Status: algorithms.Holds, Note: c.note,
		}},
		Revision: 1,
	}
}

// Params returns the empty parameter struct.
func (control) Params() algorithms.Params { return &Params{} }

// Release publishes one degree for each node. It costs no budget and draws nothing.
func (c control) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if in.Graph == nil {
		return nil, errors.New(c.name + ": no graph given")
	}
	degrees := c.of(in.Graph.DegreeSequence())
	if degrees == nil { // a clone of nothing
		degrees = []int32{}
	}
	return &algorithms.Release{Degrees: degrees}, nil
}
