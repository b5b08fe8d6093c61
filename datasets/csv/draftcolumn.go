package csvtable

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppdp/datasets"
)

// draftColumn is what a draft knows of a column: the range of its numbers, its different texts, and
// what shows that it is an identifier, a date or free text.
type draftColumn struct {
	name    string
	reason  string // why the column cannot be described; empty when it can
	number  bool   // every value so far is a number, with the decimal point or comma of the draft
	integer bool   // and a whole one
	min     float64
	max     float64
	values  []string // sorted; nil once there are too many
	tooMany bool
	filled  int    // rows with a value
	odd     string // the first text that is no number, in line oddLine
	oddLine int
	likely  int // once there is such a text: texts that look like numbers less the others

	missing   bool // some row has none
	described bool // it is an attribute of the draft

	// These show codes and how numbers are written.
	zeros     bool // some text is padded
	digits    int  // after the point, at most; many with an exponent
	eitherWay bool // every value so far is a number with a point or with a comma
	point     bool // some number has a point that cannot stand between thousands
	comma     bool // some number has such a comma

	// These show identifiers, dates and free text.
	distinct     map[uint64]struct{} // hashes of texts; nil once one occurred twice
	sampled      sampled
	consecutive  bool // every value is the one before plus 1
	last         float64
	bytes        int         // of all texts
	clocks       []clockSpan // that read all texts so far, for dates and times
	stamps       bool        // all texts so far are times, of forms that clocks may not read
	infinite     int         // the line of the first word for infinity, 0 without
	infiniteText string
}

// usualClocks are the forms of dates and times that a draft recognises, the likelier first.
var usualClocks = []datasets.Clock{"YYYY-MM-DD", "YYYY/MM/DD", "DD.MM.YYYY", "MM/DD/YYYY",
	"DD/MM/YYYY", "DD-MM-YYYY", "YYYY-MM-DD hh:mm", "YYYY-MM-DD hh:mm:ss", "YYYY-MM-DDThh:mm",
	"YYYY-MM-DDThh:mm:ss", "DD.MM.YYYY hh:mm", "MM/DD/YYYY hh:mm", "hh:mm", "hh:mm:ss"}

// clockSpan is a form of dates and the range of those seen.
type clockSpan struct {
	datasets.Clock
	low, high float64
}

func newDraftColumn(name string) draftColumn {
	spans := make([]clockSpan, len(usualClocks))
	for i, clock := range usualClocks {
		spans[i] = clockSpan{clock, math.Inf(1), math.Inf(-1)}
	}
	return draftColumn{name: name, number: true, integer: true, eitherWay: true, min: math.Inf(1),
		max: math.Inf(-1), distinct: make(map[uint64]struct{}), consecutive: true,
		sampled: sampled{counts: make(map[uint64]int)}, clocks: spans, stamps: true}
}

// alike returns two texts that differ in case alone, if there are any.
func (c *draftColumn) alike() (one, other string) {
	for i, one := range c.values {
		for _, other := range c.values[i+1:] {
			if strings.EqualFold(one, other) && !c.number {
				return one, other
			}
		}
	}
	return "", ""
}

// add takes the text of one more row, at a line of the file, into account.
func (c *draftColumn) add(text string, s *profile, line int) {
	if marker := slices.Index(s.Missing, text); marker >= 0 {
		s.seen[marker], c.missing = true, true
		return
	}
	if isNotFinite(text) {
		if c.infinite == 0 {
			c.infinite, c.infiniteText = line, strings.Clone(text)
		}
	} else if c.number {
		number, ok := decimal(text, s.comma)
		if c.number = ok; !ok {
			c.odd, c.oddLine, c.likely = strings.Clone(text), line, c.filled
		}
		c.zeros = c.zeros || padded.MatchString(text)
		c.digits = max(c.digits, digitsOf(text))
		c.integer = c.integer && ok && number == math.Trunc(number)
		c.consecutive = c.consecutive && (c.filled == 0 || number == c.last+1)
		c.min, c.max, c.last = math.Min(c.min, number), math.Max(c.max, number), number
	}
	if c.eitherWay {
		_, point := decimal(text, false)
		_, comma := decimal(text, true)
		c.eitherWay = point || comma
		c.point = c.point || !comma && !thousands.MatchString(text)
		c.comma = c.comma || !point && !thousands.MatchString(text)
	}
	c.filled++
	c.bytes += len(text)
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(text)) // never fails
	c.sampled.add(hash.Sum64())
	if c.distinct != nil {
		if _, twice := c.distinct[hash.Sum64()]; twice {
			c.distinct = nil
		} else {
			c.distinct[hash.Sum64()] = struct{}{}
		}
	}
	c.clocks = slices.DeleteFunc(c.clocks, func(span clockSpan) bool {
		_, ok := span.Number(text)
		return !ok
	})
	for i := range c.clocks {
		number, _ := c.clocks[i].Number(text)
		c.clocks[i].low = math.Min(c.clocks[i].low, number)
		c.clocks[i].high = math.Max(c.clocks[i].high, number)
	}
	c.stamps = c.stamps && timestamp.MatchString(text)
	if !c.number {
		if c.likely--; likeNumber.MatchString(text) {
			c.likely += 2
		}
	}
	if c.tooMany {
		return
	}
	if at, known := slices.BinarySearch(c.values, text); !known {
		if len(c.values) == mostValues {
			c.values, c.tooMany = nil, true
			return
		}
		c.values = slices.Insert(c.values, at, strings.Clone(text))
		if unreadable(text) && c.reason == "" {
			c.reason = "it holds texts that a schema cannot list"
		}
	}
}

