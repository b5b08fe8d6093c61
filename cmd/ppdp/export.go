package main

import (
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"ppdp/metrics"
	"ppdp/results"
)

// exportCommand is "ppdp export".
type exportCommand struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments such as rps/fig1; all below --out when none is named."`
	Out         string   `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	Format      string   `help:"Format to write: ${enum} (default: ${default})." enum:"benchfmt" default:"benchfmt"`
}

// Help is the second part of the verb's help text.
func (exportCommand) Help() string {
	return `Writes trials to standard output as benchmarks of Go's format, so that its tools read them: a line for every configuration and
trial, folds averaged, metrics as units. A metric by a classifier is written metric:classifier.

Examples:

  ppdp export rps/fig1 > old.txt

  ppdp export rps/fig1 --out new > new.txt && benchstat old.txt new.txt`
}

// Run exports.
func (c exportCommand) Run(con *console) error {
	dirs, err := runDirs(c.Out, c.Experiments)
	if err != nil {
		return err
	}
	var outcomes []*results.Outcome
	var errs []error
	for _, dir := range dirs {
		outcome, err := results.Open(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		outcomes = append(outcomes, outcome)
	}
	if err := errors.Join(errs...); err != nil {
		return inputError{err}
	}
	return writeBenchmarks(con.stdout, outcomes)
}

// writeBenchmarks writes outcomes in Go's benchmark format, whose reader is golang.org/x/perf/benchfmt.
func writeBenchmarks(w io.Writer, outcomes []*results.Outcome) error {
	writer := benchfmt.NewWriter(w)
	var described []string
	for _, outcome := range outcomes {
		baseline := results.BaselineOf(outcome)
		for i := range baseline.Samples {
			unit, metric := benchmarkUnit(&baseline.Samples[i]), baseline.Samples[i].Metric
			if slices.Contains(described, unit) {
				continue
			}
			described = append(described, unit)
			name, _, _ := strings.Cut(metric, " ") // parameters follow the name
			m, err := metrics.Lookup(name)
			if err != nil {
				continue // of another version: whether higher is better is not known
			}
			better := "lower"
			if m.Info().HigherIsBetter {
				better = "higher"
			}
			if err := writer.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: better}); err != nil {
				return err
			}
		}
		if err := writeRun(writer, outcome.Manifest.Experiment, baseline.Samples); err != nil {
			return err
		}
	}
	return nil
}

// writeRun writes the trials of one experiment. The samples of a configuration stand together.
func writeRun(writer *benchfmt.Writer, experiment string, samples []results.Sample) error {
	for first := 0; first < len(samples); {
		name := benchmarkName(experiment, &samples[first])
		trials, end := 0, first
		for ; end < len(samples) && benchmarkName(experiment, &samples[end]) == name; end++ {
			trials = max(trials, len(samples[end].Trials))
		}
		for t := range trials {
			result := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1, Config: []benchfmt.Config{
				{Key: "experiment", Value: []byte(experiment), File: true},
				{Key: "dataset", Value: []byte(samples[first].Dataset), File: true},
			}}
			for i := first; i < end; i++ {
				if s := &samples[i]; t < len(s.Trials) && !math.IsNaN(s.Trials[t]) {
					result.Values = append(result.Values, benchfmt.Value{Value: s.Trials[t], Unit: benchmarkUnit(s)})
				}
			}
			if len(result.Values) == 0 {
				continue // a failed trial: the format has no line without a value
			}
			if err := writer.Write(result); err != nil {
				return err
			}
		}
		first = end
	}
	return nil
}

// gomaxprocs is what the format takes for the number of processors.
var gomaxprocs = regexp.MustCompile(`-[0-9]+$`)

// benchmarkName is a configuration as a name of Go's: the experiment, then key=value by "/", all parameters in one of them, as in
// summary.csv. benchstat can project and filter by the keys.
func benchmarkName(experiment string, s *results.Sample) string {
	parts := []string{"Ppdp:" + word(experiment), "algorithm=" + word(s.Algorithm)}
	if s.Variant != "" {
		parts = append(parts, "variant="+word(s.Variant))
	}
	parts = append(parts, "series="+word(s.Series))
	if s.Epsilon != nil {
		parts = append(parts, fmt.Sprintf("epsilon=%g", *s.Epsilon))
	}
	if params := results.FormatParams(s.Params); params != "" {
		parts = append(parts, "params="+word(params))
	}
	name := strings.Join(parts, "/")
	if gomaxprocs.MatchString(name) {
		name += "." // a number after a last hyphen would be taken for GOMAXPROCS
	}
	return name
}

func benchmarkUnit(s *results.Sample) string {
	if s.Classifier == "" {
		return word(s.Metric)
	}
	return word(s.Metric) + ":" + word(s.Classifier)
}

// word makes one word of a text: the format's fields are parted by white space, a name's parts by slashes.
func word(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return '_'
		case r == '/':
			return ':'
		}
		return r
	}, text)
}
