package mondrian_test

import (
	"context"
	"fmt"

	"ppdp/algorithms"
	"ppdp/algorithms/mondrian"
	"ppdp/datasets"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Four people under 2-anonymity: the median cuts their ages in two groups of two.
func ExampleAlgorithm() {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Kind: datasets.Numeric, Low: 0, High: 100, Step: 1},
		{Name: "illness", Kind: datasets.Categorical, Role: datasets.Sensitive,
			Values: []string{"flu", "measles"}},
	}}
	people := datasets.NewBuilder(schema, 4)
	for _, age := range []uint32{21, 64, 28, 60} {
		people.AddRow(age)
	}
	table := people.Table()

	params := mondrian.DefaultParams()
	params.K = 2
	release, err := mondrian.Algorithm.Release(context.Background(), algorithms.Input{
		Table: table, Rows: table.AllRows(), Params: params, Variant: algorithms.Published,
		Budget: privacy.NewBudget(0), Noise: random.NewStreams(random.NewKey(1)),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for region := range release.Regions.Len() {
		low, high := release.Regions.Interval(region, 0)
		fmt.Printf("ages from %d to %d: %v people\n", low, high-1, release.Regions.Count(region)[0])
	}
	// Output:
	// ages from 0 to 28: 2 people
	// ages from 29 to 99: 2 people
}
