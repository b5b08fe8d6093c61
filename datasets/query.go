package datasets

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Query asks how many records keep to a condition, or for the mean of an attribute over them.
type Query struct {
	Text string // as it was written
	Mean int    // the attribute whose mean is asked for, -1 for a count
	// Sets are what the condition says of single attributes. One may have several.
	Sets []*Set
	root *clause
}

// Set says which codes of an attribute keep to a condition.
type Set struct {
	Attribute int
	steps     []step // they ascend and cover the domain
}

// Span is the interval [Low, High) of an attribute's codes.
type Span struct{ Low, High uint32 }

type step struct {
	Span
	Truth
}

// Truth is what is known of records: whether all of them keep to a condition, whether any may, and
// which share of them does where values are spread evenly and attributes have nothing to do with
// each other.
type Truth struct {
	All, Any bool
	Share    float64
}

func (t Truth) and(o Truth) Truth {
	return Truth{t.All && o.All, t.Any && o.Any, t.Share * o.Share}
}
func (t Truth) or(o Truth) Truth { return t.not().and(o.not()).not() }
func (t Truth) not() Truth       { return Truth{!t.Any, !t.All, 1 - float64(t.Share)} }

// Of is the truth of the set for records whose codes lie in spans.
func (s *Set) Of(spans []Span) Truth {
	truth, size, share := Truth{All: true}, 0.0, 0.0
	for _, span := range spans {
		for _, step := range s.steps {
			low, high := max(span.Low, step.Low), min(span.High, step.High)
			if low < high {
				truth.All, truth.Any = truth.All && step.All, truth.Any || step.Any
				size += float64(high - low)
				share += float64(float64(high-low) * step.Share)
			}
		}
	}
	truth.Share = share / max(1, size)
	return truth
}

// Truth is that of the whole condition, given those of its sets by their places in Sets.
func (q *Query) Truth(of func(set int) Truth) Truth { return q.root.truth(of) }

// clause is a set, or clauses of which all must hold, or one must. All of none hold.
type clause struct {
	set   *Set
	at    int // of the set in Query.Sets
	or    bool
	parts []*clause
}

func (c *clause) truth(of func(set int) Truth) Truth {
	if c.set != nil {
		return of(c.at)
	}
	t := Truth{true, true, 1}
	if c.or {
		t = t.not()
	}
	for _, part := range c.parts {
		if c.or {
			t = t.or(part.truth(of))
		} else {
			t = t.and(part.truth(of))
		}
	}
	return t
}

// joined is the clause of parts. Sets of the same attribute become one, so that what they say
// together is known.
func joined(or bool, parts []*clause) *clause {
	c, by := &clause{or: or}, Truth.and
	if or {
		by = Truth.or
	}
	var add func(parts []*clause)
	add = func(parts []*clause) {
		for _, part := range parts {
			if part.set == nil && part.or == or {
				add(part.parts)
				continue
			}
			twin := slices.IndexFunc(c.parts, func(o *clause) bool {
				return part.set != nil && o.set != nil && o.set.Attribute == part.set.Attribute
			})
			if twin < 0 {
				c.parts = append(c.parts, part)
			} else {
				c.parts[twin] = &clause{set: c.parts[twin].set.with(part.set, by)}
			}
		}
	}
	if add(parts); len(c.parts) == 1 {
		return c.parts[0]
	}
	return c
}

// with is the set of which by says what it is where the two are.
func (s *Set) with(o *Set, by func(a, b Truth) Truth) *Set {
	both := &Set{Attribute: s.Attribute}
	for i, j, low := 0, 0, uint32(0); i < len(s.steps); {
		a, b := s.steps[i], o.steps[j]
		high := min(a.High, b.High)
		both.steps = append(both.steps, step{Span{low, high}, by(a.Truth, b.Truth)})
		if low = high; a.High == high {
			i++
		}
		if b.High == high {
			j++
		}
	}
	return both
}

// negated is the clause of what does not keep to c.
func (c *clause) negated() *clause {
	if c.set != nil {
		return &clause{set: c.set.with(c.set, func(a, _ Truth) Truth { return a.not() })}
	}
	n := &clause{or: !c.or}
	for _, part := range c.parts {
		n.parts = append(n.parts, part.negated())
	}
	return n
}

