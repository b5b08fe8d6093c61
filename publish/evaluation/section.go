package evaluation

import (
	_ "embed"
	"html/template"
	"strings"
	"sync"

	"ppdp/internal/results"
)

//go:embed section.html.tmpl
var sectionText string

var sectionTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("section").Funcs(template.FuncMap{
		"worst":  func(all []Described) []Described { return all[:min(worstShown, len(all))] },
		"others": func(all []Described) []Described { return all[min(worstShown, len(all)):] },
	}).Parse(sectionText))
})

// worstShown is how many columns of a release the page shows unasked.
const worstShown = 5

// Section is a run's part of a page, "" where it measured no release in a file.
func Section(run *results.Summary) (template.HTML, error) {
	e := Of(run)
	if e == nil {
		return "", nil
	}
	var text strings.Builder
	err := sectionTemplate().Execute(&text, e)
	return template.HTML(text.String()), err
}
