package graph

import (
	"context"
	"fmt"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

func init() {
	datasets.Register(generator{
		info: datasets.Info{Name: "erdos-renyi", Title: "Erdős-Rényi random graph G(n, p)",
			Citation: "E. N. Gilbert: Random graphs. Annals of Mathematical Statistics 30(4), " +
				"1959"},
		params: func() drawing { return &ErdosRenyiParams{Nodes: 1000, P: 0.01} },
	})
	datasets.Register(generator{
		info: datasets.Info{Name: "barabasi-albert",
			Title: "Barabási-Albert preferential attachment",
			Citation: "A.-L. Barabási, R. Albert: Emergence of scaling in random networks. " +
				"Science 286, 1999"},
		params: func() drawing { return &BarabasiAlbertParams{Nodes: 1000, Links: 5} },
	})
}

// drawing is what generators' parameters can do.
type drawing interface {
	draw(ctx context.Context, stream *random.Stream) (*datasets.Graph, error)
}

// generator is a source whose graph is drawn from the request's key.
type generator struct {
	info   datasets.Info
	params func() drawing
}

func (g generator) Info() datasets.Info {
	info := g.info
	info.Graph, info.License = true, "none needed: generated"
	return info
}

func (g generator) Params() any { return g.params() }

func (g generator) Load(ctx context.Context, request datasets.Request) (*datasets.Dataset, error) {
	params, err := datasets.ParamsOf(request, g.params())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", g.info.Name, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	drawn, err := params.draw(ctx, request.Key.Derive("graph", g.info.Name).Stream())
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Graph: drawn, Checksum: drawn.Checksum()}, nil
}

// ErdosRenyiParams are the parameters of the source "erdos-renyi".
type ErdosRenyiParams struct {
	Nodes int     `yaml:"nodes" doc:"the number of nodes" min:"1" max:"50000000"`
	P     float64 `yaml:"p" doc:"the probability of each edge" min:"0" max:"1"`
}

func (p *ErdosRenyiParams) draw(ctx context.Context,
	stream *random.Stream) (*datasets.Graph, error) {
	return ErdosRenyi(ctx, stream, p.Nodes, p.P)
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

func (p *BarabasiAlbertParams) draw(ctx context.Context,
	stream *random.Stream) (*datasets.Graph, error) {
	return BarabasiAlbert(ctx, stream, p.Nodes, p.Links)
}
