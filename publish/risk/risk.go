// Package risk measures what a published table discloses about the people in it. Measure takes the
// texts of its quasi-identifiers and sensitive attributes and returns a Report: how many records
// share their quasi-identifiers, how likely each is identified again (k-anonymity; prosecutor
// risk), and what a class of equal records says about a sensitive attribute (l-diversity,
// t-closeness).
//
// Records are of one class when their texts are equal. An interval, a set or a "*" is a text like
// any other, so that any anonymised table can be measured, whatever program made it.
//
// It leaves out guarantees: a small risk here is no promise, since it counts only attackers who
// know the quasi-identifiers and nothing else. For a table under differential privacy the figures
// say nothing, because its records are made up.
//
// Sources: El Emam, Guide to the De-Identification of Personal Health Information, 2013 (the
// prosecutor, as ARX measures it); Machanavajjhala et al., l-Diversity, TKDD
// 1(1), 2007; Li, Li & Venkatasubramanian, t-Closeness, ICDE 2007.
package risk

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"ppdp/algorithms/kernel/disclosure"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/declared"
	"ppdp/internal/problem"
	"ppdp/internal/results"
)

// Table is the columns of a published table that matter.
type Table struct {
	Rows             int
	Quasi, Sensitive []Column
	// Absent are the sensitive attributes that the table has no column for, Unnamed the columns
	// that the schema has no attribute for.
	Absent  []string
	Unnamed []Unnamed
}

// Unnamed is a column that nothing is measured of.
type Unnamed struct {
	Name   string `json:"name"`
	Values int    `json:"values"` // different ones
	// Unique says that no two records have the same: a name or a number of a person, perhaps.
	Unique bool `json:"unique"`
}

// Column is a column with the order and the hierarchy of its values, where they have such.
type Column struct {
	csvtable.TextColumn
	Rank []uint32 // by code; nil without an order
	// Levels are each text's groups on the levels of the attribute's hierarchy between the values
	// and the top, by code; nil without one of its own.
	Levels [][]uint32
}

// NewTable takes from a table's texts what the schema calls a quasi-identifier, and what it calls
// sensitive or the class. Sensitive values have an order when they are numbers, or when the schema
// gives them one. It is an error when a quasi-identifier has no column, or when the schema has
// none.
func NewTable(texts *csvtable.Texts, schema *datasets.Schema) (*Table, error) {
	t := &Table{Rows: texts.Rows}
	var bad datasets.Problems
	for a := range results.Each(schema.Attributes) {
		found := texts.Column(a.Name)
		switch quasi := a.Role == datasets.QuasiIdentifier; {
		case found == nil && quasi:
			bad.Add("no column for the quasi-identifier %q", a.Name)
		case found == nil:
			t.Absent = append(t.Absent, a.Name)
		case quasi:
			t.Quasi = append(t.Quasi, Column{TextColumn: *found})
		default:
			t.Sensitive = append(t.Sensitive,
				Column{*found, ranks(found.Texts, a), levels(found.Texts, a)})
		}
	}
	for _, c := range texts.Columns {
		if schema.Index(c.Name) < 0 {
			n := len(c.Texts)
			t.Unnamed = append(t.Unnamed, Unnamed{c.Name, n, n == texts.Rows && n > 1})
		}
	}
	slices.SortStableFunc(t.Unnamed, func(a, b Unnamed) int { return b.Values - a.Values })
	if len(t.Quasi) == 0 && !bad.Any() {
		bad.Add("no quasi-identifiers, must have at least one: without any, all records are alike")
	}
	return t, bad.Err()
}

// Read reads the table of a file, gzip or not, by its format, and takes from it what NewTable does.
func Read(ctx context.Context, path string, format *csvtable.Format,
	schema *datasets.Schema) (*Table, error) {
	text, err := csvtable.Open(path, nil)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	texts, err := format.ReadTexts(ctx, path, text, schema.Names(datasets.QuasiIdentifier))
	if err != nil {
		return nil, err
	}
	table, err := NewTable(texts, schema)
	return table, problem.Named(path, err)
}

// levels gives each text's groups; nil where one of them is not a value of the attribute.
func levels(texts []string, a *datasets.Attribute) [][]uint32 {
	if !disclosure.Nested(a) {
		return nil
	}
	codes := make([]uint32, len(texts))
	for i, text := range texts {
		var err error
		if codes[i], err = a.TextCode(text); err != nil {
			return nil
		}
	}
	groups, err := disclosure.Levels(a, codes)
	if err != nil {
		return nil
	}
	return append([][]uint32{}, groups...)
}

// ranks gives each text's place in the attribute's order; nil where one of them has none.
func ranks(texts []string, a *datasets.Attribute) []uint32 {
	if a.Kind == datasets.Categorical && !a.Ordered {
		return nil
	}
	keys := make([]float64, len(texts))
	for i, text := range texts {
		if a.Kind == datasets.Categorical {
			keys[i] = float64(slices.Index(a.Values, text))
			if keys[i] < 0 {
				return nil
			}
		} else if number, ok := datasets.Decimal(text); ok {
			keys[i] = number
		} else {
			return nil
		}
	}
	order := slices.Clone(keys)
	slices.Sort(order)
	order = slices.Compact(order) // "1" and "1.0" have one place
	rank := make([]uint32, len(texts))
	for i, key := range keys {
		at, _ := slices.BinarySearch(order, key)
		rank[i] = uint32(at)
	}
	return rank
}

