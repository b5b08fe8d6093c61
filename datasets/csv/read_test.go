package csvtable

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// texts prints a table, a row a string, with | between its values.
func texts(t *datasets.Table) []string {
	rows := make([]string, t.Len())
	for row := range rows {
		fields := make([]string, len(t.Schema().Attributes))
		for i := range fields {
			a := &t.Schema().Attributes[i]
			fields[i] = a.Text(t.Column(i).At(int32(row)))
			if number := t.Number(int32(row), i); a.Kind == datasets.Numeric && number == number {
				fields[i] = strconv.FormatFloat(number, 'g', -1, 64)
			}
		}
		rows[row] = strings.Join(fields, "|")
	}
	return rows
}

func read(f *Format, text string) (*Content, error) {
	return f.Read(context.Background(), "f.csv", strings.NewReader(text))
}

const small = `
attributes:
  - {name: age, kind: numeric, low: 0, high: 100}
  - {name: job, kind: categorical, values: [a, b, "x y", "1;2", 'q"q', "l\nl", ""]}
`

const one = `
attributes:
  - {name: age, kind: numeric, low: 0, high: 100}
`

func TestReadGood(t *testing.T) {
	bank := readFile(t, "bank.schema.yaml")
	for _, test := range []struct {
		name, schema, text string
		want               []string
		dropped            int
		leftOut            []string
	}{
		{name: "plain", schema: small, text: "age,job\n5,a\n99,b\n", want: []string{"5|a", "99|b"}},
		{name: "no last line end", schema: small, text: "age,job\n5,a", want: []string{"5|a"}},
		{name: "crlf", schema: small, text: "age,job\r\n5,a\r\n6,b\r\n",
			want: []string{"5|a", "6|b"}},
		{name: "byte-order mark", schema: small, text: "\ufeffage,job\n5,a\n",
			want: []string{"5|a"}},
		{name: "blank lines at the end", schema: small, text: "age,job\n5,a\n\n\r\n\n",
			want: []string{"5|a"}},
		{name: "quoted", schema: small,
			text: "\"age\",job\n\"5\",\"a\"\n6,x y\n7,\"q\"\"q\"\n8,\"l\nl\"\n9,\n",
			want: []string{"5|a", "6|x y", `7|q"q`, "8|l\nl", "9|"}},
		{name: "other order and more columns", schema: small, text: "id,job,x,age\n1,a,?,5\n",
			want: []string{"5|a"}, leftOut: []string{"id", "x"}},
		{name: "numbers in other forms",
			schema: small, text: "age,job\n5.0,a\n+6,a\n7e0,a\n08,a\n-0,a\n",
			want: []string{"5|a", "6|a", "7|a", "8|a", "0|a"}},
		{name: "header only", schema: small, text: "age,job\n", want: []string{}},
		{name: "tab", schema: "delimiter: \"\\t\"" + small, text: "age\tjob\n5\tx y\n",
			want: []string{"5|x y"}},
		{name: "many bytes", schema: "delimiter: \"§\"" + small, text: "age§job\n5§a\n",
			want: []string{"5|a"}},
		{name: "delimiter within quotes", schema: "delimiter: \";\"" + small,
			text: "age;job\n5;\"1;2\"\n", want: []string{"5|1;2"}},
		{name: "no header", schema: "header: false" + small, text: "5,a\n6,b\n",
			want: []string{"5|a", "6|b"}},
		{name: "no header, ignored",
			schema: "header: false\nattributes:\n- {name: z, kind: ignored}\n- {name: age, kind: " +
				"numeric, low: 0, high: 9}\n", text: "?,8\n!,7\n", want: []string{"8", "7"}},
		{name: "trim", schema: "trim: true" + small, text: "age , job\n 5, a\n6 , \"x y\"\n",
			want: []string{"5|a", "6|x y"}},
		{name: "missing dropped", schema: "missing: [\"?\", NA]" + small,
			text: "age,job\n5,a\n?,a\n6,NA\n?,?\n7,b\n", want: []string{"5|a", "7|b"}, dropped: 3},
		{name: "a missing number that is a number", schema: "missing: [\"100\", \"-1\"]" + small,
			text: "age,job\n100,a\n-1,a\n98,b\n", want: []string{"98|b"}, dropped: 2},
		{name: "missing kept", schema: "missing: [\"?\", NA]\nmissing-as-value: true" + small,
			text: "age,job\n5,?\n6,NA\n?,a\n", want: []string{"5|?", "6|?", "?|a"}},
		{name: "missing kept of one",
			schema: "missing: [\"?\", NA]\nmissing-as-value: [age]" + small,
			text:   "age,job\n5,?\n6,b\nNA,a\n", want: []string{"6|b", "?|a"}, dropped: 1},
		{name: "bank", schema: bank,
			text: "y;age;job;education;balance\nno;18;admin;tertiary;-1\n" +
				"yes;94;services;primary;0.9999\nno;?;services;primary;0\nno;30;admin;primary;?\n",
			want:    []string{"18|admin|tertiary|-1|no", "94|services|primary|0.9999|yes"},
			dropped: 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			content := must.Get(read(parse(t, test.schema), test.text))
			must.Equal(t, texts(content.Table), test.want)
			if content.Dropped != test.dropped || !slices.Equal(content.LeftOut, test.leftOut) {
				t.Errorf("dropped %d, left out %q; want %d, %q", content.Dropped, content.LeftOut,
					test.dropped, test.leftOut)
			}
		})
	}
}

