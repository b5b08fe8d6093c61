package datasets

import (
	"slices"
	"strings"
	"testing"
)

func TestTextSpans(t *testing.T) {
	age := Attribute{Name: "age", Low: 10, High: 20, Step: 1}
	size := Attribute{Name: "size", Kind: Categorical, Values: []string{"s", "m", "l", "a..b"}}
	for _, test := range []struct {
		text      string
		attribute *Attribute
		want      []Span
	}{
		{"all", &age, []Span{{0, 10}}},
		{"10", &age, []Span{{0, 1}}},
		{"19, 12..14 ,11", &age, []Span{{9, 10}, {2, 5}, {1, 2}}},
		{"15 .. 15", &age, []Span{{5, 6}}},
		{"m..l", &size, []Span{{1, 3}}},
		{"a..b,s", &size, []Span{{3, 4}, {0, 1}}},
	} {
		if got, err := test.attribute.TextSpans(test.text); err != nil ||
			!slices.Equal(got, test.want) {
			t.Errorf("%q: %v (%v), want %v", test.text, got, err, test.want)
		}
	}
	for text, want := range map[string]string{
		"9": "outside its public bounds", "x": "not a number", "12..": "not a number",
		"14..12": "lower end first", "10,": "not a number", "10.5": "between steps",
		"9, x": "not a number", "x, 9": "outside its public bounds", // both mistakes are reported
	} {
		if _, err := age.TextSpans(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

func FuzzTextSpans(f *testing.F) {
	for _, text := range []string{"all", "3", "1..4, 7", "m..l", "..", "1....2", ",", "-1", "s,m",
		"9..3", "NaN", "1e1"} {
		f.Add(text)
	}
	attributes := []Attribute{
		{Name: "x", High: 10, Step: 1}, {Name: "y", Low: -1, High: 1, Step: 0.25, Continuous: true},
		{Name: "z", Kind: Categorical, Values: []string{"s", "m", "l", "a..b"}},
	}
	f.Fuzz(func(t *testing.T, text string) {
		for i := range attributes {
			spans, err := attributes[i].TextSpans(text)
			if err == nil && len(spans) == 0 {
				t.Fatalf("%q: neither values nor an error", text)
			}
			for _, s := range spans {
				if s.Low >= s.High || int(s.High) > attributes[i].Cells() {
					t.Fatalf("%q: codes [%d, %d) of %d", text, s.Low, s.High, attributes[i].Cells())
				}
			}
		}
	})
}
