package cmd

import (
	"bytes"
	"context"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the README's table of algorithms")

// Markers around the table of algorithms in the README.
const (
	algorithmsBegin = "<!-- algorithms: begin, from ppdp list algorithms -->\n"
	algorithmsEnd   = "<!-- algorithms: end -->\n"
)

// TestReadme: the README's table of algorithms is what "ppdp list algorithms" prints. After a
// change: go test ./cmd -run Readme -update
func TestReadme(t *testing.T) {
	const file = "../README.md"
	page, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(page), algorithmsBegin)
	there, tail, closed := strings.Cut(rest, algorithmsEnd)
	if !opened || !closed {
		t.Fatal("README.md has no markers around its table of algorithms")
	}
	made := algorithmTable(t)
	if *update {
		text := head + algorithmsBegin + made + algorithmsEnd + tail
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		there = made
	}
	if there != made {
		t.Errorf("README.md's table of algorithms is stale; go test ./cmd -run Readme -update")
	}
}

// algorithmTable turns the output of "ppdp list algorithms" into Markdown. What is the same for all
// variants of an algorithm is shown at the first.
func algorithmTable(t *testing.T) string {
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
		cell := func(name string) string {
			runes := []rune(line)
			from, to := strings.Index(lines[0], name), len(runes)
			if next := slices.Index(names, name) + 1; next < len(names) {
				to = strings.Index(lines[0], names[next])
			}
			return strings.TrimSpace(string(runes[from:to]))
		}
		for _, column := range columns {
			text := cell(column)
			switch {
			case (column == "NAME" || column == "TITLE") && cell("NAME") == before:
				text = ""
			case column == "NAME":
				text = "`" + text + "`"
			}
			b.WriteString(strings.TrimRight("| "+text, " ") + " ")
		}
		b.WriteString("|\n")
		before = cell("NAME")
	}
	return b.String()
}
