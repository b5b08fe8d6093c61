package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/report/claims"
	"ppdp/report/leaderboard"
)

type reproduceCommand struct {
	Paper string `arg:"" optional:"" default:"all" help:"A paper whose experiments to run, or all (the default), which leaves out leaderboard."`
	Quick bool   `help:"Few trials and a coarse grid, to check that everything runs."`
	runFlags
}

func (reproduceCommand) Help() string {
	return `Runs the experiments that come with ppdp, draws their figures, judges the papers' claims
and writes report.html. Data are found, fetched or replaced by stand-ins as by ppdp run.

Papers and comparisons: ` + strings.Join(papers(), ", ") + `.

Examples:

  ppdp reproduce

  ppdp reproduce rps --quick -j 2 --out ~/results`
}

// papers are the first parts of the experiments' names.
func papers() []string {
	var all []string
	for _, name := range experiments.Names() {
		paper, _, _ := strings.Cut(name, "/")
		all = results.Union(all, paper)
	}
	return all
}

func (c reproduceCommand) Run(con *console) error {
	var names []string
	for _, name := range experiments.Names() {
		all := c.Paper == "all" && !strings.HasPrefix(name, leaderboard.Prefix)
		if all || strings.HasPrefix(name, c.Paper+"/") {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return terminal.InputError(fmt.Errorf("no experiments of %q, must be all or one of %s",
			c.Paper, strings.Join(papers(), ", ")))
	}
	overrides := language.Overrides{Quick: c.Quick}
	plans, err := c.plans(con, names, overrides, true)
	if err != nil {
		return err
	}
	err = runPlans(con, plans, &c.runFlags)
	if con.ctx.Err() != nil {
		return err
	}
	out := c.folder(c.Quick)
	runs, unread := openRuns(con, out)
	err = errors.Join(err, unread)
	if len(runs) > 0 {
		err = errors.Join(err, writeReport(con, out, runs, nil))
	}
	if unread == nil {
		err = errors.Join(err, c.claims(con, runs))
	}
	return err
}

// claims reports, in a line a paper, what the runs mean for its claims, and how far that agrees
// with what is published.
func (c reproduceCommand) claims(con *console, runs []*results.Summary) error {
	judged := slices.DeleteFunc(claims.Papers(),
		func(paper string) bool { return c.Paper != "all" && c.Paper != paper })
	v, err := readClaims(judged)
	if err != nil || len(judged) == 0 {
		return err
	}
	err = v.judge(claims.Published, c.folder(c.Quick), runs)
	fmt.Fprintln(con.stdout, "Claims by this run (ppdp claims has them one by one):")
	v.printCounts(con.stdout)
	fmt.Fprintln(con.stdout, claims.Agreement(claims.Judgements(v)))
	return err
}

// plans resolves specs with the data that are there: the one policy for real data that are missing.
func (f *realFlags) plans(con *console, words []string, overrides language.Overrides, fetch bool) (
	[]*language.Plan, error) {
	plans, err := makePlans(words, overrides)
	if err != nil {
		return nil, err
	}
	overrides.StandIns, err = f.standIns(con, plans, fetch)
	if err != nil || len(overrides.StandIns) == 0 {
		return plans, err
	}
	return makePlans(words, overrides)
}

// standIns decides and reports which datasets of the plans are replaced by their stand-ins: those
// whose files are neither found nor to be fetched, unless the user refuses. One without a stand-in
// is left to fail where it is loaded, and so is one that is only to be fetched later.
func (f *realFlags) standIns(con *console, plans []*language.Plan, fetch bool) (map[string]string,
	error) {
	replace := make(map[string]string)
	var refused []error
	fetcher := datasets.DefaultFetcher(f.files())
	for _, name := range datasetsOf(plans) {
		source, err := datasets.Lookup(name)
		if err != nil || len(source.Info().Files) == 0 {
			continue // generated or the user's, or a mistake that planning has reported
		}
		statuses, err := filesOf(f.files(), []string{name})
		missing := false
		for _, status := range statuses {
			missing = missing || status.Err != nil
			if err == nil && status.Err != nil && (fetch || fetcher.Offline) {
				_, err = fetcher.Fetch(con.ctx, status.File)
			}
		}
		standIn := datasets.StandIn(name)
		switch {
		case con.ctx.Err() != nil:
			return nil, con.ctx.Err()
		case standIn == "" || err == nil && (fetch || !missing):
		case err == nil:
			fmt.Fprintf(con.stderr, "ppdp: %s: not found here; ppdp run fetches it or, if that "+
				"fails, uses the generated stand-in %s\n", name, standIn)
		case f.NoStandIns:
			refused = append(refused, fmt.Errorf("%s: %w; without --no-stand-ins the generated %s "+
				"would be used", name, err, standIn))
		default:
			replace[name] = standIn
			fmt.Fprintf(con.stderr, "ppdp: %v\nppdp: %s: NOT FOUND; GENERATED STAND-IN %s IS "+
				"USED. What follows says nothing about the real data.\n", err, name, standIn)
		}
	}
	return replace, terminal.InputError(refused...)
}

// keepReal refuses to replace results of real data by those of stand-ins.
func (f *runFlags) keepReal(plans []*language.Plan) error {
	var errs []error
	for _, plan := range plans {
		path := filepath.Join(f.folder(plan.Quick), f.shard.Folder(),
			filepath.FromSlash(plan.Spec.Name), results.ManifestFile)
		text, err := os.ReadFile(path)
		if err != nil || !slices.ContainsFunc(datasetsOf([]*language.Plan{plan}),
			func(name string) bool { return plan.StandIns[name] != "" }) {
			continue
		}
		m, err := results.ReadManifest(text, path)
		if err == nil && len(m.StandIns()) == 0 {
			errs = append(errs, fmt.Errorf("%s: results of real data, which stand-ins would "+
				"replace; find the data (ppdp datasets) or give another --out", path))
		}
	}
	return terminal.InputError(errs...)
}

// datasetsOf lists the names of the datasets that plans use, in the order of first use.
func datasetsOf(plans []*language.Plan) []string {
	var names []string
	for _, plan := range plans {
		for i := range plan.Spec.Dataset {
			names = results.Union(names, plan.Spec.Dataset[i].Name)
		}
	}
	return names
}
