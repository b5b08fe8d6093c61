package comparison

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/metrics"
	"ppdp/privacy"
)

// Evaluation asks for the utility of releases in files, whoever made them, and for what they
// disclose. Controls made from the original stand beside them. Its tags are those of the command
// line.
type Evaluation struct {
	CSV       string   `reads:"" arg:"" name:"original" help:"The original table: a CSV file."`
	Releases  []string `reads:"" arg:"" name:"release" help:"What was released of it: a CSV file of any program, with raw or generalised values, or a folder of ppdp release."`
	Schema    string   `reads:"" help:"The original's schema file; ppdp datasets schema drafts one. By default the one beside it: my.schema.yaml of my.csv." placeholder:"FILE"`
	Holdout   string   `reads:"" help:"Records of the same population that no release was made from, in a table like the original." placeholder:"FILE"`
	Split     float64  `help:"In place of a holdout: the share of the original that models are tested on. Releases may be made from it, so that attacks on membership are left out." min:"0" below:"1" placeholder:"SHARE"`
	Target    string   `help:"The attribute that models predict, in place of the schema's class: a category or a number." placeholder:"ATTRIBUTE"`
	Groups    []string `help:"Attributes between whose groups models' errors are compared." placeholder:"NAME,..."`
	Sensitive []string `help:"Attributes that an attacker would guess, in place of those of that role in the schema." placeholder:"NAME,..."`
	Learnt    int      `help:"The most records of a release or control that models learn from, and the most that they are tested on: of more, a sample; 0 means all." default:"50000" min:"0" placeholder:"N"`
	Seed      uint64   `help:"Master seed of all randomness." default:"1" placeholder:"S"`

	// Findings are what is furthest off in each release, once its Spec was made.
	Findings []*Finding `kong:"-"`
}

// Finding is what is furthest off in a release: at most five pairs of attributes, and at most ten
// records of the original, those that it exposes most. Among is how many records were compared.
type Finding struct {
	Release      string                `json:"release"`
	Associations []metrics.Association `json:"associations"`
	// Exposed are numbers of records in the order of the file; the first is 1.
	Exposed []int `json:"exposed"`
	Among   int   `json:"among"`
}

// Validate reports what declarations of single fields do not say.
func (e *Evaluation) Validate() error {
	return problem.Unless(e.Holdout == "" || e.Split == 0,
		"a holdout and a split: one of them holds records out")
}

// EvaluationName is the experiment's name, and the folder of its results.
const EvaluationName = "evaluate"

// controlTrials is how often samples of at most fewTrialled records are drawn: single ones say
// little.
const controlTrials, fewTrialled = 3, 10_000

// asked is a measurement to be made of an evaluation; lists among its parameters are swept.
// Learners are for metrics that take classifiers.
type asked struct {
	metric   string
	needs    need
	learners []string
	params   params
	where    results.Filter
}

type params map[string]any

// need is what a measurement cannot do without, beside what its metric says.
type need int

const (
	nothing  need = iota
	category      // a class, and records that the controls were not made from
	number        // a numeric target, and such records
	unseen        // records that no release was made from either
	promised      // such records, and a release with a guarantee
)

