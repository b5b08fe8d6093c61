package cmd

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// table aligns columns. Flush writes it.
type table struct{ *tabwriter.Writer }

func newTable(w io.Writer, columns ...string) table {
	t := table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.row(columns...)
	return t
}

func (t table) row(values ...string) { fmt.Fprintln(t, strings.Join(values, "\t")) }

// dashed writes a dash for each empty value.
func dashed(values []string) []string {
	values = slices.Clone(values)
	for i := range values {
		values[i] = cmp.Or(values[i], "-")
	}
	return values
}

// counted is a number of things: "1 job", "2 jobs".
func counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}
