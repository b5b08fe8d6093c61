package datasets

import (
	"strings"
	"testing"

	"ppdp/internal/must"
)

func constrained() *Schema {
	return &Schema{Attributes: []Attribute{
		{Name: "age", High: 100, Step: 1},
		{Name: "marital status", Kind: Categorical, Values: []string{"never", "now or before"}},
		{Name: "edu", Kind: Categorical, Values: []string{"low", "and", "high"}, Ordered: true},
		{Name: "wage", Low: -1, High: 1, Step: 0.5, Continuous: true},
		{Name: "since", Low: 0, High: 20000, Step: 1, Clock: "YYYY-MM-DD"},
	}}
}

// TestConstraints: of these rows exactly those listed break the rule, read by hand.
func TestConstraints(t *testing.T) {
	b := NewBuilder(constrained(), 4)
	for _, row := range [][5]uint32{{14, 0, 0, 0, 0}, {14, 1, 1, 1, 1}, {15, 1, 2, 2, 2},
		{99, 0, 2, 3, 19999}} {
		b.AddRow(row[:]...)
	}
	table := b.Table()                         // wages are -0.75, -0.25, 0.25 and 0.75
	for text, want := range map[string]string{ // order-free: separate checks
		`age < 15 implies "marital status" = never`:        "1",
		`age<15 implies 'marital status'!='now or before'`: "1",
		"'marital status' = 'now or before' and age >= 15 implies edu = high and " +
			"wage > 0.25": "2",
		`edu > "and" implies age > 15`: "2",
		`edu <= 'and'`:                 "23",
		`wage >= -0.25`:                "0",
		`since > 1970-01-02`:           "01",
		`age <= 100`:                   "",
		`age = 15`:                     "013",
	} {
		rule, err := ParseConstraint(text, table.Schema())
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		breaks := must.Get(rule.Breaks(table))
		got := ""
		for row := range int32(table.Len()) {
			if breaks(row) {
				got += string(rune('0' + row))
			}
		}
		if got != want || rule.Text != text {
			t.Errorf("%s: rows %q break it, want %q", text, got, want)
		}
	}
}

func TestConstraintRefusals(t *testing.T) {
	for text, want := range map[string]string{ // order-free: separate checks
		"":                          `column 1: no attribute ""`,
		"age":                       `column 4: "", must be one of = != <`,
		"age <":                     "column 6: no value",
		"age < old":                 "column 7: age: \"old\", must be a value between",
		"age < 101":                 "must be a value between",
		"age < NaN":                 "must be a value between",
		"age = 15.5":                "column 7: age: 15.5 is between steps",
		"age ! 15":                  `column 5: "!", must be`,
		`age "=" 15`:                `column 5: "=", must be`,
		"ages < 3":                  `column 1: no attribute "ages"`,
		`"marital status" = "never`: "column 20: a quote that does not end",
		`"marital status" < never`:  "column 20: marital status: < needs an order",
		"edu = medium":              `"medium" is not in its public list`,
		"age < 3 or age > 5":        `column 9: "or", must be "and"`,
		"age < 3 implies":           `column 16: no attribute ""`,
		"age < 3 implies age < 2 implies age < 1": `column 25: "implies", must be "and"`,
		"since > 1970": "must be a value between",
	} {
		if _, err := ParseConstraint(text, constrained()); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	rule := must.Get(ParseConstraint("age < 3", constrained()))
	other := NewBuilder(&Schema{Attributes: constrained().Attributes[1:]}, 0).Table()
	if _, err := rule.Breaks(other); err == nil {
		t.Error("a table without the attribute is judged")
	}
}

// TestProjectConstraints: a rule stays where all that it is about does.
func TestProjectConstraints(t *testing.T) {
	s := constrained()
	for _, text := range []string{"age < 15 implies edu = low", "age > 3", "wage < 0"} {
		rule := must.Get(ParseConstraint(text, s))
		s.Constraints = append(s.Constraints, rule)
	}
	projected, err := s.Project("age", "since")
	if err != nil || len(projected.Constraints) != 1 || projected.Constraints[0].Text != "age > 3" {
		t.Errorf("%+v, %v", projected.Constraints, err)
	}
}

// FuzzParseConstraint: what is accepted can be judged on any row.
func FuzzParseConstraint(f *testing.F) {
	for _, text := range []string{"age < 15 implies edu = low", `'edu' <= "and" and wage > 0`,
		"since>=1970-01-02", "!", "\"", "age < \xff", "age\u00a0<\u00a03", "implies and"} {
		f.Add(text)
	}
	schema := constrained()
	b := NewBuilder(schema, 1)
	b.AddRow()
	table := b.Table()
	f.Fuzz(func(t *testing.T, text string) {
		rule, err := ParseConstraint(text, schema)
		if err != nil {
			return
		}
		if len(rule.Then) == 0 {
			t.Fatal("a rule that says nothing")
		}
		breaks := must.Get(rule.Breaks(table))
		breaks(0)
	})
}
