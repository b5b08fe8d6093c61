package metrics

import (
	"context"

	"ppdp/algorithms"
)

func init() {
	Register(parameterised[ClassParams]{Info{
		Name: "ncp", Title: "Normalised certainty penalty", Unit: "fraction", Revision: 1,
		Source: "Xu et al. 2006; Al-Hussaeni et al. 2018, equations 5 to 7: mean over records " +
			"and attributes",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, ClassParams{PublishedCounts}, certaintyPenalty})
}

// certaintyPenalty is how far values are generalised, from 0 (not at all) to 1 (beyond
// recognition): the mean over all records' values. A single value (one cell of an attribute that is
// not continuous, a leaf of a taxonomy) costs 0, anything wider its share of the attribute's
// domain, a value of a suppressed row 1. It is undefined for releases without a record and without
// a generalised attribute.
func certaintyPenalty(ctx context.Context, c Case, params *ClassParams) (float64, error) {
	sizes, err := regionSizes(ctx, c, params.Counts)
	regions := c.Release.Regions
	dims := len(regions.Attributes)
	suppressed := float64(len(regions.Suppressed))
	records, penalties := suppressed, float64(suppressed*float64(dims))
	domains := make([]float64, dims) // cells
	free := make([]uint32, dims)     // the widest interval that costs nothing
	for d, attribute := range regions.Attributes {
		a := &c.Table.Schema().Attributes[attribute]
		domains[d] = float64(a.Cells())
		if !a.Continuous {
			free[d] = 1
		}
	}
	ranges := Tight.of(regions)
	for region, size := range sizes {
		if size == 0 { // most of a noisy grid
			continue
		}
		penalty := 0.0
		for d, domain := range domains {
			low, high := ranges.Interval(region, d)
			if cells := high - low; cells > free[d] {
				penalty += float64(cells) / domain
			}
		}
		records += size
		penalties += float64(size * penalty)
	}
	return penalties / records / float64(dims), err
}
