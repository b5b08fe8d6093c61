package publish

import (
	"io"
	"maps"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/results"
)

// entity is a node of JSON-LD. Keys are sorted when it is written.
type entity map[string]any

// croissantContext is the context that the Croissant format 1.0 prescribes, as far as it is used.
var croissantContext = entity{
	"@language": "en", "@vocab": "https://schema.org/",
	"cr": "http://mlcommons.org/croissant/", "dct": "http://purl.org/dc/terms/",
	"sc": "https://schema.org/", "conformsTo": "dct:conformsTo",
	"column": "cr:column", "extract": "cr:extract", "field": "cr:field",
	"fileObject": "cr:fileObject", "recordSet": "cr:recordSet", "source": "cr:source",
	"dataType": entity{"@id": "cr:dataType", "@type": "@vocab"},
}

var mediaTypes = map[string]string{".csv": "text/csv", ".yaml": "application/yaml",
	".html": "text/html", ".parquet": "application/vnd.apache.parquet"}

// writeCroissant writes metadata that catalogues of data sets read (Croissant 1.0, MLCommons).
func writeCroissant(w io.Writer, c *Certificate, schema *datasets.Schema, files []File) error {
	var objects, fields []entity
	for _, f := range files {
		objects = append(objects, entity{"@type": "cr:FileObject", "@id": f.Name, "name": f.Name,
			"contentUrl": f.Name, "encodingFormat": mediaTypes[filepath.Ext(f.Name)],
			"sha256": f.SHA256, "contentSize": strconv.FormatInt(f.Bytes, 10) + " B"})
	}
	add := func(name, kind string) {
		fields = append(fields, entity{"@type": "cr:Field", "@id": "records/" + name,
			"name": name, "dataType": kind, "source": entity{
				"fileObject": entity{"@id": RecordsFile}, "extract": entity{"column": name}}})
	}
	for a := range results.Each(schema.Attributes) {
		generalised := c.Guarantee.K > 0 && a.Role == datasets.QuasiIdentifier
		switch {
		case a.Kind == datasets.Categorical || a.Clock != "" || generalised,
			a.Missing != nil && *a.Missing != "": // which no number is written as
			add(a.Name, "sc:Text")
		case !a.Continuous && a.Low == math.Trunc(a.Low) && a.Step == math.Trunc(a.Step):
			add(a.Name, "sc:Integer")
		default:
			add(a.Name, "sc:Float")
		}
	}
	if c.Weighted {
		add("weight", "sc:Float")
	}
	metadata := entity{"@context": croissantContext, "@type": "sc:Dataset",
		"conformsTo": "http://mlcommons.org/croissant/1.0", "name": c.Title,
		"description":   strings.TrimSpace(c.Content+" "+c.Missing) + " " + c.Guarantee.Sentence,
		"datePublished": c.Released,
		"license":       c.License, "version": "1.0.0",
		"isAccessibleForFree": true,
		"creator":             entity{"@type": "SoftwareApplication", "name": c.Program},
		"publisher":           c.publisher(),
		"distribution":        objects, "recordSet": []entity{{"@type": "cr:RecordSet",
			"@id": "records", "name": "records", "field": fields}}}
	maps.DeleteFunc(metadata, func(_ string, value any) bool { return value == "" })
	return results.WriteJSON(w, metadata)
}

// publisher is the owner with the contact, "" where no owner is given.
func (c *Certificate) publisher() any {
	if c.Owner == "" {
		return ""
	}
	e := entity{"@type": "Organization", "name": c.Owner}
	if c.Contact != "" {
		e["contactPoint"] = c.Contact
	}
	return e
}
