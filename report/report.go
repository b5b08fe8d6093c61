// Package report writes one page about runs: verdicts on the papers' claims, every figure with its
// numbers and the claims it is about, where the privacy budget went, the errata, what failed and
// how everything was made. The page is one file and loads nothing; its script only helps to explore
// what is there without it. Equal results give equal bytes, unless commands and times of releases
// are asked for.
//
// It leaves out judging (package claims), drawing (package plots) and finding the results.
package report

import (
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"strings"
	"sync"

	"ppdp/internal/results"
	"ppdp/report/claims"
	"ppdp/report/contest"
)

// Input is what a page is made of.
type Input struct {
	Papers []*claims.File // judged
	// Runs may be in any order: the page has those of a paper under it, by the numbers of their
	// figures, and the others after all papers.
	Runs   []*results.Summary
	Errata []claims.Errata
	// Release is the command that makes a release by a setting, and why none can be made, "" if one
	// can. The page then has it beside its ranks, and how long a release takes. With nil equal
	// results give equal pages, whatever machine made them.
	Release func(*results.Setting) (command, refused string)
	// Section is the part of the page about a run that no ranking fits, "" where one does; nil if
	// there are no such runs.
	Section func(*results.Summary) (template.HTML, error)
	// Board says that all runs are a leaderboard's, not only those that come with ppdp for it.
	Board bool
}

//go:embed page.html.tmpl
var pageText string

//go:embed page.css
var styleText string

// scriptText sorts, filters and copies tables and goes through figures; the page says all without
// it, too. A browser runs only what has the hash.
//
//go:embed page.js
var scriptText string

// scriptHash is the script's in a content security policy.
func scriptHash() string {
	sum := sha256.Sum256([]byte(scriptText))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// pageTemplate is parsed where it is used, as all templates are: no command's start waits for it.
var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"script": func() template.JS { return template.JS(scriptText) }, "scriptHash": scriptHash,
		"legend":   func() string { return contest.Legend },
		"purposes": func() string { return contest.PurposeLegend },
		"claimed":  claimed, "proven": proven, "overspent": overspent, "code": code,
		"erratumClass": erratumClass, "number": number, "words": wordsOf,
		"command": results.CommandText, "digits": contest.Number,
		"percent": func(x float64) string { return fmt.Sprintf("%.0f", 100*x) }}).Parse(pageText))
})

// Write writes the page as HTML. Warnings name the figures that could not be drawn; the page has
// them too. What is written is no page where there is an error.
func Write(w io.Writer, in Input) (warnings []string, err error) {
	p, err := newPage(in)
	if err != nil {
		return nil, err
	}
	return p.Warnings, pageTemplate().Execute(w, p)
}

// CompareNames orders names of experiments by the numbers in them: rps/fig9 comes before rps/fig10.
// Only equal strings compare as equal.
func CompareNames(a, b string) int {
	return cmp.Or(strings.Compare(padded(a), padded(b)), strings.Compare(a, b))
}

var numberForm = regexp.MustCompile("[0-9]+")

// padded has zeros before each number, so that longer ones are larger.
func padded(name string) string {
	return numberForm.ReplaceAllStringFunc(name,
		func(digits string) string { return fmt.Sprintf("%020s", digits) })
}
