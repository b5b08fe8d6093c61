package adult

import (
	"bytes"
	"fmt"
	"strings"

	"ppdp/datasets"
)

// reader turns the published text into a table of all attributes. Lines are fields separated by
// commas and a space. adult.test begins with a line that starts with "|" and ends its labels in
// "."; both halves end in an empty line.
type reader struct {
	schema  *datasets.Schema
	codes   [len(columns)]map[string]uint32 // of categorical attributes
	builder *datasets.Builder
	dropped int // rows with a missing value
}

func newReader(rows int) *reader {
	r := &reader{schema: Schema()}
	for i := range r.schema.Attributes {
		a := &r.schema.Attributes[i]
		if a.Kind != datasets.Categorical {
			continue
		}
		r.codes[i] = make(map[string]uint32, len(a.Values))
		for code, value := range a.Values {
			r.codes[i][value] = uint32(code)
		}
	}
	r.builder = datasets.NewBuilder(r.schema, rows)
	return r
}

// read appends the rows of one half. Its error lists every wrong line, or the first twenty, with
// the first wrong field of each; the table is then of no use.
func (r *reader) read(file string, content []byte) error {
	var bad datasets.Problems
	for line := 1; len(content) > 0; line++ {
		var text []byte
		text, content, _ = bytes.Cut(content, []byte("\n"))
		text = bytes.TrimSuffix(text, []byte("\r"))
		if len(text) == 0 || text[0] == '|' {
			continue
		}
		if err := r.row(text); err != nil {
			bad.Add("%s:%d: %w", file, line, err)
		}
	}
	return bad.Err()
}

// row appends one line unless a value is missing in it.
func (r *reader) row(text []byte) error {
	var codes [len(columns)]uint32
	missing := false
	for i := range codes {
		var field []byte
		if i < class {
			comma := bytes.IndexByte(text, ',')
			if comma < 0 {
				return fmt.Errorf("%d fields, must be %d", i+1, len(columns))
			}
			field, text = text[:comma], text[comma+1:]
		} else {
			field = bytes.TrimSuffix(text, []byte("."))
			if comma := bytes.IndexByte(field, ','); comma >= 0 {
				return fmt.Errorf("more than %d fields", len(columns))
			}
		}
		if len(field) > 0 && field[0] == ' ' {
			field = field[1:]
		}
		if len(field) == 1 && field[0] == '?' {
			missing = true
			continue
		}
		var ok bool
		if r.codes[i] == nil {
			codes[i], ok = wholeCode(&columns[i], field)
		} else {
			codes[i], ok = r.codes[i][string(field)]
		}
		if !ok {
			return r.explain(i, field)
		}
	}
	if missing {
		r.dropped++
		return nil
	}
	row := r.builder.AddRow()
	for i, code := range codes {
		r.builder.Set(row, i, code)
	}
	return nil
}

// wholeCode is the cell of a whole number written in digits only; all steps are 1.
func wholeCode(c *column, field []byte) (uint32, bool) {
	if len(field) == 0 || len(field) > 9 {
		return 0, false
	}
	value := 0
	for _, digit := range field {
		if digit < '0' || digit > '9' {
			return 0, false
		}
		value = 10*value + int(digit-'0')
	}
	low, high := int(c.low), int(c.high)
	return uint32(value - low), value >= low && value < high
}

// explain says what is wrong with a field that was refused.
func (r *reader) explain(i int, field []byte) error {
	a := &r.schema.Attributes[i]
	if a.Kind == datasets.Numeric {
		return fmt.Errorf("%s: %q, must be a whole number in [%v, %v)",
			a.Name, field, a.Low, a.High)
	}
	return fmt.Errorf("%s: %q, must be one of %s", a.Name, field, strings.Join(a.Values, ", "))
}