// number gives sets their places.
func (q *Query) number(c *clause) {
	if c.set != nil {
		c.at = len(q.Sets)
		q.Sets = append(q.Sets, c.set)
	}
	for _, part := range c.parts {
		q.number(part)
	}
}

// setOf is the set of a condition. A value within a continuous attribute's cell cuts the cell.
func (s *Schema) setOf(c Condition) *Set {
	at := s.Index(c.Attribute)
	a, is := &s.Attributes[at], operators[c.Operator]
	missing, not := a.MissingCode(), c.Operator == "!="
	if c.Value != c.Value {
		return whether(at, a, missing, c.Operator == "=")
	}
	cells := uint32(a.Numbers())
	low := cells // the codes from low to high have parts that are equal to the value
	high, below := low, 0.0
	share := func(holds bool, part float64) float64 {
		if holds {
			return part
		}
		return 0
	}
	if a.Kind == Categorical {
		low = uint32(c.Value)
		high = low + 1
	} else if code, err := a.NumberCode(c.Value); err == nil {
		low, high = code, code+1
		if a.Continuous {
			below = (c.Value - a.Low - float64(float64(code)*a.Step)) / a.Step
		}
	} else if c.Value < a.High { // between steps
		low = uint32(sort.Search(int(cells), func(code int) bool {
			return a.Number(uint32(code)) > c.Value
		}))
		high = low
	}
	const rounding = 1e-6
	if below > 1-rounding {
		low, below = high, 0
		high = min(high+1, cells)
	}
	set := &Set{Attribute: at}
	add := func(low, high uint32, t Truth) {
		if low < high {
			set.steps = append(set.steps, step{Span{low, high}, t})
		}
	}
	whole := func(holds bool) Truth { return Truth{holds, holds, share(holds, 1)} }
	add(0, low, whole(is[0]))
	equal := whole(is[1])
	if a.Continuous && a.Kind == Numeric {
		equal = Truth{is[1] && is[2], is[1] || is[2], share(is[2], 1-below)}
		if below > rounding {
			equal.All, equal.Any = equal.All && is[0], equal.Any || is[0]
			equal.Share += share(is[0], below)
		}
	}
	add(low, high, equal)
	add(high, cells, whole(is[2]))
	if a.Kind == Numeric {
		if missing != NoCode {
			add(missing, missing+1, whole(not))
		}
	} else if missing != NoCode && missing != low {
		// neither below nor above another category
		apart := whether(at, a, missing, true)
		return set.with(apart, func(t, lacks Truth) Truth {
			if lacks.All {
				return whole(not)
			}
			return t
		})
	}
	return set
}

// whether is the set of the records that lack a value or, with holds false, of all others.
func whether(at int, a *Attribute, missing uint32, holds bool) *Set {
	s, truth := &Set{Attribute: at}, map[bool]Truth{true: {true, true, 1}, false: {}}
	for _, part := range []step{{Span{0, missing}, truth[!holds]},
		{Span{missing, missing + 1}, truth[holds]},
		{Span{missing + 1, uint32(a.Cells())}, truth[!holds]}} {
		if part.Low < part.High {
			s.steps = append(s.steps, part)
		}
	}
	return s
}

// Condition compares an attribute with a value: a code of a category, or a number, which is NaN for
// a missing one. A missing value is equal to itself alone, and neither above nor below another.
type Condition struct {
	Attribute string
	Operator  string // one of operators
	Value     float64
}

// operators say of each comparison whether it holds of a smaller, an equal and a larger value.
var operators = map[string][3]bool{"=": {1: true}, "!=": {0: true, 2: true}, "<": {0: true},
	"<=": {0: true, 1: true}, ">": {2: true}, ">=": {1: true, 2: true}}

// word is a piece of a query.
type word struct {
	text   string
	column int  // in bytes, from 1
	plain  bool // not in quotes
}

var queryPieces = regexp.MustCompile(
	`"[^"]*"|'[^']*'|[!<>]=|[=<>(){},]|[^\s!<>="'(){},]+|\S`)

