package csvtable

import (
	"context"
	"fmt"
	"path/filepath"
	"sort"

	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

func init() { datasets.Register(MadeUp{}) }

// MadeUp is the source "from-schema": records made up from a schema file, for choosing algorithms
// and settings without reading private data.
//
// Every record belongs to one of a few hidden groups, whose sizes are drawn; within a group its
// values are independent. Numbers and values of a meaningful order lie around a place of the
// group's own, with a spread of its own, under a triangular law; other values have shares of the
// group's own, few of them large. Attributes, the class among them, so depend on each other through
// the groups, as in a table about people, but no distribution is that of any real table.
type MadeUp struct{}

// MadeUpParams name the schema file and the number of records.
type MadeUpParams struct {
	Schema        string `yaml:"schema" missing:"must be a table's schema file" doc:"the schema file" values:"a file's path, relative to the spec"`
	Target        string `yaml:"target" doc:"the class attribute, in place of the one that the schema names" values:"the name of a categorical attribute; empty for the schema's"`
	Contributions int    `yaml:"contributions" doc:"as of the dataset csv: so many records in succession are a person's" min:"0" max:"1000"`
	N             int    `yaml:"n" doc:"the number of records" min:"1" max:"10000000"`
}

// ResolvePaths makes a relative path relative to base, the folder of the spec that names it.
func (p *MadeUpParams) ResolvePaths(base string) {
	datasets.ResolvePaths(base, &p.Schema)
}

func (MadeUp) Info() datasets.Info {
	return datasets.Info{Name: "from-schema", Title: "Records made up from a schema",
		License: "none: generated"}
}

// Params returns a thousand records of no schema.
func (MadeUp) Params() any { return &MadeUpParams{N: 1000} }

// groups is how many hidden groups there are.
const groups = 8

// Load makes the records from the request's key.
func (MadeUp) Load(ctx context.Context, request datasets.Request) (*datasets.Dataset, error) {
	params, err := datasets.ParamsOf(request, &MadeUpParams{N: 1000})
	if err != nil {
		return nil, err
	}
	format, _, err := ReadSchema(params.Schema, params.Target, params.Contributions)
	if err != nil {
		return nil, err
	}
	schema := format.Schema
	stream := request.Key.Derive("data").Stream()
	sizes := drawShares(stream, groups, 1)
	laws := make([][]law, groups)
	for g := range laws {
		for i := range schema.Attributes {
			laws[g] = append(laws[g], drawLaw(stream, &schema.Attributes[i]))
		}
	}
	table, err := datasets.Rows(ctx, schema, params.N, func(b *datasets.Builder, row int) error {
		for i, law := range laws[sizes(stream)] {
			b.Set(row, i, law(stream))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Table: table, Checksum: table.Checksum(), Notes: []string{
		fmt.Sprintf("%d records made up from %s: no distribution is that of any real table",
			params.N, filepath.Base(params.Schema))}}, nil
}

// law is the distribution of an attribute's codes within a group.
type law func(stream *random.Stream) uint32

// drawShares draws shares of n codes as powers of exponential variables: the higher the power, the
// fewer are large.
func drawShares(stream *random.Stream, n, power int) law {
	shares := make([]float64, n) // cumulative
	sum := 0.0
	for i := range shares {
		x := -elementary.Log(stream.Open01())
		share := 1.0
		for range power {
			share *= x
		}
		sum += share
		shares[i] = sum
	}
	return func(stream *random.Stream) uint32 {
		return uint32(min(n-1, sort.SearchFloat64s(shares, stream.Open01()*sum)))
	}
}

// drawLaw draws shares, or a triangle around a place, with a spread, both in cells.
func drawLaw(stream *random.Stream, a *datasets.Attribute) law {
	if a.Kind == datasets.Categorical && !a.Ordered {
		return drawShares(stream, a.Cells(), 3)
	}
	cells := float64(a.Cells())
	middle, spread := stream.Open01()*cells, (0.05+float64(0.45*stream.Open01()))*cells
	return func(stream *random.Stream) uint32 {
		off := stream.Open01() + stream.Open01() - 1
		return uint32(max(0, min(cells-1, middle+float64(spread*off))))
	}
}
