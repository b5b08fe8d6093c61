package csvtable

import (
	"bytes"
	"context"
	"math"
	"strings"
	"testing"
)

func drafted(t *testing.T, text string, options DraftOptions) string {
	t.Helper()
	var b strings.Builder
	if err := draft(&b, "dir/f.csv", strings.NewReader(text), options); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// body is a draft without its comments.
func body(text string) string {
	var lines []string
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestDraft(t *testing.T) {
	for _, test := range []struct {
		name, text string
		options    DraftOptions
		want       string
	}{
		{"semicolons", "age;job;pay;y\n18;b;0.5;0\n40;a;?;1\n41;a;99.5;0\n",
			DraftOptions{Class: "y"}, `delimiter: ";"
header: true
missing: ["?"]
class: "y"
attributes:
  - {name: "age", kind: numeric, low: 18, high: 42, step: 1}
  - {name: "job", kind: categorical, values: ["a", "b"]}
  - {name: "pay", kind: numeric, low: 0.5, high: 100, step: 0.5, continuous: true}
  - {name: "y", kind: categorical, values: ["0", "1"]}`},
		{"no header, blanks, an identifier", "1, x, ana\n2, y, bob\n3, x, eve\n",
			DraftOptions{NoHeader: true, MaxValues: 2}, `delimiter: ","
header: false
trim: true
missing: []
attributes:
  - {name: "c1", kind: numeric, low: 1, high: 4, step: 1}
  - {name: "c2", kind: categorical, values: ["x", "y"]}
  - {name: "c3", kind: ignored} # more than 2 different texts, an identifier or free text?`},
		{"wide integers", "id\tn\n0\t1\n123456789\t1\n", DraftOptions{}, `delimiter: "\t"
header: true
missing: []
attributes:
  - {name: "id", kind: numeric, low: 0, high: 124000000, step: 1000000, continuous: true}
  - {name: "n", kind: numeric, low: 1, high: 2, step: 1}`},
		{"stated markers", "a|b\n-9|x\n3|y\n",
			DraftOptions{Missing: []string{"-9"}}, `delimiter: "|"
header: true
missing: ["-9"]
attributes:
  - {name: "a", kind: numeric, low: 3, high: 4, step: 1}
  - {name: "b", kind: categorical, values: ["x", "y"]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := drafted(t, test.text, test.options)
			if body(got) != test.want {
				t.Errorf("got\n%s\nwant\n%s", body(got), test.want)
			}
			if !strings.HasPrefix(got, "# DRAFT, read off the private data in \"f.csv\".\n") ||
				!strings.Contains(got, "REVIEW EVERY BOUND") {
				t.Errorf("the draft does not begin with its warning:\n%s", got)
			}
			if _, err := read(parse(t, got), test.text); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestDraftBad(t *testing.T) {
	for _, test := range []struct {
		text    string
		options DraftOptions
		want    string
	}{
		{"", DraftOptions{}, "no rows"},
		{"a,b\n", DraftOptions{}, "no rows"},
		{"a;b;c\n1;2\n1;2;3;4\n", DraftOptions{}, "f.csv:2: 2 fields, must be 3 (delimiter ';')"},
		{"a,b\r1,2\r", DraftOptions{}, "f.csv:1: lines end in a carriage return alone"},
		{"a,b\n1,2\n3\n", DraftOptions{Delimiter: ','}, "f.csv:3: 1 fields, must be 2"},
		{"a\ncaf\xe9\n", DraftOptions{}, "f.csv:2:1: \"caf\\xe9\" is not UTF-8"},
		{"a\n1\n", DraftOptions{Class: "b"},
			`class "b" is not among the columns a schema can describe, must be one of "a"`},
		{"a,a\n1,2\n", DraftOptions{}, "no column can be described"},
		{"a,b\n1,\"2\n", DraftOptions{}, "f.csv:2:6: a quote that does not fit"},
		{"a\n1\n", DraftOptions{Delimiter: '"'}, "delimiter '\"', must be"},
		{"\xff\xfea", DraftOptions{}, "UTF-16"},
	} {
		err := draft(&strings.Builder{}, "f.csv", strings.NewReader(test.text), test.options)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want %s", test.text, err, test.want)
		}
	}
}

// TestDraftOfAdult reads the real data with a schema drafted from them: nothing may be refused.
func TestDraftOfAdult(t *testing.T) {
	path := adultFile(t, "adult.data.gz")
	var schema bytes.Buffer
	if err := Draft(&schema, path, DraftOptions{NoHeader: true, Class: "c15"}); err != nil {
		t.Fatal(err)
	}
	text, err := Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	content, err := parse(t, schema.String()).Read(context.Background(), path, text)
	if err != nil {
		t.Fatal(err)
	}
	if content.Table.Len() != 30162 || content.Dropped != 2399 {
		t.Errorf("%d rows and %d dropped, must be 30162 and 2399", content.Table.Len(),
			content.Dropped)
	}
}

func TestRoundStep(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.9: 1, 2: 2, 4.9: 2, 5: 5, 9.9: 5, 10: 10,
		49999: 20000, 0.9: 0.5, 0.5: 0.5, 0.3: 0.25, 1e-3: 0x1p-10} {
		if got := roundStep(x); math.Abs(got-want) > 1e-12*want {
			t.Errorf("roundStep(%v) = %v, want %v", x, got, want)
		}
	}
}

// FuzzDraft drafts schemas from anything: a draft that comes about describes the text it was made
// from.
func FuzzDraft(f *testing.F) {
	for _, text := range []string{bankText, "a,b\n1,2\n", "a, b\n1.5, x\n\n-7e9, ?\n",
		"\ufeffa\r\n\"1\"\r\n", "1e300|x\n-1e-300|y\n", "a\n\"x\ry\"\n", "\r,0\n,0",
		"x\n0.1\n1600000000.5\n"} {
		f.Add(text, true, uint8(0))
		f.Add(text, false, uint8(2))
	}
	f.Fuzz(func(t *testing.T, text string, header bool, most uint8) {
		options := DraftOptions{NoHeader: !header, MaxValues: int(most)}
		var schema bytes.Buffer
		if err := draft(&schema, "f", strings.NewReader(text), options); err != nil {
			return
		}
		format, err := ParseSchema("f", schema.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, schema.Bytes())
		}
		if _, err := read(format, text); err != nil {
			t.Fatalf("%v\n%s", err, schema.Bytes())
		}
	})
}
