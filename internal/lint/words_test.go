package lint

import (
	"go/scanner"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

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
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile(f.path, -1, len(f.text)), []byte(f.text), nil, 0)
	for {
		_, kind, literal := s.Scan()
		if kind == token.EOF {
			return texts.String()
		}
		if kind == token.STRING && strings.Contains(literal, " ") {
			texts.WriteString(literal + "\n")
		}
	}
}

// TestFieldTerms: pages written by hand, and what the program tells people, use the field's terms.
func TestFieldTerms(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		pages := must(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern))))
		for _, page := range pages {
			for _, problem := range houseWords(prose(t, page)) {
				t.Errorf("%s: %s", page, problem)
			}
		}
	}
	for _, f := range must(texts()) {
		for _, problem := range houseWords(said(f)) {
			t.Errorf("%s: %s", f.path, problem)
		}
	}
	code := file{"a.go", "package a\n\nvar x, y = `is worth`, \"tires\" // is worth"}
	if text := said(code); text != "`is worth`\n" {
		t.Errorf("said %q", text)
	}
	const planted = "The release gives away what learners see: what it is worth."
	if found := houseWords(planted); len(found) != 3 {
		t.Errorf("%q has %q", planted, found)
	}
}
