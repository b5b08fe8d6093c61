package engine

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets/graph"
	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

const graphSpec = `
name: test/graph
seed: 3
trials: 2
dataset: Caltech36-standin
algorithms:
  - name: perfect
measure:
  - metric: edges
`

// releaseFiles maps the names of written releases to their content.
func releaseFiles(t *testing.T, out, experiment string) map[string]string {
	t.Helper()
	folder := filepath.Join(out, experiment, ReleasesFolder)
	entries := must.Get(os.ReadDir(folder))
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
		if !strings.HasSuffix(name, ".edges") ||
			!strings.Contains(content, "# Nodes: 769 Edges: 16656\n") {
			t.Errorf("%s: %.120s", name, content)
		}
		loaded := must.Get(graph.Read(name, []byte(content), graph.Reading{}))
		var text strings.Builder
		must.Do(t, loaded.Graph.WriteEdges(&text))
		edges = append(edges, text.String())
		set := must.Get(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0))
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
		must.Do(t, os.Remove(filepath.Join(out, "test/graph", ReleasesFolder, name)))
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
	set := must.Get(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0))
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
	must.Do(t, os.MkdirAll(filepath.Join(blocked, "test/coins"), 0o777))
	file := filepath.Join(blocked, "test/coins", ReleasesFolder)
	must.Do(t, os.WriteFile(file, nil, 0o666))
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
// the same. The graph's largest degree, 248, is its nodes' secret: no line shows it.
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
	const graph = "Caltech36-standin"
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
		{graph, "hay", "strict", "neighbours: node, lambda: 248", "broken", "Inf", "G4"},
		{graph, "hay", "strict", "neighbours: node, lambda: 249", "holds", "1", "G5"},
		{graph, "hay", "strict", "neighbours: node, lambda: 768", "holds", "1", "G5"},
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
		if c.data == graph && strings.Contains(shown, `max-degree":248`) {
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
	with := results.Mapped(r.Manifest.Algorithms,
		func(use results.AlgorithmUse) bool { return slices.Contains(use.Errata, "D5") })
	if !slices.Equal(with, []bool{false, true}) {
		t.Errorf("errata D5 is in %v of %+v", with, r.Manifest.Algorithms)
	}
}

// TestGeneralisedTable: what is written of a release under k-anonymity is a k-anonymous table as a
// file, with all attributes and rows. That it is true of the rows, and not in their order, package
// publish tests, which writes it.
func TestGeneralisedTable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		params string
		k      int
		kept   bool // no row may be suppressed
	}{
		{"mondrian, params: {k: 5}", 5, true},
		{"mondrian, params: {k: 7, mode: relaxed}", 7, true},
		{"incognito, params: {k: 5}", 5, true},
		{"koptimize, params: {k: 6, suppression: 1}", 6, false},
	} {
		plan := mustPlan(t, fmt.Sprintf("name: test/own\nseed: 3\n"+
			"dataset: {name: discrete, n: 300, attributes: 2}\nalgorithms: [{name: %s}]\n"+
			"measure: [{metric: discernibility}]\n", c.params), language.Overrides{})
		opts := options(t, t.TempDir())
		opts.WriteReleases = true
		mustRun(t, plan, opts)
		if again := mustRun(t, plan, opts); again.Cached != 1 {
			t.Errorf("%s: a written release is made again", c.params)
		}
		files := releaseFiles(t, opts.Out, "test/own")
		if len(files) != 1 {
			t.Errorf("%s: %d files", c.params, len(files))
		}
		set := must.Get(plan.Load(t.Context(), opts.Files, plan.Configs[0].Data, 0))
		schema := set.Table.Schema()
		for _, text := range files { // order-free: each is checked
			rows := must.Get(csv.NewReader(strings.NewReader(text)).ReadAll())
			if !slices.Equal(rows[0], schema.Names()) || c.kept && len(rows) != 301 {
				t.Errorf("%s: %d rows of %q", c.params, len(rows)-1, rows[0])
			}
			classes := make(map[string]int)
			for _, row := range rows[1:] {
				key := ""
				for _, attribute := range schema.QuasiIdentifiers() {
					key += row[attribute] + "|"
				}
				classes[key]++
			}
			for class, size := range classes { // order-free: each is checked
				if size < c.k || len(classes) < 2 {
					t.Errorf("%s: class %s of %d has %d rows", c.params, class, len(classes), size)
				}
			}
		}
	}
}

