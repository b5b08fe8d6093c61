package incognito_test

import (
	"context"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/algorithms/incognito"
	"ppdp/algorithms/kernel/disclosure"
	"ppdp/algorithms/kernel/partition"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/must"
	"ppdp/metrics"
	"ppdp/publish/risk"
)

// arxGroups are the groups of ARX's hierarchies for Adult (arx-deidentifier/arx,
// data/adult_hierarchy_*.csv, Apache-2.0), as terms with their values or further terms. England is
// alone there: it is in "Europa", the others in "Europe". Sex, race and salary have no groups.
var arxGroups = map[string]string{
	"marital-status": "present: Married-civ-spouse Married-AF-spouse; not: Divorced " +
		"Never-married Separated Widowed Married-spouse-absent",
	"workclass": "Non-Government: Private Self-emp-not-inc Self-emp-inc; Government: " +
		"Federal-gov Local-gov State-gov; Unemployed: Without-pay Never-worked",
	"occupation": "Technical: Tech-support Craft-repair Prof-specialty Machine-op-inspct; " +
		"Nontechnical: Sales Exec-managerial Handlers-cleaners; Other: Other-service " +
		"Adm-clerical Farming-fishing Transport-moving Priv-house-serv Protective-serv " +
		"Armed-Forces",
	"native-country": "North America: United-States Puerto-Rico Canada " +
		"Outlying-US(Guam-USVI-etc) Cuba Honduras Jamaica Mexico Dominican-Republic Haiti " +
		"Guatemala El-Salvador; South America: Ecuador Columbia Nicaragua Trinadad&Tobago Peru; " +
		"Asia: Cambodia India Japan China Iran Philippines Vietnam Laos Taiwan Thailand Hong; " +
		"Europa: England; Africa: South; Europe: Germany Greece Italy Poland Portugal Ireland " +
		"France Hungary Scotland Yugoslavia Holand-Netherlands",
	"education": "Higher education > Undergraduate: Bachelors Some-college; Higher education > " +
		"Professional Education: Prof-school Assoc-acdm Assoc-voc; Higher education > " +
		"Graduate: Masters Doctorate; Secondary education > High School: 11th HS-grad 9th " +
		"7th-8th 12th 10th; Primary education > Primary School: 1st-4th 5th-6th Preschool",
}

// taxonomy makes a tree of groups.
func taxonomy(groups string) *datasets.Taxonomy {
	t := &datasets.Taxonomy{Nodes: []datasets.TaxonomyNode{{Name: "*", Parent: -1}}}
	child := func(parent int, name string) int {
		for _, c := range t.Nodes[parent].Children {
			if t.Nodes[c].Name == name {
				return c
			}
		}
		node := len(t.Nodes)
		t.Nodes = append(t.Nodes, datasets.TaxonomyNode{Name: name, Parent: parent})
		t.Nodes[parent].Children = append(t.Nodes[parent].Children, node)
		return node
	}
	for group := range strings.SplitSeq(groups, "; ") {
		path, values, _ := strings.Cut(group, ": ")
		node := 0
		for term := range strings.SplitSeq(path, " > ") {
			node = child(node, term)
		}
		for value := range strings.FieldsSeq(values) {
			child(node, value)
		}
	}
	return t
}

// arxAdult is the complete records of adult.data with the attributes named as quasi-identifiers,
// generalised by ARX's hierarchies: ages from 1 to 100 in groups of 5, 10 and 20 years.
func arxAdult(t *testing.T, names ...string) *datasets.Table {
	t.Helper()
	dir := os.Getenv("PPDP_DATA")
	if dir == "" {
		t.Skip("PPDP_DATA is not set: no Adult data to compare with ARX's figures")
	}
	set := must.Get(adult.Source.Load(t.Context(), datasets.Request{
		Params: &adult.Params{Select: "diffmulti"}, Files: datasets.Files{Dirs: []string{dir}}}))
	schema := &datasets.Schema{}
	for _, name := range names {
		a := set.Table.Schema().Attributes[set.Table.Schema().Index(name)]
		a = datasets.Attribute{Name: name, Kind: a.Kind, Values: a.Values}
		if groups, ok := arxGroups[name]; ok {
			a.Taxonomy = taxonomy(groups)
		} else if name == "age" {
			a.Low, a.High, a.Step = 1, 101, 1
			a.Hierarchy = must.Get(datasets.WidthHierarchy(100, false, 5, 10, 20))
		}
		schema.Attributes = append(schema.Attributes, a)
	}
	must.Do(t, schema.Validate())
	const records = 30_162
	b := datasets.NewBuilder(schema, records)
	for row := range int32(records) {
		b.AddRow()
		for at, name := range names {
			from := set.Table.Schema().Index(name)
			code := set.Table.Column(from).At(row)
			if name == "age" {
				code = uint32(set.Table.Number(row, from) - 1)
			}
			b.Set(int(row), at, code)
		}
	}
	return b.Table()
}

