package lint

import (
	"path/filepath"
	"regexp"
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

// TestFieldTerms: pages written by hand use the field's terms.
func TestFieldTerms(t *testing.T) {
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		pages := must(filepath.Glob(filepath.Join("..", "..", filepath.FromSlash(pattern))))
		for _, page := range pages {
			for _, problem := range houseWords(prose(t, page)) {
				t.Errorf("%s: %s", page, problem)
			}
		}
	}
	const planted = "The release gives away what learners see: what it is worth."
	if found := houseWords(planted); len(found) != 3 {
		t.Errorf("%q has %q", planted, found)
	}
}
