package cmd

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ppdp/internal/regress"
	"ppdp/internal/results"
)

type regressCommand struct {
	Out       string  `help:"Folder of the results to judge (default: ${default})." default:"results/quick" placeholder:"DIR"`
	Reference string  `help:"Folder of the results to compare with (default: ${default})." default:"reference/quick" placeholder:"DIR"`
	All       bool    `help:"Also fail if an experiment of the reference was not run."`
	Verbose   bool    `short:"v" help:"Also show what has not changed."`
	JSON      bool    `name:"json" help:"Write JSON instead of a table, with every comparison."`
	Alpha     float64 `help:"Chance of a false alarm in one comparison with a run of another seed (default: ${default})." default:"0.01" above:"0" below:"1" placeholder:"P"`
	Floor     float64 `help:"Smallest relative change that counts (default: ${default})." default:"0.01" min:"0" placeholder:"SHARE"`
	Accept    bool    `help:"Make the results the reference. Needs --reason."`
	Reason    string  `help:"Why the numbers may change; kept in the reference's accepted.csv." placeholder:"TEXT"`
}

func (regressCommand) Help() string {
	return `Compares the results of runs with a reference, number by number. Nothing is run. With
its seed, data and revisions, values must be equal. If the seed or the revision of an algorithm
differs, means are tested (paired by trial, or by Welch's test), for points and for whole curves,
with Holm's correction over all of them. Improvements count as changes: they may be leaks. The exit
code is 1 if something changed or is missing.

Examples:

  ppdp reproduce --quick --out new && ppdp regress --out new

  ppdp regress --out new --verbose

  ppdp regress --out new --accept --reason "rps: points are cut at midpoints, revision 3"`
}

func (c *regressCommand) Validate() error {
	var errs []error
	if c.Accept && strings.TrimSpace(c.Reason) == "" {
		errs = append(errs, errors.New("--accept needs --reason"))
	}
	if !c.Accept && c.Reason != "" {
		errs = append(errs, errors.New("--reason is for --accept"))
	}
	return errors.Join(errs...)
}

func (c regressCommand) Run(con *console) error {
	runs, err := openRuns(con, c.Out)
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s holds no results in the places of their experiments", c.Out)
	}
	if err != nil {
		return inputError{err}
	}
	var pairs []regress.Pair
	var fresh []string // run, without a reference
	ran := make(map[string]bool)
	for _, outcome := range runs {
		name := outcome.Manifest.Experiment
		ran[name] = true
		old, err := regress.OpenReference(filepath.Join(c.Reference, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			fresh = append(fresh, name)
		case err != nil:
			return inputError{err}
		default:
			pairs = append(pairs, regress.Pair{Old: old, New: regress.ReferenceOf(outcome)})
		}
	}
	if len(pairs) == 0 && !c.Accept {
		return inputError{fmt.Errorf("%s has no reference of %s", c.Reference,
			strings.Join(fresh, ", "))}
	}
	skipped, err := c.notRun(ran)
	if err != nil {
		return err
	}
	gate := regress.Compare(pairs, regress.Options{Alpha: c.Alpha, Floor: c.Floor})
	report := gateReport{Gate: gate, NotRun: skipped, WithoutReference: fresh}
	if c.JSON {
		err = results.WriteJSON(con.stdout, report)
	} else {
		err = report.writeText(con.stdout, c.Verbose)
	}
	if err != nil {
		return err
	}
	if c.Accept {
		return c.accept(con, runs, gate)
	}
	if gate.Failed() {
		err = fmt.Errorf("%d numbers changed, %d are missing; if that is meant: ppdp regress "+
			"--accept --reason \"...\"", gate.Counts[regress.Changed], gate.Counts[regress.Missing])
	}
	if c.All && len(skipped) > 0 {
		err = errors.Join(err, fmt.Errorf("not run: %s", strings.Join(skipped, ", ")))
	}
	return err
}

