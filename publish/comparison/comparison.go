// Package comparison writes the spec that compares all baselines that fit a user's table, under
// settings that follow from public facts alone.
package comparison

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/experiments/language"
	"ppdp/internal/declared"
	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/metrics"
)

// Comparison asks for the utility of releases of a user's table, by every algorithm that fits,
// under settings that follow from public facts alone. Its tags are those of the command line.
type Comparison struct {
	CSV           string `reads:"" arg:"" optional:"" name:"csv" help:"The table, as comma-separated values or as its schema says."` // "": records are made up
	Schema        string `reads:"" help:"The table's schema file; ppdp datasets schema drafts one. By default the one beside the table: my.schema.yaml of my.csv." placeholder:"FILE"`
	Target        string `help:"The class that classifiers predict, in place of the schema's." placeholder:"ATTRIBUTE"`
	Contributions int    `help:"At most this many records of each person are used, in place of as many as the schema says." min:"0" max:"1000" placeholder:"N"`
	// kong splits at commas.
	Epsilon []float64 `help:"Budget of each release under differential privacy; several are joined by commas." default:"1" above:"0" placeholder:"E"`
	K       int       `name:"k" help:"Size of groups under k-anonymity." default:"10" min:"2" placeholder:"K"`
	Records int       `name:"rows" help:"The number of records as far as it is public, else a guess: settings follow from it. It is never counted in the file." min:"0" placeholder:"N"`
	Trials  int       `help:"Repetitions, each with other random numbers and other folds; tests need 2, and more of them distinguish more releases." default:"5" min:"1" placeholder:"N"`
	Quick   bool      `help:"A quick look: at most 2 trials of 2 folds, 2 classifiers, and samples of 4,000 rows to learn from and to test on."`
	Seed    uint64    `help:"Master seed of all randomness." default:"1" placeholder:"S"`
	// Unreleasable says why no release by an algorithm can be handed out, "" if one can.
	Unreleasable func(algorithms.Algorithm) string `kong:"-"`
}

// Validate reports what declarations of single fields do not say.
func (c *Comparison) Validate() error {
	var bad datasets.Problems
	for i, epsilon := range c.Epsilon {
		if slices.Contains(c.Epsilon[:i], epsilon) {
			bad.Add("epsilon: %v is listed twice", epsilon)
		}
	}
	if c.Records == 0 {
		bad.Add("rows must be given: the number of records as far as it is public, else a guess. " +
			"Settings follow from it; it is never counted in the file")
	}
	return bad.Err()
}

// Name is the experiment's name, and the folder of its results.
const Name = "compare"

// unfit is an algorithm, or a classifier, that a table cannot be compared by, and why.
type unfit struct{ name, reason string }

// folds are the parts that classifiers are tested on in turn. A quick look has fewer, fewer trials,
// and so many rows at most to learn from.
const (
	folds, quickFolds = 5, 2
	quickTrials       = 2
	quickRows         = 4000
)

