// Package uci is public tables beside Adult, each with a stand-in that needs no file: three of the
// UCI Machine Learning Repository under CC BY 4.0, "nursery", "mushroom" and "diabetes" (Diabetes
// 130-US Hospitals), and "acs", an excerpt of the American Community Survey by the National
// Institute of Standards and Technology. Their schemas are files of the form that user-supplied
// tables have (datasets/csv), with bounds and lists of values from the publishers' descriptions,
// not from the rows.
//
// Rows come in a random order that is always the same: as published, those of Nursery are sorted by
// all attributes, so that the first rows say nothing about the others. The package leaves out all
// use of the data.
package uci

import (
	"bytes"
	"cmp"
	"context"
	"embed"
	"fmt"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/numeric/random"
)

//go:embed *.schema.yaml
var schemas embed.FS

const home = "https://archive.ics.uci.edu/"

// Source is one of the tables.
type Source struct {
	name, title, citation string
	license               string // Attribution where it is empty
	file                  datasets.File
	// classes are the rows of each class by the repository's description, in the schema's order;
	// nil where they depend on parameters.
	classes []int
	params  func() params
	// rewrite brings the text into the form that the schema describes; nil where it has it.
	rewrite func(text []byte, p params) ([]byte, error)
}

// params are the parameters of a table that has some.
type params interface{ choice() choice }

// choice is what parameters say of a table.
type choice struct {
	classes       []int    // as of Source
	share         int      // as of datasets.Dataset
	contributions int      // the most records of a person; 0 where records are protected
	columns       []string // the class last; nil for those of the schema
}

// person is the column of persons of a table that has several records of one.
const person = "patient_nbr"

var tables = []Source{
	{
		name: "nursery", title: "Nursery applications",
		citation: "Rajkovic, V. (1989). Nursery. UCI Machine Learning Repository. " +
			"doi:10.24432/C5P88W",
		file: datasets.File{
			Path:   "tables/nursery.data",
			SHA256: "8e0389c3dd37590248a921c2726d869ee96b817761a35eb8416afa24f31f931d",
			URL:    home + "ml/machine-learning-databases/nursery/nursery.data",
			Limit:  4 << 20,
		},
		classes: []int{4320, 2, 328, 4266, 4044},
	},
	{
		name: "mushroom", title: "Edible and poisonous mushrooms",
		citation: "Mushroom (1981). UCI Machine Learning Repository. doi:10.24432/C5959T",
		file: datasets.File{
			Path:   "tables/agaricus-lepiota.data",
			SHA256: "e65d082030501a3ebcbcd7c9f7c71aa9d28fdfff463bf4cf4716a3fe13ac360e",
			URL:    home + "ml/machine-learning-databases/mushroom/agaricus-lepiota.data",
			Limit:  2 << 20,
		},
		classes: []int{4208, 3916},
	},
	{
		name: "diabetes", title: "Diabetes 130-US Hospitals, readmission",
		citation: "Clore, J., Cios, K., DeShazo, J. & Strack, B. (2014). Diabetes 130-US " +
			"Hospitals for Years 1999-2008. UCI Machine Learning Repository. doi:10.24432/C5230J",
		file: datasets.File{
			Path:   "tables/diabetic_data.csv",
			SHA256: "0689e7ec031237dc63031b938805c48377748761a3b26acab621567afa24df97",
			URL: home + "static/public/296/" +
				"diabetes+130-us+hospitals+for+years+1999-2008.zip",
			Limit: 40 << 20,
			Canonical: func(content []byte) ([]byte, error) {
				return datasets.Unzip(content, "diabetic_data.csv", 40<<20)
			},
		},
		params:  func() params { return &DiabetesParams{First, Early} },
		rewrite: diabetes,
	},
	{
		name: "acs", title: "American Community Survey 2019, 20 areas of the United States",
		citation: "Task, C., Bhagat, K. & Howarth, G. S. (2023). NIST Diverse Community Excerpt " +
			"Data. National Institute of Standards and Technology. " +
			"doi:10.18434/mds2-2895",
		license: "public domain: a work of the US government",
		file: datasets.File{
			Path:   "tables/national2019.csv",
			SHA256: "b49ba83e18472b6b76438bb511a01668bdbe2c1ace54521614a32edcc748f79a",
			URL: "https://raw.githubusercontent.com/usnistgov/SDNist/" +
				"ac77a7f0ed1431c9daed476c55324f94a6ab264c/" +
				"BenchmarkData/ACSDataExcerpts/national/national2019.csv",
			Limit: 8 << 20,
		},
		params:  func() params { return &ACSParams{Task} },
		rewrite: acs,
	},
}

func init() {
	for _, table := range tables {
		datasets.Register(table)
		datasets.Register(StandIn{table})
	}
}

func (s Source) Info() datasets.Info {
	return datasets.Info{Name: s.name, Title: s.title, Citation: s.citation,
		License: cmp.Or(s.license, datasets.Attribution), Files: []datasets.File{s.file}}
}

// Params returns the default parameters, nil for a table that has none.
func (s Source) Params() any {
	if s.params == nil {
		return nil
	}
	return s.params()
}

// prepare takes a request apart: its parameters, nil for a table that has none, what they say, and
// the schema of the columns chosen.
func (s *Source) prepare(ctx context.Context, request datasets.Request) (p params, chosen choice,
	format *csvtable.Format, err error) {
	chosen.classes = s.classes
	switch {
	case s.params != nil:
		if p, err = datasets.ParamsOf(request, s.params()); err == nil {
			chosen = p.choice()
		}
	case request.Params != nil:
		err = fmt.Errorf("parameters of type %T, must be none", request.Params)
	}
	if err == nil {
		format, err = s.format(chosen)
	}
	return p, chosen, format, cmp.Or(err, ctx.Err())
}

// format reads the table's schema, of the columns chosen.
func (s *Source) format(of choice) (*csvtable.Format, error) {
	name := s.name + ".schema.yaml"
	text, err := schemas.ReadFile(name)
	if err != nil {
		return nil, err
	}
	format, err := csvtable.ParseSchema(name, text)
	if err != nil {
		return nil, err
	}
	if of.contributions > 0 {
		format.Person, format.Schema.Contributions = person, of.contributions
	}
	if of.columns == nil {
		return format, nil
	}
	schema, err := format.Schema.Project(of.columns...)
	if err != nil {
		return nil, err
	}
	schema.Attributes[len(of.columns)-1].Role = datasets.Class
	return csvtable.Plain(schema), nil
}

// Load reads and verifies the file.
func (s Source) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	defer datasets.Named(s.name, &err)
	p, chosen, format, err := s.prepare(ctx, request)
	if err != nil {
		return nil, err
	}
	text, err := request.Files.Open(s.file)
	if err == nil && s.rewrite != nil {
		text, err = s.rewrite(text, p)
	}
	if err != nil {
		return nil, err
	}
	content, err := format.Read(ctx, s.file.Path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	set := &datasets.Dataset{Table: s.shuffled(content.Table), Dropped: content.Dropped,
		Share: chosen.share}
	set.Checksum = set.Table.Checksum()
	return set, nil
}

// shuffled is the table in an order of rows that is always the same.
func (s *Source) shuffled(table *datasets.Table) *datasets.Table {
	rows := table.AllRows()
	random.NewKey(0).Derive("rows", s.name).Stream().Permute(rows)
	table.ByPerson(rows)
	return table.Select(rows)
}
