package report

import (
	"html/template"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/report/claims"
)

// erratumGroup is a section of the errata.
type erratumGroup struct {
	Title   string
	Entries []*erratum
}

// erratum is an entry with the claims it concerns.
type erratum struct {
	*claims.Erratum
	Claims []*claimView
}

// Class gives an entry a colour by its verdict.
func (e *erratum) Class() string {
	switch e.Verdict {
	case "broken":
		return "v-against"
	case "short":
		return "v-open"
	case "holds":
		return "v-holds"
	}
	return "v-none"
}

// code marks the `words` of a text as code.
func code(text string) template.HTML {
	var b strings.Builder
	for i, part := range strings.Split(strings.TrimSpace(text), "`") {
		part = template.HTMLEscapeString(part)
		if i%2 == 1 {
			part = "<code>" + part + "</code>"
		}
		b.WriteString(part)
	}
	return template.HTML(b.String())
}

// errataOf lists the entries; of the user's own runs those that say why a guarantee fails.
func (p *page) errataOf(all []claims.Errata, runs []*results.Summary) (groups []erratumGroup) {
	cited := make(map[string]bool)
	for _, run := range runs {
		for a := range results.Each(run.Manifest.Algorithms) {
			for _, id := range a.Errata {
				cited[id] = cited[id] || a.Status != string(results.Holds)
			}
		}
	}
	for _, of := range all {
		g := erratumGroup{Title: of.Title}
		for i := range of.Entries {
			if !p.Own || cited[of.Entries[i].ID] {
				g.Entries = append(g.Entries, &erratum{Erratum: &of.Entries[i]})
			}
		}
		if len(g.Entries) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
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
		for a := range results.Each(run.Algorithms) {
			a.Errata = slices.DeleteFunc(slices.Clone(a.Errata), unknown)
		}
	}
}
