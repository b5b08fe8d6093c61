package csvtable

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress"
	"github.com/parquet-go/parquet-go/deprecated"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// parquetRow has a column for each type of tables.
type parquetRow struct {
	Age   int32            `parquet:"age"`
	Job   *string          `parquet:"job,optional,dict"`
	Note  string           `parquet:"note,plain"`
	Pay   float64          `parquet:"pay"`
	Small float32          `parquet:"small,split"`
	Cost  int64            `parquet:"cost,decimal(2:12)"`
	Yes   bool             `parquet:"yes"`
	Day   int32            `parquet:"day,date"`
	Seen  *int64           `parquet:"seen,optional,timestamp(microsecond)"`
	Hour  int32            `parquet:"hour,delta,time(millisecond)"`
	Big   uint64           `parquet:"big,delta"`
	ID    [16]byte         `parquet:"id,uuid"`
	Old   deprecated.Int96 `parquet:"old"`
}

// madeRows are rows and, written independently, what a CSV file has for them.
func madeRows(n int) (rows []parquetRow, csv string) {
	jobs := []string{"clerk", "smith,\"head\"", ""}
	text := "age,job,note,pay,small,cost,yes,day,seen,hour,big,id,old\n"
	for i := range n {
		r := parquetRow{Age: int32(i%100 - 3), Note: fmt.Sprintf("note %d", i), Pay: float64(i) / 8,
			Small: 0.1, Cost: int64(i) - 5, Yes: i%3 == 0, Day: int32(i % 59),
			Hour: 1000 * int32(i),
			Big:  math.MaxUint64 - uint64(i), Old: deprecated.Int96{1e9, 0, 2440588 + 31}}
		binary.BigEndian.PutUint16(r.ID[:], uint16(i))
		job, seen := "", ""
		if i%7 != 0 {
			r.Job = &jobs[i%3]
			job = []string{"clerk", `"smith,""head"""`, ""}[i%3]
		}
		if i%5 != 0 {
			at := int64(i%60) * 1e6
			r.Seen, seen = &at, fmt.Sprintf("1970-01-01 00:00:%02d", i%60)
		}
		cost, sign := i-5, ""
		if cost < 0 {
			cost, sign = -cost, "-"
		}
		day := fmt.Sprintf("1970-01-%02d", i%59+1)
		if i%59 > 30 {
			day = fmt.Sprintf("1970-02-%02d", i%59-30)
		}
		text += fmt.Sprintf("%d,%s,note %d,%v,0.1,%s%d.%02d,%t,%s,%s,%02d:%02d:%02d,%d,"+
			"%04x0000-0000-0000-0000-000000000000,1970-02-01 00:00:01\n", r.Age, job, i, r.Pay,
			sign, cost/100, cost%100, r.Yes, day, seen, i/3600, i/60%60, i%60, r.Big, uint16(i))
		rows = append(rows, r)
	}
	return rows, text
}

func parquetOf[T any](t testing.TB, rows []T, options ...parquet.WriterOption) string {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, options...)
	must.Get(w.Write(rows))
	must.Do(t, w.Close())
	return b.String()
}

const madeSchema = `missing: [""]
missing-as-value: [job, seen]
attributes:
  - {name: age, kind: numeric, low: -3, high: 100}
  - {name: job, kind: categorical, values: [clerk, 'smith,"head"']}
  - {name: pay, kind: numeric, low: 0, high: 1000, step: 0.125}
  - {name: cost, kind: numeric, low: -1, high: 1000, step: 0.01}
  - {name: yes, kind: categorical, values: ["true", "false"]}
  - {name: day, kind: numeric, time: YYYY-MM-DD, low: 1970-01-01, high: 1971-01-01}
  - {name: seen, kind: numeric, time: YYYY-MM-DD hh:mm:ss, low: 1970-01-01 00:00:00,
     high: 1971-01-01 00:00:00}
  - {name: hour, kind: numeric, time: "hh:mm:ss", low: "00:00:00", high: "24:00:00"}
`

