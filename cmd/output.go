package cmd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/sync/errgroup"
)

// writeJSON writes JSON for people and programs. Names such as "a<b" stay readable.
func writeJSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(v)
}

// table aligns columns. Flush writes it.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, columns ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(columns...)
	return t
}

func (t table) row(cells ...string) { fmt.Fprintln(t, strings.Join(cells, "\t")) }

// dashed shows empty cells.
func dashed(cells []string) []string {
	cells = slices.Clone(cells)
	for i := range cells {
		cells[i] = cmp.Or(cells[i], "-")
	}
	return cells
}

// inParallel runs n jobs on all processors, whatever becomes of one of them, and joins their
// errors in the order of the jobs.
func inParallel(n int, job func(i int) error) error {
	errs := make([]error, n)
	var jobs errgroup.Group
	jobs.SetLimit(runtime.GOMAXPROCS(0))
	for i := range n {
		jobs.Go(func() error {
			errs[i] = job(i)
			return nil
		})
	}
	_ = jobs.Wait()
	return errors.Join(errs...)
}
