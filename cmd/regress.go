package cmd

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/terminal"
	"ppdp/publish/gate"
	"ppdp/report/leaderboard"
)

type regressCommand struct {
	Names     []string `arg:"" optional:"" name:"name" help:"What to run afresh and compare: an experiment, a paper, an algorithm or all."`
	Out       string   `help:"Folder of the results to judge where nothing is named (default: results/quick)." placeholder:"DIR"`
	Jobs      int      `short:"j" help:"Jobs run at once; 0 means one per processor." default:"0" min:"0" placeholder:"N"`
	Reference string   `help:"Folder of the results to compare with, a reference or runs (default: ${default})." default:"report/reference/quick" placeholder:"DIR"`
	All       bool     `help:"Also fail if an experiment of the reference was not run."`
	Verbose   bool     `short:"v" help:"List all comparisons, not only the numbers that moved."`
	Accept    bool     `help:"Make the results the reference. Needs --reason."`
	gate.Files
	Reason string `help:"Why the numbers may change; kept in the reference's accepted.csv." placeholder:"TEXT"`
}

func (regressCommand) Help() string {
	return `Compares the results of runs with a reference, number by number. What is named is run
first, with the quick settings, on stand-in data, in a folder of its own that is removed afterwards:
an experiment, a paper, all but the leaderboard, or an algorithm's jobs in every experiment. Without
a name nothing is run.

With the reference's seed, data and revisions, values must be equal. If the seed or the revision of
an algorithm differs, means are tested (paired by trial, or by Welch's test), with Holm's
correction over all of them; under another revision, points with fewer than three trials must be
equal. Improvements count as changes: they may be leaks. The numbers that moved are listed. The exit
code is 1 if something changed or is missing.

Examples:

  ppdp regress rps/noise

  ppdp regress privbayes -v

  ppdp regress all --accept --reason "rps: points are cut at midpoints, revision 3"

  ppdp regress --out results --reference report/reference/full

  ppdp regress --out new --reference results`
}

func (c *regressCommand) Validate() error {
	return errors.Join(
		problem.Unless(!c.Accept || strings.TrimSpace(c.Reason) != "", "--accept needs --reason"),
		problem.Unless(c.Accept || c.Reason == "", "--reason is for --accept"),
		problem.Unless(len(c.Names) == 0 || c.Out == "",
			"--out is for results that are there; what is named is run afresh"))
}

func (c regressCommand) Run(con *console) error {
	if c.Out = cmp.Or(c.Out, outFlag{}.folder(true)); len(c.Names) == 0 {
		return c.judge(con)
	}
	plans, err := c.plans()
	if err != nil {
		return terminal.InputError(err)
	}
	if c.Out, err = os.MkdirTemp("", "ppdp-regress-"); err != nil {
		return err
	}
	defer os.RemoveAll(c.Out)
	var log bytes.Buffer
	quiet := *con
	quiet.stdout, quiet.stderr = io.Discard, &log
	err = runPlans(&quiet, plans, &runFlags{outFlag: outFlag{c.Out}, Jobs: c.Jobs, noFigures: true})
	if err != nil {
		log.WriteTo(con.stderr)
	}
	if con.ctx.Err() != nil {
		return err
	}
	return errors.Join(err, c.judge(con))
}