// sampled counts the rows of one value in 2^level, chosen by hash: of all as long as they are few.
type sampled struct {
	counts map[uint64]int
	level  int
}

func (s *sampled) add(hash uint64) {
	const most = 1 << 12 // how many rows have rare values is then right to some 3 %
	// The high bits of the product depend on all of the hash.
	other := func(hash uint64) bool { return hash*0x9e3779b97f4a7c15>>(64-s.level) != 0 }
	if other(hash) {
		return
	}
	for s.counts[hash]++; len(s.counts) > most; {
		s.level++
		maps.DeleteFunc(s.counts, func(hash uint64, _ int) bool { return other(hash) })
	}
}

// fewShare is how many rows must have a value that singles out nobody: the k of ppdp risk.
const fewShare = 5

// rare says that most rows have a value that fewer than fewShare rows have, as ids of persons, but
// also weights and amounts do. Such a value points at its person, whether it is an id or not.
func (c *draftColumn) rare() bool {
	rows := 0
	for _, n := range c.sampled.counts { // order-free: a sum of whole numbers
		if n < fewShare {
			rows += n
		}
	}
	return c.tooMany && rows<<c.sampled.level > c.filled/2
}

// persons says what to do about rare values, if they are.
func (c *draftColumn) persons() string {
	if !c.rare() {
		return ""
	}
	return fmt.Sprintf("; most rows have a value that fewer than %d share: if it tells persons "+
		"apart, name the column by person:, not as an attribute", fewShare)
}

// padded are codes of digits alone.
var padded = regexp.MustCompile(`^0[0-9]+$`)

// thousands are numbers whose points or commas may stand between thousands.
var thousands = regexp.MustCompile(`^[+-]?[1-9][0-9]{0,2}([.,][0-9]{3})+$`)

// likeNumber matches numbers as people write them, also percentages and amounts of money.
var likeNumber = regexp.MustCompile(`^[-+]?[$€£]? ?[-+]?[0-9][0-9.,' ]*[%€$£]?$`)

// timestamp matches times with a zone, with fractions of a second, or with neither.
var timestamp = regexp.MustCompile(`^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d([.,]\d+)?)?` +
	` ?(Z|UTC|[+-]\d\d(:?\d\d)?)?$`)

// digitsOf counts the digits of a number after its point or comma, too many of one with an exponent
// to be written with as many.
func digitsOf(text string) int {
	if strings.ContainsAny(text, "eE") {
		return math.MaxInt
	}
	_, after, _ := strings.Cut(strings.Replace(text, ",", ".", 1), ".")
	return len(after)
}

// padded says that the column's numbers are codes: 01077 is another text than 1077.
func (c *draftColumn) padded() bool { return c.number && c.zeros }

// fewRows is the number of rows below which values that are all different show nothing.
const fewRows = 20

// identifier says why a column is taken for one; empty when it is not.
func (c *draftColumn) identifier() string {
	if c.distinct == nil || c.filled < fewRows {
		return ""
	}
	name := strings.ToLower(c.name)
	called := name == "id" || name == "key" || name == "nr" || name == "no" || name == "index" ||
		strings.HasSuffix(name, "_id") || strings.HasSuffix(name, " id") ||
		strings.HasPrefix(name, "id_") || strings.HasSuffix(c.name, "ID")
	switch {
	case c.number && c.integer && c.consecutive:
		return "an identifier: it counts the rows"
	case c.number && c.integer && c.max-c.min == float64(c.filled-1):
		return "an identifier: every number of its range occurs once"
	case c.number && c.integer && (called || c.filled >= 1000):
		return "an identifier: every number is different"
	case !c.number && c.bytes > 30*c.filled:
		return "free text: every text is different and long"
	case !c.number || c.padded():
		return "an identifier: every text is different"
	}
	return ""
}

