package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"ppdp/datasets"
	"ppdp/experiments/language"
	"ppdp/internal/declared"
	"ppdp/internal/process"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/terminal"
	"ppdp/publish"
	"ppdp/publish/verbs"

	"github.com/alecthomas/kong"
	"golang.org/x/text/runes"
	"golang.org/x/text/transform"
)

// Exit codes.
const (
	exitDone   = 0
	exitFailed = 1 // something went wrong, or the regression gate failed
	exitInput  = 2 // what was asked for is wrong: nothing was run

	exitInterrupted = 130 // what shells say of SIGINT
)

// environment is what a verb may know of the world around the process.
type environment struct {
	ctx      context.Context  // ends when the user interrupts
	terminal bool             // standard error is a terminal: draw bars instead of writing lines
	now      func() time.Time // for progress, timings and how long audit --for tries
}

// console is what a verb writes to, together with the environment.
type console struct {
	environment
	args           []string // the command line, for manifests
	stdout, stderr io.Writer
	screen         io.Writer // standard error as it is, for what draws with escape sequences
}

// cli is the whole command line, for kong.
type cli struct {
	List     listCommand     `cmd:"" group:"Experiments" help:"List algorithms, datasets, classifiers, regressors, metrics or experiments."`
	Plan     planCommand     `cmd:"" group:"Experiments" help:"Show what specs would run, without running it."`
	Run      runCommand      `cmd:"" group:"Experiments" help:"Run experiments and draw their figures."`
	Merge    mergeCommand    `cmd:"" group:"Experiments" help:"Make the results of runs that shared their jobs."`
	Submit   submitCommand   `cmd:"" group:"Experiments" help:"Hand experiments to a cluster's scheduler."`
	Status   statusCommand   `cmd:"" group:"Experiments" help:"Show how far runs are, while they run."`
	Plot     plotCommand     `cmd:"" group:"Experiments" help:"Draw figures again, from the results of earlier runs."`
	Report   reportCommand   `cmd:"" group:"Experiments" help:"Write one page of figures, verdicts, budgets, errata and provenance."`
	Audit    auditCommand    `cmd:"" group:"Experiments" help:"Check privacy guarantees call by call, on neighbouring inputs."`
	Datasets datasetsCommand `cmd:"" group:"Experiments" help:"Fetch and check data files; draft a schema for your own table."`

	Reproduce   reproduceCommand   `cmd:"" group:"Papers" help:"Run the experiments of the papers."`
	Claims      claimsCommand      `cmd:"" group:"Papers" help:"Judge the papers' claims, from the results of earlier runs."`
	Settle      settleCommand      `cmd:"" group:"Papers" help:"Run as many trials as the papers' claims take."`
	Leaderboard leaderboardCommand `cmd:"" group:"Papers" help:"Rank private releases of earlier runs by utility."`
	Artifact    artifactCommand    `cmd:"" group:"Papers" help:"Describe results for evaluators: ARTIFACT.md."`

	Check   verbs.Check   `cmd:"" group:"Your table" help:"Say everything wrong with your own table."`
	Compare verbs.Compare `cmd:"" group:"Your table" help:"Compare all releases that fit your own table, on one page."`
	Release verbs.Release `cmd:"" group:"Your table" help:"Make one release of your own table that may be handed out."`
	Query   verbs.Query   `cmd:"" group:"Your table" help:"Count records from the folder of a release, with intervals."`
	Key     verbs.Key     `cmd:"" group:"Your table" help:"Make a key to sign releases with."`

	Verify   verbs.Verify   `cmd:"" group:"Releases" help:"Check the folder of a release: files, certificate, values, classes."`
	Evaluate verbs.Evaluate `cmd:"" group:"Releases" help:"Measure the utility of releases, whoever made them, and what they disclose."`
	Risk     verbs.Risk     `cmd:"" group:"Releases" help:"Measure what an anonymised table discloses about people."`

	Init        initCommand        `cmd:"" group:"Development" help:"Write a baseline in another language, to be made your own."`
	Conformance conformanceCommand `cmd:"" group:"Development" help:"Check a program of your own in the way of every baseline."`
	Regress     regressCommand     `cmd:"" group:"Development" help:"Compare the results of runs with a reference; fail when a number has changed."`
	Schema      schemaCommand      `cmd:"" group:"Development" help:"Print a JSON Schema of specs, or of descriptors, for editors."`
	Completion  completionCommand  `cmd:"" group:"Development" help:"Print a script by which your shell completes ppdp."`

	Version kong.VersionFlag `help:"Print version, commit and processor architecture, and exit."`
}

