package results

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Names of the files in a baseline's folder: what was measured, and what with. The second is a manifest, but not called
// ManifestFile, by which finished runs are found.
const (
	TrialsFile   = "trials.csv"
	BaselineFile = "baseline.json"
)

// Sample is one measurement of one configuration, trial by trial: what the regression gate compares.
type Sample struct {
	Series, Dataset, Algorithm, Variant string
	Params                              map[string]string
	Epsilon                             *float64
	Metric, Classifier                  string
	// Trials holds the means over the folds by trial, from trial 0. NaN is a trial that failed, whose
	// value is undefined, or that was not run.
	Trials []float64
}

// Baseline is what one experiment measured and what it measured it with.
type Baseline struct {
	Manifest Manifest
	Samples  []Sample
}

// BaselineOf reduces a run to what a later one is compared with. What differs between machines and
// between commands, and what only figures need, is left out of the manifest, so that a baseline changes
// only when something was measured that differs, or with something else.
func BaselineOf(o *Outcome) *Baseline {
	b := &Baseline{Manifest: o.Manifest, Samples: samplesOf(o.Records)}
	m := &b.Manifest
	m.Figures, m.SeriesOrder = nil, nil
	m.CommandLine, m.CPU, m.Commit, m.Dirty = nil, "", "", false
	return b
}

// samplesOf gives one Sample per configuration and measurement, in the order of Summarise's rows.
func samplesOf(records []Record) []Sample {
	var samples []Sample
	everywhere := measurementsByExperiment(records)
	for _, c := range groupByConfiguration(records) {
		r := &c.first
		// A configuration none of whose cells succeeded has all the measurements of the others, without values.
		for _, m := range everywhere[r.Experiment] {
			s := Sample{Series: r.Series, Dataset: r.Dataset, Algorithm: r.Algorithm, Variant: r.Variant,
				Params: r.Params, Epsilon: r.Epsilon, Metric: m.metric, Classifier: m.classifier}
			for _, t := range c.trialMeans(records, m) {
				for len(s.Trials) < t.trial {
					s.Trials = append(s.Trials, math.NaN())
				}
				s.Trials = append(s.Trials, t.mean)
			}
			samples = append(samples, s)
		}
	}
	return samples
}

// key tells the samples of an experiment apart.
func (s *Sample) key() string {
	return s.configuration() + strconv.Quote(s.Metric) + strconv.Quote(s.Classifier)
}

func (s *Sample) configuration() string {
	return configurationKey(&Record{Series: s.Series, Dataset: s.Dataset, Algorithm: s.Algorithm, Variant: s.Variant, Params: s.Params, Epsilon: s.Epsilon})
}

// trialsColumns stand before those of the measurements.
var trialsColumns = []string{"series", "dataset", "algorithm", "variant", "params", "epsilon"}

// Trials that have no value, and what stands between a metric and its classifier in a column's name.
const (
	noTrial = "-"
	by      = " by "
)

// WriteTrials writes trials.csv: a line for each configuration and a column for each measurement, headed
// by the metric, followed by " by " and the classifier if there is one. A cell holds the means of the trials
// in order, a space between them, "-" for one without a value; their digits read back exactly.
// Params are written as in summary.csv.
func WriteTrials(w io.Writer, samples []Sample) error {
	header := append([]string(nil), trialsColumns...)
	column := make(map[measurement]int)
	var lines [][]string
	line := make(map[string]int)
	for i := range samples {
		s := &samples[i]
		m := measurement{s.Metric, s.Classifier}
		if _, known := column[m]; !known {
			if s.Metric == "" || strings.Contains(s.Metric, by) || strings.Contains(s.Classifier, by) {
				return fmt.Errorf("sample %d: metric %q, classifier %q: must have a name, without %q in it", i, s.Metric, s.Classifier, by)
			}
			column[m] = len(header)
			header = append(header, measurementName(m))
		}
		at, known := line[s.configuration()]
		if !known {
			at = len(lines)
			line[s.configuration()] = at
			epsilon := ""
			if s.Epsilon != nil {
				epsilon = formatNumber(*s.Epsilon)
			}
			lines = append(lines, []string{s.Series, s.Dataset, s.Algorithm, s.Variant, FormatParams(s.Params), epsilon})
		}
		trials := make([]string, len(s.Trials))
		for t, v := range s.Trials {
			trials[t] = noTrial
			if !math.IsNaN(v) {
				trials[t] = formatNumber(v)
			}
		}
		for len(lines[at]) <= column[m] {
			lines[at] = append(lines[at], "")
		}
		lines[at][column[m]] = strings.Join(trials, " ")
	}
	c := csv.NewWriter(w)
	if err := c.Write(header); err != nil {
		return err
	}
	for _, cells := range lines {
		for len(cells) < len(header) {
			cells = append(cells, "")
		}
		if err := c.Write(cells); err != nil {
			return err
		}
	}
	c.Flush()
	return c.Error()
}