// measurements is all that an evaluation measures, in the order of the page: a new metric is a line
// here. Of lists without an entry nothing is measured.
func (m *made) measurements() []asked {
	learners := []string{"boosting", "forest", "logistic", "naive-bayes"}
	numbers := []string{"boosting", "ridge"}
	ends := []string{"estimate", "low", "high", "of"} // the report makes one line of the four
	scores, rates := []string{"density", "distance", "classifier"}, []float64{0.001, 0.01, 0.1}
	triples := params{"attributes": 3}
	// Samples are no yardstick of what depends on the number of records.
	unsampled := results.Filter{"algorithm": strings.Join([]string{results.FileAlgorithm,
		results.CopyAlgorithm, results.PermutedAlgorithm}, "|")}
	n := len(m.schema.Attributes)
	if most := 500; n*(n-1)*(n-2)/6 > most {
		triples["sets"] = most
	}
	all := []asked{
		{metric: "records"},
		{metric: "outside-schema"},
		{metric: "nist-score"},
		{metric: "marginal-distance", params: params{"attributes": []int{1, 2}}},
		{metric: "marginal-distance", params: triples},
		{metric: "range-error"},
		{metric: "association-error"},
		{metric: "amounts", params: params{"of": amounts(m.schema)}},
		{metric: "pmse", params: params{"model": []string{"logistic", "boosting"}},
			where: unsampled},
		{metric: "missing-patterns"},

		{metric: "accuracy", needs: category, learners: append(learners, "c45", "majority")},
		{metric: "auc", needs: category, learners: learners},
		{metric: "confusion", needs: category, learners: learners},
		{metric: "log-loss", needs: category, learners: learners},
		{metric: "calibration", needs: category, learners: learners},
		{metric: "group-gap", needs: category, learners: learners[:1],
			params: params{"attribute": m.Groups, "of": []string{"odds", "error"}}},
		{metric: "r2", needs: number, params: params{"target": m.Target, "regressor": numbers}},
		{metric: "mae", needs: number, params: params{"target": m.Target, "regressor": numbers}},

		{metric: "column", params: params{"attribute": m.schema.Names(),
			"of": []string{"distance", "missing"}}, where: unsampled},
		{metric: "column", params: params{"attribute": m.named(datasets.Numeric), "of": "mean"},
			where: unsampled},
		{metric: "column", params: params{"attribute": m.named(datasets.Numeric),
			"of": "quantile", "at": []float64{0.05, 0.25, 0.5, 0.75, 0.95}}, where: unsampled},
		{metric: "column", params: params{"attribute": m.named(datasets.Categorical),
			"of": "share", "rank": []int{1, 2, 3, 4, 5}}, where: unsampled},

		{metric: "linkage", needs: unseen, params: params{"end": ends}},
		{metric: "linkage", needs: unseen, params: params{"of": []string{"members", "held-out"}}},
		{metric: "verbatim", params: params{"end": []string{"estimate", "of"}}},
		{metric: "verbatim", needs: unseen, params: params{"of": "difference", "end": ends}},
		{metric: "unique-matches", params: params{"end": []string{"estimate", "of"}}},
		{metric: "unique-matches", needs: unseen,
			params: params{"of": []string{"held-out", "difference"}, "end": ends}},
		{metric: "closest-record", needs: unseen, params: params{"end": ends}},
		{metric: "membership", needs: unseen, params: params{"end": ends, "score": scores}},
		{metric: "membership", needs: unseen, params: params{"end": ends, "of": "tpr",
			"fpr": rates}},
		{metric: "membership", needs: promised, params: params{"allowed": true, "score": scores}},
		{metric: "membership", needs: promised, params: params{"allowed": true, "of": "tpr",
			"fpr": rates}},
		{metric: "attribute-inference", needs: unseen,
			params: params{"attribute": m.Sensitive, "of": []string{"held-out", "difference"},
				"end": ends}},
	}
	for _, p := range m.pairs {
		all = append(all, asked{metric: "column", where: unsampled,
			params: params{"attribute": p[0], "of": "pair", "with": p[1]}})
	}
	return all
}

// named are the attributes of a kind.
func (m *made) named(kind datasets.Kind) (names []string) {
	for i := range m.schema.Attributes {
		if a := &m.schema.Attributes[i]; a.Kind == kind {
			names = append(names, a.Name)
		}
	}
	return names
}

// made is the evaluation's spec in the making.
type made struct {
	*Evaluation
	spec    *language.Spec
	path    string
	schema  *datasets.Schema
	numeric bool            // the target is a number
	largest int             // records of a table that is learnt from or tested on
	promise bool            // some release comes with a guarantee
	joint   *datasets.Table // the original, then the holdout; nil without one
	notes   []string
	pairs   [][2]string // whose marginals are furthest off in some release
}

func (m *made) note(format string, args ...any) {
	m.notes = append(m.notes, fmt.Sprintf(format, args...))
}

