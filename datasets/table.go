package datasets

import (
	"fmt"
	"math"
	"slices"
	"sync"
)

// Column holds one attribute's codes in the smallest unsigned integer type that fits its domain:
// exactly one of U8, U16 and U32 is used (all are nil in a table of no rows). Kernels switch on it
// once and loop over the plain slice.
type Column struct {
	U8  []uint8
	U16 []uint16
	U32 []uint32
	// Exact holds a continuous attribute's values before they were put into cells, nil otherwise.
	// Only evaluation and algorithms without privacy may read it.
	Exact []float64
}

// At returns the code of a row. It switches on the width at every call: not for hot loops.
func (c *Column) At(row int32) uint32 {
	switch {
	case c.U8 != nil:
		return uint32(c.U8[row])
	case c.U16 != nil:
		return uint32(c.U16[row])
	default:
		return c.U32[row]
	}
}

// Gather writes the codes of rows to a slice that is as long.
func (c *Column) Gather(rows []int32, to []uint32) {
	gather(to, c.U8, rows)
	gather(to, c.U16, rows)
	gather(to, c.U32, rows)
}

// set stores a code that the caller has checked to be inside the domain.
func (c *Column) set(row int, code uint32) {
	switch {
	case c.U8 != nil:
		c.U8[row] = uint8(code)
	case c.U16 != nil:
		c.U16[row] = uint16(code)
	default:
		c.U32[row] = code
	}
}

// Append adds a code to a column whose domain is not known, and widens the column where need be.
func (c *Column) Append(code uint32) {
	switch {
	case c.U32 != nil:
		c.U32 = append(c.U32, code)
	case c.U16 != nil && code < 1<<16:
		c.U16 = append(c.U16, uint16(code))
	case c.U16 != nil:
		c.U32, c.U16 = append(widened[uint32](c.U16), code), nil
	case code < 1<<8:
		c.U8 = append(c.U8, uint8(code))
	default:
		c.U16, c.U8 = widened[uint16](c.U8), nil
		c.Append(code)
	}
}

func widened[W, N uint8 | uint16 | uint32](codes []N) []W {
	wide := make([]W, len(codes), len(codes)+len(codes)/4+1)
	widen(wide, codes, 0)
	return wide
}

// Put stores codes in the rows from one on: those given or, unless it is nil, what translate has
// for them.
func (c *Column) Put(from int, codes, translate []uint32) {
	narrow(c.U8, from, codes, translate)
	narrow(c.U16, from, codes, translate)
	narrow(c.U32, from, codes, translate)
}

// The functions of all three widths do nothing with those that a column does not have.

func narrow[T uint8 | uint16 | uint32](to []T, from int, codes, translate []uint32) {
	if to == nil {
		return
	}
	to = to[from:][:len(codes)]
	for row, code := range codes {
		if translate != nil {
			code = translate[code]
		}
		to[row] = T(code)
	}
}

// PutAt stores a code in some rows.
func (c *Column) PutAt(rows []int32, code uint32) {
	scatter(c.U8, rows, uint8(code))
	scatter(c.U16, rows, uint16(code))
	scatter(c.U32, rows, code)
}

func scatter[T any](to []T, rows []int32, value T) {
	if to == nil {
		return
	}
	for _, row := range rows {
		to[row] = value
	}
}

// Cross makes cells of some attributes, of the rows from one on, those of the column's too, which
// has size values.
func (c *Column) Cross(from int, cells []uint32, size uint32) {
	cross(cells, c.U8, from, size)
	cross(cells, c.U16, from, size)
	cross(cells, c.U32, from, size)
}

func cross[T uint8 | uint16 | uint32](cells []uint32, codes []T, from int, size uint32) {
	if codes == nil {
		return
	}
	for row, code := range codes[from:][:len(cells)] {
		cells[row] = cells[row]*size + uint32(code)
	}
}

