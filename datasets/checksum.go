package datasets

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
)

// Checksum is the SHA-256 of the table's schema and content in hexadecimal: equal tables have equal
// checksums on every machine, whatever integer widths their columns use.
func (t *Table) Checksum() string {
	sum := sha256.New()
	h := bufio.NewWriterSize(sum, 1<<15)
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
			value := uint64(column.At(int32(row)))
			if column.Exact != nil {
				value = math.Float64bits(column.Exact[row])
			}
			h.Write(binary.LittleEndian.AppendUint64(h.AvailableBuffer(), value))
		}
	}
	h.Flush() // a hash never fails to be written
	return hex.EncodeToString(sum.Sum(nil))
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

// Sum is a quick sum that tells changes within a process: it covers all of a table or a graph.
// Checksum identifies tables.
type Sum uint64

var sumSeed = maphash.MakeSeed()

// Sum is the table's.
func (t *Table) Sum() Sum {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	schema, err := json.Marshal(t.schema.Attributes)
	if err != nil {
		panic(err) // bounds and steps are finite
	}
	h.Write(schema)
	sumAll(&h, t.persons)
	for i := range t.columns {
		c := &t.columns[i]
		sumAll(&h, c.U8)
		sumAll(&h, c.U16)
		sumAll(&h, c.U32)
		sumAll(&h, c.Exact)
	}
	return Sum(h.Sum64())
}

// Sum is the graph's.
func (g *Graph) Sum() Sum {
	var h maphash.Hash
	h.SetSeed(sumSeed)
	sumAll(&h, g.Offsets)
	sumAll(&h, g.Neighbours)
	return Sum(h.Sum64())
}

// sumAll adds numbers, a part at a time: each is copied.
func sumAll[T any](h *maphash.Hash, values []T) {
	for part := range slices.Chunk(values, 1<<12) {
		if err := binary.Write(h, binary.LittleEndian, part); err != nil {
			panic(err) // numbers can be written, and a hash takes everything
		}
	}
}
