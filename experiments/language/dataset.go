package language

import (
	"context"
	"fmt"
	"path/filepath"
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
	node   *strictyaml.Node
}

// UnmarshalStrict splits the mapping into the dataset's name and its parameters.
func (d *DatasetSpec) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	d.node, d.params.node = n, n
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
	for i := range section {
		d := &section[i]
		if d.Name == "" {
			continue // reported while decoding
		}
		source, err := datasets.Lookup(d.Name)
		if err != nil {
			r.Problemf(valueOf(d.node, "name"), "%v", err)
			continue
		}
		info := source.Info()
		for _, params := range d.params.expand(r, "dataset "+d.Name, source.Params) {
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
	for i := range all {
		d := &all[i]
		if d.Info.Graph && s.Folds > 0 {
			r.Problemf(valueOf(s.node, "folds"),
				"%d, but %s is a graph: there are no rows to hold out", s.Folds, d.Label())
		}
		if seen[d.Label()] {
			r.Problemf(d.spec.node, "%s is listed twice", d.Label())
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

// identityParams are the dataset's parameters in cache keys. Those of the user's own files are
// paths.
func (d *Dataset) identityParams() map[string]string {
	if d.Given {
		return nil
	}
	return d.use.Params
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
