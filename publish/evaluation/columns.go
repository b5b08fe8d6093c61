package evaluation

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strconv"
	"strings"

	"ppdp/classifiers"
	"ppdp/internal/results"
	"ppdp/metrics"
)

// Attribute is a column of the original as releases describe it.
type Attribute struct {
	Name     string     `json:"name"`
	Original *Profile   `json:"original"`
	Fresh    *Profile   `json:"fresh,omitempty"`
	Releases []*Profile `json:"releases"` // in the order of their columns
}

// Profile describes one column of one table. What was not measured is nil.
type Profile struct {
	Distance  *float64  `json:"distance,omitempty"` // from the original's, 0 to 1
	Missing   *float64  `json:"missing,omitempty"`  // share without a value of the schema
	Mean      *float64  `json:"mean,omitempty"`
	Quantiles []float64 `json:"quantiles,omitempty"` // P5, P25, P50, P75, P95
	// Shares are those of the original's most frequent categories, at most five.
	Shares []float64 `json:"shares,omitempty"`
}

// Pair is two columns and for which share of the records counts of both are wrong.
type Pair struct {
	First    string     `json:"first"`
	Second   string     `json:"second"`
	Fresh    *float64   `json:"fresh,omitempty"`
	Releases []*float64 `json:"releases"` // in the order of their columns
}

// describePair notes a measurement of a pair.
func (e *Evaluation) describePair(m *Measurement) {
	p := &Pair{First: m.Params["attribute"], Second: m.Params["with"]}
	for i, s := range e.settings {
		if value := e.value(s, m.Measurement).Value; e.Columns[i].Release {
			p.Releases = append(p.Releases, value)
		} else if i == e.fresh {
			p.Fresh = value
		}
	}
	e.Pairs = append(e.Pairs, p)
}

// describe notes a measurement of a column.
func (e *Evaluation) describe(m *Measurement) {
	name := m.Params["attribute"]
	if m.of() == "pair" {
		e.describePair(m)
		return
	}
	a := *results.Entry(&e.Attributes, &Attribute{Name: name},
		func(a *Attribute) bool { return a.Name == name })
	for i, s := range e.settings {
		var p *Profile
		switch {
		case e.Columns[i].Release: // they are the first columns
			if i == len(a.Releases) {
				a.Releases = append(a.Releases, new(Profile))
			}
			p = a.Releases[i]
		case i == e.fresh:
			a.Fresh = cmp.Or(a.Fresh, new(Profile))
			p = a.Fresh
		case i == e.whole:
			a.Original = cmp.Or(a.Original, new(Profile))
			p = a.Original
		default:
			continue
		}
		value := e.value(s, m.Measurement).Value
		switch of := cmp.Or(m.of(), "distance"); {
		case value == nil:
		case of == "distance":
			p.Distance = value
		case of == "missing":
			p.Missing = value
		case of == "mean":
			p.Mean = value
		case of == "quantile":
			p.Quantiles = append(p.Quantiles, *value)
		default:
			p.Shares = append(p.Shares, *value)
		}
	}
}

// Described are a release's columns, the worst first.
func (e *Evaluation) Described(column int) []Described {
	var all []Described
	for _, a := range e.Attributes {
		if a.Original != nil && column < len(a.Releases) {
			all = append(all, Described{a.Name, a.Original, a.Releases[column]})
		}
	}
	slices.SortStableFunc(all, func(a, b Described) int {
		return cmp.Compare(b.far(), a.far())
	})
	return all
}

// Described is a column of a release beside the original's.
type Described struct {
	Name           string
	Original, Here *Profile
}

func (d Described) far() float64 {
	return or(d.Here.Distance, 1)
}

// Cell is a cell of the page's table of columns.
type Cell struct{ Label, Text string }

// Cells are the numbers of a column, the original's before the release's.
func (d Described) Cells() []Cell {
	pair := func(a, b *float64) string {
		if a == nil || b == nil {
			return "–"
		}
		return text(*a, 3) + " → " + text(*b, 3)
	}
	at := func(p *Profile, i int) *float64 {
		if len(p.Quantiles) != 5 {
			return nil
		}
		return &p.Quantiles[i]
	}
	o, r := d.Original, d.Here
	return []Cell{{"distance", text(d.far(), 3)}, {"mean", pair(o.Mean, r.Mean)},
		{"median", pair(at(o, 2), at(r, 2))}, {"P95", pair(at(o, 4), at(r, 4))},
		{"missing", pair(o.Missing, r.Missing)}}
}

// Picture draws the original above the release: of a number the range from P5 to P95, the box from
// P25 to P75 and the median; of a category the shares of the original's most frequent ones.
func (d Described) Picture() template.HTML {
	const width, height = 180, 28
	var b strings.Builder
	fmt.Fprintf(&b, `<svg width="%d" height="%d" viewBox="0 0 %d %d" role="img" aria-label="%s: `+
		`original above, release below">`, width, height, width, height,
		template.HTMLEscapeString(d.Name))
	bar := func(x, y, w, h float64, opacity string) {
		f := func(x float64) string { return strconv.FormatFloat(x, 'f', 1, 64) }
		fmt.Fprintf(&b, `<rect x="%s" y="%s" width="%s" height="%s" fill="currentColor" `+
			`opacity="%s"/>`, f(x), f(y), f(w), f(h), opacity)
	}
	first, second := d.Original.Quantiles, d.Here.Quantiles
	if len(first) == 5 && len(second) == 5 {
		low, high := min(first[0], second[0]), max(first[4], second[4])
		place := func(x float64) float64 {
			return 2 + float64((width-4)*(x-low)/max(high-low, 1e-300))
		}
		for i, q := range [][]float64{first, second} {
			y, shade := float64(14*i), []string{".45", "1"}[i]
			bar(place(q[0]), y+6, place(q[4])-place(q[0])+1, 1, shade)
			bar(place(q[1]), y+3, place(q[3])-place(q[1])+1, 7, shade)
			bar(place(q[2])-1, y+1, 3, 11, shade)
		}
	}
	for i, p := range []*Profile{d.Original, d.Here} {
		for at, share := range p.Shares {
			h := float64(12 * min(1, share))
			bar(float64(4+36*at), float64(14*i)+13-h, 28, max(h, 0.5), []string{".45", "1"}[i])
		}
	}
	b.WriteString("</svg>")
	return template.HTML(b.String())
}

// definition says what a measurement is, where its number is read: the sources of the metric and of
// the classifier, which have their settings.
func definition(metric, classifier string) string {
	m, err := metrics.Lookup(metric)
	if err != nil {
		return ""
	}
	text := m.Info().Source + "."
	if c, err := classifiers.Lookup(classifier); err == nil {
		text += " " + c.Info().Title + ": " + c.Info().Source + "."
	}
	return text
}

// unread are a release's columns, and of these the numbers, whose values lie outside the schema,
// and were drawn, in more records than good counts may be wrong for. says names them.
func (e *Evaluation) unread(column int) (names, numbers []string, says string) {
	var found []string
	for _, a := range e.Attributes {
		share := or(a.Releases[column].Missing, 0)
		if a.Original != nil {
			share -= or(a.Original.Missing, 0)
		}
		if !(share > countsWell) {
			continue
		}
		names, found = append(names, a.Name), append(found, a.Name+" in "+percent(share))
		if a.Releases[column].Mean != nil {
			numbers = append(numbers, a.Name)
		}
	}
	if names != nil {
		says = "VALUES OUTSIDE THE SCHEMA, replaced by others: " + strings.Join(found, ", ") +
			" of its records"
	}
	return names, numbers, says
}
