package csvtable

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppdp/datasets"
)

const weightColumn = "weight"

// Write writes a table as comma-separated text with a header: a format with that delimiter and the
// same attributes reads the same table back, but for digits that an attribute does not have. The
// rows come in the order given, nil for the table's. weights, indexed by table row, become a last
// column "weight"; nil means that every row counts once and there is no such column.
func Write(w io.Writer, t *datasets.Table, rows []int32, weights []float64) error {
	return writeTable(w, t, rows, weights, nil)
}

// WriteGeneralised writes rows of a table, in the order given, as comma-separated text with a
// header. Attributes that generalise has an entry for show its text of a row, by position in rows;
// the others, whose entries are nil, show the table's values.
func WriteGeneralised(w io.Writer, t *datasets.Table, rows []int32,
	generalise []func(at int) string) error {
	return writeTable(w, t, rows, nil, generalise)
}

func writeTable(w io.Writer, t *datasets.Table, rows []int32, weights []float64,
	generalise []func(at int) string) error {
	schema := t.Schema()
	record := schema.Names()
	if weights != nil {
		if len(weights) != t.Len() {
			return fmt.Errorf("%d weights for a table of %d rows", len(weights), t.Len())
		}
		if schema.Index(weightColumn) >= 0 {
			return fmt.Errorf("the table has an attribute %q already, weights need a column of "+
				"that name", weightColumn)
		}
		record = append(record, weightColumn)
	}
	if _, err := w.Write(appendLine(nil, len(record), func(to []byte, i int) []byte {
		return appendField(to, record[i])
	})); err != nil {
		return err
	}
	part := func(t *datasets.Table, from int) error {
		columns := columnTexts(t)
		for i, text := range generalise {
			if text != nil {
				columns[i] = func(to []byte, at int) []byte {
					return appendField(to, text(from+at))
				}
			}
		}
		if weights != nil {
			columns = append(columns, func(to []byte, at int) []byte {
				if rows != nil {
					at = int(rows[from+at])
				}
				return datasets.AppendNumber(to, weights[at], 64)
			})
		}
		return writeText(w, t.Len(), columns)
	}
	if rows == nil {
		return part(t, 0)
	}
	// Rows far apart in memory are waited for, one after the other: copied together by columns, of
	// some at a time, they halve the processor time of a release of RPS on 10⁷ rows (59 to 30 s).
	// A table on a disk is copied column by column: each column fits in memory.
	size := 1 << 18
	if t.Disk() != nil {
		size = max(size, len(rows))
	}
	for from := 0; from < len(rows); from += size {
		if err := part(t.Select(rows[from:min(from+size, len(rows))]), from); err != nil {
			return err
		}
	}
	return nil
}

// GroupText prints the set of an attribute's values whose codes are in [low, high), low < high: one
// value as itself, more numbers as a half-open interval "[20, 30)", more categories as a list
// "{admin, services}" in the order of the schema. Numbers and missing ones are "[20, 30) or ?".
func GroupText(a *datasets.Attribute, low, high uint32) string {
	switch missing := a.MissingCode(); {
	case high-low == 1 && (!a.Continuous || low == missing):
		return a.Text(low)
	case a.Kind == datasets.Categorical:
		return "{" + strings.Join(a.Values[low:high], ", ") + "}"
	case high > missing: // the last cell, which no interval hides
		return GroupText(a, low, missing) + orMissing + *a.Missing
	}
	return "[" + edgeText(a, low) + ", " + edgeText(a, high) + ")"
}

// orMissing stands between numbers and the marker of a group of both.
const orMissing = " or "

// edgeText prints the lower end of a cell, or the end of the last one.
func edgeText(a *datasets.Attribute, code uint32) string {
	switch {
	case int(code) == a.Numbers():
		return a.NumberText(a.High)
	case !a.Continuous:
		return a.Text(code)
	}
	return a.NumberText(a.Low + float64(float64(code)*a.Step))
}

// columnText appends a column's text, quoted where need be, of the row at a place.
type columnText func(to []byte, at int) []byte

