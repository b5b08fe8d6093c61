package risk

import (
	"encoding/binary"
	"slices"

	"ppdp/internal/results"
)

// suppressedRow is the class of records that are left out.
const suppressedRow = ^uint32(0)

// grouping is the classes of a table: the combinations of texts of its quasi-identifiers, numbered
// in the order of their first record.
type grouping struct {
	of         []uint32 // each row's class, or suppressedRow
	sizes      []int    // records of each class
	first      []int    // and its first row
	suppressed int      // rows
}

// group finds the classes of a table. Rows that hold nothing but the text suppressed are in none,
// unless that text is empty.
func group(t *Table, suppressed string) *grouping {
	g := &grouping{of: make([]uint32, t.Rows)}
	index := make(map[string]uint32) // the class of the codes of a row, one after the other
	var key []byte
	for row := range g.of {
		key = key[:0]
		for i := range t.Quasi {
			key = binary.LittleEndian.AppendUint32(key, t.Quasi[i].Codes.At(int32(row)))
		}
		class, known := index[string(key)]
		if !known {
			class = suppressedRow
			if suppressed == "" || slices.ContainsFunc(t.texts(row),
				func(text string) bool { return text != suppressed }) {
				class = uint32(len(g.sizes))
				g.sizes, g.first = append(g.sizes, 0), append(g.first, row)
			}
			index[string(key)] = class
		}
		if g.of[row] = class; class == suppressedRow {
			g.suppressed++
		} else {
			g.sizes[class]++
		}
	}
	return g
}

// texts are those of a row's quasi-identifiers.
func (t *Table) texts(row int) []string {
	return results.Mapped(t.Quasi,
		func(c Column) string { return c.Texts[c.Codes.At(int32(row))] })
}

// rows lists the rows that are not suppressed, class by class.
func (g *grouping) rows() []int32 {
	next, at := make([]int, len(g.sizes)), 0
	for class, n := range g.sizes {
		next[class] = at
		at += n
	}
	rows := make([]int32, at)
	for row, class := range g.of {
		if class != suppressedRow {
			rows[next[class]] = int32(row)
			next[class]++
		}
	}
	return rows
}
