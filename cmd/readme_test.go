package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the README's table of algorithms and audits anew")

// The README, and the markers around its table of algorithms.
const (
	readmePath      = "../README.md"
	algorithmsBegin = "<!-- algorithms: begin, from ppdp list algorithms -->\n"
	algorithmsEnd   = "<!-- algorithms: end -->\n"
)

// committedRow is the first row of an algorithm in the README's table.
var committedRow = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")

// readTable returns the README's table of algorithms with what stands before and after it, and the
// names in it: the committed list. What is registered beside it, such as a baseline that somebody
// is working on, needs no row here and no audit until -update adds it.
func readTable(t *testing.T) (head, table, tail string, names []string) {
	t.Helper()
	page := must(os.ReadFile(readmePath))
	head, rest, opened := strings.Cut(string(page), algorithmsBegin)
	table, tail, closed := strings.Cut(rest, algorithmsEnd)
	if !opened || !closed {
		t.Fatal("README.md has no markers around its table of algorithms")
	}
	for _, match := range committedRow.FindAllStringSubmatch(table, -1) {
		names = append(names, match[1])
	}
	if len(names) < 20 {
		t.Fatalf("README.md's table lists only %q", names)
	}
	return head, table, tail, names
}

// TestReadme: the README's table of algorithms is what "ppdp list algorithms" prints of those in
// it. After a change: go test ./cmd -run Readme -update
func TestReadme(t *testing.T) {
	head, there, tail, names := readTable(t)
	if *update {
		text := head + algorithmsBegin + algorithmTable(t, nil) + algorithmsEnd + tail
		noError(t, os.WriteFile(readmePath, []byte(text), 0o666))
		return
	}
	if there != algorithmTable(t, names) {
		t.Errorf("README.md's table of algorithms is stale: go test ./cmd -run Readme -update")
	}
}

// algorithmTable turns the output of "ppdp list algorithms" into Markdown: the lines of some names,
// or all for nil. What is the same for all variants of an algorithm is shown at the first.
func algorithmTable(t *testing.T, only []string) string {
	t.Helper()
	var out bytes.Buffer
	e := environment{ctx: context.Background(), now: time.Now}
	if code := run([]string{"list", "algorithms"}, &out, &out, e); code != exitDone {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	columns := []string{"NAME", "TITLE", "VARIANT", "GUARANTEE", "NEIGHBOURS", "STATUS", "ERRATA"}
	names := strings.Fields(lines[0])
	var b strings.Builder
	b.WriteString("| " + strings.ToLower(strings.Join(columns, " | ")) + " |\n")
	b.WriteString(strings.Repeat("|---", len(columns)) + "|\n")
	before := ""
	for _, line := range lines[1:] {
		value := func(name string) string {
			runes := []rune(line)
			from, to := strings.Index(lines[0], name), len(runes)
			if next := slices.Index(names, name) + 1; next < len(names) {
				to = strings.Index(lines[0], names[next])
			}
			return strings.TrimSpace(string(runes[from:to]))
		}
		if only != nil && !slices.Contains(only, value("NAME")) {
			continue
		}
		for _, column := range columns {
			text := value(column)
			switch {
			case (column == "NAME" || column == "TITLE") && value("NAME") == before:
				text = ""
			case column == "NAME":
				text = "`" + text + "`"
			}
			b.WriteString(strings.TrimRight("| "+text, " ") + " ")
		}
		b.WriteString("|\n")
		before = value("NAME")
	}
	return b.String()
}
