package lint

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
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
		pages := must(filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern))))
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
	text := must(os.ReadFile(path))
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

// TestAnchors has headings whose anchors are known.
func TestAnchors(t *testing.T) {
	found := anchors("# Your own table\n\n## A tree: `label-tree`\n### X4: at ε — text\n#none\n")
	for _, want := range []string{"your-own-table", "a-tree-label-tree", "x4-at-ε--text"} {
		if !found[want] {
			t.Errorf("no %s in %v", want, found)
		}
	}
	if len(found) != 3 {
		t.Errorf("%d anchors, want 3: %v", len(found), found)
	}
}
