package cmd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"ppdp/experiments/engine"
	"ppdp/experiments/spec"
	"ppdp/internal/results"
)

// submitCommand is "ppdp submit".
type submitCommand struct {
	Slurm      slurmCommand      `cmd:"" help:"Hand experiments to Slurm as a job array, and a job that merges their results."`
	Kubernetes kubernetesCommand `cmd:"" help:"Print experiments as an Indexed Job of Kubernetes, and a job that merges their results."`
}

// submitFlags are what is handed to a cluster.
type submitFlags struct {
	Specs []string `arg:"" name:"spec" help:"A spec's file, or the name of an experiment that comes with ppdp."`
	Tasks int      `help:"Tasks to divide the jobs between." required:"" placeholder:"N"`
	Jobs  int      `short:"j" help:"Jobs that a task runs at once, one processor each (default: ${default})." default:"1" placeholder:"N"`
	planFlags
	Timeout  time.Duration `help:"Give up on a job after this long, such as 90s or 10m; 0 means never." default:"0s" placeholder:"D"`
	Releases bool          `name:"write-releases" help:"Also write each job's release, as ppdp run does."`
	Measured []string      `help:"Folders with finished runs of the same experiments, whose times and memory set the limits (default: results and results/quick)." default:"results,results/quick" placeholder:"DIR"`
}

// Validate is asked by kong.
func (f *submitFlags) Validate() error {
	errs := []error{f.planFlags.Validate()}
	if f.Tasks < 1 || f.Tasks > maxShards {
		errs = append(errs, fmt.Errorf("--tasks: %d, must be between 1 and %d", f.Tasks, maxShards))
	}
	if f.Jobs < 1 {
		errs = append(errs, fmt.Errorf("--jobs: %d, must be at least 1", f.Jobs))
	}
	if f.Timeout < 0 {
		errs = append(errs, fmt.Errorf("--timeout: %v, must be at least 0s", f.Timeout))
	}
	return errors.Join(errs...)
}

// arguments are those of the ppdp run of a task but for specs, folders and shard.
func (f *submitFlags) arguments() []string {
	words := []string{"-j", strconv.Itoa(f.Jobs)}
	if f.Trials != nil {
		words = append(words, "--trials", strconv.Itoa(*f.Trials))
	}
	if f.Seed != nil {
		words = append(words, "--seed", strconv.FormatUint(*f.Seed, 10))
	}
	if f.Quick {
		words = append(words, "--quick")
	}
	if f.Timeout > 0 {
		words = append(words, "--timeout", f.Timeout.String())
	}
	if f.Releases {
		words = append(words, "--write-releases")
	}
	return words
}

// allowance is what a task should be given: 0 where nothing is known.
type allowance struct{ minutes, megabytes int }

// Margins of limits over what was measured: a node may be slower and busier than the machine that
// was measured, and a task that is killed has to be sent again.
const (
	timeMargin    = 3
	startMinutes  = 10 // loading data and waiting for a shared disk
	memoryMargin  = 2
	leastMegabyte = 1024
)

// allow says what a task of the plans needs: by a finished run of each, else by costs.csv.
func (f *submitFlags) allow(con *console, plans []*spec.Plan) (allowance, error) {
	var seconds float64
	var memory int64
	measured := true
	for _, plan := range plans {
		cost, peak, found, err := f.measuredBefore(plan)
		if err != nil {
			return allowance{}, inputError{err}
		}
		if measured = measured && found; !found {
			cost, _ = jobCost(plan, nil, 1)
			fmt.Fprintf(con.stderr, "ppdp: %s: no finished run in %s: what its jobs take is not "+
				"known here\n", plan.Spec.Name, strings.Join(f.Measured, ", "))
		}
		if cost == 0 {
			cost = math.Inf(1) // never timed
		}
		jobs := math.Ceil(float64(len(plan.Jobs)) / float64(f.Tasks))
		seconds += cost * jobs / float64(plan.Workers(f.Jobs))
		memory = max(memory, peak)
	}
	var a allowance
	if !math.IsInf(seconds, 1) {
		a.minutes = startMinutes + int(math.Ceil(timeMargin*seconds/60))
	}
	if measured && memory > 0 {
		a.megabytes = max(leastMegabyte, int(memoryMargin*memory>>20))
	}
	return a, nil
}

