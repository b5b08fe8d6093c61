package experiments

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// Costs are what a cell of a configuration takes: seconds of one worker, by what names the
// configuration. They decide which shard a cell belongs to and nothing else.
type Costs map[string]float64

// costsHeader are the columns of a file of costs: what names a configuration, and seconds, empty
// where they are not known.
var costsHeader = []string{"experiment", "series", "dataset", "algorithm", "variant", "params",
	"epsilon", "seconds"}

// costWords name a setting: the columns of a file of costs before the last.
func costWords(experiment string, s *results.Setting) []string {
	return []string{experiment, s.Label(), s.Dataset.Label(), s.Algorithm, s.Variant,
		results.FormatParams(s.AllParams()), s.EpsilonText()}
}

func costKey(words []string) string { return strings.Join(words, "\x00") }

// ReadCosts reads a file that WriteCosts wrote. All problems are reported with file and line.
func ReadCosts(path string) (Costs, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	reader := csv.NewReader(file)
	header, err := reader.Read()
	if err == io.EOF || err == nil && !slices.Equal(header, costsHeader) {
		err = fmt.Errorf("%s:1: %q, must be %s", path, strings.Join(header, ","),
			strings.Join(costsHeader, ","))
	}
	if err != nil {
		return nil, fmt.Errorf("costs: %w", err)
	}
	costs := make(Costs)
	var problems []error
	for {
		row, err := reader.Read()
		if err == io.EOF {
			return costs, errors.Join(problems...)
		}
		if err != nil {
			return nil, errors.Join(append(problems, fmt.Errorf("%s: %w", path, err))...)
		}
		line, _ := reader.FieldPos(0)
		last := len(row) - 1
		seconds := 0.0
		if row[last] != "" {
			seconds, err = strconv.ParseFloat(row[last], 64)
			if err != nil || !(seconds >= 0) || math.IsInf(seconds, 1) {
				problems = append(problems, fmt.Errorf("%s:%d: seconds: %q, must be empty or a "+
					"number of 0 or more", path, line, row[last]))
			}
		}
		key := costKey(row[:last])
		if _, twice := costs[key]; twice {
			problems = append(problems, fmt.Errorf("%s:%d: a configuration that an earlier line "+
				"has", path, line))
		}
		costs[key] = seconds
	}
}

// WriteCosts writes what is known of the plans' configurations, a line for each.
func WriteCosts(w io.Writer, plans []*Plan, costs Costs) error {
	out := csv.NewWriter(w)
	out.Write(costsHeader) // csv.Writer keeps its first error
	for _, p := range plans {
		for i, seconds := range p.costs(costs) {
			text := ""
			if seconds > 0 {
				text = results.FormatNumber(seconds)
			}
			out.Write(append(costWords(p.Spec.Name, p.Configs[i].Setting), text))
		}
	}
	out.Flush()
	return out.Error()
}

// costs are the seconds of a cell of each configuration, 0 where they are not known.
func (p *Plan) costs(known Costs) []float64 {
	all := make([]float64, len(p.Configs))
	for i, config := range p.Configs {
		all[i] = known[costKey(costWords(p.Spec.Name, config.Setting))]
	}
	return all
}

// MeasuredCosts are the costs of a plan's configurations by the times of a finished run. A run with
// other settings, such as a quick one, tells what it can: a configuration that it does not have is
// taken for the mean of those with the same algorithm and parameters on the same dataset, else on
// any dataset, else of the same algorithm.
func (p *Plan) MeasuredCosts(run *results.Summary) Costs {
	type mean struct{ seconds, cells float64 }
	means := make(map[string]*mean)
	run.Times(func(setting *results.Setting, cells int, seconds float64) {
		for _, words := range costLevels(p.Spec.Name, setting) {
			m := means[costKey(words)]
			if m == nil {
				m = new(mean)
				means[costKey(words)] = m
			}
			m.seconds += seconds
			m.cells += float64(cells)
		}
	})
	costs := make(Costs)
	for _, config := range p.Configs {
		for _, words := range costLevels(p.Spec.Name, config.Setting) {
			if m := means[costKey(words)]; m != nil {
				own := costKey(costWords(p.Spec.Name, config.Setting))
				costs[own] = m.seconds / m.cells
				break
			}
		}
	}
	return costs
}

// costLevels name a setting ever more coarsely.
func costLevels(experiment string, s *results.Setting) [][]string {
	params := results.FormatParams(s.Params)
	return [][]string{
		costWords(experiment, s),
		{experiment, s.Algorithm, s.Variant, params, s.Dataset.Asked()},
		{experiment, s.Algorithm, s.Variant, params},
		{experiment, s.Algorithm},
	}
}
