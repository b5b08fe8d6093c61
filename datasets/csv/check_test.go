package csvtable

import (
	"context"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestCheckIsRead: Check finds as many faults as Read refuses a table for, in the same places.
func TestCheckIsRead(t *testing.T) {
	more := regexp.MustCompile(`and (\d+) more problems`)
	rapid.Check(t, func(rt *rapid.T) {
		field := rapid.SampledFrom([]string{"5", "6.0", "x", "a", "b", "c", "?", "9", "\"a\"", "\"",
			"a,a", "\xe9", " 5", "\"l\nl\"", "NaN"})
		text := rapid.SampledFrom([]string{"age,job\n", "job,x,age\n", "age,jobs\n", "age,age\n",
			"\r", ""}).Draw(rt, "header")
		for range rapid.IntRange(0, 40).Draw(rt, "rows") {
			text += field.Draw(rt, "age") + "," + field.Draw(rt, "job") + "\n"
		}
		format := parse(t, "missing: [\"?\"]\nattributes:\n- {name: age, kind: numeric, low: 0, "+
			"high: 9}\n- {name: job, kind: categorical, values: [a, b]}\n")
		checked, err := format.Check(context.Background(), "f.csv", strings.NewReader(text))
		content, refused := read(format, text)
		if err != nil {
			if refused == nil && content.Table.Len() > 0 {
				rt.Fatal(err)
			}
			return
		}
		found, listed, header := 0, "", false
		for _, faults := range checked.Faults {
			found += faults.Count
			header = header || faults.Kind == Header
			times := 0
			for _, example := range faults.Examples {
				times += example.Times
				listed += "f.csv:" + strconv.Itoa(example.Line) + ":"
			}
			if faults.Mend == "" || times > faults.Count ||
				len(faults.Examples) < mostExamples && times != faults.Count {
				rt.Fatalf("%+v", faults)
			}
		}
		if refused == nil {
			if found != 0 || checked.Records != content.Table.Len()+content.Dropped {
				rt.Fatalf("%+v, but the table is read", checked)
			}
			return
		}
		lines := strings.Split(refused.Error(), "\n")
		want := len(lines)
		if rest := more.FindStringSubmatch(lines[len(lines)-1]); rest != nil {
			n, _ := strconv.Atoi(rest[1])
			want += n - 1
		}
		// Read stops at a header that is wrong, Check goes on.
		if found < want || !header && found > want {
			rt.Fatalf("%d faults, Read has %d:\n%v\n%+v", found, want, refused, checked)
		}
		if !strings.Contains(listed, strings.Join(strings.SplitN(lines[0], ":", 3)[:2], ":")) {
			rt.Fatalf("%s is not among %s", lines[0], listed)
		}
		if checked.Faulty > checked.Records {
			rt.Fatalf("%+v", checked)
		}
	})
}

// TestMend: each kind of fault comes with the advice that fits.
func TestMend(t *testing.T) {
	for text, want := range map[string]string{
		"age,job\n\"1,5\",a\n": "write numbers with a point",
		"age,job\n 5,a\n":      "trim: true",
		"age,job\nInf,a\n":     "infinity is no number",
		"age,job\nold,a\n":     "under missing:",
		"age,job\n5,NA\n":      "under missing:",
		"age,job\n5,A\n":       `"A" may be meant for "a"`,
		"age,job\n5,z\n":       "add to values",
		"age,job\n5.5,a\n":     "finer step",
		"age,job\n-99,a\n":     "widen low and high",
		"age,job\ncaf\xe9,a\n": "encoding: latin-1",
		"age,job\n5,a,b\n":     "quote fields",
		"age,job\n5,\"a\n":     "double a quote",
		"age,jobs\n5,a\n":      "rename columns",
		"age;job\n5;a\n":       "the table's delimiter",
		"age,job\n5,a\n\"" + strings.Repeat("x", 2*maxRecord): "nothing after it",
	} {
		checked, err := parse(t, small).Check(context.Background(), "f.csv",
			strings.NewReader(text))
		if err != nil || len(checked.Faults) != 1 ||
			!strings.Contains(checked.Faults[0].Mend, want) {
			t.Errorf("%.40q: %+v %v, want %s", text, checked, err, want)
		}
	}
}
