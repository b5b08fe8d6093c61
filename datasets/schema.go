package datasets

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
)

// Kind says how an attribute's cells are to be read.
type Kind uint8

const (
	// Numeric attributes are cut into cells of equal width over public bounds.
	Numeric Kind = iota
	// Categorical attributes have a public list of values, one cell each.
	Categorical
)

// Role says what an attribute is to those who protect or study a table.
type Role uint8

const (
	// QuasiIdentifier attributes span the space that algorithms partition and generalise.
	QuasiIdentifier Role = iota
	// Sensitive attributes are released as they are by k-anonymity and ignored by partitioning.
	Sensitive
	// Class is the attribute classifiers predict; at most one attribute has this role.
	Class
)

var roleNames = [...]string{"quasi-identifier", "sensitive", "class"}

func (r Role) String() string { return roleNames[r] }

// maxCells bounds an attribute's domain so that codes and cell arithmetic fit in 31 bits.
const maxCells = 1 << 31

// Attribute describes one column. All of it is public knowledge, fixed before any data are seen.
type Attribute struct {
	Name string
	Kind Kind
	Role Role

	// Low, High and Step describe a numeric attribute: cell c covers [Low+c·Step, Low+(c+1)·Step),
	// the bounds are half-open, [Low, High).
	Low, High, Step float64
	// Continuous says that values may lie anywhere in a cell (Column.Exact keeps them);
	// otherwise cell c stands for the single value Low+c·Step, as integers do.
	Continuous bool
	// Digits is how many digits after the point the values of a continuous attribute have at most,
	// and all texts of released ones have; nil for no limit.
	Digits *int
	// Bins are, of a numeric attribute, one after the last cell of each bin that algorithms should
	// cut it into; nil to leave that to them. Log has them cut it into bins that grow with the
	// distance from 0.
	Bins []uint32
	Log  bool
	// Clock is how texts write the numbers of an attribute that is not continuous, if they are
	// dates or times. It changes nothing but texts; empty for decimal numbers.
	Clock Clock

	// Values are a categorical attribute's values; the code is the index. Their order is the order
	// along which partitioning algorithms cut.
	Values []string
	// Ordered says that this order has a meaning (education), not just a place.
	Ordered bool
	// Taxonomy generalises a categorical attribute's values; nil for none.
	Taxonomy *Taxonomy
	// Hierarchy generalises all values level by level, as full-domain generalisation does; nil for
	// none of its own (Generalisation).
	Hierarchy *Hierarchy

	// Missing is how texts say that there is no value, nil where every record has one. Of numbers
	// that is the cell after all others; of a categorical attribute it is one of Values.
	Missing *string
}

// NoCode is no cell of any attribute.
const NoCode = math.MaxUint32

// Cells is the size of the attribute's domain.
func (a *Attribute) Cells() int {
	if a.Kind == Numeric && a.Missing != nil {
		return a.Numbers() + 1
	}
	return a.Numbers()
}

// Numbers is how many cells a numeric attribute has that are numbers: all, but for the last where
// numbers may be missing. Of a categorical attribute it is all of them.
func (a *Attribute) Numbers() int {
	if a.Kind == Categorical {
		return len(a.Values)
	}
	return max(1, int(math.Ceil((a.High-a.Low)/a.Step-a.rounding())))
}

// MissingCode is the code of a missing value, NoCode where there is none.
func (a *Attribute) MissingCode() uint32 {
	switch {
	case a.Missing == nil:
		return NoCode
	case a.Kind == Numeric:
		return uint32(a.Numbers())
	}
	return uint32(slices.Index(a.Values, *a.Missing)) // as Validate requires
}

// PublicBins are one after the last cells of the bins of numbers that the schema asks for, nil
// where it asks for none; n is how many those of Log are, at most.
func (a *Attribute) PublicBins(n int) []uint32 {
	cells := a.Numbers()
	if !a.Log || cells <= n {
		return a.Bins
	}
	first := max(1, a.Low/a.Step)
	ratio := elementary.Log((first+float64(cells))/first) / float64(n)
	ends := make([]uint32, n)
	end := 0
	for i := range ends {
		grown := first * elementary.Expm1(float64(float64(i+1)*ratio))
		end = min(max(end+1, int(math.Round(grown))), cells-(n-1-i))
		ends[i] = uint32(end)
	}
	ends[n-1] = uint32(cells)
	return ends
}