// foreign are operators of other languages, with what stands here for them.
var foreign = map[string]string{"&&": "and", "||": "or"}

// words cuts a text into pieces: at white space and around operators, brackets and commas.
func words(text string) ([]word, error) {
	var found []word
	for _, at := range queryPieces.FindAllStringIndex(text, -1) {
		w := word{text[at[0]:at[1]], at[0] + 1, true}
		if w.text[0] == '"' || w.text[0] == '\'' {
			if len(w.text) == 1 {
				return nil, fmt.Errorf("column %d: a quote that does not end", w.column)
			}
			w.text, w.plain = w.text[1:len(w.text)-1], false
		} else if meant, foreign := foreign[w.text]; foreign {
			return nil, fmt.Errorf("column %d: %q, must be %q, or in quotes if it is a value",
				w.column, w.text, meant)
		}
		found = append(found, w)
	}
	return found, nil
}

// mostNested is how many brackets and negations may stand within each other.
const mostNested = 100

// ParseQuery reads a condition, "age >= 30 and (job = technician or not sex in {F, X})", or
// "mean(ATTRIBUTE) where CONDITION", or a mean without a condition. A comparison is an attribute,
// an operator and a value; "not" binds more closely than "and", and that more than "or"; "all"
// holds of every record. Names and values that are words of the language, or with spaces, brackets,
// commas, quotes or operators in them, stand in quotes.
func ParseQuery(text string, s *Schema) (*Query, error) {
	left, err := words(text)
	if err != nil {
		return nil, err
	}
	q := &Query{Text: text, Mean: -1}
	p := &queryParser{schema: s, left: append(left, word{column: len(text) + 1, plain: true})}
	if p.left[0].is("mean") && p.left[1].is("(") {
		p.left = p.left[2:]
		if q.Mean, err = p.mean(); err != nil {
			return nil, err
		}
	}
	if q.root = (&clause{}); q.Mean < 0 || p.take("where") {
		if q.root, err = p.any(0); err != nil {
			return nil, err
		}
	}
	if w := p.left[0]; len(p.left) > 1 {
		return nil, fmt.Errorf(`column %d: %q, must be "and", "or" or the end`, w.column, w.text)
	}
	if q.Mean >= 0 && s.Attributes[q.Mean].Missing != nil { // a mean is of numbers
		a := &s.Attributes[q.Mean]
		present := whether(q.Mean, a, a.MissingCode(), false)
		q.root = joined(false, []*clause{q.root, {set: present}})
	}
	q.number(q.root)
	return q, nil
}

func (w word) is(text string) bool { return w.plain && w.text == text }

// queryParser reads a query word by word. The last word is an empty one, at the end of the text.
type queryParser struct {
	schema *Schema
	left   []word
}

// next takes a word, but leaves the end.
func (p *queryParser) next() word {
	w := p.left[0]
	p.left = p.left[min(1, len(p.left)-1):]
	return w
}

// take takes a word if it is the one given.
func (p *queryParser) take(text string) bool {
	found := p.left[0].is(text)
	if found {
		p.next()
	}
	return found
}

func (p *queryParser) expect(text string) error {
	if w := p.left[0]; !p.take(text) {
		return fmt.Errorf("column %d: %q, must be %q", w.column, w.text, text)
	}
	return nil
}

// mean reads the attribute of a mean and its closing bracket.
func (p *queryParser) mean() (int, error) {
	var numbers []string
	for i := range p.schema.Attributes {
		if a := &p.schema.Attributes[i]; a.Kind == Numeric && a.Clock == "" {
			numbers = append(numbers, a.Name)
		}
	}
	w := p.next()
	if !slices.Contains(numbers, w.text) {
		return 0, fmt.Errorf("column %d: no mean of %q, must be a number: %s", w.column, w.text,
			strings.Join(numbers, ", "))
	}
	return p.schema.Index(w.text), p.expect(")")
}

// any reads clauses with "or" between them, all those with "and".
func (p *queryParser) any(depth int) (*clause, error) { return p.list("or", depth, p.all) }
func (p *queryParser) all(depth int) (*clause, error) { return p.list("and", depth, p.one) }

