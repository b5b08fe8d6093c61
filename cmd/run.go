package cmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"ppdp/datasets"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

// outFlag says where results are.
type outFlag struct {
	Out string `help:"Folder for results; each experiment gets one below it (default: results, or results/quick with --quick)." placeholder:"DIR"`
}

// folder keeps quick results apart: they must not replace complete ones.
func (f outFlag) folder(quick bool) string {
	switch {
	case f.Out != "":
		return f.Out
	case quick:
		return "results/quick"
	default:
		return "results"
	}
}

// runFlags are how jobs are run and where their results go. None of them changes a result.
type runFlags struct {
	realFlags
	outFlag
	Jobs    int           `short:"j" help:"Jobs run at once; 0 means one per processor. Experiments that draw run times always run one at a time." default:"0" min:"0" placeholder:"N"`
	Timeout time.Duration `help:"Give up on a job after this long, such as 90s or 10m; 0 means never." default:"0s" min:"0" placeholder:"D"`

	shard     engine.Shard // only ppdp run has a flag for it
	noFigures bool         // as for ppdp settle
}

func (f *runFlags) jobs() int {
	if f.Jobs == 0 {
		return runtime.GOMAXPROCS(0)
	}
	return f.Jobs
}

// planFlags change a spec's numbers from outside. They are noted in the manifest.
type planFlags struct {
	Trials *int    `help:"Trials, in place of the spec's." min:"1" placeholder:"N"`
	Seed   *uint64 `help:"Master seed, in place of the spec's." placeholder:"S"`
	Quick  bool    `help:"Use the spec's quick settings: few trials, a coarse grid."`
}

func (f *planFlags) overrides() language.Overrides {
	o := language.Overrides{Quick: f.Quick, Seed: f.Seed}
	if f.Trials != nil {
		o.Trials = *f.Trials
	}
	return o
}

// shardFlag is the part of the jobs to run, as 2/3 or task/3.
type shardFlag engine.Shard

// UnmarshalText is asked by kong.
func (f *shardFlag) UnmarshalText(text []byte) error {
	first, second, found := strings.Cut(string(text), "/")
	parts, err := strconv.Atoi(second)
	if !found || err != nil || parts < 1 || parts > maxShards {
		return fmt.Errorf("%q, must be a part and the number of parts, such as 1/3, 2/3 or 3/3, "+
			"of at most %d", text, maxShards)
	}
	number, least := first, 1
	if first == "task" {
		number, least = os.Getenv("JOB_COMPLETION_INDEX"), 0
		first = fmt.Sprintf("$JOB_COMPLETION_INDEX of Kubernetes, which is %q", number)
	}
	part, err := strconv.Atoi(number)
	if part -= least; err != nil || part < 0 || part >= parts {
		return fmt.Errorf("%q: the part is %s, must be from %d to %d", text, first, least,
			parts-1+least)
	}
	*f = shardFlag{Index: part, Count: parts}
	return nil
}

// maxShards is far beyond any cluster: more is a typing error.
const maxShards = 100_000

type runCommand struct {
	Specs []string  `arg:"" name:"spec" help:"A spec's file, or the name of an experiment that comes with ppdp."`
	Shard shardFlag `help:"Run only one part of the jobs, such as 2/3 for the second of three, into a folder of its own; task/3 takes the number of the part from Kubernetes." placeholder:"I/N"`
	planFlags
	runFlags
}

func (runCommand) Help() string {
	return `All specs, and your own tables and graphs that they name, are checked before the first
one runs. Two experiments go on at once; those that draw run times come last, each alone. A failed
job does not stop a run: it is recorded with its error, and the exit code is 1. An interrupted run
continues where it stopped when you start it again. After the whole process has died, by a crash or
for want of memory, the jobs that ran then come first, one at a time. If it dies again, the next
start records the job that ran as failed, with the open jobs of its setting, and goes on with the
others.

Real data are used if they are found or can be fetched. Otherwise generated stand-ins replace them,
and everything made from them says so; --no-stand-ins refuses them.

Several machines can share an experiment. Each runs its part of the jobs with --shard, and ppdp
merge makes the results of all parts. Jobs are dealt out in turn, so that each part has its share
of every setting.

Examples:

  ppdp run rps/fig1

  ppdp run my.yaml --trials 20 -j 4 --out ~/results

  ppdp run rps/fig1 --shard 1/2

  ppdp run rps/fig1 --shard 2/2

  ppdp merge results`
}

func (c runCommand) Run(con *console) error {
	c.shard = engine.Shard(c.Shard)
	plans, err := c.plans(con, c.Specs, c.overrides(), true)
	if err != nil {
		return err
	}
	if len(plans) > 1 { // a single one reads its files first anyway
		if err := checkFiles(con, plans, reading(con, c.files())); err != nil {
			return err
		}
	}
	return runPlans(con, plans, &c.runFlags)
}

