package datasets

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// Constraint is a rule that records should keep: where all conditions of If hold, all of Then must.
type Constraint struct {
	Text     string // as it was written
	If, Then []Condition
}

// Condition compares an attribute with a value: a code of a category, or a number.
type Condition struct {
	Attribute string
	Operator  string // one of operators
	Value     float64
}

// operators are the comparisons of conditions, longer ones before those they begin with.
var operators = []string{"!=", "<=", ">=", "=", "<", ">"}

// word is a piece of a constraint.
type word struct {
	text   string
	column int  // in bytes, from 1
	plain  bool // not in quotes
}

// words cuts a constraint at white space and around operators.
func words(text string) ([]word, error) {
	var found []word
	for at := 0; at < len(text); {
		rest := text[at:]
		if trimmed := strings.TrimLeftFunc(rest, unicode.IsSpace); len(trimmed) < len(rest) {
			at += len(rest) - len(trimmed)
			continue
		}
		w := word{column: at + 1, plain: true}
		i := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(rest, o) })
		switch {
		case rest[0] == '"' || rest[0] == '\'':
			inner, _, closed := strings.Cut(rest[1:], rest[:1])
			if !closed {
				return nil, fmt.Errorf("column %d: a quote that does not end", w.column)
			}
			w.text, w.plain = inner, false
			at += len(inner) + 2
		case i >= 0:
			w.text = operators[i]
			at += len(w.text)
		default:
			end := strings.IndexFunc(rest, func(r rune) bool {
				return unicode.IsSpace(r) || strings.ContainsRune("!<>=\"'", r)
			})
			switch {
			case end < 0:
				end = len(rest)
			case end == 0: // an exclamation mark alone
				end = 1
			}
			w.text = rest[:end]
			at += end
		}
		found = append(found, w)
	}
	return found, nil
}

// ParseConstraint reads "CONDITIONS implies CONDITIONS", or conditions that must always hold.
// Conditions are "ATTRIBUTE OPERATOR VALUE", with "and" between them. Names and values with spaces,
// quotes or operators in them, and those that are "and" or "implies", stand in quotes of either
// kind. Categories are compared by <, <=, > and >= only where their order has a meaning.
func ParseConstraint(text string, s *Schema) (Constraint, error) {
	c := Constraint{Text: text}
	left, err := words(text)
	if err != nil {
		return c, err
	}
	next := func() word {
		if len(left) == 0 {
			return word{column: len(text) + 1, plain: true}
		}
		w := left[0]
		left = left[1:]
		return w
	}
	for {
		name, operator, value := next(), next(), next()
		condition, err := s.condition(name, operator, value)
		if err != nil {
			return c, err
		}
		c.Then = append(c.Then, condition)
		switch w := next(); {
		case w.text == "" && w.plain:
			return c, nil
		case w.text == "implies" && w.plain && c.If == nil:
			c.If, c.Then = c.Then, nil
		case w.text != "and" || !w.plain:
			return c, fmt.Errorf(`column %d: %q, must be "and", one "implies" or the end`,
				w.column, w.text)
		}
	}
}

func (s *Schema) condition(name, operator, value word) (c Condition, err error) {
	at := s.Index(name.text)
	if at < 0 {
		return c, fmt.Errorf("column %d: no attribute %q, must be one of %s", name.column,
			name.text, QuoteSome(s.Names(), fewValues))
	}
	if !operator.plain || !slices.Contains(operators, operator.text) {
		return c, fmt.Errorf("column %d: %q, must be one of %s", operator.column, operator.text,
			strings.Join(operators, " "))
	}
	if value.text == "" && value.plain {
		return c, fmt.Errorf("column %d: no value, must be compared with one", value.column)
	}
	a := &s.Attributes[at]
	c = Condition{Attribute: a.Name, Operator: operator.text}
	if a.Kind == Categorical {
		code, err := a.TextCode(value.text)
		if err == nil && !a.Ordered && c.Operator != "=" && c.Operator != "!=" {
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
		return c, fmt.Errorf("column %d: %s: %q, must be a value between its bounds", value.column,
			a.Name, value.text)
	}
	if c.Operator == "=" || c.Operator == "!=" {
		if _, err := a.NumberCode(c.Value); err != nil {
			return c, fmt.Errorf("column %d: %w", value.column, err)
		}
	}
	return c, nil
}

func (c *Condition) holds(value float64) bool {
	switch c.Operator {
	case "=":
		return value == c.Value
	case "!=":
		return value != c.Value
	case "<":
		return value < c.Value
	case "<=":
		return value <= c.Value
	case ">":
		return value > c.Value
	}
	return value >= c.Value
}

// Breaks returns what says of each row of a table whether it breaks the constraint. A table without
// one of the attributes is an error.
func (c *Constraint) Breaks(t *Table) (func(row int32) bool, error) {
	at := make(map[string]int)
	for _, condition := range slices.Concat(c.If, c.Then) {
		at[condition.Attribute] = t.schema.Index(condition.Attribute)
		if at[condition.Attribute] < 0 {
			return nil, errors.New("the table has no attribute " + condition.Attribute)
		}
	}
	all := func(conditions []Condition, row int32) bool {
		for i := range conditions {
			attribute := at[conditions[i].Attribute]
			var value float64
			if t.schema.Attributes[attribute].Kind == Numeric {
				value = t.Number(row, attribute)
			} else {
				value = float64(t.columns[attribute].At(row))
			}
			if !conditions[i].holds(value) {
				return false
			}
		}
		return true
	}
	return func(row int32) bool { return all(c.If, row) && !all(c.Then, row) }, nil
}
