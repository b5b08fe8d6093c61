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
	Outcome string   `json:"outcome"`         // Failed or Passed
	Found   *float64 `json:"found,omitempty"` // nil where it is no number, or has no value
	Limit   *float64 `json:"limit,omitempty"`
	Words   string   `json:"words"` // what was found, for people
}

// Outcomes of a check.
const (
	Failed = "failed"
	Passed = "passed"
)

// Line is the check on a terminal.
func (c *Check) Line() string { return c.Outcome + ": " + c.Of + ": " + c.Name + ": " + c.Words }

// Report is what an evaluation was checked for.
type Report []Check

// Count is the number of checks with an outcome.
func (r Report) Count(outcome string) (n int) {
	for i := range r {
		if r[i].Outcome == outcome {
			n++
		}
	}
	return n
}

// Write writes a report as JUnit XML to a file, and appends it as Markdown to summary; "" is
// nowhere.
func (r Report) Write(junit, summary string) (err error) {
	if junit != "" {
		err = results.WriteFile(junit, r.writeJUnit)
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
func (r Report) writeJUnit(w io.Writer) error {
	escaped := func(text string) string {
		var to bytes.Buffer
		xml.EscapeText(&to, []byte(text)) // a buffer takes all
		return to.String()
	}
	fmt.Fprintf(w, "%s<testsuite name=\"ppdp evaluate\" tests=\"%d\" failures=\"%d\">\n",
		xml.Header, len(r), r.Count(Failed))
	element := map[string]string{Failed: "<failure message=\"%s\"/>",
		Passed: "<system-out>%s</system-out>"}
	for _, c := range r {
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
func (r Report) markdown() string {
	text := fmt.Sprintf("### ppdp evaluate: %d failed, %d passed\n\n"+
		"| | of | check | found |\n|---|---|---|---|\n", r.Count(Failed), r.Count(Passed))
	sorted := slices.Clone(r)
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
