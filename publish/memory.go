package publish

import (
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/problem"
)

// neededMemory is how many times its coded table a release may need: the most measured is 7.4
// (docs/performance.md).
const neededMemory = 10

// spare is where a table is kept that memory may not suffice for: on the disk of the folder, for
// algorithms that read it by columns.
func (r *Request) spare(f *folder) *datasets.Disk {
	algorithm, err := algorithms.Lookup(r.Algorithm)
	if err != nil || r.Memory <= 0 || !algorithm.Info().Columns {
		return nil
	}
	return datasets.NewDisk(f.temporary, r.Memory/neededMemory)
}

// drawing are parameters that bound the rows drawn for a number of records.
type drawing interface{ Most(records int) int }

// checkMemory says where a table is that memory may not suffice for. It refuses one on a disk that
// has no room for what comes: its bins and the numbers of its rows, and of the rows drawn groups,
// bins, values, and values in the order in which they are published.
func (c *chosen) checkMemory(r *Request, table *datasets.Table) error {
	rows, bytes, drawn := float64(table.Len()), float64(table.Bytes()), 0.
	if table.Disk() == nil {
		if need, memory := neededMemory*bytes, float64(r.Memory); memory > 0 && need > memory {
			r.Log(fmt.Sprintf("TOO LITTLE MEMORY, PERHAPS: the release of %.0f records may need "+
				"%.2g GB, this machine has %.2g; about %.2g records fit", rows, need/1e9,
				memory/1e9, memory/need*rows))
		}
		return nil
	}
	if p, ok := c.params.(drawing); ok {
		drawn = float64(p.Most(table.Len()))
	}
	need := bytes + float64(4*rows) + float64((4+float64(3*bytes/rows))*drawn)
	r.Log(fmt.Sprintf("LARGE TABLE: the columns of %.0f records are in files beside %s until the "+
		"release is made, in up to %.2g GB", rows, r.Out, (float64(1.25*bytes)+need)/1e9))
	free := table.Disk().Free()
	return problem.Unless(need <= free, "%s: no room for the columns, %.2g GB more where %.2g "+
		"are free", r.Out, need/1e9, free/1e9)
}