// rounding is by how many steps the rounding of the bounds to binary may move a place between them:
// 0.3/0.1 is no whole number, and steps of 0.0001 from 1900.05 on are off by more. It is less than
// the distance between two cells.
func (a *Attribute) rounding() float64 {
	return min(0.25, 1e-9+float64(0x1p-51*((math.Abs(a.Low)+math.Abs(a.High))/a.Step)))
}

// WholeCells reports whether the bounds of a numeric attribute lie a whole number of steps apart,
// up to rounding.
func (a *Attribute) WholeCells() bool {
	steps := (a.High - a.Low) / a.Step
	return math.Round(steps) >= 1 && math.Abs(steps-math.Round(steps)) <= a.rounding()
}

// Number is the value a numeric code stands for: the exact value, or the middle of a continuous
// attribute's cell. A missing value is no number (math.NaN).
func (a *Attribute) Number(code uint32) float64 {
	if a.Missing != nil && code == a.MissingCode() {
		return math.NaN()
	}
	if a.Continuous {
		return a.Low + float64((float64(code)+0.5)*a.Step)
	}
	return a.Low + float64(float64(code)*a.Step)
}

// mostDigits is how many digits after the point can be asked for: a float64 has no more.
const mostDigits = 15

// Unit is the distance between values of an attribute with Digits.
func (a *Attribute) Unit() float64 {
	unit, _ := strconv.ParseFloat(fmt.Sprintf("1e-%d", *a.Digits), 64)
	return unit
}

// Rounded is the nearest number with the attribute's digits, or the number itself without.
func (a *Attribute) Rounded(number float64) float64 {
	if a.Digits == nil {
		return number
	}
	rounded, _ := strconv.ParseFloat(strconv.FormatFloat(number, 'f', *a.Digits, 64), 64)
	return rounded
}

// NumberCode is the cell of a value, or an error when it lies outside the public bounds or, for an
// attribute that is not continuous, between the steps.
func (a *Attribute) NumberCode(value float64) (uint32, error) {
	if !(value >= a.Low && value < a.High) {
		return 0, fmt.Errorf("%s: %v is outside its public bounds, must be in [%v, %v)",
			a.Name, value, a.Low, a.High)
	}
	cell, cells := (value-a.Low)/a.Step, a.Numbers()
	if a.Continuous {
		// Rounding must not lift a value below High over the last cell.
		return uint32(min(int(cell), cells-1)), nil
	}
	rounded := math.Round(cell)
	if math.Abs(cell-rounded) > 1e-6+a.rounding() || int(rounded) >= cells {
		return 0, fmt.Errorf("%s: %v is between steps, must be %v plus a multiple of %v",
			a.Name, value, a.Low, a.Step)
	}
	return uint32(rounded), nil
}

// Text is the printed form of a code: a categorical value, or a number with as few digits as lead
// back to the code: 0.3, not 0.30000000000000004.
func (a *Attribute) Text(code uint32) string {
	switch {
	case a.Kind == Categorical:
		return a.Values[code]
	case code == a.MissingCode():
		return *a.Missing
	}
	number := a.Number(code)
	if math.Abs(number) < float64(1e-9*a.Step) {
		number = 0 // not 2e-16
	}
	if short, err := strconv.ParseFloat(strconv.FormatFloat(number, 'g', 12, 64), 64); err == nil {
		if back, err := a.NumberCode(short); err == nil && back == code {
			number = short
		}
	}
	return a.NumberText(number)
}

// Named is the text of a code in a sentence: the marker of a missing value is in quotes, for it may
// be empty.
func (a *Attribute) Named(code uint32) string {
	if a.Missing != nil && code == a.MissingCode() {
		return strconv.Quote(*a.Missing)
	}
	return a.Text(code)
}

// NumberText prints a number as texts of the attribute do.
func (a *Attribute) NumberText(number float64) string {
	if a.Clock != "" {
		return a.Clock.Text(number)
	}
	return string(AppendNumber(nil, number, 64))
}