// Spec makes the evaluation's spec for a file at path, and says what a reader must know of the
// tables, and what is not measured and why: sentences, which are the spec's note as well, a line
// each.
func (e *Evaluation) Spec(ctx context.Context, files datasets.Files, path string) (*language.Spec,
	[]string, error) {
	own := *e
	own.Findings = nil
	m := &made{Evaluation: &own, path: path, spec: &language.Spec{
		Name: EvaluationName, Source: "none",
		Title: "Utility of releases of " + filepath.Base(e.CSV) + ", and what they disclose",
		Seed:  e.Seed, Trials: controlTrials}}
	if format, _, err := csvtable.ReadSchema(e.Schema, "", 0); err == nil {
		at := format.Schema.Index(e.Target)
		m.numeric = at >= 0 && format.Schema.Attributes[at].Kind == datasets.Numeric
	}
	original, err := m.source(e.CSV).table(ctx, files)
	if err != nil {
		return nil, nil, err
	}
	m.schema = original.Schema()
	if err := m.roles(); err != nil {
		return nil, nil, err
	}
	values, err := m.source(e.CSV).data(path)
	if err != nil {
		return nil, nil, err
	}
	rows := original.Len()
	switch {
	case e.Holdout != "":
		holdout, err := m.source(e.Holdout).table(ctx, files)
		if err != nil {
			return nil, nil, fmt.Errorf("holdout: %w", err)
		}
		if values["holdout"], err = relativeTo(filepath.Dir(path), e.Holdout); err != nil {
			return nil, nil, err
		}
		m.spec.Train = language.TrainRows(rows)
		m.overlap(original, holdout)
		both := datasets.NewBuilder(m.schema, 0)
		both.Append(original)
		both.Append(holdout)
		m.joint = both.Table()
		// What is as near to the original as anything can be that was not made from it.
		m.spec.Algorithms = append(m.spec.Algorithms, language.AlgorithmSpec{
			From: fmt.Sprint(values["holdout"]), Series: results.FreshSeries, Trials: 1})
		m.largest = holdout.Len()
	case e.Split > 0:
		if rows -= int(math.Round(float64(e.Split * float64(rows)))); rows < 1 ||
			rows == original.Len() {
			return nil, nil, fmt.Errorf("split: %v of %d records, must leave some on either "+
				"side", e.Split, original.Len())
		}
		m.spec.Train = language.TrainRows(rows)
		m.note("%d records, drawn at random, were held out of the controls, and all else is "+
			"measured against the other %d. The releases may be made from both: a release that "+
			"copies records looks better to models than it is for new people, and attacks on "+
			"membership are left out. A holdout is of records that no release was made from",
			original.Len()-rows, rows)
	default:
		m.note("Not measured: what can be learned from a release, and attacks on membership. " +
			"Both are judged on records that it was not made from: name a table of such as " +
			"the holdout or, for models alone, hold some back by a split of 0.2")
	}
	m.spec.Dataset = []language.DatasetSpec{language.DatasetOf(values)}
	for _, release := range e.Releases {
		if err := m.release(ctx, release, original); err != nil {
			return nil, nil, err
		}
	}
	m.largest = max(m.largest, rows)
	if m.sampled() && m.spec.Train.Set() {
		m.note("Models learn from %d records of each release and control at most, and are "+
			"tested on as many, drawn at random, the same at every call: samples of more are as "+
			"good as the copy by them. Another number can be set, 0 for all records", m.Learnt)
	}
	m.controls(rows)
	if err := m.measure(); err != nil {
		return nil, nil, err
	}
	m.spec.Note = strings.Join(m.notes, "\n")
	s, err := language.Compose(path, m.spec)
	if err != nil {
		return nil, nil, err
	}
	s.Text = append([]byte("# Made by ppdp evaluate; change it and run it with ppdp run.\n"),
		s.Text...)
	e.Findings = m.Findings
	return s, m.notes, nil
}

// source is a table that is read by the original's schema.
func (m *made) source(csv string) *Comparison {
	c := &Comparison{CSV: csv, Schema: m.Schema, Target: m.Target}
	if m.numeric {
		c.Target = "" // which is no class
	}
	return c
}

// roles checks the attributes that are named.
func (m *made) roles() error {
	var bad datasets.Problems
	for _, name := range m.Groups {
		bad.OneOf("groups", name, m.schema.Names()...)
	}
	for _, name := range m.Sensitive {
		bad.OneOf("sensitive", name, m.schema.Names()...)
	}
	if len(m.Sensitive) == 0 {
		m.Sensitive = m.schema.Names(datasets.Sensitive)
	}
	return bad.Err()
}

// overlap notes records of the holdout that the original has too, where they are more than chance
// allows: a record of the same population, of either table, has an equal one in the original,
// beside itself, equally often.
func (m *made) overlap(original, holdout *datasets.Table) {
	tally := datasets.NewTally(original, original.AllRows())
	equal, twins := 0, 0
	for place := range tally.Places() {
		if n := tally.Count(place); n > 1 {
			twins += n
		}
	}
	for row := range int32(holdout.Len()) {
		if tally.Count(tally.Find(holdout, row)) > 0 {
			equal++
		}
	}
	size, share := float64(holdout.Len()), float64(twins)/float64(original.Len())
	spread := math.Sqrt(float64(size*share)*(1-share)*(1+size/float64(original.Len()))) + 1
	if chance := float64(size * share); float64(equal) > chance+float64(4*spread) {
		m.note("THE HOLDOUT OVERLAPS THE ORIGINAL: %d of its %d records equal one of the "+
			"original's, where chance gives about %.0f. What is measured on it says too little "+
			"of what a release discloses", equal, holdout.Len(), chance)
	}
}

