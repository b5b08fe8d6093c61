package cmd

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// BenchmarkMillion draws, judges and reports results of a hundred thousand and of a million jobs,
// each verb in a process of its own: its processor time and resident memory. The results are made
// up, in the form of rps/fig1.
func BenchmarkMillion(b *testing.B) {
	for _, jobs := range []int{100_000, 1_000_000} {
		out := b.TempDir()
		noError(b, makeUp(filepath.Join(out, "rps", "fig1"), jobs))
		for _, verb := range []string{"plot", "claims", "report"} {
			b.Run(fmt.Sprintf("%s-%d", verb, jobs), func(b *testing.B) {
				for range b.N {
					command := exec.Command("ppdp", verb, "--out", out)
					if text, err := command.CombinedOutput(); err != nil {
						b.Fatalf("%v: %s", err, text)
					}
					b.ReportMetric(command.ProcessState.UserTime().Seconds(), "user-s")
					used := command.ProcessState.SysUsage().(*syscall.Rusage)
					b.ReportMetric(float64(used.Maxrss)/1000, "peak-MB")
				}
			})
		}
	}
}

// makeUp writes a run of rps/fig1 with the given number of jobs.
func makeUp(dir string, jobs int) error {
	plans, err := makePlans([]string{"rps/fig1"}, language.Overrides{Trials: 1})
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	configs := plans[0].Configs
	trials := jobs / len(configs)
	m := results.Manifest{Experiment: plans[0].Spec.Name, Spec: experiments.Texts()["rps/fig1"],
		Figures: plans[0].Figures, Trials: trials}
	return results.Write(dir, m, func(add func(*results.Record, *results.Timing) error) error {
		n := 0
		for _, config := range configs {
			for trial := range trials {
				job := madeUpJob(config, trial)
				if err := add(job, &results.Timing{Job: n, Release: 0.25}); err != nil {
					return err
				}
				n++
			}
		}
		return nil
	})
}

func madeUpJob(config *language.Config, trial int) *results.Record {
	c := &results.Record{Setting: config.Setting, Outcome: results.Outcome{Trial: trial,
		Status: results.OK, Structure: &results.Structure{Nodes: 2*trial%97 + 1,
			Leaves: trial%97 + 1, Depth: trial % 5}}}
	for i, m := range config.Measures {
		value := math.Mod(float64(trial+i)*0.6180339887498949, 1)
		c.Values = append(c.Values, results.Value{
			Measurement: results.Measurement{Metric: m.Name}, Value: &value})
	}
	if e := config.Epsilon; e != nil {
		c.Spent = &results.Spent{Claimed: *e, Proven: results.Bound(*e)}
		for i, purpose := range strings.Fields("cuts stop-tests leaf-counts") {
			c.Ledger = append(c.Ledger, privacy.Entry{Purpose: purpose, Mechanism: "laplace",
				Claimed: 1, Proven: 1, Calls: int64(trial + i), Cost: *e / 3,
				Loss: results.Bound(*e / 3), Composition: "parallel"})
		}
	}
	return c
}
