package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"ppdp/docs"
	"ppdp/internal/must"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/report/claims"
)

// facts are what samples of the reference must say of themselves.
type facts = results.Filter

// samplesWith are the samples of the reference that a filter selects.
func samplesWith(experiment string, want facts) []results.Sample {
	reference := must.Get(regress.OpenReference("../report/reference/full/" + experiment))
	return slices.DeleteFunc(reference.Samples,
		func(s results.Sample) bool { return !want.Selects(&s) })
}

// referenceValues returns, by what a fact says, the mean over trials of each sample with facts.
func referenceValues(t *testing.T, experiment, by string, want facts) map[string]float64 {
	t.Helper()
	values := make(map[string]float64)
	for _, sample := range samplesWith(experiment, want) {
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
	all := make(facts)
	maps.Copy(all, base)
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// says reports a text that a page must have and has not.
func says(t *testing.T, page, format string, args ...any) {
	t.Helper()
	want := fmt.Sprintf(format, args...)
	if !strings.Contains(string(must.Get(os.ReadFile("../"+page))), want) {
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
				if must.Get(strconv.ParseFloat(epsilon, 64)) >= 0.5 {
					most = max(most, percent(math.Abs(accuracy-strict[epsilon])))
				}
			}
		}
	}
	says(t, "README.md", "From ε = 0.5 on the two differ by at most %.1f points", most)

	most = 0
	for line := range bytes.Lines(must.Get(os.ReadFile("../report/claims/settled.jsonl"))) {
		var claim struct {
			ID     string
			Checks []struct {
				Points []struct{ Value float64 }
			}
		}
		must.Do(t, json.Unmarshal(line, &claim))
		if claim.ID == "R-3a.1" {
			for _, point := range claim.Checks[0].Points {
				most = max(most, percent(math.Abs(point.Value)))
			}
		}
	}
	says(t, reproduction, "naive Bayes to within %.1f points of raw records", most)

	page := string(must.Get(os.ReadFile("../docs/generated/leaderboard.md")))
	_, adult, _ := strings.Cut(page, "\n## Adult, 14 attributes and the class\n")
	_, table, _ := strings.Cut(adult, "\n### Boosting: accuracy and AUC\n")
	_, row, _ := strings.Cut(table, "\n| AIM, logistic labels |")
	cell := strings.Split(row, "|")[2] // of epsilon 0.1, 0.3, 1
	best := regexp.MustCompile(
		`\*+([0-9.]+)\*+ ± [0-9.]+ \(([0-9.]+) %\) / \*+([0-9.]+)\*+ ± [0-9.]+ \(([0-9.]+) %\)`).
		FindStringSubmatch(cell)
	if best == nil || best[2] != best[4] {
		t.Fatalf("not among the best, or as good as two samples: %q", cell)
	}
	says(t, "README.md", "(accuracy %s, AUC %s) matches one trained on %s %% of", best[1], best[3],
		best[2])
}

// TestSettledValues: the committed values give the committed verdicts, with every point and
// reading, and each of those. Make them with
//
//	make settle && cp -R results/settled/values report/reference/settled
func TestSettledValues(t *testing.T) {
	const dir = "../report/reference/settled"
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		t.Skip("SKIPPED: there are no values of settled runs in report/reference/settled")
	}
	v := must.Get(readClaims(claims.Papers()))
	if err := v.recompute(dir); err != nil {
		t.Error(err)
	}
}

// auditsBlackBox is how many releases the table's black boxes make of either input of a pair.
const auditsBlackBox = "400"

// TestAuditsTable: docs/generated/audits.jsonl is what replays find today, of every variant in
// docs/generated/algorithms.md. Its black boxes take minutes and are made again by "make audits"
// only, which writes the file, with every variant registered.
func TestAuditsTable(t *testing.T) {
	if os.Getenv("PPDP_LONG") == "" && !*update {
		t.Skip("PPDP_LONG is not set: make test-long replays every variant")
	}
	args := []string{"audit", "--json"}
	if *update {
		args = append(args, "--black-box", auditsBlackBox)
	} else {
		_, committed := readTable(t)
		args = append(args, committed...)
	}
	var out, messages bytes.Buffer
	run(args, &out, &messages, environment{ctx: t.Context(), now: time.Now})
	var found []results.Audit
	if err := json.Unmarshal(out.Bytes(), &found); err != nil {
		t.Fatalf("%v\n%s", err, messages.String())
	}
	for i := range found {
		found[i].Moved = nil
	}
	if *update {
		var text bytes.Buffer
		for _, a := range found {
			must.Do(t, results.NewEncoder(&text).Encode(a))
		}
		path := filepath.Join("..", "docs", "generated", "audits.jsonl")
		must.Do(t, os.WriteFile(path, text.Bytes(), 0o666))
		return
	}
	table := must.Get(results.ReadAudits(strings.NewReader(docs.Audits),
		"docs/generated/audits.jsonl"))
	const stale = "docs/generated/audits.jsonl is stale: make audits"
	if len(table) != len(found) {
		t.Fatalf("%d audits, there are %d: %s", len(table), len(found), stale)
	}
	for i, a := range table {
		b, name := found[i], a.Algorithm+", "+a.VariantName()
		if a.BlackBox == nil {
			t.Errorf("%s has no black box: %s", name, stale)
		}
		// the last digits of logarithms are not what the table is for
		close := func(x, y results.Bound) bool {
			return x == y || math.Abs(float64(x-y)) < 1e-9
		}
		if !close(a.Proven, b.Proven) || !close(a.Seen, b.Seen) {
			t.Errorf("%s, %s: proven %v, seen %v, now %v and %v: %s", a.Algorithm, a.VariantName(),
				a.Proven, a.Seen, b.Proven, b.Seen, stale)
		}
		if x, y := kindsOf(&a), kindsOf(&b); !reflect.DeepEqual(x, y) {
			t.Errorf("%s: refuted by %v, now %v: %s", name, x, y, stale)
		}
		a.Proven, a.Seen, a.Failures, a.BlackBox = b.Proven, b.Seen, b.Failures, nil
		if !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nnow %+v: %s", a, b, stale)
		}
	}
}