// release adds an entry for a release, and notes what is odd about it.
func (m *made) release(ctx context.Context, path string, original *datasets.Table) error {
	found, err := external.Find(path)
	if err != nil {
		return err
	}
	file, ok := found.(*external.File)
	if !ok {
		return fmt.Errorf("%s: a program's descriptor, must be records that it has released", path)
	}
	published, err := file.Read(ctx, m.schema)
	if err != nil {
		return err
	}
	table, weights := published.Table()
	if table.Len() == 0 {
		return fmt.Errorf("%s: no records to measure (of %d, %d have values outside the schema)",
			path, published.Records+published.Unread, published.Left+published.Unread)
	}
	if err := m.refuse(ctx, path, original, &algorithms.Release{Table: table,
		Weights: weights}); err != nil {
		return err
	}
	entry := language.AlgorithmSpec{Series: strings.NewReplacer("{", "(", "}", ")").Replace(
		filepath.Base(filepath.Clean(path)))}
	if entry.From, err = relativeTo(filepath.Dir(m.path), path); err != nil {
		return err
	}
	if len(published.Generalised) == 0 && published.Missing == 0 {
		entry.Trials = 1
	}
	for n, series := 2, entry.Series; slices.ContainsFunc(m.spec.Algorithms,
		func(a language.AlgorithmSpec) bool { return a.Series == entry.Series }); n++ {
		entry.Series = fmt.Sprintf("%s (%d)", series, n)
	}
	m.spec.Algorithms = append(m.spec.Algorithms, entry)
	m.oddities(entry.Series, table, original, len(published.Generalised) > 0)
	if p := file.Promised; p.Epsilon > 0 {
		m.promise = true
		m.note("%s: its certificate promises an epsilon of %v and a delta of %v. Under that no "+
			"attack that takes 1 %% of others for members finds more than %.3g %% of the members",
			entry.Series, p.Epsilon, p.Delta,
			100*privacy.MostTruePositives(p.Epsilon, p.Delta, 0.01))
	}
	m.largest = max(m.largest, table.Len())
	return m.worst(ctx, entry.Series, metrics.Case{Table: original, Train: original.AllRows(),
		Release: &algorithms.Release{Table: table, Weights: weights}})
}

// worst finds and notes the pairs of attributes whose association is furthest off, and the records
// that are exposed most, and finds the pairs whose marginals are.
func (m *made) worst(ctx context.Context, name string, c metrics.Case) error {
	pairs, err := metrics.Associations(ctx, c)
	if err != nil {
		return err
	}
	marginals, err := metrics.Pairs(ctx, c)
	if err != nil {
		return err
	}
	for _, p := range marginals[:min(5, len(marginals))] {
		if pair := [2]string{p.First, p.Second}; !slices.Contains(m.pairs, pair) {
			m.pairs = append(m.pairs, pair)
		}
	}
	exposed, among, err := metrics.MostExposed(ctx, c, 10)
	if err != nil {
		return err
	}
	f := &Finding{Release: name, Associations: pairs[:min(5, len(pairs))], Exposed: []int{},
		Among: among}
	m.Findings = append(m.Findings, f)
	var words []string
	for _, pair := range f.Associations {
		words = append(words, fmt.Sprintf("%s and %s (%.2f in the original, %.2f)", pair.First,
			pair.Second, pair.Original, pair.Published))
	}
	m.note("%s: associations furthest off: %s", name, strings.Join(words, ", "))
	for _, e := range exposed {
		if e.Score > 0 {
			f.Exposed = append(f.Exposed, int(e.Row)+1)
		}
	}
	if len(f.Exposed) > 0 {
		m.note("%s: most exposed of %d records of the original, by what is closest to them in the "+
			"release and in the original: numbers %s of those read, the header not counted", name,
			among, strings.Join(results.Mapped(f.Exposed, strconv.Itoa), ", "))
	}
	return nil
}

// oddities notes what a reader of measurements of a release must know.
func (m *made) oddities(name string, table, original *datasets.Table, generalised bool) {
	times := float64(table.Len()) / float64(original.Len())
	if times >= results.Swamped || times <= 1/results.Swamped {
		m.note("%s: %d records where the original has %d, %.3g times as many. Distances compare "+
			"shares; models and attacks see every record", name, table.Len(), original.Len(),
			times)
	}
	if class := m.schema.Class(); class >= 0 && !m.numeric {
		column := table.Column(class)
		if !slices.ContainsFunc(table.AllRows(),
			func(row int32) bool { return column.At(row) != column.At(0) }) {
			m.note("%s: every record has the class %s. Nothing can be learned of it", name,
				m.schema.Attributes[class].Text(column.At(0)))
		}
	}
	if table.Len() != original.Len() || generalised {
		return
	}
	tally := datasets.NewTally(original, original.AllRows())
	met := make([]int32, tally.Places())
	for row := range int32(table.Len()) {
		place := tally.Find(table, row)
		if met[place]++; int(met[place]) > tally.Count(place) {
			return
		}
	}
	m.note("%s: IT IS THE ORIGINAL, record by record, in some order", name)
}

