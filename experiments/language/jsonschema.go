package language

import (
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/metrics"
)

// object is a JSON object; encoding/json writes its keys in order.
type object = map[string]any

// WriteJSONSchema writes a JSON Schema (draft 2020-12) of the spec language, for editors that
// complete and check YAML. It is made from the Go types, their tags and everything registered, so a
// new baseline is in it at once. The decoder, not the schema, decides what is accepted: a schema
// cannot say it all.
func WriteJSONSchema(w io.Writer) error {
	schema, keys := schemaOf[Spec]()
	keys["name"].(object)["pattern"] = results.ExperimentNamePattern()
	schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	schema["title"] = "ppdp experiment"
	schema["$defs"] = object{"dataset": object{"anyOf": datasetSchemas()},
		"algorithm": object{"oneOf": algorithmSchemas()}}
	return results.WriteJSON(w, schema)
}

// schemaOf is the schema of a mapping of the language and, as a part of it, those of its keys. Keys
// without a default are required.
func schemaOf[T any]() (schema, keys object) {
	keys = object{}
	var required []string
	for _, p := range declared.Keys(reflect.TypeFor[T]()) {
		kind := p.Kind
		if kind.Kind() == reflect.Slice {
			kind = kind.Elem()
		}
		value := valueSchema(kind, &p)
		switch {
		case p.One:
			value = oneOrMore(value)
		case p.Default == "" && kind != p.Kind: // a list that has to be given
			value = atLeastOne(value)
		case kind != p.Kind:
			value = object{"type": "array", "items": value}
		}
		if keys[p.Name] = described(value, describe(&p)); p.Default == "" {
			required = append(required, p.Name)
		}
	}
	return mapping(keys, required...), keys
}

// valueSchema is of one value of a type, within what its declaration allows.
func valueSchema(kind reflect.Type, p *declared.Parameter) object {
	value := typeSchema(kind)
	if p.Words != nil {
		value = object{"enum": wordValues(p.Words)}
	}
	for _, b := range p.Bounds {
		value[b.Keyword] = b.Limit
	}
	return value
}

// describe says what a key means, takes and is by default.
func describe(p *declared.Parameter) string {
	text := p.Meaning
	if p.Allowed != "" {
		text += ": " + p.Allowed
	}
	if p.Default != "" {
		text += "; default " + p.Default
	}
	return text
}

// replace gives a key another schema below its description.
func replace(properties object, key string, value object) {
	properties[key] = described(value, properties[key].(object)["description"].(string))
}

func described(schema object, text string) object {
	schema["description"] = text
	return schema
}

// mapping takes the keys listed and no others.
func mapping(properties object, required ...string) object {
	schema := object{"type": "object", "additionalProperties": false, "properties": properties}
	if len(required) > 0 {
		schema["required"] = required
	}
	return schema
}

func atLeastOne(schema object) object {
	return object{"type": "array", "items": schema, "minItems": 1}
}

func oneOrMore(schema object) object { return object{"anyOf": []any{schema, atLeastOne(schema)}} }

// parameterSchemas lists the keys of a parameter struct.
func parameterSchemas(params any) object {
	properties := object{}
	for _, p := range declared.Of(params) {
		properties[p.Name] = described(oneOrMore(valueSchema(p.Kind, &p)), describe(&p))
	}
	return properties
}

// wordValues lists words as an editor's YAML reader sees them: true and false, unquoted, are no
// strings to it.
func wordValues(words []string) []any {
	values := make([]any, 0, len(words))
	for _, word := range words {
		values = append(values, word)
		if truth, err := strconv.ParseBool(word); err == nil && strconv.FormatBool(truth) == word {
			values = append(values, truth)
		}
	}
	return values
}

func typeSchema(t reflect.Type) object {
	switch t {
	case reflect.TypeFor[Train]():
		return object{"type": []string{"integer", "number", "string"}}
	case reflect.TypeFor[DatasetSpec]():
		return object{"$ref": "#/$defs/dataset"}
	case reflect.TypeFor[AlgorithmSpec]():
		return object{"$ref": "#/$defs/algorithm"}
	case reflect.TypeFor[MeasureSpec]():
		return measureSchema()
	case reflect.TypeFor[FigureSpec]():
		return figureSchema()
	case reflect.TypeFor[QuickSpec]():
		schema, _ := schemaOf[QuickSpec]()
		return schema
	case reflect.TypeFor[Sweep]():
		return object{"type": "object"}
	}
	switch t.Kind() {
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Map: // a filter
		return object{"type": "object",
			"additionalProperties": object{"type": []string{"string", "number", "boolean"}}}
	default:
		return object{} // anything: the type decodes itself
	}
}

func datasetSchemas() []any {
	all := []any{object{"enum": datasets.Names()}}
	for _, name := range datasets.Names() {
		source := must.Get(datasets.Lookup(name))
		_, properties := schemaOf[DatasetSpec]()
		maps.Copy(properties, parameterSchemas(source.Params()))
		properties["name"] = described(object{"const": name}, source.Info().Title)
		required := []string{"name"}
		if name == "csv" {
			required = []string{"csv", "schema"}
		}
		all = append(all, mapping(properties, required...))
	}
	return all
}

func algorithmSchemas() []any {
	var all []any
	for _, name := range algorithms.Names() {
		algorithm := must.Get(algorithms.Lookup(name))
		info := algorithm.Info()
		variants := results.Mapped(info.Variants,
			func(g algorithms.Guarantee) algorithms.Variant { return g.Variant })
		_, properties := schemaOf[AlgorithmSpec]()
		properties["name"] = described(object{"const": name}, info.Title)
		delete(properties, "from")
		replace(properties, "variant", oneOrMore(object{"enum": variants}))
		replace(properties, "params", mapping(parameterSchemas(algorithm.Params())))
		all = append(all, mapping(properties, "name"))
	}
	// What a program outside takes is in its descriptor.
	_, properties := schemaOf[AlgorithmSpec]()
	delete(properties, "name")
	return append(all, mapping(properties, "from"))
}

func measureSchema() object {
	schema, properties := schemaOf[MeasureSpec]()
	replace(properties, "metric", oneOrMore(object{"enum": metrics.Names()}))
	replace(properties, "classifier", oneOrMore(object{"enum": classifiers.Names()}))
	replace(properties, "params", mapping(metricParameterSchemas()))
	return schema
}

// metricParameterSchemas lists the parameters of all metrics: each takes what any metric takes.
func metricParameterSchemas() object {
	taken, properties := make(map[string][]any), object{}
	for _, name := range metrics.Names() {
		own := parameterSchemas(parametersOf(must.Get(metrics.Lookup(name)))())
		for _, key := range slices.Sorted(maps.Keys(own)) {
			taken[key] = append(taken[key], own[key])
			properties[key] = object{"anyOf": taken[key]}
		}
	}
	return properties
}

func figureSchema() object {
	schema, properties := schemaOf[results.Figure]()
	for _, key := range []string{"xlim", "ylim"} {
		maps.Copy(properties[key].(object), object{"minItems": 2, "maxItems": 2})
	}
	return schema
}
