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

	"golang.org/x/text/encoding/charmap"

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
	t, err := f.reader(file, r)
	if err != nil {
		return nil, err
	}
	content := new(Content)
	if t.columnsFound(content); !t.bad.Any() {
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

func (f *Format) reader(file string, r io.Reader) (*tableReader, error) {
	records, guard, err := openRecords(file, decoded(r, f.Latin1), f.Delimiter, f.Trim)
	attributes := len(f.Schema.Attributes)
	return &tableReader{
		format: f, file: file, records: records, guard: guard,
		builder: datasets.NewBuilder(f.Schema, 0), codes: make([]uint32, attributes),
		numbers: make([]float64, attributes), lacking: make([]int, attributes),
	}, err
}

// decoded is the text of r in UTF-8. Windows-1252 has all of Latin-1's letters and others besides.
func decoded(r io.Reader, latin1 bool) io.Reader {
	if latin1 {
		return charmap.Windows1252.NewDecoder().Reader(r)
	}
	return r
}

// shortened is a text for a message.
func shortened(text string) string {
	if len(text) > 80 {
		return strings.ToValidUTF8(text[:80], "") + "…"
	}
	return text
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
	done    int       // records read, right or wrong
	dropped int
	lacking []int // of each attribute: rows that lack it and cannot be kept without

	bad    datasets.Problems
	noted  func(*Fault) // told of every fault; may be nil
	broken error        // of the reader, where the text ends early
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
		} else if a.Clock == "" && !a.Continuous && a.Step == 1 && a.Low == math.Trunc(a.Low) &&
			math.Abs(a.Low) < 1<<53 {
			// Cells is the number of integers in [Low, High), whether or not High is one itself.
			c.integers, c.low = true, int64(a.Low)
			c.high = c.low + int64(a.Cells())
		}
		columns[i] = c
	}
	return columns
}

// fail notes a fault at a field of the current record. It returns what it noted for details.
func (t *tableReader) fail(kind Kind, field int, format string, args ...any) *Fault {
	line, column := t.records.FieldPos(field)
	fault := &Fault{Kind: kind, File: t.file, Line: line, Column: column,
		What: fmt.Sprintf(format, args...)}
	t.note(fault)
	return fault
}

// note keeps a fault, in full if few were noted before.
func (t *tableReader) note(fault *Fault) {
	t.bad.AddError(fault)
	if t.noted != nil {
		t.noted(fault)
	}
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
		var fault *Fault
		if !errors.As(err, &fault) {
			t.bad.AddError(err)
			t.broken = err
			return nil, false
		}
		t.note(fault)
		if fault.Kind != Quoting { // others can be read after that
			return nil, false
		}
	}
}

