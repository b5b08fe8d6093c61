package risk

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"sync"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
)

//go:embed page.html.tmpl
var pageText string

var pageTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("page").Funcs(template.FuncMap{
		"percent": Percent, "number": number, "join": strings.Join,

		"share": func(part, whole int) string {
			return strconv.FormatFloat(100*float64(part)/float64(max(whole, 1)), 'f', 2, 64)
		},
	}).Parse(pageText))
})

// WritePage writes the report of the table called title as one HTML page without scripts that loads
// nothing. Equal reports give equal bytes. What is written is no page where there is an error.
func WritePage(w io.Writer, title string, r *Report) error {
	return pageTemplate().Execute(w, struct {
		Title string
		*Report
	}{title, r})
}

// Range is the sizes of classes counted, "5–9" or "100 or more".
func (c SizeCount) Range() string {
	switch c.To {
	case 0:
		return fmt.Sprintf("%d or more", c.From)
	case c.From:
		return strconv.Itoa(c.From)
	}
	return fmt.Sprintf("%d–%d", c.From, c.To)
}

// Percent prints a share with three digits: "12.5 %".
func Percent(share float64) string { return number(100*share) + " %" }

// number prints three significant digits, and large numbers in full.
func number(x float64) string {
	if x >= 100 {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	short, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 3, 64), 64)
	return strconv.FormatFloat(short, 'f', -1, 64)
}

// Findings says in sentences what matters most.
func (r *Report) Findings() (found []string) {
	var unique, others []string
	for _, c := range r.Unnamed {
		if c.Unique {
			unique = append(unique, c.Name)
		} else {
			others = append(others, c.Name)
		}
	}
	quasi := strings.Join(r.QuasiIdentifiers, ", ")
	share := func(n int) string { return Percent(float64(n) / float64(r.Records)) }
	for _, f := range []struct {
		holds bool
		text  string
	}{
		{unique != nil, "NOT MEASURED, and different in every record: " +
			strings.Join(unique, ", ") + ". Such a column can identify each person by itself. " +
			"All figures are as if it were not published."},
		{others != nil, "NOT MEASURED, because no schema or flag names them: " +
			strings.Join(others, ", ") + ". Whoever knows them of a person can tell more records " +
			"apart than these figures say."},
		{r.K == 1, fmt.Sprintf("Not anonymous: %d of %d records (%s) share their "+
			"quasi-identifiers (%s) with no other record.", r.Unique, r.Records, share(r.Unique),
			quasi)},
		{r.K > 1, fmt.Sprintf("%d-anonymous: every record shares its quasi-identifiers (%s) with "+
			"at least %d more.", r.K, quasi, r.K-1)},
		{r.Prosecutor.AtRisk > 0, fmt.Sprintf("%s of the records are in classes of fewer than %d.",
			Percent(r.Prosecutor.AtRisk), r.Threshold)},
		{r.Suppressed > 0, fmt.Sprintf("Left out of every figure: %s.",
			terminal.Counted(r.Suppressed, "suppressed record"))},
		{len(r.Sensitive) == 0, "No sensitive attribute was measured: none is named, or the " +
			"table has no column for it."},
	} {
		if f.holds {
			found = append(found, f.text)
		}
	}
	for d := range results.Each(r.Sensitive) {
		if d.Values < 2 {
			found = append(found, d.Attribute+" has one value in the whole table.")
		} else if d.Homogeneous > 0 {
			found = append(found, fmt.Sprintf("%s is disclosed for %d of %d records (%s): their "+
				"class has no other value.", d.Attribute, d.Homogeneous, r.Records,
				share(d.Homogeneous)))
		}
	}
	for _, name := range r.Absent {
		found = append(found, "The table has no column for "+name+".")
	}
	return found
}
