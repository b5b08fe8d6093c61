package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets/graph"
	"ppdp/experiments/language"
	"ppdp/internal/results"
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
	entries := must(os.ReadDir(folder))
	files := make(map[string]string)
	for _, entry := range entries {
		files[entry.Name()] = read(t, folder, entry.Name())
	}
	return files
}

// TestWriteReleases: what perfect publishes comes back as a graph with the true degrees, other
// edges in each trial, the same bytes for any number of workers; records do not change, and only
// releases that are not there are made again.
func TestWriteReleases(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, graphSpec, language.Overrides{})
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
		loaded := must(graph.Read(name, []byte(content), graph.Auto, graph.Reading{}))
		var text strings.Builder
		noError(t, loaded.Graph.WriteEdges(&text))
		edges = append(edges, text.String())
		set := must(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0))
		if !slices.Equal(loaded.Graph.DegreeSequence(), set.Graph.DegreeSequence()) {
			t.Errorf("%s has other degrees", name)
		}
	}
	if edges[0] == edges[1] {
		t.Error("two trials drew the same graph")
	}
	opts.Workers, opts.order = 2, reversed(len(plan.Jobs))
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
		noError(t, os.Remove(filepath.Join(out, "test/graph", ReleasesFolder, name)))
		break
	}
	if result := mustRun(t, plan, opts); result.Cached != 1 {
		t.Errorf("with one release of two there, %d jobs are cached", result.Cached)
	}
}

// TestWriteReleasesOfTables: records are written as CSV, and a release that cannot be written is
// reported and fails no job.
func TestWriteReleasesOfTables(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	out := t.TempDir()
	opts := options(t, out)
	opts.WriteReleases = true
	if result := mustRun(t, plan, opts); result.Failed != 0 || result.Unwritten != 0 {
		t.Fatalf("%+v", result)
	}
	set := must(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0))
	names := set.Table.Schema().Names()
	files := releaseFiles(t, out, "test/coins")
	if len(files) != len(plan.Jobs) {
		t.Errorf("%d files of %d jobs", len(files), len(plan.Jobs))
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
	noError(t, os.MkdirAll(filepath.Join(blocked, "test/coins"), 0o777))
	file := filepath.Join(blocked, "test/coins", ReleasesFolder)
	noError(t, os.WriteFile(file, nil, 0o666))
	opts.Out = blocked
	result := mustRun(t, plan, opts)
	if result.Unwritten != len(plan.Jobs) || result.Failed != 0 {
		t.Errorf("releases folder is a file: %+v", result)
	}
}

// TestReleasesWarned: those that are not private are warned of once, whether made now or earlier.
func TestReleasesWarned(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, testSpec, language.Overrides{})
	opts := options(t, t.TempDir())
	opts.WriteReleases = true
	for range 2 {
		var warned []string
		opts.Log = func(message string) {
			if of, found := strings.CutPrefix(message, "warning: NOT PRIVATE: "); found {
				warned = append(warned, of)
			}
		}
		mustRun(t, plan, opts)
		want := []string{
			"releases of coin 0.2 (test-coin, published): guarantee broken",
			"releases of coin 0.8 (test-coin, published): guarantee broken",
			"releases of raw (test-raw, published): no privacy",
		}
		if !slices.Equal(warned, want) {
			t.Errorf("warnings %q", warned)
		}
	}
}