func TestReadBad(t *testing.T) {
	for _, test := range []struct {
		name, schema, text string
		want               []string
	}{
		{"empty", small, "",
			[]string{"f.csv:1: an empty file, must begin with a header naming age, job"}},
		{"no column", small, "age,jobs\n5,a\n",
			[]string{`f.csv:1:1: no column for the attribute "job" (did you mean jobs?), ` +
				`the header names "age", "jobs" (delimiter ',')`}},
		{"no class column", "class: job" + small, "age\n5\n",
			[]string{`f.csv:1:1: no column for the class attribute "job"`}},
		{"other case", small, "AGE,JOB\n5,a\n",
			[]string{`"age" ("AGE" differs in case alone), the header names "AGE", "JOB" (delim`,
				`f.csv:1:1: no column for the attribute "job" ("JOB" differs in case alone)`}},
		{"other delimiter", small, "age;job\n5;a\n",
			[]string{`f.csv:1:1: the header is one column, "age;job" (delimiter ','), must ` +
				`be one for each attribute; is it ';'?`}},
		{"column twice", small, "age,job,age\n5,a,6\n",
			[]string{`f.csv:1:9: duplicate column "age" in the header`}},
		{"short row", small, "age,job\n5\n", []string{"f.csv:2:1: 1 fields, must be 2"}},
		{"short row after a blank line", small, "age,job\n\n5\n\n",
			[]string{"f.csv:3:1: 1 fields, must be 2"}},
		{"blank line in one column", one, "age\n5\n\n6\n", []string{"f.csv:3: a blank line in"}},
		{"blank line at the end", one, "age\r\n5\r\n\r\n", []string{"f.csv:3: a blank line in"}},
		{"blank lines alone", one, "age\n\n\n", []string{"f.csv:2: a blank line in"}},
		{"long row", small, "age,job\n5,a,b\n", []string{"f.csv:2:3: 3 fields, must be 2"}},
		{"outside", small, "age,job\n5,a\n100,a\n-1,b\n", []string{
			"f.csv:3:1: age: 100 is outside its public bounds, must be in [0, 100)",
			"f.csv:4:1: age: -1 is outside"}},
		{"between steps", small, "age,job\n5.5,a\n",
			[]string{"f.csv:2:1: age: 5.5 is between steps, must be 0 plus a multiple of 1"}},
		{"no number", small, "age,job\nold,a\n0x10,a\n1_0,a\nInf,a\nNaN,a\n,a\n\"1,5\",a\n 5,a\n",
			[]string{
				`f.csv:2:1: age: "old" is not a number`, `:3:1: age: "0x10" is not`,
				`:4:1: age: "1_0" is not`, `:5:1: age: "Inf" is not`,
				`:6:1: age: "NaN" is not`, `:7:1: age: "" is not`, `:8:1: age: "1,5" is not`,
				`:9:1: age: " 5" is not`}},
		{"not listed", small, "age,job\n5,c\n6,A\n",
			[]string{`f.csv:2:3: job: "c" is not in its public list, must be one of "a", "b", "x`,
				`f.csv:3:3: job: "A" is not`}},
		{"after line breaks in quotes", small, "age,job\n5,\"l\nl\"\n6,c\n",
			[]string{`f.csv:4:3: job: "c" is not`}},
		{"not UTF-8", small, "age,job\n5,caf\xe9\n",
			[]string{`f.csv:2:3: job: "caf\xe9" is not UTF-8`}},
		{"carriage returns", small, "age,job\r5,a\r6,b\r",
			[]string{"f.csv:1:5: lines end in a carriage return alone, must end in a line feed"}},
		{"UTF-16", small, "\xff\xfea\x00", []string{"f.csv:1: UTF-16"}},
		{"bare quote", small, "age,job\n5,a\"b\n6,c\n",
			[]string{"f.csv:2:4: a quote inside a field", `f.csv:3:3: job: "c"`}},
		{"open quote", small, "age,job\n5,\"a\n6,b\n", []string{"(the record begins in line 2)"}},
		{"wrong values of a dropped row", "missing: [\"?\"]" + small, "age,job\n?,c\n",
			[]string{`f.csv:2:3: job: "c" is not`}},
		{"missing but not declared", small, "age,job\n?,a\n",
			[]string{`f.csv:2:1: age: "?" is not a number`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			matchErrors(t, must.Err(read(parse(t, test.schema), test.text)), "f.csv:", test.want)
		})
	}
}

