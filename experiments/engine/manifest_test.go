package engine

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/must"
	"ppdp/internal/results"
)

// TestWhatReleasesHold: data can break a guarantee that an algorithm keeps (errata D5, errata G4),
// or weaken it where several records come from one person (errata D13).
// A broken one shows no proven loss, in the records or the ledger, and the manifest says the same.
// The graph's largest degree, 248, is its nodes' secret: no line shows it.
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
		if result := mustRun(t, plan, opts); result.Failed > 0 {
			t.Fatalf("%+v: %d failed", c, result.Failed)
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
	must.Equal(t, with, []bool{false, true}, r.Manifest.Algorithms)
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
		must.Be(t, o.Records[job].Trial, 0, job)
		must.Be(t, float64(len(boxes)), *o.Records[job].Values[0].Value, "job", job)
		for region, b := range boxes {
			inside := 0.0
			for _, p := range points {
				if p[0] > b.low[0] && p[0] < b.high[0] && p[1] > b.low[1] && p[1] < b.high[1] {
					inside++
				}
			}
			must.Be(t, inside, b.records, job, region)
		}
	}

	again := options(t, out)
	again.Workers = 3
	must.Be(t, mustRun(t, mustPlan(t, keepSpec, language.Overrides{}), again).Cached, 8,
		"finished jobs were not reused")
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
	must.Be(t, cached, 4)
}
