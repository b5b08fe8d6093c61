// Package comparison writes the spec that compares all baselines that fit a user's table, under
// settings that follow from public facts alone.
package comparison

import (
	"context"
	"fmt"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/experiments/spec"
	"ppdp/internal/results"
	"ppdp/metrics"
)

// Comparison asks what releases of one's own table are worth: those of every algorithm that fits,
// under settings that follow from public facts alone.
type Comparison struct {
	CSV, Schema string // paths; without CSV records are made up from the schema
	Target      string // the class, in place of the schema's; "" for that
	Epsilon     []float64
	K           int
	// Records is the number of records as far as it is public. Settings follow from it.
	Records int
	Trials  int
	Seed    uint64
}

// Name is the experiment's name, and the folder of its results.
const Name = "compare"

// Unfit is an algorithm, or a classifier, that a table cannot be compared by, and why.
type Unfit struct{ Name, Reason string }

// comparisonSpec is the part of the spec language that a comparison uses.
type comparisonSpec struct {
	Name       string
	Title      string
	Source     string
	Note       string `yaml:",omitempty"`
	Seed       uint64
	Trials     int
	Folds      int            `yaml:",omitempty"`
	Dataset    map[string]any `yaml:",flow"`
	Epsilon    []float64      `yaml:",flow"`
	Algorithms []comparedAlgorithm
	Measure    []comparedMeasure
	Plots      []comparedPlot `yaml:",omitempty"`
}

type comparedAlgorithm struct {
	Name    string
	Variant string
	Series  string
	Epsilon []float64      `yaml:",flow,omitempty"`
	Params  map[string]any `yaml:",flow,omitempty"`
}

type comparedMeasure struct {
	Metric     []string       `yaml:",flow"`
	Classifier []string       `yaml:",flow,omitempty"`
	Params     map[string]any `yaml:",flow,omitempty"`
}

type comparedPlot struct {
	Name      string
	Title     string
	Where     map[string]string `yaml:",flow"`
	X         string
	XScale    string `yaml:"xscale"`
	Y         string
	Reference []string `yaml:",flow,omitempty"`
}

// comparedFolds are the parts that classifiers are tested on in turn.
const comparedFolds = 5

// Spec writes the comparison's spec for a file at path, parses it, and lists what does not fit.
// The table is read for what a release would refuse it for (its schema and, under k-anonymity, too
// few records); no setting depends on its values.
func (c *Comparison) Spec(ctx context.Context, files datasets.Files, path string) (s *spec.Spec,
	text []byte, unfit []Unfit, err error) {
	w := comparisonSpec{Name: Name, Source: "none", Seed: c.Seed, Trials: c.Trials,
		Title:   "Releases of " + filepath.Base(c.CSV) + " compared",
		Dataset: map[string]any{}, Epsilon: c.Epsilon}
	if c.CSV == "" {
		w.Title = "Releases of records made up from " + filepath.Base(c.Schema) + " compared"
		w.Dataset["name"], w.Dataset["n"] = "from-schema", c.Records
	} else if w.Dataset["csv"], err = relativeTo(filepath.Dir(path), c.CSV); err != nil {
		return nil, nil, nil, err
	}
	if w.Dataset["schema"], err = relativeTo(filepath.Dir(path), c.Schema); err != nil {
		return nil, nil, nil, err
	}
	if c.Target != "" {
		w.Dataset["target"] = c.Target
	}
	w.Algorithms = []comparedAlgorithm{{Name: "identity", Variant: string(algorithms.Published),
		Series: "Original"}}
	w.Measure = []comparedMeasure{{Metric: []string{"records"}}}
	table, err := c.load(ctx, files, path, &w)
	if err != nil {
		return nil, nil, nil, err
	}
	schema, rows := table.Schema(), table.Len()
	unfit = w.measures(schema)
	if schema.Class() >= 0 {
		w.Folds = comparedFolds
		rows -= (rows + comparedFolds - 1) / comparedFolds
	}
	for _, name := range algorithms.Names() {
		entries, reason := c.candidate(name, schema)
		if reason == "" && len(entries) > 0 {
			reason, err = w.refusal(path, entries, schema, rows)
			if err != nil {
				return nil, nil, nil, fmt.Errorf("%s: %w", name, err)
			}
		}
		if reason != "" {
			unfit = append(unfit, Unfit{name, reason})
			continue
		}
		for i := range entries { // titles are for people: two may be alike
			if slices.ContainsFunc(w.Algorithms, func(a comparedAlgorithm) bool {
				return a.Series == entries[i].Series && a.Name != name
			}) {
				entries[i].Series += " (" + name + ")"
			}
		}
		w.Algorithms = append(w.Algorithms, entries...)
	}
	if len(unfit) > 0 {
		var reasons []string
		for _, u := range unfit {
			reasons = append(reasons, u.Name+" ("+u.Reason+")")
		}
		w.Note = "Left out: " + strings.Join(reasons, "; ")
	}
	if text, err = w.encode(c); err != nil {
		return nil, nil, nil, err
	}
	s, err = spec.Parse(path, text)
	return s, text, unfit, err
}

