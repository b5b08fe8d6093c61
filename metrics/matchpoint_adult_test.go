package metrics

import (
	"context"
	"os"
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/diffmulti"
	"ppdp/datasets"
	"ppdp/datasets/adultclusters"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// TestMatchPointOfPublicLabels explains why ClusterMP's Match Point is one number, whatever the
// noise, where the labels are public. The public centroids part women from men. DiffMulti with
// utility Max cuts there before anything else, because no other cut separates these classes:
// every region is of one sex, whatever else it generalises. Clusters of such records are the sexes
// again, and what is left to measure is how the clusters of the raw records agree with sex. By the
// definition that is 1 - (Σ|A|² + Σ|B|² - 2·Σ|A∩B|²)/n², computed here from the table of clusters
// by sex.
func TestMatchPointOfPublicLabels(t *testing.T) {
	if os.Getenv("PPDP_DATA") == "" {
		t.Skip("PPDP_DATA is not set: no Adult data to cluster")
	}
	load := func(labels adultclusters.Labels) *datasets.Table {
		source := must(datasets.Lookup("adult-clusters"))
		params := source.Params().(*adultclusters.Params)
		params.Labels = labels
		set := must(source.Load(context.Background(),
			datasets.Request{Params: params,
				Files: datasets.Files{Dirs: []string{os.Getenv("PPDP_DATA")}}}))
		return set.Table
	}
	table, byData := load(adultclusters.Public), load(adultclusters.Data)
	schema := table.Schema()
	sex, label := table.Column(schema.Index("sex")), byData.Column(byData.Schema().Class())

	var joint [2][2]float64
	for row := range int32(table.Len()) {
		joint[label.At(row)][sex.At(row)]++
	}
	agreed := 0.0
	// Pairs of records within a cell of the table, and of cells that differ in both.
	for a := range 2 {
		for b := range 2 {
			agreed += joint[a][b]*joint[a][b] + joint[a][b]*joint[1-a][1-b]
		}
	}
	n := float64(table.Len())
	want := agreed / (n * n)

	truth := new(Memo)
	for seed, variant := range []algorithms.Variant{algorithms.Published, algorithms.Strict,
		algorithms.Published, algorithms.Strict} {
		params := diffmulti.DefaultParams()
		params.Specialisations = 1000 * (1 + 2*seed)
		release := must(diffmulti.Algorithm{}.Release(context.Background(), algorithms.Input{
			Table: table, Rows: slices.Clone(table.AllRows()), Params: params, Variant: variant,
			Budget: privacy.NewBudget(1), Noise: random.NewStreams(random.NewKey(uint64(seed))),
		}))
		located := must(locate(context.Background(), release.Regions, table, table.AllRows()))
		mixed := 0
		first := make([]int32, release.Regions.Len()) // a row of each region, counted from 1
		for row, region := range located {
			if first[region] == 0 {
				first[region] = int32(row) + 1
			} else if sex.At(first[region]-1) != sex.At(int32(row)) {
				mixed++
			}
		}
		if mixed > 0 {
			t.Errorf("%s, seed %d: %d records lie in a region with records of the other sex",
				variant, seed, mixed)
		}
		got, ok := measure(t, "match-point",
			Case{Table: table, Train: table.AllRows(), Release: release,
				Params: &MatchPointParams{Clusters: 2}, Truth: truth})
		if !ok || got != want {
			t.Errorf("%s, seed %d: Match Point %v (defined %v), clusters of the raw records "+
				"agree with sex at %v", variant, seed, got, ok, want)
		}
	}
	t.Logf("clusters of the raw records by sex: %v; agreement %v", joint, want)
}
