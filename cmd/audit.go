package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"ppdp/algorithms"
	"ppdp/algorithms/external"
	"ppdp/audit"
	"ppdp/audit/blackbox"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/experiments/language"
	"ppdp/internal/problem"
	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/numeric/random"
	"ppdp/publish"
)

type auditCommand struct {
	What          []string      `arg:"" optional:"" name:"what" help:"Algorithms, descriptors of programs of your own (*.baseline.yaml), or specs whose settings to audit; default: every algorithm under differential privacy."`
	Variant       string        `help:"Only this variant, such as strict." placeholder:"VARIANT"`
	Epsilon       float64       `help:"Privacy budget of algorithms given by name (default: ${default})." default:"1" above:"0" placeholder:"E"`
	Delta         float64       `help:"Delta beside epsilon, for algorithms given by name that take one (default: pure epsilon)." min:"0" below:"1" placeholder:"D"`
	Transcripts   int           `help:"Transcripts for each pair of small inputs and direction; large ones have fewer (default: ${default})." default:"100" min:"1" placeholder:"N"`
	BlackBox      int           `help:"Also make this many releases of either input of each pair, and search for events that the claim does not allow; 4000 find much." placeholder:"N"`
	For           time.Duration `help:"Make the black box's releases for this long in all, such as 2m, and at most --black-box of them (default then: 40000); replays come on top." placeholder:"D"`
	Curve         bool          `help:"With a black box: also bound mu of Gaussian differential privacy, and epsilon, by the whole trade-off curve, and state the power at half the noise."`
	Contributions int           `help:"Protect persons with up to this many records each, in place of records." min:"0" max:"1000" placeholder:"K"`
	Publication   bool          `help:"Only releases as ppdp release makes them, with exact draws; without it, algorithms given by name are audited in both ways."`
	Seed          uint64        `help:"Seed of the transcripts and releases." default:"1" placeholder:"S"`
	Dataset       string        `help:"Replay on this dataset, or on a CSV file with my.schema.yaml beside my.csv, without its rarest records, or edges of its largest hubs, in place of small inputs." placeholder:"NAME"`
	JSON          bool          `name:"json" help:"Write JSON instead of a table."`
	dataFlags
}

func (auditCommand) Help() string {
	return `Checks privacy guarantees call by call. A release is made while the calls of its
mechanisms are recorded. The same algorithm then runs on another input, and every mechanism is
forced to answer as recorded. Checked are:

  sensitivity  how far the values moved that a mechanism was given, between neighbours
  loss         how much more likely one neighbour makes the answers than the other
  the rest     the calls made, what is published, and failures: these must not differ between any
               two inputs
  law          whether what was drawn has the law that the ledger charges for; wrong by chance in
               one audit of 1,000 at most, the rest never

PROVEN is the loss by the ledger, SEEN the largest of any transcript, MOVED the largest movement as
a part of the proven sensitivity. With a delta PROVEN and SEEN are epsilons at that delta, SEEN by
the noise that was drawn and how far the values moved. A verdict in capitals refutes a guarantee that
is said to hold; the exit code is then 1.

Where a variant can be released (ppdp release), releases as they are handed out, whose draws are
exact, are audited too: "strict, publication". --publication audits these alone, also the settings
of a spec.

--black-box uses releases alone, of the small neighbours among these. It certifies a lower bound on
epsilon, and accuses a claim below that bound; all sound claims of a run together are safe from that
in 95 % of runs. Then it says what it could have seen, from releases with less noise than claimed.
It is the only way to audit a program of your own that draws its own noise: what that declares does
not pass, but beside it stands what its epsilon is at least. One that asks ppdp for its noise
(mechanisms: ppdp) is replayed; nothing is proven of it.

--for 2m makes releases until the time is over, in place of a number of them: each pair of inputs
has an equal share of it. With a number the result is the same every time, with a time it is not.

--curve also learns a score on the releases that train and bounds its whole trade-off curve: mu of
Gaussian differential privacy (a Gaussian mechanism of zCDP rho has mu = sqrt(2 rho)) and epsilon.
It says with what power the audit would detect the violation if the noise were halved.

docs/privacy.md says what either audit proves and what it cannot see.

Examples:

  ppdp audit

  ppdp audit rps --variant strict --dataset adult --transcripts 10

  ppdp audit mst --publication

  ppdp audit diffmulti --black-box 4000

  ppdp audit mst --delta 1e-6 --for 2m --curve

  ppdp audit my.baseline.yaml --black-box 4000`
}

func (c *auditCommand) Validate() error {
	return errors.Join(
		problem.Unless(c.BlackBox == 0 || c.BlackBox >= 2,
			"--black-box: %d, must be 0 or at least 2", c.BlackBox),
		problem.Unless(c.For >= 0, "--for: %v, must be at least 0s", c.For),
		problem.Unless(!c.Curve || c.boxed(), "--curve: must come with --black-box or --for"))
}

// boxed reports whether a black box is asked for.
func (c *auditCommand) boxed() bool { return c.BlackBox > 0 || c.For > 0 }

