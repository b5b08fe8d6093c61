package csvtable

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppdp/datasets"
)

// DraftOptions say how a table is to be read for a draft. The zero value is usable.
type DraftOptions struct {
	// Delimiter separates fields; 0 chooses the one of comma, semicolon, tab, bar and space that
	// splits the first records into the most fields of equal number.
	Delimiter rune
	// NoHeader says that the first record is data; the columns are then called c1, c2, ...
	NoHeader bool
	// Header says that the first record holds names although it looks like data.
	Header bool
	// Class names the attribute to predict, which is drafted as categorical. Empty leaves the
	// choice to the person who reviews the draft.
	Class string
	// Missing are the texts that stand for a missing value; nil takes those of the usual ones that
	// occur: an empty field, ?, a point or a dash alone, NA, N/A, #N/A, <NA>, NaN, nan, null, NULL.
	Missing []string
}

// mostValues is how many different texts a categorical attribute may have before its column is left
// out.
const mostValues = 100

var usualMarkers = []string{"", "?", ".", "-", "NA", "N/A", "#N/A", "<NA>", "NaN", "nan", "null",
	"NULL"}

// usualDelimiters are in the order in which they are preferred.
var usualDelimiters = []rune{',', ';', '\t', '|', ' '}

// sampleSize is how many bytes the delimiter is chosen by.
const sampleSize = 1 << 16

// Draft writes a schema file for the table at path, which may be gzip or Parquet. The table can be
// read with it as it stands, but bounds and lists come from private data: the draft says at its top
// that they must be reviewed before anything is released. Columns that no schema can describe,
// identifiers and free text are left out; notes says which and why, and what else was guessed. It
// is an error when no column can be described, and when the table has a name twice, data in place
// of names, NUL bytes, or infinity among numbers.
func Draft(w io.Writer, path string, options DraftOptions) (notes []string, err error) {
	return draft(w, path, func() (*Text, error) { return Open(path, nil) }, options)
}

// draft drafts a schema for a text that can be opened again: once more in the other encoding or
// with decimal commas if need be.
func draft(w io.Writer, file string, open func() (*Text, error),
	options DraftOptions) ([]string, error) {
	if options.Delimiter != 0 && !validDelimiter(options.Delimiter) {
		return nil, fmt.Errorf("delimiter %q, must be neither a quote nor a line break",
			options.Delimiter)
	}
	as := profile{DraftOptions: options, file: file}
	for {
		s := as
		switch err := s.profile(open); {
		case errors.Is(err, errNotUTF8) && !s.latin1:
			as.latin1 = true
			as.note("%s is not UTF-8: it is read as Latin-1 (encoding: latin-1)", file)
		case err == nil && !s.comma && s.commas():
			as.comma = true
			as.note("numbers have a decimal comma (decimal: \",\")")
		case err != nil:
			return nil, err
		default:
			err := s.write(w)
			return s.notes, err
		}
	}
}

// commas reports whether the table's numbers are written with a comma in place of a point: a column
// is read as numbers in that way alone, and none has a point that cannot stand between thousands.
func (s *profile) commas() bool {
	return slices.ContainsFunc(s.columns, func(c draftColumn) bool {
		return c.filled > 0 && c.eitherWay && c.comma
	}) && !slices.ContainsFunc(s.columns, func(c draftColumn) bool {
		return c.filled > 0 && c.number && c.point
	})
}

// errNotUTF8 is a text that is read once more in the other encoding.
var errNotUTF8 = errors.New("not UTF-8, must be saved in that encoding")

// profile is what a draft is written from: the options, and what was read of the table's layout and
// columns.
type profile struct {
	DraftOptions
	file    string
	parquet bool // lines are its rows
	latin1  bool
	comma   bool // in place of the decimal point
	trim    bool
	seen    []bool // which of the markers occur
	rows    int
	columns []draftColumn
	notes   []string
}

func (s *profile) note(format string, args ...any) {
	s.notes = append(s.notes, fmt.Sprintf(format, args...))
}

