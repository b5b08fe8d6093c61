package csvtable

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
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
	// Delimiter separates fields; 0 chooses the one of comma, semicolon, tab and bar that splits
	// the first records into the most fields of equal number.
	Delimiter rune
	// NoHeader says that the first record is data; the columns are then called c1, c2, ...
	NoHeader bool
	// Class names the attribute to predict, which is drafted as categorical. Empty leaves the
	// choice to whoever reviews the draft.
	Class string
	// Missing are the texts that stand for a missing value; nil takes those of the usual ones that
	// occur: an empty field, ?, NA, N/A, NaN, nan, null, NULL.
	Missing []string
	// MaxValues is the largest number of different texts a categorical attribute may have before
	// its column is taken for an identifier or free text and left out; 0 means 100.
	MaxValues int
}

var usualMarkers = []string{"", "?", "NA", "N/A", "NaN", "nan", "null", "NULL"}

var usualDelimiters = []rune{',', ';', '\t', '|'}

// sampleSize is how many bytes the delimiter is chosen by.
const sampleSize = 1 << 16

// Draft writes a schema file for the table at path, which may be gzip. The table can be read with
// it as it stands, but bounds and lists come from private data: the draft says at its top that they
// must be reviewed before anything is released. It is an error when no column can be described.
func Draft(w io.Writer, path string, options DraftOptions) error {
	text, err := Open(path, nil)
	if err != nil {
		return err
	}
	defer text.Close()
	return draft(w, path, text, options)
}

func draft(w io.Writer, file string, r io.Reader, options DraftOptions) error {
	buffered := bufio.NewReaderSize(r, sampleSize)
	s := profile{file: file, markers: options.Missing, most: options.MaxValues,
		class: options.Class}
	sample, _ := buffered.Peek(sampleSize)
	if options.Delimiter != 0 && !validDelimiter(options.Delimiter) {
		return fmt.Errorf("delimiter %q, must be neither a quote nor a line break",
			options.Delimiter)
	}
	candidates := usualDelimiters
	if options.Delimiter != 0 {
		candidates = []rune{options.Delimiter}
	}
	s.delimiter, s.trim = layout(sample, candidates...)
	if s.markers == nil {
		s.markers = usualMarkers
	}
	if s.most == 0 {
		s.most = 100
	}
	s.seen = make([]bool, len(s.markers))
	if err := s.read(buffered, !options.NoHeader); err != nil {
		return err
	}
	if options.Missing != nil { // stated, so kept whether or not they occur
		for i := range s.seen {
			s.seen[i] = true
		}
	}
	return s.write(w, !options.NoHeader)
}

type profile struct {
	file      string
	delimiter rune
	trim      bool
	markers   []string
	seen      []bool // which of the markers occur
	most      int
	class     string
	rows      int
	columns   []columnProfile
}

