package audit

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func records(t *datasets.Table) [][]uint32 {
	var all [][]uint32
	for row := range int32(t.Len()) {
		var record []uint32
		for a := range t.Schema().Attributes {
			record = append(record, t.Column(a).At(row))
		}
		all = append(all, record)
	}
	return all
}

// TestPairsOnTables: the rarest record is the first to go, and nothing else changes.
func TestPairsOnTables(t *testing.T) {
	common, rare := []uint32{1, 1, 1, 0}, []uint32{9, 3, 2, 1}
	rows := [][]uint32{common, common, rare, common, {1, 1, 1, 1}}
	data := Data{Table: table(small(), rows)}
	for _, c := range []struct {
		g    algorithms.Guarantee
		want [][]uint32
	}{
		{algorithms.RecordPrivacy(algorithms.Strict, ""), slices.Delete(slices.Clone(rows), 2, 3)},
		{algorithms.Guarantee{Unit: "record", Relation: algorithms.ReplaceRecord},
			[][]uint32{common, common, common, common, {1, 1, 1, 1}}},
	} {
		pairs, err := PairsOn(c.g, "data", data)
		if err != nil || len(pairs) < 2 {
			t.Fatalf("%s: %d pairs, error %v", c.g.Relation, len(pairs), err)
		}
		got := records(pairs[0].B.Table)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]uint32]) ||
			pairs[0].A.Table != data.Table {
			t.Errorf("%s: the neighbour is %v, want %v", c.g.Relation, got, c.want)
		}
	}
	if _, err := PairsOn(algorithms.NodePrivacy(algorithms.Strict, ""), "data", data); err == nil {
		t.Error("a table has neighbours by nodes")
	}
}

// TestPairsOnGraphs: the hub is the first to lose its edges: all of them, or as many as may differ.
func TestPairsOnGraphs(t *testing.T) {
	data := Data{Graph: graph(5, [][2]int32{{0, 1}, {0, 2}, {0, 3}, {1, 2}})}
	edge := algorithms.Guarantee{Unit: "edge", Edges: 2}
	for _, c := range []struct {
		g    algorithms.Guarantee
		want []int // degrees
	}{
		{algorithms.NodePrivacy(algorithms.Strict, ""), []int{0, 1, 1, 0, 0}},
		{edge, []int{1, 1, 1, 1, 0}},
	} {
		pairs := must(PairsOn(c.g, "data", data))
		var got []int
		for v := range int32(5) {
			got = append(got, pairs[0].B.Graph.Degree(v))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: degrees %v, want %v", c.g.Unit, got, c.want)
		}
	}
	capped := algorithms.NodePrivacy(algorithms.Strict, "")
	capped.MaxDegree = 2
	if _, err := PairsOn(capped, "data", data); err == nil {
		t.Error("a graph above the cap has neighbours")
	}
}

// must returns v, and panics on an error: for the steps that a test takes for granted.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
