package results

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// WriteRecords writes records.jsonl: one object a line, fields in the order of Record, parameters by
// name. Records that ReadRecords would refuse are not written.
func WriteRecords(w io.Writer, records []Record) error {
	for i := range records {
		if err := validateRecord(&records[i]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
		if err := writeLine(w, &records[i]); err != nil {
			return fmt.Errorf("record %d: %w", i, err)
		}
	}
	return nil
}

// ReadRecords reads records.jsonl strictly: unknown or repeated keys, values outside their range, a
// second object on a line, empty lines and a cell that appears twice are errors with name:line. It
// reports up to 20 of them at once.
func ReadRecords(r io.Reader, name string) ([]Record, error) {
	var records []Record
	lineOf := make(map[string]int)
	err := readLines(r, name, func(line int, text []byte) error {
		var record Record
		if _, err := decodeStrictly(text, &record); err != nil {
			return err
		}
		if err := validateRecord(&record); err != nil {
			return err
		}
		cell := configurationKey(&record) + "#" + strconv.Itoa(record.Trial) + "#" + strconv.Itoa(foldOf(&record))
		if first, taken := lineOf[cell]; taken {
			return fmt.Errorf("the same cell as line %d, must be recorded once", first)
		}
		lineOf[cell] = line
		records = append(records, record)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return records, nil
}

func validateRecord(r *Record) error {
	var problems []error
	problem := func(format string, args ...any) { problems = append(problems, fmt.Errorf(format, args...)) }
	if r.Experiment == "" {
		problem("experiment is empty, must name the experiment")
	}
	if r.Status != OK && r.Status != Failed {
		problem("status: %q, must be %q or %q", r.Status, OK, Failed)
	}
	switch r.Phase {
	case "":
	case PhaseLoad, PhaseRelease, PhaseBudget, PhaseMeasure:
		if r.Status == OK {
			problem("phase: %q, must be absent when status is %q", r.Phase, OK)
		}
	default:
		problem("phase: %q, must be one of %s, %s, %s, %s", r.Phase, PhaseLoad, PhaseRelease, PhaseBudget, PhaseMeasure)
	}
	if r.Status == Failed && r.Phase == "" {
		problem("phase is empty, must say where a failed cell failed")
	}
	if r.Trial < 0 {
		problem("trial: %d, must be 0 or more", r.Trial)
	}
	if r.Fold != nil && *r.Fold < 0 {
		problem("fold: %d, must be 0 or more", *r.Fold)
	}
	if r.Epsilon != nil && (!(*r.Epsilon >= 0) || math.IsInf(*r.Epsilon, 1)) {
		problem("epsilon: %v, must be 0 or more and finite", *r.Epsilon)
	}
	if _, named := r.Params[""]; named {
		problem("params: a parameter has no name")
	}
	for i, v := range r.Values {
		if v.Metric == "" {
			problem("values: value %d has no metric", i)
		}
		if v.Value != nil && (math.IsNaN(*v.Value) || math.IsInf(*v.Value, 0)) {
			problem("values: %s is %v, must be finite, or null where undefined", v.Metric, *v.Value)
		}
		for _, other := range r.Values[:i] {
			if other.Metric == v.Metric && other.Classifier == v.Classifier {
				problem("values: metric %q with classifier %q is given twice", v.Metric, v.Classifier)
			}
		}
	}
	return errors.Join(problems...)
}

type spentJSON struct {
	Claimed float64 `json:"claimed"`
	Proven  any     `json:"proven"`
}

// MarshalJSON writes the spending as an object of two numbers; a proven loss without bound, of a
// published mechanism that protects nothing, is the string "Inf".
func (s Spent) MarshalJSON() ([]byte, error) {
	if math.IsInf(s.Proven, 1) {
		return json.Marshal(spentJSON{s.Claimed, infinite})
	}
	return json.Marshal(spentJSON{s.Claimed, s.Proven})
}

// UnmarshalJSON reads what MarshalJSON writes.
func (s *Spent) UnmarshalJSON(text []byte) error {
	var read spentJSON
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&read); err != nil {
		return err
	}
	s.Claimed = read.Claimed
	switch proven := read.Proven.(type) {
	case float64:
		s.Proven = proven
	case string:
		if proven != infinite {
			return fmt.Errorf("proven: %q, must be a number or %q", proven, infinite)
		}
		s.Proven = math.Inf(1)
	default:
		return fmt.Errorf("proven: %v, must be a number or %q", proven, infinite)
	}
	return nil
}