func relativeTo(folder, file string) (string, error) {
	from, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(file)
	if err != nil {
		return "", err
	}
	if near, err := filepath.Rel(from, to); err == nil {
		to = near
	}
	return filepath.ToSlash(to), nil
}

func (w *comparisonSpec) encode(c *Comparison) ([]byte, error) {
	text, err := yaml.Marshal(w)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("# Written by ppdp compare; change it and run it again with ppdp run.\n"+
		"# Settings follow from the schema, from epsilon and from %d records, stated as public: "+
		"cells of a\n# partition are so few that their noise alone publishes no more records than "+
		"there are.\n", c.Records)
	return append([]byte(head), text...), nil
}

// plan is the plan of the spec with other algorithms in place of its own.
func (w *comparisonSpec) plan(path string, entries []comparedAlgorithm) (*spec.Plan, error) {
	own := *w
	own.Algorithms, own.Plots = entries, nil // figures may show what others bring
	text, err := yaml.Marshal(own)
	if err != nil {
		return nil, err
	}
	s, err := spec.Parse(path, text)
	if err != nil {
		return nil, err
	}
	return s.Plan(spec.Overrides{})
}

func (c *Comparison) load(ctx context.Context, files datasets.Files, path string,
	w *comparisonSpec) (*datasets.Table, error) {
	p, err := w.plan(path, w.Algorithms)
	if err != nil {
		return nil, err
	}
	data, err := p.Load(ctx, files, p.Datasets()[0], 0)
	if err != nil {
		return nil, err
	}
	return data.Table, nil
}

// measures says what is measured, and what of it the table cannot serve: classifiers and, without a
// class, none of them; marginals of one and of two attributes; range queries over two.
func (w *comparisonSpec) measures(schema *datasets.Schema) (unfit []Unfit) {
	accuracy := must(metrics.Lookup("accuracy"))
	var usable []string
	for _, name := range []string{"naive-bayes", "c45", "svm", "majority"} {
		classifier := must(classifiers.Lookup(name))
		if err := metrics.CheckSchema(accuracy, classifier, nil, schema); err == nil {
			usable = append(usable, name)
		} else if schema.Class() >= 0 {
			unfit = append(unfit, Unfit{name, err.Error()})
		}
	}
	w.Measure = nil
	if len(usable) > 0 {
		w.Measure = append(w.Measure,
			comparedMeasure{Metric: []string{"accuracy"}, Classifier: usable})
	} else {
		unfit = append(unfit, Unfit{"all classifiers",
			"the table has no class attribute: name one with --target"})
	}
	sizes, widest := []int{1}, map[string]any{"attributes": 1}
	if len(schema.Attributes) > 1 {
		sizes, widest = []int{1, 2}, nil // of two attributes by default
	}
	w.Measure = append(w.Measure,
		comparedMeasure{Metric: []string{"marginal-distance"},
			Params: map[string]any{"attributes": sizes}},
		comparedMeasure{Metric: []string{"range-error"}, Params: widest},
		comparedMeasure{Metric: []string{"records"}})
	if len(w.Epsilon) > 1 {
		for _, name := range usable[:max(0, len(usable)-1)] { // the last is the majority
			w.Plots = append(w.Plots, comparedPlot{Name: name, Title: name,
				Where: map[string]string{"classifier": name}, X: "epsilon", XScale: "log",
				Y: "accuracy", Reference: []string{"identity", "majority"}})
		}
	}
	return unfit
}

