package cmd

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"
	"time"

	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/process"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

type submitCommand struct {
	Slurm      slurmCommand      `cmd:"" help:"Hand experiments to Slurm as a job array, and a job that merges their results."`
	Kubernetes kubernetesCommand `cmd:"" help:"Print experiments as an Indexed Job of Kubernetes, and a job that merges their results."`
}

// submitFlags are what is handed to a cluster.
type submitFlags struct {
	Specs []string `arg:"" name:"spec" help:"A spec's file, or the name of an experiment that comes with ppdp."`
	Tasks int      `help:"Tasks to divide the jobs between." required:"" min:"1" max:"100000" placeholder:"N"`
	Jobs  int      `short:"j" help:"Jobs that a task runs at once, one processor each (default: ${default})." default:"1" min:"1" placeholder:"N"`
	planFlags
	NoStandIns bool          `name:"no-stand-ins" help:"Fail where real data are missing, as ppdp run does."`
	Timeout    time.Duration `help:"Give up on a job after this long, such as 90s or 10m; 0 means never." default:"0s" min:"0" placeholder:"D"`
	Memory     string        `help:"Most memory that a task may have, such as 4GiB; by default what the cluster gives." placeholder:"SIZE"`
}

func (f *submitFlags) Validate() error {
	if _, err := f.megabytes(); err != nil {
		return fmt.Errorf("--memory: %w", err)
	}
	return nil
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
	if f.NoStandIns {
		words = append(words, "--no-stand-ins")
	}
	return words
}

// megabytes is --memory in MiB, 0 without.
func (f *submitFlags) megabytes() (int64, error) {
	if f.Memory == "" {
		return 0, nil
	}
	bytes, err := process.ParseMemory(f.Memory)
	return bytes >> 20, err
}

type slurmCommand struct {
	submitFlags
	dataFlags
	Out     string `help:"Folder for results, on a disk that all nodes share (default: ${default})." default:"results" placeholder:"DIR"`
	Minutes int    `help:"Most minutes that a task may take; 0 leaves that to the cluster." default:"0" min:"0" placeholder:"N"`
	DryRun  bool   `help:"Write and print the scripts; submit nothing."`
}

func (slurmCommand) Help() string {
	return `Hands Slurm a job array, each task of which runs one shard, and a job behind it that
merges, draws and reports what is there. The scripts are left in the folder submit inside --out,
with the tasks' logs; they are short, to be edited where your cluster wants a partition or an
account. A task that is killed, preempted or requeued goes on from its journal; submitting again
runs what is missing. ppdp status shows how far the tasks are.

A task takes about as long as ppdp plan says, divided by --tasks and -j. Allow for slower nodes:
twice or three times as much.

Examples:

  ppdp submit slurm rps/fig1 --tasks 4 --out /shared/results

  ppdp submit slurm my.yaml --tasks 100 -j 8 --minutes 90 --memory 8GiB --dry-run`
}

