package lint

import (
	"flag"
	"fmt"
	"go/ast"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ppdp/docs"
	"ppdp/report/claims"
)

var update = flag.Bool("update", false, "write docs/generated/errata.md anew")

var (
	citation = regexp.MustCompile(`(?i)\berrata ((?:[RGMDX][0-9]+[a-z]?(?:, | and )?)+)`)
	entryID  = regexp.MustCompile(`[RGMDX][0-9]+[a-z]?`)
	listedID = regexp.MustCompile(`Errata:\s*\[\]string\{([^}]*)\}`)
)

// errata lists the entries by their ids.
func errata(t *testing.T) map[string]*claims.Erratum {
	entries := make(map[string]*claims.Erratum)
	for _, of := range must(claims.ReadErrata(docs.Errata)) {
		for i := range of.Entries {
			e := &of.Entries[i]
			if entries[e.ID] != nil || entryID.FindString(e.ID) != e.ID || e.Title == "" ||
				e.Text == "" || !slices.Contains(verdicts, e.Verdict) {
				t.Errorf("docs/errata.yaml: %s is a duplicate, or wants a title, text or verdict",
					e.ID)
			}
			entries[e.ID] = e
		}
	}
	return entries
}

// TestErrataExist: every id that code, specs and pages cite is an entry of docs/errata.yaml.
func TestErrataExist(t *testing.T) {
	entries, cited := errata(t), 0
	for _, f := range must(texts()) {
		for _, form := range []*regexp.Regexp{citation, listedID} {
			for _, match := range form.FindAllStringSubmatch(f.text, -1) {
				for _, id := range entryID.FindAllString(match[1], -1) {
					if cited++; entries[id] == nil {
						t.Errorf("%s cites errata %s, which docs/errata.yaml does not have",
							f.path, id)
					}
				}
			}
		}
	}
	if cited < 20 {
		t.Errorf("only %d citations found", cited)
	}
}

// TestErrataTests: the tests that docs/errata.yaml lists exist and their comments cite the entry,
// and every entry that tests cite lists one of them at least.
func TestErrataTests(t *testing.T) {
	_, packages := load(t)
	shown := make(map[string][]string) // tests by the entries that their comments cite
	for _, p := range packages {
		for _, file := range p.Tests {
			for _, declaration := range file.Decls {
				f, ok := declaration.(*ast.FuncDecl)
				if !ok || !strings.HasPrefix(f.Name.Name, "Test") {
					continue
				}
				for _, match := range citation.FindAllStringSubmatch(f.Doc.Text(), -1) {
					for _, id := range entryID.FindAllString(match[1], -1) {
						shown[id] = append(shown[id], p.Room()+"."+f.Name.Name)
					}
				}
			}
		}
	}
	for id, e := range errata(t) { // order-free: reports problems
		for _, test := range e.Tests {
			if !slices.Contains(shown[id], test) {
				t.Errorf("docs/errata.yaml: %s does not exist or does not cite errata %s, which "+
					"are cited by %q", test, id, shown[id])
			}
		}
		if len(e.Tests) == 0 && len(shown[id]) > 0 {
			t.Errorf("docs/errata.yaml lists no test for %s, which %q show", id, shown[id])
		}
	}
	if len(shown) < 10 {
		t.Errorf("only %d entries are cited by tests", len(shown))
	}
}

var verdicts = []string{"holds", "short", "broken", "text", "note"}

// errataHead begins the page.
const errataHead = `# Errata

Where a published text is wrong, incomplete or not private, and what ppdp does about it.
Code comments cite the entries as "errata R1".
` + "`ppdp list algorithms` names the entries that concern each algorithm." + `
The page is made from [errata.yaml](../errata.yaml).

| verdict | meaning |
|---|---|
| *holds* | checked: the guarantee is true |
| *holds, unproved* | the printed proof is missing or wrong, but the guarantee is true |
| *short* | the claimed epsilon is exceeded, by a bounded factor |
| *broken* | no finite epsilon holds, or none that can be given |
| *text* | a slip in a formula or in the prose that costs no privacy |
| *note* | a remark, or something the text leaves open |

Unless an entry says otherwise, two tables are neighbours when one has one record more than the other.
"Loss" is the largest log-ratio of the probabilities of one output under two neighbours.
Δq is how far a score can move between them.
Λ is the largest degree that a node may have, n the number of nodes.

Numbers given here are closed forms, or were computed by separate programs.
Where the algorithm is part of ppdp, its tests compute them again.
"Replay" says how [replaying](../privacy.md#replay) a release on a neighbour refutes its guarantee.
` + "`TestReplayShowsErrata`" + ` runs each of these.
Entries about algorithms that are not part of ppdp are kept so that the numbering is complete.
`

// TestErrataPage: docs/generated/errata.md has what docs/errata.yaml has. "go test ./internal/lint
// -run ErrataPage -update" writes it anew.
func TestErrataPage(t *testing.T) {
	var page strings.Builder
	page.WriteString(errataHead)
	for _, of := range must(claims.ReadErrata(docs.Errata)) {
		fmt.Fprintf(&page, "\n## %s\n", of.Title)
		for _, e := range of.Entries {
			fmt.Fprintf(&page, "\n### %s: %s — %s\n%s", e.ID, e.Title, e.Says(), e.Text)
			if e.PPDP != "" {
				page.WriteString("*ppdp*: " + e.PPDP)
			}
			if e.Replay != "" {
				page.WriteString("Replay: " + e.Replay)
			}
		}
	}
	path := filepath.Join("..", "..", "docs", "generated", "errata.md")
	if *update {
		noError(t, os.WriteFile(path, []byte(page.String()), 0o666))
	}
	if written := must(os.ReadFile(path)); string(written) != page.String() {
		t.Errorf("%s is not what docs/errata.yaml has; use -update", path)
	}
}