// measuredBefore is what a job of the plan took in a finished run, in seconds of one worker, and
// the most memory that the run took, in bytes, 0 where that is not known. A quick run does not say
// what a full one takes.
func (f *submitFlags) measuredBefore(plan *spec.Plan) (cost float64, peak int64, found bool,
	err error) {
	for _, folder := range f.Measured {
		dir := filepath.Join(folder, filepath.FromSlash(plan.Spec.Name))
		run, err := results.Open(dir)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		usage, usageErr := results.ReadUsage(dir)
		if err := errors.Join(err, usageErr); err != nil {
			return 0, 0, false, err
		}
		if run.Manifest.Overrides.Quick != plan.Quick || usage == nil {
			continue
		}
		seconds, jobs := 0.0, 0
		run.Times(func(_ *results.Setting, n int, s float64) {
			seconds += s
			jobs += n
		})
		return seconds / float64(max(1, jobs)), usage.PeakBytes, true, nil
	}
	return 0, 0, false, nil
}

// slurmCommand is "ppdp submit slurm".
type slurmCommand struct {
	submitFlags
	dataFlags
	Out    string `help:"Folder for results, on a disk that all nodes share (default: ${default})." default:"results" placeholder:"DIR"`
	DryRun bool   `help:"Write and print the scripts; submit nothing."`
}

// Help is the second part of the verb's help text.
func (slurmCommand) Help() string {
	return `Hands Slurm a job array, each task of which runs one shard, and a job behind it that
merges, draws and reports what is there. The scripts are left in the folder submit inside --out,
with the tasks' logs; they are short, to be edited where your cluster wants a partition or an
account. A task that is killed, preempted or requeued goes on from its journal; submitting again
runs what is missing. ppdp status shows how far the tasks are.

Limits of time and memory are three and two times what finished runs took (--measured). Without any
they are left to the cluster.

Examples:

  ppdp submit slurm rps/fig1 --tasks 4 --out /shared/results

  ppdp submit slurm my.yaml --tasks 100 -j 8 --dry-run`
}

// Validate is asked by kong, which sees none where two embedded ones have the same name.
func (c *slurmCommand) Validate() error { return c.submitFlags.Validate() }

// Run submits.
func (c slurmCommand) Run(con *console) error {
	sbatch, err := exec.LookPath("sbatch")
	if err != nil && !c.DryRun {
		return inputError{errors.New("there is no sbatch on the path, so this is no node that " +
			"Slurm takes jobs on; --dry-run writes the scripts all the same")}
	}
	plans, err := makePlans(c.Specs, c.overrides())
	if err != nil {
		return err
	}
	for _, plan := range plans {
		if err := engine.CheckFiles(con.ctx, plan, c.files()); err != nil {
			return asInput(err)
		}
	}
	a, err := c.allow(con, plans)
	if err != nil {
		return err
	}
	scripts, err := c.scripts(a)
	if err != nil {
		return err
	}
	folder := filepath.Join(c.Out, submitFolder)
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for _, script := range scripts {
		if err := results.WriteFile(filepath.Join(folder, script.name), func(w io.Writer) error {
			_, err := w.Write(script.text)
			return err
		}); err != nil {
			return err
		}
	}
	tasks, merge := filepath.Join(folder, tasksScript), filepath.Join(folder, mergeScript)
	if c.DryRun {
		for _, script := range scripts[:2] {
			fmt.Fprintf(con.stdout, "# %s\n%s\n",
				filepath.ToSlash(filepath.Join(folder, script.name)), script.text)
		}
		_, err := fmt.Fprintf(con.stdout, "# to submit them:\njob=$(sbatch --parsable %s)\n"+
			"sbatch --dependency=\"afterany:${job%%%%;*}\" %s\n", quoted(tasks), quoted(merge))
		return err
	}
	array, err := submitScript(con, sbatch, tasks)
	if err != nil {
		return err
	}
	after, err := submitScript(con, sbatch, "--dependency=afterany:"+array, merge)
	if err != nil {
		return fmt.Errorf("the tasks are submitted as job %s, but not the job that merges: %w",
			array, err)
	}
	_, err = fmt.Fprintf(con.stdout, "job %s: %d tasks; job %s merges them afterwards\n"+
		"ppdp status %s shows how far they are; logs are in %s\n", array, c.Tasks, after,
		quoted(c.Out), filepath.ToSlash(folder))
	return err
}

