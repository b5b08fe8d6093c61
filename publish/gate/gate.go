// Package gate decides in continuous integration: policies limit what an evaluation has measured,
// and lists of checks are written for people and for programs. It measures nothing, and leaves the
// exit code to the command.
package gate

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"ppdp/internal/results"
)

// Check is a condition, and whether it holds.
type Check struct {
	Of      string   `json:"of"` // what is checked: a release, an experiment
	Name    string   `json:"name"`
	Outcome string   `json:"outcome"`         // Failed, Passed, or Skipped where nothing can be said
	Found   *float64 `json:"found,omitempty"` // nil where it is no number, or has no value
	Limit   *float64 `json:"limit,omitempty"`
	Words   string   `json:"words"` // what was found, for people
}

// Outcomes of a check.
const (
	Failed  = "failed"
	Passed  = "passed"
	Skipped = "skipped"
)

// Line is the check on a terminal.
func (c *Check) Line() string { return c.Outcome + ": " + c.Of + ": " + c.Name + ": " + c.Words }

// Report is what a command has checked.
type Report struct {
	Command string // "ppdp evaluate"
	Checks  []Check
}

// Count is the number of checks with an outcome.
func (r *Report) Count(outcome string) int {
	return results.Count(r.Checks, func(c Check) bool { return c.Outcome == outcome })
}

// Files are where a command writes what it has checked, beside its output.
type Files struct {
	JUnit string `name:"junit" writes:"" help:"Write what was checked as JUnit XML too." placeholder:"FILE"`
}

// Write writes a report to the files, and appends it as Markdown to summary, "" for nowhere.
func (f *Files) Write(r *Report, summary string) (err error) {
	if f.JUnit != "" {
		err = results.WriteFile(f.JUnit, r.writeJUnit)
	}
	if summary == "" {
		return err
	}
	to, opened := os.OpenFile(summary, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if opened != nil {
		return errors.Join(err, opened)
	}
	_, written := to.WriteString(r.markdown())
	return errors.Join(err, written, to.Close())
}

// writeJUnit writes what of JUnit's XML those who read it agree on.
func (r *Report) writeJUnit(w io.Writer) error {
	escaped := func(text string) string {
		var to bytes.Buffer
		xml.EscapeText(&to, []byte(text)) // a buffer takes all
		return to.String()
	}
	fmt.Fprintf(w, "%s<testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n",
		xml.Header, escaped(r.Command), len(r.Checks), r.Count(Failed), r.Count(Skipped))
	element := map[string]string{Failed: "<failure message=\"%s\"/>",
		Skipped: "<skipped message=\"%s\"/>", Passed: "<system-out>%s</system-out>"}
	for _, c := range r.Checks {
		fmt.Fprintf(w, "  <testcase classname=\"%s\" name=\"%s\">"+element[c.Outcome]+
			"</testcase>\n", escaped(c.Of), escaped(c.Name), escaped(c.Words))
	}
	_, err := io.WriteString(w, "</testsuite>\n")
	return err
}

// mostRows is how many checks a summary shows: GitHub takes one of 1 MiB at most.
const mostRows = 100

// inMarkdown makes a text a cell of a table that reads like the text.
var inMarkdown = strings.NewReplacer("\n", " ", "\r", " ", "<", "&lt;", "&", "&amp;",
	"\\", "\\\\", "|", "\\|", "*", "\\*", "_", "\\_", "`", "\\`", "[", "\\[")

// markdown is a summary: the counts, and a table of checks, those that have failed first.
func (r *Report) markdown() string {
	text := fmt.Sprintf("### %s: %d failed, %d passed, %d skipped\n\n"+
		"| | of | check | found |\n|---|---|---|---|\n", r.Command, r.Count(Failed),
		r.Count(Passed), r.Count(Skipped))
	sorted := slices.Clone(r.Checks)
	slices.SortStableFunc(sorted, func(a, b Check) int { return cmp.Compare(a.Outcome, b.Outcome) })
	for _, c := range sorted[:min(len(sorted), mostRows)] {
		text += "| " + c.Outcome + " | " + inMarkdown.Replace(c.Of) + " | " +
			inMarkdown.Replace(c.Name) + " | " + inMarkdown.Replace(c.Words) + " |\n"
	}
	if more := len(sorted) - mostRows; more > 0 {
		text += fmt.Sprintf("\n%d more are not shown.\n", more)
	}
	return text + "\n"
}