// Run prints what was found of each guarantee.
func (c auditCommand) Run(con *console) (err error) {
	cases, err := c.cases(con.ctx)
	if err != nil {
		return terminal.InputError(err)
	}
	defer func() { err = errors.Join(err, closePrograms(cases)) }()
	var data audit.Data
	if c.Dataset != "" {
		if data, err = c.load(con); err != nil {
			return err
		}
	}
	for _, s := range cases {
		if err := s.On(c.Dataset, data); err != nil {
			return terminal.InputError(fmt.Errorf("%s: %w", s.Algorithm.Info().Name, err))
		}
	}
	found, failed, err := c.audit(con, cases)
	if err != nil {
		return err
	}
	if c.JSON {
		err = results.WriteJSON(con.stdout, found)
	} else {
		err = printAudits(con.stdout, found)
	}
	refuted := results.Count(found, func(a results.Audit) bool { return a.Refuted() })
	if refuted > 0 {
		err = errors.Join(err, fmt.Errorf("of %s %d said to hold and refuted",
			terminal.Counted(len(found), "guarantee"), refuted))
	}
	return errors.Join(append(failed, err)...)
}

// audit audits the cases. failed has an error for each that made no release.
func (c auditCommand) audit(con *console, cases []*audit.Case) (found []results.Audit,
	failed []error, err error) {
	options := audit.Options{Transcripts: c.Transcripts, Seed: c.Seed,
		BlackBox: blackbox.Options{Releases: c.BlackBox, Curve: c.Curve,
			Level: blackbox.DefaultLevel / float64(len(cases)),
			For:   c.For / time.Duration(len(cases)), Now: con.now}}
	if releases := 0; c.BlackBox > 0 && c.For == 0 {
		for _, s := range cases {
			releases += s.Releases(options)
		}
		fmt.Fprintf(con.stderr, "black box: up to %s in all\n",
			terminal.Counted(releases, "release"))
	}
	found = []results.Audit{} // in JSON a list, also an empty one
	bar := newProgress(con, "audit", "per cent", 100)
	for i, s := range cases {
		options.BlackBox.Progress = func(part float64) {
			bar.set(int64(100 * (float64(i) + part) / float64(len(cases))))
		}
		result, err := s.Audit(con.ctx, options)
		if err != nil {
			return nil, nil, err
		}
		if result.Error != "" {
			failed = append(failed, fmt.Errorf("%s, %s: %s", result.Algorithm, result.Variant,
				result.Error))
			continue
		}
		found = append(found, result)
		options.BlackBox.Progress(1)
	}
	bar.finish()
	return found, failed, nil
}

// descriptorSuffix ends the names of files that describe external programs.
const descriptorSuffix = ".baseline.yaml"

// closePrograms ends the external programs that were audited.
func closePrograms(cases []*audit.Case) error {
	var errs []error
	for _, s := range cases {
		if program, ok := s.Algorithm.(io.Closer); ok {
			errs = append(errs, program.Close())
		}
	}
	return errors.Join(errs...)
}

// load loads the dataset that the audit is on, with its default parameters.
func (c auditCommand) load(con *console) (audit.Data, error) {
	source, err := datasets.Lookup(c.Dataset)
	if table := strings.TrimSuffix(c.Dataset, ".gz"); strings.HasSuffix(table, ".csv") ||
		strings.HasSuffix(table, ".parquet") {
		source, err = datasets.Lookup("csv")
		err = errors.Join(err, present(c.Dataset))
	}
	if err != nil {
		return audit.Data{}, terminal.InputError(err)
	}
	params := source.Params()
	if own, ok := params.(*csvtable.Params); ok {
		*own = csvtable.Params{CSV: c.Dataset, Schema: publish.Beside(c.Dataset, ".schema.yaml"),
			Contributions: c.Contributions}
	} else if c.Contributions > 0 {
		return audit.Data{},
			terminal.InputError(fmt.Errorf("--contributions: %s has no column of persons",
				c.Dataset))
	}
	set, err := source.Load(con.ctx, datasets.Request{Params: params, Files: c.files(),
		Key: random.NewKey(c.Seed).Derive("audit", "data")})
	if err != nil {
		return audit.Data{}, terminal.InputError(fmt.Errorf("%s: %w", c.Dataset, err))
	}
	return audit.Data{Table: set.Table, Graph: set.Graph}, nil
}

// cases resolves the names to what is audited. Problems are reported together.
func (c auditCommand) cases(ctx context.Context) (all []*audit.Case, err error) {
	names := c.What
	if len(names) == 0 {
		names = algorithms.Names()
	}
	var errs []error
	for _, name := range names {
		found, err := c.named(ctx, name)
		all, errs = append(all, found...), append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(s *audit.Case) bool {
		return c.Variant != "" && c.Variant != string(s.Variant)
	})
	if len(all) == 0 {
		inVariant := ""
		if c.Variant != "" {
			inVariant = " in variant " + c.Variant
		}
		if c.Publication {
			inVariant += " that can be released"
		}
		return nil, fmt.Errorf("%s: nothing under differential privacy to audit%s",
			strings.Join(names, ", "), inVariant)
	}
	return all, nil
}

