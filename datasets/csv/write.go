package csvtable

import (
	"bufio"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"ppdp/datasets"
)

// weightColumn is the name of the column that weights are written to.
const weightColumn = "weight"

// Write writes a table as text of the format, so that Read gives the same table back: one released
// by an algorithm, say, whose schema may have fewer attributes or other roles than the format's.
//
// rows are the table's rows to write, in that order; nil means all. weights, indexed by table row,
// become a last column "weight"; nil means that every row counts once and there is no such column.
// Without a header the columns ignored by the schema are written empty, and the table must have
// exactly the format's attributes. Missing values that were kept are written as their marker.
func (f *Format) Write(w io.Writer, t *datasets.Table, rows []int32, weights []float64) error {
	schema := t.Schema()
	layout, err := f.columnsFor(schema)
	if err != nil {
		return err
	}
	if weights != nil && len(weights) != t.Len() {
		return fmt.Errorf("%d weights for a table of %d rows", len(weights), t.Len())
	}
	if weights != nil && schema.Index(weightColumn) >= 0 {
		return fmt.Errorf("the table has an attribute %q already, weights need a column of that name", weightColumn)
	}
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := csv.NewWriter(buffered)
	out.Comma = f.Delimiter
	record := make([]string, len(layout), len(layout)+1)
	put := func() error {
		// The library writes a lone empty field as a blank line, which readers skip.
		if len(record) == 1 && record[0] == "" {
			out.Flush()
			_, err := buffered.WriteString("\"\"\n")
			return err
		}
		return out.Write(record)
	}
	if f.Header {
		record = append(record[:0], schema.Names()...)
		if weights != nil {
			record = append(record, weightColumn)
		}
		if err := put(); err != nil {
			return err
		}
	}
	texts := make([]texter, len(layout))
	for i, a := range layout {
		if a >= 0 {
			texts[i] = newTexter(t, a)
		}
	}
	n := len(rows)
	if rows == nil {
		n = t.Len()
	}
	for i := range n {
		row := int32(i)
		if rows != nil {
			row = rows[i]
		}
		record = record[:len(layout)]
		for j := range texts {
			record[j] = texts[j].text(row)
		}
		if weights != nil {
			record = append(record, formatNumber(weights[row]))
		}
		if err := put(); err != nil {
			return err
		}
	}
	out.Flush()
	if err := out.Error(); err != nil {
		return err
	}
	return buffered.Flush()
}

// columnsFor lists the table's attribute, or -1, for each column to write.
func (f *Format) columnsFor(schema *datasets.Schema) ([]int, error) {
	if !f.Header {
		if !slices.Equal(schema.Names(), f.Schema.Names()) {
			return nil, fmt.Errorf("a table of %s for a format without a header, must have the attributes %s",
				someOf(schema.Names()), someOf(f.Schema.Names()))
		}
		return f.layout, nil
	}
	layout := make([]int, len(schema.Attributes))
	for i := range layout {
		layout[i] = i
	}
	return layout, nil
}

// texter prints one column's values; the texts of small domains are made once.
type texter struct {
	table     *datasets.Table
	at        int
	column    *datasets.Column
	attribute *datasets.Attribute
	cached    []string
}

func newTexter(t *datasets.Table, at int) texter {
	const most = 1 << 17
	text := texter{table: t, at: at, column: t.Column(at), attribute: &t.Schema().Attributes[at]}
	if cells := text.attribute.Cells(); text.attribute.Kind == datasets.Numeric && cells <= most {
		text.cached = make([]string, cells)
	}
	return text
}

func (t *texter) text(row int32) string {
	switch {
	case t.table == nil: // an ignored column
		return ""
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

// cellText prints the number a code stands for with as few digits as lead back to the code: 0.3, not
// 0.30000000000000004.
func cellText(a *datasets.Attribute, code uint32) string {
	number := a.Number(code)
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

// formatNumber prints a number in full where that is no longer than anybody reads.
func formatNumber(number float64) string {
	if size := math.Abs(number); size == 0 || size >= 1e-6 && size < 1e15 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	return strconv.FormatFloat(number, 'g', -1, 64)
}