// candidate is an algorithm with the settings that it is compared under, one entry for all epsilons
// or, where settings follow from them, one each. It is empty for algorithms of graphs; reason says
// what keeps another one out.
func (c *Comparison) candidate(name string, s *datasets.Schema) (entries []comparedAlgorithm,
	reason string) {
	algorithm := must(algorithms.Lookup(name))
	info, params := algorithm.Info(), algorithm.Params()
	if info.Input != algorithms.TableInput {
		return nil, ""
	}
	guarantee, sound := soundVariant(info)
	if !sound {
		return nil, "the guarantee of no variant holds"
	}
	if !info.Can(algorithms.RecordsProduct) {
		return nil, "it publishes no records to learn and count from"
	}
	entry := comparedAlgorithm{Name: name, Variant: string(guarantee.Variant),
		Series: strings.SplitN(info.Title, ":", 2)[0], Params: map[string]any{}}
	switch guarantee.Model {
	case algorithms.NoPrivacy:
		switch name {
		case "identity": // is there from the beginning
			return nil, ""
		case results.SampleAlgorithm:
			entry.Series = "Sample of {" + results.ShareParam + "}"
			entry.Params[results.ShareParam] = c.shares()
			return []comparedAlgorithm{entry}, ""
		}
		return nil, "it gives no privacy"
	case algorithms.KAnonymity:
		if _, ok := params.(algorithms.Anonymous); ok {
			entry.Params["k"] = c.K
		}
		if name == "mondrian" && s.Class() >= 0 {
			entry.Params["split"] = "class"
		}
		return []comparedAlgorithm{entry}, ""
	}
	for _, epsilon := range c.Epsilon {
		own := entry
		own.Params = fitting(name, s, c.cells(epsilon))
		same := slices.IndexFunc(entries, func(e comparedAlgorithm) bool {
			return fmt.Sprint(e.Params) == fmt.Sprint(own.Params)
		})
		if same >= 0 {
			entries[same].Epsilon = append(entries[same].Epsilon, epsilon)
			continue
		}
		own.Epsilon = []float64{epsilon}
		entries = append(entries, own)
	}
	if len(entries) == 1 {
		entries[0].Epsilon = nil // all
	}
	return entries, ""
}

// fewestSampled is the smallest sample, in records, that a learning curve begins with.
const fewestSampled = 5

// shares are the sizes of samples that releases are held against, as parts of the records.
func (c *Comparison) shares() []float64 {
	shares := []float64{1}
	for _, share := range []float64{0.3, 0.1, 0.03, 0.01, 0.003, 0.001} {
		if share*float64(c.Records) >= fewestSampled {
			shares = append(shares, share)
		}
	}
	slices.Reverse(shares)
	return shares
}

// soundVariant is the variant whose guarantee holds, strict before published.
func soundVariant(info algorithms.Info) (g algorithms.Guarantee, found bool) {
	for _, wanted := range []algorithms.Variant{algorithms.Strict, algorithms.Published} {
		g, err := info.Guarantee(wanted)
		if err == nil && g.Status == algorithms.Holds {
			return g, true
		}
	}
	return g, false
}

// maxFittingCells keeps a partition's cells within what any algorithm takes.
const maxFittingCells = 1 << 22

// cells is how many cells of a partition, classes counted, may have noisy counts. Half of the
// budget buys a count noise of scale 2/ε; what of it is above 0 is 1/ε on average, so that so many
// empty cells publish as many records as there are.
func (c *Comparison) cells(epsilon float64) int {
	return int(max(1, min(maxFittingCells, float64(c.Records)*epsilon)))
}