// Spec makes the comparison's spec for a file at path, and notes what does not fit. The table is
// read for what a release would refuse it for (its schema and, under k-anonymity, too few records);
// no setting depends on its values.
func (c *Comparison) Spec(ctx context.Context, files datasets.Files, path string) (
	s *language.Spec, notes []string, err error) {
	data, err := c.data(path)
	if err != nil {
		return nil, nil, err
	}
	if c.CSV == "" {
		data["name"], data["n"] = "from-schema", c.Records
	}
	w := &language.Spec{Name: Name, Source: "none", Seed: c.Seed, Trials: c.Trials,
		Title:   "Releases of " + filepath.Base(c.CSV) + " compared",
		Dataset: []language.DatasetSpec{language.DatasetOf(data)}, Epsilon: c.Epsilon,
		Algorithms: []language.AlgorithmSpec{{Name: "identity", Series: "Original",
			Variant: []string{string(algorithms.Published)}}}}
	if c.CSV == "" {
		w.Title = "Releases of records made up from " + filepath.Base(c.Schema) + " compared"
	}
	table, err := c.table(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	schema, rows := table.Schema(), table.Len()
	left := c.measure(w, schema)
	if schema.Class() >= 0 {
		if w.Folds = folds; c.Quick {
			w.Folds = quickFolds
		}
		rows -= (rows + w.Folds - 1) / w.Folds
	}
	if c.Quick {
		w.Trials = min(c.Trials, quickTrials)
	}
	for _, name := range algorithms.Names() {
		if name == w.Algorithms[0].Name {
			continue
		}
		entries, reason := c.candidate(name, schema)
		if reason != "" {
			left = append(left, unfit{name, reason})
		}
		for _, entry := range entries { // titles are for people: two may be alike
			if slices.ContainsFunc(w.Algorithms, func(a language.AlgorithmSpec) bool {
				return a.Series == entry.Series && a.Name != name
			}) {
				entry.Series += " (" + name + ")"
			}
			w.Algorithms = append(w.Algorithms, entry)
		}
	}
	refused, err := refusals(path, *w, schema, rows)
	if err != nil {
		return nil, nil, err
	}
	w.Algorithms = slices.DeleteFunc(w.Algorithms, func(a language.AlgorithmSpec) bool {
		return refused[a.Name] != ""
	})
	for _, name := range slices.Sorted(maps.Keys(refused)) {
		left = append(left, unfit{name, refused[name]})
	}
	if len(left) > 0 {
		var reasons []string
		for _, u := range left {
			notes = append(notes, "left out: "+u.name+": "+u.reason)
			reasons = append(reasons, u.name+" ("+u.reason+")")
		}
		w.Note = "Left out: " + strings.Join(reasons, "; ")
	}
	if s, err = language.Compose(path, w); err != nil {
		return nil, nil, err
	}
	p, err := s.Plan(language.Overrides{})
	if err != nil {
		return nil, nil, err
	}
	notes = append(notes, fmt.Sprintf("%d releases to make and to measure", len(p.Jobs)))
	s.Text = append(fmt.Appendf(nil, `# Made by ppdp compare; change it and run it with ppdp run.
# Settings follow from the schema, from epsilon and from %d records, stated as public: cells of a
# partition are so few that their noise alone publishes no more records than there are.
`, c.Records), s.Text...)
	return s, notes, nil
}

// data is the table as a spec at path names it.
func (c *Comparison) data(path string) (values map[string]any, err error) {
	values = make(map[string]any)
	for _, of := range [][2]string{{"csv", c.CSV}, {"schema", c.Schema}} {
		if of[1] == "" {
			continue
		}
		if values[of[0]], err = relativeTo(filepath.Dir(path), of[1]); err != nil {
			return nil, err
		}
	}
	if c.Contributions != 0 {
		values["contributions"] = c.Contributions
	}
	if c.Target != "" {
		values["target"] = c.Target
	}
	return values, nil
}

func relativeTo(folder, file string) (string, error) {
	from, fromErr := filepath.Abs(folder)
	to, toErr := filepath.Abs(file)
	if near, err := filepath.Rel(from, to); err == nil {
		to = near
	}
	return filepath.ToSlash(to), errors.Join(fromErr, toErr)
}

// table reads the table, or makes records up.
func (c *Comparison) table(ctx context.Context, files datasets.Files) (*datasets.Table, error) {
	var from datasets.Source = csvtable.Source{}
	var params any = &csvtable.Params{CSV: c.CSV, Schema: c.Schema, Target: c.Target,
		Contributions: c.Contributions}
	if c.CSV == "" {
		from, params = csvtable.MadeUp{}, &csvtable.MadeUpParams{Schema: c.Schema,
			Target: c.Target, Contributions: c.Contributions, N: c.Records}
	}
	if err := declared.Check(params); err != nil {
		return nil, err
	}
	loaded, err := from.Load(ctx, datasets.Request{Files: files, Params: params})
	if err != nil {
		return nil, err
	}
	return loaded.Table, nil
}

// measure sets what is measured: accuracy and AUC of classifiers if the table has a class,
// marginals of one and of two attributes in equal and in quantile bins, range queries over two, the
// amounts of numbers, and how many records there are, of what weight and how hard their labels. It
// returns the classifiers that the table cannot serve.
func (c *Comparison) measure(w *language.Spec, schema *datasets.Schema) (left []unfit) {
	accuracy := must.Get(metrics.Lookup("accuracy"))
	var usable []string
	learners := []string{"naive-bayes", "c45", "svm", "boosting", "majority"}
	var sampled language.Sweep
	if c.Quick {
		learners = []string{"naive-bayes", "boosting", "majority"}
		sampled = language.Values(map[string]any{"rows": quickRows})
	}
	for _, name := range learners {
		classifier := must.Get(classifiers.Lookup(name))
		if err := metrics.CheckSchema(accuracy, classifier, nil, schema); err == nil {
			usable = append(usable, name)
		} else if schema.Class() >= 0 {
			left = append(left, unfit{name, err.Error()})
		}
	}
	if len(usable) > 0 {
		w.Measure = append(w.Measure,
			language.MeasureSpec{Metric: []string{"accuracy", "auc"}, Classifier: usable,
				Params: sampled})
		if slices.Contains(usable, "c45") {
			w.Measure = append(w.Measure, language.MeasureSpec{Metric: []string{"accuracy-within"},
				Classifier: []string{"c45"}})
		}
	} else {
		left = append(left, unfit{"all classifiers",
			"the table has no class attribute: name one as the target"})
	}
	sizes, widest := []int{1}, map[string]any{"attributes": 1}
	if len(schema.Attributes) > 1 {
		sizes, widest = []int{1, 2}, nil // of two attributes by default
	}
	figures := amounts(schema)
	cuts := metrics.Equally.Enum() // equal bins do not see what becomes of skewed columns
	if figures == nil {
		cuts = cuts[:1]
	}
	w.Measure = append(w.Measure,
		language.MeasureSpec{Metric: []string{"marginal-distance"},
			Params: language.Values(map[string]any{"attributes": sizes, "cut": cuts})},
		language.MeasureSpec{Metric: []string{"range-error"}, Params: language.Values(widest)},
		language.MeasureSpec{Metric: []string{"records", "record-weight"}})
	if figures != nil {
		w.Measure = append(w.Measure, language.MeasureSpec{Metric: []string{"amounts"},
			Params: language.Values(map[string]any{"of": figures})})
	}
	if len(w.Epsilon) > 1 {
		for _, name := range usable[:max(0, len(usable)-1)] { // the last is the majority
			w.Plots = append(w.Plots, language.FigureSpec{Figure: results.Figure{Name: name,
				Title: name, Where: results.Filter{"classifier": name}, X: "epsilon",
				XScale: "log", Y: "accuracy", Reference: []string{"identity", "majority"}}})
		}
	}
	return left
}

// amounts are what is measured of a table's numbers; none where it has no numbers.
func amounts(s *datasets.Schema) []string {
	if !slices.ContainsFunc(s.Attributes, func(a datasets.Attribute) bool {
		return a.Kind == datasets.Numeric
	}) {
		return nil
	}
	return metrics.MeanAmount.Enum()
}

// candidate is an algorithm with the settings that it is compared under, one entry for all epsilons
// or, where settings follow from them, one each. It is empty for algorithms of graphs; reason says
// what keeps another one out.
func (c *Comparison) candidate(name string, s *datasets.Schema) (entries []language.AlgorithmSpec,
	reason string) {
	algorithm := must.Get(algorithms.Lookup(name))
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
	if c.Unreleasable != nil && guarantee.Model != algorithms.NoPrivacy {
		if reason = c.Unreleasable(algorithm); reason != "" {
			return nil, reason
		}
	}
	entry := language.AlgorithmSpec{Name: name, Variant: []string{string(guarantee.Variant)},
		Series: strings.SplitN(info.Title, ":", 2)[0]}
	// fitted are the settings that fit a number of cells.
	fitted := func(cells int) map[string]any {
		own := algorithm.Params()
		if fitter, ok := own.(algorithms.Fitter); ok {
			fitter.FitSchema(s, cells)
		}
		return language.Changed(own, params)
	}
	switch guarantee.Model {
	case algorithms.NoPrivacy:
		if name != results.SampleAlgorithm {
			return nil, "it gives no privacy"
		}
		entry.Series = "Sample of {" + results.ShareParam + "}"
		entry.Params = language.Values(map[string]any{results.ShareParam: c.shares()})
		return []language.AlgorithmSpec{entry}, ""
	case algorithms.KAnonymity:
		values := fitted(maxCells)
		if _, ok := params.(algorithms.Anonymous); ok {
			values["k"] = c.K
		}
		entry.Params = language.Values(values)
		return []language.AlgorithmSpec{entry}, ""
	}
	// add adds entries with the settings that fit each epsilon, but for those that are there.
	add := func(remedy string, fewer int, changed map[string]any) {
		var own []language.AlgorithmSpec
		for _, epsilon := range c.Epsilon {
			e, values := entry, fitted(max(1, c.cells(epsilon)/fewer))
			maps.Copy(values, changed)
			e.Series += remedy
			e.Epsilon, e.Params = nil, language.Values(values)
			same := results.Entry(&own, e, alike(e))
			same.Epsilon = append(same.Epsilon, epsilon)
		}
		if len(own) == 1 {
			own[0].Epsilon = nil // all
		}
		for _, e := range own {
			results.Entry(&entries, e, alike(e))
		}
	}
	add("", 1, nil)
	if info.Can(algorithms.RegionsProduct) { // the remedy for too many: so few that noise is small
		add(", few regions", fewRegions, nil)
	}
	// The remedy for wide columns, where it is not the default.
	if strictyaml.Resolved(params)["cut"] == equalBins && wide(s) {
		add(", private bins", 1, map[string]any{"cut": privateBins})
	}
	return entries, ""
}

// privateBins divide wide columns by noisy counts; below so many cells none need it.
const (
	privateBins = "private"
	equalBins   = "equal"
	narrow      = 256
)

// wide reports whether a schema leaves a numeric attribute of many cells to equal bins.
func wide(s *datasets.Schema) bool {
	return slices.ContainsFunc(s.Attributes, func(a datasets.Attribute) bool {
		return a.Kind == datasets.Numeric && a.Cells() > narrow && len(a.Bins) == 0 && !a.Log
	})
}

// fewRegions is how many times fewer regions the remedy has for releases that are mostly noise.
const fewRegions = 16

// alike reports whether an entry has the settings of another.
func alike(e language.AlgorithmSpec) func(language.AlgorithmSpec) bool {
	return func(o language.AlgorithmSpec) bool { return reflect.DeepEqual(o.Params, e.Params) }
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

// maxCells keeps a partition's cells within what any algorithm takes.
const maxCells = 1 << 22

// cells is how many cells of a partition, classes counted, may have noisy counts. With half of the
// budget a count gets noise of scale 2/ε, whose positive part is 1/ε on average. So n·ε empty cells
// publish as many records by noise alone as the n that there are.
func (c *Comparison) cells(epsilon float64) int {
	return int(max(1, min(maxCells, float64(c.Records)*epsilon)))
}

// refusals are the algorithms of the spec that cannot release the table, and why: what the schema
// or the number of rows does not allow, or a guarantee that does not hold under the settings.
func refusals(path string, w language.Spec, schema *datasets.Schema, rows int) (map[string]string,
	error) {
	w.Plots = nil // they may show what is refused
	s, err := language.Compose(path, &w)
	if err != nil {
		return nil, err
	}
	p, err := s.Plan(language.Overrides{})
	if err != nil {
		return nil, err
	}
	refused := make(map[string]string)
	for _, config := range p.Configs {
		reasons := results.Mapped(config.Refuses(rows, schema), error.Error)
		g := config.Guarantee
		if len(reasons) == 0 && g.Model != algorithms.NoPrivacy && g.Status != algorithms.Holds {
			reasons = append(reasons, "its guarantee does not hold: "+g.Note)
		}
		if _, known := refused[config.Algorithm]; len(reasons) > 0 && !known {
			refused[config.Algorithm] = strings.Join(reasons, "; ")
		}
	}
	return refused, nil
}
