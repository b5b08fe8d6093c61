package datasets

import (
	"errors"
	"os"
	"slices"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// onDisk is a disk in a folder of the test, which is skipped where that is in memory.
func onDisk(t *testing.T, from int64) *Disk {
	t.Helper()
	d := NewDisk(t.TempDir(), from)
	if d == nil {
		t.Skip("the folder of temporary files is in memory, or sets no room aside")
	}
	t.Cleanup(d.Close)
	return d
}

// TestDisk: a table of columns of every width goes to files from a number of bytes on, and is what
// it is on the heap, and so is what is made of it. The files have no name and are their owner's.
func TestDisk(t *testing.T) {
	schema := &Schema{Attributes: []Attribute{{Name: "a", High: 200, Step: 1},
		{Name: "b", High: 60_000, Step: 1}, {Name: "c", High: 70_000, Step: 1},
		{Name: "d", High: 1, Step: 0.01, Continuous: true}}}
	const rows, bytes = 5000, 1 + 2 + 4 + 1 + 8
	build := func(d *Disk) *Table {
		b, stream := d.Builder(schema, 0), random.NewKey(1).Stream()
		for b.Len() < rows/2 {
			row := b.AddRow()
			for i := range schema.Attributes {
				b.Set(row, i, stream.Uint32N(uint32(schema.Attributes[i].Cells())))
			}
		}
		half := d.Builder(schema, 0)
		half.Append(b.Table())
		for half.Len() < rows {
			half.Append(b.Table())
		}
		return half.Table()
	}
	want := build(nil)
	backwards := want.AllRows()
	slices.Reverse(backwards)
	for from, on := range map[int64]bool{1: true, rows * bytes: true, 2*rows*bytes + 1<<16: false} {
		d := onDisk(t, from)
		got := build(d)
		must.Be(t, got.Disk() == d, on, got.Bytes(), "bytes are on a disk from", from)
		must.Do(t, got.Validate())
		if got.Checksum() != want.Checksum() || got.Bytes() != rows*bytes ||
			got.Select(backwards).Checksum() != want.Select(backwards).Checksum() ||
			!slices.Equal(got.AllRows(), want.AllRows()) {
			t.Errorf("from %d bytes on: the table is another", from)
		}
		for _, file := range d.files { // order-free: each is checked
			info := must.Get(file.file.Stat())
			if info.Mode() != 0o600 || len(must.Get(os.ReadDir(d.folder))) > 0 {
				t.Errorf("a file of mode %v, or with a name", info.Mode())
			}
		}
	}
}

// TestFullDisk: a disk without room is an error that says what for, and what was there stays. Other
// panics go on.
func TestFullDisk(t *testing.T) {
	d := onDisk(t, 1)
	before := d.Column(1<<8, 3)
	before.Put(0, []uint32{7, 8, 9}, nil)
	try := func(step func()) (err error) {
		defer func() {
			if caught := recover(); caught != nil {
				err = caught.(error)
			}
		}()
		defer d.Recover(&err)
		step()
		return nil
	}
	err := try(func() { d.Column(1<<16, 1<<59) })
	must.Fail(t, err, "no room for a column of 1.15e+09 GB in ")
	if err := try(func() { panic(os.ErrClosed) }); !errors.Is(err, os.ErrClosed) {
		t.Error(err)
	}
	if free := d.Free(); !(free > 0) || before.At(1) != 8 {
		t.Errorf("%v bytes free, code %d", free, before.At(1))
	}
}
