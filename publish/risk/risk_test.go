package risk

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
)

const tolerance = 1e-12 // sums of a few dozen rounded terms below one

// parsed reads a table whose last column is sensitive.
func parsed(t *testing.T, text string) *Table {
	t.Helper()
	names := strings.Split(strings.SplitN(text, "\n", 2)[0], ",")
	schema := new(datasets.Schema)
	for i, name := range names {
		a := datasets.Attribute{Name: name}
		if i == len(names)-1 {
			a.Role = datasets.Sensitive
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	texts := must.Get(csvtable.Plain(schema).ReadTexts(context.Background(), "f.csv",
		strings.NewReader(text), names))
	return must.Get(NewTable(texts, schema))
}

func measured(t *testing.T, table *Table) *Report {
	t.Helper()
	return must.Get(Measure(table, Defaults()))
}

// TestPracticeGuide is the worked example of sdcMicro's practice guide (Benschop, Machingauta &
// Welch, Statistical Disclosure Control: A Practice Guide, tables 4.1 and 4.3): ten people with
// frequencies f, and distinct l-diversity.
func TestPracticeGuide(t *testing.T) {
	people := []struct {
		key, health string
		f           int
	}{
		{"urban,female,sec. incomplete,employed", "yes", 2},
		{"urban,female,sec. incomplete,employed", "yes", 2},
		{"urban,female,prim. incomplete,non-LF", "yes", 1},
		{"urban,male,sec. complete,employed", "yes", 2},
		{"rural,female,sec. complete,unemployed", "yes", 1},
		{"urban,male,sec. complete,employed", "no", 2},
		{"urban,female,prim. complete,non-LF", "no", 1},
		{"urban,male,post-secondary,unemployed", "yes", 1},
		{"urban,female,sec. incomplete,non-LF", "no", 2},
		{"urban,female,sec. incomplete,non-LF", "yes", 2},
	}
	sample := "residence,gender,education,labour,health\n"
	for _, p := range people {
		sample += p.key + "," + p.health + "\n"
	}
	table := parsed(t, sample)
	r := measured(t, table)
	groups := group(table, "*")
	for i, p := range people {
		must.Be(t, groups.sizes[groups.of[i]], p.f, i+1)
	}
	// Seven keys, four unique; 4 of 10 violate 2-anonymity and all violate 3-anonymity.
	if r.Records != 10 || r.Classes != 7 || r.K != 1 || r.Unique != 4 || r.Largest != 2 {
		t.Errorf("%+v", r)
	}
	for k, share := range map[int]float64{2: 0.4, 3: 1} {
		at := must.Get(Measure(table, Options{K: k, C: 2}))
		must.Near(t, at.Prosecutor.AtRisk, share, tolerance, "share below k")
	}
	must.Near(t, r.Prosecutor.Mean, 0.7, tolerance, "prosecutor")
	// l is 1 for persons 1, 2, 3, 5, 7 and 8.
	if d := r.Sensitive[0]; d.Distinct != 1 || d.Homogeneous != 6 || d.Recursive != 1 {
		t.Errorf("%+v", d)
	}
}

// inpatients is Machanavajjhala et al.'s tables of twelve inpatients: 4-anonymous (figure 2) and
// 3-diverse (figure 3).
const (
	fourAnonymous = `zip,age,nationality,condition
130**,< 30,*,Heart Disease
130**,< 30,*,Heart Disease
130**,< 30,*,Viral Infection
130**,< 30,*,Viral Infection
1485*,≥ 40,*,Cancer
1485*,≥ 40,*,Heart Disease
1485*,≥ 40,*,Viral Infection
1485*,≥ 40,*,Viral Infection
130**,3*,*,Cancer
130**,3*,*,Cancer
130**,3*,*,Cancer
130**,3*,*,Cancer
`
	threeDiverse = `zip,age,nationality,condition
1305*,≤ 40,*,Heart Disease
1305*,≤ 40,*,Viral Infection
1305*,≤ 40,*,Cancer
1305*,≤ 40,*,Cancer
1485*,> 40,*,Cancer
1485*,> 40,*,Heart Disease
1485*,> 40,*,Viral Infection
1485*,> 40,*,Viral Infection
1306*,≤ 40,*,Heart Disease
1306*,≤ 40,*,Viral Infection
1306*,≤ 40,*,Cancer
1306*,≤ 40,*,Cancer
`
)

func TestDiversity(t *testing.T) {
	r := measured(t, parsed(t, fourAnonymous))
	if d := r.Sensitive[0]; r.K != 4 || r.Classes != 3 || d.Distinct != 1 || d.Homogeneous != 4 {
		t.Errorf("%+v", r)
	}
	must.Near(t, r.Sensitive[0].Entropy, 1, tolerance, "entropy l of a class of one value")
	r = measured(t, parsed(t, threeDiverse))
	d := r.Sensitive[0]
	if r.K != 4 || r.Classes != 3 || d.Distinct != 3 || d.Homogeneous != 0 || d.Values != 3 {
		t.Errorf("%+v", r)
	}
	must.Near(t, d.Entropy, math.Pow(2, 1.5), tolerance, "entropy l of 2, 1, 1")
	// 2 < c(1 + 1) holds for l = 2 if c is above 1, 2 < c·1 for l = 3 if c is above 2.
	for c, want := range map[float64]int{0.5: 0, 1: 1, 1.5: 2, 2: 2, 2.5: 3} {
		at, err := Measure(parsed(t, threeDiverse), Options{K: 5, C: c})
		if err != nil || at.Sensitive[0].Recursive != want {
			t.Errorf("recursive with c %v: %+v, must be %d; %v", c, at.Sensitive, want, err)
		}
	}
}

// TestCloseness is the worked example of Li et al.: nine salaries, each once.
func TestCloseness(t *testing.T) {
	salary := func(classOf map[string]string) float64 {
		text := "class,salary\n"
		for _, k := range []string{"3", "4", "5", "6", "7", "8", "9", "10", "11"} {
			text += classOf[k] + "," + k + "000\n"
		}
		r := measured(t, parsed(t, text))
		return *r.Sensitive[0].Ordered
	}
	in := func(class string, of map[string]string, ks ...string) map[string]string {
		for _, k := range ks {
			of[k] = class
		}
		return of
	}
	first := in("1", map[string]string{}, "3", "4", "5")
	must.Near(t, salary(in("2", in("3", first, "7", "9", "10"), "6", "8", "11")), 0.375, tolerance,
		"{3, 4, 5}")
	// The other six differ half as much the other way.
	second := in("1", map[string]string{}, "6", "8", "11")
	must.Near(t, salary(in("2", second, "3", "4", "5", "7", "9", "10")), 1./6, tolerance,
		"{6, 8, 11}")
	// Table 5: 0.167-closeness.
	five := in("1", in("2", map[string]string{}, "6", "11", "8"), "3", "5", "9")
	must.Near(t, salary(in("3", five, "4", "7", "10")), 1./6, tolerance, "table 5")
}

// TestBruteForce measures random tables a second time, by comparing all pairs of records. Package
// disclosure tests the other measures of a class in the same way.
func TestBruteForce(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 30).Draw(rt, "n")
		rows := make([][3]string, n)
		text := "q1,q2,s\n"
		for i := range rows {
			rows[i] = [3]string{
				rapid.SampledFrom([]string{"*", "[0, 5[", "5-9"}).Draw(rt, "q1"),
				rapid.SampledFrom([]string{"*", "{a, b}"}).Draw(rt, "q2"),
				rapid.SampledFrom([]string{"v0", "v1", "v2", "v3", "v4", "v5"}).Draw(rt, "s"),
			}
			text += `"` + strings.Join(rows[i][:], `","`) + "\"\n"
		}
		table := parsed(t, text)
		o := Options{K: rapid.IntRange(1, 6).Draw(rt, "k"), C: 2, Suppressed: "*"}
		kept := slices.DeleteFunc(slices.Clone(rows), func(row [3]string) bool {
			return row[0] == "*" && row[1] == "*"
		})
		r, err := Measure(table, o)
		if len(kept) == 0 {
			if err == nil {
				rt.Fatal("a table of suppressed records was measured")
			}
			return
		}
		must.Do(rt, err)
		all := make(map[string]float64)
		for _, row := range kept {
			all[row[2]] += 1 / float64(len(kept))
		}
		k, atRisk, mean, unique, homogeneous := n, 0, 0.0, 0, 0
		distinct, entropy, equal := n, math.Inf(1), 0.
		for _, row := range kept {
			in := make(map[string]int)
			size := 0
			for _, other := range kept {
				if other[0] == row[0] && other[1] == row[1] {
					in[other[2]]++
					size++
				}
			}
			k, mean = min(k, size), mean+1/float64(size)/float64(len(kept))
			if 1/float64(size) > 1/float64(o.K) {
				atRisk++
			}
			if size == 1 {
				unique++
			}
			if len(in) == 1 {
				homogeneous++
			}
			distinct = min(distinct, len(in))
			h, same := 0.0, 0.0
			for value, count := range in {
				p := float64(count) / float64(size)
				h -= p * math.Log(p)
				same += min(p, all[value])
			}
			entropy, equal = min(entropy, h), max(equal, 1-same)
		}
		d := r.Sensitive[0]
		if r.K != k || r.Unique != unique || r.Records != len(kept) ||
			r.Suppressed != n-len(kept) ||
			d.Homogeneous != homogeneous || d.Distinct != distinct {
			rt.Fatalf("%+v: k %d, %d unique, %d homogeneous, distinct %d", r, k, unique,
				homogeneous, distinct)
		}
		for _, x := range [][2]float64{{r.Prosecutor.Mean, mean},
			{r.Prosecutor.Max, 1 / float64(k)},
			{r.Prosecutor.AtRisk, float64(atRisk) / float64(len(kept))},
			{d.Entropy, math.Exp(entropy)}, {d.Equal, equal}} {
			if !(math.Abs(x[0]-x[1]) <= 1e-9) {
				rt.Fatalf("%v, must be %v: %+v", x[0], x[1], r)
			}
		}
	})
}