// Validate is asked by kong. It checks the bounds that flags declare.
func (cli) Validate(command *kong.Context) error {
	var errs []error
	for _, flag := range command.Flags() {
		check := func(v reflect.Value) {
			errs = append(errs, declared.CheckNumber("--"+flag.Name, v,
				func(tag string) (string, bool) { return flag.Tag.Get(tag), flag.Tag.Has(tag) }))
		}
		if v := flag.Target; v.Kind() == reflect.Slice {
			for i := range v.Len() {
				check(v.Index(i))
			}
		} else {
			check(reflect.Indirect(v)) // of no value if the flag is not given
		}
	}
	err := errors.Join(errs...)
	if at := command.Selected(); err != nil && at != nil { // else kong asks it
		own, ok := at.Target.Addr().Interface().(interface{ Validate() error })
		if ok {
			err = errors.Join(err, own.Validate())
		}
	}
	return err
}

// decode reads the value of a flag or an argument, in place of kong's mappers, whose messages are a
// parser's. A text with the tag enum must be one of its words, one with the tag reads name what is
// there, one with the tag writes a file in a folder that is there.
func decode(ctx *kong.DecodeContext, target reflect.Value) error {
	token, err := ctx.Scan.PopValue("a")
	if err != nil {
		return errors.New("no value, must be followed by one")
	}
	text, must := token.String(), ""
	switch to := target.Addr().Interface().(type) {
	case *float64:
		must = "a number"
		*to, err = strconv.ParseFloat(text, 64)
	case *int:
		must = "a whole number"
		*to, err = strconv.Atoi(text)
	case *uint64:
		must = "a whole number of at least 0"
		*to, err = strconv.ParseUint(text, 10, 64)
	case *time.Duration:
		must = "a time such as 90s, 15m or 2h"
		*to, err = time.ParseDuration(text)
	default:
		target.SetString(text)
		words := ctx.Value.EnumSlice()
		if ctx.Value.Enum != "" && !slices.Contains(words, text) {
			return fmt.Errorf("%q%s, must be one of %s", text, spelling.Hint(text, words),
				strings.Join(words, ", "))
		}
		if ctx.Value.Tag.Has("reads") {
			return present(text)
		}
		if ctx.Value.Tag.Has("writes") {
			return present(filepath.Dir(text))
		}
	}
	if err != nil {
		return fmt.Errorf("%q, must be %s", text, must)
	}
	return nil
}

// present reports a path where nothing is, with the name beside it that may be meant.
func present(path string) error {
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return nil // whoever opens it says what else is wrong
	}
	entries, _ := os.ReadDir(filepath.Dir(path)) // none where the folder is not there either
	names := results.Mapped(entries, fs.DirEntry.Name)
	return fmt.Errorf("%s: no such file or folder%s", filepath.ToSlash(path),
		spelling.Hint(filepath.Base(path), names))
}

