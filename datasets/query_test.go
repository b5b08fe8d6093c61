package datasets

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// queried is a schema of few codes of every kind: 6 × 2 × 3 × 4.
func queried() *Schema {
	return &Schema{Attributes: []Attribute{
		{Name: "age", Low: 10, High: 70, Step: 10},
		{Name: "marital status", Kind: Categorical, Values: []string{"never", "now, or before"}},
		{Name: "edu", Kind: Categorical, Values: []string{"low", "and", "high"}, Ordered: true},
		{Name: "wage", Low: 0, High: 0.4, Step: 0.1, Continuous: true},
	}}
}

// record is what the queries below are about, read off a code: middles of the cells of wages.
type record struct {
	age     int
	married bool
	edu     int
	wage    float64
}

// TestQueries: the truth of queries for a single record is what the predicate beside them says, and
// for boxes of records it is that of the records in them: exactly, where every attribute is in one
// place of the query, and not too sure elsewhere.
func TestQueries(t *testing.T) {
	schema := queried()
	for _, c := range []struct {
		text string
		once bool // every attribute is in one place
		is   func(r record) bool
	}{
		{"all", true, func(record) bool { return true }},
		{"not all", true, func(record) bool { return false }},
		{"age >= 30", true, func(r record) bool { return r.age >= 30 }},
		{"age > 25 and age <= 50", true, func(r record) bool { return r.age > 25 && r.age <= 50 }},
		{"age < 30 or age >= 60 or age = 40", true, func(r record) bool {
			return r.age < 30 || r.age >= 60 || r.age == 40
		}},
		{"not (age < 30 or edu = high)", true, func(r record) bool {
			return r.age >= 30 && r.edu != 2
		}},
		{"age in {10, 30,60} and not edu in {low, 'and'}", true, func(r record) bool {
			return (r.age == 10 || r.age == 30 || r.age == 60) && r.edu == 2
		}},
		{`"marital status" = 'now, or before' and (edu > low or age != 20)`, true,
			func(r record) bool { return r.married && (r.edu > 0 || r.age != 20) }},
		{"age=10 or age=20 and edu=low", false, func(r record) bool {
			return r.age == 10 || r.age == 20 && r.edu == 0
		}},
		{"(age=10 or edu=low) and not (age=10 and edu=low)", false, func(r record) bool {
			return (r.age == 10) != (r.edu == 0)
		}},
		{"not not wage >= 0.3 and all", true, func(r record) bool { return r.wage >= 0.3 }},
		{"not wage < 0.2 and (age > 60 or ('marital status' = never) )", true,
			func(r record) bool { return r.wage >= 0.2 && !r.married }},
	} {
		q, err := ParseQuery(c.text, schema)
		if err != nil {
			t.Errorf("%s: %v", c.text, err)
			continue
		}
		stream := random.NewKey(3).Stream()
		for trial := range 200 {
			var spans [4][]Span
			for a := range spans {
				cells := schema.Attributes[a].Cells()
				low := stream.IntN(cells)
				high := low + 1
				if trial > 100 {
					high += stream.IntN(cells - low)
				}
				if spans[a] = []Span{{uint32(low), uint32(high)}}; trial > 150 && low > 1 {
					spans[a] = append([]Span{{0, 1}}, spans[a]...)
				}
			}
			n, hits := 0, 0
			for row := range 6 * 2 * 3 * 4 {
				codes, inside := [4]int{row % 6, row / 6 % 2, row / 12 % 3, row / 36}, true
				for a, code := range codes {
					inside = inside && slices.ContainsFunc(spans[a], func(s Span) bool {
						return int(s.Low) <= code && code < int(s.High)
					})
				}
				if inside {
					n++
					if c.is(record{10 + 10*codes[0], codes[1] == 1, codes[2],
						0.05 + 0.1*float64(codes[3])}) {
						hits++
					}
				}
			}
			got := q.Truth(func(set int) Truth {
				return q.Sets[set].Of(spans[q.Sets[set].Attribute])
			})
			if got.All && hits < n || !got.Any && hits > 0 ||
				c.once && (got.All != (hits == n) || got.Any != (hits > 0) ||
					math.Abs(got.Share-float64(hits)/float64(n)) > 1e-9) {
				t.Errorf("%s in %v: %+v, %d of %d records", c.text, spans, got, hits, n)
			}
		}
	}
}

