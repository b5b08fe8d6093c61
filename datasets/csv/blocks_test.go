package csvtable

import (
	"context"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"ppdp/internal/must"
)

// sameInBlocks reads a text record by record and in blocks of a size: content and faults must be
// the same, to the place.
func sameInBlocks(t rapid.TB, f *Format, text func() io.Reader, size int) {
	t.Helper()
	want, wantErr := f.read(context.Background(), "f", text(), 0)
	got, gotErr := f.read(context.Background(), "f", text(), size)
	if wantErr != nil || gotErr != nil {
		if wantErr == nil || gotErr == nil || wantErr.Error() != gotErr.Error() {
			t.Fatalf("blocks of %d: %v\nrecord by record: %v", size, gotErr, wantErr)
		}
		return
	}
	if got.Table.Checksum() != want.Table.Checksum() || got.Dropped != want.Dropped ||
		got.Table.Len() != want.Table.Len() {
		t.Fatalf("blocks of %d: %q, %d dropped; record by record: %q, %d", size,
			texts(got.Table), got.Dropped, texts(want.Table), want.Dropped)
	}
}

// TestBlocks: reading plain lines in blocks changes nothing, wherever the blocks end and whatever
// stands among them.
func TestBlocks(t *testing.T) {
	pieces := []string{"5", "99", "07", "x", "", "a", "x y", "?", "100", "-3", "1.5", "\"", "\"\"",
		"\"a\"", "\"5\"", "\"x y\"", "\"q\"\"q\"", "\"l\nl\"", " ", "\r", "\t", "é", "\xff"}
	// Most texts have few odd pieces, so that blocks before them are plain.
	plain := []string{"5,a\n", "99,b\n", "7,\"x y\"\n", "8,\n", "\"6\",a\r\n", "\n", "?,a\n"}
	for _, schema := range []string{small, "missing: [\"?\", \"-3\"]" + small,
		"missing: [\"?\"]\nmissing-as-value: true\ntrim: true" + small,
		"header: false\nencoding: latin-1" + small, one, "missing: [\"\", \"?\"]" + one} {
		format := parse(t, schema)
		single := len(format.Schema.Attributes) == 1
		others := regexp.MustCompile(`,[^\n]*`)
		rapid.Check(t, func(t *rapid.T) {
			var text strings.Builder
			if format.Header && rapid.IntRange(0, 9).Draw(t, "header") > 0 {
				text.WriteString(rapid.SampledFrom([]string{"age,job\n", "job,x,age\n",
					"\ufeffage,\"job\"\r\n", "age,job,\"l\nl\"\n"}).Draw(t, "names"))
			}
			for range rapid.IntRange(0, 40).Draw(t, "lines") {
				if rapid.IntRange(0, 30).Draw(t, "odd") > 0 {
					text.WriteString(rapid.SampledFrom(plain).Draw(t, "line"))
					continue
				}
				for i := range rapid.IntRange(1, 4).Draw(t, "fields") {
					if i > 0 {
						text.WriteByte(',')
					}
					text.WriteString(rapid.SampledFrom(pieces).Draw(t, "field"))
				}
				text.WriteString(rapid.SampledFrom([]string{"\n", "\r\n", ""}).Draw(t, "end"))
			}
			read := text.String()
			if single {
				read = others.ReplaceAllString(read, "")
			}
			sameInBlocks(t, format, func() io.Reader { return strings.NewReader(read) },
				rapid.IntRange(1, 200).Draw(t, "size"))
		})
	}
}

// TestBlocksThatEnd: a text that breaks off gives its faults and the reason, and a record too long
// is refused in its line.
func TestBlocksThatEnd(t *testing.T) {
	format := parse(t, small)
	many := "age,job\n" + strings.Repeat("5,a\n", 100)
	long := strings.Repeat("x", 3*maxRecord)
	broken := errors.New("unplugged")
	for name, text := range map[string]func() io.Reader{
		"broken": func() io.Reader {
			return io.MultiReader(strings.NewReader(many+"6"), iotest.ErrReader(broken))
		},
		"broken after a fault": func() io.Reader {
			return io.MultiReader(strings.NewReader(many+"6,c\n"), iotest.ErrReader(broken))
		},
		"long":       func() io.Reader { return strings.NewReader(many + long) },
		"one byte":   func() io.Reader { return iotest.OneByteReader(strings.NewReader(many)) },
		"not closed": func() io.Reader { return strings.NewReader(many + "6,\"a\n7,b\n") },
	} {
		t.Run(name, func(t *testing.T) {
			for _, size := range []int{8, 64, 1 << 12, maxRecord} {
				sameInBlocks(t, format, text, size)
			}
		})
	}
	_, err := format.Read(context.Background(), "f", strings.NewReader(many+long))
	if err == nil || !strings.HasPrefix(err.Error(), "f:102: a record of more than") {
		t.Errorf("%.200v", err)
	}
}

// TestAppendField: fields are quoted as encoding/csv quotes them.
func TestAppendField(t *testing.T) {
	check := func(t rapid.TB, text string) {
		var want strings.Builder
		w := csv.NewWriter(&want)
		must.Do(t, w.Write([]string{text, ""}))
		w.Flush()
		must.Be(t, string(appendField(nil, text))+",\n", want.String(), text)
	}
	for _, text := range []string{"", `\.`, `\..`, " ", "\u00a0x", "\xff", "\v", "a b", `"`,
		`""`, "\r"} {
		check(t, text)
	}
	rapid.Check(t, func(t *rapid.T) {
		letter := rapid.SampledFrom([]rune("a,\"\r\n \t.\\é\u2003"))
		check(t, rapid.StringOfN(letter, 0, 8, -1).Draw(t, "text"))
	})
}