// notRun lists the reference's experiments of which there is no run.
func (c regressCommand) notRun(ran map[string]bool) ([]string, error) {
	var names []string
	err := filepath.WalkDir(c.Reference, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Name() == regress.TrialsFile {
			name, _ := filepath.Rel(c.Reference, filepath.Dir(path)) // path lies below it
			if name = filepath.ToSlash(name); !ran[name] {
				names = append(names, name)
			}
		}
		return err
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// acceptedFile is the reference's log: when what was accepted, and why.
const acceptedFile = "accepted.csv"

func (c regressCommand) accept(con *console, runs []*results.Summary, gate *regress.Gate) error {
	path := filepath.Join(c.Reference, acceptedFile)
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	var names []string
	for _, outcome := range runs {
		name := outcome.Manifest.Experiment
		reference := regress.ReferenceOf(outcome)
		if len(reference.Samples) == 0 {
			return fmt.Errorf("%s measured nothing: there is nothing to compare later runs with",
				name)
		}
		names = append(names, name)
		err := reference.Write(filepath.Join(c.Reference, filepath.FromSlash(name)))
		if err != nil {
			return err
		}
	}
	err = results.WriteFile(path, func(w io.Writer) error {
		if len(text) == 0 {
			text = []byte("date,changed,missing,added,experiments,reason\n")
		}
		if _, err := w.Write(text); err != nil {
			return err
		}
		count := func(verdict string) string { return strconv.Itoa(gate.Counts[verdict]) }
		return csv.NewWriter(w).WriteAll([][]string{{con.now().UTC().Format(time.DateOnly),
			count(regress.Changed), count(regress.Missing), count(regress.Added),
			strings.Join(names, " "), c.Reason}})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "accepted as reference: %s, %s\n", counted(len(names), "experiment"),
		filepath.ToSlash(c.Reference))
	return nil
}

// gateReport is a comparison and what stayed out of it.
type gateReport struct {
	*regress.Gate
	NotRun           []string `json:"notRun,omitempty"`
	WithoutReference []string `json:"withoutBaseline,omitempty"`
}

// comparisonRow is a comparison as a row of the table.
func comparisonRow(c *regress.Comparison) []string {
	point := c.Series
	if c.Variant != "" && !results.Says(point, c.Variant) {
		point += ", " + c.Variant
	}
	point += ", " + c.Dataset
	switch {
	case c.Epsilon != nil && c.Points == 0:
		point += fmt.Sprintf(", epsilon %g", *c.Epsilon)
		if c.Delta > 0 {
			point += fmt.Sprintf(", delta %g", c.Delta)
		}
	case c.Points > 0:
		point += fmt.Sprintf(", curve of %d points", c.Points)
	}
	metric := c.Metric
	if c.Classifier != "" {
		metric += " by " + c.Classifier
	}
	number := func(v *float64, n int) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g n=%d", *v, n)
	}
	delta, p := "~", "-"
	switch {
	case c.Verdict == regress.Changed && c.Change != nil:
		delta = fmt.Sprintf("%+.2f%%", 100**c.Change)
	case c.Verdict == regress.Changed, c.Verdict == regress.Missing, c.Verdict == regress.Added:
		delta = "?"
	}
	if c.Holm != nil {
		p = fmt.Sprintf("%.2g", *c.Holm)
	} else if c.Test == regress.TestExact {
		p = "exact"
	}
	verdict := c.Verdict
	if c.Reason != "" {
		verdict += ": " + c.Reason
	}
	return []string{c.Experiment, point, metric, number(c.Old, c.OldN), number(c.New, c.NewN),
		delta, p, verdict}
}

// writeText writes a table of what has changed or is missing, of all with verbose, and a summary.
func (r gateReport) writeText(w io.Writer, verbose bool) error {
	table := newTable(w, "EXPERIMENT", "POINT", "METRIC", "OLD", "NEW", "DELTA", "P", "VERDICT")
	shown := 0
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if verbose || c.Verdict == regress.Changed || c.Verdict == regress.Missing {
			table.row(comparisonRow(c)...)
			shown++
		}
	}
	if shown > 0 {
		if err := table.Flush(); err != nil {
			return err
		}
	}
	for _, line := range r.summary() {
		fmt.Fprintln(w, line)
	}
	return nil
}

// summary counts the verdicts and names what was not compared.
func (r gateReport) summary() []string {
	var counts []string
	for _, verdict := range []string{regress.Same, regress.Unchanged, regress.Changed,
		regress.Missing, regress.Added, regress.Unjudged} {
		if n := r.Counts[verdict]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	lines := []string{
		fmt.Sprintf("%d comparisons: %s", len(r.Comparisons), strings.Join(counts, ", "))}
	tested := 0
	reasons := make(map[string]int)
	var order []string
	for i := range r.Comparisons {
		c := &r.Comparisons[i]
		if c.P != nil {
			tested++
		}
		if c.Verdict == regress.Unjudged {
			if reasons[c.Reason]++; reasons[c.Reason] == 1 {
				order = append(order, c.Reason)
			}
		}
	}
	if tested > 0 {
		lines = append(lines, fmt.Sprintf("%d of them tested: p is adjusted for all, the chance "+
			"of any false alarm is at most %g %%; smaller changes than %g %% are not called so",
			tested, 100*r.Alpha, 100*r.Floor))
	}
	for _, reason := range order {
		lines = append(lines, fmt.Sprintf("warning: %d unjudged: %s", reasons[reason], reason))
	}
	if len(r.NotRun) > 0 {
		lines = append(lines, "warning: not run: "+strings.Join(r.NotRun, ", "))
	}
	if len(r.WithoutReference) > 0 {
		lines = append(lines, "warning: without a reference: "+
			strings.Join(r.WithoutReference, ", "))
	}
	return lines
}
