package verbs

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppdp/algorithms"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
	"ppdp/internal/terminal"
	"ppdp/publish"
	"ppdp/publish/comparison"
	"ppdp/report/contest"
)

// Compare is "ppdp compare": it compares all releases that fit a table.
type Compare struct {
	comparison.Comparison
	Generated bool          `help:"In place of a table: compare on records made up from the schema, --rows of them. Choosing by them costs no privacy, and says less."`
	Out       string        `help:"Folder for the spec, the results and the page (default: the table's name and -compared)." placeholder:"DIR"`
	Jobs      int           `short:"j" help:"Jobs run at once; 0 means one per processor." default:"0" min:"0" placeholder:"N"`
	Timeout   time.Duration `help:"Give up on a release and what is measured on it after this long; 0 means never." default:"10m" min:"0" placeholder:"D"`
}

// Help is the second part of the verb's help text.
func (Compare) Help() string {
	return `Releases your table by every algorithm that fits, several times over, and measures the
utility of the releases: classifiers, marginals, counts. Says for each budget and purpose, a
classifier, counts and tables, amounts, or all of it, which release to take, how good it is, how far
behind the others are, and the ppdp release command that makes it. Ends with one page, report.html,
with charts of that and all numbers and tests. What does not fit, or cannot be released, is listed
with its reason. It says beforehand how many releases there are; --quick makes a sixth as many.

Settings follow from public facts: the schema, --epsilon, --k and --rows. They are in compare.yaml
beside the page, a spec like any other: copy it, change it, and run it with ppdp run.

The page is measured on your data and as private as they are. Choosing by it spends privacy that no
epsilon covers: better compare on public data of the same shape, or with --generated on records that
are made up from the schema alone. These show how algorithms cope with such a schema, number of
records and epsilon, and nothing of the patterns in yours.

Examples:

  ppdp compare my.csv --schema my.schema.yaml --rows 30000 --quick

  ppdp compare --generated --schema my.schema.yaml --rows 30000

  ppdp compare my.csv --schema my.schema.yaml --target income --epsilon 0.1,1 --k 5 --out compared`
}

// Validate is asked by kong.
func (c *Compare) Validate() error {
	return errors.Join(
		problem.Unless((c.CSV == "") == c.Generated,
			"one of a table's file and --generated must be given"),
		problem.Unless(!c.Generated || c.Schema != "", "--generated needs a --schema"),
		c.Comparison.Validate())
}

// Run compares all releases that fit a table.
func (c *Compare) Run(con *Console) error {
	out := strings.TrimSuffix(filepath.Base(c.Schema), ".schema.yaml") + "-generated"
	if !c.Generated {
		if err := publish.BesideTable(&c.Schema, c.CSV); err != nil {
			return terminal.InputError(err)
		}
		out = stem(c.CSV)
	}
	told := []string{""}
	release := func(s *results.Setting) (command, refused string) {
		if command, refused = c.release(con.Ctx, s); !slices.Contains(told, refused) {
			told = append(told, refused)
			fmt.Fprintf(con.Stderr, "ppdp: %s\n", refused)
		}
		return command, refused
	}
	c.Unreleasable = func(a algorithms.Algorithm) string {
		if publish.ReleasableVariant(a) != "" {
			return ""
		}
		return "ppdp release refuses it: its draws are not exact"
	}
	run, page, failed := con.measure(c, comparison.Name, cmp.Or(c.Out, out+"-compared"), c.Jobs,
		c.Timeout, release)
	if run == nil {
		return failed
	}
	for _, t := range contest.Of(run) {
		for column, b := range t.Budgets {
			for _, r := range t.Recommend(column) {
				fmt.Fprintf(con.Stdout, "%s, for %s: %s\n", t.Columns[column], r.Purpose, r.Text())
				if r.Useless {
					continue
				}
				command, _ := release(r.Worths[0].Setting)
				fmt.Fprintf(con.Stdout, "  costs %s: %s\n", b.Cost(),
					cmp.Or(command, "cannot be released as things are"))
			}
		}
	}
	fmt.Fprintln(con.Stdout, page)
	return failed
}

// release is the command that makes a release of the table by a setting of the comparison, and why
// none can be made, "" if one can.
func (c *Compare) release(ctx context.Context, s *results.Setting) (command, refused string) {
	r := publish.Request{Algorithm: s.Algorithm, Variant: algorithms.Variant(s.Variant),
		Table: cmp.Or(c.CSV, "TABLE.csv"), Schema: c.Schema, Target: c.Target,
		Contributions: c.Contributions, Params: make(publish.Settings)}
	words := []string{"ppdp", "release", r.Algorithm, r.Table, "--schema", r.Schema, "--variant",
		s.Variant}
	if r.Target != "" {
		words = append(words, "--target", r.Target)
	}
	if r.Contributions > 0 {
		words = append(words, "--contributions", strconv.Itoa(r.Contributions))
	}
	if s.Epsilon != nil {
		r.Epsilon = *s.Epsilon
		words = append(words, "--epsilon", s.EpsilonText())
	}
	algorithm, err := algorithms.Lookup(s.Algorithm)
	if err != nil {
		return "", err.Error()
	}
	defaults := strictyaml.Resolved(algorithm.Params())
	for _, name := range slices.Sorted(maps.Keys(s.Params)) {
		if value := s.Params[name]; value != defaults[name] {
			r.Params[name] = value
			words = append(words, "--param", name+"="+value)
		}
	}
	if err := r.Refusal(ctx); err != nil {
		return "", err.Error()
	}
	return results.CommandText(append(words, "--out", s.Algorithm+"-release")), ""
}
