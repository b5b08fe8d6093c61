package metrics

import (
	"context"
	"slices"

	"ppdp/algorithms"
)

func init() {
	register := func(name, title, weights string, weighted bool) {
		Register(measured{Info{
			Name: name, Title: title, Unit: "fraction", HigherIsBetter: true, Class: true,
			Source: "Qardaji & Li 2012, section 4.1 (similarity of the tuples in a region), " +
				weights,
			Needs: []algorithms.Product{algorithms.RegionsProduct}, Revision: 1,
		}, func(ctx context.Context, c Case) (float64, error) {
			return purity(ctx, c, weighted)
		}})
	}
	register("purity", "Region purity", "weighted by tuples", true)
	register("purity-unweighted", "Region purity, mean over regions",
		"mean over the regions that hold a tuple", false)
}

// purity is how far a region's majority label speaks for its tuples. The labels are the true ones
// of the training rows, put into the published regions: noise moves the regions, not the truth.
// Regions weigh by their tuples, or else every region that holds one counts the same. It is
// undefined when there are no training rows. A table without a class attribute is an error.
func purity(ctx context.Context, c Case, weighted bool) (float64, error) {
	classes := c.Table.Schema().Classes()
	counts, err := trueCounts(ctx, c, classes)
	tuples, agreeing, occupied, share := 0.0, 0.0, 0.0, 0.0
	for region := range slices.Chunk(counts, classes) {
		most, sum := 0.0, 0.0
		for _, n := range region {
			most = max(most, n)
			sum += n
		}
		if sum == 0 {
			continue
		}
		tuples += sum
		agreeing += most
		occupied++
		share += most / sum
	}
	if weighted {
		return agreeing / tuples, err
	}
	return share / occupied, err
}
