package datasets

import (
	"fmt"
	"regexp"
	"slices"
	"sort"
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

func (t Truth) not() Truth { return Truth{!t.Any, !t.All, 1 - float64(t.Share)} }

// with is the truth of both, or of either.
func (t Truth) with(or bool, o Truth) Truth {
	if or {
		return t.not().with(false, o.not()).not()
	}
	return Truth{t.All && o.All, t.Any && o.Any, t.Share * o.Share}
}

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
	t := whole(!c.or)
	for _, part := range c.parts {
		t = t.with(c.or, part.truth(of))
	}
	return t
}

// whole is the truth of a comparison that holds of all records or of none.
func whole(holds bool) Truth {
	if holds {
		return Truth{true, true, 1}
	}
	return Truth{}
}

// joined is the clause of parts. Sets of the same attribute become one, so that what they say
// together is known.
func joined(or bool, parts ...*clause) *clause {
	c := &clause{or: or}
	for _, part := range parts {
		own := []*clause{part}
		if part.set == nil && part.or == or {
			own = part.parts // joined already
		}
		for _, part := range own {
			twin := slices.IndexFunc(c.parts, func(o *clause) bool {
				return part.set != nil && o.set != nil && o.set.Attribute == part.set.Attribute
			})
			if twin < 0 {
				c.parts = append(c.parts, part)
			} else {
				c.parts[twin] = &clause{set: c.parts[twin].set.with(or, part.set)}
			}
		}
	}
	if len(c.parts) == 1 {
		return c.parts[0]
	}
	return c
}

