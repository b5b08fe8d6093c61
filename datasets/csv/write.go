package csvtable

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"ppdp/datasets"
)

const weightColumn = "weight"

// Write writes a table as comma-separated text with a header: a format with that delimiter and the
// same attributes reads the same table back. weights, indexed by table row, become a last column
// "weight"; nil means that every row counts once and there is no such column.
func Write(w io.Writer, t *datasets.Table, weights []float64) error {
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
	texts := newTexters(t)
	return writeText(w, record, t.Len(), func(row int, record []string) []string {
		for i := range texts {
			record = append(record, texts[i].text(int32(row)))
		}
		if weights != nil {
			record = append(record, formatNumber(weights[row]))
		}
		return record
	})
}

// WriteGeneralised writes rows of a table, in the order given, as comma-separated text with a
// header. Attributes that generalise has an entry for show its text of a row, by position in rows;
// the others, whose entries are nil, show the table's values.
func WriteGeneralised(w io.Writer, t *datasets.Table, rows []int32,
	generalise []func(at int) string) error {
	texts := newTexters(t)
	return writeText(w, t.Schema().Names(), len(rows), func(at int, record []string) []string {
		for i := range texts {
			if generalise[i] != nil {
				record = append(record, generalise[i](at))
			} else {
				record = append(record, texts[i].text(rows[at]))
			}
		}
		return record
	})
}

// GroupText prints the set of an attribute's values whose codes are in [low, high), low < high: one
// value as itself, more numbers as a half-open interval "[20, 30)", more categories as a list
// "{admin, services}" in the order of the schema.
func GroupText(a *datasets.Attribute, low, high uint32) string {
	switch {
	case a.Kind == datasets.Categorical && high-low == 1:
		return a.Values[low]
	case a.Kind == datasets.Categorical:
		return "{" + strings.Join(a.Values[low:high], ", ") + "}"
	case high-low == 1 && !a.Continuous:
		return cellText(a, low)
	}
	end := numberText(a, a.High)
	if int(high) < a.Cells() {
		end = edgeText(a, high)
	}
	return "[" + edgeText(a, low) + ", " + end + ")"
}

// edgeText prints the lower end of a cell.
func edgeText(a *datasets.Attribute, code uint32) string {
	if !a.Continuous {
		return cellText(a, code)
	}
	return formatNumber(a.Low + float64(float64(code)*a.Step))
}

// writeText writes a header and n records, which fill appends to an empty slice.
func writeText(w io.Writer, header []string, n int,
	fill func(at int, record []string) []string) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := csv.NewWriter(buffered)
	if err := out.Write(header); err != nil {
		return err
	}
	var record []string
	for at := range n {
		record = fill(at, record[:0])
		if len(record) == 1 && record[0] == "" {
			// The library writes a lone empty field as a blank line, which readers skip.
			out.Flush()
			if _, err := buffered.WriteString("\"\"\n"); err != nil {
				return err
			}
		} else if err := out.Write(record); err != nil {
			return err
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// texter prints one column's values; the texts of small domains are made once.
type texter struct {
	column    *datasets.Column
	attribute *datasets.Attribute
	cached    []string
}

func newTexters(t *datasets.Table) []texter {
	texts := make([]texter, len(t.Schema().Attributes))
	for i := range texts {
		texts[i] = newTexter(t, i)
	}
	return texts
}

func newTexter(t *datasets.Table, at int) texter {
	const most = 1 << 17
	text := texter{column: t.Column(at), attribute: &t.Schema().Attributes[at]}
	if cells := text.attribute.Cells(); text.attribute.Kind == datasets.Numeric && cells <= most {
		text.cached = make([]string, cells)
	}
	return text
}

func (t *texter) text(row int32) string {
	switch {
	case t.attribute.Kind == datasets.Categorical:
		return t.attribute.Values[t.column.At(row)]
	case t.column.Exact != nil:
		return formatNumber(t.column.Exact[row])
	}
	code := t.column.At(row)
	if t.cached == nil {
		return cellText(t.attribute, code)
	}
	if t.cached[code] == "" {
		t.cached[code] = cellText(t.attribute, code)
	}
	return t.cached[code]
}

// cellText prints the number a code stands for with as few digits as lead back to the code: 0.3,
// not 0.30000000000000004.
func cellText(a *datasets.Attribute, code uint32) string {
	number := a.Number(code)
	if a.Clock != "" {
		return a.Clock.Text(number)
	}
	if whole := int64(number); float64(whole) == number {
		return strconv.FormatInt(whole, 10)
	}
	if short, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 12, 64), 64); err == nil {
		if back, err := a.NumberCode(short); err == nil && back == code {
			number = short
		}
	}
	return formatNumber(number)
}

// numberText prints a number as texts of the attribute do.
func numberText(a *datasets.Attribute, number float64) string {
	if a.Clock != "" {
		return a.Clock.Text(number)
	}
	return formatNumber(number)
}

// shownNumber is numberText for messages.
func shownNumber(a *datasets.Attribute, number float64) string {
	if a.Clock != "" {
		return a.Clock.Text(number)
	}
	return fmt.Sprint(number)
}

// formatNumber prints a number in full where that is no longer than anybody reads.
func formatNumber(number float64) string {
	if size := math.Abs(number); size == 0 || size >= 1e-6 && size < 1e15 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}