// Widen writes the codes of the rows from one on into to.
func (c *Column) Widen(from int, to []uint32) {
	widen(to, c.U8, from)
	widen(to, c.U16, from)
	widen(to, c.U32, from)
}

func widen[W, N uint8 | uint16 | uint32](to []W, codes []N, from int) {
	if codes == nil {
		return
	}
	for i, code := range codes[from:][:len(to)] {
		to[i] = W(code)
	}
}

func cut[T any](values []T, n int) []T {
	return values[:min(n, len(values))] // nil has no rows
}

// Table is a columnar, coded table. It is immutable once built and safe for concurrent readers.
// Rows are addressed by int32 index; subsets are index slices.
type Table struct {
	schema  *Schema
	rows    int
	columns []Column
	persons []int32 // of the rows; nil where OfPersons did not make the table
	disk    *Disk   // that the columns are on
}

// Disk is where the columns are: nil on the heap.
func (t *Table) Disk() *Disk { return t.disk }

// Len is the number of rows.
func (t *Table) Len() int { return t.rows }

// Bytes is how many bytes the columns take.
func (t *Table) Bytes() (n int64) {
	for i := range t.columns {
		c := &t.columns[i]
		n += int64(len(c.U8) + 2*len(c.U16) + 4*len(c.U32) + 8*len(c.Exact))
	}
	return n
}

// Schema describes the columns.
func (t *Table) Schema() *Schema { return t.schema }

// Column returns the codes of attribute i.
func (t *Table) Column(i int) *Column { return &t.columns[i] }

// Number returns the value of a numeric cell: the exact one where the table keeps it, NaN where it
// is missing.
func (t *Table) Number(row int32, attribute int) float64 {
	column := &t.columns[attribute]
	if column.Exact != nil {
		return column.Exact[row]
	}
	return t.schema.Attributes[attribute].Number(column.At(row))
}

// Validate reports the first code outside its attribute's domain, and the first exact value that is
// in another cell than its code says. A Builder does not check either.
func (t *Table) Validate() error {
	for i := range t.columns {
		a, c := &t.schema.Attributes[i], &t.columns[i]
		cells := a.Cells()
		row := max(outside(c.U8, cells), outside(c.U16, cells), outside(c.U32, cells))
		if row >= 0 {
			return fmt.Errorf("%s: row %d has code %d of %d", a.Name, row, c.At(int32(row)), cells)
		}
		if t.rows > 0 && a.Continuous != (c.Exact != nil) {
			return fmt.Errorf("%s: exact values %t, must be %t", a.Name, !a.Continuous,
				a.Continuous)
		}
		for row, exact := range c.Exact {
			code := c.At(int32(row))
			if math.IsNaN(exact) && code == a.MissingCode() {
				continue
			}
			if cell, err := a.NumberCode(exact); err != nil || cell != code {
				return fmt.Errorf("%s: row %d has %v in cell %d", a.Name, row, exact, code)
			}
		}
	}
	return nil
}

// outside is the first row whose code is not below the limit, -1 if all are.
func outside[T uint8 | uint16 | uint32](codes []T, limit int) int {
	return slices.IndexFunc(codes, func(code T) bool { return int(code) >= limit })
}

// InOrder lists the numbers from 0 to n-1.
func InOrder(n int) []int32 { return (&Table{rows: n}).AllRows() }

// cellsPerCode is how many cells a domain may have for each code of a list so that walking them all
// costs less than sorting the list.
const cellsPerCode = 8

// Ranks replaces codes by their places among those that occur, which it returns in ascending order.
func Ranks(codes []uint32) (occurring []uint32) {
	if len(codes) == 0 {
		return nil
	}
	cells := int(slices.Max(codes)) + 1
	if cells > cellsPerCode*len(codes) {
		occurring = slices.Compact(slices.Sorted(slices.Values(codes)))
		for i, code := range codes {
			rank, _ := slices.BinarySearch(occurring, code)
			codes[i] = uint32(rank)
		}
		return occurring
	}
	rank := make([]uint32, cells) // 1 where a code occurs, then its rank
	for _, code := range codes {
		rank[code] = 1
	}
	for code, occurs := range rank {
		if occurs == 1 {
			rank[code] = uint32(len(occurring))
			occurring = append(occurring, uint32(code))
		}
	}
	for i, code := range codes {
		codes[i] = rank[code]
	}
	return occurring
}