// profile reads the table once.
func (s *profile) profile(open func() (*Text, error)) error {
	text, err := open()
	if err != nil {
		return err
	}
	defer text.Close()
	s.parquet = (&Format{Missing: s.Missing, Comma: s.comma}).of(text).parquet
	if s.parquet {
		s.Delimiter, s.NoHeader, s.Header = ',', false, true
	}
	buffered := bufio.NewReaderSize(decoded(text, s.latin1 && !s.parquet), sampleSize)
	sample, _ := buffered.Peek(sampleSize) // an error comes again when the table is read
	candidates := usualDelimiters
	if s.Delimiter != 0 {
		candidates = []rune{s.Delimiter}
	}
	var spaces bool
	s.Delimiter, spaces = layout(sample, candidates...)
	s.trim = spaces && !s.parquet && !unicode.IsSpace(s.Delimiter)
	stated := s.Missing != nil
	if !stated {
		s.Missing = usualMarkers
	}
	s.seen = slices.Repeat([]bool{stated}, len(s.Missing)) // stated ones are kept in any case
	if err := s.read(buffered); err != nil {
		return err
	}
	return s.judge()
}

// layout chooses the delimiter, of those given, and whether white space is to be trimmed by the
// first bytes of the text.
func layout(sample []byte, candidates ...rune) (chosen rune, trim bool) {
	if end := bytes.LastIndexByte(sample, '\n'); len(sample) == sampleSize && end >= 0 {
		sample = sample[:end] // the last record may be torn
	}
	best, widest := 0, 0
	for i, delimiter := range candidates {
		fields, first, spaces := evenFields(sample, delimiter)
		if fields <= 1 {
			// Where none splits all records alike, the one that splits the first into the most is
			// chosen: reading will then name the records that do not fit, and not take each for a
			// single text.
			fields, first = 1, max(first, 1)
		}
		if i == 0 || fields > best || fields == 1 && best == 1 && first > widest {
			best, widest, chosen, trim = fields, first, delimiter, spaces
		}
	}
	return chosen, trim
}

// evenFields is the number of fields all records have, 0 when they differ, the number that the
// first has, and whether white space occurs beside a delimiter. That it may also occur within
// quotes does no harm.
func evenFields(sample []byte, delimiter rune) (fields, first int, spaces bool) {
	// A schema allows no trimming where the delimiter is white space itself.
	if !unicode.IsSpace(delimiter) {
		spaces = bytes.Contains(sample, []byte(string(delimiter)+" ")) ||
			bytes.Contains(sample, []byte(" "+string(delimiter)))
	}
	guard, err := openRecords("", bytes.NewReader(sample), delimiter, spaces)
	if err != nil {
		return 0, 0, false
	}
	for {
		record, err := guard.records.Read()
		if err != nil {
			return fields, first, spaces // the end, or what reading the table will complain about
		}
		if first == 0 {
			fields, first = len(record), len(record)
		}
		if len(record) != fields {
			return 0, first, spaces
		}
	}
}

// read reads all records and adds their fields to the columns.
func (s *profile) read(r io.Reader) error {
	guard, err := openRecords(s.file, r, s.Delimiter, s.trim)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		record, err := guard.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, text := range record {
			if !utf8.ValidString(text) {
				return errNotUTF8
			}
			if strings.ContainsRune(text, 0) {
				line, column := guard.records.FieldPos(i)
				return fmt.Errorf("%s:%d:%d: %q holds a NUL byte, must be text; is it UTF-16, or "+
					"no table?", s.file, line, column, shortened(text))
			}
		}
		if first {
			if err := s.begin(record); err != nil {
				return err
			}
			if !s.NoHeader {
				continue
			}
		}
		if len(record) != len(s.columns) {
			return fmt.Errorf("%s:%d: %d fields, must be %d (delimiter %q)", s.file, guard.line,
				len(record), len(s.columns), s.Delimiter)
		}
		s.rows++
		line := guard.line
		if s.parquet {
			line = s.rows
		}
		for i, text := range record {
			s.columns[i].add(text, s, line)
		}
	}
	if s.rows == 0 {
		return fmt.Errorf("%s: no rows to draft a schema from", s.file)
	}
	return nil
}

