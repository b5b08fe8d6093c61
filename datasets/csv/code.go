package csvtable

import (
	"math"
	"slices"

	"ppdp/datasets"
)

// coder turns the fields of records into codes and builds a table of them. It also counts the rows
// that are dropped. Blocks are coded at the same time, by a coder each (another).
type coder struct {
	format  *Format
	layout  []int // for each column of the text: its attribute, or -1
	columns []column
	builder *datasets.Builder
	codes   []uint32  // of the current row
	numbers []float64 // of the current row, for continuous attributes
	dropped int
	lacking []int    // for each attribute, the rows that lack it, whether or not that drops them
	person  string   // whom the current row is about
	people  []string // whom the table's rows are about
}

// column turns the texts of one attribute into codes: read is where all of them become one.
type column struct {
	attribute *datasets.Attribute
	comma     bool              // in place of the decimal point
	index     map[string]uint32 // categorical: the texts' codes, missing markers included
	recent    []recentText      // categorical: by a hash, what the index said
	integers  bool              // numeric: cells are the integers from low to below high
	low, high int64
	missing   []string // numeric: texts that stand for no number
	lacking   uint32   // the code of a missing value, dropRow for none
}

type recentText struct {
	text string
	code uint32
}

func newColumn(f *Format, i int) column {
	a := &f.Schema.Attributes[i]
	c := column{attribute: a, comma: f.Comma, missing: f.Missing, lacking: a.MissingCode()}
	if a.Missing != nil && !slices.Contains(c.missing, *a.Missing) {
		c.missing = append(slices.Clone(c.missing), *a.Missing)
	}
	if a.Kind == datasets.Categorical {
		c.index = make(map[string]uint32, len(a.Values)+len(f.Missing))
		for code, value := range a.Values {
			c.index[value] = uint32(code)
		}
		for _, marker := range c.missing {
			c.index[marker] = c.lacking
		}
		return c
	}
	if a.Clock == "" && !a.Continuous && a.Step == 1 && a.Low == math.Trunc(a.Low) &&
		math.Abs(a.Low) < 1<<53 {
		// Cells is the number of integers in [Low, High), whether or not High is one itself.
		c.integers, c.low = true, int64(a.Low)
		c.high = c.low + int64(a.Numbers())
	}
	return c
}

// read returns the code of a text and, of a number, the number itself. A text that stands for a
// missing value has the code of these. fault says what is wrong with a text that the schema does
// not allow; it is empty otherwise.
func (c *column) read(text string) (code uint32, number float64, fault Kind) {
	if c.index != nil {
		code, known := c.lookup(text)
		if !known {
			return 0, 0, NotListed
		}
		return code, 0, ""
	}
	if len(c.missing) > 0 && slices.Contains(c.missing, text) {
		return c.lacking, math.NaN(), ""
	}
	if c.integers {
		if number, ok := shortInteger(text); ok && number >= c.low && number < c.high {
			return uint32(number - c.low), float64(number), ""
		}
	}
	a := c.attribute
	number, ok := numberOf(a, text, c.comma)
	switch {
	case !ok && a.Clock != "":
		return 0, 0, NotTime
	case !ok:
		return 0, 0, NotNumber
	case !(number >= a.Low && number < a.High):
		return 0, 0, OutOfBounds
	case a.Rounded(number) != number:
		return 0, 0, BetweenSteps
	}
	code, err := a.NumberCode(number)
	if err != nil {
		return 0, 0, BetweenSteps
	}
	return code, number, ""
}

func newCoder(f *Format) *coder {
	c := &coder{format: f, layout: f.layout}
	for i := range f.Schema.Attributes {
		c.columns = append(c.columns, newColumn(f, i))
	}
	return c.another()
}

// another returns a coder of the same columns for another table.
func (c *coder) another() *coder {
	own := *c
	own.builder, own.columns = datasets.NewBuilder(c.format.Schema, 0), slices.Clone(c.columns)
	own.codes, own.numbers = make([]uint32, len(c.columns)), make([]float64, len(c.columns))
	own.dropped, own.lacking, own.people = 0, make([]int, len(c.columns)), nil
	for i := range own.columns {
		if own.columns[i].index != nil {
			own.columns[i].recent = make([]recentText, recentTexts)
		}
	}
	return &own
}

// field codes the text of an attribute and says what is wrong with it, nothing where it is right.
// It clears complete if the text stands for a missing value for which the row is dropped.
func (c *coder) field(a int, text string, complete *bool) (fault Kind) {
	code, number, fault := c.columns[a].read(text)
	if fault != "" {
		return fault
	}
	c.codes[a], c.numbers[a] = code, number
	if code == c.columns[a].lacking {
		c.lacking[a]++
		*complete = *complete && code != dropRow
	}
	return ""
}

// named notes the person of the current row. It reports whether the text is an id.
func (c *coder) named(text string) bool {
	c.person = text
	return text != "" && !slices.Contains(c.format.Missing, text)
}

// recentTexts is how many texts of a column are found again by comparing them with one other. Most
// lists of values are shorter.
const recentTexts = 64

// lookup is the code of a categorical text.
func (c *column) lookup(text string) (code uint32, known bool) {
	hash := uint(len(text))
	if hash > 0 {
		hash = 7*hash + 31*uint(text[0]) + 5*uint(text[len(text)/2]) + uint(text[len(text)-1])
	}
	recent := &c.recent[hash%recentTexts]
	if recent.text == text && text != "" {
		return recent.code, true
	}
	// The list's own text is kept: the one at hand may be part of a large one.
	if code, known = c.index[text]; known && code != dropRow && c.attribute.Values[code] == text {
		*recent = recentText{c.attribute.Values[code], code}
	}
	return code, known
}

// add adds the current row to the table.
func (c *coder) add() {
	if c.format.Person != "" {
		c.people = append(c.people, c.person)
	}
	row := c.builder.AddRow()
	for a, code := range c.codes {
		if c.columns[a].attribute.Continuous && code != c.columns[a].lacking {
			// Its code was found a moment ago, so the number is known to be inside the bounds.
			_ = c.builder.SetNumber(row, a, c.numbers[a])
			continue
		}
		c.builder.Set(row, a, code)
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
