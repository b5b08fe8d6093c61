package artifact

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// TestWriteMetadata holds the metadata to what RO-Crate 1.2 demands of an attached package: a flat
// graph of entities with one @id and @type each, a descriptor that conforms to the specification
// and is about the root, a root data set with name, description, date and license, and parts that
// are files in the folder, all of them, with sizes and checksums that are recomputed here.
func TestWriteMetadata(t *testing.T) {
	folder := fstest.MapFS{}
	for _, name := range []string{"ppdp", "LICENSE", "ARTIFACT.md", "a name: spaces & 100%.csv",
		"results/p/one/records.jsonl", "results/p/one/a.svg", "results/p/two/records.jsonl",
		".hidden", MetadataFile} {
		folder[name] = &fstest.MapFile{Data: []byte("content of " + name)}
	}
	c := contents(t)
	c.Published = time.Date(2026, 11, 21, 23, 0, 0, 0, time.UTC)
	var text, again bytes.Buffer
	if err := WriteMetadata(&text, c, folder); err != nil {
		t.Fatal(err)
	}
	if err := WriteMetadata(&again, c, folder); err != nil ||
		!bytes.Equal(text.Bytes(), again.Bytes()) {
		t.Errorf("a second time gives other bytes, or %v", err)
	}

	var document struct {
		Context string           `json:"@context"`
		Graph   []map[string]any `json:"@graph"`
	}
	if err := json.Unmarshal(text.Bytes(), &document); err != nil {
		t.Fatal(err)
	}
	if document.Context != "https://w3id.org/ro/crate/1.2/context" {
		t.Errorf("@context is %v", document.Context)
	}
	byID := make(map[string]map[string]any)
	for _, e := range document.Graph {
		id, _ := e["@id"].(string)
		if kind, _ := e["@type"].(string); id == "" || kind == "" {
			t.Errorf("an entity without @id or @type: %v", e)
		}
		if byID[id] != nil {
			t.Errorf("two entities %q", id)
		}
		byID[id] = e
	}
	// Entities are flat: what is nested is a reference and nothing else, and it leads somewhere.
	refs := func(v any) (ids []string) {
		list, ok := v.([]any)
		if !ok {
			list = []any{v}
		}
		for _, item := range list {
			if object, ok := item.(map[string]any); ok {
				id, _ := object["@id"].(string)
				if len(object) != 1 || id == "" {
					t.Errorf("%v, must be a reference", object)
				}
				ids = append(ids, id)
			}
		}
		return ids
	}
	for id, e := range byID {
		for key, value := range e {
			for _, to := range refs(value) {
				if byID[to] == nil && to != "https://w3id.org/ro/crate/1.2" {
					t.Errorf("%s of %s refers to %q, which is not described", key, id, to)
				}
			}
		}
	}
	one := func(e map[string]any, key, want string) {
		if got := refs(e[key]); len(got) != 1 || got[0] != want {
			t.Errorf("%s of %v is %v, must be %s", key, e["@id"], got, want)
		}
	}
	descriptor, root := byID["ro-crate-metadata.json"], byID["./"]
	if descriptor == nil || root == nil {
		t.Fatalf("no descriptor or no root:\n%s", text.String())
	}
	if descriptor["@type"] != "CreativeWork" || root["@type"] != "Dataset" {
		t.Errorf("the descriptor is a %v, the root a %v", descriptor["@type"], root["@type"])
	}
	one(descriptor, "about", "./")
	one(descriptor, "conformsTo", "https://w3id.org/ro/crate/1.2")
	one(root, "license", "https://spdx.org/licenses/BSD-3-Clause")
	if named := byID["https://spdx.org/licenses/BSD-3-Clause"]; named["name"] == nil ||
		named["description"] == nil {
		t.Errorf("the license has no name or no description: %v", named)
	}
	if root["datePublished"] != "2026-11-21" || root["name"] == "" || root["description"] == "" {
		t.Errorf("the root's name, description, date: %v, %v, %v", root["name"],
			root["description"], root["datePublished"])
	}

	parts := refs(root["hasPart"])
	for name, file := range folder {
		if name == MetadataFile || name == ".hidden" {
			continue
		}
		found := slices.IndexFunc(parts, func(id string) bool {
			reference, err := url.Parse(id)
			return err == nil && reference.Scheme == "" && path.Clean(reference.Path) == name
		})
		if found < 0 {
			t.Errorf("%q is no part: %v", name, parts)
			continue
		}
		e := byID[parts[found]]
		if e["@type"] != "File" || e["contentSize"] != fmt.Sprint(len(file.Data)) ||
			e["sha256"] != fmt.Sprintf("%x", sha256.Sum256(file.Data)) {
			t.Errorf("%s is described as %v", name, e)
		}
	}
	if len(parts) != len(folder)-2 {
		t.Errorf("%d parts of %d files: %v", len(parts), len(folder), parts)
	}

	// Runs made their own files, from their own data.
	run := byID["#run-p-one"]
	if run == nil || run["@type"] != "CreateAction" {
		t.Fatalf("the run of p/one is %v", run)
	}
	one(run, "instrument", "#ppdp")
	got := strings.Join(refs(run["result"]), " ")
	if got != "results/p/one/a.svg results/p/one/records.jsonl" {
		t.Errorf("p/one made %s", got)
	}
	one(byID["#run-p-two"], "object", "#data-ab")
	if note, _ := byID["#data-ab"]["description"].(string); !strings.Contains(note, "stands in") {
		t.Errorf("the stand-in is described as %q", note)
	}
	if byID["#run-p-none"] != nil {
		t.Error("an experiment that was not run has a run")
	}
}
