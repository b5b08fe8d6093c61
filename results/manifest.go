package results

// Manifest says what was run, on what and by what: manifest.json of a run directory. It holds no
// clock time, so equal runs on one machine give equal manifests.
type Manifest struct {
	Experiment string `json:"experiment"`
	Title      string `json:"title,omitempty"`
	Source     string `json:"source,omitempty"` // the paper's figure or table the experiment is after
	Spec       string `json:"spec"`             // the spec's text as it was read
	SpecHash   string `json:"specHash"`         // SHA-256 of the spec's meaning, in hexadecimal
	// Overrides are the values given on the command line in place of the spec's, "trials=1".
	Overrides []string `json:"overrides,omitempty"`
	// SeriesOrder lists the curves' names in the order of the spec; figures colour them in this order.
	SeriesOrder []string `json:"seriesOrder,omitempty"`
	Figures     []Figure `json:"figures,omitempty"`
	Seeds       []uint64 `json:"seeds"`
	Trials      int      `json:"trials"`
	Folds       int      `json:"folds,omitempty"`
	// Datasets and Algorithms are in the order of first use.
	Datasets       []DatasetUse   `json:"datasets"`
	Algorithms     []AlgorithmUse `json:"algorithms"`
	Measures       []MeasureUse   `json:"measures,omitempty"`
	IntervalMethod string         `json:"intervalMethod"`

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

// DatasetUse is a dataset an experiment used.
type DatasetUse struct {
	Name     string `json:"name"`     // as in Record.Dataset
	Checksum string `json:"checksum"` // of the first trial's data where Resampled
	// Resampled says that the data are drawn anew for every trial.
	Resampled bool     `json:"resampled,omitempty"`
	StandIn   bool     `json:"standIn,omitempty"`
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
	Guarantee string   `json:"guarantee,omitempty"` // in words: "ε-differential privacy"
	Unit      string   `json:"unit,omitempty"`      // what is protected: "record", "edge", "node"
	Relation  string   `json:"relation,omitempty"`  // which data sets are neighbours
	Status    string   `json:"status,omitempty"`    // whether the guarantee holds
	Errata    []string `json:"errata,omitempty"`    // ids in docs/errata.md
	Revision  int      `json:"revision,omitempty"`  // goes up when releases change; 0 in manifests that did not say
}

// MeasureUse is a measurement an experiment made, with the revisions of what made it.
type MeasureUse struct {
	Metric             string `json:"metric"` // as in Value.Metric
	Classifier         string `json:"classifier,omitempty"`
	Revision           int    `json:"revision,omitempty"`
	ClassifierRevision int    `json:"classifierRevision,omitempty"`
}

// Module is a Go module the binary was built from.
type Module struct {
	Path    string `json:"path"`
	Version string `json:"version"`
	Sum     string `json:"sum,omitempty"`
}

// StandIns lists the names of the datasets that stand in for real data.
func (m *Manifest) StandIns() []string {
	var names []string
	for _, d := range m.Datasets {
		if d.StandIn {
			names = append(names, d.Name)
		}
	}
	return names
}
