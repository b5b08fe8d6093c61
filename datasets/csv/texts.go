package csvtable

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"

	"ppdp/datasets"
)

// Texts is a table as it was published, without a schema: every column is a list of texts, whatever
// they mean. Generalised tables are read as this.
type Texts struct {
	Columns []TextColumn
	Rows    int
}

// TextColumn is a column of texts.
type TextColumn struct {
	Name string
	// Texts are the different texts in the order of their first occurrence.
	Texts []string
	// Codes holds for each row the index of its text.
	Codes datasets.Column
}

// Column is the column of that name, or nil.
func (t *Texts) Column(name string) *TextColumn {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// ReadTexts reads a published table from r. It must have a column for every name in need; the
// others are read too. The delimiter is the format's, or else a usual one under which the header
// names them: programs that anonymise do not always write what they read. A table without those
// names in its first record is read without a header if the format has none and the number of
// fields is right. Errors are those of Read.
func (f *Format) ReadTexts(ctx context.Context, file string, r io.Reader,
	need []string) (*Texts, error) {
	return f.readTexts(ctx, file, r, need, nil)
}

// ReadAnyTexts is ReadTexts that goes on after records it cannot read, or that are not as long as
// the header: unread counts them. Only a text that is no table, or lacks a column, is an error.
func (f *Format) ReadAnyTexts(ctx context.Context, file string, r io.Reader,
	need []string) (texts *Texts, unread int, err error) {
	as := *f
	as.Latin1 = true // where it is not UTF-8
	texts, err = as.readTexts(ctx, file, r, need, func(*Fault) { unread++ })
	return texts, unread, err
}

// readTexts is ReadTexts, or with noted, which is called with the faults of records, ReadAnyTexts.
func (f *Format) readTexts(ctx context.Context, file string, r io.Reader, need []string,
	noted func(*Fault)) (*Texts, error) {
	f = f.of(r)
	buffered := bufio.NewReaderSize(r, sampleSize)
	sample, _ := buffered.Peek(sampleSize) // an error comes again when the table is read
	whole := sample
	if len(sample) == sampleSize { // the last letter may be torn
		whole = sample[:len(sample)-utf8.UTFMax]
	}
	latin1 := f.Latin1 && !utf8.Valid(whole)
	if latin1 {
		if sample, err := charmap.Windows1252.NewDecoder().Bytes(sample); err == nil {
			whole = sample
		}
	}
	as := f.published(whole, need)
	as.Latin1 = latin1
	guard, err := openRecords(file, decoded(buffered, as.Latin1), as.Delimiter, as.Trim)
	if err != nil {
		return nil, err
	}
	t := &tableReader{coder: &coder{format: as}, file: file, guard: guard}
	if t.columnsFound(); t.bad.Any() {
		return nil, t.bad.Err()
	}
	texts := &Texts{Columns: make([]TextColumn, len(t.layout))}
	for i, a := range t.layout {
		switch name := &texts.Columns[i].Name; {
		case as.Header:
			*name = t.seen[i]
		case a >= 0:
			*name = as.Schema.Attributes[a].Name
		default:
			*name = fmt.Sprintf("c%d", i+1) // a column to skip
		}
	}
	t.noted = noted
	err = t.texts(ctx, texts)
	if noted != nil && ctx.Err() == nil {
		err = t.broken
	}
	return texts, err
}

// published is the format in which a published table is written, by its beginning.
func (f *Format) published(sample []byte, need []string) *Format {
	as := *f
	as.Header, as.Person = true, ""
	as.Schema = &datasets.Schema{Attributes: make([]datasets.Attribute, len(need))}
	for i, name := range need {
		as.Schema.Attributes[i].Name = name
	}
	candidates := append([]rune{f.Delimiter}, usualDelimiters...)
	for _, delimiter := range candidates {
		as.Delimiter, as.Trim = delimiter, f.Trim && !unicode.IsSpace(delimiter)
		guard, err := openRecords("", bytes.NewReader(sample), delimiter, as.Trim)
		if err != nil {
			continue // said when the table is read
		}
		record, _ := guard.next()
		missing := slices.ContainsFunc(need, func(name string) bool {
			return !slices.Contains(record, name)
		})
		switch {
		case len(record) > 0 && !missing:
			return &as
		case !f.Header && len(record) == len(f.layout):
			plain := *f
			plain.Delimiter, plain.Trim = delimiter, as.Trim
			return &plain
		}
	}
	as.Delimiter, _ = layout(sample, candidates...)
	as.Trim = f.Trim && !unicode.IsSpace(as.Delimiter)
	return &as
}

// texts reads the records below the header.
func (t *tableReader) texts(ctx context.Context, texts *Texts) error {
	index := make([]map[string]uint32, len(texts.Columns))
	for i := range index {
		index[i] = make(map[string]uint32)
	}
	for ; ; t.done++ {
		if t.done%contextRows == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		record, ok := t.next()
		if !ok {
			return t.bad.Err()
		}
		if !t.fits(record) {
			continue
		}
		if texts.Rows == math.MaxInt32 {
			t.fail(Unreadable, 0, "row %d, must be at most %d rows", texts.Rows, math.MaxInt32)
			return t.bad.Err()
		}
		for i, text := range record {
			code, known := index[i][text]
			if !known {
				if !utf8.ValidString(text) && t.noted == nil {
					t.fail(Encoding, i, "%s: %q is not UTF-8, must be saved in that encoding",
						texts.Columns[i].Name, text)
				}
				code, text = uint32(len(index[i])), strings.Clone(text)
				index[i][text] = code
				texts.Columns[i].Texts = append(texts.Columns[i].Texts, text)
			}
			texts.Columns[i].Codes.Append(code)
		}
		texts.Rows++
	}
}