// version is what --version prints.
func version() string {
	text := "ppdp"
	build, ok := debug.ReadBuildInfo()
	if ok && build.Main.Version != "" && build.Main.Version != "(devel)" {
		text += " " + build.Main.Version
	}
	settings := buildSettings()
	if commit := settings["vcs.revision"]; commit != "" {
		text += " commit " + commit
		if settings["vcs.modified"] == "true" {
			text += " with changes"
		}
	}
	return fmt.Sprintf("%s (%s, %s/%s)", text, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// buildSettings is what Go knows of how the program was built, such as vcs.revision.
func buildSettings() map[string]string {
	settings := make(map[string]string)
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, s := range build.Settings {
			settings[s.Key] = s.Value
		}
	}
	return settings
}

const description = `Benchmarks for privacy-preserving data publishing: runs release algorithms over
tables and graphs, measures utility and privacy cost and draws the figures.

To begin: "ppdp run rps/fig1" draws a first figure, "ppdp list experiments" shows all of them, and
"ppdp datasets schema my.csv" drafts the schema of your own table. docs/tutorial.md takes ten
minutes.

Exit codes: 0 done; 1 something failed; 2 the input was wrong; 130 interrupted by Ctrl-C.`

// dataFlags say where data files are.
type dataFlags struct {
	Data string `help:"Look for data files here first, and download them to here. Next are $$PPDP_DATA, ./data and the user's cache directory." placeholder:"DIR"`
}

func (f dataFlags) files() datasets.Files { return datasets.DefaultFiles(f.Data) }

// realFlags are dataFlags of commands that use stand-ins for real data that are missing.
type realFlags struct {
	dataFlags
	NoStandIns bool `name:"no-stand-ins" help:"Fail where real data are neither found nor can be fetched, in place of using a generated stand-in."`
}

// stepSummary is where GitHub says which file its summary of a step is appended to.
const stepSummary = "GITHUB_STEP_SUMMARY"

// ownTables is the console of the verbs for one's own tables and for releases.
func ownTables(con *console) *verbs.Console {
	quiet := *con
	quiet.stdout = io.Discard // these verbs say what comes out
	return &verbs.Console{Ctx: con.ctx, Stdout: con.stdout, Stderr: con.stderr, Now: con.now,
		Program: version(), Files: reading(con, datasets.DefaultFiles("")),
		Memory: machineMemory(), Summary: os.Getenv(stepSummary),
		Run: func(plan *language.Plan, out string, jobs int, timeout time.Duration) error {
			return runPlans(&quiet, []*language.Plan{plan},
				&runFlags{outFlag: outFlag{Out: out}, Jobs: jobs, Timeout: timeout})
		},
		Page: func(out string, run *results.Summary, release verbs.Commands) (string, error) {
			return filepath.ToSlash(filepath.Join(out, reportFile)),
				writeReport(&quiet, out, []*results.Summary{run}, release)
		}}
}

// exited unwinds the stack when kong, having printed help, wants the process to end.
type exited int

var (
	negative = regexp.MustCompile(`^-\.?[0-9]`)
	longFlag = regexp.MustCompile(`^--[a-z][a-z-]*$`)
)

// run executes a command line and returns its exit code.
func run(args []string, stdout, stderr io.Writer, env environment) (code int) {
	defer func() {
		if r := recover(); r != nil {
			exit, ok := r.(exited)
			if !ok {
				panic(r)
			}
			code = int(exit)
		}
	}()
	screen := stderr
	stdout, stderr = clean(stdout), clean(stderr)
	parser := kong.Must(&cli{},
		kong.Name("ppdp"),
		kong.Description(description),
		kong.Vars{"version": version()},
		kong.KindMapper(reflect.Float64, kong.MapperFunc(decode)),
		kong.KindMapper(reflect.Int, kong.MapperFunc(decode)),
		kong.KindMapper(reflect.Uint64, kong.MapperFunc(decode)),
		kong.KindMapper(reflect.String, kong.MapperFunc(decode)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(decode)),
		kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { panic(exited(code)) }),
		kong.Help(printHelp),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true}),
	)
	words := slices.Clone(args)
	if len(words) == 0 || words[0] == "help" {
		words = append(words[min(1, len(words)):], "--help")
	}
	for i := len(words) - 1; i > 0; i-- { // kong takes -1 for short flags
		if flag := words[i-1]; negative.MatchString(words[i]) && longFlag.MatchString(flag) {
			words = slices.Replace(words, i-1, i+1, flag+"="+words[i])
		}
	}
	command, err := parser.Parse(words)
	if err != nil {
		fmt.Fprintf(stderr, "ppdp: %v\n", err)
		name := "ppdp"
		if parse := (*kong.ParseError)(nil); errors.As(err, &parse) {
			if node := parse.Context.Selected(); node != nil {
				name += " " + strings.TrimPrefix(node.Path(), "ppdp ")
				if strings.HasPrefix(err.Error(), "missing") {
					fmt.Fprintf(stderr, "%s: %s\n", name, node.Help)
				} else if strings.HasPrefix(err.Error(), "expected") {
					fmt.Fprintf(stderr, "Usage: ppdp %s\n", node.Summary())
				}
			}
		}
		fmt.Fprintf(stderr, "Run \"%s --help\" for usage.\n", name)
		return exitInput
	}
	con := &console{environment: env, args: args, stdout: stdout, stderr: stderr, screen: screen}
	if err = command.Run(con, ownTables(con)); err == nil {
		return exitDone
	}
	var lines []string // each once: what is wrong with a table is so for all that use it
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if len(lines) == 100 {
			lines = append(lines, "and more lines")
			break
		}
		// Errors may say more than that, such as what is spent, and are several where jobs ran.
		line = strings.ReplaceAll(line, context.Canceled.Error(), "interrupted")
		if line = process.Cut(line); !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	fmt.Fprintf(stderr, "ppdp: %s\n", strings.Join(lines, "\n"))
	if terminal.IsInputError(err) {
		return exitInput
	}
	return exitFailed
}

// printHelp prints a command's help text.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	if node := ctx.Selected(); node != nil && strings.Contains(node.Detail, verbs.Releasable) {
		node.Detail = strings.Replace(node.Detail, verbs.Releasable,
			strings.Join(publish.Releasable(), ", "), 1)
	}
	return kong.DefaultHelpPrinter(options, ctx)
}

// clean makes text from files, names and panics safe for terminals: control characters, bytes that
// are not UTF-8 and marks that turn the direction of writing become U+FFFD. A character that
// several writes have in parts is one.
func clean(to io.Writer) io.Writer {
	return transform.NewWriter(to, runes.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) {
			return r
		}
		return utf8.RuneError
	}))
}