// makePlans resolves specs. Their problems are reported together.
func makePlans(words []string, overrides language.Overrides) ([]*language.Plan, error) {
	var plans []*language.Plan
	var errs []error
	named := make(map[string]string)
	for _, word := range words {
		s, err := language.Find(word)
		if err == nil && named[s.Name] != "" {
			err = fmt.Errorf("%s and %s are both named %s: their results would share a folder",
				named[s.Name], word, s.Name)
		}
		var plan *language.Plan
		if err == nil {
			named[s.Name] = word
			plan, err = s.Plan(overrides)
		}
		plans, errs = append(plans, plan), append(errs, err)
	}
	return plans, terminal.InputError(errs...)
}

// checkFiles reads the user's own files that plans name. Their problems are reported together.
func checkFiles(con *console, plans []*language.Plan, files datasets.Files) error {
	return errors.Join(results.Mapped(plans, func(plan *language.Plan) error {
		return problem.Named(plan.Spec.Name, engine.CheckFiles(con.ctx, plan, files))
	})...)
}

// runPlans runs plans and draws their figures. Two go on at once, or processors would wait for the
// last jobs of one, for its figures and for the data of the next. Those that draw times come last,
// each alone. A failed one does not keep the next from running; an interruption does.
func runPlans(con *console, plans []*language.Plan, flags *runFlags) error {
	if err := flags.keepReal(plans); err != nil {
		return err
	}
	progress, err := newOverall(con, plans)
	if err != nil {
		return err
	}
	defer progress.bar.finish()
	con = progress.console(con)
	slots := semaphore.NewWeighted(int64(flags.jobs()))
	errs := make([]error, len(plans))
	for _, timed := range []bool{false, true} {
		var running errgroup.Group
		running.SetLimit(min(2, flags.jobs()))
		if timed {
			running.SetLimit(1)
		}
		for i, plan := range plans {
			if plan.Timed() != timed {
				continue
			}
			running.Go(func() error { // one that fails does not stop the others
				if con.ctx.Err() != nil {
					return nil
				}
				errs[i] = problem.Named(plan.Spec.Name, runPlan(con, plan, flags, slots,
					func(done int, so engine.Result) { progress.set(i, done, so) }))
				return nil
			})
		}
		_ = running.Wait()
	}
	err = errors.Join(errs...)
	if err == nil && con.ctx.Err() != nil { // before the first one
		return engine.ErrInterrupted
	}
	return err
}

func runPlan(con *console, plan *language.Plan, flags *runFlags, slots *semaphore.Weighted,
	progress func(done int, so engine.Result)) error {
	name, out := plan.Spec.Name, flags.folder(plan.Quick)
	defer beat(con, filepath.Join(out, flags.shard.Folder(), filepath.FromSlash(name)))()
	result, err := engine.Run(con.ctx, plan, engine.Options{
		Out: out, Workers: flags.jobs(), Slots: slots, Timeout: flags.Timeout,
		Shard:    flags.shard,
		Files:    reading(con, flags.files()),
		Clock:    con.now,
		Progress: progress,
		Log: func(message string) {
			fmt.Fprintf(con.stderr, "ppdp: %s: %s\n", name, message)
		},
		Build: engine.Build{CommandLine: append([]string{"ppdp"}, withoutShard(con.args)...),
			CPU: processor()},
	})
	if err != nil {
		return err
	}
	cached := ""
	if result.Cached > 0 {
		cached = fmt.Sprintf(", %d of them from an earlier run", result.Cached)
	}
	fmt.Fprintf(con.stdout, "%s: %s%s, %d failed: %s\n", name,
		terminal.Counted(result.Jobs, "job"), cached, result.Failed, filepath.ToSlash(result.Dir))
	for _, d := range plan.Datasets() {
		if d.Info.StandsFor != "" {
			fmt.Fprintf(con.stdout, "%s: STAND-IN DATA, nothing said of %s\n", name,
				d.Info.StandsFor)
			break
		}
	}
	if flags.shard.Count > 0 {
		fmt.Fprintf(con.stdout, "%s: jobs of other shards: %d; ppdp merge makes the results of "+
			"all\n", name, len(plan.Jobs)-result.Jobs)
	} else if !flags.noFigures {
		err = drawFigures(con, result.Dir)
	}
	return errors.Join(failedJobs(result), err)
}

// withoutShard is a command line for all jobs: what a run says of itself but its part of them.
func withoutShard(args []string) (all []string) {
	for i, word := range args {
		if part := strings.HasPrefix(word, "--shard=") || word == "--shard" ||
			i > 0 && args[i-1] == "--shard"; !part {
			all = append(all, word)
		}
	}
	return all
}

// failedJobs is an error where jobs have failed.
func failedJobs(r *engine.Result) error {
	if r.Failed == 0 {
		return nil
	}
	return fmt.Errorf("%d of %s failed; each is a record with its phase and error", r.Failed,
		terminal.Counted(r.Jobs, "job"))
}
