package adult

import (
	"context"
	"math"
	"slices"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

func TestStandInIsOneTable(t *testing.T) {
	first := must.Get(StandIn.Load(context.Background(),
		datasets.Request{Params: &Params{Select: "rps"}}))
	second := must.Get(StandIn.Load(context.Background(),
		datasets.Request{Key: random.NewKey(5)}))
	if first.Checksum != second.Checksum {
		t.Error("the stand-in depends on the request's key or on default parameters being " +
			"spelled out")
	}
	if StandIn.Info().StandsFor != "adult" || len(first.Notes) == 0 {
		t.Errorf("the stand-in does not say what it is: %+v", first)
	}
	if other := load(t, StandIn, "mondrian"); other.Checksum == first.Checksum {
		t.Error("different tables have equal checksums")
	}
}

// The class counts are those of the real halves: 22,654 and 7,508 of 30,162 (a share of 0.75108),
// and 34,014 of 45,222 (adult.names: 75.22 %).
func TestStandInClassBalance(t *testing.T) {
	if got := classCounts(load(t, StandIn, "rps").Table); got[0] != 22654 || got[1] != 7508 {
		t.Errorf("classes %v, want 22654 and 7508", got)
	}
	if got := classCounts(load(t, StandIn, "diffmulti").Table); got[0] != 34014 ||
		got[1] != 11208 {
		t.Errorf("classes %v, want 34014 and 11208", got)
	}
}

// Education-num is a function of education as in the real data, and the
// spikes at 0 are kept: 91.6 and 95.3 per cent of the 45,222 rows have no gain and no loss.
func TestStandInStructure(t *testing.T) {
	table := load(t, StandIn, "diffmulti").Table
	schema := table.Schema()
	education, years := schema.Index("education"), schema.Index("education-num")
	for row := range table.Len() {
		if table.Column(education).At(int32(row)) != table.Column(years).At(int32(row)) {
			t.Fatalf("row %d: education and education-num disagree", row)
		}
	}
	// Standard errors are below 0.0014; five of them are 0.007, passed by chance once in a million.
	for name, share := range map[string]float64{"capital-gain": 0.916, "capital-loss": 0.953} {
		zeros := 0
		for row := range table.Len() {
			if table.Column(schema.Index(name)).At(int32(row)) == 0 {
				zeros++
			}
		}
		if got := float64(zeros) / float64(table.Len()); math.Abs(got-share) > 0.007 {
			t.Errorf("%s is 0 in %.4f of the rows, want about %v", name, got, share)
		}
	}
}

// Per attribute and class, real and stand-in are samples of nearly one law: their total variation
// distance over bins must stay within what sampling alone gives. For n rows over c cells E[TV] is
// about sqrt(c/(2πn)) at most, its deviation 1/(2·sqrt(n)) at most; the bound is the
// mean plus five deviations t, passed with probability exp(−2nt²) = 4·10^-6 at most (McDiarmid's
// inequality), 28 comparisons: by chance once in 10^4 tables.
func TestStandInMarginals(t *testing.T) {
	truth, standIn := load(t, Source, "diffmulti").Table, load(t, StandIn, "diffmulti").Table
	network := must.Get(standInNetwork())
	rows := classCounts(truth)
	for _, nd := range network.Nodes {
		a := &truth.Schema().Attributes[nd.attribute]
		histogram := func(table *datasets.Table) [2][]float64 {
			of := nd.levels()
			counts := [2][]float64{make([]float64, len(nd.Levels)), make([]float64, len(nd.Levels))}
			for row := range table.Len() {
				y := table.Column(class).At(int32(row))
				counts[y][of[table.Column(nd.attribute).At(int32(row))]]++
			}
			return counts
		}
		want, got := histogram(truth), histogram(standIn)
		for y := range want {
			n := float64(rows[y])
			distance := 0.0
			for level := range want[y] {
				distance += math.Abs(want[y][level]-got[y][level]) / (2 * n)
			}
			bound := math.Sqrt(float64(len(nd.Levels))/(2*math.Pi*n)) + 5/(2*math.Sqrt(n))
			if distance > bound {
				t.Errorf("%s given %s: total variation %.4f, at most %.4f by chance",
					a.Name, truth.Schema().Attributes[class].Values[y], distance, bound)
			}
		}
	}
}

// levels are those of the codes.
func (nd *Node) levels() (of []int) {
	for level := range nd.Levels {
		of = append(of, slices.Repeat([]int{level}, int(nd.to[level]-nd.from[level]))...)
	}
	return of
}

// The counts of the network are those of the 45,222 complete rows.
func TestStandInCounts(t *testing.T) {
	truth := load(t, Source, "diffmulti").Table
	network := must.Get(standInNetwork())
	levels := make([][]int, len(network.Nodes)) // of each row
	for i, nd := range network.Nodes {
		of := nd.levels()
		counts := make(map[[2]uint32][]uint32) // by class and context
		for row := range int32(truth.Len()) {
			key := [2]uint32{truth.Column(class).At(row), 0}
			for _, parent := range nd.Parents {
				key[1] = key[1]*uint32(len(network.Nodes[parent].Levels)) +
					uint32(levels[parent][row])
			}
			level := of[truth.Column(nd.attribute).At(row)]
			levels[i] = append(levels[i], level)
			if counts[key] == nil {
				counts[key] = make([]uint32, len(nd.Levels))
			}
			counts[key][level]++
		}
		for y, contexts := range nd.Counts {
			for context, cumulative := range contexts {
				want := counts[[2]uint32{network.classes[y], uint32(context)}]
				for level := 1; level < len(want); level++ {
					want[level] += want[level-1]
				}
				if !slices.Equal(cumulative, want) {
					t.Errorf("%s: counts of class %d, context %d: %v, want %v", nd.Attribute, y,
						context, cumulative, want)
				}
			}
		}
	}
}
