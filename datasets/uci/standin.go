package uci

import (
	"context"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// StandIn is a table of made-up rows in the schema of another and with as many rows of each class.
// There is one of each: it is drawn with a fixed key, so that results on it can be compared.
type StandIn struct{ of Source }

func (s StandIn) Info() datasets.Info {
	return datasets.Info{Name: s.of.name + "-standin", Title: "Stand-in for " + s.of.title,
		Citation: "Made-up rows in the schema of: " + s.of.citation, License: "none: generated",
		StandsFor: s.of.name}
}

// Params are those of the table it stands for.
func (s StandIn) Params() any { return s.of.Params() }

// Load draws the table. Of each attribute a quarter of a class's rows has the class's own value,
// the others any. Request.Key is not used.
func (s StandIn) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	defer datasets.Named(s.of.name+"-standin", &err)
	_, chosen, format, err := s.of.prepare(ctx, request)
	if err != nil {
		return nil, err
	}
	schema := format.Schema
	builder := datasets.NewBuilder(schema, 0)
	draws := random.NewKey(0).Derive("stand-in", s.of.name).Stream()
	below := func(n int) int { return min(n-1, int(draws.Open01()*float64(n))) }
	for class, n := range chosen.classes {
		for range n {
			row := builder.AddRow()
			for i := range schema.Attributes {
				cells := schema.Attributes[i].Cells()
				code := below(cells)
				switch {
				case i == schema.Class():
					code = class
				case draws.Open01() < 0.25:
					code = (class*7 + i) % cells
				}
				builder.Set(row, i, uint32(code))
			}
		}
	}
	table := s.of.shuffled(builder.Table())
	return &datasets.Dataset{Table: table, Checksum: table.Checksum(), Share: chosen.share,
		Notes: []string{"a stand-in for " + s.of.name + " of made-up rows: results are not those " +
			"of the real data"}}, nil
}