// named resolves the name of an algorithm, or of the file of a program or a spec.
func (c auditCommand) named(ctx context.Context, name string) ([]*audit.Case, error) {
	if strings.HasSuffix(name, descriptorSuffix) {
		program, err := external.Load(name)
		if err != nil {
			return nil, err
		}
		return c.variants(program), nil
	}
	a, err := algorithms.Lookup(name)
	switch {
	case err == nil:
		return c.variants(a), nil
	case strings.ContainsAny(name, "/."):
		return c.settings(ctx, name)
	}
	return nil, fmt.Errorf("%w, a *%s or a spec", err, descriptorSuffix)
}

// variants are those of an algorithm under differential privacy, with the draws of experiments and,
// of the one that can be released, also with those of a publication. Without names, a delta selects
// the variants that take one.
func (c auditCommand) variants(a algorithms.Algorithm) (all []*audit.Case) {
	releasable := publish.ReleasableVariant(a)
	for _, g := range a.Info().Variants {
		if g.Model != algorithms.DifferentialPrivacy ||
			c.Delta > 0 && !g.Approximate && len(c.What) == 0 {
			continue
		}
		s := audit.Subject{Algorithm: a, Variant: g.Variant, Params: a.Params(),
			Epsilon: c.Epsilon, Delta: c.Delta, Contributions: c.Contributions}
		if !c.Publication {
			all = append(all, &audit.Case{Subject: s})
		}
		if s.Publication = g.Variant == releasable; s.Publication {
			all = append(all, &audit.Case{Subject: s})
		}
	}
	return all
}

// settings are those of a spec, each once for all data. Whether persons are protected, and with how
// many records each, the schemas of tables of the user's own say.
func (c auditCommand) settings(ctx context.Context, name string) (all []*audit.Case, err error) {
	plans, err := makePlans([]string{name}, language.Overrides{})
	if err != nil {
		return nil, err
	}
	known, contributions := make(map[string]bool), make(map[*language.Dataset]int)
	for _, d := range plans[0].Datasets() {
		if !d.Given {
			continue
		}
		set, err := plans[0].Load(ctx, c.files(), d, 0)
		if err != nil {
			return nil, err
		}
		if set.Table != nil {
			contributions[d] = set.Table.Schema().Contributions
		}
	}
	for _, config := range plans[0].Configs {
		persons := contributions[config.Data]
		subject := fmt.Sprintf("%q %q %q %s %s %d", config.Label(), config.Algorithm,
			config.Variant, results.FormatParams(config.Params), config.BudgetText(), persons)
		if config.Epsilon == nil || known[subject] {
			continue
		}
		known[subject] = true
		all = append(all, &audit.Case{Series: config.Label(), Settings: config.Params,
			Subject: audit.Subject{Algorithm: config.Implementation,
				Variant: config.Guarantee.Variant, Params: config.Parameters,
				Epsilon: *config.Epsilon, Delta: config.Delta, Publication: c.Publication,
				Contributions: cmp.Or(c.Contributions, persons)}})
	}
	return all, nil
}

// printAudits prints a line for each guarantee, and below the table what refutes them.
func printAudits(w io.Writer, all []results.Audit) error {
	var b strings.Builder
	table := terminal.NewTable(&b, "ALGORITHM", "VARIANT", "EPSILON", "PROVEN", "SEEN", "MOVED",
		"TRANSCRIPTS", "CLAIMED", "VERDICT")
	for a := range results.Each(all) {
		budget := results.FormatNumber(a.Epsilon)
		if a.Delta > 0 {
			budget += ", δ = " + results.FormatNumber(a.Delta)
		}
		proven, seen, moved := short(a.Proven), short(a.Seen), short(results.Bound(a.MaxMoved()))
		if a.Declared() {
			seen, moved = "-", "-"
		}
		if a.Status == results.Replayed {
			proven = "-" // what the ledger has follows from the program's word
		}
		table.Row(cmp.Or(a.Series, a.Algorithm), a.VariantName(), budget, proven, seen,
			moved, strconv.Itoa(a.Transcripts), string(a.Status), a.Verdict())
	}
	table.Flush() // into memory, as what follows
	for a := range results.Each(all) {
		if a.BlackBox != nil {
			fmt.Fprintf(&b, "\n%s\n", a.BlackBox.Text)
		}
		for _, f := range a.Failures {
			fmt.Fprintf(&b, "\n%s, %s, %s: %s, transcript %d\n  %s\n",
				cmp.Or(a.Series, a.Algorithm), a.VariantName(), f.Kind, f.Pair,
				f.Transcript, f.Text)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// short writes a loss with four digits.
func short(x results.Bound) string {
	if !x.Finite() {
		return x.String()
	}
	return strconv.FormatFloat(float64(x), 'g', 4, 64)
}