// fitting are the settings under which a partition of a table of the schema has at most about so
// many cells, classes counted; a score that needs no class where the table has none; and for other
// releases what suits a user's table better than their defaults.
func fitting(name string, s *datasets.Schema, cells int) map[string]any {
	params := make(map[string]any)
	perClass := max(1, cells/s.Classes())
	switch name {
	case "rps":
		params["attributes"] = "random"
		params["depth"] = max(1, min(domainBits(s), bits.Len(uint(perClass))-1))
		if s.Classes() == 2 {
			params["quality"] = "class"
		}
	case "dpcube":
		params["grid"] = "coarse"
		params["max_cells"] = max(cells, s.Classes())
	case "diffgen":
		params["h"] = wholeSpecialisations(s, perClass)
	case "diffmulti":
		widest := 2
		for _, fanouts := range fanoutsOf(s) {
			widest = max(widest, fanouts[0])
		}
		params["h"] = max(1, (perClass-1)/(widest-1))
	case "aim-labels": // ten copies would teach more, and count wrongly
		params["copies"] = 1
	case "privbayes": // for general domains, with as many bins as other releases from marginals
		params["encoding"], params["bins"] = "hierarchical", 24
	}
	if _, scored := params["h"]; scored && s.Class() < 0 {
		params["utility"] = "ncp"
	}
	return params
}

// domainBits is how many cuts in half, at most, lead to a single cell.
func domainBits(s *datasets.Schema) (cuts int) {
	for _, at := range s.QuasiIdentifiers() {
		cuts += bits.Len(uint(s.Attributes[at].Cells() - 1))
	}
	return cuts
}

// mostSpecialisations bounds the settings of algorithms that specialise attributes as a whole.
const mostSpecialisations = 1000

// fanoutsOf lists, for each quasi-identifier of more than one value, into how many parts its
// specialisations cut, most first: numbers in two each time, at each node of a taxonomy its
// children.
func fanoutsOf(s *datasets.Schema) (all [][]int) {
	for _, at := range s.QuasiIdentifiers() {
		a := &s.Attributes[at]
		var fanouts []int
		if axis := a.Axis(); axis == nil {
			fanouts = slices.Repeat([]int{2}, min(a.Cells()-1, mostSpecialisations))
		} else {
			for i := range axis.Taxonomy.Nodes {
				if children := len(axis.Taxonomy.Nodes[i].Children); children > 1 {
					fanouts = append(fanouts, children)
				}
			}
			slices.SortFunc(fanouts, func(a, b int) int { return b - a })
		}
		if len(fanouts) > 0 {
			all = append(all, fanouts)
		}
	}
	return all
}

// wholeSpecialisations is the largest number of specialisations of whole attributes, at least 1,
// after which the product of the attributes' parts is at most so many, whichever are made. An
// attribute's next specialisation multiplies it by less than the one before, so that those of the
// largest factors, one after the other, make most cells.
func wholeSpecialisations(s *datasets.Schema, cells int) int {
	all := fanoutsOf(s)
	made, parts, product := make([]int, len(all)), slices.Repeat([]int{1}, len(all)), 1.0
	for h := range mostSpecialisations {
		best, factor := -1, 1.0
		for i, fanouts := range all {
			if made[i] == len(fanouts) {
				continue
			}
			after := float64(parts[i]-1+fanouts[made[i]]) / float64(parts[i])
			if after > factor {
				best, factor = i, after
			}
		}
		if product *= factor; best < 0 || product > float64(cells) {
			return max(1, h)
		}
		parts[best] += all[best][made[best]] - 1
		made[best]++
	}
	return mostSpecialisations
}

// refusal is what keeps entries of one algorithm from being compared: what the schema or so many
// records do not allow, or a guarantee that does not hold under the settings.
func (w *comparisonSpec) refusal(path string, entries []comparedAlgorithm, schema *datasets.Schema,
	rows int) (string, error) {
	p, err := w.plan(path, entries)
	if err != nil {
		return "", err
	}
	for _, config := range p.Configs {
		var reasons []string
		for _, err := range config.Refuses(rows, schema) {
			reasons = append(reasons, err.Error())
		}
		if len(reasons) > 0 {
			return strings.Join(reasons, "; "), nil
		}
		if config.Guarantee.Status != algorithms.Holds {
			return "its guarantee does not hold: " + config.Guarantee.Note, nil
		}
	}
	return "", nil
}

// must is for names of what comes with the program.
func must[T any](registered T, err error) T {
	if err != nil {
		panic(err)
	}
	return registered
}
