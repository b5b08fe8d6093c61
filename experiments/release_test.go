package experiments

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strconv"
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
		if entry.Name() == ReleaseIndex || entry.Name() == ReleaseNotice {
			continue
		}
		files[entry.Name()] = read(t, folder, entry.Name())
	}
	return files
}

// TestWriteReleases: what perfect publishes comes back as a graph with the true degrees, other
// edges in each trial, the same bytes for any number of workers; records do not change, and only
// releases that are not there are made again.
func TestWriteReleases(t *testing.T) {
	t.Parallel()
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
		// 6 among the first four, 46·3 more
		if !strings.HasSuffix(name, ".edges") ||
			!strings.Contains(content, "# Nodes: 50 Edges: 144\n") {
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
		set, err := source.Load(t.Context(), datasets.Request{
			Params: plan.Configs[0].data.params, Key: plan.dataKey(plan.Configs[0].data, 0)})
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
	// order-free: all must be the same
	for name, content := range releaseFiles(t, opts.Out, "test/graph") {
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

// TestWriteReleasesOfTables: records are written as CSV, and a release that cannot be written is
// reported and fails no cell.
func TestWriteReleasesOfTables(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	out := t.TempDir()
	opts := options(t, out)
	opts.WriteReleases = true
	if result := mustRun(t, plan, opts); result.Failed != 0 || result.Unwritten != 0 {
		t.Fatalf("%+v", result)
	}
	d := plan.Configs[0].data
	request := datasets.Request{Params: d.params, Key: plan.dataKey(d, 0)}
	set, err := d.source.Load(t.Context(), request)
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
		if !strings.HasSuffix(name, ".csv") || header != strings.Join(names, ",") ||
			strings.Count(rows, "\n") > 300 {
			t.Errorf("%s begins with %q, must be a table of at most 300 rows of %s", name, header,
				names)
		}
	}
	blocked := t.TempDir()
	if err := os.MkdirAll(filepath.Join(blocked, "test/coins"), 0o777); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(blocked, "test/coins", ReleasesFolder)
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	opts.Out = blocked
	result := mustRun(t, plan, opts)
	if result.Unwritten != len(plan.Cells) || result.Failed != 0 {
		t.Errorf("releases folder is a file: %+v", result)
	}
}

// TestReleaseIndex: every release has its line, with the guarantee that its algorithm states, and
// those that are not private are warned of once, whether made now or earlier.
func TestReleaseIndex(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, Overrides{})
	opts := options(t, t.TempDir())
	opts.WriteReleases = true
	folder := filepath.Join(opts.Out, "test/coins", ReleasesFolder)
	const broken = "NOT PRIVATE: the claim of differential privacy is broken, " +
		"no finite bound is known"
	for range 2 {
		var warned []string
		opts.Log = func(message string) {
			if strings.HasPrefix(message, "warning: releases of ") {
				warned = append(warned, message)
			}
		}
		mustRun(t, plan, opts)
		want := []string{
			"warning: releases of coin 0.2 (test-coin, published): " + broken,
			"warning: releases of coin 0.8 (test-coin, published): " + broken,
			"warning: releases of raw (test-raw, published): " +
				"NO PRIVACY: the data themselves, or what follows from them",
		}
		if !slices.Equal(warned, want) {
			t.Errorf("warnings %q", warned)
		}
	}
	lines, err := csv.NewReader(strings.NewReader(read(t, folder, ReleaseIndex))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	files := releaseFiles(t, opts.Out, "test/coins")
	if len(lines) != 1+len(files) {
		t.Fatalf("%d lines for %d files", len(lines), len(files))
	}
	column := func(name string) int { return slices.Index(lines[0], name) }
	for _, line := range lines[1:] {
		if _, there := files[line[column("file")]]; !there {
			t.Errorf("%s is listed and is not there", line[column("file")])
		}
		i, err := strconv.Atoi(line[column("cell")])
		if err != nil {
			t.Fatal(err)
		}
		c := &plan.Cells[i]
		// The coin is calibrated to a sensitivity of 1 where 2 is proven: it spends twice its
		// epsilon.
		want := map[string]string{"guarantee": "differential privacy", "status": "broken",
			"proven": strconv.FormatFloat(2*value(c.Config.Epsilon), 'g', -1, 64)}
		if c.Config.Info.Name == "test-raw" {
			want = map[string]string{"guarantee": "none", "status": "", "proven": ""}
		}
		want["series"] = c.Config.Series
		want["trial"], want["fold"] = strconv.Itoa(c.Trial), strconv.Itoa(c.Fold)
		for name, text := range want { // order-free: each is checked
			if line[column(name)] != text {
				t.Errorf("cell %d: %s is %q, want %q", i, name, line[column(name)], text)
			}
		}
	}
	notice := read(t, folder, ReleaseNotice)
	for _, want := range []string{"the seed, which is 7 ", "raw (test-raw, published): NO PRIVACY",
		"Rows were held out"} {
		if !strings.Contains(notice, want) {
			t.Errorf("the notice does not say %q:\n%s", want, notice)
		}
	}
}

func value(x *float64) float64 {
	if x == nil {
		return 0
	}
	return *x
}
