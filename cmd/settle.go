package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"ppdp/experiments"
	"ppdp/experiments/language"
	"ppdp/internal/regress"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/report/claims"
)

type settleCommand struct {
	Claims []string `arg:"" optional:"" name:"claim" help:"Papers or claims to settle, such as rps or R-1a.1 (default: all claims)."`
	realFlags
	Seed *uint64 `help:"Master seed, in place of the specs'." placeholder:"S"`
	Most int     `help:"Give no setting more trials than this: 20, 60, 180 or 540." enum:"20,60,180,540" default:"540" placeholder:"N"`
	Out  string  `help:"Folder of results; sequential tests are below settled/ in it (default: ${default})." default:"results" placeholder:"DIR"`
	Jobs int     `short:"j" help:"Jobs run at once; 0 means one per processor." default:"0" min:"0" placeholder:"N"`
}

func (settleCommand) Help() string {
	return `Runs as many trials as claims take: the settings that they speak of, 20 times at first,
and then 60, 180 and 540 times those of points that are still open. Readings of a claim are settled
too. An experiment grows only while its next step costs less than some minutes of a worker's time.
Trial i is that of the ordinary run, so that the papers' trials are the first ones. An interrupted
run goes on where it stopped, and results do not depend on -j.

The chance that any point of a claim gets a wrong state is at most 5 % over all steps. Claims on
running times are not settled. "ppdp claims" shows settled verdicts first.

At the end the verdicts are compared with those that come with ppdp; the exit code is 1 if any
differs on real data. Where claims were named, numbers may differ: without the others, settings have
fewer trials. So they do with another --seed.

The values of all trials that verdicts are made from are written to settled/values. "ppdp claims
--settled" judges them again.

Examples:

  ppdp settle

  ppdp settle R-1a.1 R-2c.1

  ppdp settle rps --seed 7 --out fresh -j 4`
}

// settledFolder is below the folder of results, valuesFolder below that.
const (
	settledFolder = "settled"
	valuesFolder  = "values"
)

// settleSeconds is what the next look of an experiment may cost, in seconds of one worker's time by
// costs.csv: the same experiments grow on every machine.
const settleSeconds = 600.0

// unknownCost is the seconds taken for a job of an experiment that was never timed.
const unknownCost = 0.05

func (c settleCommand) Run(con *console) error {
	v, err := readClaims(claims.Papers(), c.Claims...)
	if err != nil {
		return err
	}
	flags := &runFlags{realFlags: c.realFlags, Jobs: c.Jobs,
		outFlag: outFlag{filepath.Join(c.Out, settledFolder)}, noFigures: true}
	s := &settling{verdicts: v, con: con, all: len(c.Claims) == 0, flags: flags}
	if err := s.plan(c.Seed); err != nil {
		return err
	}
	for _, look := range claims.Looks {
		if look.Trials > c.Most {
			break
		}
		plans, err := s.grow(look.Trials)
		if err != nil {
			return err
		}
		if len(plans) == 0 {
			break
		}
		fmt.Fprintf(con.stderr, "ppdp: %d trials of what is open: %s\n", look.Trials,
			terminal.Counted(len(plans), "experiment"))
		if err := runPlans(con, plans, s.flags); err != nil {
			return err
		}
	}
	return s.end()
}

// settling is a settled run between its looks.
type settling struct {
	verdicts
	con   *console
	all   bool // claims
	flags *runFlags
	full  []*language.Plan          // with as many trials as the last look may have
	grown map[string]*language.Plan // with those run so far, by experiment
}

// plan resolves the experiments of the claims, but for those that draw times.
func (s *settling) plan(seed *uint64) error {
	var names []string
	for _, file := range s.verdicts {
		for i := range file.Claims {
			checks, readings := file.Claims[i].Experiments()
			names = append(names, slices.Concat(checks, readings)...)
		}
	}
	slices.Sort(names)
	overrides := language.Overrides{Trials: claims.Looks[len(claims.Looks)-1].Trials, Seed: seed}
	plans, err := makePlans(slices.Compact(names), overrides)
	if err != nil {
		return err
	}
	s.full = slices.DeleteFunc(plans, (*language.Plan).Timed)
	if overrides.StandIns, err = s.flags.standIns(s.con, s.full, true); err != nil {
		return err
	}
	s.grown = make(map[string]*language.Plan)
	for i, plan := range s.full {
		own := overrides
		if plan.Spec.Trials == 1 { // nothing is left to chance
			own.Trials = 1
		}
		if s.full[i], err = plan.Spec.Plan(own); err != nil {
			return err
		}
		s.grown[plan.Spec.Name] = s.full[i].WithTrials(map[string]int{})
	}
	return nil
}

// grow lists the plans that open points ask for, with the trials of a look, of the experiments that
// may grow. Before the first look every point is open.
func (s *settling) grow(look int) (plans []*language.Plan, err error) {
	first := look == claims.Looks[0].Trials
	var runs []*results.Summary
	if !first {
		runs, err = s.runs()
	}
	known, unread := costs(false)
	if err = errors.Join(err, unread); err != nil {
		return nil, err
	}
	trials := make(map[string]map[string]int) // by experiment and setting
	for _, plan := range s.full {
		name := plan.Spec.Name
		trials[name] = maps.Clone(s.grown[name].Settled)
		if first {
			runs = append(runs, unmeasured(plan))
		}
	}
	var lock sync.Mutex
	err = s.evaluate(runs, claims.Options{Settled: true, Planned: first,
		Open: func(experiment string, setting *results.Setting) {
			lock.Lock()
			defer lock.Unlock()
			trials[experiment][setting.Key()] = look
		}})
	if err != nil {
		return nil, err
	}
	for _, plan := range s.full {
		name := plan.Spec.Name
		next := plan.WithTrials(trials[name])
		more := len(next.Jobs) - len(s.grown[name].Jobs)
		cost := float64(more) * cmp.Or(known[name], unknownCost)
		switch {
		case more == 0:
		case !first && cost > settleSeconds:
			fmt.Fprintf(s.con.stderr, "ppdp: %s keeps its trials: %d would take a worker about "+
				"%v\n", name, look, wholeSeconds(cost))
		default:
			s.grown[name] = next
			plans = append(plans, next)
		}
	}
	return plans, nil
}