// describe is the column's entry without braces, or the reason why it should have none. Some have
// both.
func (c *draftColumn) describe(isClass bool) (entry, reason string) {
	if c.reason != "" {
		return "", c.reason
	}
	if c.filled == 0 {
		return "", "it holds no values"
	}
	if !isClass {
		reason = c.identifier()
	}
	switch {
	case c.number && !isClass && !c.padded():
		a := c.bounds()
		if a.Validate() != nil || !(c.min >= a.Low && c.max < a.High) || !a.WholeCells() {
			return "", "its numbers span too much for cells of equal width"
		}
		return attributeText(a, ""), reason
	case len(c.clocks) > 0 && !c.number && !isClass:
		return c.time()
	case c.stamps && (c.tooMany || reason != ""):
		return "", fmt.Sprintf("no time: reads all its times, such as %q in line %d: write them "+
			"without zones and fractions of a second, or days alone", c.odd, c.oddLine)
	case c.tooMany && reason != "":
		return "", reason
	case c.tooMany && c.bytes > 30*c.filled:
		return "", fmt.Sprintf("free text: more than %d different texts, and long ones",
			mostValues)
	case c.tooMany && c.padded():
		return "", fmt.Sprintf("more than %d different codes%s", mostValues, c.persons())
	case c.tooMany && !c.number && c.likely > 0:
		return "", fmt.Sprintf("most of its texts look like numbers, but %q in line %d does not: "+
			"list what is missing by --missing, and write numbers without marks and units", c.odd,
			c.oddLine)
	case c.tooMany:
		return "", fmt.Sprintf("more than %d different texts, an identifier or free text?%s",
			mostValues, c.persons())
	}
	return attributeText(&datasets.Attribute{Name: c.name, Kind: datasets.Categorical,
		Values: bySize(c.values)}, ""), reason
}

// time is the entry of a column of dates or times, with a cell for each day, minute or second. The
// range is rounded outwards: dates to whole years, others to whole days.
func (c *draftColumn) time() (entry, reason string) {
	const mostCells = 1e6
	span := c.clocks[0]
	a := datasets.Attribute{Name: c.name, Clock: span.Clock, Step: 1}
	perDay := float64(24 * 3600 / span.Unit())
	a.Low = math.Floor(span.low/perDay) * perDay
	a.High = float64(math.Floor(span.high/perDay)*perDay) + perDay
	if perDay == 1 {
		year := func(day float64, more int) float64 {
			at := time.Unix(int64(day)*24*3600, 0).UTC()
			at = time.Date(at.Year()+more, 1, 1, 0, 0, 0, 0, time.UTC)
			return float64(at.Unix() / 24 / 3600)
		}
		a.Low, a.High = year(span.low, 0), year(span.high, 1)
	}
	end, ok := span.Number(span.Text(a.High))
	if !ok || end != a.High || a.High-a.Low > mostCells {
		return "", "dates or times of too long a span for a cell each: save them as days, or as " +
			"minutes (YYYY-MM-DD hh:mm)"
	}
	return fmt.Sprintf("name: %s, kind: numeric, %s", strconv.Quote(c.name), boundsText(&a)), ""
}

// bySize sorts texts by size if all are numbers, as those of a class may be.
func bySize(texts []string) []string {
	sorted := slices.Clone(texts)
	numbers := true
	slices.SortStableFunc(sorted, func(a, b string) int {
		x, one := datasets.Decimal(a)
		y, other := datasets.Decimal(b)
		numbers = numbers && one && other
		return cmp.Compare(x, y)
	})
	if !numbers {
		return texts
	}
	return sorted
}

// bounds rounds the observed range outwards to multiples of a round step: whole numbers get one
// cell each where that gives no more than a million, other numbers where their digits allow no more
// than about a hundred. Anything else is continuous in about a hundred cells.
func (c *draftColumn) bounds() *datasets.Attribute {
	width := c.max - c.min
	a := &datasets.Attribute{Name: c.name, Step: 1}
	if a.Continuous = !c.integer || width > 1e6; a.Continuous && width > 0 {
		a.Step = roundStep(width / 100)
	}
	if a.Continuous && c.digits <= 15 {
		a.Digits = &c.digits
		switch unit := a.Unit(); {
		case (math.Abs(c.min)+math.Abs(c.max))/unit > 1e15: // a float64 has no such digits
			a.Digits = nil
		case a.Step < unit:
			a.Low, a.High, a.Step = c.min, a.Rounded(c.max+unit), unit
			a.Continuous, a.Digits = false, nil
			return a
		}
	}
	a.Low = float64(math.Floor(c.min/a.Step) * a.Step)
	a.High = float64((math.Floor(c.max/a.Step) + 1) * a.Step)
	return a
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
