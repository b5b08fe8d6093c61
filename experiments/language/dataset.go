package language

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// DatasetSpec names a dataset; every key except name and resample is one of its parameters.
type DatasetSpec struct {
	Name     string `yaml:"name" doc:"the dataset; every other key is one of the dataset's parameters, a value or a list of values" values:"a name of ppdp list datasets" default:"csv, where the key csv is given"`
	Resample bool   `yaml:"resample" doc:"draw generated data anew for every trial" default:"false"`

	params Sweep
	strictyaml.Place
}

// UnmarshalStrict splits the mapping into the dataset's name and its parameters.
func (d *DatasetSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	d.Node, d.params.node = n, n
	if n.Kind == strictyaml.ScalarNode { // dataset: adult
		r.Decode(n, &d.Name)
		return
	}
	if n.Kind != strictyaml.MappingNode {
		r.Problemf(n, "must be a name or a mapping such as {name: adult, select: rps}")
		return
	}
	for _, entry := range r.Entries(n) {
		switch entry.Key {
		case "name":
			r.Decode(entry.Value, &d.Name)
		case "resample":
			r.Decode(entry.Value, &d.Resample)
		default:
			if entry.Key == "csv" && d.Name == "" {
				d.Name = "csv" // {csv: my.csv, schema: my.schema.yaml} needs no name
			}
			d.params.add(r, entry)
		}
	}
	if d.Name == "" {
		r.Problemf(n, "needs a name, must be one of %s", strings.Join(datasets.Names(), ", "))
	}
}

// Dataset is one dataset with one combination of its parameters.
type Dataset struct {
	Info     datasets.Info
	Resample bool // drawn anew for each trial
	Given    bool // the user's own files

	source datasets.Source
	params any
	use    results.Dataset
	spec   *DatasetSpec
}

// userFiles are the parameters of a dataset that the user gives as files.
type userFiles interface{ ResolvePaths(base string) }

// expandDatasets resolves a dataset section into one entry for each combination of parameters.
func (s *Spec) expandDatasets(r *strictyaml.Reader, section []DatasetSpec) []Dataset {
	var all []Dataset
	for d := range results.Each(section) {
		if d.Name == "" {
			continue // reported while decoding
		}
		source, err := datasets.Lookup(d.Name)
		if err != nil {
			r.Problemf(valueOf(d.Node, "name"), "%v", err)
			continue
		}
		info := source.Info()
		for _, params := range d.params.expand(r, d.Node, "dataset "+d.Name, source.Params) {
			files, given := params.(userFiles)
			if given {
				files.ResolvePaths("") // ./my.csv is my.csv
			}
			use := results.Dataset{Name: d.Name, StandsFor: info.StandsFor}
			use.Params, use.Changed = resolve(params, source.Params())
			if given {
				files.ResolvePaths(filepath.Dir(s.File)) // relative to the spec
			}
			all = append(all, Dataset{Info: info, Resample: d.Resample, Given: given,
				source: source, params: params, use: use, spec: d})
		}
	}
	seen := make(map[string]bool)
	for d := range results.Each(all) {
		if d.Info.Graph && s.Folds > 0 {
			r.Problemf(valueOf(s.node, "folds"),
				"%d, but %s is a graph: there are no rows to hold out", s.Folds, d.Label())
		}
		if seen[d.Label()] {
			r.Problemf(d.spec.Node, "%s is listed twice", d.Label())
		}
		seen[d.Label()] = true
	}
	return all
}

// Label names the dataset with the parameters that differ from the defaults.
func (d *Dataset) Label() string { return d.use.Label() }

// identity is what seeds and cache keys know the dataset by: its label or, of the user's own files,
// their content, so that neither a file's name nor its folder changes any number.
func (d *Dataset) identity(checksum string) string {
	if d.Given {
		return d.name() + " " + checksum
	}
	return d.name()
}

