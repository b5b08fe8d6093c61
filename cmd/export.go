package cmd

import (
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/perf/benchfmt"

	"ppdp/internal/results"
)

// exportCommand is "ppdp export".
type exportCommand struct {
	Experiments []string `arg:"" optional:"" name:"experiment" help:"Experiments such as rps/fig1; default: all below --out."`
	Out         string   `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	Format      string   `help:"Format to write: ${enum} (default: ${default})." enum:"benchfmt" default:"benchfmt"`
}

// Help is the second part of the verb's help text.
func (exportCommand) Help() string {
	return `Writes trials to standard output in Go's benchmark format, one line for every setting
and trial. Folds are averaged. Metrics are units; a metric of a classifier is written
metric-by-classifier. A name has the algorithm, the variant, epsilon and the parameters in which the
settings of the experiment differ, as keys to project and filter by.

benchstat (golang.org/x/perf/cmd/benchstat) tests with the Mann-Whitney U test, which needs four
trials on each side (its intervals need six). It writes 0.7632 as 763.2m.

Examples:

  ppdp export rps/fig3 > old.txt

  ppdp export rps/fig3 --out new > new.txt && benchstat old.txt new.txt

  benchstat -filter '.name:Rps .unit:accuracy-by-c45' -col /variant -row '/epsilon /stop' old.txt`
}

// Run exports.
func (c exportCommand) Run(con *console) error {
	dirs, err := runDirs(con, c.Out, c.Experiments)
	if err != nil {
		return err
	}
	runs, err := openDirs(dirs)
	if err != nil {
		return inputError{err}
	}
	return writeBenchmarks(con.stdout, runs)
}

// writeBenchmarks writes runs in Go's benchmark format, whose reader is golang.org/x/perf/benchfmt.
func writeBenchmarks(w io.Writer, runs []*results.Summary) error {
	writer := benchfmt.NewWriter(w)
	described := make(map[string]bool)
	for _, run := range runs {
		for _, use := range run.Manifest.Measures {
			unit, better := benchmarkUnit(use.Measurement), "lower"
			if described[unit] {
				continue
			}
			described[unit] = true
			if use.HigherIsBetter {
				better = "higher"
			}
			key := benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}
			metadata := &benchfmt.UnitMetadata{UnitMetadataKey: key, OrigUnit: unit, Value: better}
			if err := writer.Write(metadata); err != nil {
				return err
			}
		}
		if err := writeRun(writer, run.Manifest.Experiment, run.Samples()); err != nil {
			return err
		}
	}
	return nil
}

// writeRun writes the trials of one experiment. The samples of a setting are neighbours.
func writeRun(writer *benchfmt.Writer, experiment string, samples []results.Sample) error {
	names := benchmarkNames(samples)
	for first := 0; first < len(samples); {
		trials, end := 0, first
		for ; end < len(samples) && samples[end].Setting == samples[first].Setting; end++ {
			trials = max(trials, len(samples[end].Trials))
		}
		for t := range trials {
			result := &benchfmt.Result{Name: benchfmt.Name(names[first]), Iters: 1,
				Config: []benchfmt.Config{
					{Key: "experiment", Value: []byte(experiment), File: true},
					{Key: "dataset", Value: []byte(samples[first].Dataset.Label()), File: true},
				}}
			for i := first; i < end; i++ {
				if s := &samples[i]; t < len(s.Trials) && !math.IsNaN(s.Trials[t]) {
					result.Values = append(result.Values, benchfmt.Value{Value: s.Trials[t],
						Unit: benchmarkUnit(s.Measurement)})
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

// benchmarkNames names the configurations of an experiment's samples as Go names benchmarks: the
// algorithm, then key=value by "/", which benchstat can project and filter by. It has only
// those parameters that differ among the algorithm's settings on a dataset, so that names are short
// and survive a new default. The series is added where two settings would have the same name.
// Experiment and dataset are configuration of the file, and head benchstat's tables.
func benchmarkNames(samples []results.Sample) []string {
	type place struct{ algorithm, dataset string }
	first := make(map[place]map[string]string) // the parameters of the first setting
	differ := make(map[place]map[string]bool)
	for i := range samples {
		s := &samples[i]
		at, params := place{s.Algorithm, s.Dataset.Label()}, s.AllParams()
		if first[at] == nil {
			first[at], differ[at] = params, make(map[string]bool)
		}
		for _, pair := range [2][2]map[string]string{{params, first[at]}, {first[at], params}} {
			for name, value := range pair[0] { // order-free: fills a set
				if other, known := pair[1][name]; !known || other != value {
					differ[at][name] = true
				}
			}
		}
	}
	names := make([]string, len(samples))
	holders := make(map[string]*results.Setting) // that a name is first given to
	ambiguous := make(map[string]bool)
	for i := range samples {
		s := &samples[i]
		parts := []string{capital(word(s.Algorithm))}
		if s.Variant != "" {
			parts = append(parts, "variant="+word(s.Variant))
		}
		if s.Epsilon != nil {
			parts = append(parts, "epsilon="+s.EpsilonText())
			if s.Delta > 0 {
				parts = append(parts, "delta="+s.DeltaText())
			}
		}
		params := s.AllParams()
		for _, name := range slices.Sorted(maps.Keys(params)) {
			if differ[place{s.Algorithm, s.Dataset.Label()}][name] {
				parts = append(parts, word(name)+"="+word(params[name]))
			}
		}
		names[i] = strings.Join(parts, "/")
		on := names[i] + "\x00" + s.Dataset.Label()
		if holder, taken := holders[on]; !taken {
			holders[on] = s.Setting
		} else if holder != s.Setting {
			ambiguous[on] = true
		}
	}
	for i := range names {
		if ambiguous[names[i]+"\x00"+samples[i].Dataset.Label()] {
			names[i] += "/series=" + word(samples[i].Label())
		}
		if gomaxprocs.MatchString(names[i]) {
			names[i] += "." // a number after a last hyphen would be taken for GOMAXPROCS
		}
	}
	return names
}

// capital makes a name of the format's: it must not begin with a small letter.
func capital(name string) string {
	first, size := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(first)) + name[size:]
}

func benchmarkUnit(m results.Measurement) string {
	if m.Classifier == "" {
		return word(m.Metric)
	}
	return word(m.Metric) + "-by-" + word(m.Classifier)
}

// word makes one word of a text: the format's fields are parted by white space, a name's parts by
// slashes.
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
