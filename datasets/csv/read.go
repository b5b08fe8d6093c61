package csvtable

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"ppdp/datasets"
	"ppdp/internal/spelling"
)

// maxRecord is how many bytes one record may have, so that a quote never closed does not draw the
// rest of a large file into memory.
const maxRecord = 1 << 20

// contextRows is how many rows are read between checks of the context.
const contextRows = 1 << 14

// Content is a table as read from text.
type Content struct {
	Table *datasets.Table
	// Dropped counts the rows left out because a value was missing.
	Dropped int
	// Lacking are the names of the attributes for whose missing values rows were left out.
	Lacking []string
	// Beyond counts the rows left out because enough others are the same person's.
	Beyond int
	// LeftOut are the names of the columns that the schema does not describe.
	LeftOut []string
}

// Read reads a table of the format from r, as a stream: memory is needed for the coded rows only.
// It understands quoted fields (RFC 4180), a UTF-8 byte-order mark, line ends of either kind and
// blank lines, which it skips. file names the text in messages.
//
// A row that lacks a value is dropped and counted unless the attribute has a cell for that. The
// other values of a dropped row must be right all the same. A column without any value is an error.
//
// The error lists the first 20 things wrong as file:line:column: attribute: what, and how many more
// there are. Columns count bytes from 1. The context's error is returned as it is.
func (f *Format) Read(ctx context.Context, file string, r io.Reader) (*Content, error) {
	return f.read(ctx, file, r, maxRecord)
}

// read is Read in blocks of a size, 0 for record by record.
func (f *Format) read(ctx context.Context, file string, r io.Reader,
	block int) (*Content, error) {
	t, err := f.reader(file, r, block)
	if err != nil {
		return nil, err
	}
	if t.columnsFound(); !t.bad.Any() {
		if err := t.rows(ctx); err != nil {
			return nil, err
		}
		if !t.bad.Any() {
			t.allMissing()
		}
	}
	if err := t.bad.Err(); err != nil {
		return nil, err
	}
	content := &Content{Dropped: t.dropped, LeftOut: t.leftOut}
	content.Table, content.Beyond = t.limited()
	for a, rows := range t.lacking {
		if rows > 0 && t.columns[a].lacking == dropRow {
			content.Lacking = append(content.Lacking, t.columns[a].attribute.Name)
		}
	}
	return content, nil
}

// limited is the table of the rows read, without those beyond what a person may contribute, and how
// many these are.
func (t *tableReader) limited() (table *datasets.Table, beyond int) {
	table = t.builder.Table()
	if t.format.Person == "" {
		return table, 0
	}
	limited := datasets.OfPersons(table, t.persons, t.ids)
	return limited, table.Len() - limited.Len()
}

