// Package terminal holds what the verbs of all wings write with: tables, counted words, and the
// mark of errors that are the user's.
package terminal

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// Table aligns columns. Flush writes it.
type Table struct{ *tabwriter.Writer }

// NewTable is a table under the names of its columns.
func NewTable(w io.Writer, columns ...string) Table {
	t := Table{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	t.Row(columns...)
	return t
}

// Row adds a row.
func (t Table) Row(values ...string) { fmt.Fprintln(t, strings.Join(values, "\t")) }

// Dashed is values with a dash for each empty one.
func Dashed(values []string) []string {
	values = slices.Clone(values)
	for i := range values {
		values[i] = cmp.Or(values[i], "-")
	}
	return values
}

// Counted is a number of things: "1 job", "2 jobs".
func Counted(n int, one string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %ss", n, one)
}

// inputError marks an error as the user's.
type inputError struct{ error }

func (e inputError) Unwrap() error { return e.error }

// InputError marks errors as the user's: what was asked for is wrong, and nothing was run. It is
// nil if all errors are.
func InputError(errs ...error) error {
	if err := errors.Join(errs...); err != nil {
		return inputError{err}
	}
	return nil
}

// IsInputError reports whether an error, or one that it wraps, is marked as the user's.
func IsInputError(err error) bool { return errors.As(err, new(inputError)) }