// begin makes a column for each field of the first record, named by it if that is the header.
func (s *profile) begin(record []string) error {
	s.columns = make([]draftColumn, len(record))
	if !s.NoHeader && slices.ContainsFunc(record, hasReturn) { // as in tableReader.header
		return fmt.Errorf("%s:1: %s", s.file, loneReturn)
	}
	var bad datasets.Problems
	first := make(map[string]int)
	for i := range s.columns {
		c := newDraftColumn("c" + strconv.Itoa(i+1))
		if !s.NoHeader {
			c.name = strings.Clone(record[i])
			switch before, twice := first[c.name]; {
			case c.name == "":
				c.reason = "it has no name in the header"
			case unreadable(c.name):
				c.reason = "its name cannot be matched"
			case twice:
				bad.Add("%s:1: columns %d and %d are both called %q, must have different names "+
					"(or --no-header, if the first line is data)", s.file, before+1, i+1, c.name)
			default:
				first[c.name] = i
			}
		}
		s.columns[i] = c
	}
	return bad.Err()
}

func hasReturn(text string) bool { return strings.ContainsRune(text, '\r') }

// unreadable says that a schema cannot hold the text, see compiler.readable.
func unreadable(text string) bool {
	return hasReturn(text) || strings.HasPrefix(text, "\ufeff")
}

// judge rejects infinity among numbers, and data in place of names.
func (s *profile) judge() error {
	var bad datasets.Problems
	for i := range s.columns {
		if c := &s.columns[i]; c.number && c.filled > 0 && c.infinite != 0 {
			bad.Add("%s:%d: %s: %q among numbers, must be a number; list it by --missing if it "+
				"means that a value is missing", s.file, c.infinite, c.name, c.infiniteText)
		}
	}
	if !s.NoHeader && !s.Header {
		if names := s.dataAsNames(); names != nil {
			bad.Add("%s:1: the first line looks like data, not names: %s occur like values of "+
				"their columns; state --no-header, or --header if they are names", s.file,
				someOf(names))
		}
	}
	return bad.Err()
}

// dataAsNames lists the names that look like values of their columns, if that is what they are: a
// number above numbers, or a text that occurs again below it. If a column of numbers has a name
// that is no number, the first record holds names.
func (s *profile) dataAsNames() []string {
	var like []string
	numbers, texts := 0, 0
	for i := range s.columns {
		c := &s.columns[i]
		_, isNumber := decimal(c.name, s.comma)
		_, occurs := slices.BinarySearch(c.values, c.name)
		switch {
		case c.filled == 0 || c.name == "" || slices.Contains(s.Missing, c.name):
		case c.number && !isNumber:
			return nil
		case c.number:
			numbers++
			like = append(like, c.name)
		case !c.tooMany:
			texts++
			if occurs {
				like = append(like, c.name)
			}
		}
	}
	if numbers == 0 && 2*len(like) < texts {
		return nil // a value that is called like its column happens
	}
	return like
}

// draftMark begins a draft; the person who has reviewed it deletes the line.
const draftMark = "# DRAFT, read off the private data in"

const draftHead = `# REVIEW EVERY BOUND AND EVERY LIST BELOW before a release: a schema is public.
# With bounds or values taken from the data no privacy guarantee holds, since one record more could
# change them. Write down what is possible, not what occurs: bounds any person could have
# (half-open: low is inside, high is not), every value the form allowed. Check what is listed as
# missing and which lists are ordered, name the class, give roles (quasi-identifier, sensitive), and
# describe in attributes that are not quasi-identifiers nothing you would not publish. If a person
# may have several records, name the column that tells persons apart: "person: id" and, for how many
# records of each are used at most, "contributions: 1". Then delete these lines.`