// TestParquetAsCSV compares a table with the same as CSV, whatever its packing and pages.
func TestParquetAsCSV(t *testing.T) {
	rows, text := madeRows(1500)
	dir := write(t, map[string]string{"a.csv": text, "s.yaml": madeSchema})
	want := must.Get(load(dir, "a.csv", "s.yaml"))
	var draft strings.Builder
	must.Get(Draft(&draft, filepath.Join(dir, "a.csv"), DraftOptions{}))
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Gzip,
		&parquet.Zstd} {
		for version := 1; version <= 2; version++ {
			path := filepath.Join(dir, "a.parquet")
			must.Do(t, os.WriteFile(path, []byte(parquetOf(t, rows, parquet.Compression(codec),
				parquet.DataPageVersion(version), parquet.PageBufferSize(1000),
				parquet.MaxRowsPerRowGroup(650))), 0o600))
			got, err := load(dir, "a.parquet", "s.yaml")
			if err != nil {
				t.Fatalf("%v %d: %v", codec, version, err)
			}
			if got.Checksum != want.Checksum || got.Table.Checksum() != want.Table.Checksum() {
				content := must.Get(Open(path, nil))
				content.parquet.of(&Format{})
				t.Fatalf("%v %d: another table than the CSV's: %.600s", codec, version,
					must.Get(io.ReadAll(content)))
			}
			texts := func(path string) *Texts {
				text := must.Get(Open(path, nil))
				defer text.Close()
				return must.Get(parse(t, madeSchema).ReadTexts(context.Background(), path, text,
					[]string{"age", "id"}))
			}
			if !reflect.DeepEqual(texts(path), texts(filepath.Join(dir, "a.csv"))) {
				t.Error("other texts than the CSV's")
			}
			var b strings.Builder
			must.Get(Draft(&b, path, DraftOptions{}))
			must.Be(t, body(b.String()), body(draft.String()), codec, b.String(), draft.String())
		}
	}
}

// TestForeignParquet reads files that another program wrote, parquet-rs 59.3.0, as the CSV of their
// rows: PLAIN in gzip, dictionaries in Snappy, and pages of the second version in Zstandard.
func TestForeignParquet(t *testing.T) {
	dir := filepath.Join("testdata", "parquet-rs")
	want := must.Get(load(dir, "rows.csv", "schema.yaml"))
	if want.Table.Len() != 200 {
		t.Fatalf("%d rows of 200", want.Table.Len())
	}
	for _, name := range []string{"gzip", "snappy", "zstd"} {
		got, err := load(dir, name+".parquet", "schema.yaml")
		if err != nil || got.Table.Checksum() != want.Table.Checksum() {
			t.Errorf("%s: another table than the CSV's, %v", name, err)
		}
	}
}

// TestParquetFaults says rows, and the schema's layout of text does not matter.
func TestParquetFaults(t *testing.T) {
	type row struct {
		Age float64 `parquet:"age"`
		Day int64   `parquet:"day,timestamp(millisecond)"`
	}
	format := parse(t, `delimiter: ";"
header: false
encoding: latin-1
decimal: ","
attributes:
  - {name: day, kind: numeric, time: DD.MM.YYYY, low: 01.01.1970, high: 01.01.1971}
  - {name: age, kind: numeric, low: 0, high: 9, step: 0.5}
`)
	read := func(rows ...row) (*Content, error) {
		text := parquetOf(t, rows)
		from := must.Get(Unpack("f.parquet", strings.NewReader(text), int64(len(text))))
		return format.Read(context.Background(), "f.parquet", from)
	}
	content := must.Get(read(row{1.5, 0}, row{2, 24 * 3600 * 1000}))
	if c := content.Table.Column(1); content.Table.Len() != 2 || c.At(0) != 3 || c.At(1) != 4 {
		t.Errorf("%d rows", content.Table.Len())
	}
	_, err := read(row{1, 0}, row{1, 1500}, row{10, 0})
	for _, want := range []string{"f.parquet:3: age: 10 is outside",
		`f.parquet:2: day: "1970-01-01 00:00:01.5" is not of the form DD.MM.YYYY`} {
		must.Fail(t, err, want)
	}
	format.Schema.Attributes[1].Name = "ages"
	if _, err = read(row{}); err == nil || err.Error() != `f.parquet: no column for the attribute `+
		`"ages" (did you mean age?), the header names "age", "day"` {
		t.Errorf("%v", err)
	}
}

