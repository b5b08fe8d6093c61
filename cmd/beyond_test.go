package cmd

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"ppdp/internal/regress"
	"ppdp/internal/results"
)

const (
	beyondPath  = "../docs/reproduction.md"
	beyondBegin = "<!-- beyond: begin, from reference/full/mondrian -->\n"
	beyondEnd   = "<!-- beyond: end -->\n"
)

// TestBeyondThePapers: the table of what was added to Mondrian is made from the committed
// reference.
// After a new one: go test ./cmd -run Beyond -update
func TestBeyondThePapers(t *testing.T) {
	page := string(must(os.ReadFile(beyondPath)))
	head, rest, opened := strings.Cut(page, beyondBegin)
	there, tail, closed := strings.Cut(rest, beyondEnd)
	if !opened || !closed {
		t.Fatalf("%s has no markers around its table", beyondPath)
	}
	table := beyondTable(t)
	if *update {
		text := head + beyondBegin + table + beyondEnd + tail
		noError(t, os.WriteFile(beyondPath, []byte(text), 0o666))
	} else if there != table {
		t.Errorf("%s's table is stale: go test ./cmd -run Beyond -update", beyondPath)
	}
}

func beyondTable(t *testing.T) string {
	t.Helper()
	ks := []string{"10", "25", "50", "100"}
	var b strings.Builder
	b.WriteString("| | k = " + strings.Join(ks, " | ") + " |\n|---|---|---|---|---|\n")
	row := func(label string, at func(k string) string) {
		b.WriteString("| " + label + " |")
		for _, k := range ks {
			b.WriteString(strings.TrimRight(" "+at(k), " ") + " |")
		}
		b.WriteByte('\n')
	}
	of := func(means reader, decimals int, facts ...string) func(k string) string {
		return func(k string) string { return means(decimals, append(facts, "k", k)...) }
	}
	const indent = "&nbsp;&nbsp;"
	queries, adult := referenceMeans(t, "mondrian/fig17"), referenceMeans(t, "mondrian/fig14")
	both := func(facts ...string) func(k string) string {
		return func(k string) string {
			x := of(queries, 1, append(facts, "metric", "count-error attribute=x1")...)(k)
			y := of(queries, 1, append(facts, "metric", "count-error attribute=x2")...)(k)
			return strings.Trim(x+" / "+y, " /")
		}
	}
	row("counts by one value, 1,000 rows (fig17), mean error on X / Y: K-Optimize",
		both("algorithm", "koptimize"))
	row(indent+"Mondrian, median", both("split", "median"))
	row(indent+"Mondrian, cut for these 100 queries", both("split", "workload"))
	penalty := []string{"metric", "discernibility", "split"}
	row(indent+"discernibility: median", of(queries, 0, append(penalty, "median")...))
	row(indent+indent+"cut for these 100 queries", of(queries, 0, append(penalty, "workload")...))
	row("Adult, every value of eight attributes (fig14), mean error: Mondrian, median",
		of(adult, 0, "metric", "count-error", "split", "median"))
	row(indent+"Mondrian, cut for these queries",
		of(adult, 0, "metric", "count-error", "split", "workload"))
	row(indent+"discernibility: median", of(adult, 0, append(penalty, "median")...))
	row(indent+indent+"cut for these queries", of(adult, 0, append(penalty, "workload")...))
	accuracy := referenceMeans(t, "mondrian/classification")
	for _, classifier := range [][2]string{{"C4.5", "c45"}, {"naive Bayes", "naive-bayes"}} {
		facts := []string{"select", "mondrian", "metric", "accuracy", "classifier", classifier[1]}
		row(fmt.Sprintf("Adult, %s on the raw fold (classification; raw data %s): median",
			classifier[0], accuracy(4, append(facts, "algorithm", "identity")...)),
			of(accuracy, 4, append(facts, "split", "median")...))
		row(indent+"cuts most informative about the class",
			of(accuracy, 4, append(facts, "split", "class")...))
	}
	return b.String()
}

// reader returns the mean ± standard error, with some decimals, of the one sample with facts, given
// as names and values; "" where there is none.
type reader func(decimals int, facts ...string) string

func referenceMeans(t *testing.T, experiment string) reader {
	t.Helper()
	reference := must(regress.OpenReference("../reference/full/" + experiment))
	return func(decimals int, facts ...string) string {
		t.Helper()
		var found *results.Sample
		for i := range reference.Samples {
			sample, all := &reference.Samples[i], true
			for j := 0; j < len(facts); j += 2 {
				value, _ := sample.Fact(facts[j])
				all = all && value == facts[j+1]
			}
			if all && found != nil {
				t.Fatalf("several samples of %s with %q", experiment, facts)
			}
			if all {
				found = sample
			}
		}
		if found == nil {
			return ""
		}
		n, sum, squares := float64(len(found.Trials)), 0.0, 0.0
		for _, x := range found.Trials {
			sum += x
		}
		for _, x := range found.Trials {
			squares += (x - sum/n) * (x - sum/n)
		}
		text := fmt.Sprintf("%.*f", decimals, sum/n)
		if se := math.Sqrt(squares / (n - 1) / n); n > 1 && se > 0 {
			text += fmt.Sprintf(" ± %.*f", decimals, se)
		}
		return text
	}
}