// name is the dataset's label without what names the user's own files.
func (d *Dataset) name() string {
	if d.Given {
		return d.use.Name
	}
	return d.Label()
}

// Load reads or generates the dataset for a trial of the plan.
func (p *Plan) Load(ctx context.Context, files datasets.Files, d *Dataset, trial int) (
	*datasets.Dataset, error) {
	set, err := d.source.Load(ctx, datasets.Request{Params: d.params, Files: files,
		Key: p.DataKey(d, trial)})
	if err != nil {
		err = fmt.Errorf("dataset %s: %w", d.Label(), err)
	}
	return set, err
}

// Train is how many rows of a table a release is made from: the first ones, in the table's order.
// The rows after them are the test set. The zero value parts nothing. Where folds vary what is
// released from fold to fold, here all trials release the same rows, and their spread is that of
// the noise alone.
type Train struct {
	Rows  int     // a number of rows, or
	Share float64 // a share of all rows, rounded down

	text string
}

// trainForms is what may be written.
const trainForms = "a number of rows such as 30162, or a share of them such as 2/3 or 0.8"

// UnmarshalStrict reads a number of rows, a fraction or a decimal share.
func (t *Train) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	if n.Kind != strictyaml.ScalarNode || !t.parse(n.Value) {
		r.Problemf(n, "%q, must be %s", n.Value, trainForms)
	}
}

func (t *Train) parse(text string) bool {
	t.text = text
	if rows, err := strconv.Atoi(text); err == nil {
		t.Rows = rows
		return rows >= 1 && text == strconv.Itoa(rows)
	}
	above, below, fraction := strings.Cut(text, "/")
	if !fraction {
		share, err := strconv.ParseFloat(text, 64)
		t.Share = share
		return err == nil && share > 0 && share < 1
	}
	a, errA := strconv.Atoi(above)
	b, errB := strconv.Atoi(below)
	if errA != nil || errB != nil || a < 1 || a >= b {
		return false
	}
	t.Share = float64(a) / float64(b)
	return true
}

// Set reports whether rows are held out.
func (t *Train) Set() bool { return t.text != "" }

// String is what was written.
func (t *Train) String() string { return t.text }

// Of returns how many of n rows are released.
func (t *Train) Of(n int) (int, error) {
	rows := t.Rows
	if rows == 0 {
		// A third of 3n rows must not lose a row to 1/3 < ⅓.
		rows = int(math.Floor(float64(t.Share*float64(n)) + 1e-9))
	}
	if rows < 1 || rows >= n {
		return 0, fmt.Errorf("train: %s of %d rows: both sides of the split need a row", t.text, n)
	}
	return rows, nil
}

// checkTrain records what the split cannot be combined with.
func (s *Spec) checkTrain(r *strictyaml.Reader) {
	quick := valueOf(s.node, "quick")
	if s.Train.Set() && s.Quick.Folds > 0 {
		r.Problemf(valueOf(quick, "folds"), "%d, but train holds rows out already", s.Quick.Folds)
	}
	for _, t := range []struct {
		Train
		in *strictyaml.Node
	}{{s.Train, s.node}, {s.Quick.Train, quick}} {
		if !t.Set() {
			continue
		}
		at := valueOf(t.in, "train")
		if s.Folds > 0 {
			r.Problemf(at, "%s, but folds hold rows out already; give one of the two", t.text)
		}
		for i := range s.sets {
			if d := &s.sets[i]; d.Info.Graph {
				r.Problemf(at, "%s, but %s is a graph: there are no rows to hold out", t.text,
					d.Label())
			}
		}
	}
}

// TrainRows releases the first n rows.
func TrainRows(n int) Train { return Train{Rows: n, text: strconv.Itoa(n)} }

// MarshalStrict is what was written.
func (t Train) MarshalStrict() *strictyaml.Node {
	return &strictyaml.Node{Kind: strictyaml.ScalarNode, Value: t.text}
}
