package csvtable

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ppdp/datasets"
)

// maxRecord is how many bytes one record may have, so that a quote never closed does not draw the
// rest of a large file into memory.
const maxRecord = 1 << 20

// contextRows is how many rows pass between looks at the context.
const contextRows = 1 << 14

// Content is a table as read from text.
type Content struct {
	Table *datasets.Table
	// Dropped counts the rows left out because a value was missing.
	Dropped int
	// LeftOut are the names of the columns that the schema does not describe.
	LeftOut []string
}

// Read reads a table of the format from r, as a stream: memory is needed for the coded rows only.
// It understands quoted fields (RFC 4180), a UTF-8 byte-order mark, line ends of either kind and
// blank lines, which it skips. file names the text in messages.
//
// A row that lacks a value is dropped and counted; with MissingAsValue only when the value is
// numeric or the class. The other values of a dropped row must be right all the same.
//
// The error lists the first 20 things wrong as file:line:column: attribute: what, and how many more
// there are. Columns count bytes from 1. The context's error is returned as it is.
func (f *Format) Read(ctx context.Context, file string, r io.Reader) (*Content, error) {
	records, guard, err := openRecords(file, r, f.Delimiter, f.Trim)
	if err != nil {
		return nil, err
	}
	t := &tableReader{
		format: f, file: file, records: records, guard: guard,
		builder: datasets.NewBuilder(f.Schema, 0), codes: make([]uint32, len(f.Schema.Attributes)),
		numbers: make([]float64, len(f.Schema.Attributes)),
	}
	content := new(Content)
	if f.Header {
		t.header(content)
	} else {
		t.layout = f.layout
	}
	if !t.bad.Any() {
		if err := t.rows(ctx); err != nil {
			return nil, err
		}
	}
	if err := t.bad.Err(); err != nil {
		return nil, err
	}
	content.Table, content.Dropped = t.builder.Table(), t.dropped
	return content, nil
}

// openRecords prepares the text of r for reading record by record.
func openRecords(file string, r io.Reader, delimiter rune,
	trim bool) (*csv.Reader, *recordGuard, error) {
	guard := &recordGuard{reader: r}
	buffered := bufio.NewReaderSize(guard, 1<<16)
	if mark, _ := buffered.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3) // peeked, so it is there
	} else if bytes.HasPrefix(mark, []byte("\xff\xfe")) ||
		bytes.HasPrefix(mark, []byte("\xfe\xff")) {
		return nil, nil, fmt.Errorf("%s:1: UTF-16, must be saved as UTF-8", file)
	}
	records := csv.NewReader(buffered)
	records.Comma = delimiter
	records.ReuseRecord = true
	records.FieldsPerRecord = -1
	records.TrimLeadingSpace = trim
	return records, guard, nil
}

// recordGuard passes bytes on as long as the record being read stays below maxRecord.
type recordGuard struct {
	reader io.Reader
	read   int64 // bytes handed out
	done   int64 // of these, bytes in records that are complete
	line   int   // the last complete record's
}

var errLongRecord = errors.New("record too long")

func (g *recordGuard) Read(p []byte) (int, error) {
	if g.read-g.done > maxRecord {
		return 0, errLongRecord
	}
	n, err := g.reader.Read(p)
	g.read += int64(n)
	return n, err
}

// tableReader is the state of one Read.
type tableReader struct {
	format  *Format
	file    string
	records *csv.Reader
	guard   *recordGuard
	layout  []int    // for each column of the text: its attribute, or -1
	seen    []string // the header's names

	builder *datasets.Builder
	columns []column
	codes   []uint32  // of the current row
	numbers []float64 // of the current row, for continuous attributes
	dropped int

	bad datasets.Problems
}

// column is what is needed to code one attribute's texts quickly.
type column struct {
	attribute *datasets.Attribute
	index     map[string]uint32 // categorical: the texts' codes, missing markers included
	integers  bool              // numeric: cells are the integers from low to below high
	low, high int64
	missing   uint32
}

func (t *tableReader) columnsOf(schema *datasets.Schema) []column {
	columns := make([]column, len(schema.Attributes))
	for i := range columns {
		a := &schema.Attributes[i]
		c := column{attribute: a, missing: t.format.missing[i]}
		if a.Kind == datasets.Categorical {
			c.index = make(map[string]uint32, len(a.Values)+len(t.format.Missing))
			for code, value := range a.Values {
				c.index[value] = uint32(code)
			}
			for _, marker := range t.format.Missing {
				c.index[marker] = c.missing
			}
		} else if !a.Continuous && a.Step == 1 && a.Low == math.Trunc(a.Low) &&
			math.Abs(a.Low) < 1<<53 {
			// Cells is the number of integers in [Low, High), whether or not High is one itself.
			c.integers, c.low = true, int64(a.Low)
			c.high = c.low + int64(a.Cells())
		}
		columns[i] = c
	}
	return columns
}