// with is the set of what is in both, or in either.
func (s *Set) with(or bool, o *Set) *Set {
	both := &Set{Attribute: s.Attribute}
	for i, j, low := 0, 0, uint32(0); i < len(s.steps); {
		a, b := s.steps[i], o.steps[j]
		high := min(a.High, b.High)
		both.steps = append(both.steps, step{Span{low, high}, a.Truth.with(or, b.Truth)})
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
	n := &clause{or: !c.or}
	for _, part := range c.parts {
		n.parts = append(n.parts, part.negated())
	}
	if c.set != nil {
		n.set = &Set{c.set.Attribute, slices.Clone(c.set.steps)}
		for i := range n.set.steps {
			n.set.steps[i].Truth = n.set.steps[i].not()
		}
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
func words(text string) (found []word, err error) {
	for _, at := range queryPieces.FindAllStringIndex(text, -1) {
		w := word{text[at[0]:at[1]], at[0] + 1, true}
		if w.text[0] == '"' || w.text[0] == '\'' {
			if len(w.text) == 1 {
				return nil, w.wrong("a quote that does not end")
			}
			w.text, w.plain = w.text[1:len(w.text)-1], false
		} else if meant, foreign := foreign[w.text]; foreign {
			return nil, w.wrong("%q, must be %q, or in quotes if it is a value", w.text, meant)
		}
		found = append(found, w)
	}
	return append(found, word{column: len(text) + 1, plain: true}), nil
}

func (w word) is(text string) bool { return w.plain && w.text == text }

// wrong is the error that something is wrong with the word.
func (w word) wrong(format string, args ...any) error {
	return fmt.Errorf("column %d: %w", w.column, fmt.Errorf(format, args...))
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
	p := &queryParser{schema: s, left: left}
	q := &Query{Text: text, Mean: -1, root: &clause{}}
	if p.left[0].is("mean") && p.left[1].is("(") {
		p.left = p.left[2:]
		q.Mean = p.mean()
	}
	if q.Mean < 0 || p.take("where") {
		q.root = p.any(0)
	}
	if w := p.left[0]; len(p.left) > 1 {
		p.fail(w.wrong(`%q, must be "and", "or" or the end`, w.text))
	}
	if p.err != nil {
		return nil, p.err
	}
	if q.Mean >= 0 && s.Attributes[q.Mean].Missing != nil { // a mean is of numbers
		a := &s.Attributes[q.Mean]
		present := p.comparison(word{text: a.Name}, word{text: "!=", plain: true},
			word{text: *a.Missing})
		q.root = joined(false, q.root, present)
	}
	q.number(q.root)
	return q, nil
}

// queryParser reads a query word by word. The last word is an empty one, at the end of the text.
type queryParser struct {
	schema *Schema
	left   []word
	err    error // the first; nothing is left to read then
}

// fail ends the reading with an error, and stands for the clause that is not read.
func (p *queryParser) fail(err error) *clause {
	if p.err == nil {
		p.err, p.left = err, p.left[len(p.left)-1:]
	}
	return &clause{}
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

func (p *queryParser) expect(text string) {
	if w := p.left[0]; !p.take(text) {
		p.fail(w.wrong("%q, must be %q", w.text, text))
	}
}

// mean reads the attribute of a mean and its closing bracket.
func (p *queryParser) mean() int {
	var numbers []string
	for i := range p.schema.Attributes {
		if a := &p.schema.Attributes[i]; a.Kind == Numeric && a.Clock == "" {
			numbers = append(numbers, a.Name)
		}
	}
	w := p.next()
	if !slices.Contains(numbers, w.text) {
		p.fail(w.wrong("no mean of %q, must be a number: %s", w.text, strings.Join(numbers, ", ")))
	}
	p.expect(")")
	return p.schema.Index(w.text)
}

// any reads clauses with "or" between them, all those with "and".
func (p *queryParser) any(depth int) *clause { return p.list("or", depth, p.all) }
func (p *queryParser) all(depth int) *clause { return p.list("and", depth, p.one) }

func (p *queryParser) list(between string, depth int, read func(depth int) *clause) *clause {
	parts := []*clause{read(depth)}
	for p.take(between) {
		parts = append(parts, read(depth))
	}
	return joined(between == "or", parts...)
}

// one reads a comparison, a negation, or what stands in brackets.
func (p *queryParser) one(depth int) *clause {
	if w := p.left[0]; depth > mostNested {
		return p.fail(w.wrong("nested too deeply, may be %d deep", mostNested))
	}
	switch {
	case p.take("("):
		c := p.any(depth + 1)
		p.expect(")")
		return c
	case p.take("not"):
		return p.one(depth + 1).negated()
	case p.take("all"):
		return &clause{}
	}
	name := p.next()
	if !p.take("in") {
		return p.comparison(name, p.next(), p.next())
	}
	p.expect("{")
	equal := word{"=", name.column, true}
	values := []*clause{p.comparison(name, equal, p.next())}
	for p.take(",") {
		values = append(values, p.comparison(name, equal, p.next()))
	}
	p.expect("}")
	return joined(true, values...)
}

// comparison is the set of the codes that compare with a value as asked for. Categories are
// compared by <, <=, > and >= only where their order has a meaning. A missing value is equal to
// itself alone, and neither above nor below another.
func (p *queryParser) comparison(name, operator, value word) *clause {
	at := p.schema.Index(name.text)
	if at < 0 {
		names := QuoteSome(p.schema.Names(), fewValues)
		if name.text == "" && name.plain {
			return p.fail(name.wrong("the end, must be a comparison with one of %s", names))
		}
		return p.fail(name.wrong("no attribute %q, must be one of %s", name.text, names))
	}
	is, known := operators[operator.text]
	if !known || !operator.plain {
		return p.fail(operator.wrong("%q, must be one of = != < <= > >=", operator.text))
	}
	if value.text == "" && value.plain {
		return p.fail(value.wrong("no value, must be compared with one"))
	}
	a := &p.schema.Attributes[at]
	missing, lacks := a.MissingCode(), operator.text == "!="
	low, high, equal := missing, missing+1, whole(is[1]) // the codes with parts that are equal
	if a.Missing != nil && value.text == *a.Missing {
		if is[0] != is[2] {
			return p.fail(value.wrong("%s: %q stands for no value, must be compared by = or !=",
				a.Name, value.text))
		}
		lacks = is[1]
	} else if a.Kind == Categorical {
		code, err := a.TextCode(value.text)
		if err == nil && !a.Ordered && is[0] != is[2] {
			err = fmt.Errorf("%s: %s needs an order, must be = or !=", a.Name, operator.text)
		}
		if err != nil {
			return p.fail(value.wrong("%w", err))
		}
		low, high = code, code+1
	} else {
		number, ok := a.ParseNumber(value.text)
		if !ok || number < a.Low || number > a.High {
			or := ""
			if a.Missing != nil {
				or = fmt.Sprintf(", or %q, which stands for a missing one", *a.Missing)
			}
			return p.fail(value.wrong("%s: %q, must be a value between its bounds, from %s to %s%s",
				a.Name, value.text, a.NumberText(a.Low), a.NumberText(a.High), or))
		}
		code, err := a.NumberCode(number)
		if err != nil && is[0] == is[2] {
			return p.fail(value.wrong("%w", err))
		}
		if low, high = code, code+1; err != nil { // between steps, or the end of the bounds
			low = uint32(sort.Search(a.Numbers(), func(code int) bool {
				return a.Number(uint32(code)) > number
			}))
			high = low
		} else if a.Continuous {
			low, high, equal = a.cut(code, number, is)
		}
	}
	cuts := []uint32{0, low, high, uint32(a.Numbers()), uint32(a.Cells())}
	if missing != NoCode {
		cuts = append(cuts, missing, missing+1)
	}
	slices.Sort(cuts)
	cuts = slices.Compact(cuts)
	set := &Set{Attribute: at}
	for i, code := range cuts[:len(cuts)-1] {
		truth := whole(is[2])
		switch {
		case code == missing:
			truth = whole(lacks)
		case code < low:
			truth = whole(is[0])
		case code < high:
			truth = equal
		}
		set.steps = append(set.steps, step{Span{code, cuts[i+1]}, truth})
	}
	return &clause{set: set}
}

// cut is the truth of a comparison with a value within a continuous attribute's cell, which it
// cuts, and the codes that this is the truth of: none where the value is the cell's end.
func (a *Attribute) cut(code uint32, number float64, is [3]bool) (low, high uint32, t Truth) {
	const rounding = 1e-6
	below := (number - a.Low - float64(float64(code)*a.Step)) / a.Step
	if below > 1-rounding {
		code, below = code+1, 0
	}
	t = Truth{is[1] && is[2], is[1] || is[2], float64(whole(is[2]).Share * (1 - below))}
	if below > rounding {
		t.All, t.Any = t.All && is[0], t.Any || is[0]
		t.Share += float64(whole(is[0]).Share * below)
	}
	return code, min(code+1, uint32(a.Numbers())), t
}