// eight are the quasi-identifiers of ARX's tests of metrics, in their order.
var eight = []string{"sex", "age", "race", "marital-status", "education", "native-country",
	"workclass", "salary"}

// discernibility is the metric on a full-domain generalisation; records in classes of fewer than
// least are suppressed.
func discernibility(t *testing.T, table *datasets.Table, vector []int, least int) (float64, int) {
	t.Helper()
	groups := make([]uint32, table.Len()*len(vector))
	for d, level := range vector {
		group := must.Get(table.Schema().Attributes[d].Generalisation()).Levels[level].Group
		for row := range table.Len() {
			groups[row*len(vector)+d] = group[table.Column(d).At(int32(row))]
		}
	}
	var k *disclosure.Checker // of records alone
	regions, _ := partition.ClassRegions(table, table.AllRows(), groups,
		func(_ int, group uint32) (low, high uint32) { return group, group + 1 },
		func(of []int32, n int) []bool { return k.Published(least, nil, of, n) })
	m := must.Get(metrics.Lookup("discernibility"))
	value, ok, err := m.Measure(t.Context(), metrics.Case{Table: table, Train: table.AllRows(),
		Release: &algorithms.Release{Regions: regions},
		Params:  m.(metrics.Parameterised).Params()})
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	return value, regions.Len()
}

// TestARXMetrics compares with the figures of ARX's tests of information loss on Adult without
// occupation: discernibility of the values themselves, of them with classes under 5 suppressed, and
// of one generalisation.
func TestARXMetrics(t *testing.T) {
	table := arxAdult(t, eight...)
	for _, c := range []struct {
		vector []int
		least  int
		want   float64
	}{
		{make([]int, 8), 0, 485_542},
		{make([]int, 8), 5, 463_536_157},
		{[]int{1, 0, 1, 1, 3, 2, 2, 0}, 0, 8_461_812},
	} {
		if got, _ := discernibility(t, table, c.vector, c.least); got != c.want {
			t.Errorf("discernibility of %v, at least %d: %.0f, ARX has %.0f", c.vector, c.least,
				got, c.want)
		}
	}
}

// TestARXOptimum compares with the optimum that ARX's tests have for k = 5 without suppression:
// discernibility 55,170,356 in 30 classes.
func TestARXOptimum(t *testing.T) {
	table := arxAdult(t, eight...)
	result := must.Get(incognito.Search(context.Background(), table, table.AllRows(),
		&incognito.Params{K: 5}))
	got, classes := discernibility(t, table, result.Best, 0)
	if got != 55_170_356 || classes != 30 || slices.Min(result.Discernibility) != 55_170_356 {
		t.Errorf("%v of %v: discernibility %.0f in %d classes, ARX has 55170356 in 30", result.Best,
			result.Heights, got, classes)
	}
}

// TestARXRisk compares with ARX's tests of risk on Adult, all nine columns quasi-identifiers: the
// prosecutor's mean risk, equal, and the share of unique records, which they compare to four
// digits.
func TestARXRisk(t *testing.T) {
	table := arxAdult(t, append(slices.Clone(eight), "occupation")...)
	schema := table.Schema()
	texts := &csvtable.Texts{Rows: table.Len()}
	for at := range schema.Attributes {
		values := make([]string, schema.Attributes[at].Cells())
		for code := range values {
			values[code] = schema.Attributes[at].Text(uint32(code))
		}
		texts.Columns = append(texts.Columns, csvtable.TextColumn{
			Name: schema.Attributes[at].Name, Texts: values, Codes: *table.Column(at)})
	}
	of := must.Get(risk.NewTable(texts, schema))
	report := must.Get(risk.Measure(of, risk.Defaults()))
	if report.Prosecutor.Mean != 0.6465751607983555 {
		t.Errorf("mean risk %v, ARX has 0.6465751607983555", report.Prosecutor.Mean)
	}
	if share := float64(report.Unique) / float64(report.Records); share != 0.5142895033485844 {
		t.Errorf("unique are %v, ARX has 0.5142895033485844", share)
	}
}

