// Package verbs holds the commands for who has a table or a release: check, compare, release and
// query are about one's own table; verify, evaluate and risk about releases, whoever made them. One
// file holds one verb. What they need of the harness is in Console, so that no package of the
// harness knows them; package cmd puts both on one command line.
package verbs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ppdp/datasets"
	"ppdp/experiments/engine"
	"ppdp/experiments/language"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

// Console is what a verb may know of the world around the process, and what the harness does for
// it.
type Console struct {
	Ctx            context.Context // ends when the user interrupts
	Stdout, Stderr io.Writer
	Now            func() time.Time // for dates and progress only, never for results
	Program        string           // name and version, for certificates
	Files          datasets.Files   // where data are; reading them shows progress
	Memory         int64            // bytes of the machine, 0 if that is not known
	Summary        string           // what a summary in Markdown is appended to, "" for nowhere

	// Run runs a plan into a folder, at most jobs at once (0: one per processor), each for at most
	// timeout (0: for ever). It writes nothing to standard output.
	Run func(plan *language.Plan, out string, jobs int, timeout time.Duration) error
	// Page writes the page about a run into a folder, and gives its path.
	Page func(out string, run *results.Summary, release Commands) (string, error)
}

// Commands gives the command that makes a release by a setting, and why none can be made, "" if
// one can.
type Commands = func(*results.Setting) (command, refused string)

// composer composes a spec for a file at path, and notes what a reader must know of it.
type composer interface {
	Spec(ctx context.Context, files datasets.Files, path string) (*language.Spec, []string, error)
}

// measure composes a spec, writes it into the folder of its results, runs it, reads the run and
// writes the page about it. The run is nil where there is none, failed then says why; failed is not
// nil where jobs have failed either. A folder of another spec is left as it is.
func (con *Console) measure(c composer, name, out string, jobs int, timeout time.Duration,
	release Commands) (run *results.Summary, page string, failed error) {
	path := filepath.Join(out, name+".yaml")
	s, notes, err := c.Spec(con.Ctx, con.Files, path)
	if con.Ctx.Err() != nil {
		return nil, "", fmt.Errorf("%w while the tables were read: nothing was run",
			engine.ErrInterrupted)
	}
	if err != nil {
		return nil, "", terminal.InputError(err)
	}
	for _, note := range notes {
		fmt.Fprintf(con.Stderr, "ppdp: note: %s\n", note)
	}
	plan, err := s.Plan(language.Overrides{})
	if err != nil {
		return nil, "", terminal.InputError(err)
	}
	if before, err := os.ReadFile(path); err == nil && !bytes.Equal(before, s.Text) {
		return nil, "", terminal.InputError(fmt.Errorf("%s was made under other settings, or was "+
			"changed: name another folder by --out, or delete %s", filepath.ToSlash(path),
			filepath.ToSlash(out)))
	}
	if err := os.MkdirAll(out, 0o777); err != nil {
		return nil, "", err
	}
	if err := results.WriteFile(path, results.Text(s.Text)); err != nil {
		return nil, "", err
	}
	failed = con.Run(plan, out, jobs, timeout)
	if con.Ctx.Err() != nil {
		return nil, "", failed // it says what to do
	}
	if run, err = results.Open(filepath.Join(out, s.Name)); err == nil {
		page, err = con.Page(out, run, release)
	}
	if err != nil {
		return nil, "", errors.Join(failed, err)
	}
	return run, page, failed
}

// stem is a table's name without the endings of its format.
func stem(table string) string {
	name := strings.TrimSuffix(filepath.Base(table), ".gz")
	return strings.TrimSuffix(strings.TrimSuffix(name, ".csv"), ".parquet")
}
