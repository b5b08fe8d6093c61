package results

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"
	"strings"

	"ppdp/internal/problem"
	"ppdp/privacy"
)

// maxProblems is how many problems of one file are reported: enough to see a pattern.
const maxProblems = 20

// writeRecord writes a line of records.jsonl. What ReadRecords would refuse is an error.
func writeRecord(to *json.Encoder, c *Record) error {
	if err := c.validate(); err != nil {
		return err
	}
	return to.Encode(c)
}

// NewEncoder writes JSON whose names, such as "a<b", stay readable. Nothing of it is pasted into a
// page unescaped.
func NewEncoder(w io.Writer) *json.Encoder {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e
}

// WriteJSON writes JSON for people and programs.
func WriteJSON(w io.Writer, v any) error {
	e := NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ReadRecords hands every record of a records.jsonl to each, which may keep it. Unknown keys,
// values out of range and empty lines are errors; up to 20 are reported at once as name:line.
// Records of one setting share it.
func ReadRecords(r io.Reader, name string, each func(c *Record)) error {
	byKey := make(map[string]*Setting)
	var setting *Setting // of the line before,
	var begin []byte     // which begins with it: `{"setting":{...},`
	return ReadLines(r, name, func(_ int, text []byte) error {
		var parts struct {
			Setting json.RawMessage `json:"setting"`
			Outcome
			Original []Column `json:"original"`
		}
		// Lines of one setting begin alike. To parse that once is half of the work.
		same := setting != nil && bytes.HasPrefix(text, begin)
		if same {
			text = text[len(begin)-1:]
			text[0] = '{'
		}
		if err := Decode(text, &parts); err != nil {
			return err
		}
		if !same || parts.Setting != nil {
			setting = nil
		}
		if setting == nil && len(parts.Setting) > 0 {
			read := new(Setting)
			if err := Decode(parts.Setting, read); err != nil {
				return fmt.Errorf("setting: %w", err)
			}
			if setting = byKey[read.Interned().Key()]; setting == nil {
				setting = read
				byKey[read.Key()] = read
			}
			begin = fmt.Appendf(begin[:0], `{"setting":%s,`, parts.Setting)
		}
		record := Record{Setting: setting, Outcome: parts.Outcome, Original: parts.Original}
		if err := record.validate(); err != nil {
			return err
		}
		each(&record)
		return nil
	})
}

// Timing is how long a job took. Timings have a file of their own because they differ from run to
// run.
type Timing struct {
	Job     int     `json:"cell"`    // index of its line in records.jsonl, from 0
	Release float64 `json:"release"` // seconds
	Measure float64 `json:"measure"` // seconds
}

// timingLine is a line of timings.jsonl: a timing and the Sum of its JSON.
type timingLine struct {
	Timing
	Sum string `json:"sum"`
}

func (t *Timing) line() timingLine {
	text, _ := json.Marshal(t) // numbers
	return timingLine{*t, Sum(text)}
}

// Sum is the checksum of a line: the first 16 hexadecimal digits of its SHA-256.
func Sum(text []byte) string { return fmt.Sprintf("%x", sha256.Sum256(text))[:16] }

// readTimings reads timings.jsonl beside the records: a line for each job, in their order. The file
// is not in the manifest, because times differ from run to run; a checksum in each line, and the
// number of lines, show whether it belongs to the run. Without the file there are none.
func readTimings(dir string) (times []Timing, err error) {
	err = ParseFile(dir, TimingsFile, func(from io.Reader, path string) error {
		times = []Timing{}
		return ReadLines(from, path, func(_ int, text []byte) error {
			var line timingLine
			if err := Decode(text, &line); err != nil {
				return err
			}
			t := line.Timing
			written, _ := json.Marshal(t.line()) // numbers and a word
			switch {
			case t.Job != len(times) || !(t.Release >= 0) || !(t.Measure >= 0):
				return fmt.Errorf("job %d took %v and %v seconds, must be job %d and times of "+
					"0 or more", t.Job, t.Release, t.Measure, len(times))
			case !bytes.Equal(written, text):
				return errors.New("the line does not match its checksum")
			}
			times = append(times, t)
			return nil
		})
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return times, err
}

// ReadLines hands every line to parse, which must not keep it, and joins up to 20 errors, each with
// name:line.
func ReadLines(from io.Reader, name string, parse func(line int, text []byte) error) error {
	// bufio.Scanner has a longest line; a record has none
	reader := bufio.NewReaderSize(from, 1<<16)
	var problems []error
	for line, ended := 1, false; !ended; line++ {
		text, err := readLine(reader)
		if ended = err != nil; err == io.EOF && len(text) == 0 {
			break
		}
		if err == io.EOF {
			err = errors.New("the last line has no line end, it may be cut off")
		}
		if err == nil {
			err = parse(line, text[:len(text)-1])
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s:%d: %w", name, line, err))
		}
		if len(problems) == maxProblems {
			problems = append(problems, fmt.Errorf("%s: and perhaps more, stopped reading", name))
			break
		}
	}
	return errors.Join(problems...)
}

// readLine returns a line with its end. It is good until the next one is read.
func readLine(from *bufio.Reader) ([]byte, error) {
	text, err := from.ReadSlice('\n')
	if err != bufio.ErrBufferFull {
		return text, err
	}
	text = bytes.Clone(text)
	rest, err := from.ReadBytes('\n')
	return append(text, rest...), err
}

// Decode decodes exactly one JSON value without unknown keys.
func Decode(text []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(v); err == io.EOF {
		return errors.New("empty, must hold one JSON object")
	} else if err != nil {
		return err
	}
	rest := bytes.TrimSpace(text[d.InputOffset():])
	return problem.Unless(len(rest) == 0, "%.40q after the object, must be one object", rest)
}

// Status of a record: whether its job succeeded.
const (
	OK     = "ok"
	Failed = "failed"
)

// Phases a job can fail in.
const (
	PhaseLoad    = "load"
	PhaseRelease = "release"
	PhaseBudget  = "budget"
	PhaseMeasure = "measure"
)

var phases = []string{PhaseLoad, PhaseRelease, PhaseBudget, PhaseMeasure}

// Record is one release and all that was measured on it: a line of records.jsonl. It holds no clock
// time and nothing that depends on the machine, so equal runs give equal records.
type Record struct {
	*Setting `json:"setting"`
	Outcome
	// Original is the quasi-identifiers of the data before the release, column by column, where the
	// spec keeps rows: in the first record of each dataset.
	Original []Column `json:"original,omitempty"`
}

// Outcome is what running a job gave.
type Outcome struct {
	Trial     int             `json:"trial"` // from 0
	Fold      *int            `json:"fold,omitempty"`
	Status    string          `json:"status"`
	Phase     string          `json:"phase,omitempty"` // of a failure
	Error     string          `json:"error,omitempty"`
	Values    []Value         `json:"values,omitempty"`
	Structure *Structure      `json:"structure,omitempty"`
	Spent     *Spent          `json:"spent,omitempty"`
	Warnings  []string        `json:"warnings,omitempty"`
	Ledger    []privacy.Entry `json:"ledger,omitempty"`  // in the unit of the budget
	Regions   []RegionSide    `json:"regions,omitempty"` // where the spec keeps them
}

// Measurement is a metric as MetricName names it, with the classifier it evaluates if it needs one.
type Measurement struct {
	Metric     string `json:"metric"`
	Classifier string `json:"classifier,omitempty"`
}

// MetricName is how records and figures name a metric whose settings, "attribute=age", differ from
// its defaults. Settings is its inverse: no other place knows how the two are joined.
func MetricName(metric, settings string) string { return metric + " " + settings }

// Settings are those of the metric that differ from its defaults: "attribute=age"; "" for none.
func (m *Measurement) Settings() string {
	_, settings, _ := strings.Cut(m.Metric, " ")
	return settings
}

// Param is a setting of a metric: its name and its value.
type Param struct{ Name, Value string }

// Parts are the metric without its settings, and these, which differ from its defaults.
func (m *Measurement) Parts() (metric string, params []Param) {
	metric, settings, _ := strings.Cut(m.Metric, " ")
	for word := range strings.FieldsSeq(settings) {
		if name, value, whole := strings.Cut(word, "="); whole || params == nil {
			params = append(params, Param{name, value})
		} else { // the rest of a value with spaces
			params[len(params)-1].Value += " " + word
		}
	}
	return metric, params
}

// Value is one measured value. It is nil where the metric is undefined for the release.
type Value struct {
	Measurement
	Value *float64 `json:"value"`
}

// Structure counts what a partitioning algorithm built.
type Structure struct {
	Nodes  int `json:"nodes"`
	Leaves int `json:"leaves"`
	Depth  int `json:"depth"`
	// Gap is the share of the optimised cost not proven necessary; 0 where the cost is proven
	// optimal or nothing is optimised.
	Gap float64 `json:"gap,omitempty"`
}

// Bound is the ledger's: written as a number, or as "Inf" where no finite bound is known.
type Bound = privacy.Bound

// Spent is a release's privacy cost: its most expensive path by claimed and by proven
// sensitivities, in the unit of its budget.
type Spent struct {
	Claimed float64 `json:"claimed"`
	Proven  Bound   `json:"proven"`
	// Rho is the whole budget where it is counted in zCDP's ρ, and the ledger with it; 0 where the
	// unit is epsilon. It is what the setting's epsilon and delta allow.
	Rho float64 `json:"rho,omitempty"`
	// ProvenEpsilon is the epsilon that Proven, a ρ, has at the setting's delta; 0 without Rho.
	ProvenEpsilon Bound `json:"provenEpsilon,omitempty"`
}

// Unit is what the costs are counted in: "epsilon" or "rho".
func (c *Outcome) Unit() string {
	if c.Spent != nil && c.Spent.Rho > 0 {
		return "rho"
	}
	return "epsilon"
}

// Budget is the whole budget in the unit of the costs. ok is false where none is known.
func (c *Record) Budget() (total float64, ok bool) {
	switch {
	case c.Epsilon == nil || c.Delta > 0 && c.Spent == nil:
		return 0, false
	case c.Delta > 0:
		return c.Spent.Rho, c.Spent.Rho > 0
	}
	return *c.Epsilon, *c.Epsilon > 0
}

// RegionSide is how far one region of a release reaches along one attribute. Low and High lie
// halfway between neighbouring values, in the attribute's unit, or are places in the list of its
// values where these are words, counted from 0; a value v is inside if Low < v < High.
type RegionSide struct {
	Region    int     `json:"region"`
	Records   float64 `json:"records"` // the region's published count over all classes
	Attribute string  `json:"attribute"`
	Low       float64 `json:"low"`
	High      float64 `json:"high"`
}

// Column is the values of one attribute, row by row. Words are places as in RegionSide.
type Column struct {
	Attribute string    `json:"attribute"`
	Values    []float64 `json:"values"`
}

// maxTrials bounds trials, as memory is set aside for those before one. No plan has more.
const maxTrials = 1 << 22

// noFold stands for the only fold of an experiment without folds.
const noFold = -1

// FoldIndex is the fold, -1 without folds.
func (c *Outcome) FoldIndex() int {
	if c.Fold == nil {
		return noFold
	}
	return *c.Fold
}

// validate reports what no run can have written.
func (c *Record) validate() error {
	var problems []error
	bad := func(format string, args ...any) {
		problems = append(problems, fmt.Errorf(format, args...))
	}
	if c.Setting == nil {
		return errors.New("the record has no setting")
	}
	if c.Status != OK && c.Status != Failed {
		bad("status: %q, must be %q or %q", c.Status, OK, Failed)
	}
	if (c.Status == Failed) != slices.Contains(phases, c.Phase) {
		bad("phase: %q of a job that is %s", c.Phase, c.Status)
	}
	if c.Trial < 0 || c.Trial >= maxTrials || c.FoldIndex() < noFold {
		bad("trial %d, fold %d, must be 0 or more, and trials below %d", c.Trial,
			c.FoldIndex(), maxTrials)
	}
	if e := c.Epsilon; e != nil && (!(*e >= 0) || math.IsInf(*e, 1)) {
		bad("epsilon: %v, must be 0 or more and finite", *e)
	}
	if !(c.Delta >= 0 && c.Delta < 1) || c.Delta > 0 && c.Epsilon == nil {
		bad("delta: %v, must be 0 or more and below 1, and 0 without epsilon", c.Delta)
	}
	if s := c.Spent; s != nil && (!(s.Rho >= 0) || (s.Rho > 0) != (c.Delta > 0)) {
		bad("rho: %v at a delta of %v, must be above 0 for a delta above 0", s.Rho, c.Delta)
	}
	for i, v := range c.Values {
		if v.Metric == "" {
			bad("value %d has no metric", i)
		}
		if v.Value != nil && (math.IsNaN(*v.Value) || math.IsInf(*v.Value, 0)) {
			bad("%s is %v, must be finite, or null where undefined", v.Metric, *v.Value)
		}
		for _, other := range c.Values[:i] {
			if other.Measurement == v.Measurement {
				bad("%s is given twice", v.Measurement)
			}
		}
	}
	for i := range c.Regions {
		if s := &c.Regions[i]; !(s.Low < s.High) || math.IsInf(s.Low, 0) || math.IsInf(s.High, 0) {
			bad("region %d: %s from %v to %v, must be finite, the lower first",
				s.Region, s.Attribute, s.Low, s.High)
		}
	}
	return errors.Join(problems...)
}

func (m Measurement) String() string {
	if m.Classifier == "" {
		return m.Metric
	}
	return m.Metric + " by " + m.Classifier
}
