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
var StandIn = source[*Params]{about: datasets.Info{
	Name:  "adult-standin",
	Title: "Stand-in for Adult",
	Citation: "Rows drawn from a Bayesian network (after Chow & Liu 1968; Friedman, Geiger & " +
		"Goldszmidt 1997) with counts from: " + citation,
	License:   license,
	StandsFor: "adult",
}, defaults: defaults, load: drawStandIn}

// drawStandIn draws the table. Request.Key is not used.
func drawStandIn(ctx context.Context, _ datasets.Request,
	params *Params) (*datasets.Dataset, error) {
	chosen := params.selection()
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