// readAll reads all text of a Parquet file. It bounds what that may cost.
func readAll(t testing.TB, content string) error {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	text, err := Unpack("f", strings.NewReader(content), int64(len(content)))
	if err == nil {
		text.parquet.of(&Format{})
		_, err = io.Copy(io.Discard, text)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 2<<30 {
		t.Errorf("%d bytes were set aside for a file of %d", used, len(content))
	}
	return err
}

// footed is a file with a footer of any bytes.
func footed(footer string) string {
	length := binary.LittleEndian.AppendUint32(nil, uint32(len(footer)))
	return "PAR1" + footer + string(length) + "PAR1"
}

func TestParquetBad(t *testing.T) {
	type nested struct {
		Good int32
		List []int32 `parquet:"list,list"`
		Part struct{ A, B int32 }
		Many []string
	}
	type delta struct {
		A string `parquet:"a,delta"`
	}
	type plain struct {
		A int64 `parquet:"a"`
	}
	zeros := make([]plain, 1<<22)
	whole := parquetOf(t, zeros[:1000])
	for name, test := range map[string]struct{ content, want string }{
		"nested": {parquetOf(t, make([]nested, 3)),
			`columns of lists or of parts, "list", "Part", "Many"`},
		"delta": {parquetOf(t, make([]delta, 3)),
			`column "a", row 1: encoded as DELTA_BYTE_ARRAY`},
		"codec": {parquetOf(t, zeros[:9], parquet.Compression(&parquet.Brotli)),
			"packed by BROTLI, must be by none, Snappy"},
		"zip bomb": {parquetOf(t, zeros, parquet.Compression(&parquet.Zstd),
			parquet.PageBufferSize(1<<26)), "unpacks to more than 16 MiB"},
		"magic alone":     {"PAR1", "damaged"},
		"cut off":         {whole[:len(whole)/2], "damaged"},
		"footer's length": {whole[:len(whole)-8] + "\xff\xff\xff\x7f" + "PAR1", "damaged"},
		// A list of 2^31 - 1 schema elements; a struct in a struct in a struct.
		"long list": {footed("\x29\xfc\xff\xff\xff\xff\x07\x00"), "damaged"},
		"deep":      {footed(strings.Repeat("\x1c", 1<<20)), "damaged"},
		"no schema": {footed("\x00"), "damaged"},
		"encrypted": {"PARE", "an encrypted Parquet file, must be delimited text"},
	} {
		err := readAll(t, test.content)
		must.Fail(t, err, test.want, name)
	}
}

// FuzzParquet looks for panics, and for small files that cost much.
func FuzzParquet(f *testing.F) {
	rows, _ := madeRows(5)
	for _, codec := range []compress.Codec{&parquet.Uncompressed, &parquet.Snappy, &parquet.Zstd} {
		for version := 1; version <= 2; version++ {
			f.Add([]byte(parquetOf(f, rows, parquet.Compression(codec),
				parquet.DataPageVersion(version))))
		}
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		_ = readAll(t, "PAR1"+string(content[min(4, len(content)):]))
	})
}

// TestParquetFlipped is the fuzz test with every third byte of a file changed: none may be a panic.
func TestParquetFlipped(t *testing.T) {
	rows, _ := madeRows(20)
	content := []byte(parquetOf(t, rows, parquet.DataPageVersion(1)))
	for at := 4; at < len(content); at += 3 {
		was := content[at]
		content[at] ^= []byte{0xff, 1}[at%2]
		_ = readAll(t, string(content))
		content[at] = was
	}
}

// textsOf is a CSV text as it was published.
func textsOf(t testing.TB, format *Format, text string) *Texts {
	t.Helper()
	texts := must.Get(format.ReadTexts(context.Background(), "f", strings.NewReader(text), nil))
	return texts
}

func noneGeneralised(*datasets.Attribute) bool { return false }

