package graph

import (
	"context"
	"errors"
	"fmt"

	"ppdp/datasets"
	"ppdp/random"
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
	datasets.Register(generator{
		info: datasets.Info{Name: "configuration", Title: "random simple graph with given degrees",
			Citation: "M. Molloy, B. Reed: A critical point for random graphs with a given " +
				"degree sequence. Random Structures & Algorithms 6, 1995"},
		params: func() drawing { return &ConfigurationParams{} },
	})
}

// drawing is what generators' parameters can do.
type drawing interface {
	Validate() error
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

// Validate reports everything wrong with the parameters, by yaml key.
func (p *ErdosRenyiParams) Validate() error {
	var bad datasets.Problems
	bad.Whole("nodes", p.Nodes, 1, maxGenerated)
	bad.Within("p", p.P, 0, 1)
	return bad.Err()
}

func (p *ErdosRenyiParams) draw(ctx context.Context,
	stream *random.Stream) (*datasets.Graph, error) {
	return ErdosRenyi(ctx, stream, p.Nodes, p.P)
}

// BarabasiAlbertParams are the parameters of the source "barabasi-albert".
type BarabasiAlbertParams struct {
	Nodes int `yaml:"nodes" doc:"the number of nodes" values:"a whole number from 2 to 50000000"`
	Links int `yaml:"links" doc:"the number of edges that each new node brings, fewer than nodes" min:"1"`
}

// Validate reports everything wrong with the parameters, by yaml key.
func (p *BarabasiAlbertParams) Validate() error {
	var bad datasets.Problems
	bad.Whole("nodes", p.Nodes, 2, maxGenerated)
	bad.Whole("links", p.Links, 1, p.Nodes-1)
	return bad.Err()
}

func (p *BarabasiAlbertParams) draw(ctx context.Context,
	stream *random.Stream) (*datasets.Graph, error) {
	return BarabasiAlbert(ctx, stream, p.Nodes, p.Links)
}

// ConfigurationParams are the parameters of the source "configuration": either the degrees one by
// one or the statistics a degree sequence is fitted to.
type ConfigurationParams struct {
	Degrees   []int   `yaml:"degrees" doc:"the degrees of all nodes, in place of the other parameters" values:"a list of whole numbers from 0 to the number of nodes less one"`
	Nodes     int     `yaml:"nodes" doc:"the number of nodes" values:"a whole number from 2, or 0 with degrees"`
	Edges     int     `yaml:"edges" doc:"the number of edges" values:"a whole number that gives every node a degree from 1 to max-degree, or 0 with degrees"`
	Alpha     float64 `yaml:"alpha" doc:"the power-law exponent, as in Table 1 of Qardaji & Li 2012" values:"a number"`
	MaxDegree int     `yaml:"max-degree" doc:"the largest degree, which is attained" values:"a whole number from 2, below the number of nodes, or 0 with degrees"`
}

func (p *ConfigurationParams) statistics() Statistics {
	return Statistics{Nodes: p.Nodes, Edges: p.Edges, Alpha: p.Alpha, MaxDegree: p.MaxDegree}
}

// Validate reports everything wrong with the parameters, by yaml key.
func (p *ConfigurationParams) Validate() error {
	if len(p.Degrees) == 0 {
		if p.statistics() == (Statistics{}) {
			return errors.New("degrees: none, must be a list of degrees; or give nodes, edges, " +
				"alpha and max-degree")
		}
		return p.statistics().Validate()
	}
	var bad datasets.Problems
	if p.statistics() != (Statistics{}) {
		bad.Add("degrees: given beside nodes, edges, alpha or max-degree, must stand alone")
	}
	for v, d := range p.Degrees {
		if d < 0 || d >= len(p.Degrees) {
			bad.Add("degrees: node %d has %d, must be in [0, %d]", v, d, len(p.Degrees)-1)
		}
	}
	return bad.Err()
}

func (p *ConfigurationParams) draw(ctx context.Context,
	stream *random.Stream) (*datasets.Graph, error) {
	degrees := make([]int32, len(p.Degrees))
	for v, d := range p.Degrees {
		degrees[v] = int32(d)
	}
	if len(degrees) == 0 {
		var err error
		if degrees, err = p.statistics().DegreeSequence(); err != nil {
			return nil, err
		}
	}
	return WithDegrees(ctx, stream, degrees)
}
