// Package adult is the census table of Becker & Kohavi (1996) as the papers use it, and a stand-in
// for it that needs no file: sources "adult" and "adult-standin".
//
// "adult" reads the two halves as the UCI repository publishes them (licensed CC BY 4.0). Rows with
// a missing value are dropped, as in all the papers; the rest keep the order of the file,
// adult.data before adult.test. The parameter select names the selections of rows and attributes
// the papers use.
//
// "adult-standin" has the same attributes, bounds, selections, number of rows and class balance,
// but its rows are drawn from a small Bayesian network whose count tables were computed from Adult
// (standin.json).
//
// All of the schema is public: bounds are the constants of the DiffMulti authors' configuration,
// lists of values those of the data's description (adult.names), neither is read off the data.
// Education is ordered by years of schooling; the other categorical attributes take a seeded random
// order that does not depend on the data or, where LeFevre et al. 2006 are to be reproduced, that
// of their hierarchies' leaves (errata M6). The package leaves out training, folds and all use of
// the data.
package adult

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"ppdp/datasets"
)

const (
	citation = "Becker, B. & Kohavi, R. (1996). Adult. UCI Machine Learning Repository. " +
		"doi:10.24432/C5XW20"
	license = datasets.Attribution
	home    = "https://archive.ics.uci.edu/ml/machine-learning-databases/adult/"
)

// The two halves of the data as published. The pinned checksums are those of the plain text.
var (
	dataFile = datasets.File{
		Path:   "adult/adult.data",
		SHA256: "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d",
		URL:    home + "adult.data",
		Limit:  8 << 20, // twice the file
	}
	testFile = datasets.File{
		Path:   "adult/adult.test",
		SHA256: "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05",
		URL:    home + "adult.test",
		Limit:  4 << 20,
	}
)

// Params selects rows and attributes.
type Params struct {
	// Select is one of
	//   rps        30,162 complete rows of adult.data, 11 attributes (Qardaji & Li 2012,
	//              Section 4.2)
	//   mondrian   the same rows, the 8 quasi-identifiers of LeFevre et al. 2006, section 6.1, and
	//              the class; values in the order of the hierarchies' leaves
	//   mondrian-random
	//              the same in the random order of the other selections
	//   diffmulti  45,222 complete rows of both halves, all 15 attributes (Al-Hussaeni et al. 2018,
	//              Table II)
	//   dpcube     the same rows, four attributes and the class (Al-Hussaeni et al. 2018, Fig. 9)
	//   all        30,162 complete rows of adult.data, all 15 attributes
	Select string `yaml:"select" doc:"the rows and attributes of a paper" words:"rps mondrian mondrian-random diffmulti dpcube all"`
}

type selection struct {
	name       string
	attributes []string
	both       bool // adult.test follows adult.data
	intuitive  bool // values in the order of intuitive
}

var lefevre = []string{"age", "sex", "race", "marital-status", "education", "native-country",
	"workclass", "occupation", "salary"}

// selections lists the attributes of each value of Params.Select; nil for all of them. LeFevre et
// al. have no class attribute: salary joins theirs so that classifiers can be trained on a release.
// Having the role Class it is not partitioned and changes none of their measures.
var selections = []selection{
	{name: "rps", attributes: []string{"age", "workclass", "education", "marital-status",
		"occupation", "relationship", "race", "sex", "hours-per-week", "native-country", "salary"}},
	{name: "mondrian", attributes: lefevre, intuitive: true},
	{name: "mondrian-random", attributes: lefevre},
	{name: "diffmulti", both: true},
	{name: "dpcube", both: true,
		attributes: []string{"workclass", "marital-status", "race", "sex", "salary"}},
	{name: "all"},
}

func defaults() *Params { return &Params{Select: "rps"} }

// selection looks up what the parameters name.
func (p *Params) selection() selection {
	at := slices.IndexFunc(selections, func(s selection) bool { return s.name == p.Select })
	return selections[at]
}

// project cuts a table of all attributes down to the selection's.
func (s *selection) project(table *datasets.Table) (*datasets.Table, error) {
	if s.intuitive {
		table = inOrder(table, intuitive())
	}
	if s.attributes == nil {
		return table, nil
	}
	return table.Project(s.attributes...)
}

// Source is the real table.
var Source = source[*Params]{about: datasets.Info{
	Name:     "adult",
	Title:    "Adult census data",
	Citation: citation,
	License:  license,
	Files:    []datasets.File{dataFile, testFile},
}, defaults: defaults, load: read}

func init() {
	datasets.Register(Source)
	datasets.Register(StandIn)
}

// read reads and verifies the files a selection needs.
func read(ctx context.Context, request datasets.Request,
	params *Params) (*datasets.Dataset, error) {
	chosen := params.selection()
	files := []datasets.File{dataFile}
	if chosen.both {
		files = append(files, testFile)
	}
	var text []byte
	var missing []error
	for _, file := range files {
		content, err := request.Files.Open(file)
		missing = append(missing, err)
		text = append(text, plain(content)...)
	}
	if err := errors.Join(missing...); err != nil {
		return nil, err
	}
	// The files are verified, so that nothing can be wrong in them.
	content, err := format().Read(ctx, dataFile.Path, bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	table, err := chosen.project(content.Table)
	if err != nil {
		return nil, err
	}
	return &datasets.Dataset{Table: table, Checksum: table.Checksum(),
		Dropped: content.Dropped}, nil
}
