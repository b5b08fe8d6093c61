package experiments

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/datasets/graph"
	"ppdp/results"
)

const graphSpec = `
name: test/graph
seed: 3
trials: 2
dataset: {name: barabasi-albert, nodes: 50, links: 3}
algorithms:
  - name: perfect
measure:
  - metric: edges
`

// releaseFiles maps the names of written releases to their content.
func releaseFiles(t *testing.T, out, experiment string) map[string]string {
	t.Helper()
	folder := filepath.Join(out, experiment, ReleasesFolder)
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string]string)
	for _, entry := range entries {
		files[entry.Name()] = read(t, folder, entry.Name())
	}
	return files
}

// TestWriteReleases: what perfect publishes comes back as a graph with the true degrees, other edges in each trial, the same
// bytes for any number of workers; records do not change, and only releases that are not there are made again.
func TestWriteReleases(t *testing.T) {
	plan := mustPlan(t, graphSpec, Overrides{})
	out := t.TempDir()
	mustRun(t, plan, options(t, out))
	if _, err := os.Stat(filepath.Join(out, "test/graph", ReleasesFolder)); err == nil {
		t.Error("releases are written unasked")
	}
	records := read(t, out, "test/graph", results.RecordsFile)
	opts := options(t, out)
	opts.WriteReleases = true
	if result := mustRun(t, plan, opts); result.Cached != 0 || result.Unwritten != 0 {
		t.Errorf("%+v", result)
	}
	if read(t, out, "test/graph", results.RecordsFile) != records {
		t.Error("writing releases changes the records")
	}
	files := releaseFiles(t, out, "test/graph")
	if len(files) != 2 {
		t.Fatalf("%d files of two releases", len(files))
	}
	var edges []string
	for name, content := range files { // order-free: both are checked
		if !strings.HasSuffix(name, ".edges") || !strings.Contains(content, "# Nodes: 50 Edges: 144\n") { // 6 among the first four, 46·3 more
			t.Errorf("%s: %.120s", name, content)
		}
		loaded, err := graph.Read(name, []byte(content), graph.Auto, graph.Reading{})
		if err != nil {
			t.Fatal(err)
		}
		var text strings.Builder
		if err := loaded.Graph.WriteEdges(&text); err != nil {
			t.Fatal(err)
		}
		edges = append(edges, text.String())
		source := plan.Configs[0].data.source
		set, err := source.Load(t.Context(), datasets.Request{Params: plan.Configs[0].data.params, Key: plan.dataKey(&plan.Configs[0].data, 0)})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(loaded.Graph.DegreeSequence(), set.Graph.DegreeSequence()) {
			t.Errorf("%s has other degrees", name)
		}
	}
	if edges[0] == edges[1] {
		t.Error("two trials drew the same graph")
	}
	opts.Jobs, opts.order = 2, reversed(len(plan.Cells))
	opts.Out = t.TempDir()
	mustRun(t, plan, opts)
	for name, content := range releaseFiles(t, opts.Out, "test/graph") { // order-free: all must be the same
		if files[name] != content {
			t.Errorf("%s differs with two workers", name)
		}
	}
	opts.Out = out
	for name := range files { // order-free: either will do
		if err := os.Remove(filepath.Join(out, "test/graph", ReleasesFolder, name)); err != nil {
			t.Fatal(err)
		}
		break
	}
	if result := mustRun(t, plan, opts); result.Cached != 1 {
		t.Errorf("with one release of two there, %d cells are cached", result.Cached)
	}
}

// TestWriteReleasesOfTables: records are written as CSV, and a release that cannot be written is told and fails no cell.
func TestWriteReleasesOfTables(t *testing.T) {
	plan := mustPlan(t, testSpec, Overrides{})
	out := t.TempDir()
	opts := options(t, out)
	opts.WriteReleases = true
	if result := mustRun(t, plan, opts); result.Failed != 0 || result.Unwritten != 0 {
		t.Fatalf("%+v", result)
	}
	d := &plan.Configs[0].data
	set, err := d.source.Load(t.Context(), datasets.Request{Params: d.params, Key: plan.dataKey(d, 0)})
	if err != nil {
		t.Fatal(err)
	}
	names := set.Table.Schema().Names()
	files := releaseFiles(t, out, "test/coins")
	if len(files) != len(plan.Cells) {
		t.Errorf("%d files of %d cells", len(files), len(plan.Cells))
	}
	for name, content := range files { // order-free: all are checked
		header, rows, _ := strings.Cut(content, "\n")
		if !strings.HasSuffix(name, ".csv") || header != strings.Join(names, ",") || strings.Count(rows, "\n") > 300 {
			t.Errorf("%s begins with %q, must be a table of at most 300 rows of %s", name, header, names)
		}
	}
	blocked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(blocked, "test/coins"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(blocked, "test/coins", ReleasesFolder), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	opts.Out = blocked
	result := mustRun(t, plan, opts)
	if result.Unwritten != len(plan.Cells) || result.Failed != 0 {
		t.Errorf("releases folder is a file: %+v", result)
	}
}
