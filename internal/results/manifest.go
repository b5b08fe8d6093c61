package results

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"ppdp/internal/problem"
)

// Manifest says what was run, on what and by what: manifest.json of a run's folder. It holds no
// clock time, so equal runs on one machine give equal manifests.
type Manifest struct {
	Experiment string `json:"experiment"`
	Title      string `json:"title,omitempty"`
	// the paper's figure or table the experiment reproduces
	Source   string `json:"source,omitempty"`
	Note     string `json:"note,omitempty"` // for the figures' captions
	Spec     string `json:"spec"`           // the spec's text as it was read
	SpecHash string `json:"specHash"`       // SHA-256 of the spec's meaning, in hexadecimal
	Seed     uint64 `json:"seed"`
	Trials   int    `json:"trials"`
	Folds    int    `json:"folds,omitempty"`
	// Overrides are the values given on the command line in place of the spec's.
	Overrides Overrides `json:"overrides,omitzero"`
	// SeriesOrder lists the curves' labels in the order of the spec; figures colour them in this
	// order.
	SeriesOrder []string `json:"seriesOrder,omitempty"`
	Figures     []Figure `json:"figures,omitempty"`
	// Datasets and Algorithms are in the order of first use.
	Datasets       []DatasetUse   `json:"datasets"`
	Algorithms     []AlgorithmUse `json:"algorithms"`
	Measures       []MeasureUse   `json:"measures,omitempty"`
	IntervalMethod string         `json:"intervalMethod"`
	// Arithmetic is the revision of the elementary functions, 0 for those of package math.
	Arithmetic int `json:"arithmetic,omitempty"`
	// Code maps the packages whose code may change a record to its digest.
	Code map[string]string `json:"code,omitempty"`
	// Files maps the run's files to their SHA-256 in hexadecimal. timings.jsonl is not among them:
	// it differs from run to run and has a checksum in each line.
	Files map[string]string `json:"files,omitempty"`

	Modules     []Module `json:"modules"` // by path
	GoVersion   string   `json:"goVersion"`
	GOOS        string   `json:"goos"`
	GOARCH      string   `json:"goarch"`
	GOAMD64     string   `json:"goamd64,omitempty"`
	Commit      string   `json:"commit,omitempty"`
	Dirty       bool     `json:"dirty,omitempty"` // the working tree differed from Commit
	CPU         string   `json:"cpu,omitempty"`
	CommandLine []string `json:"commandLine"`
}

// Overrides are a spec's numbers that were changed on the command line; nil where they were not.
type Overrides struct {
	Quick  bool    `json:"quick,omitempty"`
	Trials *int    `json:"trials,omitempty"`
	Folds  *int    `json:"folds,omitempty"`
	Seed   *uint64 `json:"seed,omitempty"`
	// Settled says that settings were left out or have other trials than the spec's, as claims
	// asked for.
	Settled bool `json:"settled,omitempty"`
}

// Reduced reports whether more than the seed was changed, so that the run may be smaller than its
// spec.
func (o *Overrides) Reduced() bool { return o.Quick || o.Trials != nil || o.Folds != nil }

// Texts lists the overrides: "quick", "trials=1".
func (o *Overrides) Texts() []string {
	var texts []string
	if o.Quick {
		texts = append(texts, "quick")
	}
	if o.Trials != nil {
		texts = append(texts, fmt.Sprintf("trials=%d", *o.Trials))
	}
	if o.Folds != nil {
		texts = append(texts, fmt.Sprintf("folds=%d", *o.Folds))
	}
	if o.Seed != nil {
		texts = append(texts, fmt.Sprintf("seed=%d", *o.Seed))
	}
	if o.Settled {
		texts = append(texts, "settled")
	}
	return texts
}

// DatasetUse is a dataset an experiment used.
type DatasetUse struct {
	Name      string   `json:"name"`                // Dataset.Label
	StandsFor string   `json:"standsFor,omitempty"` // as in Dataset
	Checksum  string   `json:"checksum"`            // of the first trial's data where Resampled
	Resampled bool     `json:"resampled,omitempty"` // drawn anew for every trial
	Citation  string   `json:"citation,omitempty"`
	License   string   `json:"license,omitempty"`
	Notes     []string `json:"notes,omitempty"`
}

