package artifact

import (
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"strconv"
	"strings"

	"ppdp/claims"
	"ppdp/internal/results"
)

// MetadataFile is the name that RO-Crate gives its metadata document.
const MetadataFile = "ro-crate-metadata.json"

// The version of RO-Crate that the metadata keep to.
const (
	crateSpecification = "https://w3id.org/ro/crate/1.2"
	crateContext       = "https://w3id.org/ro/crate/1.2/context"
)

// license is that of the program and of what it writes; data have other licenses.
const license = "https://spdx.org/licenses/BSD-3-Clause"

// entity is a node of the metadata's graph. Keys are sorted when it is written.
type entity map[string]any

// ref points at another entity.
type ref struct {
	ID string `json:"@id"`
}

// WriteMetadata writes ro-crate-metadata.json for the files of a folder (RO-Crate 1.2, an attached
// package): every file with size and SHA-256, the runs as actions with their data and results, the
// papers they are after. Files whose names begin with a dot are left out. Equal contents and files
// give equal bytes.
func WriteMetadata(w io.Writer, c *Contents, folder fs.FS) error {
	files, err := filesIn(folder)
	if err != nil {
		return err
	}
	var graph []entity
	add := func(id, kind string, e entity) ref { // texts that are empty are left out
		e["@id"], e["@type"] = id, kind
		maps.DeleteFunc(e, func(_ string, value any) bool { return value == "" })
		graph = append(graph, e)
		return ref{id}
	}
	add(MetadataFile, "CreativeWork",
		entity{"conformsTo": ref{crateSpecification}, "about": ref{"./"}})
	root := entity{"name": name + ": results and program", "description": summary,
		"datePublished": c.Published.UTC().Format("2006-01-02"), "license": ref{license}}
	add("./", "Dataset", root)
	version := c.Commit
	if c.Dirty && version != "" {
		version += ", modified"
	}
	ppdp := add("#ppdp", "SoftwareApplication", entity{"name": name, "description": summary,
		"operatingSystem": c.Platform, "version": version, "license": ref{license},
		"softwareRequirements": "none; built with " + c.GoVersion})
	add(license, "CreativeWork", entity{"name": "BSD 3-Clause", "url": license,
		"description": `BSD 3-Clause "New" or "Revised" License: its text is in the file LICENSE.`})
	var parts, papers []ref
	for _, f := range files {
		parts = append(parts, add(identifier(f.Path), "File", entity{"name": f.Path,
			"description": roleOf(f.Path), "encodingFormat": mediaType(f.Path), "sha256": f.SHA256,
			"contentSize": strconv.FormatInt(f.Bytes, 10)})) // a text in schema.org
	}
	for _, p := range c.Papers {
		verdicts := "Verdicts: " + claims.CoverageOf(p.File, p.Judgements).String() + "; " +
			strings.Join(claims.Count(p.Judgements), ", ")
		papers = append(papers, add("#paper-"+p.File.Paper, "ScholarlyArticle",
			entity{"name": p.File.Citation, "description": verdicts}))
	}
	root["hasPart"], root["citation"] = parts, papers
	mentions := []ref{}
	seen := make(map[string]bool) // datasets
	for _, e := range c.ordered() {
		if e.Run == nil {
			continue
		}
		description := e.Title + "."
		if after := e.Run.Results.Manifest.After(); after != "" {
			description += " After " + after + "."
		}
		action := entity{"name": e.Name, "instrument": ppdp, "description": description}
		var objects, made []ref
		for _, d := range e.Run.Results.Manifest.Datasets {
			id := "#data-" + d.Checksum
			objects = append(objects, ref{id})
			if seen[id] {
				continue
			}
			seen[id] = true
			description := d.Citation
			if d.StandsFor != "" {
				description = "Generated; stands in for real data. " + description
			}
			add(id, "Dataset", entity{"name": d.Name, "identifier": "sha256:" + d.Checksum,
				"license": d.License, "description": description})
		}
		for _, f := range files {
			if strings.HasPrefix(f.Path, e.Run.Folder+"/") {
				made = append(made, ref{identifier(f.Path)})
			}
		}
		if objects != nil {
			action["object"] = objects
		}
		if made != nil {
			action["result"] = made
		}
		id := "#run-" + strings.ReplaceAll(e.Name, "/", "-")
		mentions = append(mentions, add(id, "CreateAction", action))
	}
	root["mentions"] = append(mentions, ppdp)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"@context": crateContext, "@graph": graph})
}

// filesIn lists the files below a folder by path, without the metadata itself, which cannot hold
// its own checksum.
func filesIn(folder fs.FS) ([]File, error) {
	var files []File
	err := fs.WalkDir(folder, ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path != "." && strings.HasPrefix(entry.Name(), "."):
			if entry.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !entry.Type().IsRegular(), path == MetadataFile, strings.HasSuffix(path, ".partial"):
			return nil
		}
		file, err := Sum(folder, path)
		files = append(files, file)
		return err
	})
	return files, err
}

// identifier is a path as the relative reference of RFC 3986 that JSON-LD requires: spaces are
// escaped, a colon does not make a scheme.
func identifier(path string) string { return (&url.URL{Path: path}).String() }

// roles describe the files of a run and those beside them.
var roles = map[string]string{
	results.RecordsFile:  "A line for each release: its settings, seeds, values and spent budget",
	results.SummaryFile:  "Means, standard errors and intervals over trials",
	results.LedgerFile:   "What each mechanism call cost, as claimed and as proven",
	results.TimingsFile:  "Times of each release and measurement",
	results.UsageFile:    "Clock time, memory and workers of the run",
	results.ManifestFile: "The specification as it was run, data, algorithms, program and machine",
	results.RegionsFile:  "Regions of releases that a figure shows",
	results.RowsFile:     "Rows of the original data that a figure shows",
	results.AuditFile:    "What audits found of each guarantee: claimed, proven and seen losses",
	"ARTIFACT.md":        "Instructions for evaluators",
	"report.html":        "All figures, verdicts, budgets and errata on one page",
	"LICENSE":            "License of the program",
	"CITATION.cff":       "How to cite the program and the papers",
	"source.tar.gz":      "Source of the program",
	"ppdp":               "The program",
}

// roleOf describes a file, "" if there is no description.
func roleOf(file string) string {
	switch path.Ext(file) {
	case ".svg", ".png", ".pdf":
		if strings.HasPrefix(path.Base(file), results.CombinedName) {
			return "Figures of the experiment side by side"
		}
		return "Figure"
	}
	return roles[path.Base(file)]
}

// mediaTypes are those of the files that an artifact holds, by extension.
var mediaTypes = map[string]string{
	".md": "text/markdown", ".json": "application/json", ".jsonl": "application/jsonl",
	".csv": "text/csv", ".svg": "image/svg+xml", ".png": "image/png", ".pdf": "application/pdf",
	".html": "text/html", ".gz": "application/gzip", ".cff": "application/yaml",
	".yaml": "application/yaml",
}

func mediaType(file string) string {
	if known, ok := mediaTypes[path.Ext(file)]; ok {
		return known
	}
	if path.Base(file) == "LICENSE" {
		return "text/plain"
	}
	return "application/octet-stream"
}
