package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
)

// Constraint is a rule that records should keep: where all conditions of If hold, all of Then must.
type Constraint struct {
	Text     string // as it was written
	If, Then []Condition
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

// word is a piece of a constraint or a query.
type word struct {
	text   string
	column int  // in bytes, from 1
	plain  bool // not in quotes
}

var pieces = regexp.MustCompile(`"[^"]*"|'[^']*'|[!<>]=|[=<>]|[^\s!<>="']+|\S`)

// foreign are operators of other languages, with what stands here for them.
var foreign = map[string]string{"&&": "and", "||": "or"}

// words cuts a text into pieces: at white space and around operators.
func words(text string, pieces *regexp.Regexp) ([]word, error) {
	var found []word
	for _, at := range pieces.FindAllStringIndex(text, -1) {
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

// ParseConstraint reads "CONDITIONS implies CONDITIONS", or conditions that must always hold.
// Conditions are "ATTRIBUTE OPERATOR VALUE", with "and" between them. Names and values with spaces,
// quotes or operators in them, and those that are "and" or "implies", stand in quotes of either
// kind. Categories are compared by <, <=, > and >= only where their order has a meaning.
func ParseConstraint(text string, s *Schema) (Constraint, error) {
	c := Constraint{Text: text}
	left, err := words(text, pieces)
	if err != nil {
		return c, err
	}
	p := &queryParser{left: append(left, word{column: len(text) + 1, plain: true})}
	for {
		name, operator, value := p.next(), p.next(), p.next()
		condition, err := s.condition(name, operator, value)
		if err != nil {
			return c, err
		}
		c.Then = append(c.Then, condition)
		switch w := p.next(); {
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
	if c.Value, known = a.ParseNumber(value.text); !known || c.Value < a.Low || c.Value > a.High {
		return c, fmt.Errorf("column %d: %s: %q, must be a value between its bounds, from %s to %s",
			value.column, a.Name, value.text, a.NumberText(a.Low), a.NumberText(a.High))
	}
	if equal {
		if _, err := a.NumberCode(c.Value); err != nil {
			return c, fmt.Errorf("column %d: %w", value.column, err)
		}
	}
	return c, nil
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
			a, code := &t.schema.Attributes[attribute], t.columns[attribute].At(row)
			value, c := float64(code), &conditions[i]
			if a.Kind == Numeric {
				value = t.Number(row, attribute)
			}
			order := cmp.Compare(value, c.Value)
			holds := operators[c.Operator][1+order]
			if code == a.MissingCode() && order != 0 {
				holds = c.Operator == "!="
			}
			if !holds {
				return false
			}
		}
		return true
	}
	return func(row int32) bool { return all(c.If, row) && !all(c.Then, row) }, nil
}
