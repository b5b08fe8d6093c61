package datasets

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"math"
)

// Checksum is the SHA-256 of the table's schema and content in hexadecimal: equal tables have equal
// checksums on every machine, whatever integer widths their columns use.
func (t *Table) Checksum() string {
	h := sha256.New()
	const chunk = 4096
	buffer := make([]byte, 0, 8*chunk)
	flush := func() {
		h.Write(buffer)
		buffer = buffer[:0]
	}
	fmt.Fprintf(h, "ppdp table 1\nrows %d\n", t.rows)
	if c := t.schema.Contributions; c > 0 {
		fmt.Fprintf(h, "contributions %d of persons %v\n", c, t.persons)
	}
	for i := range t.columns {
		a := &t.schema.Attributes[i]
		a.describe(h)
		if a.Hierarchy != nil {
			for _, level := range a.Hierarchy.Levels {
				fmt.Fprintf(h, "level %v\n", level.Group)
			}
		}
		column := &t.columns[i]
		for row := range t.rows {
			if len(buffer) == cap(buffer) {
				flush()
			}
			if column.Exact != nil {
				buffer = binary.LittleEndian.AppendUint64(buffer,
					math.Float64bits(column.Exact[row]))
			} else {
				buffer = binary.LittleEndian.AppendUint64(buffer, uint64(column.At(int32(row))))
			}
		}
		flush()
	}
	return hex.EncodeToString(h.Sum(nil))
}

// describe writes all of an attribute but its hierarchy.
func (a *Attribute) describe(w io.Writer) {
	fmt.Fprintf(w, "attribute %q kind %d role %s bounds %v %v step %v continuous %t values "+
		"%q ordered %t\n",
		a.Name, a.Kind, a.Role, a.Low, a.High, a.Step, a.Continuous, a.Values, a.Ordered)
	if a.Clock != "" {
		fmt.Fprintf(w, "clock %q\n", a.Clock)
	}
	if a.Digits != nil {
		fmt.Fprintf(w, "digits %d\n", *a.Digits)
	}
	if a.Log || a.Bins != nil {
		fmt.Fprintf(w, "log %t bins %v\n", a.Log, a.Bins)
	}
	if a.Missing != nil {
		fmt.Fprintf(w, "missing %q\n", *a.Missing)
	}
	if a.Taxonomy != nil {
		for _, node := range a.Taxonomy.Nodes {
			fmt.Fprintf(w, "node %q parent %d\n", node.Name, node.Parent)
		}
	}
}

// Sum is a quick sum of the table's schema and content: a change of any one value, or of two
// values' order, changes it. It is meant for noticing changes within a process; Checksum
// identifies tables.
func (t *Table) Sum() Sum {
	var s Sum
	addAll(&s, t.persons)
	for i := range t.columns {
		s.addAttribute(&t.schema.Attributes[i])
		c := &t.columns[i]
		rest := c.U8
		for ; len(rest) >= 8; rest = rest[8:] {
			s.add(binary.LittleEndian.Uint64(rest))
		}
		addAll(&s, rest)
		addAll(&s, c.U16)
		addAll(&s, c.U32)
		for _, x := range c.Exact {
			s.add(math.Float64bits(x))
		}
	}
	return s
}

// Sum is a quick sum of the graph's edges, as Table.Sum is of a table.
func (g *Graph) Sum() Sum {
	var s Sum
	addAll(&s, g.Offsets)
	addAll(&s, g.Neighbours)
	return s
}

// Sum is Fletcher's: the sum of the words, and the sum of its values on the way, which depends on
// the words' order.
type Sum struct{ words, sums uint64 }

func (s *Sum) add(word uint64) {
	s.words += word ^ word>>32 // else words that differ in high bits alone may trade places
	s.sums += s.words
}

func (s *Sum) addAttribute(a *Attribute) {
	var text bytes.Buffer
	if a.describe(&text); a.Taxonomy != nil {
		fmt.Fprint(&text, a.Taxonomy.Nodes) // with the children
	}
	addAll(s, text.Bytes())
	if a.Hierarchy != nil {
		for i := range a.Hierarchy.Levels {
			level := &a.Hierarchy.Levels[i]
			addAll(s, level.Group)
			addAll(s, level.Low)
			addAll(s, level.High)
			addAll(s, level.Node)
		}
	}
}

func addAll[T ~uint8 | ~uint16 | ~uint32 | ~int32 | ~int64](s *Sum, values []T) {
	for _, v := range values {
		s.add(uint64(v))
	}
}