// AppendNumber prints a number of some bits, in full where that is no longer than anybody reads.
func AppendNumber(to []byte, number float64, bits int) []byte {
	size := math.Abs(number)
	if whole := int64(number); float64(whole) == number && whole != 0 && size < 1e15 {
		return strconv.AppendInt(to, whole, 10)
	}
	if size == 0 || size >= 1e-6 && size < 1e15 {
		return strconv.AppendFloat(to, number, 'f', -1, bits)
	}
	return strconv.AppendFloat(to, number, 'g', -1, bits)
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
func (a *Attribute) ParseNumber(text string) (float64, bool) {
	if a.Clock != "" {
		return a.Clock.Number(text)
	}
	return Decimal(text)
}

// TextCode is the code of a printed value. Categorical values match to the letter.
func (a *Attribute) TextCode(text string) (uint32, error) {
	if a.Kind == Categorical {
		for code, value := range a.Values {
			if value == text {
				return uint32(code), nil
			}
		}
		return 0, fmt.Errorf("%s: %q is not in its public list, must be one of %s",
			a.Name, text, QuoteSome(a.Values, fewValues))
	}
	if a.Missing != nil && text == *a.Missing {
		return a.MissingCode(), nil
	}
	value, ok := a.ParseNumber(text)
	switch {
	case !ok && a.Clock != "":
		return 0, fmt.Errorf("%s: %q is not of the form %s", a.Name, text, a.Clock)
	case !ok:
		return 0, fmt.Errorf("%s: %q is not a number, must be in [%v, %v)",
			a.Name, text, a.Low, a.High)
	}
	return a.NumberCode(value)
}

// RandomOrder returns values in a random order that is always the same for an attribute of this
// name: it is public and has nothing to do with the data (errata R4).
func RandomOrder(name string, values []string) []string {
	order := slices.Clone(values)
	stream := random.NewKey(0).Derive("order", name).Stream()
	stream.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order
}

// QuoteSome lists values for a message, in quotes: the first of them, as many as most says, and how
// many more there are.
func QuoteSome(values []string, most int) string {
	var b strings.Builder
	for i, value := range values {
		if i == most {
			fmt.Fprintf(&b, " and %d more", len(values)-most)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(strconv.Quote(value))
	}
	return b.String()
}

// fewValues is how many values messages of this package list.
const fewValues = 12

// Validate reports everything wrong with the attribute's description.
func (a *Attribute) Validate() error {
	var found Problems
	bad := func(format string, args ...any) {
		found.Add("%s: %s", a.Name, fmt.Sprintf(format, args...))
	}
	if a.Name == "" {
		bad("an attribute needs a name")
	}
	if a.Kind == Numeric {
		a.checkNumeric(bad)
	} else {
		a.checkCategorical(bad)
	}
	if h := a.Hierarchy; h != nil && !found.Any() &&
		(len(h.Levels) == 0 || len(h.Levels[0].Group) != a.Cells()) {
		bad("a hierarchy over other values than its %d", a.Cells())
	}
	return found.Err()
}

func (a *Attribute) checkNumeric(bad func(format string, args ...any)) {
	finite := !math.IsInf(a.Low, 0) && !math.IsInf(a.High, 0) && a.High > a.Low
	if !finite {
		bad("bounds [%v, %v), must be finite with low below high", a.Low, a.High)
	}
	if !(a.Step > 0) || math.IsInf(a.Step, 1) {
		bad("step %v, must be a number above 0", a.Step)
	} else if finite && (a.High-a.Low)/a.Step > maxCells {
		bad("%g cells between %v and %v, must be at most %d", (a.High-a.Low)/a.Step, a.Low,
			a.High, maxCells)
	}
	switch d := a.Digits; {
	case d == nil:
	case !a.Continuous:
		bad("digits, which only a continuous attribute has: its step says as much")
	case *d < 0 || *d > mostDigits:
		bad("digits %d, must be from 0 to %d", *d, mostDigits)
	case a.Step < a.Unit(): // a cell might hold no value
		bad("step %v, must be at least %v with digits %d", a.Step, a.Unit(), *d)
	}
	if a.Clock != "" {
		if err := a.Clock.Validate(); err != nil {
			bad("time %v", err)
		} else if a.Continuous {
			bad("continuous, but dates and times have no values between")
		} else if a.Step != math.Trunc(a.Step) || a.Low != math.Trunc(a.Low) {
			bad("low %v and step %v, must be whole for dates and times", a.Low, a.Step)
		}
	}
	switch last := len(a.Bins) - 1; {
	case a.Log && a.Bins != nil:
		bad("bins and scale: log, must be only one of these")
	case a.Log && a.Low < 0:
		bad("low %v, must be at least 0 with scale: log", a.Low)
	case finite && last >= 0 && int64(a.Bins[last]) != int64(a.Numbers()):
		bad("bins up to cell %d, must cover all %d", a.Bins[last], a.Numbers())
	}
	if len(a.Values) > 0 || a.Taxonomy != nil {
		bad("a numeric attribute has bounds and a step, neither values nor a taxonomy")
	}
}

func (a *Attribute) checkCategorical(bad func(format string, args ...any)) {
	if len(a.Values) == 0 {
		bad("a categorical attribute needs its list of values")
	}
	seen := make(map[string]bool, len(a.Values))
	for _, value := range a.Values {
		if seen[value] {
			bad("value %q is listed twice", value)
		}
		seen[value] = true
	}
	if a.Missing != nil && !seen[*a.Missing] {
		bad("missing values are %q, must be one of its values", *a.Missing)
	}
	if a.Taxonomy != nil {
		if err := a.Taxonomy.Validate(a.Values); err != nil {
			bad("%v", err)
		}
	}
}

// Schema describes a table's columns. It is a public input: nothing in it is read off the data.
type Schema struct {
	Attributes []Attribute
	// Contributions is how many records of one person a table has at most, where persons are what
	// is to be protected; 0 where single records are.
	Contributions int
}

// Index is the position of the attribute called name, or -1.
func (s *Schema) Index(name string) int {
	for i := range s.Attributes {
		if s.Attributes[i].Name == name {
			return i
		}
	}
	return -1
}

// Class is the position of the class attribute, or -1.
func (s *Schema) Class() int {
	for i := range s.Attributes {
		if s.Attributes[i].Role == Class {
			return i
		}
	}
	return -1
}

// Classes is the number of class values; a table without a class attribute has one class.
func (s *Schema) Classes() int {
	if class := s.Class(); class >= 0 {
		return s.Attributes[class].Cells()
	}
	return 1
}

// QuasiIdentifiers lists the positions of the attributes that algorithms partition.
func (s *Schema) QuasiIdentifiers() []int {
	var positions []int
	for i := range s.Attributes {
		if s.Attributes[i].Role == QuasiIdentifier {
			positions = append(positions, i)
		}
	}
	return positions
}

// Names lists the attributes' names in order, those of some roles where any are given.
func (s *Schema) Names(roles ...Role) (names []string) {
	for i := range s.Attributes {
		if a := &s.Attributes[i]; len(roles) == 0 || slices.Contains(roles, a.Role) {
			names = append(names, a.Name)
		}
	}
	return names
}

// Project returns the schema of the named attributes, in that order.
func (s *Schema) Project(names ...string) (*Schema, error) {
	projected := &Schema{Attributes: make([]Attribute, len(names)),
		Contributions: s.Contributions}
	for i, name := range names {
		at := s.Index(name)
		if at < 0 {
			return nil, fmt.Errorf("no attribute %q, must be one of %s", name,
				QuoteSome(s.Names(), fewValues))
		}
		projected.Attributes[i] = s.Attributes[at]
	}
	return projected, nil
}

// Validate reports everything wrong with the schema.
func (s *Schema) Validate() error {
	var bad Problems
	if len(s.Attributes) == 0 {
		bad.Add("a schema needs at least one attribute")
	}
	seen := make(map[string]bool)
	classes := 0
	for i := range s.Attributes {
		a := &s.Attributes[i]
		bad.AddError(a.Validate())
		if seen[a.Name] {
			bad.Add("attribute %q is described twice", a.Name)
		}
		seen[a.Name] = true
		if a.Role == Class {
			classes++
			if a.Kind != Categorical {
				bad.Add("%s: the class attribute must be categorical", a.Name)
			}
		}
	}
	if s.Contributions < 0 || s.Contributions > MostContributions {
		bad.Add("contributions %d, must be from 1 to %d, or 0 where records are protected",
			s.Contributions, MostContributions)
	}
	if classes > 1 {
		bad.Add("%d class attributes, must be at most one", classes)
	}
	return bad.Err()
}
