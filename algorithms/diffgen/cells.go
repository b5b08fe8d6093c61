package diffgen

import (
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
	t.counts = append(t.counts, make([]float64, t.classes)...)
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
	counts := make([]float64, t.classes)
	for {
		cell, ok := noisy.Next(counts)
		if !ok {
			return out, nil
		}
		if err := poll.After(1); err != nil {
			return nil, err
		}
		if len(out.cells) >= most {
			return nil, tooMany(most)
		}
		out.append(cell)
		copy(out.counts[len(out.counts)-t.classes:], counts)
	}
}
