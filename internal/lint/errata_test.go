package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

var (
	erratum  = regexp.MustCompile(`(?m)^### ([RGMDX][0-9]+[a-z]?): `)
	citation = regexp.MustCompile(`(?i)\berrata ((?:[RGMDX][0-9]+[a-z]?(?:, | and )?)+)`)
	entryID  = regexp.MustCompile(`[RGMDX][0-9]+[a-z]?`)
	listedID = regexp.MustCompile(`Errata:\s*\[\]string\{([^}]*)\}`)
)

// TestErrataExist: every id that code, specs and pages cite is an entry of docs/errata.md.
func TestErrataExist(t *testing.T) {
	page := must(os.ReadFile(filepath.Join("..", "..", "docs", "errata.md")))
	entries := make(map[string]bool)
	for _, match := range erratum.FindAllStringSubmatch(string(page), -1) {
		if entries[match[1]] {
			t.Errorf("docs/errata.md: duplicate %s", match[1])
		}
		entries[match[1]] = true
	}
	cited := 0
	eachText(t, func(path, text string) {
		for _, form := range []*regexp.Regexp{citation, listedID} {
			for _, match := range form.FindAllStringSubmatch(text, -1) {
				for _, id := range entryID.FindAllString(match[1], -1) {
					if cited++; !entries[id] {
						t.Errorf("%s cites errata %s, which docs/errata.md does not have", path, id)
					}
				}
			}
		}
	})
	if cited < 20 {
		t.Errorf("only %d citations found", cited)
	}
}
