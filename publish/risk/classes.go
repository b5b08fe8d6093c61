package risk

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// suppressedRow is the class of records that are left out.
const suppressedRow = ^uint32(0)

// grouping is the classes of a table: the combinations of texts of its quasi-identifiers, numbered
// in the order of their first record.
type grouping struct {
	of         []uint32          // each row's class, or suppressedRow
	sizes      []int             // records of each class
	first      []int             // and its first row
	suppressed int               // rows
	index      map[string]uint32 // the class of a key
}

// key is the codes of a row's quasi-identifiers, one after the other.
func key(to []byte, codes func(column int) uint32, columns int) []byte {
	to = to[:0]
	for i := range columns {
		to = binary.LittleEndian.AppendUint32(to, codes(i))
	}
	return to
}

// absent is the code of a text that a column does not have.
const absent = ^uint32(0)

// group finds the classes of a table. Rows that hold nothing but the text suppressed are in none,
// unless that text is empty.
func group(t *Table, suppressed string) *grouping {
	g := &grouping{of: make([]uint32, t.Rows), index: make(map[string]uint32)}
	blank := string(t.blank(suppressed))
	var text []byte
	for row := range g.of {
		text = key(text, func(i int) uint32 { return t.Quasi[i].Codes.At(int32(row)) },
			len(t.Quasi))
		if string(text) == blank {
			g.of[row] = suppressedRow
			g.suppressed++
			continue
		}
		class, known := g.index[string(text)]
		if !known {
			class = uint32(len(g.sizes))
			g.index[string(text)] = class
			g.sizes, g.first = append(g.sizes, 0), append(g.first, row)
		}
		g.of[row] = class
		g.sizes[class]++
	}
	return g
}

// blank is the key of suppressed rows, which no row has where the table lacks the text.
func (t *Table) blank(suppressed string) []byte {
	if suppressed == "" {
		return nil
	}
	return key(nil, func(i int) uint32 {
		if at := slices.Index(t.Quasi[i].Texts, suppressed); at >= 0 {
			return uint32(at)
		}
		return absent
	}, len(t.Quasi))
}

// values are the texts of a class.
func (g *grouping) values(t *Table, class int) []string {
	values := make([]string, len(t.Quasi))
	for i := range t.Quasi {
		values[i] = t.Quasi[i].Texts[t.Quasi[i].Codes.At(int32(g.first[class]))]
	}
	return values
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

// count is how many records of another table each class has there, and how many records that table
// has, suppressed ones left out. Texts are compared, since codes differ from table to table.
func (g *grouping) count(t, other *Table, suppressed string) (sizes []int, records int, err error) {
	if len(other.Quasi) != len(t.Quasi) {
		return nil, 0, fmt.Errorf("%d quasi-identifiers in the population, must be %d",
			len(other.Quasi), len(t.Quasi))
	}
	codes := make([][]uint32, len(t.Quasi)) // in t, of the other table's texts
	for i := range t.Quasi {
		index := make(map[string]uint32, len(t.Quasi[i].Texts))
		for code, text := range t.Quasi[i].Texts {
			index[text] = uint32(code)
		}
		for _, text := range other.Quasi[i].Texts {
			code, known := index[text]
			if !known {
				code = absent
			}
			codes[i] = append(codes[i], code)
		}
	}
	sizes = make([]int, len(g.sizes))
	blank := string(other.blank(suppressed))
	var own, text []byte
	for row := range other.Rows {
		own = key(own, func(i int) uint32 { return other.Quasi[i].Codes.At(int32(row)) },
			len(other.Quasi))
		if string(own) == blank {
			continue
		}
		records++
		text = key(text, func(i int) uint32 {
			return codes[i][other.Quasi[i].Codes.At(int32(row))]
		}, len(t.Quasi))
		if class, known := g.index[string(text)]; known {
			sizes[class]++
		}
	}
	return sizes, records, nil
}
