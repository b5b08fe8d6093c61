package spec

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
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// object is a JSON object; encoding/json writes its keys in order.
type object = map[string]any

// WriteJSONSchema writes a JSON Schema (draft 2020-12) of the spec language, for editors that
// complete and check YAML. It is made from the Go types and from everything registered, so a new
// baseline is in it at once. The decoder, not the schema, decides what is accepted: a schema cannot
// say it all.
func WriteJSONSchema(w io.Writer) error {
	return results.WriteJSON(w, object{
		"$schema":              "https://json-schema.org/draft/2020-12/schema",
		"title":                "ppdp experiment",
		"type":                 "object",
		"additionalProperties": false,
		"required":             []string{"name", "dataset", "algorithms", "measure"},
		"properties": object{
			"name": object{"type": "string", "pattern": results.ExperimentNamePattern(),
				"description": "folder of the results, such as rps/fig3"},
			"title":  described(object{"type": "string"}, "one line for people"),
			"source": described(object{"type": "string"}, "paper and figure it reproduces"),
			"note": described(object{"type": "string"},
				"one line below its figures, such as how they differ from the paper's"),
			"seed":   described(integer(0), "master seed of all randomness"),
			"trials": described(integer(1, maxTrials), "independent repetitions, default 1"),
			"folds": described(integer(0, maxFolds),
				"cross-validation folds; 0 measures on the rows released"),
			"train": described(object{"type": []string{"integer", "number", "string"}},
				"in place of folds: the first rows, "+trainForms+", are released, the others "+
					"are the test set"),
			"stratify": described(object{"type": "boolean"},
				"keep class shares equal over the folds, default true"),
			"protocol": described(object{"enum": []string{RawTest, Inside}},
				"release the training folds and test on the raw fold, or cross-validate inside "+
					"the release"),
			"dataset": oneOrMore(object{"anyOf": datasetSchemas()}),
			"epsilon": described(epsilonSchema(),
				"for every algorithm under differential privacy"),
			"algorithms": atLeastOne(object{"oneOf": algorithmSchemas()}),
			"measure": atLeastOne(mapping(object{
				"metric":     oneOrMore(object{"enum": metrics.Names()}),
				"classifier": oneOrMore(object{"enum": classifiers.Names()}),
				"params": described(mapping(metricParameterSchemas()),
					"of the metrics, each of which must know them all; recorded under the "+
						"metric's name with what differs from the defaults"),
				"where": filterSchema("measure only settings that have these values; a|b: either"),
			}, "metric")),
			"keep": described(oneOrMore(object{"enum": keepWords}),
				"what a run leaves of each configuration's first release: its regions; and the "+
					"original rows, which are private data"),
			"plots": object{"type": "array", "items": figureSchema()},
			"quick": described(mapping(object{
				"trials":  integer(1),
				"folds":   integer(2),
				"epsilon": epsilonSchema(),
				"dataset": object{"$ref": "#/properties/dataset",
					"description": "replaces the experiment's, whose sources it names"},
			}), "what --quick overrides"),
		},
	})
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

// integer takes whole numbers from a minimum on, up to a maximum if one is given.
func integer(minimum int, maximum ...int) object {
	schema := object{"type": "integer", "minimum": minimum}
	if len(maximum) > 0 {
		schema["maximum"] = maximum[0]
	}
	return schema
}

func epsilonSchema() object { return oneOrMore(object{"type": "number", "exclusiveMinimum": 0}) }

// parameterSchemas lists the keys of a parameter struct.
func parameterSchemas(params any) object {
	properties := object{}
	for _, p := range declared.Of(params) {
		value := typeSchema(p.Kind)
		if p.Words != nil {
			value = object{"enum": wordValues(p.Words)}
		}
		for _, b := range p.Bounds {
			value[b.Keyword] = b.Limit
		}
		text := p.Meaning + ": " + p.Allowed
		if p.Default != "" {
			text += "; default " + p.Default
		}
		properties[p.Name] = described(oneOrMore(value), text)
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
	switch t.Kind() {
	case reflect.Pointer:
		return typeSchema(t.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return integer(0)
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Slice:
		return object{"type": "array", "items": typeSchema(t.Elem())}
	default:
		return object{} // anything: the type decodes itself
	}
}

func datasetSchemas() []any {
	all := []any{object{"enum": datasets.Names()}}
	for _, name := range datasets.Names() {
		source := must(datasets.Lookup(name))
		properties := parameterSchemas(source.Params())
		properties["name"] = described(object{"const": name}, source.Info().Title)
		properties["resample"] = described(object{"type": "boolean"},
			"draw generated data anew for every trial")
		required := []string{"name"}
		if name == "csv" {
			required = []string{"csv", "schema"}
		}
		all = append(all, mapping(properties, required...))
	}
	return all
}

// must is for names that are known to be registered.
func must[T any](registered T, err error) T {
	if err != nil {
		panic(err)
	}
	return registered
}

func algorithmSchemas() []any {
	var all []any
	for _, name := range algorithms.Names() {
		algorithm := must(algorithms.Lookup(name))
		info := algorithm.Info()
		var variants []algorithms.Variant
		for _, g := range info.Variants {
			variants = append(variants, g.Variant)
		}
		properties := entrySchema(oneOrMore(object{"enum": variants}),
			mapping(parameterSchemas(algorithm.Params())))
		properties["name"] = described(object{"const": name}, info.Title)
		all = append(all, mapping(properties, "name"))
	}
	// What a program outside takes is in its descriptor.
	properties := entrySchema(oneOrMore(object{"type": "string"}), object{"type": "object"})
	properties["from"] = described(object{"type": "string"},
		"the descriptor (*.baseline.yaml) of a program of your own, or a release of any program, "+
			"a CSV file or a folder of ppdp release; relative to the spec")
	return append(all, mapping(properties, "from"))
}

// entrySchema is what entries under algorithms share.
func entrySchema(variant, params any) object {
	return object{
		"variant": variant,
		"series": described(object{"type": "string"},
			"the curve's name; {parameter} is filled in"),
		"trials": described(integer(1, maxTrials),
			"only the first of the experiment's trials; all if not given"),
		"epsilon": epsilonSchema(),
		"delta": described(oneOrMore(object{"type": "number", "minimum": 0,
			"exclusiveMaximum": 1}), "beside epsilon; 0, the default, is pure epsilon"),
		"params": params,
	}
}

// metricParameterSchemas lists the parameters of all metrics. A key that metrics disagree about
// takes what any of them takes.
func metricParameterSchemas() object {
	properties := object{}
	for _, name := range metrics.Names() {
		own := parameterSchemas(parametersOf(must(metrics.Lookup(name)))())
		for _, key := range slices.Sorted(maps.Keys(own)) {
			switch known, taken := properties[key].(object); {
			case !taken:
				properties[key] = own[key]
			case known["description"] == nil: // several metrics' already
				properties[key] = object{"anyOf": append(known["anyOf"].([]any), own[key])}
			case !reflect.DeepEqual(known, own[key]):
				properties[key] = object{"anyOf": []any{known, own[key]}}
			}
		}
	}
	return properties
}

func filterSchema(text string) object {
	return described(object{"type": "object",
		"additionalProperties": object{"type": []string{"string", "number", "boolean"}}}, text)
}

func figureSchema() object {
	properties := object{}
	for _, field := range strictyaml.Fields(reflect.TypeFor[results.Figure]()) {
		properties[field.Name] = typeSchema(field.Type)
	}
	properties["where"] = filterSchema("keep what has these values; a|b keeps either")
	properties["kind"] = object{"enum": []string{results.RegionsKind},
		"description": "a map of one release's regions; curves if not given"}
	for _, axis := range []string{"x", "y"} {
		properties[axis+"scale"] = object{"enum": []string{"linear", "log"}}
		properties[axis+"lim"] = object{"type": "array", "items": object{"type": "number"},
			"minItems": 2, "maxItems": 2}
	}
	return mapping(properties, "name", "x", "y")
}
