package artifact

import (
	"encoding/json"
	"io"
	"io/fs"
	"net/url"
	"path"
	"strconv"
	"strings"

	"ppdp/claims"
	"ppdp/results"
)

// MetadataFile is the name that RO-Crate gives its metadata document.
const MetadataFile = "ro-crate-metadata.json"

// The version of RO-Crate that the metadata keep to.
const (
	crateSpecification = "https://w3id.org/ro/crate/1.2"
	crateContext       = "https://w3id.org/ro/crate/1.2/context"
)

// license is that of the program and of what it writes; data have licenses of their own.
const license = "https://spdx.org/licenses/BSD-3-Clause"

// entity is a node of the metadata's graph. Keys are sorted when it is written.
type entity map[string]any

// ref points at another entity.
type ref struct {
	ID string `json:"@id"`
}

// WriteMetadata writes ro-crate-metadata.json for the files of a folder (RO-Crate 1.2, an attached package): every file with size and SHA-256, the
// runs as actions with their data and results, the papers they are after. Files whose names begin with a dot are left out. Equal
// contents and files give equal bytes.
func WriteMetadata(w io.Writer, c *Contents, folder fs.FS) error {
	files, err := filesIn(folder)
	if err != nil {
		return err
	}
	root := entity{"@id": "./", "@type": "Dataset", "name": name + ": results and program", "description": summary,
		"datePublished": c.Published.UTC().Format("2006-01-02"), "license": ref{license}}
	program := entity{"@id": "#ppdp", "@type": "SoftwareApplication", "name": name, "description": summary, "operatingSystem": c.Platform,
		"softwareRequirements": "none; built with " + c.GoVersion, "license": ref{license}}
	if c.Commit != "" {
		program["version"] = c.Commit
		if c.Dirty {
			program["version"] = c.Commit + ", modified"
		}
	}
	graph := []entity{
		{"@id": MetadataFile, "@type": "CreativeWork", "conformsTo": ref{crateSpecification}, "about": ref{"./"}},
		root, program,
		{"@id": license, "@type": "CreativeWork", "name": "BSD 3-Clause", "description": "BSD 3-Clause \"New\" or \"Revised\" License: its text is in the file LICENSE.", "url": license},
	}
	var parts []ref
	for _, f := range files {
		parts = append(parts, ref{identifier(f.Path)})
		// A size is a text in schema.org.
		file := entity{"@id": identifier(f.Path), "@type": "File", "name": f.Path, "encodingFormat": mediaType(f.Path),
			"contentSize": strconv.FormatInt(f.Bytes, 10), "sha256": f.SHA256}
		if role := roleOf(f.Path); role != "" {
			file["description"] = role
		}
		graph = append(graph, file)
	}
	root["hasPart"] = parts
	var papers []ref
	for _, p := range c.Papers {
		id := "#paper-" + p.Ledger.Paper
		papers = append(papers, ref{id})
		graph = append(graph, entity{"@id": id, "@type": "ScholarlyArticle", "name": p.Ledger.Citation,
			"description": "Verdicts: " + claims.CoverageOf(p.Ledger, p.Judgements).String() + "; " + strings.Join(claims.Count(p.Judgements), ", ")})
	}
	root["citation"] = papers
	actions := []ref{}
	seen := make(map[string]bool) // datasets
	for _, e := range c.ordered() {
		if e.Run == nil {
			continue
		}
		m := &e.Run.Results.Manifest
		action := entity{"@id": "#run-" + strings.ReplaceAll(e.Name, "/", "-"), "@type": "CreateAction", "name": e.Name, "instrument": ref{"#ppdp"},
			"description": strings.TrimSpace(e.Title + ". After " + e.Source + ".")}
		var objects, made []ref
		for _, d := range m.Datasets {
			id := "#data-" + d.Checksum
			objects = append(objects, ref{id})
			if seen[id] {
				continue
			}
			seen[id] = true
			data := entity{"@id": id, "@type": "Dataset", "name": d.Name, "identifier": "sha256:" + d.Checksum}
			if d.License != "" {
				data["license"] = d.License
			}
			if d.Citation != "" {
				data["description"] = d.Citation
			}
			if d.StandsFor != "" {
				data["description"] = "Generated; stands in for real data. " + d.Citation
			}
			graph = append(graph, data)
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
		actions = append(actions, ref{action["@id"].(string)})
		graph = append(graph, action)
	}
	root["mentions"] = append(actions, ref{"#ppdp"})
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{
		"@context": crateContext,
		"@graph":   graph,
	})
}

// filesIn lists the files below a folder by path, without the metadata itself, which cannot hold its own checksum.
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
		case !entry.Type().IsRegular() || path == MetadataFile || strings.HasSuffix(path, ".partial"):
			return nil
		}
		file, err := Sum(folder, path)
		files = append(files, file)
		return err
	})
	return files, err
}

// identifier is a path as the relative reference of RFC 3986 that JSON-LD wants: spaces are escaped, a colon does not make a scheme.
func identifier(path string) string {
	return (&url.URL{Path: path}).String()
}

// roles say what the files of a run, and those beside them, are for.
var roles = map[string]string{
	results.RecordsFile: "A line for each release: its settings, seeds, values and spent budget", results.SummaryFile: "Means, standard errors and intervals over trials",
	results.LedgerFile: "What each mechanism call cost, as claimed and as proven", results.TimingsFile: "What each release and measurement took",
	results.UsageFile: "Clock, memory and workers of the run", results.ManifestFile: "The specification as it was run, data, algorithms, program and machine",
	results.RegionsFile: "Regions of releases that a figure shows", results.RowsFile: "Rows of the original data that a figure shows",
	"ARTIFACT.md": "Instructions for evaluators", "report.html": "All figures, verdicts, budgets and errata on one page", "LICENSE": "License of the program",
	"CITATION.cff": "How to cite the program and the papers", "source.tar.gz": "Source of the program", "ppdp": "The program",
}

// roleOf describes a file; what has no description is "".
func roleOf(file string) string {
	switch path.Ext(file) {
	case ".svg", ".png", ".pdf":
		if base := path.Base(file); strings.HasPrefix(base, "combined") {
			return "Figures of the experiment side by side"
		}
		return "Figure"
	}
	return roles[path.Base(file)]
}

// mediaTypes are those of the files that an artifact holds, by extension.
var mediaTypes = map[string]string{
	".md": "text/markdown", ".json": "application/json", ".jsonl": "application/jsonl", ".csv": "text/csv", ".svg": "image/svg+xml",
	".png": "image/png", ".pdf": "application/pdf", ".html": "text/html", ".gz": "application/gzip", ".cff": "application/yaml", ".yaml": "application/yaml",
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
