package publish

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// lacking is a request for a table that lacks some values, which are kept or left out.
func lacking(t *testing.T) *Request {
	t.Helper()
	_, r := files(t, 3000)
	lines := strings.SplitAfter(read(t, r.Table), "\n")
	for i := 1; i+1 < len(lines); i += 5 {
		fields := strings.SplitN(lines[i], ";", 4)
		fields[i/5%3] = "?"
		lines[i] = strings.Join(fields, ";")
	}
	write(t, r.Table, strings.Join(lines, ""))
	write(t, r.Schema, "missing: [\"?\"]\nmissing-as-value: [age, height]\n"+schemaText)
	return r
}

// TestSameFromDisk: releases of a table in files have the bytes of those of the same table on the
// heap, with the same noise: with weights and without, of values that are missing.
func TestSameFromDisk(t *testing.T) {
	disk := datasets.NewDisk(t.TempDir(), 1)
	if disk == nil {
		t.Skip("the folder of temporary files is in memory, or sets no room aside")
	}
	defer disk.Close()
	r := lacking(t)
	format := must.Get(r.format())
	text := func(disk *datasets.Disk, name string, delta float64, params []string) string {
		format.Disk = disk
		table := must.Get(format.Read(t.Context(), "x", strings.NewReader(read(t, r.Table)))).Table
		release, _ := measured(t, table, name, 2, delta, 1, params...)
		records, weights, err := release.Records(t.Context())
		must.Do(t, err)
		if table.Disk() != disk || records.Disk() != disk || table.Len() != 2800 {
			t.Errorf("%s: %d rows, on the disk %t, records %t", name, table.Len(),
				table.Disk() != nil, records.Disk() != nil)
		}
		order := make([]int32, records.Len())
		for i := range order {
			order[i] = int32(i)
		}
		random.NewKey(5).Stream().Permute(order)
		var b bytes.Buffer
		must.Do(t, csvtable.Write(&b, records, order, weights))
		return b.String()
	}
	for _, name := range []string{"independent", "nb-model", "mst", "mst-target", "aim",
		"aim-logistic"} {
		for delta, params := range map[float64][]string{0: {"copies=1"},
			1e-6: {"copies=3", "max_rows=5000", "cut=private"}} {
			want := text(nil, name, delta, params)
			got, rows := text(disk, name, delta, params), strings.Count(want, "\n")
			if rows < 2000 || got != want {
				t.Errorf("%s %v: not the %d lines of a table on the heap", name, params, rows)
			}
		}
	}
}

// TestReleaseFromDisk: a release whose table memory may not hold keeps it in files, says so and is
// right. A disk without room is found before anything is spent.
func TestReleaseFromDisk(t *testing.T) {
	r := lacking(t)
	if datasets.NewDisk(filepath.Dir(r.Out), 1) == nil {
		t.Skip("the folder of temporary files is in memory, or sets no room aside")
	}
	var said []string
	r.Log = func(line string) { said = append(said, line) }
	r.Algorithm, r.Memory, r.Parquet, r.Params = "mst", 1<<16, true, set("max_rows=2000000000")
	must.Get(Make(t.Context(), r))
	report := must.Get(Verify(t.Context(), r.Out, &Original{Table: r.Table, Schema: r.Schema}))
	log := strings.Join(said, "\n")
	if report.Err() != nil || !strings.Contains(log, "LARGE TABLE: the columns of 2800 records") ||
		strings.Contains(log, "MEMORY") {
		t.Errorf("%v, said %s", report.Err(), log)
	}
	disk := datasets.NewDisk(t.TempDir(), 1)
	defer disk.Close()
	b := disk.Builder(must.Get(r.format()).Schema, 9)
	b.AddRow()
	c := &chosen{params: drawsMany{}}
	err := c.checkMemory(r, b.Table())
	must.Fail(t, err, "no room for the columns, ")
}

type drawsMany struct{}

func (drawsMany) Most(int) int { return 1 << 60 }