// quoted is a word as a shell has to be given it.
func quoted(word string) string { return results.CommandText([]string{word}) }

// submitScript hands a script to sbatch and returns the job's number.
func submitScript(con *console, sbatch string, args ...string) (job string, err error) {
	command := exec.CommandContext(con.ctx, sbatch, append([]string{"--parsable"}, args...)...)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	out, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("sbatch: %w: %s", err, bytes.TrimSpace(stderr.Bytes()))
	}
	job, _, _ = strings.Cut(strings.TrimSpace(string(out)), ";") // behind it is the cluster
	if _, err := strconv.Atoi(job); err != nil {
		return "", fmt.Errorf("sbatch printed %q, must be the number of a job", out)
	}
	return job, nil
}

// The folder, inside that of the results, of what was submitted, and its files.
const (
	submitFolder = "submit"
	tasksScript  = "tasks.sh"
	mergeScript  = "merge.sh"
)

// script is a file of the submitFolder.
type script struct {
	name string
	text []byte
}

// scripts are the two scripts.
func (c *slurmCommand) scripts(a allowance) ([]script, error) {
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Abs(filepath.Join(c.Out, submitFolder))
	if err != nil {
		return nil, err
	}
	run := append([]string{program, "run"}, c.Specs...)
	run = append(run, c.arguments()...)
	run = append(run, "--out", c.Out)
	if c.Data != "" {
		run = append(run, "--data", c.Data)
	}
	merge := []string{program, "merge", c.Out, "--out", c.Out}
	if c.Data != "" {
		merge = append(merge, "--data", c.Data)
	}
	limits := "# How long a task takes is not known: set --time=MINUTES.\n"
	if a.minutes > 0 {
		limits = fmt.Sprintf("#SBATCH --time=%d\n", a.minutes)
	}
	if a.megabytes > 0 {
		limits += fmt.Sprintf("#SBATCH --mem=%dM\n", a.megabytes)
	} else {
		limits += "# How much memory a task takes is not known: set --mem=SIZE.\n"
	}
	logs = strings.ReplaceAll(logs, "%", "%%") // which has a meaning there
	tasks := fmt.Sprintf(`#!/bin/sh
# Each task runs one of %[1]d parts. One that was killed or requeued goes on from its journal.
#SBATCH --job-name=ppdp
#SBATCH --array=1-%[1]d
#SBATCH --cpus-per-task=%[2]d
%[3]s#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%[4]q
cd %[5]s || exit
exec %[6]s --shard "$SLURM_ARRAY_TASK_ID/%[1]d"
`, c.Tasks, c.Jobs, limits, filepath.Join(logs, "task-%a.log"), quoted(here),
		results.CommandText(run))
	merged := fmt.Sprintf(`#!/bin/sh
# Merges what the tasks have run, draws the figures and reports. What is missing is named.
#SBATCH --job-name=ppdp-merge
#SBATCH --cpus-per-task=1
%s#SBATCH --output=%q
cd %s || exit
%s; merged=$?
%s || merged=1
exit $merged
`, limits, filepath.Join(logs, "merge.log"), quoted(here), results.CommandText(merge),
		results.CommandText([]string{program, "report", "--out", c.Out}))
	all := []script{{tasksScript, []byte(tasks)}, {mergeScript, []byte(merged)}}
	if strings.ContainsAny(strings.Join(append(run, logs, here), ""), "\n\r") {
		return nil, inputError{errors.New("a path or a spec's name with a line break cannot be " +
			"written into a script")}
	}
	return all, nil
}
