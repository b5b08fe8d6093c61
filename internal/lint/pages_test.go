package lint

import (
	"flag"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode"

	"ppdp/docs"
	"ppdp/internal/must"
	"ppdp/report/claims"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fenced  = regexp.MustCompile("(?ms)^```.*?^```$")
)

// TestLinks: what the pages link to exists, headings included. Addresses on the web are not tried.
func TestLinks(t *testing.T) {
	root := filepath.Join("..", "..")
	tried := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/generated/*.md", "results/*.md"} {
		pages := must.Get(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))))
		for _, page := range pages {
			for _, match := range link.FindAllStringSubmatch(prose(t, page), -1) {
				if strings.Contains(match[1], "://") {
					continue
				}
				tried++
				file, anchor, _ := strings.Cut(match[1], "#")
				target := page
				if file != "" {
					target = filepath.Join(filepath.Dir(page), filepath.FromSlash(file))
				}
				if _, err := os.Stat(target); err != nil {
					t.Errorf("%s links to %s: no such file", page, match[1])
				} else if anchor != "" && !anchors(prose(t, target))[anchor] {
					t.Errorf("%s links to %s: no such heading", page, match[1])
				}
			}
		}
	}
	if tried < 100 {
		t.Errorf("only %d links found", tried)
	}
}

// prose is a page without its blocks of code, where brackets are no links.
func prose(t *testing.T, path string) string {
	t.Helper()
	text := must.Get(os.ReadFile(path))
	return fenced.ReplaceAllString(string(text), "")
}

// anchors are what a page's headings are called in links: lower case, with hyphens for blanks and
// nothing else but letters and digits.
func anchors(page string) map[string]bool {
	found := make(map[string]bool)
	for _, match := range heading.FindAllStringSubmatch(page, -1) {
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, match[1])] = true
	}
	return found
}

// fieldTerms has, for words that these pages once had, the field's own.
var fieldTerms = map[string]string{
	`(gives?|gave|giving) away`:              "discloses",
	`learners?`:                              "classifier, regressor",
	`yardsticks?`:                            "learning curve, reference point",
	`(is|are|was|were) worth|worth what`:     "utility",
	`by lot`:                                 "at random",
	`drawn for publication`:                  "secure sampling",
	`pairs and triples|triples`:              "2-way, 3-way marginals",
	`distances? of pairs`:                    "distance of 2-way marginals",
	`a lead of`:                              "a margin of",
	`settled runs?`:                          "sequential test",
	`tires`:                                  "smoke test",
	`(most )?often right|likelier to [a-z]+`: "accuracy, AUC",
}

// houseWords are the words with better ones that a text has.
func houseWords(text string) (found []string) {
	for word, term := range fieldTerms { // order-free: reports problems
		for _, has := range regexp.MustCompile(`(?i)\b(`+word+`)\b`).FindAllString(text, -1) {
			found = append(found, has+" (say "+term+")")
		}
	}
	return found
}

// said is what a file tells people: a template, or the texts of Go code that have several words.
// Those of an artifact speak of "kick the tires", as its evaluators do.
func said(f file) string {
	switch {
	case filepath.Ext(f.path) == ".tmpl" && !strings.HasPrefix(f.path, "report/artifact/"):
		return f.text
	case filepath.Ext(f.path) != ".go" || strings.HasSuffix(f.path, "_test.go"):
		return ""
	}
	var texts strings.Builder
	literals(f, func(_ int, text string) {
		if strings.Contains(text, " ") {
			texts.WriteString(text + "\n")
		}
	})
	return texts.String()
}

// literals visits the texts of Go code, with the numbers of their first lines.
func literals(f file, visit func(line int, text string)) {
	var s scanner.Scanner
	of := token.NewFileSet().AddFile(f.path, -1, len(f.text))
	s.Init(of, []byte(f.text), nil, 0)
	for {
		at, kind, text := s.Scan()
		if kind == token.EOF {
			return
		}
		if kind == token.STRING {
			visit(of.Line(at), text)
		}
	}
}

// TestFieldTerms: pages written by hand, and what the program tells people, use the field's terms.
func TestFieldTerms(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		pages := must.Get(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern))))
		for _, page := range pages {
			for _, problem := range houseWords(prose(t, page)) {
				t.Errorf("%s: %s", page, problem)
			}
		}
	}
	for _, f := range must.Get(texts()) {
		for _, problem := range houseWords(said(f)) {
			t.Errorf("%s: %s", f.path, problem)
		}
	}
	code := file{"a.go", "package a\n\nvar x, y = `is worth`, \"tires\" // is worth"}
	must.Be(t, said(code), "`is worth`\n", "said")
	const planted = "The release gives away what learners see: what it is worth."
	if found := houseWords(planted); len(found) != 3 {
		t.Errorf("%q has %q", planted, found)
	}
}

var update = flag.Bool("update", false, "write docs/generated/errata.md anew")

var (
	citation = regexp.MustCompile(`(?i)\berrata ((?:[RGMDX][0-9]+[a-z]?(?:, | and )?)+)`)
	entryID  = regexp.MustCompile(`[RGMDX][0-9]+[a-z]?`)
	listedID = regexp.MustCompile(`Errata:\s*\[\]string\{([^}]*)\}`)
)

// errata lists the entries by their ids.
func errata(t *testing.T) map[string]*claims.Erratum {
	entries := make(map[string]*claims.Erratum)
	for _, of := range must.Get(claims.ReadErrata(docs.Errata)) {
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
	for _, f := range must.Get(texts()) {
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
	for _, of := range must.Get(claims.ReadErrata(docs.Errata)) {
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
		must.Do(t, os.WriteFile(path, []byte(page.String()), 0o666))
	}
	if written := must.Get(os.ReadFile(path)); string(written) != page.String() {
		t.Errorf("%s is not what docs/errata.yaml has; use -update", path)
	}
}

// sectionList is one section, or several after a plural.
const sectionList = `\b[Ss]ection(?: [0-9.]*[0-9]|s (?:[0-9.]*[0-9](?:, | and | to )?)+)`

var (
	// paperCitation is an author of one of the papers, its year and the sections that follow.
	paperCitation = regexp.MustCompile(
		`(Qardaji|LeFevre|Al-Hussaeni)([^;]{0,60}?)\b(2012|2006|2018)\b` +
			`[^;]{0,60}?(` + sectionList + `)`)
	ownCitation   = regexp.MustCompile(sectionList)
	sectionNumber = regexp.MustCompile(`[0-9.]*[0-9]`)
	// lineEnd is what may stand between the words of a citation: the end of a line of a comment,
	// of a text in quotes or of a page.
	lineEnd = regexp.MustCompile(`"? *\+?\n\s*(//|#|")? *`)
)

// papersOf are the years by which papers are cited, and the folders in which a section without an
// author is the paper's own.
var papersOf = map[string]struct {
	author, year string
	folders      []string
}{
	"rps": {"Qardaji", "2012", []string{"algorithms/rps", "algorithms/rpsgraph",
		"experiments/rps", "report/claims/rps.yaml"}},
	"mondrian": {"LeFevre", "2006", []string{"algorithms/mondrian", "experiments/mondrian",
		"report/claims/mondrian.yaml"}},
	"diffmulti": {"Al-Hussaeni", "2018", []string{"algorithms/diffmulti",
		"experiments/diffmulti", "report/claims/diffmulti.yaml"}},
}

// citedSections lists the sections of a paper that a text cites. own says that sections without an
// author are the paper's.
func citedSections(text, paper string, own bool) (sections []string) {
	text = lineEnd.ReplaceAllString(text, " ")
	p := papersOf[paper]
	var lists []string
	for _, match := range paperCitation.FindAllStringSubmatch(text, -1) {
		if match[1] == p.author && match[3] == p.year {
			lists = append(lists, match[4])
		}
	}
	if own {
		lists = append(lists, ownCitation.FindAllString(text, -1)...)
	}
	for _, list := range lists {
		sections = append(sections, sectionNumber.FindAllString(list, -1)...)
	}
	return sections
}

// TestCitedSectionsExist: every section of the three papers that code, specs, ledgers and pages
// cite is in its ledger's list of sections.
func TestCitedSectionsExist(t *testing.T) {
	for paper, p := range papersOf { // order-free: reports problems
		ledger := must.Get(claims.Load(paper))
		cited := 0
		for _, f := range must.Get(texts()) {
			own := slices.ContainsFunc(p.folders, func(folder string) bool {
				return within(f.path, folder+"/...") || f.path == folder
			})
			for _, section := range citedSections(f.text, paper, own) {
				if cited++; !slices.Contains(ledger.Sections, section) {
					t.Errorf("%s cites section %s of %s, which it does not have", f.path, section,
						ledger.Citation)
				}
			}
		}
		if cited < 10 {
			t.Errorf("only %d citations of %s found", cited, ledger.Citation)
		}
	}
}

// file is one of the module's.
type file struct{ path, text string }

// texts are the module's code, specs and pages, read once for all tests, but not what runs write.
var texts = sync.OnceValues(func() (all []file, err error) {
	root := filepath.Join("..", "..")
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		output := filepath.Dir(path) == filepath.Join(root, "results") || entry.Name() == "bin"
		if entry.IsDir() && path != root && (output || strings.HasPrefix(entry.Name(), ".")) {
			return filepath.SkipDir
		}
		if !slices.Contains([]string{".go", ".yaml", ".md", ".tmpl"}, filepath.Ext(path)) {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		all = append(all, file{filepath.ToSlash(name), string(text)})
		return err
	})
	return all, err
})
