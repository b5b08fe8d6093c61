package adult

import (
	"context"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Sources "adult-flat" and "adult-flat-standin" are Adult without the levels of its taxonomies
// between the root and the leaves, for the question what a hierarchy's shape is worth (Al-Hussaeni
// et al. 2018, section 4.6).
func init() {
	Derivation[*Params]{
		Defaults: func() *Params { return &Params{Select: "diffmulti"} },
		Select:   func(p *Params) string { return p.Select },
		Table:    flatten,
	}.Register("adult-flat", "Adult census data, flat hierarchies", "Stand-in for Adult, flat "+
		"hierarchies")
}

// flatten takes the taxonomies away: an attribute without one has a flat one wherever it matters.
func flatten(_ context.Context, from *datasets.Dataset, _ *Params,
	_ random.Key) (*datasets.Table, string, error) {
	schema := *from.Table.Schema()
	schema.Attributes = append([]datasets.Attribute(nil), schema.Attributes...)
	for i := range schema.Attributes {
		schema.Attributes[i].Taxonomy = nil
	}
	flat, err := from.Table.WithSchema(&schema)
	return flat, "Hierarchies are flat: every value is a child of the root.", err
}
