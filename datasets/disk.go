package datasets

import (
	"fmt"
	"unsafe"
)

// Disk keeps columns in files that are mapped into memory, in place of the heap: the operating
// system writes there what does not fit in memory, and reads it again. That is fast for who goes
// through a column in the order of its rows, and very slow in a random order. The files have no
// name, and are gone when the process ends. nil is the heap. One goroutine at a time makes columns.
type Disk struct {
	folder string
	from   int64 // the least bytes of a table that is kept here
	files  map[unsafe.Pointer]*mapped
}

// full is the panic of a disk without room: who makes columns need not ask where they are.
type full struct{ error }

// Recover, when deferred, makes an error of the panic of a full disk.
func (*Disk) Recover(err *error) {
	switch caught := recover().(type) {
	case nil:
	case full:
		*err = caught
	default:
		panic(caught)
	}
}

// Close frees all columns: no table that has some may be used again.
func (d *Disk) Close() {
	if d != nil {
		for _, file := range d.files { // order-free: each is freed
			file.close()
		}
	}
}

// Builder returns a builder with room for capacity rows; it grows when needed. Its table is kept
// here if it is large, on the heap if not.
func (d *Disk) Builder(schema *Schema, capacity int) *Builder {
	b := &Builder{table: Table{schema: schema, columns: make([]Column, len(schema.Attributes))},
		disk: d}
	b.grow(capacity)
	return b
}

// Column returns a column of n rows able to hold codes below cells.
func (d *Disk) Column(cells, n int) (c Column) {
	c.grow(d, cells, n)
	return c
}

// Keep moves a column of such a domain here from the heap.
func (d *Disk) Keep(c *Column, cells, n int) {
	if d != nil {
		c.grow(d, cells, n)
	}
}

// grow makes a column of such a domain n rows long.
func (c *Column) grow(d *Disk, cells, n int) {
	switch {
	case cells <= 1<<8:
		c.U8 = grown(d, c.U8, n)
	case cells <= 1<<16:
		c.U16 = grown(d, c.U16, n)
	default:
		c.U32 = grown(d, c.U32, n)
	}
}

// grown returns n values that begin with the old ones, which must not be used again.
func grown[T uint8 | uint16 | uint32 | int32 | float64](d *Disk, old []T, n int) []T {
	if d == nil || n == 0 {
		values := make([]T, n)
		copy(values, old)
		return values
	}
	at, bytes := unsafe.Pointer(unsafe.SliceData(old)), int64(n)*int64(unsafe.Sizeof(old[0]))
	file, own := d.files[at]
	if !own {
		file = new(mapped)
	}
	if err := file.grow(d.folder, bytes); err != nil {
		panic(full{fmt.Errorf("no room for a column of %.3g GB in %s: %w", float64(bytes)/1e9,
			d.folder, err)})
	}
	delete(d.files, at)
	at = unsafe.Pointer(unsafe.SliceData(file.bytes))
	d.files[at] = file
	values := unsafe.Slice((*T)(at), n)
	if !own {
		copy(values, old)
	}
	return values
}