// plans are those of what is named, quick and on stand-ins. Of an experiment that no name but
// algorithms' stands for they have the jobs of these alone.
func (c regressCommand) plans() (plans []*language.Plan, err error) {
	overrides := language.Overrides{Quick: true, StandIns: make(map[string]string)}
	for _, name := range datasets.Names() {
		if standIn := datasets.StandIn(name); standIn != "" {
			overrides.StandIns[name] = standIn
		}
	}
	var errs []error
	known := make(map[string]bool)
	for _, name := range experiments.Names() {
		paper, _, _ := strings.Cut(name, "/")
		known[name], known[paper] = true, true
		board := strings.HasPrefix(name, leaderboard.Prefix)
		whole := slices.ContainsFunc(c.Names, func(word string) bool {
			return word == name || word == paper || word == "all" && !board
		})
		plan, err := makePlans([]string{name}, overrides)
		if err != nil {
			return nil, err
		}
		trials := make(map[string]int)
		for _, config := range plan[0].Configs {
			known[config.Algorithm] = true
			if slices.Contains(c.Names, config.Algorithm) && !board {
				trials[config.Key()] = plan[0].Trials
			}
		}
		if !whole && len(trials) == 0 {
			continue
		}
		if !whole {
			plan[0] = plan[0].WithTrials(trials)
		}
		if !whole && c.Accept {
			errs = append(errs, fmt.Errorf("--accept: only some jobs of %s are named, must be all "+
				"of an experiment: name it, %s or all", name, paper))
		}
		old, err := c.reference(name)
		switch {
		case errors.Is(err, fs.ErrNotExist) && whole && !c.Accept:
			errs = append(errs, fmt.Errorf("%s has no reference of %s, must be made with --accept",
				c.Reference, name))
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			errs = append(errs, err)
		case err == nil && !old.Manifest.Overrides.Quick:
			errs = append(errs, fmt.Errorf("%s is of a full run: what is named runs quickly; "+
				"compare with --out", c.referenceOf(name)))
		case err == nil && !c.Accept && old.Manifest.Seed != plan[0].Seed:
			errs = append(errs, fmt.Errorf("%s has seed %d, the spec %d, which leaves few numbers "+
				"to judge: --accept if it is meant", c.referenceOf(name), old.Manifest.Seed,
				plan[0].Seed))
		}
		plans = append(plans, plan[0])
	}
	for _, word := range c.Names {
		if names := slices.Sorted(maps.Keys(known)); word != "all" && !known[word] {
			errs = append(errs, fmt.Errorf("%q%s, must be all or the name of an experiment, of a "+
				"paper or of an algorithm in one", word, spelling.Hint(word, names)))
		}
	}
	return plans, errors.Join(errs...)
}

func (c regressCommand) referenceOf(experiment string) string {
	return filepath.Join(c.Reference, filepath.FromSlash(experiment))
}

// reference opens the reference of an experiment. One that --accept replaces need not be readable.
func (c regressCommand) reference(name string) (*regress.Reference, error) {
	old, err := regress.OpenReference(c.referenceOf(name))
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return old, err
	}
	if c.Accept {
		return nil, fs.ErrNotExist
	}
	return nil, fmt.Errorf("%w; restore the file, or make the reference anew with --accept", err)
}

// judge compares the results in the folder.
func (c regressCommand) judge(con *console) error {
	runs, err := openRuns(con, c.Out)
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s holds no results in the places of their experiments", c.Out)
	}
	if err != nil {
		return terminal.InputError(err)
	}
	var report gateReport
	var pairs []regress.Pair
	ran := make(map[string]bool)
	for _, outcome := range runs {
		name := outcome.Manifest.Experiment
		ran[name] = true
		old, err := c.reference(name)
		if errors.Is(err, fs.ErrNotExist) {
			report.WithoutReference = append(report.WithoutReference, name)
			continue
		}
		if err != nil {
			return terminal.InputError(err)
		}
		pair := regress.Pair{Old: old,
			New: &regress.Reference{Manifest: outcome.Manifest, Samples: outcome.Samples()}}
		pairs = append(pairs, pair)
		report.addInputs(pair)
		if pair.New.Manifest.Overrides.Settled { // the jobs of some algorithms
			old.Samples = slices.DeleteFunc(old.Samples, func(s results.Sample) bool {
				return !slices.ContainsFunc(outcome.Manifest.Algorithms,
					func(use results.AlgorithmUse) bool { return use.Name == s.Algorithm })
			})
		}
	}
	if len(pairs) == 0 && !c.Accept {
		return terminal.InputError(fmt.Errorf("%s has no reference of %s", c.Reference,
			strings.Join(report.WithoutReference, ", ")))
	}
	if report.NotRun, err = c.notRun(ran); err != nil {
		return err
	}
	judged := regress.Compare(pairs, regress.Alpha)
	report.Gate = judged
	err = report.writeText(con.stdout, c.Verbose)
	err = errors.Join(err, c.Write(c.checks(&report), os.Getenv(stepSummary)))
	if err != nil {
		return err
	}
	if c.Accept {
		return c.accept(con, runs, judged)
	}
	if judged.Failed() {
		err = fmt.Errorf("%d numbers changed, %d are missing; if that is meant: %s --accept "+
			"--reason \"...\"", judged.Counts[regress.Changed], judged.Counts[regress.Missing],
			strings.Join(append([]string{"ppdp regress"}, c.Names...), " "))
	}
	if (c.All || len(c.Names) > 0) && len(report.NotRun) > 0 {
		err = errors.Join(err, fmt.Errorf("not run: %s", strings.Join(report.NotRun, ", ")))
	}
	return err
}

