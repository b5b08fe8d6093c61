package spec

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Parameter is one setting of an algorithm, dataset or metric, as its declaration describes it:
// the field of the parameter struct, with the tags
//
//	doc                    what it is, for people
//	min, max, above, below bounds of numbers, the last two not allowed themselves
//	values                 what is allowed where neither the type nor bounds say it
type Parameter struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default string `json:"default"`
	Allowed string `json:"allowed"`

	kind   reflect.Type
	bounds []bound
}

// bound is a bound of a number.
type bound struct {
	Tag, Keyword, Words string // of the declaration, of JSON Schema, for people
	Limit               float64
}

var boundTags = []bound{{Tag: "min", Keyword: "minimum", Words: "from"},
	{Tag: "above", Keyword: "exclusiveMinimum", Words: "above"},
	{Tag: "max", Keyword: "maximum", Words: "to"},
	{Tag: "below", Keyword: "exclusiveMaximum", Words: "below"}}

// Parameters describes the settings of a parameter struct, whose values are the defaults: of an
// algorithm's, dataset's or metric's Params. It is empty without parameters, and where they are
// known only at run time.
func Parameters(defaults any) []Parameter {
	if _, dynamic := defaults.(strictyaml.Dynamic); dynamic || isNil(defaults) {
		return nil
	}
	resolved := strictyaml.Resolved(defaults)
	var all []Parameter
	for _, field := range strictyaml.Fields(reflect.TypeOf(defaults)) {
		p := Parameter{Name: field.Name, Meaning: field.Tag.Get("doc"), kind: field.Type,
			Default: resolved[field.Name], Allowed: field.Tag.Get("values")}
		var words []string
		for _, b := range boundTags {
			text, given := field.Tag.Lookup(b.Tag)
			if !given {
				continue
			}
			limit, err := strconv.ParseFloat(text, 64)
			if err != nil {
				panic(fmt.Sprintf("%T: tag %s of %s: %v", defaults, b.Tag, field.Name, err))
			}
			b.Limit = limit
			p.bounds = append(p.bounds, b)
			words = append(words, b.Words+" "+text)
		}
		if p.Allowed == "" {
			p.Allowed = allowed(field.Type, words)
		}
		all = append(all, p)
	}
	return all
}

// allowed says in words what a type takes; "" for a text of any kind.
func allowed(t reflect.Type, bounds []string) string {
	if e, ok := reflect.Zero(t).Interface().(enumerated); ok {
		words := e.Enum()
		if last := len(words) - 1; last > 0 {
			return strings.Join(words[:last], ", ") + " or " + words[last]
		}
		return strings.Join(words, "")
	}
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return strings.TrimSpace("a whole number " + strings.Join(bounds, " "))
	case reflect.Float64:
		if len(bounds) > 0 {
			return "a number " + strings.Join(bounds, " and ")
		}
	}
	return ""
}

// schema is the parameter in JSON Schema: one value or a list to sweep.
func (p *Parameter) schema() object {
	value := typeSchema(p.kind)
	for _, b := range p.bounds {
		value[b.Keyword] = b.Limit
	}
	text := p.Meaning + ": " + p.Allowed
	if p.Default != "" {
		text += "; default " + p.Default
	}
	return described(oneOrMore(value), text)
}