// fail records an error at a field of the current record, or counts it.
func (t *tableReader) fail(field int, format string, args ...any) {
	line, column := t.records.FieldPos(field)
	t.bad.Add("%s:%d:%d: %s", t.file, line, column, fmt.Sprintf(format, args...))
}

// next returns the next record; nil and false at the end or when reading must stop. Malformed
// records are reported and skipped.
func (t *tableReader) next() (record []string, ok bool) {
	for {
		record, err := t.guard.next(t.file, t.records)
		if err == nil {
			return record, true
		}
		if err == io.EOF {
			return nil, false
		}
		t.bad.AddError(err)
		if !errors.As(err, new(malformed)) {
			return nil, false
		}
	}
}

// malformed is the error of a record after which others can be read.
type malformed struct{ error }

// next reads a record. Its error is io.EOF at the end, else it names the place in the file.
func (g *recordGuard) next(file string, records *csv.Reader) ([]string, error) {
	record, err := records.Read()
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return nil, err
	case errors.Is(err, errLongRecord):
		return nil, fmt.Errorf("%s:%d: a record of more than %d bytes; is a quote not closed?",
			file, g.line+1, maxRecord)
	case errors.As(err, &parse):
		err = malformed{fmt.Errorf("%s:%d:%d: %s", file, parse.Line, parse.Column, quoting(parse))}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	default:
		g.line, _ = records.FieldPos(len(record) - 1)
	}
	g.done = records.InputOffset()
	return record, err
}

// quoting puts the library's messages about quotes in the words of this package.
func quoting(err *csv.ParseError) string {
	text := err.Err.Error()
	switch {
	case errors.Is(err.Err, csv.ErrBareQuote):
		text = "a quote inside a field, must be doubled in a field that is quoted"
	case errors.Is(err.Err, csv.ErrQuote):
		text = "a quote that does not fit, must be doubled inside a quoted field, and closed " +
			"before the delimiter or the line's end"
	}
	if err.StartLine != err.Line {
		text += fmt.Sprintf(" (the record begins in line %d)", err.StartLine)
	}
	return text
}

// loneReturn is what is wrong with a header that has a carriage return in it: no name has one.
const loneReturn = "lines end in a carriage return alone, must end in a line feed, with or " +
	"without a carriage return before it"

// header finds the attributes' columns by name.
func (t *tableReader) header(content *Content) {
	names := t.format.Schema.Names()
	record, ok := t.next()
	if !ok {
		if !t.bad.Any() {
			t.bad.Add("%s:1: an empty file, must begin with a header naming %s",
				t.file, strings.Join(names, ", "))
		}
		return
	}
	for i, name := range record {
		if strings.Contains(name, "\r") {
			t.fail(i, "%s", loneReturn)
			return
		}
	}
	found := make([]bool, len(names))
	t.layout = make([]int, len(record))
	t.seen = make([]string, len(record))
	for i, name := range record {
		if !utf8.ValidString(name) {
			t.fail(i, "column %q is not UTF-8, must be saved in that encoding", name)
		}
		if t.format.Trim {
			name = strings.TrimSpace(name)
		}
		t.seen[i] = strings.Clone(name)
		a := slices.Index(names, name)
		t.layout[i] = a
		switch {
		case a < 0:
			content.LeftOut = append(content.LeftOut, t.seen[i])
		case found[a]:
			t.fail(i, "duplicate column %q in the header", name)
		default:
			found[a] = true
		}
	}
	for a, name := range names {
		if !found[a] {
			what := "attribute"
			if t.format.Schema.Attributes[a].Role == datasets.Class {
				what = "class attribute"
			}
			t.fail(0, "no column for the %s %q, the header names %s (delimiter %q)",
				what, name, someOf(t.seen), t.format.Delimiter)
		}
	}
}

