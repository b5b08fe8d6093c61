package uci

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"ppdp/datasets"
	"ppdp/internal/must"
)

// classesOf counts the rows of each class, in the schema's order.
func classesOf(table *datasets.Table) []int {
	class := table.Schema().Class()
	counts := make([]int, table.Schema().Classes())
	for row := range table.Len() {
		counts[table.Column(class).At(int32(row))]++
	}
	return counts
}

func load(t *testing.T, source datasets.Source, params any) *datasets.Dataset {
	t.Helper()
	request := datasets.Request{Params: params}
	if len(source.Info().Files) > 0 {
		dir := os.Getenv("PPDP_DATA")
		if dir == "" {
			t.Skip("PPDP_DATA is not set: the real " + source.Info().Name + " is needed")
		}
		request.Files = datasets.Files{Dirs: []string{dir}}
	}
	return must.Get(source.Load(context.Background(), request))
}

// The tables and their stand-ins have the rows and classes of the repository's descriptions. The
// numbers of encounters readmitted are those of the description of the data; those of first
// encounters and of incomes were counted apart from this package.
func TestClasses(t *testing.T) {
	type variant struct {
		params any
		want   []int
	}
	deciles := []int{4247, 3121, 1951, 2301, 2062, 2046, 1980, 1930, 2012, 2295, 3308}
	for name, variants := range map[string][]variant{ // order-free: separate checks
		"nursery":  {{nil, []int{4320, 2, 328, 4266, 4044}}},
		"mushroom": {{nil, []int{4208, 3916}}},
		"diabetes": {
			{nil, []int{65225, 6293}},
			{&DiabetesParams{First, Any}, []int{42985, 28533}},
			{&DiabetesParams{All, Early}, []int{90409, 11357}},
			{&DiabetesParams{All, Any}, []int{54864, 46902}},
		},
		"acs": {
			{nil, []int{15728, 11525}},
			{&ACSParams{Wide}, []int{15728, 11525}},
			{&ACSParams{Ten}, deciles},
			{&ACSParams{All}, deciles},
		},
	} {
		for _, source := range []string{name, name + "-standin"} {
			t.Run(source, func(t *testing.T) {
				found := must.Get(datasets.Lookup(source))
				for _, v := range variants {
					set := load(t, found, v.params)
					if got := classesOf(set.Table); !slices.Equal(got, v.want) || set.Dropped != 0 {
						t.Errorf("%+v: classes %v, want %v; %d rows dropped", v.params, got,
							v.want, set.Dropped)
					}
				}
			})
		}
	}
}

// Nursery holds every combination of its attributes once. As published its first third is all of
// the usual parents; here the share is that of a draw, 4320 ± 6 standard deviations.
func TestNurseryIsShuffled(t *testing.T) {
	table := load(t, tables[0], nil).Table
	seen := make(map[[8]uint32]bool)
	usual := 0
	for row := range int32(table.Len()) {
		var key [8]uint32
		for i := range key {
			key[i] = table.Column(i).At(row)
		}
		seen[key] = true
		if row < 4320 && key[0] == 0 {
			usual++
		}
	}
	if len(seen) != 12960 || usual < 1440-152 || usual > 1440+152 { // deviation 25.3
		t.Errorf("%d combinations, %d of the first 4,320 rows usual", len(seen), usual)
	}
}

// Of made-up encounters the earliest of each patient stays; classes and diagnoses are grouped.
func TestDiabetes(t *testing.T) {
	const text = "encounter_id,patient_nbr,diag_1,readmitted\n" +
		"30,a,250.83,NO\n20,a,V57,<30\n9,b,?,>30\n10,b,785,NO\n"
	for params, want := range map[DiabetesParams]string{ // order-free: separate checks
		{First, Early}: "20,a,other,yes\n9,b,?,no\n",
		{First, Any}:   "20,a,other,yes\n9,b,?,yes\n",
		{All, Any}:     "30,a,diabetes,no\n20,a,other,yes\n9,b,?,yes\n10,b,circulatory,no\n",
	} {
		got, err := diabetes([]byte(text), &params)
		_, rows, _ := strings.Cut(string(got), "\n")
		if err != nil || rows != want {
			t.Errorf("%+v: %q, %v, want %q", params, rows, err, want)
		}
	}
	if _, err := diabetes([]byte("a,b\n"), &DiabetesParams{}); err == nil {
		t.Error("a table without its columns is taken")
	}
	if all := (&DiabetesParams{All, Any}).choice().share; all != 40 {
		t.Errorf("%d encounters of one patient", all)
	}
}

// As Strack et al. 2014, Table 2, group the codes at and beside the ends of their ranges.
func TestDiagnosis(t *testing.T) {
	for code, want := range map[string]string{ // order-free: separate checks
		"389": "other", "390": "circulatory", "459.8": "circulatory", "460": "respiratory",
		"786": "respiratory", "787": "digestive", "788": "genitourinary", "250.01": "diabetes",
		"251": "other", "799": "other", "999": "injury", "739": "musculoskeletal",
		"140": "neoplasms", "240": "other", "V58": "other", "E909": "other", "?": "?",
	} {
		if got := diagnosis(code); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}