// AllRows lists every row of the table in order.
func (t *Table) AllRows() []int32 {
	rows := grown[int32](t.disk, nil, t.rows)
	for i := range rows {
		rows[i] = int32(i)
	}
	return rows
}

// Project returns the table of the named attributes, sharing the columns.
func (t *Table) Project(names ...string) (*Table, error) {
	schema, err := t.schema.Project(names...)
	if err != nil {
		return nil, err
	}
	projected := &Table{schema: schema, rows: t.rows, persons: t.persons,
		columns: make([]Column, len(names))}
	for i, name := range names {
		projected.columns[i] = t.columns[t.schema.Index(name)]
	}
	return projected, nil
}

// WithSchema returns the same columns under another schema of the same domains: roles or names
// changed.
func (t *Table) WithSchema(schema *Schema) (*Table, error) {
	if len(schema.Attributes) != len(t.columns) {
		return nil, fmt.Errorf("a schema of %d attributes for a table of %d columns",
			len(schema.Attributes), len(t.columns))
	}
	for i := range schema.Attributes {
		if got, want := schema.Attributes[i].Cells(), t.schema.Attributes[i].Cells(); got != want {
			return nil, fmt.Errorf("%s: a domain of %d cells for a column of %d",
				schema.Attributes[i].Name, got, want)
		}
	}
	return &Table{schema: schema, rows: t.rows, columns: t.columns, persons: t.persons}, nil
}

// With returns the table with one attribute more, the last, which is not continuous and has the
// given codes. The other columns are shared.
func (t *Table) With(a Attribute, codes []uint32) *Table {
	schema := *t.schema
	schema.Attributes = append(slices.Clone(t.schema.Attributes), a)
	column := t.disk.Column(a.Cells(), t.rows)
	column.Put(0, codes, nil)
	return &Table{schema: &schema, rows: t.rows, persons: t.persons,
		columns: append(slices.Clone(t.columns), column)}
}

// Select returns a new table holding copies of the given rows, in that order.
func (t *Table) Select(rows []int32) *Table {
	b := t.disk.Builder(t.schema, len(rows))
	var running sync.WaitGroup
	for i := range t.columns {
		if len(rows) < manyRows || t.disk != nil { // memory may hold but one column
			t.columns[i].copyTo(&b.table.columns[i], rows)
		} else {
			running.Go(func() { t.columns[i].copyTo(&b.table.columns[i], rows) })
		}
	}
	running.Wait()
	b.table.rows = len(rows)
	if t.schema.Contributions > 1 || t.persons != nil {
		b.table.persons = make([]int32, len(rows))
		for i, row := range rows {
			b.table.persons[i] = t.Person(row)
		}
	}
	return b.Table()
}

// manyRows is how many rows make it worth while to copy columns at the same time.
const manyRows = 1 << 18

func (c *Column) copyTo(to *Column, rows []int32) {
	gather(to.U8, c.U8, rows)
	gather(to.U16, c.U16, rows)
	gather(to.U32, c.U32, rows)
	gather(to.Exact, c.Exact, rows)
}

// gather copies rows of a column, which is nil where the column has another width.
func gather[W, N uint8 | uint16 | uint32 | float64](to []W, from []N, rows []int32) {
	if from == nil {
		return
	}
	to = to[:len(rows)]
	for i, row := range rows {
		to[i] = W(from[row])
	}
}

// Builder fills a table. Codes are trusted to lie inside the schema's domains: what reads foreign
// input checks them first (Attribute.TextCode, Attribute.NumberCode).
type Builder struct {
	table Table
	size  int
	disk  *Disk // for a large table
}

