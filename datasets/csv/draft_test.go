package csvtable

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ppdp/internal/must"
)

func drafted(t *testing.T, text string, options DraftOptions) string {
	t.Helper()
	var b strings.Builder
	must.Get(draft(&b, "dir/f.csv", opened(text), options))
	return b.String()
}

func opened(text string) func() (*Text, error) {
	return func() (*Text, error) {
		return &Text{Reader: strings.NewReader(text), Closer: io.NopCloser(nil)}, nil
	}
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

// rows are n lines.
func rows(n int, line func(i int) string) string {
	var text strings.Builder
	for i := range n {
		text.WriteString(line(i) + "\n")
	}
	return text.String()
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
missing-as-value: ["pay"]   # keeps their records; true is all columns
class: "y"
attributes:
  - {name: "age", kind: numeric, low: 18, high: 42, step: 1}
  - {name: "job", kind: categorical, values: ["a", "b"]}
  - {name: "pay", kind: numeric, low: 0.5, high: 100, step: 0.5, continuous: true, digits: 1}
  - {name: "y", kind: categorical, values: ["0", "1"]}`},
		{"no header, blanks, an identifier", "1, x, ana\n" + rows(102, func(i int) string {
			return fmt.Sprintf("%d, y, bob%d", 2+i%2, i%101)
		}), DraftOptions{NoHeader: true}, `delimiter: ","
header: false
trim: true
missing: []
attributes:
  - {name: "c1", kind: numeric, low: 1, high: 4, step: 1}
  - {name: "c2", kind: categorical, values: ["x", "y"]}
  - {name: "c3", kind: ignored} # more than 100 different texts, an identifier or free text?; ` +
			"most rows have a value that fewer than 5 share: if it tells persons apart, name " +
			"the column by person:, not as an attribute"},
		{"wide integers", "id\tn\n0\t1\n123456789\t1\n", DraftOptions{}, `delimiter: "\t"
header: true
missing: []
attributes:
  - {name: "id", kind: numeric, low: 0, high: 124000000, step: 1000000, continuous: true, digits: 0}
  - {name: "n", kind: numeric, low: 1, high: 2, step: 1}`},
		{"stated markers", "a|b\n-9|x\n3|y\n",
			DraftOptions{Missing: []string{"-9"}}, `delimiter: "|"
header: true
missing: ["-9"]
missing-as-value: ["a"]   # keeps their records; true is all columns
attributes:
  - {name: "a", kind: numeric, low: 3, high: 4, step: 1}
  - {name: "b", kind: categorical, values: ["x", "y"]}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := drafted(t, test.text, test.options)
			if diff := cmp.Diff(test.want, body(got)); diff != "" {
				t.Error(diff)
			}
			if !strings.HasPrefix(got, "# DRAFT, read off the private data in \"f.csv\".\n") ||
				!strings.Contains(got, "REVIEW EVERY BOUND") {
				t.Errorf("the draft does not begin with its warning:\n%s", got)
			}
			must.Do(t, must.Err(read(parse(t, got), test.text)))
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
		{"a,b,c\n1,2,\"x\x00y\"\n", DraftOptions{}, `f.csv:2:5: "x\x00y" holds a NUL byte`},
		{"pay,b\n1,x\nInf,y\n2,z\n", DraftOptions{},
			`f.csv:3: pay: "Inf" among numbers, must be a number; list it by --missing`},
		{"39,Male,Ana\n40,Male,Bob\n41,Female,Eve\n", DraftOptions{},
			`f.csv:1: the first line looks like data, not names: "39", "Male" occur like values ` +
				`of their columns; state --no-header, or --header`},
		{"x,low\ny,low\nx,high\n", DraftOptions{}, `not names: "x", "low" occur`},
		{"a\n1\n", DraftOptions{Class: "b"},
			`class "b" is not among the columns a schema can describe, must be one of "a"`},
		{"a,b,a,b\n1,2,3,4\n", DraftOptions{},
			"f.csv:1: columns 1 and 3 are both called \"a\", must have different names (or " +
				"--no-header, if the first line is data)\nf.csv:1: columns 2 and 4"},
		{"a,b\n1,\"2\n", DraftOptions{}, "f.csv:2:6: a quote that does not fit"},
		{"a\n1\n", DraftOptions{Delimiter: '"'}, "delimiter '\"', must be"},
		{"\xff\xfea", DraftOptions{}, "UTF-16"},
	} {
		_, err := draft(&strings.Builder{}, "f.csv", opened(test.text), test.options)
		must.Fail(t, err, test.want, test.text)
	}
}

// TestDraftRare: numbers and codes that few rows share each may tell persons apart, however many
// they are; numbers that many share do not.
func TestDraftRare(t *testing.T) {
	for line, want := range map[string]string{ // order-free: separate checks
		"%d":     `"who" is taken for an amount; most rows have a value that fewer than 5 share`,
		"0%d":    `"who" is left out: more than 100 different codes; most rows have a value`,
		"p%d":    "an identifier or free text?; most rows have a value that fewer than 5 share",
		"%d few": "",
	} {
		for persons := 200; persons < 10_000; persons *= 30 {
			text := "who,x\n" + rows(3*persons, func(i int) string {
				if want == "" {
					return fmt.Sprint(i%(3*persons/5), ",a") // five rows each
				}
				return fmt.Sprintf(line+",a", 7*(i%persons))
			})
			notes := must.Get(draft(io.Discard, "f.csv", opened(text), DraftOptions{}))
			if said := strings.Join(notes, "\n"); !strings.Contains(said, want) ||
				want == "" && said != "" {
				t.Errorf("%d of %q: %s, want %s", persons, line, said, want)
			}
		}
	}
}

// TestDraftSees: what a column looks like decides how it is described, or that it is left out.
func TestDraftSees(t *testing.T) {
	for _, test := range []struct {
		name, text string
		options    DraftOptions
		want       string // in the draft
		note       string
	}{
		{"spaces between fields", "age job\n18 clerk\n19 smith\n", DraftOptions{},
			`delimiter: " "`, `"job" looks like one`},
		{"Latin-1", "town,n\nK\xf6ln,1\nM\xfcnster,2\n", DraftOptions{},
			`encoding: latin-1`, "is read as Latin-1"},
		{"its letters", "town,n\nK\xf6ln,1\nM\xfcnster,2\n", DraftOptions{},
			`values: ["Köln", "Münster"]`, ""},
		{"rows counted", "no,x\n" + rows(30, func(i int) string {
			return fmt.Sprint(i+7, ",a")
		}), DraftOptions{}, `#   "no": an identifier: it counts the rows; to keep it: {name:`,
			`"no" is left out: an identifier`},
		{"rows counted in another order", "n,x\n" + rows(30, func(i int) string {
			return fmt.Sprint(i*7%30, ",a")
		}), DraftOptions{}, `#   "n": an identifier: every number of its range occurs once`, ""},
		{"numbers called id", "person_id,x\n" + rows(30, func(i int) string {
			return fmt.Sprint(i*i+100_000, ",a")
		}), DraftOptions{}, `#   "person_id": an identifier: every number is different`, ""},
		{"different numbers without such a name", "pay,x\n" + rows(30, func(i int) string {
			return fmt.Sprint(i*i+100_000, ",a")
		}), DraftOptions{}, `{name: "pay", kind: numeric`, ""},
		{"an identifier alone", "no\n" + rows(30, strconv.Itoa), DraftOptions{},
			`{name: "no", kind: numeric, low: 0, high: 30, step: 1}`, ""},
		{"names", "who,x\n" + rows(25, func(i int) string { return fmt.Sprint("p", i, ",a") }),
			DraftOptions{}, `#   "who": an identifier: every text is different`, ""},
		{"free text", "said,x\n" + rows(150, func(i int) string {
			return strings.Repeat("words and ", 4) + fmt.Sprint(i%120, ",a")
		}), DraftOptions{}, `#   "said": free text: more than 100 different texts`, ""},
		{"numbers with a text", "pay,x\n" + rows(150, func(i int) string {
			if i == 149 {
				return "None,a"
			}
			return fmt.Sprint(i%120, ",a")
		}), DraftOptions{}, `most of its texts look like numbers, but "None" in line 151`,
			""},
		{"percentages", "part,x\n" + rows(150, func(i int) string {
			return fmt.Sprint(i%120, " %,a")
		}), DraftOptions{}, `#   "part": most of its texts look like numbers, but "0 %" in`, ""},
		{"amounts", "pay;x\n" + rows(150, func(i int) string {
			return fmt.Sprintf("%d,%03d;a", i%120+1, i%120)
		}), DraftOptions{}, `#   "pay": most of its texts look like numbers, but "1,000"`, ""},
		{"dates", "day,x\n" + rows(150, func(i int) string {
			return fmt.Sprintf("%04d-%02d-01,a", 1900+i, i%12+1)
		}), DraftOptions{}, `{name: "day", kind: numeric, time: "YYYY-MM-DD", ` +
			`low: "1900-01-01", high: "2050-01-01"}`, ""},
		{"days first", "day,x\n01/02/1990,a\n31/12/1989,b\n", DraftOptions{},
			`time: "DD/MM/YYYY", low: "01/01/1989", high: "01/01/1991"}`, ""},
		{"days or months first", "day,x\n01/02/1990,a\n", DraftOptions{},
			`time: "MM/DD/YYYY"`, `"day": dates are read as MM/DD/YYYY, they may be DD/MM/YYYY`},
		{"times", "at,x\n08:15,a\n?,a\n23:59,b\n", DraftOptions{},
			`{name: "at", kind: numeric, time: "hh:mm", low: "00:00", high: "24:00"}`, ""},
		{"dates with times", "at,x\n2020-02-29 23:59,a\n2020-03-01 08:00,b\n", DraftOptions{},
			`time: "YYYY-MM-DD hh:mm", low: "2020-02-29 00:00", high: "2020-03-02 00:00"}`, ""},
		{"seconds of years", "at,x\n2020-02-29 23:59:00,a\n2022-03-01 08:00:01,b\n",
			DraftOptions{}, `#   "at": dates or times of too long a span for a cell each`, ""},
		{"times with a zone", "at,x\n" + rows(25, func(i int) string {
			return fmt.Sprintf("2023-05-01T15:41:%02d.5+02:00,a", i)
		}), DraftOptions{}, `#   "at": no time: reads all its times, such as "2023-05-01T`, ""},
		{"years are names", "year,2019,2020\na,5,x\n", DraftOptions{Header: true},
			`{name: "2019", kind: numeric`, ""},
		{"codes", "zip,x\n01077,a\n10115,b\n01077,a\n", DraftOptions{},
			`{name: "zip", kind: categorical, values: ["01077", "10115"]}`,
			`"zip": its numbers begin with zeros: they are codes, kept as texts`},
		{"codes without names", "01077\n10115\n", DraftOptions{NoHeader: true},
			`{name: "c1", kind: categorical`, ""},
		{"many codes", "zip,x\n" + rows(150, func(i int) string {
			return fmt.Sprintf("%05d,a", i%120*97)
		}), DraftOptions{}, `#   "zip": more than 100 different codes`, ""},
		{"the same but for case", "x\nno\nYes\nyes\n", DraftOptions{},
			`values: ["Yes", "no", "yes"]`,
			`"x": "Yes" and "yes" differ in case alone: they count as two values`},
		{"different codes", "zip,x\n" + rows(30, func(i int) string {
			return fmt.Sprintf("%05d,a", i*i)
		}), DraftOptions{}, `#   "zip": an identifier: every text is different`, ""},
		{"one zero is a number", "n\n0\n10\n0.5\n", DraftOptions{}, `kind: numeric`, ""},
		{"decimal commas", "pay;n\n1,5;7\n99,25;8\n", DraftOptions{},
			`low: 1.5, high: 99.5, step: 0.5, continuous: true, digits: 2}`,
			`numbers have a decimal comma (decimal: ",")`},
		{"decimal commas in quotes", "pay,n\n\"0,125\",7\n", DraftOptions{}, `decimal: ","`, ""},
		{"commas between thousands", "pay;n\n1,500;7\n12,250,000;8\n", DraftOptions{},
			`{name: "pay", kind: categorical, values: ["1,500", "12,250,000"]}`, ""},
		{"points between thousands", "pay;n\n1,5;1.500\n2,5;999\n", DraftOptions{},
			`{name: "n", kind: categorical, values: ["1.500", "999"]}`,
			`"n": its numbers mix points and commas, or have them between thousands`},
		{"points and commas", "pay;n\n1,5;1.5\n2,5;2.5\n", DraftOptions{},
			`{name: "pay", kind: categorical, values: ["1,5", "2,5"]}`, ""},
		{"few values with digits", "n\n0.1\n0.35\n", DraftOptions{},
			`{name: "n", kind: numeric, low: 0.1, high: 0.36, step: 0.01}`, ""},
		{"exponents", "n\n1e-3\n0.35\n", DraftOptions{}, `continuous: true}`, ""},
		{"missing kept", "x,n\na,1\n-,2\nb,.\n", DraftOptions{},
			"missing: [\".\", \"-\"]\nmissing-as-value: [\"x\", \"n\"]", ""},
		{"a class by its name", "x,target,n\na,u,1\nb,v,2\n", DraftOptions{},
			`# class: "target"   the attribute to predict: a guess`, "--class"},
		{"numbers in a class by size", "x,y\na,10\nb,9\n", DraftOptions{Class: "y"},
			`values: ["9", "10"]}`, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			var b strings.Builder
			notes, err := draft(&b, "f.csv", opened(test.text), test.options)
			if err != nil || !strings.Contains(b.String(), test.want) {
				t.Errorf("%v, want %s in\n%s", err, test.want, b.String())
			}
			if !strings.Contains(strings.Join(notes, "\n"), test.note) {
				t.Errorf("notes %q, want %s", notes, test.note)
			}
			must.Do(t, must.Err(read(parse(t, b.String()), test.text)))
		})
	}
}

