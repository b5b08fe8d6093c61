package metrics

import (
	"context"

	"ppdp/algorithms"
)

func init() {
	register := func(info Info, weighted bool) {
		Register(measured{info, func(ctx context.Context, c Case) (float64, bool, error) {
			return purity(ctx, c, weighted)
		}})
	}
	register(Info{
		Name: "purity", Title: "Region purity", Unit: "fraction", HigherIsBetter: true,
		Class: true, Revision: 1,
		Source: "Qardaji & Li 2012, section 4.1 (similarity of the tuples in a region), weighted " +
			"by tuples",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, true)
	register(Info{
		Name: "purity-unweighted", Title: "Region purity, mean over regions", Unit: "fraction",
		HigherIsBetter: true, Class: true, Revision: 1,
		Source: "Qardaji & Li 2012, section 4.1 (similarity of the tuples in a region), mean " +
			"over the regions that hold a tuple",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, false)
}

// purity is how far a region's majority label speaks for its tuples. The labels are the true ones
// of the training rows, put into the published regions: noise moves the regions, not the truth.
// Regions weigh by their tuples, or else every region that holds one counts the same. It is
// undefined when there are no training rows. A table without a class attribute is an error.
func purity(ctx context.Context, c Case, weighted bool) (float64, bool, error) {
	class := c.Table.Schema().Class()
	regions := c.Release.Regions
	located, err := locate(ctx, regions, c.Table, c.Train)
	if err != nil {
		return 0, false, err
	}
	classes := c.Table.Schema().Classes()
	counts := make([]int64, regions.Len()*classes)
	labels := c.Table.Column(class)
	for i, row := range c.Train {
		if located[i] >= 0 { // a suppressed row is in no region
			counts[int(located[i])*classes+int(labels.At(row))]++
		}
	}
	var tuples, agreeing, occupied int64
	share := 0.0
	for r := 0; r < regions.Len(); r++ {
		var most, sum int64
		for _, n := range counts[r*classes : (r+1)*classes] {
			most = max(most, n)
			sum += n
		}
		if sum == 0 {
			continue
		}
		tuples += sum
		agreeing += most
		occupied++
		share += float64(most) / float64(sum)
	}
	if tuples == 0 {
		return 0, false, nil
	}
	if weighted {
		return float64(agreeing) / float64(tuples), true, nil
	}
	return share / float64(occupied), true, nil
}
