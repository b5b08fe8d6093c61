package adult

import (
	"slices"
	"sync"

	"ppdp/datasets"
)

// column describes one attribute in the order of the files. The taxonomies over the categorical
// quasi-identifiers and the hierarchies are in files of their own (taxonomies.go, hierarchies.go).
type column struct {
	name      string
	low, high float64  // numeric: public bounds, half-open
	values    []string // categorical: the values in the order of adult.names
	ordered   bool     // the order given is the semantic one
}

// columns are all attributes in the order of the files. In adult.names the class comes first and
// has no name; education is listed there without an order and is here ordered by years of
// schooling.
var columns = [...]column{
	{name: "age", low: 15, high: 95},
	{name: "workclass", values: []string{"Private", "Self-emp-not-inc", "Self-emp-inc",
		"Federal-gov", "Local-gov", "State-gov", "Without-pay", "Never-worked"}},
	{name: "fnlwgt", low: 0, high: 1500000},
	{name: "education", ordered: true,
		values: []string{"Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th",
			"12th", "HS-grad", "Some-college", "Assoc-voc", "Assoc-acdm", "Bachelors", "Masters",
			"Prof-school", "Doctorate"}},
	{name: "education-num", low: 1, high: 20},
	{name: "marital-status",
		values: []string{"Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed",
			"Married-spouse-absent", "Married-AF-spouse"}},
	{name: "occupation", values: []string{"Tech-support", "Craft-repair", "Other-service", "Sales",
		"Exec-managerial", "Prof-specialty", "Handlers-cleaners", "Machine-op-inspct",
		"Adm-clerical", "Farming-fishing", "Transport-moving", "Priv-house-serv", "Protective-serv",
		"Armed-Forces"}},
	{name: "relationship", values: []string{"Wife", "Own-child", "Husband", "Not-in-family",
		"Other-relative", "Unmarried"}},
	{name: "race", values: []string{"White", "Asian-Pac-Islander", "Amer-Indian-Eskimo",
		"Other", "Black"}},
	{name: "sex", values: []string{"Female", "Male"}},
	{name: "capital-gain", low: 0, high: 100000},
	{name: "capital-loss", low: 0, high: 5000},
	{name: "hours-per-week", low: 1, high: 100},
	{name: "native-country",
		values: []string{"United-States", "Cambodia", "England", "Puerto-Rico", "Canada", "Germany",
			"Outlying-US(Guam-USVI-etc)", "India", "Japan", "Greece", "South", "China", "Cuba",
			"Iran", "Honduras", "Philippines", "Italy", "Poland", "Jamaica", "Vietnam", "Mexico",
			"Portugal", "Ireland", "France", "Dominican-Republic", "Laos", "Ecuador", "Taiwan",
			"Haiti", "Columbia", "Hungary", "Guatemala", "Nicaragua", "Scotland", "Thailand",
			"Yugoslavia", "El-Salvador", "Trinadad&Tobago", "Peru", "Hong", "Holand-Netherlands"}},
	{name: "salary", ordered: true, values: []string{"<=50K", ">50K"}},
}

// class is the position of salary.
const class = len(columns) - 1

// Schema returns the schema of all 15 attributes. It is shared: do not change it.
var Schema = sync.OnceValue(func() *datasets.Schema {
	// Qardaji & Li 2012, Section 4.2, take a random order where the values have none.
	return schemaIn(func(i int) []string {
		return datasets.RandomOrder(columns[i].name, columns[i].values)
	})
})

// intuitive is the same with values in the order of their hierarchies' leaves, an "intuitive
// ordering" as LeFevre et al. 2006, section 6.1, give each attribute (errata M6). All groups of the
// hierarchies and all terms of the taxonomies are intervals of it.
var intuitive = sync.OnceValue(func() *datasets.Schema {
	return schemaIn(func(i int) []string {
		a := &Schema().Attributes[i]
		if a.Hierarchy == nil {
			return a.Values
		}
		return a.Hierarchy.Axis.Taxonomy.Leaves()
	})
})

// schemaIn lists the values of the i-th attribute, where they have no order of their own, as
// order(i).
func schemaIn(order func(i int) []string) *datasets.Schema {
	schema := &datasets.Schema{Attributes: make([]datasets.Attribute, len(columns))}
	for i, c := range columns {
		a := datasets.Attribute{Name: c.name}
		if c.values == nil {
			a.Low, a.High, a.Step = c.low, c.high, 1
		} else {
			a.Kind, a.Values, a.Ordered = datasets.Categorical, c.values, c.ordered
			if !c.ordered {
				a.Values = order(i)
			}
			if i != class {
				a.Taxonomy = taxonomy(c.name)
			}
		}
		a.Hierarchy = hierarchy(&a)
		schema.Attributes[i] = a
	}
	schema.Attributes[class].Role = datasets.Class
	return schema
}

// inOrder is a table of Schema's attributes with the codes of another order of values.
func inOrder(table *datasets.Table, schema *datasets.Schema) *datasets.Table {
	b := datasets.NewBuilder(schema, table.Len())
	b.Append(table)
	codes := make([]uint32, table.Len())
	for i := range schema.Attributes {
		var translated []uint32 // nil for numbers
		for _, value := range table.Schema().Attributes[i].Values {
			at := slices.Index(schema.Attributes[i].Values, value)
			translated = append(translated, uint32(at))
		}
		table.Column(i).Widen(0, codes)
		b.Column(i).Put(0, codes, translated)
	}
	return b.Table()
}
