package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"

	"ppdp/claims"
	"ppdp/experiments"
	"ppdp/results"
)

// claimsCommand is "ppdp claims".
type claimsCommand struct {
	Paper   string `help:"Judge the claims of one paper only, such as rps." default:"all" placeholder:"PAPER"`
	Variant string `help:"Variant of the papers' algorithms: ${enum} (default: ${default})." enum:"published,strict" default:"published"`
	Out     string `help:"Folder of results (default: ${default})." default:"results" placeholder:"DIR"`
	JSON    bool   `name:"json" help:"Write JSON instead of a table, with every point." xor:"form"`
	Write   string `help:"Put verdicts and numbers into a page, between its markers." placeholder:"PAGE" xor:"form"`
}

// Help is the second part of the verb's help text.
func (claimsCommand) Help() string {
	return `Judges the papers' statements on the records that earlier runs left; nothing is run. A verdict is holds, holds-mostly,
not-reproduced, contradicted or not-covered; a claim whose experiments have not been run has no-data. Marks: ! is not
the verdict of the committed full run, S is judged on stand-in data, R on a run with overrides such as --quick, T by tests of
the code alone.

Examples:

  ppdp claims

  ppdp claims --paper rps --variant strict --out ~/results --json`
}

// Run judges.
func (c claimsCommand) Run(con *console) error {
	papers := claims.Papers()
	if c.Paper != "all" {
		papers = []string{c.Paper}
	}
	v, errs := judge(papers, c.Variant, c.Out)
	if v == nil {
		return errs
	}
	var err error
	switch {
	case c.JSON:
		err = writeJudgements(con.stdout, v.judgements)
	case c.Write != "":
		err = writePage(c.Write, v)
	default:
		if err = printJudgements(con.stdout, v); err == nil {
			err = v.printCounts(con.stdout)
		}
	}
	return errors.Join(err, errs)
}

// verdicts are the judgements of several papers.
type verdicts struct {
	ledgers    []*claims.Ledger
	judgements [][]claims.Judgement // of each ledger
}

// judge evaluates the claims of papers on the results in a folder. There are verdicts in spite of an error
// when it is some ledgers' selections that are wrong.
func judge(papers []string, variant, out string) (*verdicts, error) {
	v := &verdicts{}
	for _, paper := range papers {
		ledger, err := claims.Load(paper)
		if err != nil {
			return nil, inputError{err}
		}
		v.ledgers = append(v.ledgers, ledger)
	}
	outcomes, err := openOutcomes(out)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, ledger := range v.ledgers {
		judgements, err := claims.Evaluate(ledger, outcomes, claims.Options{Variant: variant, Experiments: experiments.Names()})
		if err != nil {
			errs = append(errs, err)
		}
		v.judgements = append(v.judgements, judgements)
	}
	if len(errs) > 0 {
		return v, inputError{errors.Join(errs...)}
	}
	return v, nil
}

// openOutcomes reads every finished run below a folder. A run in any other place than that of its
// experiment, such as a quick one in a folder within, is not of this set of results.
func openOutcomes(out string) ([]*results.Outcome, error) {
	dirs, err := runDirs(out, nil)
	if err != nil {
		return nil, err
	}
	var outcomes []*results.Outcome
	var errs []error
	for _, dir := range dirs {
		outcome, err := results.Open(dir)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if place, err := filepath.Rel(out, dir); err == nil && filepath.ToSlash(place) == outcome.Manifest.Experiment {
			outcomes = append(outcomes, outcome)
		}
	}
	return outcomes, errors.Join(errs...)
}

func writeJudgements(w io.Writer, judgements [][]claims.Judgement) error {
	all := []claims.Judgement{}
	for _, list := range judgements {
		all = append(all, list...)
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(all)
}

func writePage(path string, v *verdicts) error {
	page, err := os.ReadFile(path)
	if err != nil {
		return inputError{err}
	}
	var part strings.Builder
	for i, ledger := range v.ledgers {
		if i > 0 {
			part.WriteByte('\n')
		}
		if err := claims.WriteMarkdown(&part, ledger, v.judgements[i]); err != nil {
			return err
		}
	}
	text, err := claims.ReplaceMarkdown(string(page), part.String())
	if err != nil {
		return inputError{fmt.Errorf("%s: %w", filepath.ToSlash(path), err)}
	}
	return results.WriteFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func printJudgements(w io.Writer, v *verdicts) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "CLAIM\tSOURCE\tVERDICT\tPOINTS\tERRATA\tEVIDENCE")
	for _, list := range v.judgements {
		for i := range list {
			printJudgement(table, &list[i], list[i].ID)
			for k := range list[i].Readings {
				reading := &list[i].Readings[k]
				printJudgement(table, reading, "  "+reading.Reading)
			}
		}
	}
	return table.Flush()
}

// printCounts prints a line a paper: what is covered and how many claims have which verdict.
func (v *verdicts) printCounts(w io.Writer) error {
	for i, ledger := range v.ledgers {
		_, err := fmt.Fprintf(w, "%s: %s; %s\n", ledger.Paper, claims.CoverageOf(ledger, v.judgements[i]), strings.Join(claims.Count(v.judgements[i]), ", "))
		if err != nil {
			return err
		}
	}
	return nil
}

func printJudgement(w io.Writer, j *claims.Judgement, name string) {
	verdict := string(j.Verdict)
	for _, mark := range []struct {
		is     bool
		letter string
	}{{j.Surprise, "!"}, {j.StandIn, "S"}, {j.Reduced, "R"}, {j.Basis == "tests", "T"}} {
		if mark.is {
			verdict += " " + mark.letter
		}
	}
	points, evidence := "-", j.Reason
	if j.Basis == "tests" {
		evidence = strings.Join(j.Tests, ", ")
	}
	if len(j.Checks) > 0 {
		supports, all := 0, 0
		var lines []string
		for i := range j.Checks {
			supports += j.Checks[i].Supports
			all += len(j.Checks[i].Points)
			lines = append(lines, j.Checks[i].Summary())
		}
		points, evidence = fmt.Sprintf("%d/%d", supports, all), strings.Join(lines, " | ")
	}
	errata := strings.Join(j.Errata, " ")
	if errata == "" {
		errata = "-"
	}
	fmt.Fprintln(w, strings.Join([]string{name, strings.Join(j.Source, ", "), verdict, points, errata, evidence}, "\t"))
}
