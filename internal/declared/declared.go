// Package declared reads what the fields of structs that are decoded from YAML declare in their
// tags: for people, for editors, and to check values. What values of several fields have to do with
// each other is left to the struct's own Validate.
package declared

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/problem"
	"ppdp/internal/strictyaml"
)

// Parameter is one key of a spec, or one setting of an algorithm, dataset or metric, as its
// declaration describes it: a field with the tags
//
//	doc                    what it is, for people
//	min, max, above, below bounds of numbers, the last two not allowed themselves
//	words                  the words allowed, where the type does not list them
//	enum                   the same as a list in JSON, which may hold any text
//	values                 what is allowed where neither the type nor bounds say it
//	default                what holds without the key, where the struct's own values do not say it
//	missing                what it must be, of one that has to be given
type Parameter struct {
	Name    string `json:"name"`
	Meaning string `json:"meaning"`
	Default string `json:"default"`
	Allowed string `json:"allowed"`

	Kind   reflect.Type `json:"-"`
	One    bool         `json:"-"` // of a list: a single value means a list of one
	Words  []string     `json:"-"` // allowed ones; nil for any
	Bounds []Bound      `json:"-"`

	within  string // the bounds in words
	missing string // what it must be, if it has to be given
}

// Bound is a bound of a number.
type Bound struct {
	Tag, Keyword string // of the declaration, of JSON Schema
	Limit        float64
}

var boundTags = []Bound{{Tag: "min", Keyword: "minimum"},
	{Tag: "above", Keyword: "exclusiveMinimum"}, {Tag: "max", Keyword: "maximum"},
	{Tag: "below", Keyword: "exclusiveMaximum"}}

// wordsOf lists the words allowed for a field, by its tag or by the method Enum of its type.
func wordsOf(field *strictyaml.Field) []string {
	if words, given := field.Tag.Lookup("words"); given {
		return strings.Fields(words)
	}
	if list, given := field.Tag.Lookup("enum"); given {
		var words []string
		if err := json.Unmarshal([]byte(list), &words); err != nil {
			panic(fmt.Sprintf("tag enum: %v", err))
		}
		return words
	}
	if e, ok := reflect.Zero(field.Type).Interface().(interface{ Enum() []string }); ok {
		return e.Enum()
	}
	return nil
}

// Keys describes the keys of a struct type. Without a tag default, Default is "".
func Keys(t reflect.Type) []Parameter {
	var all []Parameter
	for _, field := range strictyaml.Fields(t) {
		p := Parameter{Name: field.Name, Meaning: field.Tag.Get("doc"), Kind: field.Type,
			Default: field.Tag.Get("default"), Allowed: field.Tag.Get("values"),
			Words: wordsOf(&field), One: field.One, missing: field.Tag.Get("missing")}
		if p.Bounds, p.within = bounds(field.Tag.Lookup); p.Allowed == "" {
			p.Allowed = allowed(&p)
		}
		all = append(all, p)
	}
	return all
}

// Of describes the settings of a parameter struct, whose values are the defaults: of an
// algorithm's, dataset's or metric's Params. It is empty without parameters.
func Of(defaults any) []Parameter {
	if !hasFields(defaults) {
		return nil
	}
	all, resolved := Keys(reflect.TypeOf(defaults)), strictyaml.Resolved(defaults)
	for i := range all {
		all[i].Default = resolved[all[i].Name]
	}
	return all
}

// hasFields reports whether params are a pointer to a struct whose fields are parameters.
func hasFields(params any) bool {
	v := reflect.ValueOf(params)
	return v.Kind() == reflect.Pointer && !v.IsNil()
}

// bounds are those that tags declare, with their words: "from 1 to 9". A limit that is no number is
// a programmer's mistake and panics.
func bounds(lookup func(tag string) (string, bool)) (all []Bound, words string) {
	limits := make(map[string]string)
	for _, b := range boundTags {
		text, given := lookup(b.Tag)
		if !given {
			continue
		}
		limit, err := strconv.ParseFloat(text, 64)
		if err != nil {
			panic(fmt.Sprintf("tag %s: %v", b.Tag, err))
		}
		b.Limit, limits[b.Tag] = limit, text
		all = append(all, b)
	}
	from, to := limits["min"], limits["max"]
	var parts []string
	switch {
	case from != "" && to != "":
		parts = append(parts, "from "+from+" to "+to)
	case from != "":
		parts = append(parts, "at least "+from)
	case limits["above"] != "":
		parts = append(parts, "above "+limits["above"])
	}
	if from == "" && to != "" {
		parts = append(parts, "at most "+to)
	}
	if limits["below"] != "" {
		parts = append(parts, "below "+limits["below"])
	}
	return all, strings.Join(parts, " and ")
}

