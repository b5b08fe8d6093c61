package csvtable

import (
	"strings"
	"testing"

	"ppdp/internal/must"
)

func TestReadHierarchy(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"ages as ARX writes them", "1;0-4;0-9;*\n4;0-4;0-9;*\n5;5-9;0-9;*\n12;10-14;10-19;*\n",
			`"*": [{"0-9": [{"0-4": ["1", "4"]}, {"5-9": ["5"]}]}, ` +
				`{"10-19": [{"10-14": ["12"]}]}]`},
		{"commas, a level that repeats", "\"a,b\",x,x,any\nc,c,y,any\n",
			`"any": [{"x": ["a,b"]}, {"y": ["c"]}]`},
		{"no common root", "a;x\nb;y\n", `"*": [{"x": ["a"]}, {"y": ["b"]}]`},
		{"values alone", "a\nb\n", `"*": ["a", "b"]`},
		{"a value below the root", "a;x;*\nb;*;*\n", `"*": [{"x": ["a"]}, "b"]`},
		{"a term beside the root", "a;*\nb;x\n", `"*": ["a", {"x": ["b"]}]`},
		{"lines that end in a delimiter", "a;x;*;\nb;x;*;\n", `"*": [{"x": ["a", "b"]}]`},
	} {
		tree, err := ReadHierarchy("f.csv", strings.NewReader(test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if got := taxonomyText(tree, 0); got != test.want {
			t.Errorf("%s: got %s, want %s", test.name, got, test.want)
		}
		if err := tree.Validate(tree.Leaves()); err != nil {
			t.Errorf("%s: %v", test.name, err)
		}
	}
	for text, want := range map[string]string{
		"":                   "f.csv:1: an empty file",
		"a;x;*\na;y;*\n":     `f.csv:2: value "a" again, first in line 1`,
		"a;x;p;*\nb;x;q;*\n": `f.csv:2: "x" is below "q", but below "p" in line 1`,
		"a;x;y\nb;y;x\n":     `f.csv:2: "x" is below "*", but below "y" in line 1`,
		"a;*;x\n":            `f.csv:1: "*" is below "x", but below "*" in line 1`,
		"a;\"x\nb;y\n":       "a quote that does not fit",
		"\xff;x\n":           "not UTF-8",
	} {
		if _, err := ReadHierarchy("f.csv", strings.NewReader(text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// FuzzReadHierarchy: whatever is read is a taxonomy.
func FuzzReadHierarchy(f *testing.F) {
	for _, text := range []string{"a;x;*\nb;y;*\n", "a\n", "a;x;y\nb;y;x\n", "\"a,b\",x\n",
		";;\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tree, err := ReadHierarchy("f", strings.NewReader(text))
		if err != nil {
			return
		}
		must.Do(t, tree.Validate(tree.Leaves()))
	})
}