// checks are the comparisons, and with --all the experiments of the reference that were not run.
func (c regressCommand) checks(r *gateReport) *gate.Report {
	checked := &gate.Report{Command: "ppdp regress"}
	for i := range r.Comparisons {
		row := comparisonRow(&r.Comparisons[i])
		check := gate.Check{Of: row[0], Name: row[2] + ", " + row[3], Outcome: gate.Passed,
			Words: fmt.Sprintf("%s, was %s: %s", row[5], row[4], row[8])}
		switch r.Comparisons[i].Verdict {
		case regress.Changed, regress.Missing:
			check.Outcome = gate.Failed
		case regress.Unjudged, regress.Added:
			check.Outcome = gate.Skipped
		}
		checked.Checks = append(checked.Checks, check)
	}
	for _, name := range r.NotRun {
		check := gate.Check{Of: name, Name: "was run", Outcome: gate.Skipped}
		if c.All || len(c.Names) > 0 {
			check.Outcome = gate.Failed
		}
		checked.Checks = append(checked.Checks, check)
	}
	return checked
}

// notRun lists the experiments of the reference that names stand for and that have not run.
func (c regressCommand) notRun(ran map[string]bool) (names []string, err error) {
	if _, err := os.Stat(c.Reference); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	files := os.DirFS(c.Reference)
	err = fs.WalkDir(files, ".", func(file string, _ fs.DirEntry, err error) error {
		name := path.Dir(file)
		named := len(c.Names) == 0 || slices.Contains(c.Names, "all") ||
			slices.Contains(c.Names, path.Dir(name))
		if path.Base(file) == regress.TrialsFile && named && !ran[name] {
			names = append(names, name)
		}
		return err
	})
	return names, err
}

// acceptedFile is the reference's log: when what was accepted, and why.
const acceptedFile = "accepted.csv"