func TestReadManyErrors(t *testing.T) {
	text := "age,job\n" + strings.Repeat("x,a\n", 50) + "5,\"a\"\"\n"
	err := must.Err(read(parse(t, small), text))
	lines := strings.Split(fmt.Sprint(err), "\n")
	if len(lines) != 20+1 || lines[20] != "and 31 more problems" {
		t.Errorf("got\n%v", err)
	}
}

// endless repeats a text for ever and counts what was read of it.
type endless struct {
	text string
	read int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[(e.read+i)%len(e.text)]
	}
	e.read += len(p)
	return len(p), nil
}

func TestReadStopsAtHugeRecord(t *testing.T) {
	for name, start := range map[string]string{"quote not closed": "age,job\n5,a\n6,\"a\n",
		"line without end": "age,job\n5,a\n6,"} {
		tail := &endless{text: "aaaa"}
		_, err := parse(t, small).Read(context.Background(), "f.csv",
			io.MultiReader(strings.NewReader(start), tail))
		must.Fail(t, err, "f.csv:3: a record of more than", name)
		if tail.read > 4*maxRecord {
			t.Errorf("%s: read %d bytes before giving up", name, tail.read)
		}
	}
}

func TestReadCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err := parse(t, small).Read(ctx, "f.csv",
		io.MultiReader(strings.NewReader("age,job\n"), &endless{text: "5,a\n"}))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestReadErrorOfTheReader(t *testing.T) {
	_, err := parse(t, small).Read(context.Background(), "f.csv",
		io.MultiReader(strings.NewReader("age,job\n5,a\n"),
			iotest.ErrReader(errors.New("disk on fire"))))
	must.Be(t, fmt.Sprint(err), "f.csv: disk on fire")
}

