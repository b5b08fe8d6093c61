package report

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"html/template"
	"regexp"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/report/contest"
)

// erratumGroup is a section of the errata.
type erratumGroup struct {
	Title   string
	Entries []*erratum
}

// erratum is one entry.
type erratum struct {
	ID, Title, Verdict string
	Class              string          // of the style sheet
	Text               []template.HTML // paragraphs
	Tests              []string
	Claims             []*claimView
}

var erratumHeading = regexp.MustCompile(`^### ([A-Z][0-9]+[a-z]?): (.+) — (.+)$`)

// readErrata parses the page of errata: sections "## Title" of entries "### R1: title — verdict".
// Text before the first section is left out. tests is a table of entries and tests.
func readErrata(text, tests string) ([]erratumGroup, error) {
	var groups []erratumGroup
	var entry *erratum
	var paragraph []string
	byID := make(map[string]*erratum)
	flush := func() {
		if entry != nil && len(paragraph) > 0 {
			entry.Text = append(entry.Text, inline(strings.Join(paragraph, " ")))
		}
		paragraph = nil
	}
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "## "):
			flush()
			entry = nil
			groups = append(groups, erratumGroup{Title: strings.TrimPrefix(line, "## ")})
		case strings.HasPrefix(line, "### "):
			flush()
			match := erratumHeading.FindStringSubmatch(line)
			if match == nil || len(groups) == 0 {
				return nil, fmt.Errorf(`errata.md:%d: %q, must be "### ID: title — verdict" `+
					`below a section`, i+1, line)
			}
			entry = &erratum{ID: match[1], Title: match[2], Verdict: match[3],
				Class: erratumClass(match[3])}
			if byID[entry.ID] != nil {
				return nil, fmt.Errorf("errata.md:%d: %s is a duplicate", i+1, entry.ID)
			}
			byID[entry.ID] = entry
			last := &groups[len(groups)-1]
			last.Entries = append(last.Entries, entry)
		case line == "":
			flush()
		default:
			if strings.HasPrefix(line, "*ppdp*:") {
				flush()
			}
			paragraph = append(paragraph, line)
		}
	}
	flush()
	if tests == "" {
		return groups, nil
	}
	reader := csv.NewReader(strings.NewReader(tests))
	reader.FieldsPerRecord = 2
	lines, err := reader.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("errata-tests.csv: %w", err)
	}
	for i, line := range lines {
		if i == 0 {
			continue // the header
		}
		entry := byID[line[0]]
		if entry == nil {
			return nil, fmt.Errorf("errata-tests.csv:%d: %q is not an erratum", i+1, line[0])
		}
		entry.Tests = append(entry.Tests, line[1])
	}
	return groups, nil
}

// erratumClass gives an entry a colour by the first word of its verdict.
func erratumClass(verdict string) string {
	word, _, _ := strings.Cut(strings.NewReplacer(",", " ", ";", " ").Replace(verdict), " ")
	return cmp.Or(erratumClasses[word], "v-none")
}

var erratumClasses = map[string]string{
	"broken": "v-against", "short": "v-open", "holds": "v-holds",
}

var inlineMarkup = regexp.MustCompile(
	"`[^`]+`" + `|\*\*[^*]+\*\*|\*[^*]+\*|\[[^\]]+\]\([^)]+\)`)

// inline turns the Markdown that the errata use into HTML: code, emphasis and links, of which it
// keeps the words only.
func inline(text string) template.HTML {
	var b strings.Builder
	for {
		at := inlineMarkup.FindStringIndex(text)
		if at == nil {
			b.WriteString(template.HTMLEscapeString(text))
			return template.HTML(b.String())
		}
		b.WriteString(template.HTMLEscapeString(text[:at[0]]))
		mark := text[at[0]:at[1]]
		text = text[at[1]:]
		element, words := "", ""
		switch {
		case mark[0] == '`':
			element, words = "code", strings.Trim(mark, "`")
		case strings.HasPrefix(mark, "**"):
			element, words = "strong", strings.Trim(mark, "*")
		case mark[0] == '*':
			element, words = "em", strings.Trim(mark, "*")
		default:
			words, _, _ = strings.Cut(mark[1:], "](")
		}
		words = template.HTMLEscapeString(words)
		if element != "" {
			words = "<" + element + ">" + words + "</" + element + ">"
		}
		b.WriteString(words)
	}
}

// keepErrata leaves out the entries that do not say why a guarantee of the runs fails.
func (p *page) keepErrata(runs []*results.Summary) {
	cited := make(map[string]bool)
	for _, run := range runs {
		for i := range run.Manifest.Algorithms {
			a := &run.Manifest.Algorithms[i]
			for _, id := range a.Errata {
				cited[id] = cited[id] || a.Status != string(contest.Holds)
			}
		}
	}
	for i := range p.Groups {
		p.Groups[i].Entries = slices.DeleteFunc(p.Groups[i].Entries,
			func(e *erratum) bool { return !cited[e.ID] })
	}
	p.Groups = slices.DeleteFunc(p.Groups,
		func(g erratumGroup) bool { return len(g.Entries) == 0 })
}

// linkErrata adds to every entry the claims it concerns and drops references to unknown entries.
func (p *page) linkErrata() {
	byID := make(map[string]*erratum)
	for _, g := range p.Groups {
		for _, e := range g.Entries {
			byID[e.ID] = e
		}
	}
	unknown := func(id string) bool { return byID[id] == nil }
	for _, paper := range p.Papers {
		for _, c := range paper.Claims {
			c.Errata = slices.DeleteFunc(slices.Clone(c.Errata), unknown)
			for _, id := range c.Errata {
				byID[id].Claims = append(byID[id].Claims, c)
			}
		}
	}
	for _, run := range p.Provenance {
		for i := range run.Algorithms {
			a := &run.Algorithms[i]
			a.Errata = slices.DeleteFunc(slices.Clone(a.Errata), unknown)
		}
	}
}
