package graph

import (
	"context"
	"fmt"

	"ppdp/datasets"
)

func init() { datasets.Register(userFile{}) }

type userFile struct{}

// FileParams are the parameters of the source "graph".
type FileParams struct {
	Path    string `yaml:"path" missing:"must name an edge list or Matrix Market file" doc:"the file, compressed by gzip or not" values:"a file's path, relative to the spec"`
	Reading `yaml:",inline"`
}

// ResolvePaths makes a relative path relative to base, the folder of the spec that names it.
func (p *FileParams) ResolvePaths(base string) {
	datasets.ResolvePaths(base, &p.Path)
}

func (userFile) Info() datasets.Info {
	return datasets.Info{Name: "graph", Graph: true,
		Title:    "User-supplied graph (edge list or Matrix Market file)",
		Citation: datasets.Own, License: datasets.Own}
}

func (userFile) Params() any { return &FileParams{} }

func (userFile) Load(ctx context.Context, request datasets.Request) (*datasets.Dataset, error) {
	p, err := datasets.ParamsOf(request, &FileParams{})
	if err != nil {
		return nil, fmt.Errorf("graph: %w", err)
	}
	content, err := datasets.ReadFile(p.Path, maxUnpacked)
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	loaded, err := Read(p.Path, content, p.Reading)
	if err != nil {
		return nil, err
	}
	if err := usable(p, loaded); err != nil {
		return nil, err
	}
	notes := loaded.Notes
	note := func(n int, what string) {
		if n > 0 {
			notes = append(notes, fmt.Sprintf("%d %s", n, what))
		}
	}
	note(loaded.SelfLoops, "self loops dropped")
	note(loaded.Duplicates, "repeated edges dropped")
	return &datasets.Dataset{Graph: loaded.Graph, Checksum: loaded.Graph.Checksum(),
		Notes: notes}, nil
}

// usable reports a graph without edges, and ids that may or may not be nodes.
func usable(p *FileParams, loaded *Loaded) error {
	g := loaded.Graph
	if g.Edges() == 0 {
		return fmt.Errorf("%s: no edge in the file, must hold a graph with at least one", p.Path)
	}
	if !loaded.Assumed {
		return nil
	}
	for node := range g.Nodes() {
		if g.Degree(int32(node)) == 0 {
			last := g.Nodes() - 1 + p.Base
			return fmt.Errorf("%s: node ids go up to %d, but %d does not occur; nodes: %d makes "+
				"it a node without edges, base: 1 begins with 1, relabel: true leaves out ids "+
				"that do not occur", p.Path, last, node+p.Base, g.Nodes())
		}
	}
	return nil
}