// TestCutCells: a value within a continuous attribute's cell makes the cell's truth a share; at its
// lower end alone the cell is whole, but for that value itself.
func TestCutCells(t *testing.T) {
	for text, want := range map[string]Truth{ // of the cell [0.2, 0.3); order-free: separate checks
		"wage >= 0.225": {false, true, 0.75}, "wage < 0.225": {false, true, 0.25},
		"wage >= 0.2": {true, true, 1}, "wage < 0.2": {false, false, 0},
		"wage > 0.2": {false, true, 1}, "wage <= 0.2": {false, true, 0},
		"wage < 0.3": {true, true, 1}, "wage >= 0.3": {false, false, 0},
		"wage = 0.25": {false, true, 0}, "wage != 0.25": {false, true, 1},
		"wage < 0.4": {true, true, 1}, "wage > 0.4": {false, false, 0},
		"wage >= 0.21 and wage < 0.29": {false, true, 0.9 * 0.9},
		"not wage >= 0.225":            {false, true, 0.25},
	} {
		q := must.Get(ParseQuery(text, queried()))
		got := q.Truth(func(set int) Truth { return q.Sets[set].Of([]Span{{2, 3}}) })
		if got.All != want.All || got.Any != want.Any || math.Abs(got.Share-want.Share) > 1e-9 {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
	}
}

func TestQueryRefusals(t *testing.T) {
	schema := queried()
	schema.Attributes = append(schema.Attributes,
		Attribute{Name: "since", High: 20000, Step: 1, Clock: "YYYY-MM-DD"})
	for text, want := range map[string]string{ // order-free: separate checks
		"":                        `column 1: the end, must be a comparison with one of "age"`,
		"ages > 3":                `column 1: no attribute "ages", must be one of "age", "marital`,
		"age":                     `column 4: "", must be one of = != <`,
		"age >":                   "column 6: no value",
		"age < old":               `column 7: age: "old", must be a value between`,
		"age < 101":               "must be a value between",
		"age < NaN":               "must be a value between",
		"age = 15":                "column 7: age: 15 is between steps",
		"age ! 15":                `column 5: "!", must be`,
		`age "=" 15`:              `column 5: "=", must be`,
		"since > 1970":            "must be a value between",
		"age > 20 and":            `column 13: the end, must be a comparison with one of "age"`,
		"age > 20 edu = low":      `column 10: "edu", must be "and", "or" or the end`,
		"(age > 20":               `column 10: "", must be ")"`,
		"age > 20)":               `column 9: ")", must be "and", "or" or the end`,
		"edu in low":              `column 8: "low", must be "{"`,
		"edu in {low":             `column 12: "", must be "}"`,
		"edu in {}":               `column 9: edu: "}" is not in its public list`,
		"edu in {low medium}":     `column 13: "medium", must be "}"`,
		"mean(edu)":               `column 6: no mean of "edu", must be a number: age, wage`,
		"mean(age":                `column 9: "", must be ")"`,
		"mean(age) edu = low":     `column 11: "edu", must be`,
		"mean(age) where":         `column 16: the end`,
		"mean = 3":                `column 1: no attribute "mean"`,
		"'age > 3":                "column 1: a quote that does not end",
		strings.Repeat("(", 5000): "nested too deeply, may be 100 deep",
		strings.Repeat("not ", 5000) + "age > 20": "nested too deeply",
		`"marital status" < never`:                "needs an order",
	} {
		must.Fail(t, must.Err(ParseQuery(text, schema)), want, text[:min(30, len(text))])
	}
}

// FuzzParseQuery: what is accepted has a truth for any records, sure only where it is possible.
func FuzzParseQuery(f *testing.F) {
	for _, text := range []string{"age >= 30 and not (edu = low or wage < 0.25)", "mean(wage)",
		"mean(age) where edu in {low, 'and'} and age > 20", "all or not all", "(((", "\"", "in {",
		"age\u00a0<\u00a020", "mean(", "not", "age < \xff"} {
		f.Add(text)
	}
	schema := queried()
	f.Fuzz(func(t *testing.T, text string) {
		q, err := ParseQuery(text, schema)
		if err != nil {
			return
		}
		for _, high := range []uint32{1, 2} {
			got := q.Truth(func(set int) Truth { return q.Sets[set].Of([]Span{{0, high}}) })
			if got.All && !got.Any || !(got.Share >= 0 && got.Share <= 1) ||
				got.All && got.Share < 1 || !got.Any && got.Share > 0 {
				t.Fatalf("%+v", got)
			}
		}
	})
}
