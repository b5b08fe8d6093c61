// Package language is that of experiments. A spec is a YAML file: datasets, algorithms, their
// settings, what is measured and what is drawn. It is decoded strictly and checked as a whole, so
// that all mistakes are reported at once, with file and line. A plan is a spec resolved into jobs,
// each with the keys of its randomness and of its result. The package loads a dataset when asked
// and runs nothing.
package language

import (
	"bytes"
	"cmp"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/experiments"
	"ppdp/internal/declared"
	"ppdp/internal/results"
	"ppdp/internal/spelling"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// Spec is one experiment as a researcher writes it down. docs/spec.md explains the keys.
type Spec struct {
	Name       string          `yaml:"name" doc:"what the experiment is called, which is also the folder of its results" values:"words such as rps/fig3" missing:"must be words such as rps/fig3: the folder of the results"`
	Title      string          `yaml:"title" doc:"what the experiment shows, above its figures" values:"one line" default:"none"`
	Source     string          `yaml:"source" doc:"the paper and the figure that the experiment reproduces" values:"one line" default:"none"`
	Note       string          `yaml:"note" doc:"a remark below the figures, such as how they differ from the paper's" values:"one line" default:"none"`
	Seed       uint64          `yaml:"seed" doc:"seed of all randomness" values:"a whole number from 0 on" default:"0"`
	Trials     int             `yaml:"trials" doc:"independent repetitions; figures show their mean and standard error" min:"1" max:"100000" default:"1"`
	Folds      int             `yaml:"folds" doc:"folds of a cross-validation, with the classes' shares alike: each release is made from all folds but one and tested on that one" min:"0" max:"1000" values:"0 or a whole number from 2 to 1000" default:"0: the rows that are released also test"`
	Train      Train           `yaml:"train" doc:"in place of folds: the first rows, in the table's order, are released, and the others are the test set of all trials" values:"a number of rows such as 30162, or a share of them such as 2/3 or 0.8" default:"all rows"`
	Dataset    []DatasetSpec   `yaml:"dataset,flow-one" doc:"the data, each dataset with each combination of its parameters" values:"a dataset or a list of datasets"`
	Epsilon    []float64       `yaml:"epsilon,flow-one" doc:"the budgets at which every algorithm under differential privacy is run" above:"0" values:"a number above 0 or a list of such numbers" default:"none"`
	Algorithms []AlgorithmSpec `yaml:"algorithms" doc:"what makes the releases" values:"a list of algorithms"`
	Measure    []MeasureSpec   `yaml:"measure" doc:"what is measured on every release" values:"a list of measurements"`
	Plots      []FigureSpec    `yaml:"plots" doc:"the figures" values:"a list of figures" default:"none"`
	Keep       []string        `yaml:"keep,flow-one" doc:"what a run keeps of the first release of every setting, for maps: its regions; and the original rows, which are private data" words:"regions rows" values:"regions, or a list of regions and rows" default:"none"`
	Quick      QuickSpec       `yaml:"quick" doc:"what ppdp run --quick changes" values:"a mapping" default:"nothing"`

	File     string    `yaml:"-"` // as it was named
	Text     []byte    `yaml:"-"` // as it was read
	Measures []Measure `yaml:"-"` // what Measure resolves to

	node *strictyaml.Node
	// what check has resolved
	sets, quickSets []Dataset // Dataset and Quick.Dataset
}

// QuickSpec is what --quick overrides; zero values override nothing.
type QuickSpec struct {
	Trials  int           `yaml:"trials" doc:"the number of trials" min:"1" max:"100000" default:"the experiment's"`
	Folds   int           `yaml:"folds" doc:"the number of folds" min:"2" max:"1000" default:"the experiment's"`
	Train   Train         `yaml:"train" doc:"rows released" values:"a number or a share" default:"the experiment's"`
	Epsilon []float64     `yaml:"epsilon,flow-one" doc:"the budgets" above:"0" values:"a number above 0 or a list of such numbers" default:"the experiment's"`
	Dataset []DatasetSpec `yaml:"dataset,flow-one" doc:"the datasets, some of the experiment's with other parameters, such as fewer rows" values:"a dataset or a list of datasets" default:"the experiment's"`
}

// Load reads a spec from a file.
func Load(path string) (*Spec, error) {
	data, err := datasets.ReadFile(path, strictyaml.MaxBytes)
	if err != nil {
		return nil, err
	}
	return Parse(path, data)
}

// Parse decodes and checks a spec. The error lists every problem as file:line: what was found, what
// is allowed.
func Parse(file string, data []byte) (*Spec, error) {
	r := strictyaml.NewReader(file)
	spec := &Spec{Trials: 1, File: file, Text: data, node: r.Document(data)}
	if spec.node != nil {
		r.Decode(spec.node, spec)
		spec.check(r)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return spec, nil
}

// check records everything wrong with a decoded spec that can be found without its data.
func (s *Spec) check(r *strictyaml.Reader) {
	at := func(key string) *strictyaml.Node { return valueOf(s.node, key) }
	if err := results.CheckExperimentName(s.Name); s.Name != "" && err != nil {
		r.Problemf(at("name"), "%v", err)
	}
	if s.Folds == 1 {
		r.Problemf(at("folds"), "1, must be 0 (none) or at least 2")
	}
	declared.CheckNode(r, s.node, s)
	if n := at("quick"); n != s.node {
		declared.CheckNode(r, n, &s.Quick)
	}
	section := func(key string, names []string) {
		n, allowed := at(key), strings.Join(names, ", ")
		if n == s.node {
			r.Problemf(n, "%s: missing, must list at least one of %s", key, allowed)
		} else if n.Kind == strictyaml.SequenceNode && len(n.Content) == 0 {
			r.Problemf(n, "an empty list, must list at least one of %s", allowed)
		}
	}
	section("dataset", datasets.Names())
	section("algorithms", algorithms.Names())
	section("measure", metrics.Names())
	s.findAlgorithms(r)
	s.checkKeep(r)
	s.Measures = s.measures(r)
	s.sets = s.expandDatasets(r, s.Dataset)
	s.checkTrain(r)
	if len(s.Quick.Dataset) > 0 {
		names := results.Mapped(s.Dataset, func(d DatasetSpec) string { return d.Name })
		for i := range s.Quick.Dataset {
			if d := &s.Quick.Dataset[i]; d.Name != "" && !slices.Contains(names, d.Name) {
				r.Problemf(d.Node, "%s, must be one of the datasets of the experiment, %s", d.Name,
					strings.Join(names, ", "))
			}
		}
		s.quickSets = s.expandDatasets(r, s.Quick.Dataset)
	}
	for i := range s.Algorithms {
		s.checkAlgorithm(r, &s.Algorithms[i], s.Measures)
	}
	s.checkFigures(r, s.Measures)
}

// valueOf is the value of a key in a mapping, or the mapping itself where the key is not given.
func valueOf(n *strictyaml.Node, key string) *strictyaml.Node {
	return cmp.Or(strictyaml.Find(n, key), n)
}

// Embedded returns the spec of an experiment that comes with the program.
func Embedded(name string) (*Spec, error) {
	text, ok := experiments.Text(name)
	if !ok {
		return nil, fmt.Errorf("no experiment %q%s", name, near(name))
	}
	return Parse("experiments/"+name+".yaml", text)
}

// near says which experiments a word may be meant for, the most alike and those of the same paper,
// and where all are.
func near(word string) string {
	paper, _, _ := strings.Cut(word, "/")
	same := slices.DeleteFunc(experiments.Names(), func(name string) bool {
		return !strings.HasPrefix(name, paper+"/")
	})
	text := spelling.Hint(word, experiments.Names())
	if len(same) > 0 {
		text += "; of " + paper + " there are " + strings.Join(same, ", ")
	}
	return text + "; ppdp list experiments has all"
}

// Find returns the spec a user means: a file's path, or the name of an experiment that comes with
// the program.
func Find(word string) (*Spec, error) {
	if _, ok := experiments.Text(word); ok {
		return Embedded(word)
	}
	if _, err := os.Stat(word); err != nil {
		return nil, fmt.Errorf("%s is neither a file nor an experiment%s", word,
			near(strings.TrimSuffix(word, ".yaml")))
	}
	spec, err := Load(word)
	if err != nil {
		return nil, err
	}
	if text, ok := experiments.Text(spec.Name); ok && !bytes.Equal(text, spec.Text) {
		return nil, fmt.Errorf("%s: name: %s is an experiment that comes with ppdp, which has "+
			"another spec; must be another name, or the results of both would share a folder",
			word, spec.Name)
	}
	return spec, nil
}

// What a spec's keep may ask for beyond measurements, for figures that show one release. It is kept
// of every configuration's first trial, and of that trial's first fold.
const (
	// KeepRegions keeps the releases' regions.
	KeepRegions = "regions"
	// KeepRows keeps the original quasi-identifiers: the private data themselves, so only for data
	// that are generated or public.
	KeepRows = "rows"
)

// checkKeep refuses to keep regions where no algorithm releases any.
func (s *Spec) checkKeep(r *strictyaml.Reader) {
	if !slices.Contains(s.Keep, KeepRegions) {
		return
	}
	for i := range s.Algorithms {
		if a := s.Algorithms[i].found; a != nil {
			if info := a.Info(); info.Can(algorithms.RegionsProduct) {
				return
			}
		}
	}
	r.Problemf(valueOf(s.node, "keep"), "regions, but none of the algorithms releases regions")
}

// KeepsRegions reports whether a job leaves its regions.
func (p *Plan) KeepsRegions(c *Job) bool {
	return slices.Contains(p.Spec.Keep, KeepRegions) && c.Trial == 0 && c.Fold <= 0 &&
		c.Config.Info.Can(algorithms.RegionsProduct)
}

// Compose checks a spec that a program has put together as if a file of that name held it, and
// gives it the text that the file would have. Zero values of s are left out: they mean the
// defaults.
func Compose(file string, s *Spec) (*Spec, error) {
	return Parse(file, strictyaml.Text(strictyaml.Encode(s, &Spec{})))
}

// Values is a sweep of the given values; a list is swept.
func Values(values map[string]any) Sweep {
	if len(values) == 0 {
		return Sweep{}
	}
	return Sweep{node: strictyaml.Values(values)}
}

// Changed are the parameters that differ from the defaults, for Values.
func Changed(params, defaults any) map[string]any {
	changed := make(map[string]any)
	v, d := reflect.Indirect(reflect.ValueOf(params)), reflect.Indirect(reflect.ValueOf(defaults))
	for _, field := range strictyaml.Fields(v.Type()) {
		value := v.FieldByIndex(field.Index).Interface()
		if !reflect.DeepEqual(value, d.FieldByIndex(field.Index).Interface()) {
			changed[field.Name] = value
		}
	}
	return changed
}

// MarshalStrict is the mapping that the sweep was read from.
func (s Sweep) MarshalStrict() *strictyaml.Node { return s.node }

// DatasetOf is the dataset of the given name and parameters.
func DatasetOf(values map[string]any) DatasetSpec { return DatasetSpec{params: Values(values)} }

// MarshalStrict is the mapping of the dataset's name and parameters.
func (d DatasetSpec) MarshalStrict() *strictyaml.Node { return d.params.node }