// Present are those of some rows whose value of an attribute is not missing.
func (t *Table) Present(rows []int32, attribute int) []int32 {
	missing := t.schema.Attributes[attribute].MissingCode()
	if missing == NoCode {
		return rows
	}
	return slices.DeleteFunc(slices.Clone(rows), func(row int32) bool {
		return t.columns[attribute].At(row) == missing
	})
}

// NewBuilder is Disk.Builder on the heap.
func NewBuilder(schema *Schema, capacity int) *Builder {
	return (*Disk)(nil).Builder(schema, capacity)
}

func (b *Builder) grow(size int) {
	to := &b.table
	if b.disk != nil && NewBuilder(to.schema, 1).table.Bytes()*int64(size) >= b.disk.from {
		to.disk = b.disk
	}
	for i := range to.columns {
		a, column := &to.schema.Attributes[i], &to.columns[i]
		column.grow(to.disk, a.Cells(), size)
		if a.Continuous {
			column.Exact = grown(to.disk, column.Exact, size)
		}
	}
	b.size = size
}

// roomFor is for how many rows a full builder grows: twice as many, and of large tables, whose
// memory counts, a quarter more.
func roomFor(size int) int {
	if size > 1<<20 {
		return size + size/4
	}
	return 2*size + 64
}

// Len is the number of rows so far.
func (b *Builder) Len() int { return b.table.rows }

// Append adds copies of all rows of a table of the same domains, all of other persons.
func (b *Builder) Append(t *Table) {
	before := b.table.rows
	rows := before + t.rows
	if rows > b.size {
		b.grow(max(rows, roomFor(b.size)))
	}
	for i := range b.table.columns {
		to, from := &b.table.columns[i], &t.columns[i]
		place(to.U8, from.U8, before)
		place(to.U16, from.U16, before)
		place(to.U32, from.U32, before)
		place(to.Exact, from.Exact, before)
	}
	others := int32(0) // persons so far, of which none is in t
	for _, person := range b.table.persons {
		others = max(others, person+1)
	}
	for _, person := range t.persons {
		b.table.persons = append(b.table.persons, others+person)
	}
	b.table.rows = rows
}

func place[T any](to, from []T, at int) {
	if from != nil {
		copy(to[at:], from)
	}
}

// AddRow starts a new row and returns its index. The codes are those of its first attributes; the
// others have code 0.
func (b *Builder) AddRow(codes ...uint32) int {
	row := b.table.rows
	if row == b.size {
		b.grow(roomFor(b.size))
	}
	b.table.rows++
	for attribute, code := range codes {
		b.Set(row, attribute, code)
	}
	return row
}

// Set stores a code. On a continuous attribute it also stores the middle of the cell as the exact
// value.
func (b *Builder) Set(row, attribute int, code uint32) {
	column := &b.table.columns[attribute]
	column.set(row, code)
	if column.Exact != nil {
		column.Exact[row] = b.table.schema.Attributes[attribute].Number(code)
	}
}

// SetNumber stores a numeric value: its cell, and the value itself on a continuous attribute.
func (b *Builder) SetNumber(row, attribute int, value float64) error {
	code, err := b.table.schema.Attributes[attribute].NumberCode(value)
	if err != nil {
		return err
	}
	column := &b.table.columns[attribute]
	column.set(row, code)
	if column.Exact != nil {
		column.Exact[row] = value
	}
	return nil
}

// Column is an attribute's column as it is so far, to be written to; AddRow makes another.
func (b *Builder) Column(attribute int) *Column { return &b.table.columns[attribute] }

// Table returns the finished table. The builder must not be used afterwards.
func (b *Builder) Table() *Table {
	n := b.table.rows
	for i, c := range b.table.columns {
		b.table.columns[i] = Column{cut(c.U8, n), cut(c.U16, n), cut(c.U32, n), cut(c.Exact, n)}
	}
	return &b.table
}
