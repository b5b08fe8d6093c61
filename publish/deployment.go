package publish

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"text/template"

	"ppdp/datasets"
)

//go:embed deployment.yaml.tmpl
var deploymentText string

// deployment writes an entry for OpenDP's registry of deployments of differential privacy. Texts
// are quoted as in JSON, which YAML reads alike.
var deployment = sync.OnceValue(func() *template.Template {
	return template.Must(template.New(DeploymentFile).Funcs(template.FuncMap{
		"quote": func(text string) (string, error) {
			if text == "" {
				return "", nil
			}
			quoted, err := json.Marshal(text)
			return string(quoted), err
		},
	}).Parse(deploymentText))
})

// entry is what the registry asks for, as far as it follows from a certificate and its schema.
type entry struct {
	*Certificate
	Domain, Details, Mechanics, Composition, Evidence string
}

func deploymentOf(c *Certificate, schema *datasets.Schema) entry {
	e := entry{Certificate: c,
		Domain: fmt.Sprintf("A table of %d columns: %s", len(schema.Attributes),
			strings.Join(schema.Names(), ", ")),
		Details: fmt.Sprintf("Neighbouring tables: %s. %s", c.Guarantee.Relation,
			c.Guarantee.Sentence),
		Mechanics: fmt.Sprintf("%s (%s, variant %s), after %s.", c.Algorithm.Title,
			c.Algorithm.Name, c.Algorithm.Variant, c.Algorithm.Source),
		Composition: fmt.Sprintf("Costs of the mechanisms add up in %s. This is release %d of the "+
			"table; its account allows all of them together %v.", c.Budget.Unit, c.Budget.Number,
			c.Budget.Allowed()),
		Evidence: "certificate.json, which ppdp verify checks."}
	if c.Audit != nil {
		e.Evidence += " " + c.Audit.Sentence()
	}
	if c.Guarantee.Contributions > 0 {
		e.Details += fmt.Sprintf(" Of each person at most %d records are used.",
			c.Guarantee.Contributions)
	}
	for _, m := range c.Mechanisms {
		e.Mechanics += fmt.Sprintf(" For %s: %s, at a cost of %.6g in %s.", m.Purpose, m.Mechanism,
			m.Cost, m.Unit)
	}
	return e
}
