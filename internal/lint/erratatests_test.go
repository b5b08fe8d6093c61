package lint

import (
	"encoding/csv"
	"flag"
	"go/ast"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/generated/errata-tests.csv anew")

// TestErrataTests: docs/generated/errata-tests.csv, which the report shows, lists tests that exist
// and whose comments cite the entry, and at least one for every entry that has any. "go test
// ./internal/lint -run ErrataTests -update" writes it anew.
func TestErrataTests(t *testing.T) {
	_, packages := load(t)
	cited := [][]string{}
	for _, p := range packages {
		for _, file := range p.Tests {
			for _, declaration := range file.Decls {
				f, ok := declaration.(*ast.FuncDecl)
				if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
					continue
				}
				for _, match := range citation.FindAllStringSubmatch(f.Doc.Text(), -1) {
					for _, id := range entryID.FindAllString(match[1], -1) {
						cited = append(cited, []string{id, p.Room() + "." + f.Name.Name})
					}
				}
			}
		}
	}
	slices.SortFunc(cited, slices.Compare)
	cited = slices.CompactFunc(cited, slices.Equal)
	path := filepath.Join("..", "..", "docs", "generated", "errata-tests.csv")
	header := []string{"erratum", "test"}
	if *update {
		var text strings.Builder
		noError(t, csv.NewWriter(&text).WriteAll(append([][]string{header}, cited...)))
		noError(t, os.WriteFile(path, []byte(text.String()), 0o666))
	}
	f := must(os.Open(path))
	defer f.Close()
	listed := must(csv.NewReader(f).ReadAll())
	if !slices.Equal(listed[0], header) {
		t.Fatalf("%s: header %v, want %v", path, listed[0], header)
	}
	has := func(rows [][]string, row []string) bool {
		return slices.ContainsFunc(rows, func(r []string) bool { return slices.Equal(r, row) })
	}
	for i, row := range listed[1:] {
		if !has(cited, row) {
			t.Errorf("%s:%d: %s does not exist or does not cite errata %s; use -update",
				path, i+2, row[1], row[0])
		}
	}
	for _, row := range cited {
		if !slices.ContainsFunc(listed, func(r []string) bool { return r[0] == row[0] }) {
			t.Errorf("%s lists no test for %s, which %s shows; use -update", path, row[0], row[1])
		}
	}
}
