package csvtable

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ppdp/datasets"
)

// Kind is a kind of fault that a table's text may have.
type Kind string

// The kinds of faults. After one of the first three nothing more of a text can be read.
const (
	Unreadable   Kind = "unreadable"
	Delimiter    Kind = "delimiter"
	Header       Kind = "header"
	Quoting      Kind = "quoting"
	FieldCount   Kind = "number of fields"
	Encoding     Kind = "encoding"
	NotListed    Kind = "not in the list"
	NotNumber    Kind = "not a number"
	NotTime      Kind = "not a date or time"
	OutOfBounds  Kind = "out of bounds"
	BetweenSteps Kind = "between steps"
	NoPerson     Kind = "no person"
	AllMissing   Kind = "all missing"
)

// Fault is something wrong at a place of a table's text.
type Fault struct {
	Kind         Kind
	File         string
	Line, Column int    // from 1; columns count bytes, 0 stands for none; of Parquet, the row
	Attribute    string // empty where it is about a record
	Text         string // the field
	What         string // what is wrong, and what must be
}

func (f *Fault) Error() string {
	what := f.What
	if f.Attribute != "" {
		what = f.Attribute + ": " + what
	}
	if f.Line == 0 {
		return fmt.Sprintf("%s: %s", f.File, what)
	}
	if f.Column == 0 {
		return fmt.Sprintf("%s:%d: %s", f.File, f.Line, what)
	}
	return fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Column, what)
}

// Checked is what Check found in a table: its faults, by kind and attribute, and its missing
// values.
type Checked struct {
	Records int `json:"records"` // below the header, with faults or without
	Faulty  int `json:"faulty_records"`
	// Lacking are attributes with missing values.
	Lacking []Lacking `json:"missing"`
	LeftOut []string  `json:"columns_left_out"`
	// Beyond counts the complete records left out because enough others are the same person's; 0
	// where there are faults.
	Beyond int `json:"beyond_contributions"`
	// Faults are in the order in which the first of each kind was found.
	Faults []Faults `json:"faults"`
}

// Lacking counts rows that lack an attribute, and says whether they are kept.
type Lacking struct {
	Attribute string `json:"attribute"`
	Rows      int    `json:"rows"`
	Kept      bool   `json:"kept"`
}

// Faults are the faults of one kind in one attribute, or in records.
type Faults struct {
	Kind      Kind   `json:"kind"`
	Attribute string `json:"attribute,omitempty"`
	Count     int    `json:"count"`
	// Examples are the first few, each text once.
	Examples []Example `json:"examples"`
	// Mend says what to do about them.
	Mend string `json:"mend"`
}

// Example is a text with its first place.
type Example struct {
	Line   int    `json:"line"`
	Column int    `json:"column,omitempty"`
	What   string `json:"what"`
	Times  int    `json:"times"`

	text string
}

// mostExamples are shown of a kind of fault.
const mostExamples = 5

// Check reads a table by the same rules as Read and gathers everything that Read would refuse. Only
// a text that cannot be opened or read to its end is an error, as is the context's.
func (f *Format) Check(ctx context.Context, file string, r io.Reader) (*Checked, error) {
	t, err := f.reader(file, r, maxRecord)
	if err != nil {
		return nil, err
	}
	checked, last, unread := new(Checked), -1, 0
	t.noted = func(fault *Fault) {
		if fault.Kind == Quoting {
			unread++
		} else if fault.Kind != Header && fault.Kind != Delimiter && t.done != last {
			checked.Faulty++
			last = t.done
		}
		checked.note(fault)
	}
	t.columnsFound()
	// A table that lacks a column can be checked in the others, one that is no table cannot.
	if len(t.layout) > 0 {
		if err := t.rows(ctx); err != nil {
			return nil, err
		}
	}
	if t.broken != nil {
		return nil, t.broken
	}
	if len(checked.Faults) == 0 {
		faulty := checked.Faulty
		t.allMissing() // is about no record
		checked.Faulty = faulty
	}
	checked.Records, checked.LeftOut = t.done+unread, t.leftOut
	checked.Faulty += unread
	for a, rows := range t.lacking {
		if rows > 0 {
			checked.Lacking = append(checked.Lacking, Lacking{f.Schema.Attributes[a].Name, rows,
				t.columns[a].lacking != dropRow})
		}
	}
	for i := range checked.Faults {
		checked.Faults[i].Mend = f.mend(&checked.Faults[i])
	}
	if len(checked.Faults) == 0 {
		if t.builder.Len() == 0 {
			return nil, noRows(file, t.dropped)
		}
		_, checked.Beyond = t.limited()
	}
	return checked, nil
}

