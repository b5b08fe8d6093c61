package metrics

import (
	"context"
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets/clustering"
)

func init() {
	Register(measured{Info{
		Name: "match-point", Title: "Match Point", Unit: "fraction",
		HigherIsBetter: true, Revision: 1,
		Source: "Al-Hussaeni et al. 2018, equation 15; bisecting k-means on raw and on " +
			"generalised true records",
		Needs: []algorithms.Product{algorithms.RegionsProduct},
	}, matchPoint})
}

// MatchPoint is the share of the n² ordered pairs of records, a record with itself included, on
// which two clusterings agree: both have the pair in one cluster, or both have it in two
// (Al-Hussaeni et al. 2018, equation 15). It comes from the contingency table, in O(n), without the
// n by n matrices: a clustering has Σ|A|² pairs within its clusters, and both have Σ|A∩B|². Two
// even and independent clusterings in two agree on half the pairs. NaN for no records; the slices
// must be of one length.
func MatchPoint(a, b []uint32) float64 {
	rows, columns := clusterSizes(a), clusterSizes(b)
	joint := make([]int64, len(rows)*len(columns))
	for i := range a {
		joint[int(a[i])*len(columns)+int(b[i])]++
	}
	n := int64(len(a))
	agreed := n*n - sumOfSquares(rows) - sumOfSquares(columns) + 2*sumOfSquares(joint)
	return float64(agreed) / float64(n*n)
}

func clusterSizes(clusters []uint32) []int64 {
	var counts []int64
	for _, c := range clusters {
		for int(c) >= len(counts) {
			counts = append(counts, 0)
		}
		counts[c]++
	}
	return counts
}

func sumOfSquares(counts []int64) int64 {
	sum := int64(0)
	for _, n := range counts {
		sum += n * n
	}
	return sum
}

// matchClusters is the paper's k.
const matchClusters = 2

// matchPoint is how far clustering the generalised records finds the clusters of the raw ones.
//
// It clusters the training rows twice by the attributes the regions span: as they are, and
// generalised to the region each lies in. No noise is added to how many lie there: the metric
// measures the truth and is not published (errata D5). Suppressed rows are clustered with the raw
// ones but not compared. Undefined where no row is released.
func matchPoint(ctx context.Context, c Case) (float64, error) {
	if len(c.Train) == 0 {
		return math.NaN(), nil
	}
	regions := c.Release.Regions
	// The raw records' clusters know nothing of the release: all releases of the table are compared
	// with the same.
	type key struct{ attributes string }
	of := key{fmt.Sprint(regions.Attributes)}
	before, err := memoize(ctx, c.Truth, of, func() ([]uint32, error) {
		raw := clustering.NewVectors(c.Table.Schema(), regions.Attributes)
		raw.AddRows(c.Table, c.Train)
		return raw.Clusters(ctx, matchClusters)
	})
	if err != nil {
		return 0, err
	}
	located, err := locate(ctx, regions, c.Table, c.Train)
	if err != nil {
		return 0, err
	}
	// Records of one region are equal: one vector of their number stands for them.
	counts := make([]int, regions.Len())
	for _, region := range located {
		if region >= 0 { // a suppressed row is in no region
			counts[region]++
		}
	}
	generalised := clustering.NewVectors(c.Table.Schema(), regions.Attributes)
	vector := make([]int, regions.Len())
	for region, count := range counts {
		if count > 0 {
			vector[region] = generalised.Len()
			low, high := regions.Box(region)
			generalised.AddBox(low, high, regions.Axes, float64(count))
		}
	}
	if generalised.Len() == 0 {
		return math.NaN(), nil
	}
	byRegion, err := generalised.Clusters(ctx, matchClusters)
	if err != nil {
		return 0, err
	}
	after, kept := make([]uint32, 0, len(located)), make([]uint32, 0, len(located))
	for i, region := range located {
		if region >= 0 {
			after, kept = append(after, byRegion[vector[region]]), append(kept, before[i])
		}
	}
	return MatchPoint(kept, after), nil
}