func (c regressCommand) accept(con *console, runs []*results.Summary, gate *regress.Gate) error {
	log := filepath.Join(c.Reference, acceptedFile)
	text, err := os.ReadFile(log)
	if errors.Is(err, fs.ErrNotExist) {
		text, err = []byte("date,changed,missing,added,experiments,reason\n"), nil
	}
	if err != nil {
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
		if err := reference.Write(c.referenceOf(name)); err != nil {
			return err
		}
	}
	count := func(verdict string) string { return strconv.Itoa(gate.Counts[verdict]) }
	line := []string{con.now().UTC().Format(time.DateOnly), count(regress.Changed),
		count(regress.Missing), count(regress.Added), strings.Join(names, " "), c.Reason}
	err = results.WriteFile(log, func(w io.Writer) error {
		if _, err := w.Write(text); err != nil {
			return err
		}
		return csv.NewWriter(w).WriteAll([][]string{line})
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(con.stdout, "accepted as reference: %s, %s\n",
		terminal.Counted(len(names), "experiment"), filepath.ToSlash(c.Reference))
	return nil
}

// gateReport is a comparison and what stayed out of it.
type gateReport struct {
	*regress.Gate
	NotRun, WithoutReference []string // names of experiments
	inputs                   []string // that differ
}

// addInputs adds the inputs in which a run and its reference differ. A run of some algorithms alone
// lacks inputs of the others.
func (r *gateReport) addInputs(pair regress.Pair) {
	some := pair.New.Manifest.Overrides.Settled
	for _, d := range regress.Differences(pair.Old, pair.New) {
		if !some || d.B != "" && d.Input != regress.InputOverride {
			r.inputs = results.Union(r.inputs, d.String())
		}
	}
}

// comparisonRow is a comparison as a row of the table.
func comparisonRow(c *regress.Comparison) []string {
	point := c.Label()
	if c.Variant != "" && !results.Says(point, c.Variant) {
		point += ", " + c.Variant
	}
	point += ", " + c.Dataset.Label()
	for _, text := range []string{c.BudgetText(), c.Swept} {
		if text != "" {
			point += ", " + text
		}
	}
	number := func(v *float64, n int) string {
		if v == nil {
			return "-"
		}
		return fmt.Sprintf("%.4g n=%d", *v, n)
	}
	delta, p := "?", "-"
	switch {
	case c.Verdict == regress.Changed && c.Change != nil:
		delta = fmt.Sprintf("%+.3g%%", 100**c.Change)
	case c.Verdict == regress.Same, c.Verdict == regress.Unchanged, c.Verdict == regress.Unjudged:
		delta = "~"
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
	return []string{c.Experiment, c.Algorithm, point, c.Measurement.String(),
		number(c.Old, c.OldN), number(c.New, c.NewN), delta, p, verdict}
}

// mostShown is how many numbers that moved are listed unless all comparisons are.
const mostShown = 100

// writeText writes the numbers that moved, with verbose all comparisons, and a summary.
func (r gateReport) writeText(w io.Writer, verbose bool) error {
	moved := slices.DeleteFunc(slices.Clone(r.Comparisons), func(c regress.Comparison) bool {
		return c.Verdict != regress.Changed && c.Verdict != regress.Missing
	})
	shown, more := moved, max(0, len(moved)-mostShown)
	if verbose {
		shown, more = r.Comparisons, 0
	}
	if len(shown) > 0 {
		table := terminal.NewTable(w, "EXPERIMENT", "ALGORITHM", "POINT", "METRIC", "OLD", "NEW",
			"DELTA", "P", "VERDICT")
		for i := range shown[:len(shown)-more] {
			table.Row(comparisonRow(&shown[i])...)
		}
		if err := table.Flush(); err != nil {
			return err
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "and %d more, which -v shows\n", more)
	}
	for _, own := range results.Grouped(moved,
		func(c regress.Comparison) string { return c.Algorithm }) {
		fmt.Fprintf(w, "%s moved: %s\n", own[0].Algorithm, terminal.Counted(len(own), "number"))
	}
	if len(r.inputs) > 0 && r.Counts[regress.Same] < len(r.Comparisons) {
		fmt.Fprintf(w, "\nInputs that differ from the reference's:\n  %s\n\n",
			strings.Join(r.inputs, "\n  "))
	}
	r.summarise(w)
	return nil
}

// summarise counts the verdicts and names what was not compared.
func (r gateReport) summarise(w io.Writer) {
	var counts []string
	for _, verdict := range []string{regress.Same, regress.Unchanged, regress.Changed,
		regress.Missing, regress.Added, regress.Unjudged} {
		if n := r.Counts[verdict]; n > 0 {
			counts = append(counts, fmt.Sprintf("%d %s", n, verdict))
		}
	}
	fmt.Fprintf(w, "%d comparisons: %s\n", len(r.Comparisons), strings.Join(counts, ", "))
	tested := 0
	var unjudged []string // reasons
	for c := range results.Each(r.Comparisons) {
		if c.P != nil {
			tested++
		}
		if c.Verdict == regress.Unjudged {
			unjudged = append(unjudged, c.Reason)
		}
	}
	if tested > 0 {
		fmt.Fprintf(w, "%d of them tested: p is adjusted for all, the chance of any false alarm "+
			"is at most %g %%; smaller changes than %g %% are not called so\n",
			tested, 100*regress.Alpha, 100*regress.Floor)
	}
	for _, same := range results.Grouped(unjudged, func(reason string) string { return reason }) {
		fmt.Fprintf(w, "warning: %d unjudged: %s\n", len(same), same[0])
	}
	if len(r.NotRun) > 0 {
		fmt.Fprintf(w, "warning: not run: %s\n", strings.Join(r.NotRun, ", "))
	}
	if len(r.WithoutReference) > 0 {
		fmt.Fprintf(w, "warning: without a reference: %s\n", strings.Join(r.WithoutReference, ", "))
	}
}
