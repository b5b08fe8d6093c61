package all

import (
	"fmt"
	"math"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestMissingShares: of 4,000 records 60 % of job a lack an income and 20 % of the others. Releases
// at epsilon 3 keep the rows within 5 %, the share that is missing within 0.03, and that of job a
// within 0.08 where they model two attributes together. None makes a number of what is missing.
func TestMissingShares(t *testing.T) {
	marker := "?"
	s := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Kind: datasets.Numeric, Low: 18, High: 95, Step: 1},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"a", "b", "c", "d"}},
		{Name: "income", Kind: datasets.Numeric, High: 1e5, Step: 1, Missing: &marker},
		{Name: "y", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
	stream := random.NewKey(39).Stream()
	b := datasets.NewBuilder(s, 4000)
	for range 4000 {
		job := stream.Uint32N(4)
		row := b.AddRow(stream.Uint32N(77), job,
			500+stream.Uint32N(3000*(1+job))*(1+stream.Uint32N(3)), min(1, stream.Uint32N(3)))
		if rare := job > 0; stream.Open01() < map[bool]float64{true: 0.2, false: 0.6}[rare] {
			b.Set(row, 2, s.Attributes[2].MissingCode())
		}
	}
	table := b.Table()
	all, a := missingShares(table, nil)
	if math.Abs(all-0.3) > 0.02 || math.Abs(a-0.6) > 0.05 {
		t.Fatalf("the table lacks %.3f, of job a %.3f", all, a)
	}
	for _, c := range []struct {
		name  string
		share float64 // of all
		ofA   float64
	}{{"aim", 0.03, 0.08}, {"mst", 0.03, 0.08}, {"privbayes", 0.03, 0.08},
		{"aim-logistic", 0.03, 0.08}, {"mst-target", 0.03, 0.08},
		{"independent", 0.03, 1}, {"nb-model", 0.03, 1}, {"dpcube", 0.05, 0.1}} {
		t.Run(c.name, func(t *testing.T) {
			algorithm := must.Get(algorithms.Lookup(c.name))
			release := must.Get(algorithm.Release(t.Context(), testinput.Input(table,
				algorithm.Params(), algorithms.Strict, 3, 1)))
			records, weights, err := release.Records(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			rows := 0.0
			for row := range records.Len() {
				if weights == nil {
					rows++
				} else {
					rows += weights[row]
				}
			}
			share, ofA := missingShares(records, weights)
			said := fmt.Sprintf("%.0f rows, %.3f missing, %.3f of job a", rows, share, ofA)
			t.Log(said)
			if math.Abs(rows-4000) > 200 || math.Abs(share-all) > c.share ||
				math.Abs(ofA-a) > c.ofA {
				t.Error(said)
			}
		})
	}
}

// missingShares are the shares of records, and of those of the first job, that lack an income.
func missingShares(table *datasets.Table, weights []float64) (all, first float64) {
	var lack, mass [2]float64
	missing := table.Schema().Attributes[2].MissingCode()
	for row := range int32(table.Len()) {
		weight := 1.0
		if weights != nil {
			weight = weights[row]
		}
		for i, counts := range [2]bool{true, table.Column(1).At(row) == 0} {
			if counts {
				mass[i] += weight
				if table.Column(2).At(row) == missing {
					lack[i] += weight
				}
			}
		}
	}
	return lack[0] / mass[0], lack[1] / mass[1]
}