// someOf lists names for a message, the first two dozen of them.
func someOf(names []string) string {
	const most = 24
	quoted := make([]string, 0, most)
	for _, name := range names[:min(len(names), most)] {
		quoted = append(quoted, strconv.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}

func (t *tableReader) rows(ctx context.Context) error {
	t.columns = t.columnsOf(t.format.Schema)
	for n := 0; ; n++ {
		if n%contextRows == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
		}
		record, ok := t.next()
		if !ok {
			return nil
		}
		t.row(record)
	}
}

// fits reports whether a record has as many fields as there are columns, and notes where not.
func (t *tableReader) fits(record []string) bool {
	if len(record) != len(t.layout) {
		t.fail(min(len(record), len(t.layout))-1, "%d fields, must be %d (delimiter %q)",
			len(record), len(t.layout), t.format.Delimiter)
	}
	return len(record) == len(t.layout)
}

// row codes one record and adds it to the table.
func (t *tableReader) row(record []string) {
	if !t.fits(record) {
		return
	}
	complete, right := true, true
	for i, text := range record {
		a := t.layout[i]
		if a < 0 {
			continue
		}
		if t.format.Trim {
			text = strings.TrimSpace(text)
		}
		c := &t.columns[a]
		if c.index != nil {
			code, known := c.index[text]
			switch {
			case !known:
				t.refuse(i, c.attribute, text)
				right = false
			case code == dropRow:
				complete = false
			default:
				t.codes[a] = code
			}
			continue
		}
		if slices.Contains(t.format.Missing, text) {
			complete = false
			continue
		}
		if c.integers {
			if number, ok := shortInteger(text); ok && number >= c.low && number < c.high {
				t.codes[a] = uint32(number - c.low)
				continue
			}
		}
		number, ok := Decimal(text)
		if ok {
			code, err := c.attribute.NumberCode(number)
			if err == nil {
				t.codes[a], t.numbers[a] = code, number
				continue
			}
		}
		t.refuse(i, c.attribute, text)
		right = false
	}
	switch {
	case !right || t.bad.Any(): // after an error only the other errors are of interest
	case !complete:
		t.dropped++
	default:
		t.add()
	}
}

func (t *tableReader) add() {
	row := t.builder.AddRow()
	if row == math.MaxInt32 {
		t.fail(0, "row %d, must be at most %d rows", row, math.MaxInt32)
		return
	}
	for a, code := range t.codes {
		if t.columns[a].attribute.Continuous {
			// The code was found a moment ago, so the number is known to be inside the bounds.
			if err := t.builder.SetNumber(row, a, t.numbers[a]); err != nil {
				t.fail(0, "%v", err)
			}
			continue
		}
		t.builder.Set(row, a, code)
	}
}

// refuse explains what is wrong with a text.
func (t *tableReader) refuse(field int, a *datasets.Attribute, text string) {
	shown := text
	if len(shown) > 80 {
		shown = strings.ToValidUTF8(shown[:80], "") + "…"
	}
	switch {
	case !utf8.ValidString(text):
		t.fail(field, "%s: %q is not UTF-8, must be saved in that encoding", a.Name, shown)
	case a.Kind == datasets.Categorical:
		t.fail(field, "%s: %q is not in its public list, must be one of %s",
			a.Name, shown, someOf(a.Values))
	default:
		number, ok := Decimal(text)
		if !ok {
			t.fail(field, "%s: %q is not a number, must be a decimal number in the half-open "+
				"bounds [%v, %v)", a.Name, shown, a.Low, a.High)
			return
		}
		if !(number >= a.Low && number < a.High) {
			t.fail(field, "%s: %s is outside its public bounds, must be in [%v, %v): at least "+
				"the low and below the high bound", a.Name, shown, a.Low, a.High)
			return
		}
		t.fail(field, "%s: %s is between steps, must be %v plus a multiple of %v and below %v",
			a.Name, shown, a.Low, a.Step, a.High)
	}
}

// shortInteger reads integers of up to 15 digits written plainly, by far the commonest numbers;
// false leaves the text to Decimal.
func shortInteger(text string) (int64, bool) {
	negative := false
	if text != "" && text[0] == '-' {
		negative, text = true, text[1:]
	}
	if len(text) == 0 || len(text) > 15 {
		return 0, false
	}
	number := int64(0)
	for i := range len(text) {
		digit := text[i] - '0'
		if digit > 9 {
			return 0, false
		}
		number = 10*number + int64(digit)
	}
	if negative {
		number = -number
	}
	return number, true
}

// Decimal reads a decimal number: neither hexadecimal nor underscores nor the words for infinity
// and not-a-number, all of which strconv would take.
func Decimal(text string) (float64, bool) {
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9', c == '.', c == '-', c == '+', c == 'e', c == 'E':
		default:
			return 0, false
		}
	}
	number, err := strconv.ParseFloat(text, 64)
	return number, err == nil
}
