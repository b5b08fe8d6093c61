package cmd

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ppdp/experiments"
	"ppdp/internal/regress"
	"ppdp/internal/results"
)

// facts are what a sample of the reference says of itself.
type facts map[string]string

// referenceValues returns, by what a fact says, the mean over trials of each sample with facts.
func referenceValues(t *testing.T, experiment, by string, want facts) map[string]float64 {
	t.Helper()
	reference := must(regress.OpenReference("../report/reference/full/" + experiment))
	values := make(map[string]float64)
	for i := range reference.Samples {
		sample, all := &reference.Samples[i], true
		for name, value := range want {
			has, _ := sample.Fact(name)
			all = all && has == value
		}
		if !all {
			continue
		}
		key, _ := sample.Fact(by)
		if _, twice := values[key]; twice {
			t.Fatalf("%s: several samples with %v at %s %s", experiment, want, by, key)
		}
		values[key] = results.Mean(sample.Trials)
	}
	if len(values) == 0 {
		t.Fatalf("%s: no sample with %v", experiment, want)
	}
	return values
}

// with is base with more facts.
func with(base facts, more ...string) facts {
	all := maps.Clone(base)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// says reports a text that a page must have and has not.
func says(t *testing.T, page, format string, args ...any) {
	t.Helper()
	want := fmt.Sprintf(format, args...)
	if !strings.Contains(string(must(os.ReadFile("../"+page))), want) {
		t.Errorf("%s does not say %q", page, want)
	}
}

// TestNumbersInProse: the numbers in sentences of README.md and docs/reproduce.md are those of
// the committed reference, of settled claims and of the leaderboard.
func TestNumbersInProse(t *testing.T) {
	const reproduction = "docs/reproduce.md"
	percent := func(share float64) float64 { return 100 * share }

	zeros := referenceValues(t, "rps/fig5", "dataset", facts{"algorithm": "zeros", "metric": "w1"})
	nearer, settings := 0, 0
	for dataset, zero := range zeros {
		for _, lambda := range []string{"max-degree", "n-1"} {
			for _, noise := range referenceValues(t, "rps/fig5", "epsilon", facts{
				"algorithm": "hay", "neighbours": "node", "inference": "true", "metric": "w1",
				"lambda": lambda, "dataset": dataset}) {
				settings++
				if zero < noise {
					nearer++
				}
			}
		}
	}
	says(t, reproduction, "at %d of %d settings", nearer, settings)

	c45 := facts{"metric": "accuracy-published", "classifier": "c45"}
	at := func(more ...string) float64 {
		values := referenceValues(t, "diffmulti/table-rps", "epsilon", with(c45, more...))
		if len(values) != 1 {
			t.Fatalf("%v has %d values", more, len(values))
		}
		return percent(slices.Collect(maps.Values(values))[0])
	}
	says(t, reproduction, "reaches %.1f %% accuracy where the paper prints 81.54 %%, and %.1f %% "+
		"on raw data", at("hprime", "variant", "variant", "published"),
		at("algorithm", "identity"))
	says(t, reproduction, "The strict variant reaches %.1f %%,",
		at("hprime", "variant", "variant", "strict"))
	svm := facts{"algorithm": "diffmulti", "metric": "accuracy-published", "classifier": "svm"}
	published := referenceValues(t, "diffmulti/fig10", "epsilon", with(svm, "variant", "published"))
	strict := referenceValues(t, "diffmulti/fig10", "epsilon", with(svm, "variant", "strict"))
	least, most := math.Inf(1), math.Inf(-1)
	for epsilon, accuracy := range published {
		below := percent(accuracy - strict[epsilon])
		least, most = min(least, below), max(most, below)
	}
	says(t, reproduction, "it is %.1f to %.1f points below the published one", least, most)

	most = 0
	for _, stop := range []string{"5", "0"} {
		for _, classifier := range []string{"naive-bayes", "c45"} {
			rps := facts{"algorithm": "rps", "metric": "accuracy", "classifier": classifier,
				"allocation": "shallow", "narrow": "0", "stop": stop}
			of := func(variant string) map[string]float64 {
				return referenceValues(t, "rps/fig3", "epsilon", with(rps, "variant", variant))
			}
			published, strict := of("published"), of("strict")
			for epsilon, accuracy := range published {
				if must(strconv.ParseFloat(epsilon, 64)) >= 0.5 {
					most = max(most, percent(math.Abs(accuracy-strict[epsilon])))
				}
			}
		}
	}
	says(t, "README.md", "From ε = 0.5 on the two differ by at most %.1f points", most)

	most = 0
	for line := range bytes.Lines(must(os.ReadFile("../report/claims/settled.jsonl"))) {
		var claim struct {
			ID     string
			Checks []struct {
				Points []struct{ Value float64 }
			}
		}
		noError(t, json.Unmarshal(line, &claim))
		if claim.ID == "R-3a.1" {
			for _, point := range claim.Checks[0].Points {
				most = max(most, percent(math.Abs(point.Value)))
			}
		}
	}
	says(t, reproduction, "naive Bayes to within %.1f points of raw records", most)

	page := string(must(os.ReadFile("../docs/generated/leaderboard.md")))
	_, adult, _ := strings.Cut(page, "\n## Adult, 14 attributes and the class\n")
	_, table, _ := strings.Cut(adult, "\n### Boosting: accuracy and AUC\n")
	_, row, _ := strings.Cut(table, "\n| AIM, logistic labels |")
	cell := strings.Split(row, "|")[2] // of epsilon 0.1, 0.3, 1
	best := regexp.MustCompile(
		`\*([0-9.]+)\* ± [0-9.]+ \(([0-9.]+) %\) / \*([0-9.]+)\* ± [0-9.]+ \(([0-9.]+) %\)`).
		FindStringSubmatch(cell)
	if best == nil || best[2] != best[4] {
		t.Fatalf("not among the best, or as good as two samples: %q", cell)
	}
	says(t, "README.md", "(accuracy %s, AUC %s) matches one trained on %s %% of", best[1], best[3],
		best[2])
}

// TestJobsInProse: wherever a page says how many jobs an experiment or the leaderboard has, it is
// the plan that says so.
func TestJobsInProse(t *testing.T) {
	jobs := 0
	for _, name := range experiments.Names() {
		if !strings.HasPrefix(name, "leaderboard/") {
			continue
		}
		var out bytes.Buffer
		e := environment{ctx: context.Background(), now: time.Now}
		if code := run([]string{"plan", name}, &out, io.Discard, e); code != exitDone {
			t.Fatalf("plan %s: exit code %d", name, code)
		}
		count := regexp.MustCompile(`: ([0-9]+) jobs`).FindStringSubmatch(out.String())
		jobs += must(strconv.Atoi(count[1]))
	}
	says(t, "docs/performance.md", "`make leaderboard`, %d,%03d jobs", jobs/1000, jobs%1000)
}
