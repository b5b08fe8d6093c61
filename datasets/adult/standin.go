package adult

import (
	"context"
	_ "embed"
	"sync"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

//go:embed standin.json
var standInFile []byte

// StandIn is a table that looks like Adult and needs no file. Its rows are drawn from the network
// of standin.json. There is one stand-in: it is drawn with a fixed key, not with the request's, so
// that results on it can be compared as results on the real table can.
type StandIn struct{}

func (StandIn) Info() datasets.Info {
	return datasets.Info{
		Name:  "adult-standin",
		Title: "Stand-in for Adult",
		Citation: "Rows drawn from a Bayesian network (after Chow & Liu 1968; Friedman, Geiger & " +
			"Goldszmidt 1997) " +
			"with counts from: " + citation,
		License:   license,
		StandsFor: "adult",
	}
}

// Params returns the default selection.
func (StandIn) Params() any { return defaults() }

// Load draws the table. Request.Key is not used.
func (StandIn) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	defer datasets.Named("adult-standin", &err)
	chosen, err := resolve(request)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	n, err := standInNetwork()
	if err != nil {
		return nil, err
	}
	halves := n.Halves[:1]
	if chosen.both {
		halves = n.Halves
	}
	table, err := chosen.project(n.draw(halves, random.NewKey(0).Derive("adult-standin")))
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Table: table, Checksum: table.Checksum(),
		Notes: []string{"a stand-in for Adult, drawn from count tables: results are not those " +
			"of the real data"}}, nil
}

var standInNetwork = sync.OnceValues(func() (*Network, error) { return parseNetwork(standInFile) })
