package results

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestPartitionsReadBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z ",;\n]+`)
		whole := rapid.IntRange(0, 1<<40)
		number := rapid.Float64Range(-1e9, 1e9)
		sides := []RegionSide{}
		for range rapid.IntRange(0, 5).Draw(t, "sides") {
			low := number.Draw(t, "low")
			sides = append(sides, RegionSide{Cell: whole.Draw(t, "cell"), Region: whole.Draw(t, "region"), Records: math.Abs(number.Draw(t, "records")),
				Attribute: name.Draw(t, "attribute"), Low: low, High: low + 1 + math.Abs(number.Draw(t, "width"))})
		}
		values := []RowValue{}
		for range rapid.IntRange(0, 5).Draw(t, "values") {
			values = append(values, RowValue{Dataset: name.Draw(t, "dataset"), Row: whole.Draw(t, "row"), Attribute: name.Draw(t, "attribute"), Value: number.Draw(t, "value")})
		}
		var regions, rows bytes.Buffer
		if err := WriteRegions(&regions, sides); err != nil {
			t.Fatal(err)
		}
		if err := WriteRows(&rows, values); err != nil {
			t.Fatal(err)
		}
		gotSides, err := ReadRegions(&regions, "r")
		if diff := cmp.Diff(sides, gotSides); err != nil || diff != "" {
			t.Fatalf("%v, sides (-want +got):\n%s", err, diff)
		}
		gotValues, err := ReadRows(&rows, "r")
		if diff := cmp.Diff(values, gotValues); err != nil || diff != "" {
			t.Fatalf("%v, values (-want +got):\n%s", err, diff)
		}
	})
}

func TestPartitionsRefuse(t *testing.T) {
	regions := "cell,region,records,attribute,low,high\n"
	rows := "dataset,row,attribute,value\n"
	for _, test := range []struct{ text, want string }{
		{"", "f:1: the file is empty"},
		{"a,b\n", `f:1: header "a,b"`},
		{regions + "0,0,1,x,3,3\n", "f:2: low 3 and high 3"},
		{regions + "0,-1,1,x,3,4\n", "f:2: cell 0 and region -1"},
		{regions + "0,0,,x,3,4\n", "f:2: NaN records"},
		{regions + "0,0,1,,3,4\n", `f:2: attribute ""`},
		{regions + "a,0,1,x,b,4\n", `low: "b", must be a finite number`},
		{rows + "d,0,x,\n", "f:2: value NaN"},
		{rows + "d,-2,x,1\n", "f:2: row -2"},
		{rows + "d,1,x\n", "f:2: 3 cells, must be 4"},
	} {
		var err error
		if strings.HasPrefix(test.text, "dataset") {
			_, err = ReadRows(strings.NewReader(test.text), "f")
		} else {
			_, err = ReadRegions(strings.NewReader(test.text), "f")
		}
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.text, err, test.want)
		}
	}
}

func FuzzReadPartitions(f *testing.F) {
	f.Add("cell,region,records,attribute,low,high\n0,1,10,x,-0.5,3.5\n")
	f.Add("dataset,row,attribute,value\nd,0,x,1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if sides, err := ReadRegions(strings.NewReader(text), "f"); err == nil {
			if err := WriteRegions(&bytes.Buffer{}, sides); err != nil {
				t.Fatalf("read but not to be written: %v", err)
			}
		}
		if values, err := ReadRows(strings.NewReader(text), "f"); err == nil {
			if err := WriteRows(&bytes.Buffer{}, values); err != nil {
				t.Fatalf("read but not to be written: %v", err)
			}
		}
	})
}
