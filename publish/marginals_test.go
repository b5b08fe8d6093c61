package publish

import (
	"bytes"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/numeric/random"
)

// TestMarginalValues: whatever cells a value stands for, its text is read back as them, and no
// other value of the attribute has that text.
func TestMarginalValues(t *testing.T) {
	stream := random.NewKey(2).Stream()
	for _, a := range []datasets.Attribute{
		{Name: "whole", Low: -3, High: 20, Step: 1},
		{Name: "fine", Low: 0.1, High: 4.1, Step: 0.1, Continuous: true},
		{Name: "wage", Low: 1900.05, High: 1902, Step: 0.3, Continuous: true},
		{Name: "since", Low: 0, High: 60, Step: 1, Clock: "DD.MM.YYYY hh:mm"},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"", "a", "[\"a\"]", "a or b",
			"b", "[", "{a, b}", "x,\"y", "line\nbreak", "<&>"}},
	} {
		cells := a.Cells()
		seen := make(map[string]string)
		for range 400 {
			var spans []datasets.Span
			share := stream.Open01()
			for code := range uint32(cells) {
				if last := len(spans) - 1; stream.Open01() > share {
					continue
				} else if last >= 0 && spans[last].High == code {
					spans[last].High++
				} else {
					spans = append(spans, datasets.Span{Low: code, High: code + 1})
				}
			}
			if spans == nil {
				continue
			}
			text := valueText(&a, spans)
			got, err := parseValue(&a, text)
			if err != nil || !reflect.DeepEqual(got, spans) || text == "" {
				t.Fatalf("%s: %v is %q, read as %v (%v)", a.Name, spans, text, got, err)
			}
			if is := fmt.Sprint(spans); seen[text] != "" && seen[text] != is {
				t.Errorf("%s: %q is two values", a.Name, text)
			} else {
				seen[text] = is
			}
		}
	}
}

// TestMarginalsFile: the file holds what was measured; every change of it that can be noticed is
// refused, with the place.
func TestMarginalsFile(t *testing.T) {
	_, r := files(t, 60)
	r.Algorithm, r.Epsilon, r.Params = "mst", 1, set("cut=equal")
	made := must.Get(Make(t.Context(), r))
	c := made.Certificate
	schema := must.Get(csvtable.ParseSchema(SchemaFile,
		[]byte(read(t, filepath.Join(r.Out, SchemaFile))))).Schema
	marginals := must.Get(c.readMarginals(r.Out, schema))
	cost := 0.0
	for i := range marginals {
		cost += marginals[i].Cost
	}
	if len(marginals) != 5+4 || cost < 0.66 || cost > 0.67 {
		t.Fatalf("%d marginals, cost %v", len(marginals), cost)
	}
	text := read(t, filepath.Join(r.Out, MarginalsFile))
	lines := strings.SplitAfter(text, "\n")
	first, n := strings.Split(lines[1], ","), len(lines)-1
	var four bytes.Buffer // town x or others, with y
	must.Do(t, c.writeMarginals(&four, schema, []algorithms.Marginal{{Attributes: []int{3, 4},
		Values: [][][]datasets.Span{{{{Low: 0, High: 1}}, {{Low: 1, High: 3}}},
			{{{Low: 0, High: 1}}, {{Low: 1, High: 2}}}}, Counts: []float64{1, 2, 3, 4},
		Purpose: marginals[0].Purpose, Cost: marginals[0].Cost}}))
	small := strings.SplitAfter(four.String(), "\n")
	for want, forged := range map[string]string{ // order-free: separate checks
		"marginals.csv:1: ":      strings.Replace(text, "purpose", "reason", 1),
		"must divide its domain": lines[0] + strings.Join(lines[2:], ""),
		"marginals.csv:2: ":      strings.Replace(text, first[3], "0.5", 1),
		"cost 0.6": strings.ReplaceAll(text, "first marginals",
			"marginals of the tree"),
		"must be a mechanism of the certificate": strings.ReplaceAll(text, "first marginals", "x"),
		`a count of "1.5", must be a whole`: lines[0] +
			strings.Replace(lines[1], ","+first[4]+",", ",1.5,", 1),
		"wrong number of fields": lines[0] + "1,2\n",
		"marginal 9 has":         text + lines[n-1],
		`"x", must be a number`: lines[0] +
			strings.Replace(lines[1], first[2], "x", 1),
		" lines, must be ":                    text + "\n",
		"is neither a number nor an interval": strings.Replace(text, "\"[18, ", "\"[x, ", 1),
		"no marginals, must have some":        "",
		"marginals.csv:4: ":                   strings.Join(small[:3], "") + small[4] + small[3],
	} {
		dir := t.TempDir()
		write(t, filepath.Join(dir, MarginalsFile), forged)
		must.Fail(t, must.Err(c.readMarginals(dir, schema)), want)
	}
}

// FuzzParseMarginals: what is read is written as it stands, or as something that is read the same.
func FuzzParseMarginals(f *testing.F) {
	const header = "marginal,purpose,cost,standard_error,count,age,job\n"
	for _, rows := range []string{"1,p,0.5,2,-3,[20; 30),\n",
		"1,p,1,1,4,,a\n1,p,1,1,2,,\"[\"\"b\"\",\"\"\"\"]\"\n",
		"1,p,1,1,4,\"[20, 30) or [40, 50)\",a\n", "x,,,,,,\n"} {
		f.Add([]byte(header + rows))
	}
	f.Add([]byte("0\n,,,,,,"))
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", Low: 20, High: 60, Step: 10},
		{Name: "job", Kind: datasets.Categorical, Values: []string{"a", "b", ""}},
	}}
	c := &Certificate{Mechanisms: []Mechanism{{Purpose: "p", Mechanism: "discrete laplace",
		Sensitivity: 1}}}
	f.Fuzz(func(t *testing.T, text []byte) {
		marginals, err := parseMarginals(text, schema)
		if err != nil {
			return
		}
		var again bytes.Buffer
		if c.writeMarginals(&again, schema, marginals) != nil {
			return // noise that the certificate does not have
		}
		c.noise(schema, marginals)
		same, err := parseMarginals(again.Bytes(), schema)
		if err != nil || !reflect.DeepEqual(same, marginals) {
			t.Fatalf("%v: %v, then %v", err, marginals, same)
		}
	})
}