// TestWhatReleasesHold: data can break a guarantee that an algorithm keeps (errata D5, errata G4),
// or weaken it where several records come from one person (errata D13).
// A broken one shows no proven loss, in the index, the records or the ledger, and the manifest says
// the same. The graph's largest degree, 17, is its nodes' secret: no line shows it.
func TestWhatReleasesHold(t *testing.T) {
	t.Parallel()
	const text = `name: test/%s
seed: 3
trials: 1
epsilon: [1]
dataset: %s
algorithms:
  - {name: %s, variant: %s, params: {%s}}
measure:
  - {metric: %s}
`
	const graph = "{name: barabasi-albert, nodes: 50, links: 3}"
	const enlarged = "{name: adult-enlarged-standin, select: rps, n: %d}"
	const clusters = "{name: adult-clusters-standin, labels: %s}"
	for i, c := range []struct {
		data, algorithm, variant, params string
		status, proven, erratum          string
	}{
		{fmt.Sprintf(clusters, "data"), "rps", "strict", "", "broken", "Inf", "D5"},
		{fmt.Sprintf(clusters, "public"), "rps", "strict", "", "holds", "1", "R1"},
		{fmt.Sprintf(clusters, "public"), "rps", "published", "counts: depth", "broken", "Inf",
			"R3"},
		{fmt.Sprintf(clusters, "public"), "diffmulti", "published", "hprime: none", "broken", "Inf",
			"D1"},
		{fmt.Sprintf(enlarged, 1000), "rps", "strict", "", "holds", "1", "R1"},
		{fmt.Sprintf(enlarged, 50_000), "rps", "strict", "", "short", "2", "D13"},
		{fmt.Sprintf(enlarged, 50_000), "mondrian", "published", "k: 5", "short", "", "D13"},
		{fmt.Sprintf(clusters, "data"), "identity", "published", "", "", "", ""},
		{graph, "hay", "strict", "neighbours: node, lambda: 6", "broken", "Inf", "G4"},
		{graph, "hay", "strict", "neighbours: node, lambda: 17", "broken", "Inf", "G4"},
		{graph, "hay", "strict", "neighbours: node, lambda: 18", "holds", "1", "G5"},
		{graph, "hay", "strict", "neighbours: node, lambda: 49", "holds", "1", "G5"},
		{graph, "hay", "strict", "neighbours: edge, lambda: 6", "holds", "1", "G5"},
		{graph, "hay", "published", "neighbours: node, lambda: max-degree", "broken", "Inf", "G4"},
		{graph, "rps-graph", "strict", "lambda: 6", "broken", "Inf", "G4"},
	} {
		name, metric := fmt.Sprint("holds", i), "accuracy, classifier: majority"
		if c.data == graph {
			metric = "edges"
		}
		plan := mustPlan(t, fmt.Sprintf(text, name, c.data, c.algorithm, c.variant, c.params,
			metric), language.Overrides{})
		opts := options(t, t.TempDir())
		opts.WriteReleases = true
		if result := mustRun(t, plan, opts); result.Failed > 0 {
			t.Fatalf("%+v: %v", c, result.Failures)
		}
		folder := filepath.Join(opts.Out, "test", name)
		r := mustOpen(t, folder)
		use, proven := r.Manifest.Algorithms[0], ""
		if spent := r.Records[0].Spent; spent != nil {
			proven = spent.Proven.String()
		}
		if c.status != "" && use.Status != c.status || proven != c.proven ||
			!strings.Contains(strings.Join(use.Errata, " "), c.erratum) {
			t.Errorf("%+v: status %q, proven %q, errata %q", c, use.Status, proven, use.Errata)
		}
		shown := read(t, folder, results.RecordsFile) + read(t, folder, results.LedgerFile)
		if c.data == graph && strings.Contains(shown, `max-degree":17`) {
			t.Errorf("%+v: the largest degree is shown", c)
		}
		for _, row := range r.Records[0].Ledger {
			if row.Loss.Finite() == (c.status == "broken") {
				t.Errorf("%+v: the ledger has a loss of %v for %s", c, row.Loss, row.Purpose)
			}
		}
	}
}

// TestManifestNamesEachWay: where two datasets break a guarantee in two ways, both are in the
// manifest.
func TestManifestNamesEachWay(t *testing.T) {
	t.Parallel()
	plan := mustPlan(t, `name: test/ways
seed: 3
trials: 1
epsilon: [1]
dataset: {name: adult-clusters-standin, labels: [public, data]}
algorithms:
  - {name: rps, variant: published, params: {counts: depth}}
measure:
  - {metric: regions}
`, language.Overrides{})
	opts := options(t, t.TempDir())
	mustRun(t, plan, opts)
	r := mustOpen(t, opts.Out, "test", "ways")
	var with []bool
	for _, use := range r.Manifest.Algorithms {
		with = append(with, slices.Contains(use.Errata, "D5"))
	}
	if !slices.Equal(with, []bool{false, true}) {
		t.Errorf("errata D5 is in %v of %+v", with, r.Manifest.Algorithms)
	}
}
