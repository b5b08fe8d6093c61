package fit

import (
	"bytes"
	"flag"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

var update = flag.Bool("update", false, "write the stand-in's count tables anew")

func realData(t *testing.T) datasets.Files {
	t.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		t.Skip("PPDP_DATA is not set: the real Adult is needed to fit the stand-in")
	}
	return datasets.Files{Dirs: []string{dir}}
}

func TestCommittedFileIsWhatTheDataGive(t *testing.T) {
	var made bytes.Buffer
	must.Do(t, fit(&made, realData(t)))
	path := filepath.Join("..", "standin.csv")
	if *update {
		must.Do(t, os.WriteFile(path, made.Bytes(), 0o644))
	}
	committed := must.Get(os.ReadFile(path))
	if !bytes.Equal(made.Bytes(), committed) {
		t.Error("datasets/adult/standin.csv is not what the data give; run go generate " +
			"./datasets/adult")
	}
	if len(committed) > 200_000 {
		t.Errorf("standin.csv has %d bytes, must stay below 200,000", len(committed))
	}
}

// binary makes an attribute of two levels.
func binary(name string, rows ...uint16) *attribute {
	return &attribute{name: name, levels: []string{"0", "1"}, rows: rows}
}

func TestInformation(t *testing.T) {
	class := binary("class", 0, 0, 0, 0, 1, 1, 1, 1)
	a := binary("a", 0, 0, 1, 1, 0, 0, 1, 1)
	copied := binary("copied", 0, 0, 1, 1, 1, 1, 0, 0) // a function of a within each class
	apart := binary("apart", 0, 1, 0, 1, 0, 1, 0, 1)
	const bias = 2 * 1.0 / (2 * 8) // (2−1)(2−1)/2N for each of two classes
	// A fair bit known exactly is ln 2 nats; independent bits share nothing.
	if got, want := information(class, a, copied), math.Ln2-bias; math.Abs(got-want) > 1e-12 {
		t.Errorf("copied: %v nats, want %v", got, want)
	}
	if got, want := information(class, a, apart), -bias; math.Abs(got-want) > 1e-12 {
		t.Errorf("apart: %v nats, want %v", got, want)
	}
}

func names(attributes []*attribute) string {
	var list []string
	for _, a := range attributes {
		list = append(list, a.name)
	}
	return strings.Join(list, " ")
}

// often repeats rows, so that the correction of the bias is too small to matter.
func often(rows ...uint16) []uint16 { return slices.Repeat(rows, 32) }

func TestGrowFindsAChain(t *testing.T) {
	// a - c - b: each neighbour differs in one row of eight, the ends in two.
	class := &attribute{levels: []string{"0"}, rows: make([]uint16, 8*32)}
	a := binary("a", often(0, 0, 0, 0, 1, 1, 1, 1)...)
	b := binary("b", often(1, 0, 0, 0, 1, 1, 1, 0)...)
	c := binary("c", often(1, 0, 0, 0, 1, 1, 1, 1)...)
	order := grow([]*attribute{a, b, c}, class)
	if names(order[1:2]) != "c" && names(order[:1]) != "c" {
		t.Errorf("order %s, want c among the first two", names(order))
	}
	if last := order[2]; !slices.Contains(last.parents, c) {
		t.Errorf("the last one, %s, has parents %s, want c among them",
			last.name, names(last.parents))
	}
}

// An exclusive or shows in both of its arguments together only: a tree of single parents cannot
// show it.
func TestGrowFindsATriangle(t *testing.T) {
	class := &attribute{levels: []string{"0"}, rows: make([]uint16, 8*32)}
	a := binary("a", often(0, 0, 0, 0, 1, 1, 1, 1)...)
	b := binary("b", often(0, 0, 0, 1, 0, 1, 1, 1)...) // close to a
	xor := binary("xor", often(0, 0, 0, 1, 1, 0, 0, 0)...)
	order := grow([]*attribute{xor, a, b}, class)
	last := order[2]
	if len(last.parents) != 2 || names(last.parents) != order[1].name+" "+order[0].name {
		t.Errorf("order %s, the last one's parents %s, want both before it",
			names(order), names(last.parents))
	}
}

func TestBinsTileTheirDomains(t *testing.T) {
	for name, edges := range bins {
		if edges[0] != 0 {
			t.Errorf("%s begins at %d", name, edges[0])
		}
		for i := 1; i < len(edges); i++ {
			if edges[i] <= edges[i-1] {
				t.Errorf("%s: %d after %d", name, edges[i], edges[i-1])
			}
		}
	}
}
