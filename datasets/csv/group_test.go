package csvtable

import (
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// TestParseGroup reads back what groups of codes are written as.
func TestParseGroup(t *testing.T) {
	attributes := []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: -3, High: 9, Step: 1},
		{Name: "third", Kind: datasets.Numeric, Low: 0.1, High: 1, Step: 0.3},
		{Name: "c", Kind: datasets.Numeric, Low: 0, High: 1, Step: 0.25, Continuous: true},
		{Name: "v", Kind: datasets.Categorical, Values: []string{"a", "a, b", "b", "}", "{a"}},
	}
	for i := range attributes {
		a := &attributes[i]
		for low := range uint32(a.Cells()) {
			for high := low + 1; high <= uint32(a.Cells()); high++ {
				text := GroupText(a, low, high)
				g, err := ParseGroup(a, text)
				if err != nil {
					t.Errorf("%s: %v", text, err)
					continue
				}
				same := true
				for code := range uint32(a.Cells()) {
					same = same && g.Holds(code) == (code >= low && code < high)
				}
				// "{a, b}" may be two values or one that holds a comma.
				if !same && a.Name != "v" {
					t.Errorf("%s: %+v, want [%d, %d)", text, g, low, high)
				}
			}
		}
		for _, text := range []string{"", "x", "[0, 1", "[1, 0)", "[0, 100)", "{x}", "{",
			"[a, b)", "[0.26, 0.27)"} {
			if _, err := ParseGroup(a, text); err == nil {
				t.Errorf("%s: %q is read", a.Name, text)
			}
		}
	}
	a := datasets.Attribute{Name: "t", Kind: datasets.Categorical, Values: []string{"a", "b", "c"},
		Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
			{Name: "all", Parent: -1, Children: []int{1, 2}}, {Name: "b", Parent: 0},
			{Name: "b", Parent: 0, Children: []int{3, 4}}, {Name: "a", Parent: 2},
			{Name: "c", Parent: 2}}}}
	for text, want := range map[string]string{"all": "abc", "a": "a", "b": "abc"} {
		g, err := ParseGroup(&a, text)
		got := ""
		for code, value := range a.Values {
			if err == nil && g.Holds(uint32(code)) {
				got += value
			}
		}
		must.Be(t, got, want, text, err)
	}
}

// TestParsePublished reads the usual spellings, by hand.
func TestParsePublished(t *testing.T) {
	age := &datasets.Attribute{Name: "age", Kind: datasets.Numeric, Low: 17, High: 91, Step: 1}
	pay := &datasets.Attribute{Name: "pay", Kind: datasets.Numeric, Low: 0, High: 10, Step: 0.5,
		Continuous: true}
	for _, test := range []struct {
		a         *datasets.Attribute
		text      string
		low, high float64 // the least and the largest value, or cell's lower end
	}{
		{age, "20", 20, 20}, {age, " 20 ", 20, 20}, {age, "20.0", 20, 20}, {age, "20,0", 20, 20},
		{age, "[20, 30)", 20, 29}, {age, "[20-30[", 20, 29}, {age, "[20,30]", 20, 30},
		{age, "(20, 30]", 21, 30}, {age, "]20;30[", 21, 29}, {age, "20-29", 20, 29},
		{age, "20 – 29", 20, 29}, {age, "20..29", 20, 29}, {age, "20 to 29", 20, 29},
		{age, "[0, 20)", 17, 19}, {age, "80-120", 80, 90}, {age, "<20", 17, 19},
		{age, "<= 20", 17, 20}, {age, ">88", 89, 90}, {age, "≥ 88", 88, 90}, {age, "60+", 60, 90},
		{age, "*", 17, 90}, {age, "19.5-21.5", 20, 21}, {age, "-5-20", 17, 20},
		{pay, "[1, 2)", 1, 1.5}, {pay, "1-2", 1, 1.5}, {pay, "1.2-1.3", 1, 1},
		{pay, "9.7+", 9.5, 9.5},
	} {
		g, err := ParsePublished(test.a, test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		for code := range uint32(test.a.Cells()) {
			at := test.a.Low + float64(float64(code)*test.a.Step)
			if want := at >= test.low && at <= test.high; g.Holds(code) != want {
				t.Errorf("%q holds %v: %t", test.text, at, !want)
			}
		}
	}
	job := &datasets.Attribute{Name: "job", Kind: datasets.Categorical,
		Values: []string{"a", "b", "c", "d"}}
	for text, want := range map[string]string{"{a, c}": "ac", "{d,a}": "ad", " b": "b",
		"*": "abcd", "{a, x}": "", "x": "", "": "", "{}": ""} { // order-free: each by itself
		g, err := ParsePublished(job, text)
		got := ""
		for i := range g.Size() {
			got += job.Values[g.At(i)]
		}
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v, want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "NaN", "inf", "-inf", "30-20", "[20, 30", "20-30]", "x-y",
		"200", "200-300", "<17", "20.5", "1e400", "0x20-0x30", "20-30-40"} {
		if g, err := ParsePublished(age, text); err == nil {
			t.Errorf("%q is read as %v", text, g)
		}
	}
}

// FuzzParsePublished: what is read is of the domain, ascends and does not meet.
func FuzzParsePublished(f *testing.F) {
	for _, text := range []string{"[20, 30)", "20-29", "{a, b}", "*", "≥ 1e300", "(1;2]", "all"} {
		f.Add(text, false)
		f.Add(text, true)
	}
	attributes := []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: -3, High: 40, Step: 0.5},
		{Name: "c", Kind: datasets.Categorical, Values: []string{"a", "b", "c"},
			Taxonomy: &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{
				{Name: "all", Parent: -1, Children: []int{1, 2, 3}}, {Name: "a", Parent: 0},
				{Name: "b", Parent: 0}, {Name: "c", Parent: 0}}}}}
	f.Fuzz(func(t *testing.T, text string, categorical bool) {
		a := &attributes[0]
		if categorical {
			a = &attributes[1]
		}
		g, err := ParsePublished(a, text)
		if (err == nil) != (g.Size() > 0) {
			t.Fatalf("%q: %v, %v", text, g, err)
		}
		last := uint32(0)
		for i, s := range g {
			if s.Low >= s.High || s.High > uint32(a.Cells()) || i > 0 && s.Low <= last {
				t.Fatalf("%q: %v", text, g)
			}
			last = s.High
		}
	})
}
