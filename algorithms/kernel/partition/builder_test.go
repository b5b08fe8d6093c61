package partition

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/internal/must"
)

// grow partitions at random and stores each leaf's exact class counts.
func grow(t *rapid.T, space *Space, b *Builder, rows []int32) {
	var open []int
	for dim := range space.Dims() {
		if b.Width(dim) > 1 {
			open = append(open, dim)
		}
	}
	if len(open) == 0 || b.Depth() == 6 || rapid.IntRange(0, 3).Draw(t, "stop") == 0 {
		_, counts, err := b.Leaf()
		if err != nil {
			t.Fatal(err)
		}
		exact := make([]int32, space.Classes())
		space.ClassCounts(rows, exact)
		for y, n := range exact {
			counts[y] = float64(n)
		}
		return
	}
	dim := rapid.SampledFrom(open).Draw(t, "dim")
	at := rapid.Uint32Range(b.Low[dim]+1, b.High[dim]-1).Draw(t, "at")
	n := space.Split(rows, dim, at)
	part := func(rows []int32) func() error {
		return func() error {
			grow(t, space, b, rows)
			return nil
		}
	}
	must.Do(t, b.Halve(dim, at, part(rows[:n]), part(rows[n:])))
}

func inside(regions *algorithms.Regions, region int, codes []uint32) bool {
	low, high := regions.Box(region)
	for d, code := range codes {
		if code < low[d] || code >= high[d] {
			return false
		}
	}
	return true
}

func TestRegionsTileTheDomainAndCountsAddUp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := drawTable(t)
		space := NewSpace(table, table.Schema().QuasiIdentifiers())
		b := NewBuilder(space, math.MaxInt)
		grow(t, space, b, table.AllRows())
		regions := b.Regions()

		structure := b.Structure()
		if structure.Leaves != regions.Len() || structure.Nodes != 2*regions.Len()-1 ||
			len(regions.Tree) != regions.Len()-1 {
			t.Fatalf("%+v for %d regions: a binary tree has one inner node less than leaves",
				structure, regions.Len())
		}
		volume, domain, total := 0.0, 1.0, 0.0
		for d := range space.Dims() {
			domain *= float64(space.Cells(d))
			if b.Low[d] != 0 || b.High[d] != space.Cells(d) {
				t.Fatalf("the builder came back to box %v %v", b.Low, b.High)
			}
		}
		for r := range regions.Len() {
			low, high := regions.Box(r)
			v := 1.0
			for d := range low {
				v *= float64(high[d] - low[d]) // an empty or inverted interval would spoil the sum
			}
			volume += v
			for _, n := range regions.Count(r) {
				total += n
			}
		}
		if volume != domain { // integers below 2⁵³ or sums of few roundings of equal relative size
			if math.Abs(volume-domain) > 1e-9*domain {
				t.Fatalf("boxes of volume %v in a domain of %v", volume, domain)
			}
		}
		if total != float64(table.Len()) {
			t.Fatalf("counts add up to %v, want %d", total, table.Len())
		}

		// Every point, of the data or not, lies in exactly the box that the tree finds; with the
		// volumes this makes the boxes a tiling.
		point := make([]uint32, space.Dims())
		check := func() {
			found := regions.Locate(point)
			for r := range regions.Len() {
				if inside(regions, r, point) != (r == found) {
					t.Fatalf("point %v: Locate says region %d, box %d disagrees", point, found, r)
				}
			}
		}
		recount := make([]float64, len(regions.Counts))
		for _, row := range table.AllRows() {
			for d, attribute := range space.Attributes() {
				point[d] = table.Column(attribute).At(row)
			}
			check()
			label := 0
			if class := table.Schema().Class(); class >= 0 {
				label = int(table.Column(class).At(row))
			}
			recount[regions.Locate(point)*regions.Classes+label]++
		}
		for i := range recount {
			if recount[i] != regions.Counts[i] {
				t.Fatalf("counts %v, want %v", regions.Counts, recount)
			}
		}
		for range 10 {
			for d := range point {
				point[d] = rapid.Uint32Range(0, space.Cells(d)-1).Draw(t, "point")
			}
			check()
		}
	})
}

func TestNodeCap(t *testing.T) {
	table := benchmarkTable()
	space := NewSpace(table, table.Schema().QuasiIdentifiers())
	b := NewBuilder(space, 3) // one cut and two leaves
	leaf := func() error {
		_, _, err := b.Leaf()
		return err
	}
	must.Do(t, b.Halve(0, 37, leaf, leaf))
	if _, _, err := b.Leaf(); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Fatalf("a fourth node gives %v, want ErrTooLarge", err)
	}
	if err := b.Halve(1, 3, leaf, leaf); !errors.Is(err, algorithms.ErrTooLarge) {
		t.Fatalf("a cut beyond the cap gives %v, want ErrTooLarge", err)
	}
}
