// Package adultenlarged is Adult made larger, for the study of running times: sources
// "adult-enlarged" and "adult-enlarged-standin". Every record is kept, and variations of it follow
// in which some values are drawn anew from the public domain of their attribute (Al-Hussaeni et al.
// 2018, section 5.2, Scalability). Such records say little about people: the package is for time
// and memory, not for utility. One person's record is behind several of them, so that protecting
// single records protects a person by as much less (errata D13).
package adultenlarged

import (
	"context"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/numeric/random"
)

// Params selects rows and attributes, and says how many records there shall be.
type Params struct {
	Select string `yaml:"select" doc:"one of adult's selections" words:"rps mondrian mondrian-random diffmulti dpcube all"`
	N      int    `yaml:"n" doc:"the number of records; fewer than the selection has are the first of them" min:"1" max:"100000000"`
	// The paper says "some values".
	Redraw float64 `yaml:"redraw" doc:"the probability that a value of a variation is drawn anew" min:"0" max:"1"`
}

func init() {
	adult.Derivation[*Params]{
		Defaults: defaults,
		Select:   func(p *Params) string { return p.Select },
		Table: func(ctx context.Context, from *datasets.Dataset, params *Params,
			key random.Key) (*datasets.Table, string, error) {
			of := from.Table.Len()
			from.Share = (params.N + of - 1) / of
			table, err := enlarge(ctx, from.Table, params, key.Derive("variations").Stream())
			return table, "Most records are variations of others, values drawn at random: for " +
				"running times only.", err
		},
	}.Register("adult-enlarged", "Adult census data and variations of it", "Stand-in for Adult "+
		"and variations of it")
}

// defaults are the smallest of the paper's five sizes.
func defaults() *Params { return &Params{Select: "diffmulti", N: 200_000, Redraw: 0.5} }

// enlarge returns a table of params.N rows: every record, then one variation of every record before
// the second of any.
func enlarge(ctx context.Context, of *datasets.Table, params *Params,
	draws *random.Stream) (*datasets.Table, error) {
	schema := of.Schema()
	return datasets.Rows(ctx, schema, params.N, func(b *datasets.Builder, row int) error {
		original := row < of.Len()
		from := int32(row % of.Len())
		for at := range schema.Attributes {
			code := of.Column(at).At(from)
			if !original && draws.Float64() < params.Redraw {
				code = uint32(draws.IntN(schema.Attributes[at].Cells()))
			}
			b.Set(row, at, code)
		}
		return nil
	})
}
