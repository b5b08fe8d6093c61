package verbs

import (
	"fmt"

	"ppdp/datasets"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/publish"
)

// Query is "ppdp query": it answers queries from the folder of a release.
type Query struct {
	Dir   string   `reads:"" arg:"" help:"The folder of a release."`
	Query []string `arg:"" help:"Conditions whose records are counted, or means of attributes, each in quotes."`
	JSON  bool     `name:"json" help:"Write JSON instead of sentences."`
}

// Help is the second part of the verb's help text.
func (Query) Help() string {
	return `Says how many records of the released table keep to a condition, or what the mean of an
attribute is over them, from the folder of a release alone. Methods that measure noisy counts
publish them (marginals.csv). Where they answer the query, so does this command: without the model,
with a standard error and an interval that holds the table's answer in 95 of 100 releases. Elsewhere
it counts the release's records and says what is known of the error.

A condition compares attributes by = != < <= > >= or "in {A, B}", with "and", "or", "not" and
brackets; "all" counts every record. Names and values with spaces, brackets, commas, quotes or
operators in them stand in quotes.

Examples:

  ppdp query my-release "age >= 30 and job = technician"

  ppdp query my-release "not (sex in {F, X} or income = '>50K')" "mean(age) where job = technician"

  ppdp query my-release all --json`
}

// Run answers, once all queries are known to be right.
func (c Query) Run(con *Console) error {
	answerer, err := publish.OpenAnswerer(c.Dir)
	if err != nil {
		return terminal.InputError(err)
	}
	var queries []*datasets.Query
	var bad datasets.Problems
	for _, text := range c.Query {
		query, err := datasets.ParseQuery(text, answerer.Schema)
		if err != nil {
			bad.Add("%s: %v", text, err)
		}
		queries = append(queries, query)
	}
	if err := bad.Err(); err != nil {
		return terminal.InputError(err)
	}
	var answers []*publish.Answer
	for _, query := range queries {
		answer, err := answerer.Answer(query)
		if err != nil {
			return err
		}
		answers = append(answers, answer)
	}
	if c.JSON {
		return results.WriteJSON(con.Stdout, answers)
	}
	for _, a := range answers {
		fmt.Fprintf(con.Stdout, "%s: %.6g", a.Query, a.Value)
		if a.Error != nil {
			fmt.Fprintf(con.Stdout, ", standard error %.4g", *a.Error)
		}
		if a.Interval != nil {
			fmt.Fprintf(con.Stdout, "; 95 %%: %.6g to %.6g", a.Interval[0], a.Interval[1])
		}
		fmt.Fprintf(con.Stdout, "\n  %s\n", a.Note)
	}
	return nil
}
