package strictyaml

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"ppdp/internal/spelling"
)

// Unmarshaler is a type that decodes itself. The method is looked for on the pointer to the value;
// it reports through r and never sees an alias. Null reaches it unless the field is a pointer.
type Unmarshaler interface {
	UnmarshalStrict(r *Reader, n *Node)
}

var (
	nodeType        = reflect.TypeFor[yaml.Node]()
	durationType    = reflect.TypeFor[time.Duration]()
	unmarshalerType = reflect.TypeFor[Unmarshaler]()
)

// Decode decodes n onto *into, whose present values are the defaults, and records everything that
// does not fit. A value in error keeps its default. A nil node, as an unreadable document leaves
// it, decodes to nothing.
//
// Structs take mappings of the keys Fields lists. Maps with string keys keep the entries they have
// and gain the document's. Lists replace slices and must have the length of arrays; a field tagged
// `yaml:"key,flow-one"` takes a single value for a list of one. Strings take the letters of any
// scalar that is not null, so that values like 01 or no mean themselves. Numbers and booleans must
// be unquoted; whole numbers are decimal, without leading zeros, point or exponent; floats are
// finite. Durations need their unit ("30s"). Pointers are set to a fresh value, or to nil by null;
// nothing else takes null. Node and *Node take the node as it is, for decoding later.
//
// Decode panics when into is no pointer or its type has parts that cannot be decoded onto.
func (r *Reader) Decode(n *Node, into any) {
	v := reflect.ValueOf(into)
	if v.Kind() != reflect.Pointer || v.IsNil() {
		panic(fmt.Sprintf("strictyaml: decoding into %T, must be a pointer", into))
	}
	if n == nil {
		return
	}
	r.decode(n, v.Elem(), false)
}

func (r *Reader) decode(n *Node, v reflect.Value, one bool) {
	if n.Kind == yaml.AliasNode {
		return // refused by Document
	}
	t := v.Type()
	switch {
	case t == nodeType:
		v.Set(reflect.ValueOf(*n))
		return
	case t == reflect.PointerTo(nodeType):
		v.Set(reflect.ValueOf(n))
		return
	case t.Kind() == reflect.Pointer:
		if isNull(n) {
			v.SetZero()
			return
		}
		fresh := reflect.New(t.Elem()) // a default behind the pointer may be shared: decode onto a copy
		if !v.IsNil() {
			fresh.Elem().Set(v.Elem())
		}
		r.decode(n, fresh.Elem(), false)
		v.Set(fresh)
		return
	case reflect.PointerTo(t).Implements(unmarshalerType):
		v.Addr().Interface().(Unmarshaler).UnmarshalStrict(r, n)
		return
	case t == durationType:
		r.decodeDuration(n, v)
		return
	}
	switch t.Kind() {
	case reflect.Struct:
		r.decodeStruct(n, v)
	case reflect.Map:
		r.decodeMap(n, v)
	case reflect.Slice:
		r.decodeSlice(n, v, one)
	case reflect.Array:
		r.decodeArray(n, v)
	case reflect.String:
		if n.Kind != ScalarNode || isNull(n) {
			r.refuse(n, "a text")
			return
		}
		v.SetString(n.Value)
	case reflect.Bool:
		if !plain(n) || n.Value != "true" && n.Value != "false" {
			r.refuse(n, "true or false")
			return
		}
		v.SetBool(n.Value == "true")
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		r.decodeInt(n, v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		r.decodeUint(n, v)
	case reflect.Float32, reflect.Float64:
		r.decodeFloat(n, v)
	default:
		panic(fmt.Sprintf("strictyaml: cannot decode into %v", t))
	}
}

// refuse records that n is not what was wanted.
func (r *Reader) refuse(n *Node, want string) {
	hint := ""
	if at, known := r.places[n]; isNull(n) && known && at.parent != nil && at.parent.Kind == MappingNode {
		hint = " (leave the key out for its default)"
	}
	r.Problemf(n, "%s, must be %s%s", describe(n), want, hint)
}

// plain says that n is a scalar without quotes.
func plain(n *Node) bool {
	const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle
	return n.Kind == ScalarNode && n.Style&quoted == 0
}

func (r *Reader) decodeStruct(n *Node, v reflect.Value) {
	if n.Kind != MappingNode {
		r.refuse(n, "a mapping of "+keyList(Fields(v.Type())))
		return
	}
	fields := Fields(v.Type())
next:
	for _, entry := range r.Entries(n) {
		for i := range fields {
			if fields[i].Name == entry.Key {
				r.decode(entry.Value, v.FieldByIndex(fields[i].Index), fields[i].One)
				continue next
			}
		}
		r.Problemf(entry.KeyNode, "unknown key %s%s, must be one of %s", shown(entry.Key), spelling.Hint(entry.Key, keys(fields)), keyList(fields))
	}
}

func keyList(fields []Field) string {
	if len(fields) == 0 {
		return "no keys at all"
	}
	return strings.Join(keys(fields), ", ")
}

func keys(fields []Field) []string {
	names := make([]string, len(fields))
	for i := range fields {
		names[i] = fields[i].Name
	}
	return names
}

func (r *Reader) decodeMap(n *Node, v reflect.Value) {
	t := v.Type()
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("strictyaml: cannot decode into %v, keys must be strings", t))
	}
	if n.Kind != MappingNode {
		r.refuse(n, "a mapping (key: value)")
		return
	}
	fresh := reflect.MakeMap(t) // the default may be shared
	for defaults := v.MapRange(); defaults.Next(); {
		fresh.SetMapIndex(defaults.Key(), defaults.Value())
	}
	for _, entry := range r.Entries(n) {
		key := reflect.ValueOf(entry.Key).Convert(t.Key())
		value := reflect.New(t.Elem()).Elem()
		if old := fresh.MapIndex(key); old.IsValid() {
			value.Set(old)
		}
		r.decode(entry.Value, value, false)
		fresh.SetMapIndex(key, value)
	}
	v.Set(fresh)
}