// next reads a record. Its error is io.EOF at the end, else it names the place in the file.
func (g *recordGuard) next(file string, records *csv.Reader) ([]string, error) {
	record, err := records.Read()
	var parse *csv.ParseError
	switch {
	case err == io.EOF:
		return nil, err
	case errors.Is(err, errLongRecord):
		return nil, &Fault{Kind: Unreadable, File: file, Line: g.line + 1, What: fmt.Sprintf(
			"a record of more than %d bytes; is a quote not closed?", maxRecord)}
	case errors.As(err, &parse):
		err = &Fault{Kind: Quoting, File: file, Line: parse.Line, Column: parse.Column,
			What: quoting(parse)}
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

// columnsFound finds the attributes' columns, by the header if there is one.
func (t *tableReader) columnsFound(content *Content) {
	if t.layout = t.format.layout; t.format.Header {
		t.header(content)
	}
}

// header finds the attributes' columns by name.
func (t *tableReader) header(content *Content) {
	names := t.format.Schema.Names()
	record, ok := t.next()
	if !ok {
		if !t.bad.Any() {
			t.note(&Fault{Kind: Header, File: t.file, Line: 1, What: "an empty file, must begin " +
				"with a header naming " + strings.Join(names, ", ")})
		}
		return
	}
	for i, name := range record {
		if strings.Contains(name, "\r") {
			t.fail(Header, i, "%s", loneReturn)
			return
		}
	}
	found := make([]bool, len(names))
	t.layout = make([]int, len(record))
	t.seen = make([]string, len(record))
	for i, name := range record {
		if !utf8.ValidString(name) {
			t.fail(Header, i, "column %q is not UTF-8, must be saved in that encoding", name)
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
			t.fail(Header, i, "duplicate column %q in the header", name)
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
			t.fail(Header, 0, "no column for the %s %q, the header names %s (delimiter %q)",
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
	for ; ; t.done++ {
		if t.done%contextRows == 0 {
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
		t.fail(FieldCount, min(len(record), len(t.layout))-1, "%d fields, must be %d "+
			"(delimiter %q)", len(record), len(t.layout), t.format.Delimiter)
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
				t.lacking[a]++
				complete = false
			default:
				t.codes[a] = code
			}
			continue
		}
		if slices.Contains(t.format.Missing, text) {
			t.lacking[a]++
			complete = false
			continue
		}
		if c.integers {
			if number, ok := shortInteger(text); ok && number >= c.low && number < c.high {
				t.codes[a] = uint32(number - c.low)
				continue
			}
		}
		number, ok := ParseNumber(c.attribute, text)
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
		t.fail(Unreadable, 0, "row %d, must be at most %d rows", row, math.MaxInt32)
		return
	}
	for a, code := range t.codes {
		if t.columns[a].attribute.Continuous {
			// The code was found a moment ago, so the number is known to be inside the bounds.
			if err := t.builder.SetNumber(row, a, t.numbers[a]); err != nil {
				t.fail(OutOfBounds, 0, "%v", err)
			}
			continue
		}
		t.builder.Set(row, a, code)
	}
}

// refuse explains what is wrong with a text.
func (t *tableReader) refuse(field int, a *datasets.Attribute, text string) {
	shown := shortened(text)
	fault := &Fault{Attribute: a.Name, Text: text, File: t.file}
	fault.Line, fault.Column = t.records.FieldPos(field)
	low, high := shownNumber(a, a.Low), shownNumber(a, a.High)
	switch number, ok := ParseNumber(a, text); {
	case !utf8.ValidString(text):
		fault.Kind = Encoding
		fault.What = fmt.Sprintf("%q is not UTF-8, must be saved in that encoding, or "+
			"encoding: latin-1 be stated in the schema", shown)
	case a.Kind == datasets.Categorical:
		fault.Kind = NotListed
		fault.What = fmt.Sprintf("%q is not in its public list, must be one of %s", shown,
			someOf(a.Values))
	case !ok && a.Clock != "":
		fault.Kind = NotTime
		fault.What = fmt.Sprintf("%q is not of the form %s, must be in the half-open bounds "+
			"[%s, %s)", shown, a.Clock, low, high)
	case !ok:
		fault.Kind = NotNumber
		fault.What = fmt.Sprintf("%q is not a number, must be a decimal number in the half-open "+
			"bounds [%s, %s)", shown, low, high)
	case !(number >= a.Low && number < a.High):
		fault.Kind = OutOfBounds
		fault.What = fmt.Sprintf("%s is outside its public bounds, must be in [%s, %s): at least "+
			"the low and below the high bound", shown, low, high)
	default:
		fault.Kind = BetweenSteps
		fault.What = fmt.Sprintf("%s is between steps, must be %s plus a multiple of %v and "+
			"below %s", shown, low, a.Step, high)
	}
	t.note(fault)
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

// ParseNumber reads a value of a numeric attribute: a decimal number, or a date or time where the
// attribute has a clock.
func ParseNumber(a *datasets.Attribute, text string) (float64, bool) {
	if a.Clock != "" {
		return a.Clock.Number(text)
	}
	return Decimal(text)
}
