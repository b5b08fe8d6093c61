package engine

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"testing"

	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// millionSpec has a million jobs.
const millionSpec = `
name: test/million
trials: 50000
dataset: {name: gaussian, n: 50}
epsilon: [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]
algorithms:
  - {name: test-coin, series: "coin {share}", params: {share: [0.2, 0.8]}}
measure: [{metric: [w1, w2]}]
`

// BenchmarkMillion plans a million jobs, divides them between 100 shards and merges the shards'
// journals, whose jobs are made up.
func BenchmarkMillion(b *testing.B) {
	const count = 100
	opts := MergeOptions{Same: same, Log: func(string) {}}
	for range b.N {
		s := must(language.Parse("test.yaml", []byte(millionSpec)))
		plan := must(s.Plan(language.Overrides{}))
		b.StopTimer()
		opts.Out = b.TempDir()
		dirs := must(madeUp(plan, count, opts.Out))
		b.StartTimer()
		merged, err := Merge(context.Background(), dirs, opts)
		if err != nil || merged.Jobs != 1_000_000 {
			b.Fatal(err, merged)
		}
	}
}

// madeUp writes shards' folders as runs of them would, with made-up results.
func madeUp(plan *language.Plan, count int, out string) ([]string, error) {
	cache, err := load(context.Background(), plan, MergeOptions{}.Files)
	if err != nil {
		return nil, err
	}
	run := newRun(plan, Options{}, cache, nil, "")
	start := run.start(len(plan.Jobs) / count)
	var dirs []string
	var journals []*bufio.Writer
	for part := range count {
		start.Shard = Shard{part, count}
		dir := filepath.Join(out, start.Shard.Folder(), "test/million")
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
		file, err := os.Create(filepath.Join(dir, JournalFile))
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if err := start.write(dir); err != nil {
			return nil, err
		}
		dirs, journals = append(dirs, dir), append(journals, bufio.NewWriter(file))
	}
	for i := range plan.Jobs {
		value := float64(i) / 7
		e := entry{mark: mark{Key: run.keys[i]},
			Outcome: results.Outcome{Status: results.OK,
				Spent: &results.Spent{Claimed: 1, Proven: 2},
				Ledger: []privacy.Entry{{Purpose: "count", Mechanism: "laplace", Claimed: 1,
					Proven: 2, Calls: 1, Cost: 1, Loss: 2, Composition: "sequential"}},
				Values: []results.Value{
					{Measurement: results.Measurement{Metric: "w1"}, Value: &value},
					{Measurement: results.Measurement{Metric: "w2"}, Value: &value}}}}
		line, err := appendJournalLine(nil, &e)
		if err != nil {
			return nil, err
		}
		for part, journal := range journals {
			if !(Shard{part, count}).has(i) {
				continue
			}
			if _, err := journal.Write(line); err != nil {
				return nil, err
			}
		}
	}
	for _, journal := range journals {
		if err := journal.Flush(); err != nil {
			return nil, err
		}
	}
	return dirs, nil
}