// end judges for the last time, keeps the verdicts and compares them with those that come with
// ppdp.
func (s *settling) end() error {
	runs, err := s.runs()
	used := make(map[value]bool)
	var lock sync.Mutex
	if err == nil {
		err = s.evaluate(runs, claims.Options{Settled: true,
			Used: func(experiment string, x *results.Sample) {
				lock.Lock()
				defer lock.Unlock()
				// verdicts on times are not settled
				used[value{experiment, x.Key(), x.Measurement}] = x.Metric != results.RuntimeMetric
			}})
	}
	if err == nil {
		err = s.writeValues(runs, used)
	}
	if err != nil {
		return err
	}
	found := claims.SettledOf(runs, claims.Judgements(s.verdicts))
	differences := found.Differences(claims.Committed(), s.all)
	path := filepath.Join(s.flags.Out, claims.SettledFile)
	old, err := claims.OpenSettled(path)
	if err != nil {
		return err
	}
	found.Add(old)
	err = results.WriteFile(path, found.Write)
	s.printCounts(s.con.stdout)
	return errors.Join(err, differ(differences))
}

// differ is an error where verdicts or points are not those that come with ppdp.
func differ(differences []string) error {
	if len(differences) == 0 {
		return nil
	}
	return fmt.Errorf("not as it comes with ppdp:\n  %s", strings.Join(differences, "\n  "))
}

// runs are those of the claims' experiments in the folder.
func (s *settling) runs() ([]*results.Summary, error) {
	runs, err := openRuns(s.con, s.flags.Out)
	return slices.DeleteFunc(runs, func(run *results.Summary) bool {
		return s.grown[run.Manifest.Experiment] == nil
	}), err
}

// value is a measurement of a setting.
type value struct {
	experiment, setting string
	results.Measurement
}

// writeValues writes the trials that the claims are judged by, and those of claims settled before.
func (s *settling) writeValues(runs []*results.Summary, used map[value]bool) error {
	_, err := inParallel(runs, func(run *results.Summary) (any, error) {
		name := run.Manifest.Experiment
		dir := filepath.Join(s.flags.Out, valuesFolder, filepath.FromSlash(name))
		before := make(map[value]bool)
		if old, err := regress.OpenReference(dir); err == nil { // else it is written anew
			for i := range old.Samples {
				before[value{name, old.Samples[i].Key(), old.Samples[i].Measurement}] = true
			}
		}
		values := regress.ValuesOf(run, func(x *results.Sample) bool {
			v := value{name, x.Key(), x.Measurement}
			return used[v] || before[v]
		})
		return nil, values.Write(dir)
	})
	return err
}

// openValues reads what writeValues wrote.
func openValues(dir string) ([]*results.Summary, error) {
	runs, err := inParallel(experiments.Names(), func(name string) (*results.Summary, error) {
		b, err := regress.OpenReference(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, nil
		case err != nil:
			return nil, err
		}
		return results.Measured(b.Manifest, b.Samples), nil
	})
	runs = slices.DeleteFunc(runs, func(run *results.Summary) bool { return run == nil })
	if err == nil && len(runs) == 0 {
		err = fmt.Errorf("%s has no values of sequential tests, must be a folder that ppdp settle "+
			"wrote, such as %s", dir, filepath.Join(settledFolder, valuesFolder))
	}
	return runs, terminal.InputError(err)
}

// recompute judges the values in a folder, with the published verdicts beside, and compares them.
func (v verdicts) recompute(dir string) error {
	runs, err := openValues(dir)
	if err == nil {
		err = v.evaluate(runs, claims.Options{Settled: true})
	}
	if err != nil {
		return err
	}
	differences := claims.SettledOf(runs, claims.Judgements(v)).Differences(claims.Committed(),
		true)
	for _, file := range v {
		file.Judgements = claims.Beside(file.Judgements, &claims.Settled{}, claims.Committed())
		for _, j := range file.Judgements {
			if j.Published != nil && j.Published.Settled && !j.Settled {
				differences = append(differences, j.ID+": not settled: "+j.Reason)
			}
		}
	}
	return differ(differences)
}

// unmeasured is what will be measured of a plan, without values.
func unmeasured(p *language.Plan) *results.Summary {
	measures := append(results.Mapped(p.Spec.Measures,
		func(m language.Measure) results.Measurement { return m.Measurement() }),
		results.Mapped(results.DerivedMeasures,
			func(use results.MeasureUse) results.Measurement { return use.Measurement })...)
	var samples []results.Sample
	for _, config := range p.Configs {
		for _, measure := range measures {
			samples = append(samples, results.Sample{Setting: config.Setting, Measurement: measure})
		}
	}
	return results.Measured(results.Manifest{Experiment: p.Spec.Name, Spec: string(p.Spec.Text)},
		samples)
}