// drawFormat draws a schema file and a table in its schema. Values are awkward texts on purpose.
func drawFormat(t *rapid.T) (*Format, *datasets.Table) {
	text := rapid.StringMatching(`[a-c ,;"\n|é\\#-]{0,4}`)
	trim := rapid.Bool().Draw(t, "trim")
	delimiter := rapid.SampledFrom([]string{",", ";", "|", "§"}).Draw(t, "delimiter")
	var b strings.Builder
	fmt.Fprintf(&b, "delimiter: %q\nheader: %t\ntrim: %t\nattributes:\n",
		delimiter, rapid.Bool().Draw(t, "header"), trim)
	attributes := rapid.IntRange(1, 4).Draw(t, "attributes")
	for i := range attributes {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			fmt.Fprintf(&b, "- {name: n%d, kind: numeric, low: %d, high: %d}\n",
				i, rapid.IntRange(-300, 0).Draw(t, "low"), rapid.IntRange(1, 70000).Draw(t, "high"))
		case 1:
			step := rapid.SampledFrom([]float64{0.1, 0.25, 3, 1e-7}).Draw(t, "step")
			low := rapid.SampledFrom([]float64{0, -1.3, 1e6}).Draw(t, "low")
			if step == 1e-7 {
				low = 0
			}
			fmt.Fprintf(&b, "- {name: d%d, kind: numeric, low: %v, high: %v, step: %v}\n",
				i, low, low+float64(step*100), step)
		case 2:
			fmt.Fprintf(&b, "- {name: c%d, kind: numeric, low: -8, high: 8, step: 0.5, "+
				"continuous: true}\n", i)
		default:
			values := rapid.SliceOfNDistinct(text, 1, 5, func(s string) string {
				if trim {
					return strings.TrimSpace(s)
				}
				return s
			}).Draw(t, "values")
			for j, value := range values {
				if trim {
					value = strings.TrimSpace(value)
				}
				values[j] = strconv.Quote(value)
			}
			fmt.Fprintf(&b, "- {name: v%d, kind: categorical, values: [%s]}\n",
				i, strings.Join(values, ", "))
		}
	}
	format, err := ParseSchema("f.yaml", []byte(b.String()))
	if err != nil {
		t.Fatalf("%v\n%s", err, b.String())
	}
	builder := datasets.NewBuilder(format.Schema, 0)
	for range rapid.IntRange(0, 20).Draw(t, "rows") {
		row := builder.AddRow()
		for i := range format.Schema.Attributes {
			a := &format.Schema.Attributes[i]
			if a.Continuous {
				value := rapid.Float64Range(a.Low, math.Nextafter(a.High, a.Low)).Draw(t, "value")
				must.Do(t, builder.SetNumber(row, i, value))
				continue
			}
			builder.Set(row, i, uint32(rapid.IntRange(0, a.Cells()-1).Draw(t, "code")))
		}
	}
	return format, builder.Table()
}

// rewritten is a table written and then laid out as the format asks: its delimiter, with or without
// a header, with the columns it ignores.
func rewritten(t rapid.TB, format *Format, table *datasets.Table) string {
	t.Helper()
	var text strings.Builder
	must.Do(t, Write(&text, table, nil, nil))
	records := must.Get(csv.NewReader(strings.NewReader(text.String())).ReadAll())
	text.Reset()
	out := csv.NewWriter(&text)
	out.Comma = format.Delimiter
	if !format.Header {
		records = records[1:]
	}
	for _, record := range records {
		if !format.Header {
			laidOut := make([]string, len(format.layout))
			for i, a := range format.layout {
				if a >= 0 {
					laidOut[i] = record[a]
				}
			}
			record = laidOut
		}
		if len(record) == 1 && record[0] == "" {
			out.Flush()
			text.WriteString("\"\"\n")
		} else if err := out.Write(record); err != nil {
			t.Fatal(err)
		}
	}
	out.Flush()
	return text.String()
}

func TestWriteThenRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		format, table := drawFormat(t)
		text := rewritten(t, format, table)
		content, err := format.Read(context.Background(), "f.csv", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		must.Be(t, content.Table.Checksum(), table.Checksum(), texts(content.Table), text)
	})
}

func TestWrite(t *testing.T) {
	format := parse(t, `
missing: ["?"]
missing-as-value: true
attributes:
  - {name: age, kind: numeric, low: 0, high: 1, step: 0.1}
  - {name: job, kind: categorical, values: [a, "b,c"]}
  - {name: big, kind: numeric, low: 0, high: 3000000, step: 1000000}
`)
	content := must.Get(read(format, "age,job,big\n0.3,?,2000000\n0.7,\"b,c\",0\n"))
	// A projection, as algorithms release it, has its own columns.
	projected := must.Get(content.Table.Project("job"))
	for _, test := range []struct {
		table   *datasets.Table
		weights []float64
		want    string
	}{
		{content.Table, nil, "age,job,big\n0.3,?,2000000\n0.7,\"b,c\",0\n"},
		{content.Table.Select([]int32{1}), []float64{2.5},
			"age,job,big,weight\n0.7,\"b,c\",0,2.5\n"},
		{content.Table.Select(nil), nil, "age,job,big\n"},
		{projected, nil, "job\n?\n\"b,c\"\n"},
	} {
		var text strings.Builder
		must.Do(t, Write(&text, test.table, nil, test.weights))
		must.Be(t, text.String(), test.want)
	}
	if err := Write(io.Discard, content.Table, nil, []float64{1}); err == nil {
		t.Error("one weight for two rows was accepted")
	}
	weight := parse(t, "attributes:\n- {name: weight, kind: numeric, low: 0, high: 9}\n")
	if err := Write(io.Discard, datasets.NewBuilder(weight.Schema, 0).Table(), nil,
		[]float64{}); err == nil {
		t.Error("weights beside an attribute of that name were accepted")
	}
}

