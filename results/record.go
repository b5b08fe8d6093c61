// Package results is the floor both wings of the harness stand on: the records a run writes and
// everything later reads, their summary statistics, and the description of figures. It imports
// nothing of the making wing, so that figures and verdicts can be made from files alone.
package results

// Status of a cell.
const (
	OK     = "ok"
	Failed = "failed"
)

// Phases a cell can fail in.
const (
	PhaseLoad    = "load"
	PhaseRelease = "release"
	PhaseBudget  = "budget"
	PhaseMeasure = "measure"
)

// Record is one cell of an experiment: one release and all that was measured on it. It holds no
// clock time and nothing that depends on the machine, so equal runs give equal records.
type Record struct {
	Experiment string            `json:"experiment"`
	Series     string            `json:"series"`  // the curve's name in figures
	Dataset    string            `json:"dataset"` // with its parameters: "gaussian n=10000"
	StandIn    bool              `json:"standIn,omitempty"`
	Algorithm  string            `json:"algorithm"`
	Variant    string            `json:"variant"`
	Params     map[string]string `json:"params,omitempty"` // all resolved parameters
	Epsilon    *float64          `json:"epsilon,omitempty"`
	Trial      int               `json:"trial"` // from 0
	Fold       *int              `json:"fold,omitempty"`
	Status     string            `json:"status"`
	Phase      string            `json:"phase,omitempty"` // of a failure
	Error      string            `json:"error,omitempty"`
	Values     []Value           `json:"values,omitempty"`
	Structure  *Structure        `json:"structure,omitempty"`
	Spent      *Spent            `json:"spent,omitempty"`
	Warnings   []string          `json:"warnings,omitempty"`
}

// Value is one measurement. A nil Value is one that is undefined for the release.
type Value struct {
	Metric     string   `json:"metric"`
	Classifier string   `json:"classifier,omitempty"`
	Value      *float64 `json:"value"`
}

// Structure counts what a partitioning algorithm built.
type Structure struct {
	Nodes  int `json:"nodes"`
	Leaves int `json:"leaves"`
	Depth  int `json:"depth"`
	// Gap is the share of the optimised cost not proven necessary; 0 where it is optimal, or nothing is optimised.
	Gap float64 `json:"gap,omitempty"`
}

// Spent is a release's privacy cost: its most expensive path by claimed and by proven sensitivities.
type Spent struct {
	Claimed float64 `json:"claimed"`
	Proven  float64 `json:"proven"`
}

// LedgerRow is one mechanism of one cell.
type LedgerRow struct {
	Cell        int     `json:"cell"` // index of the cell's line in records.jsonl, from 0
	Purpose     string  `json:"purpose"`
	Mechanism   string  `json:"mechanism"`
	Claimed     float64 `json:"claimed"` // sensitivity
	Proven      float64 `json:"proven"`  // sensitivity
	Calls       int64   `json:"calls"`
	Epsilon     float64 `json:"epsilon"` // on the most expensive path, by claimed sensitivities
	Loss        float64 `json:"loss"`    // on the most expensive path, by proven sensitivities
	Composition string  `json:"composition"`
}

// Timing is how long a cell took. Timings live in a file of their own because they differ from run to run.
type Timing struct {
	Cell    int     `json:"cell"`
	Load    float64 `json:"load"` // seconds, as are the others
	Release float64 `json:"release"`
	Measure float64 `json:"measure"`
}