func (r *Reader) decodeSlice(n *Node, v reflect.Value, one bool) {
	items := n.Content
	if n.Kind != SequenceNode {
		if !one || isNull(n) {
			want := "a list"
			if one {
				want = "a value or a list of values"
			}
			r.refuse(n, want)
			return
		}
		items = []*Node{n}
	}
	fresh := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		r.decode(item, fresh.Index(i), false)
	}
	v.Set(fresh)
}

func (r *Reader) decodeArray(n *Node, v reflect.Value) {
	if n.Kind != SequenceNode || len(n.Content) != v.Len() {
		r.refuse(n, fmt.Sprintf("a list of %d", v.Len()))
		return
	}
	for i, item := range n.Content {
		r.decode(item, v.Index(i), false)
	}
}

func (r *Reader) decodeDuration(n *Node, v reflect.Value) {
	const want = "a duration with its unit, such as 90s, 5m or 1h30m"
	if n.Kind != ScalarNode || isNull(n) {
		r.refuse(n, want)
		return
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil {
		r.refuse(n, want)
		return
	}
	v.SetInt(int64(d))
}

var (
	wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)
	realNumber  = regexp.MustCompile(`^[-+]?((0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	octalLook   = regexp.MustCompile(`^[-+]?0[0-9]+(\.[0-9]*)?$`)
)

// whole checks that n is written as a whole number; what is not gets a hint at what was meant.
func (r *Reader) whole(n *Node) bool {
	const want = "a whole number"
	switch {
	case n.Kind != ScalarNode || isNull(n):
		r.refuse(n, want)
	case !plain(n):
		r.Problemf(n, "%s is text, must be %s without quotes", describe(n), want)
	case wholeNumber.MatchString(n.Value):
		return true
	case octalLook.MatchString(n.Value):
		r.Problemf(n, "%s looks octal, must be %s without leading zeros", describe(n), want)
	case realNumber.MatchString(n.Value):
		if f, err := strconv.ParseFloat(n.Value, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
			r.Problemf(n, "%s, must be %s written in digits: %s", describe(n), want, strconv.FormatFloat(f, 'f', -1, 64))
		} else {
			r.refuse(n, want)
		}
	default:
		r.refuse(n, want+" in decimal digits")
	}
	return false
}

func (r *Reader) decodeInt(n *Node, v reflect.Value) {
	if !r.whole(n) {
		return
	}
	bits := v.Type().Bits()
	i, err := strconv.ParseInt(n.Value, 10, bits)
	if err != nil {
		r.Problemf(n, "%s, must be between %d and %d", describe(n), int64(-1)<<(bits-1), int64(1)<<(bits-1)-1)
		return
	}
	v.SetInt(i)
}

func (r *Reader) decodeUint(n *Node, v reflect.Value) {
	if !r.whole(n) {
		return
	}
	bits := v.Type().Bits()
	text := strings.TrimPrefix(n.Value, "+")
	if text == "-0" {
		text = "0"
	}
	u, err := strconv.ParseUint(text, 10, bits)
	if err != nil {
		r.Problemf(n, "%s, must be between 0 and %d", describe(n), uint64(math.MaxUint64)>>(64-bits))
		return
	}
	v.SetUint(u)
}

func (r *Reader) decodeFloat(n *Node, v reflect.Value) {
	const want = "a finite number"
	switch {
	case n.Kind != ScalarNode || isNull(n):
		r.refuse(n, want)
		return
	case !plain(n):
		r.Problemf(n, "%s is text, must be %s without quotes", describe(n), want)
		return
	case octalLook.MatchString(n.Value):
		r.Problemf(n, "%s looks octal, must be %s without leading zeros", describe(n), want)
		return
	case !realNumber.MatchString(n.Value):
		r.refuse(n, want)
		return
	}
	f, err := strconv.ParseFloat(n.Value, v.Type().Bits())
	mantissa, _, _ := strings.Cut(strings.ToLower(n.Value), "e")
	if err != nil || f == 0 && strings.ContainsAny(mantissa, "123456789") {
		r.Problemf(n, "%s, must be %s that a float of %d bits can hold", describe(n), want, v.Type().Bits())
		return
	}
	v.SetFloat(f)
}
