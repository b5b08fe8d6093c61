package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"ppdp/report/claims"
)

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
		ledger := must(claims.Load(paper))
		cited := 0
		for _, f := range must(texts()) {
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

// TestCitedSections has citations in the forms they take.
func TestCitedSections(t *testing.T) {
	for text, want := range map[string]string{
		"Qardaji & Li 2012, Algorithm 1 and section 3.2":            "3.2",
		"(Qardaji & Li, ASIACCS 2012, section 5): the degrees":      "5",
		"Qardaji, W. & Li, N. (2012), Section 4.1.":                 "4.1",
		"// as Qardaji & Li\n\t// 2012, sections 4.1 and\n// 5 say": "4.1 5",
		"\"Qardaji & Li 2012, \" +\n\t\t\"section 6\"":              "6",
		"Qardaji & Li 2012; Hay et al. 2009, section 7":             "",
		"LeFevre et al. 2006, section 6":                            "",
	} {
		if got := strings.Join(citedSections(text, "rps", false), " "); got != want {
			t.Errorf("%q cites %q, want %q", text, got, want)
		}
	}
	if got := citedSections("see section 3.1, 3 times", "rps", true); !slices.Equal(got,
		[]string{"3.1"}) {
		t.Errorf("a paper's own section is %q", got)
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