// TestAuditsByCurveAndTime: a curve and a time need no number of releases, and a curve alone has
// none.
func TestAuditsByCurveAndTime(t *testing.T) {
	var out, messages bytes.Buffer
	e := environment{ctx: t.Context(), now: time.Now}
	code := run(strings.Fields("audit rps --variant strict --transcripts 1 --for 1s --curve "+
		"--json"), &out, &messages, e)
	var found []results.Audit
	if err := json.Unmarshal(out.Bytes(), &found); code != 0 || err != nil || len(found) == 0 {
		t.Fatalf("exit code %d, %v\n%s", code, err, messages.String())
	}
	for _, a := range found {
		if box := a.BlackBox; box == nil || box.Releases == 0 || box.Curve == nil ||
			box.Curve.Allowed < 1.2 || !strings.Contains(box.Text, "a mu of at least") {
			t.Errorf("%+v", box)
		}
	}
	messages.Reset()
	if run([]string{"audit", "rps", "--curve"}, &out, &messages, e) == 0 ||
		!strings.Contains(messages.String(), "--curve: must come with --black-box or --for") {
		t.Error(messages.String())
	}
}

var update = flag.Bool("update", false, "write the tables of algorithms and audits anew")

// The page of the algorithms, and what stands above its table.
const (
	algorithmsPath = "../docs/generated/algorithms.md"
	algorithmsHead = `<!-- Generated by "go test ./cmd -run AlgorithmsPage -update". -->

# Algorithms

*published* follows the paper to the letter; *strict* is repaired so that the guarantee holds.
*refcode* does what the authors' program does.
The controls *identity*, *sample*, *permuted*, *perfect* and *zeros* are reference points.
The status is for the default parameters, and some options weaken it.
RPS as published exceeds its ε by a bounded factor when it scores cuts by class.
A run records the guarantee of the chosen parameters in its manifest.
The [errata](errata.md) give the reasons, and [the privacy model](../privacy.md) has the terms.

`
)

// committedRow is the first row of an algorithm in the page's table.
var committedRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// readTable returns the page of the algorithms and the names in its table: the committed list. What
// is registered beside it, such as a baseline that somebody is working on, needs no row here and no
// audit until -update adds it.
func readTable(t *testing.T) (page string, names []string) {
	t.Helper()
	page = string(must.Get(os.ReadFile(algorithmsPath)))
	for _, match := range committedRow.FindAllStringSubmatch(page, -1) {
		names = append(names, match[1])
	}
	if len(names) < 20 {
		t.Fatalf("%s lists only %q", algorithmsPath, names)
	}
	return page, names
}

// TestAlgorithmsPage: the page's table is what "ppdp list algorithms" prints of the algorithms in
// it. After a change: go test ./cmd -run AlgorithmsPage -update
func TestAlgorithmsPage(t *testing.T) {
	page, names := readTable(t)
	if *update {
		text := algorithmsHead + algorithmTable(t, nil)
		must.Do(t, os.WriteFile(algorithmsPath, []byte(text), 0o666))
	} else if page != algorithmsHead+algorithmTable(t, names) {
		t.Errorf("%s is stale: go test ./cmd -run AlgorithmsPage -update", algorithmsPath)
	}
}

// algorithmTable is what "ppdp list algorithms" prints as Markdown: the lines of some names, or all
// for nil. What is the same for all variants of an algorithm is shown at the first.
func algorithmTable(t *testing.T, only []string) string {
	t.Helper()
	list := must.Get(listAlgorithms())
	columns := []string{"NAME", "TITLE", "VARIANT", "GUARANTEE", "NEIGHBOURS", "STATUS", "ERRATA"}
	var b strings.Builder
	b.WriteString("| " + strings.ToLower(strings.Join(columns, " | ")) + " |\n")
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	before := ""
	for _, row := range list.rows {
		if only != nil && !slices.Contains(only, row[0]) {
			continue
		}
		for _, column := range columns {
			text := terminal.Dashed(row)[slices.Index(list.columns, column)]
			switch {
			case (column == "NAME" || column == "TITLE") && row[0] == before:
				text = ""
			case column == "NAME":
				text = "`" + text + "`"
			}
			b.WriteString(strings.TrimRight("| "+text, " ") + " ")
		}
		b.WriteString("|\n")
		before = row[0]
	}
	return b.String()
}