const keepSpec = `
name: test/keep
seed: 4
trials: 2
dataset: {name: discrete, n: 60, attributes: 2, cardinality: 9, resample: true}
algorithms:
  - {name: mondrian, params: {k: [5, 20], split: [median, workload]}}
measure:
  - {metric: regions}
keep: [regions, rows]
plots:
  - {name: a, kind: regions, where: {k: 5, split: median}, x: x1, y: x2}
`

// TestKeep: each kept region contains as many kept rows as it has records; only first trials are
// kept.
func TestKeep(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	result := mustRun(t, mustPlan(t, keepSpec, language.Overrides{}), options(t, out))
	o := mustOpen(t, result.Dir)
	points := make(map[int][2]float64)
	for _, column := range o.Summary.Original(&o.Records[0].Dataset) {
		for row, value := range column.Values {
			p := points[row]
			p[int(column.Attribute[1]-'1')] = value
			points[row] = p
		}
	}
	if len(points) != 60 {
		t.Fatalf("%d rows kept, want 60", len(points))
	}
	type box struct {
		records   float64
		low, high [2]float64
	}
	jobs := make(map[int]map[int]box)
	for job := range o.Records {
		for _, s := range o.Records[job].Regions {
			if jobs[job] == nil {
				jobs[job] = make(map[int]box)
			}
			b := jobs[job][s.Region]
			d := int(s.Attribute[1] - '1')
			b.records, b.low[d], b.high[d] = s.Records, s.Low, s.High
			jobs[job][s.Region] = b
		}
	}
	if len(jobs) != 4 {
		t.Fatalf("regions of %d jobs, want those of four configurations", len(jobs))
	}
	for job, boxes := range jobs {
		if o.Records[job].Trial != 0 {
			t.Errorf("job %d is of trial %d", job, o.Records[job].Trial)
		}
		if want := *o.Records[job].Values[0].Value; float64(len(boxes)) != want {
			t.Errorf("job %d: %d regions, want %v", job, len(boxes), want)
		}
		for region, b := range boxes {
			inside := 0.0
			for _, p := range points {
				if p[0] > b.low[0] && p[0] < b.high[0] && p[1] > b.low[1] && p[1] < b.high[1] {
					inside++
				}
			}
			if inside != b.records {
				t.Errorf("job %d, region %d: %v records, contains %v",
					job, region, b.records, inside)
			}
		}
	}

	again := options(t, out)
	again.Workers = 3
	if mustRun(t, mustPlan(t, keepSpec, language.Overrides{}), again).Cached != 8 {
		t.Error("finished jobs were not reused")
	}
	fresh := t.TempDir()
	mustRun(t, mustPlan(t, keepSpec, language.Overrides{}), options(t, fresh))
	name := results.RecordsFile
	if read(t, out, "test/keep", name) != read(t, fresh, "test/keep", name) {
		t.Errorf("%s is different when jobs come from the journal", name)
	}

	// Without keep, trials that kept nothing are reused.
	without := strings.Replace(keepSpec[:strings.Index(keepSpec, "plots:")],
		"keep: [regions, rows]\n", "", 1)
	cached := mustRun(t, mustPlan(t, without, language.Overrides{}), options(t, out)).Cached
	if cached != 4 {
		t.Errorf("%d jobs reused, want the four of second trials", cached)
	}
}
