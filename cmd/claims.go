package cmd

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/template"

	"ppdp/experiments"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/terminal"
	"ppdp/report/claims"

	"golang.org/x/sync/errgroup"
)

type claimsCommand struct {
	Claims  []string `arg:"" optional:"" name:"claim" help:"Claims to show with every number, by id."`
	Paper   string   `help:"Judge the claims of one paper only, such as rps." default:"all" placeholder:"PAPER"`
	Variant string   `help:"Variant of the papers' algorithms: ${enum} (default: ${default})." enum:"published,strict" default:"published"`
	Out     string   `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	Settled string   `help:"Judge the values of sequential tests in this folder, instead of results." placeholder:"DIR"`
	JSON    bool     `name:"json" help:"Write JSON instead of a table, with every point." xor:"form"`
	Write   string   `help:"Write a page of all verdicts and their numbers." placeholder:"PAGE" xor:"form"`
}

func (claimsCommand) Help() string {
	return `Judges the papers' statements on the records of finished runs. Nothing is run.

THIS RUN is what the records say, those of sequential tests (ppdp settle) where there are any.
PUBLISHED is the verdict that comes with ppdp. They agree or differ where both are decided. POINTS
counts the places where this run checks a claim and how many of them support it.

Verdicts: holds, holds-in-part, no-difference, contradicted, undecided. A claim depends-on-the-reading
where at least half of its other readings, which READINGS counts, take another stance than the judged
one. A calibration is no evidence: a parameter was chosen so that its numbers come out. A run judges
nothing where it tests-the-program-only (stand-in data, overrides such as --quick), where a claim is
decided by-tests of the source (make test), and where there is no-data (not run) or it is not-covered.

With --settled nothing but the trials' values is read, which ppdp settle wrote to settled/values:
each verdict is computed from them again. The exit code is 1 if a verdict or a point is not as
published.

Marks: ! differs from the published verdict; S on stand-in data; R on a run with overrides such as
--quick; C on clock times of the machine that ran it.

Examples:

  ppdp claims

  ppdp claims R-1a.1 X-1

  ppdp claims --settled results/settled/values

  ppdp claims --paper rps --variant strict --out ~/results --json`
}

func (c claimsCommand) Run(con *console) error {
	if c.Write != "" && len(c.Claims) > 0 {
		return terminal.InputError(errors.New("--write takes no names of claims: it writes all " +
			"of them"))
	}
	if c.Settled != "" && c.Variant != claims.Published {
		return terminal.InputError(fmt.Errorf("--settled with --variant %s: settled values are of "+
			"the %s variant", c.Variant, claims.Published))
	}
	papers := claims.Papers()
	if c.Paper != "all" {
		papers = []string{c.Paper}
	}
	v, err := readClaims(papers, c.Claims...)
	if err != nil {
		return err
	}
	var errs error
	if c.Settled != "" {
		errs = v.recompute(c.Settled)
	} else {
		runs, err := openRuns(con, c.Out)
		if err != nil {
			return err
		}
		errs = v.judge(c.Variant, c.Out, runs)
	}
	if v[0].Judgements == nil {
		return errs
	}
	switch {
	case c.JSON:
		err = results.WriteJSON(con.stdout, append([]claims.Judgement{}, claims.Judgements(v)...))
	case c.Write != "":
		err = results.WriteFile(c.Write, func(w io.Writer) error {
			return claims.WriteMarkdown(w, v)
		})
	case len(c.Claims) > 0:
		err = claimTemplate().Execute(con.stdout, results.Mapped(claims.Judgements(v),
			func(j claims.Judgement) *claims.Judgement { return &j }))
	default:
		err = v.printTable(con.stdout)
		v.printCounts(con.stdout)
		fmt.Fprintln(con.stdout, "Numbers behind a verdict: ppdp claims CLAIM. "+
			"What the words and marks mean: ppdp claims --help.")
		if c.Variant == claims.Published { // nothing is published of another
			fmt.Fprintln(con.stdout, claims.Agreement(claims.Judgements(v)))
		}
	}
	return errors.Join(err, errs)
}

// verdicts are the claims of several papers, with their judgements.
type verdicts []*claims.File

// readClaims reads the claims of papers, or those of them named by id, for judging.
func readClaims(papers []string, ids ...string) (v verdicts, err error) {
	for _, paper := range papers {
		file, err := claims.Load(paper)
		if err != nil {
			return nil, terminal.InputError(err)
		}
		v = append(v, file)
	}
	if len(ids) > 0 {
		return v.named(ids)
	}
	return v, nil
}

// judge evaluates the claims on the results of runs in a folder, settled runs below it first, and
// puts the published verdicts beside. There are verdicts in spite of an error, which says that
// claims select what no run can have.
func (v verdicts) judge(variant, out string, runs []*results.Summary) error {
	err := v.evaluate(runs, claims.Options{Variant: variant, Specs: experiments.Texts()})
	own, unread := claims.OpenSettled(filepath.Join(out, settledFolder, claims.SettledFile))
	if unread != nil {
		return errors.Join(err, unread)
	}
	for _, file := range v {
		file.Judgements = claims.Beside(file.Judgements, own, claims.Committed())
	}
	return err
}

// evaluate judges the claims on runs; papers at the same time.
func (v verdicts) evaluate(runs []*results.Summary, options claims.Options) error {
	judged, err := inParallel(v, func(file *claims.File) ([]claims.Judgement, error) {
		return claims.Evaluate(file, runs, options)
	})
	for i, file := range v {
		file.Judgements = judged[i]
	}
	return terminal.InputError(err)
}

// openRuns reads every finished run below a folder. A run in any other place than that of its
// experiment, such as a quick one in a folder within, is not of this set of results. There are runs
// in spite of an error, which says what is wrong with others.
func openRuns(con *console, out string) ([]*results.Summary, error) {
	dirs, err := runDirs(con, out, nil)
	if err != nil {
		return nil, err
	}
	settled := filepath.Join(out, settledFolder) + string(filepath.Separator)
	dirs = slices.DeleteFunc(dirs, func(dir string) bool { return strings.HasPrefix(dir, settled) })
	opened, err := inParallel(dirs, results.Open)
	var runs []*results.Summary
	for i, run := range opened {
		place, _ := filepath.Rel(out, dirs[i]) // it lies below
		if run != nil && filepath.ToSlash(place) == run.Manifest.Experiment {
			runs = append(runs, run)
		}
	}
	return runs, err
}

// names are the words for claims: their papers and their ids.
func (v verdicts) names() (all []string) {
	for _, file := range v {
		all = append(all, file.Paper)
		for i := range file.Claims {
			all = append(all, file.Claims[i].ID)
		}
	}
	return all
}

// named drops all claims but those named, by id or by paper.
func (v verdicts) named(ids []string) (verdicts, error) {
	known := v.names()
	for _, file := range v {
		if !slices.Contains(ids, file.Paper) {
			file.Claims = slices.DeleteFunc(file.Claims,
				func(c claims.Claim) bool { return !slices.Contains(ids, c.ID) })
		}
	}
	v = slices.DeleteFunc(v, func(f *claims.File) bool { return len(f.Claims) == 0 })
	var errs []error
	for _, id := range ids {
		if !slices.Contains(known, id) {
			errs = append(errs, fmt.Errorf("no claim %q%s, must be one of the first column of "+
				"ppdp claims", id, spelling.Hint(id, known)))
		}
	}
	return v, terminal.InputError(errs...)
}

// printTable prints a line a claim and a line for each of its readings.
func (v verdicts) printTable(w io.Writer) error {
	table := terminal.NewTable(w, "CLAIM", "SOURCE", "THIS RUN", "POINTS", "PUBLISHED", "ERRATA",
		"READINGS", "STATEMENT, OR WHY THERE IS NO VERDICT")
	row := func(name, source string, j *claims.Judgement, errata, text string) {
		points := "-"
		if counts := j.Counts(); counts.All() > 0 {
			points = fmt.Sprintf("%d/%d", counts.Supports, counts.All())
		}
		published := "-"
		if j.Published != nil {
			published = string(j.Published.Stands())
		}
		table.Row(name, source, marked(j), points, published, errata, cmp.Or(j.OthersText(), "-"),
			text)
	}
	for _, j := range claims.Judgements(v) {
		row(j.ID, strings.Join(j.Source, ", "), &j, cmp.Or(strings.Join(j.Errata, " "), "-"),
			cmp.Or(j.Reason, j.Statement))
		for _, r := range j.Readings {
			row("  reading", "", &r, "", strings.TrimSuffix(r.Reading+": "+r.Reason, ": "))
		}
	}
	return table.Flush()
}

// marked is a verdict with the letters of the verb's help.
func marked(j *claims.Judgement) string {
	verdict := string(j.Stands())
	for _, mark := range []struct {
		is     bool
		letter string
	}{{j.Surprise, "!"}, {j.StandIn, "S"}, {j.Reduced, "R"}, {j.Clock, "C"}} {
		if mark.is {
			verdict += " " + mark.letter
		}
	}
	return verdict
}

//go:embed claim.txt.tmpl
var claimText string

// claimTemplate shows claims with all their checks, points and readings.
var claimTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("claim").Funcs(template.FuncMap{
		"list": func(texts ...[]string) string {
			return strings.Join(slices.Concat(texts...), ", ")
		},
		"marked": marked, "points": pointTable,
		"plain": func(markdown string) string { return strings.ReplaceAll(markdown, "*", "") },
	}).Parse(claimText))
})

func pointTable(points []claims.Point) string {
	var b strings.Builder
	table := terminal.NewTable(&b, "    POINT", "VALUE", "ERROR", "TRIALS", "STATE", "P")
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 4, 64) }
	for _, p := range points {
		table.Row("    "+cmp.Or(p.At, "all"), number(p.Value), number(p.SE), strconv.Itoa(p.N),
			p.State, number(p.P))
	}
	table.Flush() // into memory
	return b.String()
}

// printCounts prints a line a paper: what the run judges and how many claims have which verdict.
func (v verdicts) printCounts(w io.Writer) {
	for _, file := range v {
		fmt.Fprintf(w, "%s: judged %s; %s\n", file.Paper, file.Coverage(),
			strings.Join(file.Counts(), ", "))
	}
}

// inParallel is what a task makes of each item of a list, on all processors. All are done, whatever
// the errors, which it joins in order.
func inParallel[T, U any](list []T, task func(T) (U, error)) ([]U, error) {
	made, errs := make([]U, len(list)), make([]error, len(list))
	var tasks errgroup.Group
	tasks.SetLimit(runtime.GOMAXPROCS(0))
	for i, item := range list {
		tasks.Go(func() error {
			made[i], errs[i] = task(item)
			return nil
		})
	}
	_ = tasks.Wait()
	return made, errors.Join(errs...)
}