// AlgorithmUse is a variant of an algorithm an experiment used, with the privacy it promises.
type AlgorithmUse struct {
	Name      string   `json:"name"`
	Variant   string   `json:"variant,omitempty"`
	Title     string   `json:"title,omitempty"`
	Source    string   `json:"source,omitempty"`
	Guarantee string   `json:"guarantee,omitempty"` // its model: DifferentialPrivacy
	Unit      string   `json:"unit,omitempty"`      // "record", "person", "edge", "node"
	Relation  string   `json:"relation,omitempty"`  // which data sets are neighbours
	Status    string   `json:"status,omitempty"`    // whether the guarantee holds
	Errata    []string `json:"errata,omitempty"`    // ids in docs/errata.yaml
	Revision  int      `json:"revision,omitempty"`  // goes up when releases change
	// Program is a digest of the program outside of ppdp that made the releases; empty for none.
	Program string `json:"program,omitempty"`
}

// DifferentialPrivacy is the model of guarantees whose releases cost budget.
const DifferentialPrivacy = "differential privacy"

// MeasureUse is a measurement an experiment made, with what figures say of it and the revisions of
// its metric and classifier.
type MeasureUse struct {
	Measurement
	Title              string `json:"title,omitempty"`
	Unit               string `json:"unit,omitempty"` // "" for none
	HigherIsBetter     bool   `json:"higherIsBetter,omitempty"`
	Revision           int    `json:"revision,omitempty"`
	ClassifierRevision int    `json:"classifierRevision,omitempty"`
}

// Module is a Go module the binary was built from.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

// CommandText joins a command's words so that a shell reads them back.
func CommandText(words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.ContainsAny(word, " \t\n\"'\\$*?[]{}()<>|&;`!#~") {
			quoted[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// After is the figure or table that the experiment reproduces, "" for a user's own experiment,
// whose spec says "none" or nothing.
func (m *Manifest) After() string {
	if strings.EqualFold(m.Source, "none") {
		return ""
	}
	return m.Source
}

// StandIns lists the labels of the datasets that stand in for real data.
func (m *Manifest) StandIns() []string {
	var names []string
	for _, d := range m.Datasets {
		if d.StandsFor != "" {
			names = append(names, d.Name)
		}
	}
	return names
}

// Measure describes a metric of the run, measured or derived. A metric that is not known has its
// name for a title.
func (m *Manifest) Measure(metric string) MeasureUse {
	known := slices.Concat(m.Measures, DerivedMeasures)
	return *Entry(&known, MeasureUse{Measurement: Measurement{Metric: metric}, Title: metric},
		func(u MeasureUse) bool { return u.Metric == metric })
}

// ReadManifest reads the text of a manifest.json. Errors name the file as name.
func ReadManifest(text []byte, name string) (m Manifest, err error) {
	if err = Decode(text, &m); err == nil && m.Experiment == "" {
		err = errors.New("experiment is empty, must name the experiment")
	}
	return m, problem.Named(name, err)
}

// CombinedName is the file name, without extension, of an experiment's figures side by side. Where
// these take more than one page, the others are called combined-2, combined-3 and so on.
const CombinedName = "combined"

var (
	word         = `[A-Za-z0-9][A-Za-z0-9._-]*`
	nameForm     = regexp.MustCompile(`^` + word + `(/` + word + `)*$`)
	figureForm   = regexp.MustCompile(`^` + word + `$`)
	combinedForm = regexp.MustCompile(`^` + CombinedName + `(-\d+)?$`)
)

// CheckExperimentName returns nil for a name that can be a folder of results on every system.
func CheckExperimentName(name string) error {
	return problem.Unless(nameForm.MatchString(name) && !strings.HasSuffix(name, ".") &&
		!strings.Contains(name, "./"), "%q, must be words of letters, digits, '.', '_' or '-' "+
		"joined by '/', such as rps/fig3: the folder of the results", name)
}

// CheckFigureName returns nil for a name that can be a file's beside the other files of a run.
func CheckFigureName(name string) error {
	if !figureForm.MatchString(name) || strings.HasSuffix(name, ".") {
		return fmt.Errorf("%q, must be letters, digits, '.', '_' or '-': it names files", name)
	}
	return problem.Unless(!combinedForm.MatchString(name),
		"%q, must be another name: all figures side by side have it", name)
}

// maxSeries is the longest name of a curve, in characters: longer ones fit no legend.
const maxSeries = 200

// CheckSeriesName returns nil for a name that can be shown in a legend and on a terminal.
func CheckSeriesName(name string) error {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	return problem.Unless(name != "" && utf8.ValidString(name) &&
		utf8.RuneCountInString(name) <= maxSeries && !strings.ContainsFunc(name, unprintable),
		"%.60q, must be 1 to %d printable characters", name, maxSeries)
}

// ExperimentNamePattern is the regular expression of CheckExperimentName, for editors.
func ExperimentNamePattern() string { return nameForm.String() }