func (f *Format) reader(file string, r io.Reader, block int) (*tableReader, error) {
	f = f.of(r)
	guard, err := openRecords(file, decoded(r, f.Latin1), f.Delimiter, f.Trim)
	coder := newCoder(f)
	coder.builder = f.Disk.Builder(f.Schema, 0)
	return &tableReader{coder: coder, file: file, guard: guard, block: block,
		known: make(map[string]int32)}, err
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
func openRecords(file string, r io.Reader, delimiter rune, trim bool) (*recordGuard, error) {
	g := newGuard(file, r, delimiter, trim)
	if mark, _ := g.buffered.Peek(3); bytes.Equal(mark, []byte("\xef\xbb\xbf")) {
		_, _ = g.buffered.Discard(3) // peeked, so it is there
		g.read -= 3
	} else if bytes.HasPrefix(mark, []byte("\xff\xfe")) ||
		bytes.HasPrefix(mark, []byte("\xfe\xff")) {
		return nil, fmt.Errorf("%s:1: UTF-16, must be saved as UTF-8", file)
	}
	return g, nil
}

func newGuard(file string, r io.Reader, delimiter rune, trim bool) *recordGuard {
	g := &recordGuard{file: file, reader: r, trim: trim}
	g.buffered = bufio.NewReaderSize(g, 1<<16) // as large, so that the library has no other
	g.records = csv.NewReader(g.buffered)
	g.records.Comma, g.records.TrimLeadingSpace = delimiter, trim
	g.records.ReuseRecord, g.records.FieldsPerRecord = true, -1
	return g
}

// recordGuard reads records from a text. It ends the reading when a record grows beyond maxRecord,
// and knows in which line of the file the last record was.
type recordGuard struct {
	file     string
	records  *csv.Reader
	reader   io.Reader
	trim     bool          // cuts white space around fields
	buffered *bufio.Reader // what was read and is not yet a record
	read     int64         // bytes that were read
	done     int64         // of these, bytes in complete records
	above    int           // lines of the file before this text
	line     int           // of the last complete record
	end      int           // of this text's lines, those of complete records
	fields   int           // of the first record; 0 before it
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

// tableReader is the state of one Read, Check or ReadTexts: the text, the columns that the header
// names, and the faults found so far.
type tableReader struct {
	*coder
	file    string
	guard   *recordGuard
	block   int      // bytes that are read at once where lines are plain; 0 for none
	above   int      // lines above the rows
	seen    []string // the header's names
	leftOut []string // those that the schema does not describe
	done    int      // records read, with faults or without
	// ids are the persons met so far and persons those of the table's rows, as indices into ids;
	// known finds them.
	ids     []string
	known   map[string]int32
	persons []int32

	bad    datasets.Problems
	noted  func(*Fault) // called with every fault; may be nil
	broken error        // why the text cannot be read to its end; nil if it can
}

// place is where a field of the current record begins; of a Parquet file, its row, 0 for the names.
func (t *tableReader) place(field int) (line, column int) {
	if t.format.parquet {
		return t.done + 1, 0
	}
	line, column = t.guard.records.FieldPos(field)
	return t.guard.above + line, column
}

// fail notes a fault at a field of the current record, and returns it.
func (t *tableReader) fail(kind Kind, field int, format string, args ...any) *Fault {
	line, column := t.place(field)
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
		record, err := t.guard.next()
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
func (g *recordGuard) next() ([]string, error) {
	record, err := g.records.Read()
	var parse *csv.ParseError
	switch {
	case err == io.EOF && g.fields == 1 && g.read > g.done:
		return nil, g.blank()
	case err == io.EOF:
		return nil, err
	case errors.Is(err, errLongRecord):
		return nil, &Fault{Kind: Unreadable, File: g.file, Line: g.line + 1, What: fmt.Sprintf(
			"a record of more than %d bytes; is a quote not closed?", maxRecord)}
	case errors.As(err, &parse):
		parse.Line, parse.StartLine = g.above+parse.Line, g.above+parse.StartLine
		err = &Fault{Kind: Quoting, File: g.file, Line: parse.Line, Column: parse.Column,
			What: quoting(parse, g.records.Comma)}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", g.file, err)
	default:
		g.fields = cmp.Or(g.fields, len(record))
		if first, _ := g.records.FieldPos(0); g.fields == 1 && first > g.end+1 {
			return nil, g.blank()
		}
		line, _ := g.records.FieldPos(len(record) - 1)
		g.line, g.end = g.above+line, line+strings.Count(record[len(record)-1], "\n")
		for i := 0; g.trim && i < len(record); i++ {
			record[i] = strings.TrimSpace(record[i])
		}
	}
	g.done = g.records.InputOffset()
	return record, err
}

// blank is the fault of a blank line where a record has one field. The library skips such lines,
// and the value that may be missing would be gone.
func (g *recordGuard) blank() error {
	return &Fault{Kind: Unreadable, File: g.file, Line: g.above + g.end + 1,
		What: `a blank line in a table of one column: write "" for a missing value, or remove it`}
}

// quoting puts the library's messages about quotes in the words of this package.
func quoting(err *csv.ParseError, delimiter rune) string {
	text := err.Err.Error()
	switch {
	case errors.Is(err.Err, csv.ErrBareQuote):
		text = "a quote inside a field, must be doubled in a field that is quoted"
	case errors.Is(err.Err, csv.ErrQuote):
		text = fmt.Sprintf("a quote that does not fit, must be doubled inside a quoted field, and "+
			"closed before the delimiter %q or the line's end", delimiter)
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
func (t *tableReader) columnsFound() {
	if t.format.Header {
		t.done, t.layout = -1, nil // no column is known where it cannot be read
		t.header()
		t.done = 0
	}
	t.guard.fields = len(t.layout)
}

// header finds the attributes' columns by name.
func (t *tableReader) header() {
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
	if len(record) == 1 && len(names) > 1 && !t.format.parquet {
		if d := strings.IndexAny(record[0], string(usualDelimiters)); d >= 0 {
			t.fail(Delimiter, 0, "the header is one column, %q (delimiter %q), must be one for "+
				"each attribute; is it %q?", shortened(record[0]), t.format.Delimiter, record[0][d])
			return
		}
	}
	t.above = t.guard.end
	found, person := make([]bool, len(names)), t.format.Person
	t.layout = make([]int, len(record))
	t.seen = make([]string, len(record))
	for i, name := range record {
		if !utf8.ValidString(name) {
			t.fail(Header, i, "column %q is not UTF-8, must be saved in that encoding", name)
		}
		t.seen[i] = strings.Clone(name)
		a := slices.Index(names, name)
		t.layout[i] = a // -1 is ignored
		switch {
		case name == t.format.Person && name != "":
			t.layout[i] = personal
			if person == "" {
				t.fail(Header, i, "duplicate column %q in the header", name)
			}
			person = ""
		case a < 0:
			t.leftOut = append(t.leftOut, t.seen[i])
		case found[a]:
			t.fail(Header, i, "duplicate column %q in the header", name)
		default:
			found[a] = true
		}
	}
	where := ", the header names " + t.names() // which is said once
	lacks := func(what, name string) {
		hint := spelling.Hint(name, t.seen)
		if at := slices.IndexFunc(t.seen, func(seen string) bool {
			return strings.EqualFold(seen, name)
		}); at >= 0 {
			hint = fmt.Sprintf(" (%q differs in case alone)", t.seen[at])
		}
		t.fail(Header, 0, "no column for the %s %q%s%s", what, name, hint, where)
		where = ""
	}
	if person != "" {
		lacks("person,", person)
	}
	for a, name := range names {
		if !found[a] {
			what := "attribute"
			if t.format.Schema.Attributes[a].Role == datasets.Class {
				what = "class attribute"
			}
			lacks(what, name)
		}
	}
}

// names lists the header's names for a message.
func (t *tableReader) names() string {
	if t.format.parquet {
		return someOf(t.seen)
	}
	return fmt.Sprintf("%s (delimiter %q)", someOf(t.seen), t.format.Delimiter)
}

// someOf lists names for a message.
func someOf(names []string) string { return datasets.QuoteSome(names, 24) }

// rows reads all rows, in blocks first if they may be plain.
func (t *tableReader) rows(ctx context.Context) error {
	if t.block > 0 && t.format.Delimiter < utf8.RuneSelf && !t.bad.Any() {
		if err := t.blocks(ctx); err != nil {
			return err
		}
	}
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

// allMissing notes the columns of which every value is missing.
func (t *tableReader) allMissing() {
	for a, rows := range t.lacking {
		if rows > 0 && rows == t.done && len(t.format.Missing) > 0 {
			t.note(&Fault{Kind: AllMissing, Attribute: t.columns[a].attribute.Name, File: t.file,
				Line: max(1, t.above), What: fmt.Sprintf("missing in all of %d records, must have "+
					"a value in some, or be kind: ignored in the schema", rows)})
		}
	}
}

// fits reports whether a record has a field for each column, and notes a fault where not.
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
		if a == personal && !t.named(text) {
			t.fail(NoPerson, i, "%s: %q stands for no person, must be the id of one in every "+
				"record", t.format.Person, shortened(text))
			right = false
		}
		if a >= 0 {
			if kind := t.field(a, text, &complete); kind != "" {
				t.refuse(i, &t.columns[a], text, kind)
				right = false
			}
		}
	}
	switch {
	case !right || t.bad.Any(): // after an error only the other errors are of interest
	case !complete:
		t.dropped++
	case t.builder.Len() == math.MaxInt32:
		t.fail(Unreadable, 0, "row %d, must be at most %d rows", t.builder.Len(), math.MaxInt32)
	default:
		t.add()
		t.met(t.people)
		t.people = t.people[:0]
	}
}

// met notes whose rows were added to the table.
func (t *tableReader) met(people []string) {
	for _, id := range people {
		person, known := t.known[id]
		if !known {
			id = strings.Clone(id) // which may be part of a large text
			person = int32(len(t.ids))
			t.known[id], t.ids = person, append(t.ids, id)
		}
		t.persons = append(t.persons, person)
	}
}

// refuse notes a fault that says what is wrong with the text of a field.
func (t *tableReader) refuse(field int, of *column, text string, kind Kind) {
	a := of.attribute
	if !utf8.ValidString(text) {
		kind = Encoding
	}
	fault := &Fault{Kind: kind, Attribute: a.Name, Text: text, File: t.file}
	fault.Line, fault.Column = t.place(field)
	shown, low, high := shortened(text), a.NumberText(a.Low), a.NumberText(a.High)
	switch {
	case kind == Encoding:
		fault.What = fmt.Sprintf("%q is not UTF-8, must be saved in that encoding, or "+
			"encoding: latin-1 be stated in the schema", shown)
	case kind == NotListed:
		fault.What = fmt.Sprintf("%q is not in its public list, must be one of %s", shown,
			someOf(a.Values))
	case kind == NotTime:
		fault.What = fmt.Sprintf("%q is not of the form %s, must be in the half-open bounds "+
			"[%s, %s)", shown, a.Clock, low, high)
	case kind == NotNumber:
		written := "a decimal number"
		if of.comma {
			written += " with a comma"
		}
		fault.What = fmt.Sprintf("%q is not a number, must be %s in the half-open "+
			"bounds [%s, %s)", shown, written, low, high)
	case kind == OutOfBounds:
		fault.What = fmt.Sprintf("%s is outside its public bounds, must be in [%s, %s): at least "+
			"the low and below the high bound", shown, low, high)
	case a.Continuous:
		fault.What = fmt.Sprintf("%s has too many digits, must have at most %d after the point",
			shown, *a.Digits)
	default:
		fault.What = fmt.Sprintf("%s is between steps, must be %s plus a multiple of %v and "+
			"below %s", shown, low, a.Step, high)
	}
	t.note(fault)
}

// numberOf is ParseNumber of a text with a decimal point, or with a comma in its place.
func numberOf(a *datasets.Attribute, text string, comma bool) (float64, bool) {
	if comma && a.Clock == "" {
		return decimal(text, true)
	}
	return a.ParseNumber(text)
}

// decimal is Decimal of a number with a point, or with a comma in its place.
func decimal(text string, comma bool) (float64, bool) {
	if comma && strings.Contains(text, ".") {
		return 0, false
	}
	if comma {
		text = strings.Replace(text, ",", ".", 1)
	}
	return datasets.Decimal(text)
}