// allowed says in words what a parameter takes; "" for a text of any kind.
func allowed(p *Parameter) string {
	last, of := len(p.Words)-1, ""
	if strings.HasPrefix(p.within, "at ") {
		of = "of "
	}
	switch {
	case last > 0:
		return strings.Join(p.Words[:last], ", ") + " or " + p.Words[last]
	case p.Kind.Kind() == reflect.Bool:
		return "true or false"
	case p.Kind.Kind() == reflect.Int:
		return strings.TrimSpace("a whole number " + of + p.within)
	case p.Kind.Kind() == reflect.Float64 && p.within != "":
		return "a number " + of + p.within
	}
	return strings.Join(p.Words, "")
}

// Check reports every value of a parameter struct that its declaration does not allow, and all that
// its method Validate finds, if it has one. Each error begins with the yaml key.
func Check(params any) error {
	var errs []error
	if hasFields(params) {
		v := reflect.ValueOf(params).Elem()
		fields := strictyaml.Fields(v.Type())
		for i, p := range Keys(v.Type()) {
			err := p.Check(v.FieldByIndex(fields[i].Index))
			errs = append(errs, problem.Named(p.Name, err))
		}
	}
	if own, ok := params.(interface{ Validate() error }); ok {
		errs = append(errs, own.Validate())
	}
	return errors.Join(errs...)
}

// CheckNode records what the declarations of a struct's keys do not allow in a mapping that was
// decoded onto it: what has to be given and is missing, numbers and words, and those that a list
// has twice.
func CheckNode(r *strictyaml.Reader, n *strictyaml.Node, into any) {
	v := reflect.ValueOf(into).Elem()
	fields := strictyaml.Fields(v.Type())
	for i, key := range Keys(v.Type()) {
		at, value := strictyaml.Find(n, key.Name), v.FieldByIndex(fields[i].Index)
		list := value.Kind() == reflect.Slice
		switch missing := value.IsZero() || list && value.Len() == 0; {
		case missing && key.missing != "" && at == nil:
			r.Problemf(n, "%s: missing, %s", key.Name, key.missing)
			continue
		case missing && key.missing != "":
			r.Problemf(at, "missing, %s", key.missing)
			continue
		case at == nil || key.Bounds == nil && key.Words == nil:
			continue
		}
		places, values := []*strictyaml.Node{at}, []reflect.Value{value}
		if list {
			values = nil
			for i := range value.Len() {
				values = append(values, value.Index(i))
			}
			if at.Kind == strictyaml.SequenceNode {
				places = at.Content
			}
		}
		seen := make(map[any]bool)
		for i, value := range values {
			x := value.Interface()
			if !written(places[i], value) {
				continue // not decoded, which is reported
			}
			if err := key.Check(value); err != nil {
				r.Problemf(places[i], "%v", err)
			} else if seen[x] {
				r.Problemf(places[i], "%v is listed twice", x)
			}
			seen[x] = true
		}
	}
}

// written reports whether a number is the one in the document and no default. Words always are.
func written(at *strictyaml.Node, v reflect.Value) bool {
	x, err := strconv.ParseFloat(at.Value, 64)
	return v.Kind() == reflect.String || err == nil &&
		(v.CanInt() && float64(v.Int()) == x || v.CanFloat() && v.Float() == x)
}

// Check says what is wrong with a value: one that has to be given and is missing, a word that is
// none of those allowed, or a number that is not within the bounds or not finite.
func (p *Parameter) Check(v reflect.Value) error {
	if p.missing != "" && v.IsZero() {
		return errors.New("missing, " + p.missing)
	}
	if p.Words != nil && !slices.Contains(p.Words, v.String()) {
		return fmt.Errorf("%q, must be one of %s", v, strings.Join(p.Words, ", "))
	}
	var x float64
	switch {
	case v.CanInt():
		x = float64(v.Int())
	case v.CanFloat():
		x = v.Float()
	default:
		return nil
	}
	for _, b := range p.Bounds {
		if b.Tag == "min" && !(x >= b.Limit) || b.Tag == "above" && !(x > b.Limit) ||
			b.Tag == "max" && !(x <= b.Limit) || b.Tag == "below" && !(x < b.Limit) {
			return fmt.Errorf("%v, must be %s", v, p.within)
		}
	}
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Errorf("%v, must be a finite number", v)
	}
	return nil
}

// CheckNumber is Check for the value of a command's flag, whose tags lookup finds. The error begins
// with its name.
func CheckNumber(name string, v reflect.Value, lookup func(tag string) (string, bool)) error {
	var p Parameter
	p.Bounds, p.within = bounds(lookup)
	return problem.Named(name, p.Check(v))
}