func (p *queryParser) list(between string, depth int,
	read func(depth int) (*clause, error)) (*clause, error) {
	var parts []*clause
	for {
		part, err := read(depth)
		if err != nil {
			return nil, err
		}
		if parts = append(parts, part); !p.take(between) {
			return joined(between == "or", parts), nil
		}
	}
}

// one reads a comparison, a negation, or what stands in brackets.
func (p *queryParser) one(depth int) (*clause, error) {
	if depth > mostNested {
		return nil, fmt.Errorf("column %d: nested too deeply, may be %d deep", p.left[0].column,
			mostNested)
	}
	switch {
	case p.take("("):
		c, err := p.any(depth + 1)
		if err == nil {
			err = p.expect(")")
		}
		return c, err
	case p.take("not"):
		c, err := p.one(depth + 1)
		if err != nil {
			return nil, err
		}
		return c.negated(), nil
	case p.take("all"):
		return &clause{}, nil
	}
	name := p.next()
	if !p.take("in") {
		c, err := p.schema.condition(name, p.next(), p.next())
		if err != nil {
			return nil, err
		}
		return &clause{set: p.schema.setOf(c)}, nil
	}
	if err := p.expect("{"); err != nil {
		return nil, err
	}
	var values []*clause
	for {
		c, err := p.schema.condition(name, word{"=", name.column, true}, p.next())
		if err != nil {
			return nil, err
		}
		if values = append(values, &clause{set: p.schema.setOf(c)}); !p.take(",") {
			return joined(true, values), p.expect("}")
		}
	}
}

// condition reads a comparison. Categories are compared by <, <=, > and >= only where their order
// has a meaning.
func (s *Schema) condition(name, operator, value word) (c Condition, err error) {
	at := s.Index(name.text)
	if at < 0 {
		return c, fmt.Errorf("column %d: no attribute %q, must be one of %s", name.column,
			name.text, QuoteSome(s.Names(), fewValues))
	}
	if _, known := operators[operator.text]; !known || !operator.plain {
		return c, fmt.Errorf("column %d: %q, must be one of = != < <= > >=", operator.column,
			operator.text)
	}
	if value.text == "" && value.plain {
		return c, fmt.Errorf("column %d: no value, must be compared with one", value.column)
	}
	a := &s.Attributes[at]
	c = Condition{Attribute: a.Name, Operator: operator.text}
	equal := c.Operator == "=" || c.Operator == "!="
	if a.Missing != nil && value.text == *a.Missing {
		if !equal {
			return c, fmt.Errorf("column %d: %s: %q stands for no value, must be compared by = or "+
				"!=", value.column, a.Name, value.text)
		}
		if c.Value = math.NaN(); a.Kind == Categorical {
			c.Value = float64(a.MissingCode())
		}
		return c, nil
	}
	if a.Kind == Categorical {
		code, err := a.TextCode(value.text)
		if err == nil && !a.Ordered && !equal {
			err = fmt.Errorf("%s: %s needs an order, must be = or !=", a.Name, c.Operator)
		}
		if err != nil {
			return c, fmt.Errorf("column %d: %w", value.column, err)
		}
		c.Value = float64(code)
		return c, nil
	}
	known := false
	if a.Clock != "" {
		c.Value, known = a.Clock.Number(value.text)
	} else {
		c.Value, err = strconv.ParseFloat(value.text, 64)
		known = err == nil && !math.IsNaN(c.Value)
	}
	if !known || c.Value < a.Low || c.Value > a.High {
		low, high := fmt.Sprintf("%.15g", a.Low), fmt.Sprintf("%.15g", a.High)
		if a.Clock != "" {
			low, high = a.Clock.Text(a.Low), a.Clock.Text(a.High)
		}
		return c, fmt.Errorf("column %d: %s: %q, must be a value between its bounds, from %s to %s",
			value.column, a.Name, value.text, low, high)
	}
	if equal {
		if _, err := a.NumberCode(c.Value); err != nil {
			return c, fmt.Errorf("column %d: %w", value.column, err)
		}
	}
	return c, nil
}