// sampled says whether learners see a part of some table.
func (m *made) sampled() bool { return m.Learnt > 0 && m.largest > m.Learnt }

// controls adds what is made from the original: the yardsticks.
func (m *made) controls(rows int) {
	add := func(name, series string, trials int, values params) {
		m.spec.Algorithms = append(m.spec.Algorithms, language.AlgorithmSpec{Name: name,
			Series: series, Trials: trials, Params: language.Values(values)})
	}
	add(results.CopyAlgorithm, "Copy", 1, nil)
	large, small := []float64{0.5}, []float64(nil)
	for _, share := range []float64{0.001, 0.01, 0.05, 0.1} {
		switch records := share * float64(rows); {
		case records > fewTrialled:
			large = append(large, share)
		case records >= fewestSampled:
			small = append(small, share)
		}
	}
	series := "Sample of {" + results.ShareParam + "}"
	add(results.SampleAlgorithm, series, 1, params{results.ShareParam: large})
	if small != nil {
		add(results.SampleAlgorithm, series, 0, params{results.ShareParam: small})
	}
	add(results.PermutedAlgorithm, "Independent columns", 1, params{results.ColumnsParam: "all"})
	switch permuted := (params{results.ColumnsParam: "class"}); {
	case m.numeric:
		permuted["target"] = m.Target
		fallthrough
	case m.schema.Class() >= 0:
		add(results.PermutedAlgorithm, "Target permuted", 1, permuted)
	}
}

// measure sets what is measured, and notes what the table cannot be measured by.
func (m *made) measure() error {
	if m.schema.Class() < 0 && !m.numeric {
		m.note("Not measured: what can be learned from a release. The table has no class " +
			"attribute: name what is to be learned as the target")
	}
	w := *m.spec
	for _, a := range m.measurements() {
		held := m.spec.Train.Set()
		if a.needs == category && (!held || m.numeric || m.schema.Class() < 0) ||
			a.needs == number && !(held && m.numeric) || a.needs >= unseen && m.Holdout == "" ||
			a.needs == promised && !m.promise {
			continue
		}
		values := make(params)
		maps.Copy(values, a.params)
		if learns := a.learners != nil || a.needs == number; learns && m.sampled() {
			values["rows"] = m.Learnt
		}
		add := func() {
			w.Measure = append(w.Measure, language.MeasureSpec{Metric: []string{a.metric},
				Classifier: a.learners, Params: language.Values(values), Where: a.where})
		}
		attributes, listed := a.params["attribute"].([]string)
		if of, some := a.params["of"].([]string); some && len(of) == 0 {
			continue
		}
		if a.metric == "column" && len(attributes) > 0 || !listed { // any can be described
			add()
			continue
		}
		for _, name := range attributes { // some may be none that it can measure
			values["attribute"] = name
			add()
		}
	}
	// Entries stay with those of their learners that the table can serve.
	s, err := language.Compose(m.path, &w)
	if err != nil {
		return err
	}
	reasons, usable := make(map[string]bool), make([][]string, len(w.Measure))
	some := make([]bool, len(w.Measure))
	for _, measure := range s.Measures {
		at := measure.Entry
		err := metrics.CheckSchema(measure.Metric, measure.Classifier, measure.Params, m.schema)
		if err == nil {
			some[at] = true
			if c := measure.Measurement().Classifier; c != "" && !slices.Contains(usable[at], c) {
				usable[at] = append(usable[at], c)
			}
		} else if reason := fmt.Sprint(at, err); !reasons[reason] &&
			measure.Metric.Info().Name != "missing-patterns" { // most tables lack nothing
			reasons[reason] = true
			m.note("Not measured: %s: %s", strings.ReplaceAll(measure.Name, "=", " "), err)
		}
	}
	for i, entry := range w.Measure {
		if slices.Sort(usable[i]); some[i] {
			entry.Classifier = usable[i]
			m.spec.Measure = append(m.spec.Measure, entry)
		}
	}
	return nil
}