func noRows(file string, dropped int) error {
	return fmt.Errorf("%s: no rows to use (%d with a missing value were dropped), must have at "+
		"least one", file, dropped)
}

func (c *Checked) note(fault *Fault) {
	at := slices.IndexFunc(c.Faults, func(f Faults) bool {
		return f.Kind == fault.Kind && f.Attribute == fault.Attribute
	})
	if at < 0 {
		at = len(c.Faults)
		c.Faults = append(c.Faults, Faults{Kind: fault.Kind, Attribute: fault.Attribute})
	}
	group := &c.Faults[at]
	group.Count++
	for i := range group.Examples {
		if fault.Attribute != "" && group.Examples[i].text == fault.Text {
			group.Examples[i].Times++
			return
		}
	}
	if len(group.Examples) < mostExamples {
		group.Examples = append(group.Examples, Example{Line: fault.Line, Column: fault.Column,
			What: fault.What, Times: 1, text: strings.Clone(fault.Text)})
	}
}

// mends are what to change about faults of most kinds.
var mends = map[Kind]string{
	Unreadable: "mend the table at this place; nothing after it was read",
	Delimiter:  "state the table's delimiter in the schema",
	Header: "rename columns in the table or attributes in the schema until they are the same, " +
		"upper and lower case included; header: false reads a table without names",
	FieldCount: "quote fields that hold the delimiter or a line break, fill in what is missing, " +
		"or state another delimiter in the schema",
	Encoding: "state encoding: latin-1 in the schema if that is what it is, or save the table " +
		"as UTF-8",
	NotTime: "list texts that mean no date or time under missing: in the schema, or state " +
		"another form under time:",
	OutOfBounds: "widen low and high in the schema to all that is possible, not to what occurs, " +
		"or mend the table",
	BetweenSteps: "state a finer step or more digits in the schema, or continuous: true with the " +
		"width of cells",
	NoPerson:   "give every record the id of the person whom it is about",
	AllMissing: "leave the column out by kind: ignored in the schema, or mend the table",
}

// mend suggests what to change about faults of a kind, judging by their examples.
func (f *Format) mend(faults *Faults) string {
	some := func(holds func(text string) bool) bool {
		return slices.ContainsFunc(faults.Examples, func(e Example) bool { return holds(e.text) })
	}
	switch at := f.Schema.Index(faults.Attribute); faults.Kind {
	case Quoting:
		return fmt.Sprintf(`state another delimiter than %q in the schema if fields end in one, `+
			`or double a quote inside a quoted field ("")`, f.Delimiter)
	case NotNumber:
		switch {
		case some(func(text string) bool {
			_, ok := datasets.Decimal(strings.TrimSpace(text))
			return ok
		}):
			return "cut the white space around fields with trim: true in the schema"
		case some(func(text string) bool {
			_, ok := datasets.Decimal(strings.Replace(text, ",", ".", 1))
			return ok
		}):
			return "write numbers with a point and without marks between thousands, or state " +
				"decimal: \",\" in the schema if all have a comma"
		case some(isNotFinite):
			return "list texts that mean no number under missing: in the schema; infinity is no " +
				"number"
		}
		return "list texts that mean no number under missing: in the schema, or mend the table"
	case NotListed:
		values := f.Schema.Attributes[at].Values
		for _, example := range faults.Examples {
			for _, value := range values {
				if example.text != value && strings.EqualFold(strings.TrimSpace(example.text),
					strings.TrimSpace(value)) {
					return fmt.Sprintf("%s may be meant for %s: spell both alike, or cut white "+
						"space with trim: true", strconv.Quote(example.text), strconv.Quote(value))
				}
			}
		}
		if some(func(text string) bool { return slices.Contains(usualMarkers, text) }) {
			return "list texts that stand for a missing value under missing: in the schema"
		}
		return "add to values in the schema whatever is possible, or mend the table"
	}
	return mends[faults.Kind]
}

// isNotFinite reports whether a text is a word for infinity or not-a-number.
func isNotFinite(text string) bool {
	return slices.Contains([]string{"inf", "infinity", "nan", "∞"},
		strings.ToLower(strings.TrimLeft(text, "+-")))
}
