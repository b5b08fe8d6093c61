package adultclusters

import (
	"context"
	"os"
	"slices"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
)

func load(t *testing.T, name string, params *Params) *datasets.Dataset {
	t.Helper()
	source := must.Get(datasets.Lookup(name))
	return must.Get(source.Load(context.Background(),
		datasets.Request{Params: params,
			Files: datasets.Files{Dirs: []string{os.Getenv("PPDP_DATA")}}}))
}

func labelsOf(set *datasets.Dataset) []uint32 {
	labels := make([]uint32, set.Table.Len())
	column := set.Table.Column(set.Table.Schema().Class())
	for row := range labels {
		labels[row] = column.At(int32(row))
	}
	return labels
}

const standIn = "adult-clusters-standin"

// TestOnlyTheClassChanges: the other columns are Adult's, salary is gone, both clusters occur.
func TestOnlyTheClassChanges(t *testing.T) {
	for _, labels := range []string{Data, Public} {
		params := &Params{Select: "rps", Labels: labels, Clusters: 2}
		set := load(t, standIn, params)
		original := must.Get(adult.StandIn.Load(context.Background(),
			datasets.Request{Params: &adult.Params{Select: "rps"}}))
		schema := set.Table.Schema()
		if err := schema.Validate(); err != nil {
			t.Error(err)
		}
		if len(set.Notes) == 0 || set.Checksum == original.Checksum {
			t.Errorf("%s: checksum %s, notes %q", labels, set.Checksum, set.Notes)
		}
		for _, name := range schema.Names()[:10] {
			at, was := schema.Index(name), original.Table.Schema().Index(name)
			for row := range set.Table.Len() {
				got, want := set.Table.Column(at), original.Table.Column(was)
				if got.At(int32(row)) != want.At(int32(row)) {
					t.Fatalf("%s: row %d of %s differs", labels, row, name)
				}
			}
		}
		if name := schema.Attributes[schema.Class()].Name; name != "cluster" ||
			len(schema.Attributes) != 11 {
			t.Errorf("class %q of %d attributes", name, len(schema.Attributes))
		}
		found := labelsOf(set)
		if !slices.Contains(found, 0) || !slices.Contains(found, 1) {
			t.Errorf("%s: one cluster only", labels)
		}
	}
}

// TestPublicLabelsDependOnTheRecordAlone: in a table of some of the rows a record keeps its class.
// That is what errata D5 asks for.
func TestPublicLabelsDependOnTheRecordAlone(t *testing.T) {
	original := must.Get(adult.StandIn.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "rps"}}))
	params := &Params{Select: "rps", Labels: Public, Clusters: 3}
	all := must.Get(params.label(context.Background(), original.Table))
	rows := []int32{9, 4, 30_000, 77}
	some := must.Get(params.label(context.Background(), original.Table.Select(rows)))
	for i, row := range rows {
		if some[i] != all[row] {
			t.Errorf("row %d is in cluster %d among all rows, in %d among four",
				row, all[row], some[i])
		}
	}
}

// TestTwoPublicCentroidsPartTheSexes: of uniform records, putting j of an attribute's m values on
// one side explains a variance of (j/m)·(1/j - 1/m) + (1 - j/m)·(1/(m-j) - 1/m) = 1/m of its m
// coordinates, and halving a numeric attribute explains 1/16: most for m = 2. Sex is Adult's only
// attribute of two values.
func TestTwoPublicCentroidsPartTheSexes(t *testing.T) {
	for _, selection := range []string{"diffmulti", "rps"} {
		set := load(t, standIn, &Params{Select: selection, Labels: Public, Clusters: 2})
		labels, sex := labelsOf(set), set.Table.Column(set.Table.Schema().Index("sex"))
		turned := labels[0] != sex.At(0) // the numbers of clusters mean nothing
		for row, label := range labels {
			if (label != sex.At(int32(row))) != turned {
				t.Fatalf("%s: row %d of sex %d is in cluster %d, row 0 of sex %d in %d",
					selection, row, sex.At(int32(row)), label, sex.At(0), labels[0])
			}
		}
	}
}
