package identity

import (
	"context"
	"testing"

	"ppdp/algorithms"
	"ppdp/audit/conformance"
)

func TestReleaseIsTheRows(t *testing.T) {
	table := conformance.Table(50)
	rows := []int32{7, 3, 49, 3}
	release, err := Algorithm{}.Release(context.Background(), algorithms.Input{
		Table: table, Rows: rows, Params: &algorithms.NoParams{}, Variant: algorithms.Published,
	})
	if err != nil {
		t.Fatal(err)
	}
	if release.Table.Len() != len(rows) || release.Weights != nil {
		t.Fatalf("%d rows, weights %v", release.Table.Len(), release.Weights)
	}
	for i := range table.Schema().Attributes {
		for n, row := range rows {
			if got, want := release.Table.Column(i).At(int32(n)),
				table.Column(i).At(row); got != want {
				t.Errorf("row %d, attribute %d: %d, want %d", n, i, got, want)
			}
			exact := table.Column(i).Exact
			if exact != nil && release.Table.Column(i).Exact[n] != exact[row] {
				t.Errorf("row %d, attribute %d: exact value lost", n, i)
			}
		}
	}
}