// appendLine appends a line of n fields, which is not blank, as readers skip those.
func appendLine(to []byte, n int, field func(to []byte, i int) []byte) []byte {
	begin := len(to)
	for i := range n {
		if i > 0 {
			to = append(to, ',')
		}
		to = field(to, i)
	}
	if len(to) == begin {
		to = append(to, `""`...)
	}
	return append(to, '\n')
}

// writeText writes n records, which are put into text on all processors.
func writeText(w io.Writer, n int, columns []columnText) error {
	const rows = 1 << 13 // at once
	var done ordered[[]byte]
	for from := 0; from < n || !done.empty(); {
		for ; from < n && !done.full(); from += rows {
			begin, end := from, min(n, from+rows)
			done.start(func() []byte {
				text := make([]byte, 0, 8*len(columns)*(end-begin))
				for at := begin; at < end; at++ {
					text = appendLine(text, len(columns), func(to []byte, i int) []byte {
						return columns[i](to, at)
					})
				}
				return text
			})
		}
		if _, err := w.Write(done.next()); err != nil {
			return err
		}
	}
	return nil
}

// appendField appends a text by the rules of encoding/csv, whose writer takes ten times as long.
func appendField(to []byte, text string) []byte {
	first, _ := utf8.DecodeRuneInString(text)
	if text != `\.` && !strings.ContainsAny(text, ",\"\r\n") && !unicode.IsSpace(first) {
		return append(to, text...)
	}
	to = append(to, '"')
	for before, after, more := strings.Cut(text, `"`); ; before, after, more = strings.Cut(after,
		`"`) {
		if to = append(to, before...); !more {
			return append(to, '"')
		}
		to = append(to, `""`...)
	}
}

// columnTexts are the texts of a table's columns.
func columnTexts(t *datasets.Table) []columnText {
	columns := make([]columnText, len(t.Schema().Attributes))
	for i := range columns {
		c, a := t.Column(i), &t.Schema().Attributes[i]
		missing := a.MissingCode()
		switch {
		case c.Exact != nil && a.Digits != nil:
			columns[i] = func(to []byte, at int) []byte {
				if code := c.At(int32(at)); code != missing {
					return appendDigits(to, a, code, c.Exact[at])
				}
				return appendField(to, *a.Missing)
			}
		case c.Exact != nil:
			columns[i] = func(to []byte, at int) []byte {
				if number := c.Exact[at]; number == number {
					return datasets.AppendNumber(to, number, 64)
				}
				return appendField(to, *a.Missing)
			}
		case a.Cells() <= t.Len()/4: // texts that are needed again and again
			texts := make([][]byte, a.Cells())
			for code := range texts {
				texts[code] = appendValue(nil, a, uint32(code))
			}
			columns[i] = func(to []byte, at int) []byte {
				return append(to, texts[c.At(int32(at))]...)
			}
		default:
			columns[i] = func(to []byte, at int) []byte {
				return appendValue(to, a, c.At(int32(at)))
			}
		}
	}
	return columns
}

// appendDigits appends a number with the digits of its attribute: the largest such number up to it
// or, where that is below its cell, the next one. So whole numbers of a cell of whole numbers are
// all as likely, where any number of the cell is.
func appendDigits(to []byte, a *datasets.Attribute, cell uint32, number float64) []byte {
	rounded, unit := a.Rounded(number), a.Unit()
	if rounded > number {
		rounded = a.Rounded(rounded - unit)
	}
	edge := a.Low + float64(float64(cell)*a.Step)
	if rounded < a.Low || rounded < edge-float64(1e-6*unit) { // edges are rounded to binary
		rounded = a.Rounded(rounded + unit)
	}
	return strconv.AppendFloat(to, rounded, 'f', *a.Digits, 64)
}

// appendValue appends the value a code stands for.
func appendValue(to []byte, a *datasets.Attribute, code uint32) []byte {
	if a.Kind == datasets.Numeric && a.Clock == "" && code != a.MissingCode() {
		if number := a.Number(code); number == math.Trunc(number) {
			return datasets.AppendNumber(to, number, 64)
		}
	}
	return appendField(to, a.Text(code))
}
