package audit

import (
	"slices"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
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

// TestPairsOnTables: the rarest record is the first to go, with all others of its person, or to be
// replaced; nothing else changes.
func TestPairsOnTables(t *testing.T) {
	common, rare, other := []uint32{1, 1, 1, 0}, []uint32{9, 3, 2, 1}, []uint32{1, 1, 1, 1}
	rows := [][]uint32{common, common, rare, common, other}
	schema := small()
	schema.Contributions = 2
	singles := table(small(), rows)
	persons := datasets.OfPersons(table(schema, rows), []int32{0, 1, 0, 1, 2},
		[]string{"a", "b", "c"})
	added := algorithms.RecordPrivacy(algorithms.Strict, "")
	replaced := added
	replaced.Relation = algorithms.ReplaceRecord
	for _, c := range []struct {
		g    algorithms.Guarantee
		of   *datasets.Table
		want [][]uint32
	}{
		{added, singles, [][]uint32{common, common, common, other}},
		{replaced, singles, [][]uint32{common, common, common, common, other}},
		{added.OfPersons(2), persons, [][]uint32{common, common, other}},
		{replaced.OfPersons(2), persons, [][]uint32{common, common, common, common, other}},
	} {
		pairs, err := PairsOn(c.g, "data", Data{Table: c.of})
		if err != nil || len(pairs) < 2 {
			t.Fatalf("%s: %d pairs, error %v", c.g.Relation, len(pairs), err)
		}
		got := records(pairs[0].B.Table)
		if !slices.EqualFunc(got, c.want, slices.Equal[[]uint32]) || pairs[0].A.Table != c.of {
			t.Errorf("%s: the neighbour is %v, want %v", c.g.Relation, got, c.want)
		}
	}
	if _, err := PairsOn(algorithms.NodePrivacy(algorithms.Strict, ""), "data",
		Data{Table: singles}); err == nil {
		t.Error("a table has neighbours by nodes")
	}
}

// TestPairsOnGraphs: the hub is the first to lose its edges: all of them, or one.
func TestPairsOnGraphs(t *testing.T) {
	data := Data{Graph: graph(5, [][2]int32{{0, 1}, {0, 2}, {0, 3}, {1, 2}})}
	edge := algorithms.Guarantee{Unit: "edge"}
	for _, c := range []struct {
		g    algorithms.Guarantee
		want []int // degrees
	}{
		{algorithms.NodePrivacy(algorithms.Strict, ""), []int{0, 1, 1, 0, 0}},
		{edge, []int{2, 1, 2, 1, 0}},
	} {
		pairs := must.Get(PairsOn(c.g, "data", data))
		var got []int
		for v := range int32(5) {
			got = append(got, pairs[0].B.Graph.Degree(v))
		}
		must.Equal(t, got, c.want, c.g.Unit)
	}
	capped := algorithms.NodePrivacy(algorithms.Strict, "")
	capped.MaxDegree = 2
	must.Fail(t, must.Err(PairsOn(capped, "data", data)), "",
		"a graph above the cap has neighbours")
}