func (c slurmCommand) Run(con *console) error {
	sbatch, err := exec.LookPath("sbatch")
	if err != nil && !c.DryRun {
		return terminal.InputError(errors.New("there is no sbatch on the path, so this is no " +
			"node that Slurm takes jobs on; --dry-run writes the scripts all the same"))
	}
	data := realFlags{c.dataFlags, c.NoStandIns}
	plans, err := data.plans(con, c.Specs, c.overrides(), !c.DryRun)
	if err != nil {
		return err
	}
	if err := checkFiles(con, plans, c.files()); err != nil {
		return err
	}
	folder := filepath.Join(c.Out, submitFolder)
	scripts, err := c.scripts()
	if err == nil {
		err = os.MkdirAll(folder, 0o777)
	}
	if err != nil {
		return err
	}
	tasks, merge := filepath.Join(folder, "tasks.sh"), filepath.Join(folder, "merge.sh")
	if err := errors.Join(writeText(tasks, scripts[0]), writeText(merge, scripts[1])); err != nil {
		return err
	}
	if c.DryRun {
		_, err := fmt.Fprintf(con.stdout, "# %s\n%s\n# %s\n%s\n# to submit them:\n"+
			"job=$(sbatch --parsable %s)\nsbatch --dependency=\"afterany:${job%%%%;*}\" %s\n",
			filepath.ToSlash(tasks), scripts[0], filepath.ToSlash(merge), scripts[1],
			quoted(tasks), quoted(merge))
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

// quoted is words as a shell has to be given them.
func quoted(words ...string) string { return results.CommandText(words) }

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

// submitFolder is the folder, inside that of the results, of what was submitted.
const submitFolder = "submit"

// slurmTemplate is the scripts that run a task and that merge.
//
//go:embed slurm.sh.tmpl
var slurmTemplate string

// scripts are the one that runs a task and the one that merges.
func (c *slurmCommand) scripts() (scripts [2]string, err error) {
	program, programErr := os.Executable()
	here, hereErr := os.Getwd()
	logs, logsErr := filepath.Abs(filepath.Join(c.Out, submitFolder))
	if err := errors.Join(programErr, hereErr, logsErr); err != nil {
		return scripts, err
	}
	folders := []string{"--out", c.Out}
	if c.Data != "" {
		folders = append(folders, "--data", c.Data)
	}
	run := slices.Concat([]string{program, "run"}, c.Specs, c.arguments(), folders)
	if strings.ContainsAny(strings.Join(append(run, logs, here), ""), "\n\r") {
		return scripts, terminal.InputError(errors.New("a path or a spec's name with a line " +
			"break cannot be written into a script"))
	}
	job := struct {
		*slurmCommand
		Megabytes        int64
		Logs             string
		Here, Run, Merge []string
	}{slurmCommand: c, Here: []string{here}, Run: run,
		Logs:  strings.ReplaceAll(logs, "%", "%%"), // which has a meaning there
		Merge: append([]string{program, "merge", c.Out, "--report"}, folders...)}
	job.Megabytes, _ = c.megabytes() // checked
	t := template.Must(template.New("").Funcs(template.FuncMap{"quote": results.CommandText}).
		Parse(slurmTemplate))
	for i, name := range []string{"tasks", "merge"} {
		var text strings.Builder
		err = errors.Join(err, t.ExecuteTemplate(&text, name, job))
		scripts[i] = text.String()
	}
	return scripts, err
}

type kubernetesCommand struct {
	submitFlags
	Image string `help:"The image of the Dockerfile, where the cluster finds it." required:"" placeholder:"IMAGE"`
	Claim string `help:"PersistentVolumeClaim of a volume that all nodes may write to (ReadWriteMany): results go to its folder results, data are looked for in its folder data (default: ${default})." default:"ppdp" placeholder:"NAME"`
	Name  string `help:"Name of the job (default: ${default})." default:"ppdp" placeholder:"NAME"`
}

func (kubernetesCommand) Help() string {
	return `Prints what kubectl apply takes: an Indexed Job, each index of which runs one shard; a
suspended Job that merges, draws and reports once you let it; a ConfigMap with the specs that are
files of yours. Nothing is sent anywhere. A pod in place of one that was evicted or killed goes on
from its journal on the shared volume. Needs Kubernetes 1.29 or later.

Data files that a spec names must be at the same absolute paths in the image or on the volume, which
is at data and results in the image's folder.

Examples:

  ppdp submit kubernetes rps/fig1 --tasks 8 --image registry.example/ppdp > job.yaml

  kubectl apply -f job.yaml

  kubectl wait --for='jsonpath={.status.conditions[0].status}=True' --timeout=-1s job/ppdp

  kubectl patch job ppdp-merge --patch '{"spec": {"suspend": false}}'`
}

var configKey = regexp.MustCompile(`^[-._a-zA-Z0-9]{1,253}$`)
var objectName = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,48}[a-z0-9])?$`)
var claimName = regexp.MustCompile(`^([a-z0-9](-*[a-z0-9])*\.)*[a-z0-9](-*[a-z0-9])*$`)

func (c *kubernetesCommand) Validate() error {
	return errors.Join(c.submitFlags.Validate(),
		problem.Unless(objectName.MatchString(c.Name), "--name: %q, must be at most 50 of a-z, "+
			"0-9 and -, with no - at its ends", c.Name),
		problem.Unless(claimName.MatchString(c.Claim) && len(c.Claim) <= 253, "--claim: %q, must "+
			"be at most 253 of a-z, 0-9, - and ., with no - or . at its ends or beside a .",
			c.Claim))
}

// Folders of the image, which the Dockerfile and the template name, too.
const (
	podResults = "/ppdp/results"
	podFiles   = "/ppdp/specs"
)

// maxConfig is what Kubernetes takes in a ConfigMap, with room for its names.
const maxConfig = 1<<20 - 1<<14

// kubernetesTemplate is what is printed. JSON's quoted texts are YAML's, too.
//
//go:embed kubernetes.yaml.tmpl
var kubernetesTemplate string

// pods is what the template prints.
type pods struct {
	*kubernetesCommand
	Files      map[string]string // of the ConfigMap, by name
	Megabytes  int64             // 0 for any
	Run, Merge []string          // arguments of ppdp
}

// container is a container of a pod.
type container struct {
	Name string
	Args []string
	Pod  pods
}

func (c kubernetesCommand) Run(con *console) error {
	if _, err := makePlans(c.Specs, c.overrides()); err != nil {
		return err
	}
	files, words, err := c.files()
	if err != nil {
		return err
	}
	p := pods{kubernetesCommand: &c, Files: files,
		Merge: []string{"merge", podResults, "--report", "--out", podResults}}
	p.Megabytes, _ = c.megabytes() // checked
	p.Run = append(append([]string{"run"}, words...), c.arguments()...)
	p.Run = append(p.Run, "--out", podResults, "--shard", fmt.Sprintf("task/%d", c.Tasks))
	functions := template.FuncMap{"quote": quotedJSON,
		"container": func(name string, args []string, p pods) container {
			return container{name, args, p}
		}}
	objects := template.Must(template.New("").Funcs(functions).Parse(kubernetesTemplate))
	return objects.Execute(con.stdout, p)
}

// files are those of the ConfigMap, and words the specs as the pods name them.
func (c *kubernetesCommand) files() (files map[string]string, words []string, err error) {
	total := 0
	files = make(map[string]string)
	for _, word := range c.Specs {
		if _, err := language.Embedded(word); err == nil {
			words = append(words, word)
			continue
		}
		text, err := os.ReadFile(word)
		if err != nil {
			return nil, nil, terminal.InputError(err)
		}
		name := filepath.Base(word)
		if !configKey.MatchString(name) {
			return nil, nil, terminal.InputError(fmt.Errorf("%q: the name in a ConfigMap, must be "+
				"at most 253 of ., -, _, a-z, A-Z and 0-9", name))
		}
		if _, taken := files[name]; taken {
			return nil, nil,
				terminal.InputError(fmt.Errorf("%s: another file has that name, and the pods "+
					"have all in one folder", word))
		}
		files[name] = string(text)
		total += len(strconv.Quote(string(text)))
		words = append(words, path.Join(podFiles, name))
	}
	if total > maxConfig {
		return nil, nil, terminal.InputError(fmt.Errorf("the specs have %d bytes, and a ConfigMap "+
			"takes %d: build an image that has the specs, or submit fewer", total, maxConfig))
	}
	return files, words, nil
}

// quotedJSON is a text in the quotes of JSON.
func quotedJSON(text string) (string, error) {
	quoted, err := json.Marshal(text)
	return string(quoted), err
}
