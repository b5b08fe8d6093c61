package csvtable

import (
	"math"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

const lacking = `
missing: ["?", NA]
missing-as-value: true
class: y
attributes:
  - {name: age, kind: numeric, low: 0, high: 10, widths: [5]}
  - {name: pay, kind: numeric, low: 0, high: 4, step: 0.5, continuous: true, digits: 2}
  - {name: day, kind: numeric, time: DD.MM.YYYY, low: 01.01.2020, high: 11.01.2020}
  - {name: y, kind: categorical, values: ["no", "yes"]}
`

// TestMissingKept: numbers, dates and the class keep what is missing, a table comes back as it was,
// with the schema that is written too, and a missing number is no number.
func TestMissingKept(t *testing.T) {
	text := "age,pay,day,y\n3,1.25,05.01.2020,no\nNA,?,?,?\n9,0.00,NA,yes\n"
	want := strings.ReplaceAll(text, "NA", "?")
	format := parse(t, lacking)
	var schema strings.Builder
	must.Do(t, WriteSchema(&schema, format.Schema))
	for _, f := range []*Format{format, parse(t, schema.String()), Plain(format.Schema)} {
		if f == format {
			text, want = want, text
		}
		content := must.Get(read(f, strings.ReplaceAll(text, "NA", "?")))
		must.Do(t, content.Table.Validate())
		var written strings.Builder
		must.Do(t, Write(&written, content.Table, nil, nil))
		if content.Dropped != 0 || written.String() != strings.ReplaceAll(text, "NA", "?") {
			t.Errorf("%d dropped, written\n%s", content.Dropped, written.String())
		}
		if got := content.Table.Number(1, 1); !math.IsNaN(got) {
			t.Errorf("a missing number is %v", got)
		}
	}
	if content := must.Get(read(format, want)); content.Table.Len() != 3 {
		t.Errorf("%d rows by either marker", content.Table.Len())
	}
}

// TestMissingGroups: no interval hides what is missing, and what is written is read again.
func TestMissingGroups(t *testing.T) {
	s := parse(t, lacking).Schema
	for _, c := range []struct {
		attribute int
		low, high uint32
		want      string
	}{{0, 0, 10, "[0, 10)"}, {0, 10, 11, "?"}, {0, 7, 11, "[7, 10) or ?"}, {0, 9, 11, "9 or ?"},
		{1, 8, 9, "?"}, {1, 2, 9, "[1, 4) or ?"}, {2, 8, 11, "[09.01.2020, 11.01.2020) or ?"}} {
		a := &s.Attributes[c.attribute]
		must.Be(t, GroupText(a, c.low, c.high), c.want, a.Name)
		g, err := ParseGroup(a, c.want)
		if err != nil || len(g) != 1 || g[0] != (datasets.Span{Low: c.low, High: c.high}) {
			t.Errorf("%q is read as %v, %v", c.want, g, err)
		}
	}
	if g := must.Get(ParseGroup(&s.Attributes[0], "[2, 5) or ?")); len(g) != 2 || g.Size() != 4 ||
		!g.Holds(10) || g.Holds(5) {
		t.Errorf("[2, 5) or ? is %v", g)
	}
	h := s.Attributes[0].Hierarchy
	if l := h.Levels[1]; h.Height() != 2 || l.Len() != 3 || l.Low[2] != 10 || l.High[2] != 11 ||
		h.Levels[2].Len() != 1 || h.Levels[2].High[0] != 11 {
		t.Errorf("widths: %+v", h.Levels)
	}
}

// TestAllMissing: a column without a value is refused before work, with its place and a remedy.
func TestAllMissing(t *testing.T) {
	format, text := parse(t, lacking), "age,pay,day,y\n?,1,?,no\n?,2,05.01.2020,no\n"
	const want = "f.csv:1: age: missing in all of 2 records"
	if _, err := read(format, text); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
	checked, err := format.Check(t.Context(), "f.csv", strings.NewReader(text))
	if err != nil || len(checked.Faults) != 1 || checked.Faults[0].Kind != AllMissing ||
		checked.Faulty != 0 || len(checked.Lacking) != 2 || !checked.Lacking[1].Kept {
		t.Errorf("%+v, %v", checked, err)
	}
}

// TestMissingRule: what is said of missing values follows from the schema.
func TestMissingRule(t *testing.T) {
	for schema, want := range map[string]string{
		small:                      "",
		"missing: [\"?\"]" + small: "Records that lacked a value were left out",
		"missing: [\"?\"]\nmissing-as-value: true" + small:  `kept, written as "?": of age, job.`,
		"missing: [\"?\"]\nmissing-as-value: [job]" + small: "release was made: of age.",
	} {
		f := parse(t, schema)
		if got := MissingRule(f.Schema, f.Drops()); !strings.Contains(got, want) ||
			(want == "") != (got == "") {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