// entries describes the columns: those to list, those to leave out, and how many are listed. keep
// lists whatever can be described.
func (s *profile) entries(keep bool) (attributes, leftOut []string, described int) {
	for i := range s.columns {
		c := &s.columns[i]
		name := strconv.Quote(c.name)
		entry, reason := c.describe(s.Class != "" && c.name == s.Class)
		if len(c.clocks) > 1 && entry != "" && !c.number && c.name != s.Class {
			s.note("%s: dates are read as %s, they may be %s", name, c.clocks[0].Clock,
				c.clocks[1].Clock)
		}
		if c.padded() && entry != "" && c.name != s.Class {
			s.note("%s: its numbers begin with zeros: they are codes, kept as texts", name)
		}
		if persons := c.persons(); persons != "" && c.integer && entry != "" && reason == "" {
			s.note("%s is taken for an amount%s; if it is another identifier, leave it out", name,
				persons)
		}
		if !c.number && c.eitherWay && c.filled > 0 {
			s.note("%s: its numbers mix points and commas, or have them between thousands: they "+
				"are read as texts", name)
		}
		if one, other := c.alike(); one != "" && entry != "" {
			s.note("%s: %q and %q differ in case alone: they count as two values", name, one, other)
		}
		if reason == "" || entry != "" && keep {
			described++
			c.described = true
			attributes = append(attributes, "{"+entry+"}")
			continue
		}
		s.note("%s is left out: %s", name, reason)
		if entry != "" {
			reason += "; to keep it: {" + entry + "}"
		}
		if s.NoHeader {
			attributes = append(attributes, fmt.Sprintf("{name: %s, kind: ignored} # %s", name,
				reason))
		} else {
			leftOut = append(leftOut, name+": "+reason)
		}
	}
	return attributes, leftOut, described
}

// write writes the schema file. If every column looks like an identifier, they are described all
// the same.
func (s *profile) write(w io.Writer) error {
	before := len(s.notes)
	attributes, leftOut, described := s.entries(false)
	if described == 0 { // better identifiers than nothing
		s.notes = s.notes[:before]
		attributes, leftOut, described = s.entries(true)
	}
	if described == 0 {
		return fmt.Errorf("%s: no column can be described (delimiter %q): %s", s.file, s.Delimiter,
			strings.Join(append(leftOut, s.notes...), "; "))
	}
	var names, lacking []string
	classFound := s.Class == ""
	for i := range s.columns {
		c := &s.columns[i]
		names = append(names, c.name)
		if c.name == s.Class && c.reason == "" && !c.tooMany && c.filled > 0 {
			classFound = true
		}
		if c.missing && c.described {
			lacking = append(lacking, c.name)
		}
	}
	if !classFound {
		return fmt.Errorf("%s: class %q is not among the columns a schema can describe, must "+
			"be one of %s", s.file, s.Class, someOf(names))
	}
	var b strings.Builder
	line := func(stated bool, format string, args ...any) {
		if stated {
			fmt.Fprintf(&b, format+"\n", args...)
		}
	}
	line(true, draftMark+" %q.\n"+draftHead, filepath.Base(s.file))
	line(true, "delimiter: %q\nheader: %t", string(s.Delimiter), !s.NoHeader)
	line(s.latin1, "encoding: latin-1")
	line(s.comma, `decimal: ","`)
	line(s.trim, "trim: true")
	var markers []string
	for i, marker := range s.Missing {
		if s.seen[i] {
			markers = append(markers, marker)
		}
	}
	line(true, "missing: [%s]", quoted(markers))
	line(len(lacking) > 0 && len(markers) > 0,
		"missing-as-value: [%s]   # keeps their records; true is all columns", quoted(lacking))
	switch guess := s.target(); {
	case s.Class != "":
		line(true, "class: %q", s.Class)
	case guess != "":
		line(true, "# class: %q   the attribute to predict: a guess, name it if it is right", guess)
		s.note("no class is named; %q looks like one (--class)", guess)
	default:
		line(true, "# class: ...   the attribute to predict, a categorical one")
	}
	line(true, "attributes:")
	for _, entry := range attributes {
		line(true, "  - %s", entry)
	}
	line(len(leftOut) > 0, "# Columns left out:")
	for _, reason := range leftOut {
		line(true, "#   %s", reason)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// target guesses the attribute to predict: one that is called so, else the last column, if it has
// few values. Empty without a guess.
func (s *profile) target() string {
	guess := ""
	for i := range s.columns {
		c := &s.columns[i]
		if n := len(c.values); c.tooMany || c.reason != "" || n < 2 || n > 10 {
			continue
		}
		switch strings.ToLower(c.name) {
		case "class", "target", "label", "outcome", "y":
			return c.name
		}
		if i == len(s.columns)-1 && (!c.number || len(c.values) == 2) {
			guess = c.name
		}
	}
	return guess
}