func TestNewTable(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{{Name: "age"}, {Name: "zip"},
		{Name: "pay", Role: datasets.Sensitive}, {Name: "job", Role: datasets.Class}}}
	read := func(text string) (*Table, error) {
		texts, err := csvtable.Plain(schema).ReadTexts(context.Background(), "f.csv",
			strings.NewReader(text), []string{"age"})
		if err != nil {
			return nil, err
		}
		return NewTable(texts, schema)
	}
	if _, err := read("age;pay\n1;2\n"); err == nil ||
		!strings.Contains(err.Error(), `no column for the quasi-identifier "zip"`) {
		t.Error(err)
	}
	must.Fail(t, must.Err(read("a,b\n1,2\n")), `no column for the attribute "age"`)
	must.Fail(t, must.Err(read("age,zip\n1,2\n3\n")), "f.csv:3:1: 1 fields, must be 2")
	table, err := read("zip\tpay\tage\n[1, 2[\t10\t*\n8\t9.0\t*\n8\t9\t*\n")
	if err != nil || table.Rows != 3 || table.Quasi[1].Texts[0] != "[1, 2[" ||
		!slices.Equal(table.Sensitive[0].Rank, []uint32{1, 0, 0}) ||
		!slices.Equal(table.Absent, []string{"job"}) {
		t.Errorf("%+v %v", table, err)
	}
	if table, err = read("age,zip,pay\n1,2,low\n"); err != nil || table.Sensitive[0].Rank != nil {
		t.Errorf("%+v %v", table, err)
	}
	pay := &schema.Attributes[2]
	pay.Kind, pay.Ordered, pay.Values = datasets.Categorical, true, []string{"low", "mid", "high"}
	if table, err = read("age,zip,pay\n1,2,high\n1,2,low\n"); err != nil ||
		!slices.Equal(table.Sensitive[0].Rank, []uint32{1, 0}) {
		t.Errorf("%+v %v", table, err)
	}
	must.Fail(t, must.Err(NewTable(&csvtable.Texts{}, new(datasets.Schema))), "",
		"a table without quasi-identifiers")
	if _, err := Measure(table, Options{K: 0, C: math.NaN()}); err == nil ||
		strings.Count(err.Error(), "\n") != 1 {
		t.Error(err)
	}
}

// TestPage: equal reports give equal pages, and names cannot become markup.
func TestPage(t *testing.T) {
	r := measured(t, parsed(t, strings.ReplaceAll(fourAnonymous, "zip", "<b>zip")))
	var a, b bytes.Buffer
	must.Do(t, errors.Join(WritePage(&a, "x<y.csv", r), WritePage(&b, "x<y.csv", r)))
	page := a.String()
	if page != b.String() || strings.Contains(page, "<b>") || strings.Contains(page, "x<y") ||
		strings.Contains(page, "<script") || strings.Contains(page, "http") {
		t.Error(page)
	}
	must.Say(t, page, "4-anonymous: every record",
		"condition is disclosed for 4 of 12 records (33.3 %)",
		"&lt;b&gt;zip", "25 %")
	if !reflect.DeepEqual(r.Sizes, []SizeCount{{From: 1, To: 1}, {From: 2, To: 2}, {3, 4, 3, 12}}) {
		t.Errorf("%+v", r.Sizes)
	}
}