var fuzzSchemas = []string{
	small,
	"missing: [\"?\", \"\"]\nmissing-as-value: true\nattributes:\n- {name: x, kind: categorical, " +
		"values: [a, b, c]}\n- {name: n, kind: numeric, low: -2, high: 2, step: 0.5, continuous: " +
		"true}\n",
	"header: false\ntrim: true\ndelimiter: \";\"\nattributes:\n- {name: n, kind: numeric, low: " +
		"-0.5, high: 7.25, step: 0.25}\n- {name: z, kind: ignored}\n- {name: x, kind: " +
		"categorical, values: [a, \"\", \"q\\\"\"]}\n",
	"header: false\nattributes:\n- {name: x, kind: categorical, values: [\"\", a]}\n",
}

// FuzzRead reads anything in several formats: what is accepted has its codes inside the domains and
// comes back the same when it is written and read again.
func FuzzRead(f *testing.F) {
	for i := range fuzzSchemas {
		for _, text := range []string{
			"age,job\n5,a\n", "x,n\na,1.5\n?,-2\n,?\n", "1.25; ;a\n\n7;\"\";\"q\"\"\"\n",
			"\ufeffa\r\n\"\"\r\n", "age,job\n5,\"l\nl\"\n6,a\"\n",
		} {
			f.Add(uint8(i), []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, which uint8, data []byte) {
		format := parse(t, fuzzSchemas[int(which)%len(fuzzSchemas)])
		for _, size := range []int{3, 16} {
			sameInBlocks(t, format, func() io.Reader { return bytes.NewReader(data) }, size)
		}
		content, err := format.Read(context.Background(), "f", bytes.NewReader(data))
		if err != nil {
			if lines := strings.Count(err.Error(), "\n"); lines > 20 {
				t.Errorf("%d lines of errors", lines)
			}
			return
		}
		table := content.Table
		must.Do(t, table.Validate())
		text := rewritten(t, format, table)
		again, err := format.Read(context.Background(), "f", strings.NewReader(text))
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got, want := again.Table.Checksum(), table.Checksum(); got != want {
			t.Errorf("got %q, want %q", texts(again.Table), texts(table))
		}
	})
}

// adultLike is a text of n rows and 15 columns, numbers and words as in Adult.
func adultLike(n int) (schema string, text []byte) {
	schema = "class: c14\nattributes:\n"
	for i := range 15 {
		if i%5 == 0 || i%5 == 3 {
			schema += fmt.Sprintf("- {name: c%d, kind: numeric, low: 0, high: 100000}\n", i)
		} else {
			schema += fmt.Sprintf("- {name: c%d, kind: categorical, values: [Private, "+
				"Never-married, Self-emp-not-inc, United-States, HS-grad]}\n", i)
		}
	}
	values := []string{"Private", "Never-married", "Self-emp-not-inc", "United-States", "HS-grad"}
	var b bytes.Buffer
	for i := range 15 {
		fmt.Fprintf(&b, "c%d%c", i, ",\n"[i/14])
	}
	for row := range n {
		for i := range 15 {
			if i%5 == 0 || i%5 == 3 {
				b.WriteString(strconv.Itoa((row*7919 + i*31) % 100000))
			} else {
				b.WriteString(values[(row+i*row/7)%5])
			}
			b.WriteByte(",\n"[i/14])
		}
	}
	return schema, b.Bytes()
}

func BenchmarkRead(b *testing.B) {
	const rows = 100000
	schema, text := adultLike(rows)
	format := parse(b, schema)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		must.Get(format.Read(context.Background(), "f", bytes.NewReader(text)))
	}
	b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}
