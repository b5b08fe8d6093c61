package graph

import (
	"context"
	"fmt"

	"ppdp/datasets"
)

func init() { datasets.Register(grown{}) }

// grown is the source "barabasi-albert", whose graph is drawn from the request's key.
type grown struct{}

func (grown) Info() datasets.Info {
	return datasets.Info{Name: "barabasi-albert", Graph: true, License: "none needed: generated",
		Title: "Barabási-Albert preferential attachment",
		Citation: "A.-L. Barabási, R. Albert: Emergence of scaling in random networks. " +
			"Science 286, 1999"}
}

// BarabasiAlbertParams are the parameters of the source "barabasi-albert".
type BarabasiAlbertParams struct {
	Nodes int `yaml:"nodes" doc:"the number of nodes" max:"50000000" values:"a whole number from 2 to 50000000"`
	Links int `yaml:"links" doc:"the number of edges that each new node brings, fewer than nodes" min:"1"`
}

// Validate refuses more links than there are other nodes.
func (p *BarabasiAlbertParams) Validate() error {
	if p.Links >= p.Nodes {
		return fmt.Errorf("links: %d, must be below nodes: %d", p.Links, p.Nodes)
	}
	return nil
}

func (grown) Params() any { return &BarabasiAlbertParams{Nodes: 1000, Links: 5} }

func (g grown) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	name := g.Info().Name
	defer datasets.Named(name, &err)
	params, err := datasets.ParamsOf(request, g.Params().(*BarabasiAlbertParams))
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	drawn, err := BarabasiAlbert(ctx, request.Key.Derive("graph", name).Stream(), params.Nodes,
		params.Links)
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Graph: drawn, Checksum: drawn.Checksum()}, nil
}