// TestWriteParquet writes what Write writes and reads it back: by this package, as the same table,
// and by the library's own reader, as rows of the same types.
func TestWriteParquet(t *testing.T) {
	const schema = `missing: ["?"]
missing-as-value: [job, age, day, rate]
attributes:
  - {name: age, kind: numeric, low: -3, high: 100}
  - {name: job, kind: categorical, values: ["?", clerk, 'a,"b"', "", "7"]}
  - {name: rate, kind: numeric, low: 0, high: 1, step: 0.125}
  - {name: pay, kind: numeric, low: 0, high: 100, step: 0.5, continuous: true, digits: 2}
  - {name: day, kind: numeric, time: DD.MM.YYYY, low: 01.01.1960, high: 01.01.2000}
  - {name: at, kind: numeric, time: "hh:mm", low: "00:00", high: "24:00"}
  - {name: one, kind: categorical, values: [same]}
`
	const text = "age,job,rate,pay,day,at,one\n" +
		"-3,clerk,0.125,0.30,31.12.1969,00:00,same\n?,?,?,99.99,?,23:59,same\n" +
		"99,\"a,\"\"b\"\"\",0,0.00,29.02.1996,12:30,same\n5,7,0.5,1.50,01.01.1970,07:00,same\n" +
		"99,,?,7.25,?,07:00,same\n"
	type row struct {
		Age  *int64   `parquet:"age"`
		Job  *string  `parquet:"job"`
		Rate *float64 `parquet:"rate"`
		Pay  float64  `parquet:"pay"`
		Day  *int32   `parquet:"day"`
		At   string   `parquet:"at"`
		One  string   `parquet:"one"`
		W    float64  `parquet:"weight"`
	}
	format := parse(t, schema)
	want := must.Get(format.Read(context.Background(), "f", strings.NewReader(text)))
	texts := textsOf(t, format, text)
	var b, again bytes.Buffer
	must.Do(t, WriteParquet(&b, format.Schema, texts, nil, noneGeneralised))
	must.Do(t, WriteParquet(&again, format.Schema, texts, nil, noneGeneralised))
	if !bytes.Equal(b.Bytes(), again.Bytes()) {
		t.Error("other bytes the second time")
	}
	from := must.Get(Unpack("f", &b, int64(b.Len())))
	got := must.Get(format.Read(context.Background(), "f", from))
	if got.Table.Checksum() != want.Table.Checksum() {
		t.Error("another table than the CSV's")
	}
	must.Do(t, WriteParquet(&b, format.Schema, texts, []float64{1, 2, 0.5, 1, 4}, noneGeneralised))
	rows := must.Get(parquet.Read[row](bytes.NewReader(b.Bytes()), int64(b.Len())))
	var read strings.Builder
	for _, r := range rows {
		for _, field := range []any{r.Age, r.Job, r.Rate, r.Pay, r.Day, r.At, r.One, r.W} {
			if v := reflect.ValueOf(field); v.Kind() != reflect.Pointer {
				fmt.Fprint(&read, field, "|")
			} else if v.IsNil() {
				fmt.Fprint(&read, "null|")
			} else {
				fmt.Fprint(&read, v.Elem(), "|")
			}
		}
		read.WriteString("\n")
	}
	// Days since 1970-01-01, 26 years of 365 days, 6 leap days and 59 days for 1996-02-29.
	if want := "-3|clerk|0.125|0.3|-1|00:00|same|1|\nnull|null|null|99.99|null|23:59|same|2|\n" +
		"99|a,\"b\"|0|0|9555|12:30|same|0.5|\n5|7|0.5|1.5|0|07:00|same|1|\n" +
		"99||null|7.25|null|07:00|same|4|\n"; read.String() != want {
		t.Errorf("the library reads\n%swant\n%s", read.String(), want)
	}
}

// BenchmarkParquet reads the table of BenchmarkRead and writes it.
func BenchmarkParquet(b *testing.B) {
	const rows = 100000
	schema, text := adultLike(rows)
	format := parse(b, schema)
	texts := textsOf(b, format, string(text))
	var content bytes.Buffer
	write := func(w io.Writer) {
		must.Do(b, WriteParquet(w, format.Schema, texts, nil, noneGeneralised))
	}
	write(&content)
	for name, do := range map[string]func(){
		"write": func() { write(io.Discard) },
		"read": func() {
			from := must.Get(Unpack("f", bytes.NewReader(content.Bytes()), int64(content.Len())))
			must.Get(format.Read(context.Background(), "f", from))
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				do()
			}
			b.ReportMetric(rows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
