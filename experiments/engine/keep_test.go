package engine

import (
	"strings"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/results"
)

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