// TestARXLimits compares with the optima that ARX's tests of k-anonymity, l-diversity, t-closeness
// and their combinations have on Adult (TestAnonymizationKAnonymity, -LDiversity, -TCloseness,
// -Combinations): with occupation sensitive and the other eight columns quasi-identifiers, or all
// nine. Their information loss is the sum of the squares of all groups, suppressed ones too, or the
// non-uniform entropy, Σ log₂ of how many records share a record's generalised value for each that
// shares the value itself. Both grow along generalisation, so that the optimum is minimal. ARX
// compares with the distribution of the whole table, and we with that of the released records: it
// makes no difference here.
func TestARXLimits(t *testing.T) {
	names := append(slices.Clone(eight), "occupation")
	nine, table := arxAdult(t, names...), arxAdult(t, names...)
	table.Schema().Attributes[8].Role = datasets.Sensitive
	limits := disclosure.NoLimits()
	closeness := limits
	closeness.T = .2
	hierarchical := closeness
	hierarchical.Distance = disclosure.Hierarchical
	entropic, recursive := limits, limits
	entropic.L, entropic.Diversity = 5, disclosure.Entropy
	recursive.L, recursive.Diversity, recursive.C = 5, disclosure.Recursive, 4
	squares := func(vector []int) float64 {
		sum, _ := discernibility(t, table, vector, 0)
		return sum
	}
	entropy := func(vector []int) float64 { return entropyLoss(t, nine, vector) }
	for _, c := range []struct {
		name        string
		table       *datasets.Table
		k           int
		limits      disclosure.Limits
		suppression disclosure.Suppression
		loss        func(vector []int) float64
		least       float64
		best        []int
	}{
		{"k", nine, 5, limits, 0, entropy, 407289.5388925293, []int{1, 2, 1, 1, 3, 2, 2, 1, 1}},
		{"k", nine, 5, limits, .04, entropy, 255559.85455731067, []int{1, 0, 1, 1, 3, 2, 2, 1, 0}},
		{"k", nine, 100, limits, .04, entropy, 379417.3460570988,
			[]int{1, 1, 1, 1, 3, 2, 2, 1, 1}},
		{"recursive l", table, 2, recursive, 0, entropy, 324620.5269918695,
			[]int{1, 1, 1, 1, 3, 2, 2, 1}},
		{"entropy l", table, 2, entropic, 0, entropy, 324620.5269918695,
			[]int{1, 1, 1, 1, 3, 2, 2, 1}},
		{"t", table, 5, closeness, 0, squares, 456_853_172, []int{1, 4, 1, 1, 3, 2, 2, 1}},
		{"t", table, 5, closeness, .04, squares, 311_880_088, []int{1, 4, 1, 0, 3, 2, 2, 1}},
		{"hierarchical t", table, 5, hierarchical, 0, entropy, 398400.07418064494,
			[]int{0, 4, 1, 1, 3, 2, 2, 1}},
		{"hierarchical t", table, 5, hierarchical, .04, entropy, 377622.78458729305,
			[]int{1, 4, 0, 0, 3, 2, 2, 1}},
		{"hierarchical t", table, 100, hierarchical, .04, entropy, 390436.40440636466,
			[]int{1, 4, 1, 0, 3, 1, 2, 1}},
	} {
		result := must.Get(incognito.Search(context.Background(), c.table, c.table.AllRows(),
			&incognito.Params{K: c.k, Limits: c.limits, Suppression: c.suppression}))
		least, best := math.Inf(1), []int(nil)
		for _, vector := range result.Minimal {
			if loss := c.loss(vector); loss < least {
				least, best = loss, vector
			}
		}
		if math.Abs(least-c.least) > 1e-6 || !slices.Equal(best, c.best) {
			t.Errorf("%s, k = %d, suppression %v: loss %v of %v, ARX has %v of %v", c.name, c.k,
				c.suppression, least, best, c.least, c.best)
		}
	}
}

// entropyLoss is the non-uniform entropy of a generalisation.
func entropyLoss(t *testing.T, table *datasets.Table, vector []int) (loss float64) {
	t.Helper()
	for d, level := range vector {
		h := must.Get(table.Schema().Attributes[d].Generalisation())
		values := make([]float64, table.Schema().Attributes[d].Cells())
		shared := make([]float64, h.Levels[level].Len())
		for row := range int32(table.Len()) {
			code := table.Column(d).At(row)
			values[code]++
			shared[h.Levels[level].Group[code]]++
		}
		for code, n := range values {
			if n > 0 {
				loss += n * math.Log2(shared[h.Levels[level].Group[code]]/n)
			}
		}
	}
	return loss
}
