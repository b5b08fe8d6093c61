package evaluation

import (
	_ "embed"
	"html/template"
	"strings"

	"ppdp/internal/results"
)

//go:embed section.html.tmpl
var sectionText string

var sectionTemplate = template.Must(template.New("section").Parse(sectionText))

// Section is a run's part of a page, "" where it measured no release in a file.
func Section(run *results.Summary) (template.HTML, error) {
	e := Of(run)
	if e == nil {
		return "", nil
	}
	var text strings.Builder
	err := sectionTemplate.Execute(&text, e)
	return template.HTML(text.String()), err
}