type columnProfile struct {
	name          string
	reason        string // why the column cannot be described; empty when it can
	number        bool   // every value so far is a number
	integer       bool   // and a whole one
	min, max      float64
	values        []string // sorted; nil once there are too many
	tooManyValues bool
	filled        int // rows with a value
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
	records, _, err := openRecords("", bytes.NewReader(sample), delimiter, spaces)
	if err != nil {
		return 0, 0, false
	}
	for {
		record, err := records.Read()
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

func (s *profile) read(r io.Reader, header bool) error {
	records, guard, err := openRecords(s.file, r, s.delimiter, s.trim)
	if err != nil {
		return err
	}
	for first := true; ; first = false {
		record, err := guard.next(s.file, records)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		for i, text := range record {
			if s.trim {
				record[i] = strings.TrimSpace(text)
			}
			if !utf8.ValidString(text) {
				line, column := records.FieldPos(i)
				return fmt.Errorf("%s:%d:%d: %q is not UTF-8, must be saved in that encoding",
					s.file, line, column, text)
			}
		}
		if first {
			s.begin(record, header)
			if header {
				if slices.ContainsFunc(record, hasReturn) { // as in tableReader.header
					return fmt.Errorf("%s:1: %s", s.file, loneReturn)
				}
				continue
			}
		}
		if len(record) != len(s.columns) {
			return fmt.Errorf("%s:%d: %d fields, must be %d (delimiter %q)", s.file, guard.line,
				len(record), len(s.columns), s.delimiter)
		}
		s.rows++
		for i, text := range record {
			s.columns[i].add(text, s)
		}
	}
	if s.rows == 0 {
		return fmt.Errorf("%s: no rows to draft a schema from", s.file)
	}
	return nil
}

func (s *profile) begin(record []string, header bool) {
	s.columns = make([]columnProfile, len(record))
	for i := range s.columns {
		c := &s.columns[i]
		*c = columnProfile{name: "c" + strconv.Itoa(i+1), number: true, integer: true,
			min: math.Inf(1), max: math.Inf(-1)}
		if !header {
			continue
		}
		c.name = strings.Clone(record[i])
		for j := range i {
			if s.columns[j].name == c.name {
				c.reason = "its name is a duplicate in the header"
				s.columns[j].reason = c.reason
			}
		}
		if c.name == "" {
			c.reason = "it has no name in the header"
		} else if unreadable(c.name) {
			c.reason = "its name cannot be matched"
		}
	}
}

func hasReturn(text string) bool { return strings.ContainsRune(text, '\r') }

// unreadable says that a schema cannot hold the text, see compiler.readable.
func unreadable(text string) bool {
	return hasReturn(text) || strings.HasPrefix(text, "\ufeff")
}

func (c *columnProfile) add(text string, s *profile) {
	if marker := slices.Index(s.markers, text); marker >= 0 {
		s.seen[marker] = true
		return
	}
	c.filled++
	if c.number {
		number, ok := Decimal(text)
		c.number = ok
		c.integer = c.integer && ok && number == math.Trunc(number)
		c.min, c.max = math.Min(c.min, number), math.Max(c.max, number)
	}
	if c.tooManyValues {
		return
	}
	if at, known := slices.BinarySearch(c.values, text); !known {
		if len(c.values) == s.most {
			c.values, c.tooManyValues = nil, true
			return
		}
		c.values = slices.Insert(c.values, at, strings.Clone(text))
		if unreadable(text) && c.reason == "" {
			c.reason = "it holds texts that a schema cannot list"
		}
	}
}

// draftMark begins a draft; whoever has reviewed it deletes the line.
const draftMark = "# DRAFT, read off the private data in"

func (s *profile) write(w io.Writer, header bool) error {
	var markers, attributes, leftOut []string
	for i, marker := range s.markers {
		if s.seen[i] {
			markers = append(markers, strconv.Quote(marker))
		}
	}
	described, foundClass := 0, false
	for i := range s.columns {
		c := &s.columns[i]
		isClass := s.class != "" && c.name == s.class
		line, reason := c.describe(isClass, s.most)
		switch {
		case reason == "":
			described++
			foundClass = foundClass || isClass
			attributes = append(attributes, line)
		case !header:
			attributes = append(attributes,
				fmt.Sprintf("{name: %s, kind: ignored} # %s", strconv.Quote(c.name), reason))
		default:
			leftOut = append(leftOut, fmt.Sprintf("%s: %s", strconv.Quote(c.name), reason))
		}
	}
	if described == 0 {
		return fmt.Errorf("%s: no column can be described (delimiter %q): %s", s.file, s.delimiter,
			strings.Join(leftOut, "; "))
	}
	if s.class != "" && !foundClass {
		names := make([]string, len(s.columns))
		for i := range names {
			names[i] = s.columns[i].name
		}
		return fmt.Errorf("%s: class %q is not among the columns a schema can describe, must be "+
			"one of %s", s.file, s.class, someOf(names))
	}
	var b strings.Builder
	fmt.Fprintf(&b, draftMark+" %s.\n", strconv.Quote(filepath.Base(s.file)))
	b.WriteString(`# REVIEW EVERY BOUND AND EVERY LIST BELOW before a release: a schema is public.
# With bounds or values taken from the data no privacy guarantee holds, since one record more could
# change them. Write down what is possible, not what occurs: bounds any person could have
# (half-open: low is inside, high is not), every value the form allowed. Check what is listed as
# missing, name the class, give roles (quasi-identifier, sensitive), and describe in attributes that
# are not quasi-identifiers nothing you would not publish. Then delete these lines.
`)
	fmt.Fprintf(&b, "delimiter: %s\nheader: %t\n", strconv.Quote(string(s.delimiter)), header)
	if s.trim {
		b.WriteString("trim: true\n")
	}
	fmt.Fprintf(&b, "missing: [%s]\n", strings.Join(markers, ", "))
	if s.class != "" {
		fmt.Fprintf(&b, "class: %s\n", strconv.Quote(s.class))
	} else {
		b.WriteString("# class: ...   the attribute to predict, a categorical one\n")
	}
	b.WriteString("attributes:\n")
	for _, line := range attributes {
		fmt.Fprintf(&b, "  - %s\n", line)
	}
	if len(leftOut) > 0 {
		b.WriteString("# Columns left out:\n")
		for _, line := range leftOut {
			fmt.Fprintf(&b, "#   %s\n", line)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// describe is the column's entry, or the reason why it can have none.
func (c *columnProfile) describe(isClass bool, most int) (line, reason string) {
	name := strconv.Quote(c.name)
	switch {
	case c.reason != "":
		return "", c.reason
	case c.filled == 0:
		return "", "it holds no values"
	case c.number && !isClass:
		low, high, step, continuous := c.bounds()
		a := datasets.Attribute{Name: c.name, Low: low, High: high, Step: step,
			Continuous: continuous}
		if a.Validate() != nil || !(c.min >= low && c.max < high) || !a.WholeCells() {
			return "", "its numbers span too much for cells of equal width"
		}
		line = fmt.Sprintf("{name: %s, kind: numeric, low: %s, high: %s, step: %s",
			name, formatNumber(low), formatNumber(high), formatNumber(step))
		if continuous {
			line += ", continuous: true"
		}
		return line + "}", ""
	case c.tooManyValues:
		return "", fmt.Sprintf("more than %d different texts, an identifier or free text?", most)
	}
	quoted := make([]string, len(c.values))
	for i, value := range c.values {
		quoted[i] = strconv.Quote(value)
	}
	return fmt.Sprintf("{name: %s, kind: categorical, values: [%s]}",
		name, strings.Join(quoted, ", ")), ""
}

// bounds rounds the observed range outwards to multiples of a round step: whole numbers get one
// cell each where that gives no more than a million, anything else is continuous in about a hundred
// cells.
func (c *columnProfile) bounds() (low, high, step float64, continuous bool) {
	width := c.max - c.min
	step = 1
	if continuous = !c.integer || width > 1e6; continuous && width > 0 {
		step = roundStep(width / 100)
	}
	low = float64(math.Floor(c.min/step) * step)
	high = float64((math.Floor(c.max/step) + 1) * step)
	return low, high, step, continuous
}

// roundStep is the largest round number up to x: one, two or five times a power of ten, or below
// one a power of two, whose multiples are exact in binary so that cells meet their bounds.
func roundStep(x float64) float64 {
	if x < 1 {
		_, exponent := math.Frexp(x)
		return math.Ldexp(1, exponent-1)
	}
	power := 1.0
	for power*10 <= x {
		power *= 10
	}
	for _, factor := range []float64{5, 2} {
		if float64(factor*power) <= x {
			return float64(factor * power)
		}
	}
	return power
}