// Options say how risk is measured. Defaults has the usual ones. Its tags are those of the command
// line.
type Options struct {
	// A record is at risk when its probability of being identified is above 1/K.
	K int     `help:"Records in classes smaller than this are at risk." default:"5" min:"1" max:"2147483647"`
	C float64 `help:"The constant of recursive (c, l)-diversity." default:"2" min:"1e-9" max:"1e9"`
	// Suppressed records are counted and otherwise left out, as ARX does.
	Suppressed string `help:"The text in every quasi-identifier of a suppressed record. Empty: no record is suppressed." default:"*"`
}

// Defaults are a K of 5, a C of 2, as in sdcMicro, and ARX's "*" for suppressed records.
func Defaults() Options { return Options{K: 5, C: 2, Suppressed: "*"} }

// Report is what a table discloses. Shares and probabilities are between 0 and 1. Everything but
// Suppressed is about the records that are not suppressed.
type Report struct {
	QuasiIdentifiers []string `json:"quasi_identifiers"`
	Records          int      `json:"records"`
	Suppressed       int      `json:"suppressed"`
	// Classes is the number of different combinations of quasi-identifiers; K the size of the
	// smallest, Largest of the largest.
	Classes int `json:"classes"`
	K       int `json:"k"`
	Largest int `json:"largest_class"`
	// Unique counts records that no other record shares its quasi-identifiers with.
	Unique int `json:"unique_records"`
	// Sizes counts classes and records by size.
	Sizes []SizeCount `json:"class_sizes"`
	// Smallest are the smallest classes, up to five.
	Smallest []Class `json:"smallest_classes"`

	// Threshold is the K that records at risk are counted by.
	Threshold int `json:"threshold_k"`
	// Prosecutor knows that the person is in the table.
	Prosecutor Attacker `json:"prosecutor"`

	Sensitive []Disclosure `json:"sensitive"`
	Absent    []string     `json:"sensitive_without_column,omitempty"`
	Unnamed   []Unnamed    `json:"not_measured,omitempty"` // those of most values first
}

// Attacker is the probability that an attack finds a record's person: 1 / the size of its class.
type Attacker struct {
	Max    float64 `json:"max"`     // of the record most at risk
	Mean   float64 `json:"mean"`    // over records
	AtRisk float64 `json:"at_risk"` // share of records above the threshold
}

// SizeCount counts classes of From to To records; To is 0 for no limit.
type SizeCount struct {
	From    int `json:"from"`
	To      int `json:"to,omitempty"`
	Classes int `json:"classes"`
	Records int `json:"records"`
}

// Class is a combination of quasi-identifiers and how many records have it.
type Class struct {
	Values  []string `json:"values"` // in the order of QuasiIdentifiers
	Records int      `json:"records"`
}

// Measure measures the table.
func Measure(table *Table, o Options) (*Report, error) {
	if err := declared.Check(&o); err != nil {
		return nil, err
	}
	groups := group(table, o.Suppressed)
	r := &Report{Records: table.Rows - groups.suppressed, Suppressed: groups.suppressed,
		Classes: len(groups.sizes), Threshold: o.K, Absent: table.Absent,
		Unnamed: table.Unnamed, QuasiIdentifiers: results.Mapped(table.Quasi,
			func(c Column) string { return c.Name })}
	if r.Records == 0 {
		return nil, errors.New("no records but suppressed ones, must have at least one")
	}
	r.K, r.Largest = slices.Min(groups.sizes), slices.Max(groups.sizes)
	r.Sizes = countSizes(groups.sizes)
	r.Unique = r.Sizes[0].Records
	r.smallest(table, groups)
	atRisk := 0
	for _, n := range groups.sizes {
		if n < o.K {
			atRisk += n
		}
	}
	records := float64(r.Records)
	r.Prosecutor = Attacker{1 / float64(r.K), float64(r.Classes) / records,
		float64(atRisk) / records}
	rows := groups.rows()
	for i := range table.Sensitive {
		r.Sensitive = append(r.Sensitive, disclose(&table.Sensitive[i], groups, rows, o.C))
	}
	return r, nil
}

// countSizes counts classes in bins, without the empty ones at the end.
func countSizes(sizes []int) []SizeCount {
	bins := []SizeCount{{From: 1, To: 1}, {From: 2, To: 2}, {From: 3, To: 4}, {From: 5, To: 9},
		{From: 10, To: 19}, {From: 20, To: 49}, {From: 50, To: 99}, {From: 100}}
	last := 0
	for _, n := range sizes {
		at := 0
		for bins[at].To != 0 && n > bins[at].To {
			at++
		}
		bins[at].Classes++
		bins[at].Records += n
		last = max(last, at)
	}
	return bins[:last+1]
}

func (r *Report) smallest(table *Table, groups *grouping) {
	const most = 5
	classes := results.Order(len(groups.sizes), func(a, b int) int {
		return cmp.Compare(groups.sizes[a], groups.sizes[b])
	})
	for _, class := range classes[:min(most, len(classes))] {
		r.Smallest = append(r.Smallest,
			Class{table.texts(groups.first[class]), groups.sizes[class]})
	}
}
