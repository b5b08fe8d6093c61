package cmd

import (
	_ "embed"
	"encoding/csv"
	"strconv"
	"strings"

	"ppdp/experiments/language"
)

// costs.csv has the mean time of a job of each experiment that comes with the program, with the
// paper's settings and with quick ones, measured on two idle cores on 2026-11-22.
//
//go:embed costs.csv
var costsTable string

// costs returns the seconds a job takes by experiment. Where only the other settings were
// measured, theirs are taken.
func costs(quick bool) (map[string]float64, error) {
	rows, err := csv.NewReader(strings.NewReader(costsTable)).ReadAll()
	if err != nil {
		return nil, err
	}
	known := make(map[string]float64)
	for _, row := range rows[1:] {
		first, second := row[1], row[2]
		if quick {
			first, second = second, first
		}
		if first == "" {
			first = second
		}
		if known[row[0]], err = strconv.ParseFloat(first, 64); err != nil {
			return nil, err
		}
	}
	return known, nil
}

// jobCost returns the seconds a worker is expected to take for a job of a plan, 0 when it is not
// known: the mean of those that finished here, else what the cost table says, which was measured
// elsewhere.
func jobCost(plan *language.Plan, seconds []float64) (cost float64, elsewhere bool) {
	if len(seconds) > 0 {
		sum := 0.0
		for _, s := range seconds {
			sum += s
		}
		return sum / float64(len(seconds)), false
	}
	known, err := costs(plan.Quick)
	if err != nil {
		panic(err) // the table is a constant
	}
	return known[plan.Spec.Name], true
}