func measurementName(m measurement) string {
	if m.classifier == "" {
		return m.metric
	}
	return m.metric + by + m.classifier
}

// ReadTrials reads what WriteTrials wrote, reporting up to 20 problems at once with name:line.
func ReadTrials(r io.Reader, name string) ([]Sample, error) {
	// The columns of measurements differ from file to file: the header is read here and handed on as what it must be.
	c := csv.NewReader(r)
	c.FieldsPerRecord = -1
	header, err := c.Read()
	if err == io.EOF {
		return nil, fmt.Errorf("%s:1: the file is empty, must begin with %s", name, strings.Join(trialsColumns, ","))
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%w", name, lineError(err))
	}
	fixed := len(trialsColumns)
	if len(header) <= fixed || strings.Join(header[:fixed], ",") != strings.Join(trialsColumns, ",") {
		return nil, fmt.Errorf("%s:1: header %q, must be %s and then at least one measurement", name, strings.Join(header, ","), strings.Join(trialsColumns, ","))
	}
	measurements := make([]measurement, len(header))
	for i := fixed; i < len(header); i++ {
		metric, classifier, classified := strings.Cut(header[i], by)
		measurements[i] = measurement{metric, classifier}
		if metric == "" || (classified && classifier == "") {
			return nil, fmt.Errorf("%s:1: column %d: %q, must be a metric, or a metric%sa classifier", name, i+1, header[i], by)
		}
		for _, other := range measurements[fixed:i] {
			if other == measurements[i] {
				return nil, fmt.Errorf("%s:1: column %d: %q is given twice", name, i+1, header[i])
			}
		}
	}
	var samples []Sample
	lines := make(map[string]bool)
	err = readCells(c, name, header, func(cells []string) error {
		p := cellParser{header: header, cells: cells}
		s := Sample{Series: cells[0], Dataset: cells[1], Algorithm: cells[2], Variant: cells[3]}
		var err error
		if s.Params, err = parseParams(cells[4]); err != nil {
			p.problems = append(p.problems, fmt.Errorf("params: %w", err))
		}
		if cells[5] != "" {
			epsilon := p.number(5)
			s.Epsilon = &epsilon
		}
		if lines[s.configuration()] {
			p.problems = append(p.problems, errors.New("the same configuration as on a line before, must be listed once"))
		}
		lines[s.configuration()] = true
		for i := fixed; i < len(cells); i++ {
			s.Metric, s.Classifier, s.Trials = measurements[i].metric, measurements[i].classifier, nil
			for _, word := range strings.Fields(cells[i]) {
				v := math.NaN()
				if word != noTrial {
					if v, err = strconv.ParseFloat(word, 64); err != nil || math.IsNaN(v) || math.IsInf(v, 0) {
						p.problem(i, `finite numbers, or "-", with spaces between them`)
						break
					}
				}
				s.Trials = append(s.Trials, v)
			}
			if s.Trials != nil {
				samples = append(samples, s)
			}
		}
		return errors.Join(p.problems...)
	})
	if err != nil {
		return nil, err
	}
	return samples, nil
}

// OpenBaseline reads a baseline's folder.
func OpenBaseline(dir string) (*Baseline, error) {
	b := &Baseline{}
	var problems []error
	read := func(name string, parse func(f io.Reader, path string) error) {
		path := filepath.Join(dir, name)
		f, err := os.Open(path)
		if err == nil {
			err = parse(f, path)
			f.Close()
		}
		problems = append(problems, err)
	}
	read(BaselineFile, func(f io.Reader, path string) (err error) {
		b.Manifest, err = ReadManifest(f, path)
		return err
	})
	read(TrialsFile, func(f io.Reader, path string) (err error) {
		b.Samples, err = ReadTrials(f, path)
		return err
	})
	if err := errors.Join(problems...); err != nil {
		return nil, err
	}
	return b, nil
}

// Write writes a baseline's folder, which is made if need be.
func (b *Baseline) Write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if err := WriteFile(filepath.Join(dir, TrialsFile), func(w io.Writer) error { return WriteTrials(w, b.Samples) }); err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, BaselineFile), func(w io.Writer) error { return WriteManifest(w, b.Manifest) })
}
