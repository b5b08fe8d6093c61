package diffgen

import (
	"math"

	"ppdp/algorithms/kernel/partition"
	"ppdp/numeric/radix"
	"ppdp/privacy"
)

// table is a sparse contingency table: cells of a grid in ascending order with their class counts.
type table struct {
	classes int
	cells   []uint64
	counts  []float64 // cells·classes
}

// count returns the cells that hold records, with their exact counts.
func (g *grid) count(c *cut, rows []int32) *table {
	classes := uint64(c.space.Classes())
	keys := make([]uint64, len(rows))
	codes := make([]uint32, len(rows))
	for d, members := range g.members {
		if len(members) == 1 {
			continue
		}
		c.space.Codes(rows, d, codes)
		m := &c.marginals[d]
		if m.axis == nil {
			g.addIntervals(keys, codes, d)
			continue
		}
		of := make([]uint64, m.cells) // what each code adds to a cell's number
		for i, member := range members {
			for _, code := range m.axis.Code[member.low:member.high] {
				of[code] = uint64(i) * g.strides[d]
			}
		}
		for i, code := range codes {
			keys[i] += of[code]
		}
	}
	for i, label := range c.labels {
		keys[i] = keys[i]*classes + uint64(label)
	}
	radix.Sort(keys, nil)
	t := &table{classes: int(classes)}
	for _, key := range keys {
		cell := key / classes
		if n := len(t.cells); n == 0 || t.cells[n-1] != cell {
			t.append(cell)
		}
		t.counts[len(t.counts)-t.classes+int(key%classes)]++
	}
	return t
}

// addIntervals adds a numeric dimension's part to the cells' numbers. The members of a cut are few,
// so that comparing them one after the other beats searching.
func (g *grid) addIntervals(keys []uint64, codes []uint32, d int) {
	for _, member := range g.members[d][1:] {
		for i, code := range codes {
			if code >= member.low {
				keys[i] += g.strides[d]
			}
		}
	}
}

// append adds a cell of no counts behind all others.
func (t *table) append(cell uint64) {
	t.cells = append(t.cells, cell)
	for range t.classes {
		t.counts = append(t.counts, 0)
	}
}

// ahead is how many cells there is room for before the number of those that will be seen is
// estimated.
const ahead = 1 << 12

// reserve makes room for a number of cells, but for no more than most. Without it the 1,070,000
// regions of a release of Adult (h = 20) take 197 MB of allocations in place of 129.
func (t *table) reserve(cells, most uint64) {
	cells = min(max(cells, uint64(len(t.cells))+ahead), most)
	t.cells = append(make([]uint64, 0, cells), t.cells...)
	t.counts = append(make([]float64, 0, cells*uint64(t.classes)), t.counts...)
}

// noised returns the cells of the grid with a count above 0 after noise, for the rest of the path's
// budget.
func (t *table) noised(poll *partition.Poll, g *grid, path privacy.Path, noise *privacy.Noise,
	most int) (*table, error) {
	noisy, err := noise.Sparse(&path, path.Remaining(), privacy.SparseTable{Cells: g.cells,
		Width: t.classes, Occupied: t.cells, Counts: t.counts})
	if err != nil {
		return nil, err
	}
	out := &table{classes: t.classes}
	limit := min(g.cells, uint64(most))
	out.reserve(uint64(len(t.cells)), limit)
	counts := make([]float64, t.classes)
	for {
		cell, ok := noisy.Next(counts)
		if !ok {
			return out, nil
		}
		if err := poll.After(1); err != nil {
			return nil, err
		}
		n := len(out.cells)
		if n >= most {
			return nil, tooMany(most)
		}
		if n == cap(out.cells) {
			// As many will be seen among the places to come as among those passed, which showed
			// ahead at least: a sixteenth more is four standard deviations.
			likely := math.Min(float64(n)/noisy.Passed()*17/16, float64(limit))
			out.reserve(uint64(len(t.cells))+uint64(likely), limit)
		}
		out.append(cell)
		copy(out.counts[len(out.counts)-t.classes:], counts)
	}
}