func TestRoundStep(t *testing.T) {
	for x, want := range map[float64]float64{1: 1, 1.9: 1, 2: 2, 4.9: 2, 5: 5, 9.9: 5, 10: 10,
		49999: 20000, 0.9: 0.5, 0.5: 0.5, 0.3: 0.25, 1e-3: 0x1p-10} {
		must.Near(t, roundStep(x), want, 1e-12*want, x)
	}
}

// FuzzDraft drafts schemas from anything: a draft that comes about describes the text it was made
// from.
func FuzzDraft(f *testing.F) {
	for _, text := range []string{bankText, "a,b\n1,2\n", "a, b\n1.5, x\n\n-7e9, ?\n",
		"\ufeffa\r\n\"1\"\r\n", "1e300|x\n-1e-300|y\n", "a\n\"x\ry\"\n", "\r,0\n,0",
		"x\n0.1\n1600000000.5\n", "d,t\n2000-02-29,23:59\n",
		"z;p\n01;1,5\n2;-0,25\n", "p;q\n1,5;1.000\n2;3\n", "x\n0.1\n0.3\n",
		"d\n31.12.9999\n", "d\n01/02/0000 00:00\n", "caf\xe9\n\x81\n", "a,a\n1,Inf\n"} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, header bool) {
		var schema bytes.Buffer
		options := DraftOptions{NoHeader: !header}
		if _, err := draft(&schema, "f", opened(text), options); err != nil {
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
