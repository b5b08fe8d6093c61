package claims

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Parse reads a claims file; name is for messages. Everything wrong with it is reported at once,
// each with file:line.
func Parse(name string, data []byte) (*File, error) {
	r := strictyaml.NewReader(name)
	root := r.Document(data)
	f := &File{}
	r.Decode(root, f)
	if root != nil && r.Problems() == 0 {
		f.validate(r, root)
	}
	if err := r.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// lineOf is where a node is, as file:line, for problems that only records can show.
func lineOf(r *strictyaml.Reader, n *strictyaml.Node) string {
	return r.File + ":" + strconv.Itoa(n.Line)
}

// UnmarshalStrict decodes a check, keeps its place and validates what needs no other part of the
// claims file.
func (c *Check) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Check
	before := r.Problems()
	r.Decode(n, (*plain)(c))
	c.at = lineOf(r, n)
	if r.Problems() > before {
		return
	}
	if c.Experiment == "" {
		r.Problemf(n, "no experiment, must name one")
	}
	if c.Equal < 0 {
		r.Problemf(n, "equal: %v, must be 0 or more", c.Equal)
	}
	var names []string
	given := 0
	for _, p := range c.predicates.list() {
		names = append(names, p.name)
		if p.given {
			given++
			c.predicate = p.predicate
			p.validate(func(text string, args ...any) { r.Problemf(n, p.name+": "+text, args...) })
		}
	}
	if given != 1 {
		r.Problemf(n, "%d predicates, must be exactly one of %s", given, strings.Join(names, ", "))
		return
	}
	c.checkBy(&Reading{}, func(text string, args ...any) { r.Problemf(n, text, args...) })
}

// checkBy reports what a check must not have with its By. A median needs a value in each
// trial.
func (c *Check) checkBy(reading *Reading, problem func(string, ...any)) {
	if c.By != medians {
		if c.By != "" && c.By != means {
			problem("by: %q, must be %s or %s", c.By, means, medians)
		}
		return
	}
	if c.Exact {
		problem("by: medians and exact, must have one: exact values have no median")
	}
	for _, side := range within(c.predicate.sides(reading)...) {
		if side.Stat != "" && side.Stat != "mean" {
			problem("by: medians and stat: %s, must have one: a trial has no %[1]s", side.Stat)
		}
		for _, take := range side.Take {
			if !take.inEachTrial {
				problem("by: medians and take: %s, must be \"%[1]s in each trial\"", take.text)
			}
		}
	}
}

// UnmarshalStrict decodes a side and keeps its place.
func (s *Side) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	type plain Side
	r.Decode(n, (*plain)(s))
	s.at = lineOf(r, n)
	if !slices.Contains([]string{"", "mean", "se", "min"}, s.Stat) {
		r.Problemf(n, "stat: %q, must be mean, se or min", s.Stat)
	}
}

// testName is "folder/package.TestName", with a subtest or not.
var testName = regexp.MustCompile(`^[a-z0-9/]+\.(Test|Fuzz|Example)[A-Za-z0-9_]*$`)

func (f *File) validate(r *strictyaml.Reader, root *strictyaml.Node) {
	if f.Paper == "" || f.Citation == "" {
		r.Problemf(root, "paper and citation must be given")
	}
	if len(f.Claims) == 0 {
		r.Problemf(root, "no claims")
	}
	for _, id := range f.Decisive {
		if !slices.ContainsFunc(f.Claims, func(c Claim) bool { return c.ID == id }) {
			r.Problemf(strictyaml.Find(root, "decisive"), "%q, must be the id of a claim", id)
		}
	}
	program := f.programs(r, strictyaml.Find(root, "programs"))
	seen := make(map[string]string)
	for i := range f.Claims {
		c, n := &f.Claims[i], strictyaml.Find(root, "claims").Content[i]
		problem := func(format string, args ...any) { r.Problemf(n, c.ID+": "+format, args...) }
		if c.ID == "" || c.Statement == "" || len(c.Source) == 0 {
			problem("id, statement and source must be given")
		}
		if first, taken := seen[c.ID]; taken {
			problem("duplicate, first at %s", first)
		}
		seen[c.ID] = lineOf(r, n)
		c.identify(n)
		judged := len(c.Checks) > 0 || len(c.Tests) > 0
		switch {
		case judged == (c.NotCovered != ""):
			problem("must have checks or tests, or else a reason under not-covered")
		case judged:
			c.expected(problem)
			if c.Strict != "" && (len(c.Checks) > 0 || !slices.Contains(fromBest, c.Strict)) {
				problem("strict: %q, must be a verdict of a claim without checks", c.Strict)
			}
		case c.Expect != "" || c.Note != "" || c.Reading != "" || len(c.Readings) > 0:
			problem("is not covered, must not have expect, note, reading or readings")
		}
		if c.Calibration != "" && len(c.Checks) == 0 {
			problem("calibration: must have checks, whose numbers were chosen")
		}
		for _, figure := range c.Source[:min(1, len(c.Source))] {
			if p := program[figure]; p != nil && len(c.Checks) > 0 && c.Reading != "" &&
				c.Reading != p.Reading {
				problem("reading: %q, must be %q as for all claims of %s", c.Reading, p.Reading,
					strings.Join(p.Figures, ", "))
			}
		}
		for _, test := range c.Tests {
			if !testName.MatchString(test) {
				problem("tests: %q, must be a folder and a test of this module "+
					"such as algorithms/rps.TestName", test)
			}
		}
		for reading := range results.Each(c.Readings) {
			if reading.Name == "" || len(c.Checks) == 0 {
				problem("a reading must have a name, and the claim checks")
			}
			isVerdict(problem, "reading "+reading.Name+": ", reading.Expect)
			for k := range c.Checks {
				if len(reading.Checks) == 0 {
					c.Checks[k].checkBy(reading, func(text string, args ...any) {
						problem("reading "+reading.Name+": "+text, args...)
					})
				}
			}
		}
	}
}

// identify makes the digests of a claim from its node.
func (c *Claim) identify(n *strictyaml.Node) {
	checks := strictyaml.Find(n, "checks")
	if checks == nil {
		return
	}
	c.meaning = digest(canonical(checks),
		canonical(strictyaml.Find(n, "readings"), "name", "words", "beside", "expect"))
	margins := make([]string, len(c.Checks))
	for i := range c.Checks {
		margins[i] = strconv.FormatFloat(c.Checks[i].Equal, 'g', -1, 64)
	}
	c.judged = digest(c.Reading, canonical(checks, "equal")) + "-" + digest(margins...)
}

// canonical writes what a node says without some keys: the order of keys, comments and layout do
// not matter, nor whether a list of one is written as a list.
func canonical(n *strictyaml.Node, without ...string) string {
	if n == nil {
		return ""
	}
	if n.Kind == strictyaml.ScalarNode {
		return strconv.Quote(n.Value)
	}
	var parts []string
	for i, own := range n.Content {
		switch {
		case n.Kind != strictyaml.MappingNode:
			parts = append(parts, canonical(own, without...))
		case i%2 == 0 && !slices.Contains(without, own.Value):
			parts = append(parts, own.Value+": "+canonical(n.Content[i+1], without...))
		}
	}
	if n.Kind == strictyaml.MappingNode {
		slices.Sort(parts)
	} else if len(parts) == 1 {
		return parts[0]
	}
	return n.Tag + "[" + strings.Join(parts, ", ") + "]"
}

func digest(texts ...string) string {
	return fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(texts, "\n"))))[:16]
}

// programs are the programs of a file by figure.
func (f *File) programs(r *strictyaml.Reader, n *strictyaml.Node) map[string]*Program {
	by := make(map[string]*Program)
	for i := range f.Programs {
		p, at := &f.Programs[i], n.Content[i]
		if len(p.Figures) == 0 || p.Reading == "" || p.Words == "" {
			r.Problemf(at, "figures, reading and words must be given")
		}
		for _, figure := range p.Figures {
			if !slices.Contains(f.Figures, figure) || by[figure] != nil {
				r.Problemf(at, "%q, must be one of the paper's figures, in one program only: %s",
					figure, strings.Join(f.Figures, ", "))
			}
			by[figure] = cmp.Or(by[figure], p)
		}
	}
	return by
}

// resultForm is what a note must not have: numbers of records are made from the records.
var resultForm = regexp.MustCompile(`[0-9]\.[0-9]|[0-9] ?%|±`)

// expected checks what is said of the claim's verdict.
func (c *Claim) expected(problem func(string, ...any)) {
	isVerdict(problem, "", c.Expect)
	if (c.Reading == "") != (c.Words == "") {
		problem("reading and words: must have both or neither: words say what of the paper " +
			"speaks for the reading")
	}
	if number := resultForm.FindString(c.Note); number != "" {
		problem("note: %q looks like a result, must be a cause: numbers are made from records",
			number)
	}
	if (c.Expect == Undecided) != (c.Undecided != "") {
		problem("undecided: must say why nothing decides the claim, if undecided is expected")
	}
	if len(c.Checks) == 0 && c.Expect != Holds && c.Note == "" {
		problem("expect: %s by tests, must have a note of the cause", c.Expect)
	}
}

func isVerdict(problem func(string, ...any), of string, v Verdict) {
	if !slices.Contains(fromBest, v) {
		names := results.Mapped(fromBest, func(v Verdict) string { return string(v) })
		problem("%sexpect: %q, must be one of %s", of, v, strings.Join(names, ", "))
	}
}

// Errata are the entries about one paper.
type Errata struct {
	Title   string    `yaml:"title"`
	Entries []Erratum `yaml:"entries"`
}

// Erratum says where a text is wrong, incomplete or not private. Texts are sentences, one a line,
// in which `words` are code.
type Erratum struct {
	ID      string   `yaml:"id"` // "R1", as comments, claims and guarantees cite it
	Title   string   `yaml:"title"`
	Verdict string   `yaml:"verdict"` // holds, short, broken, text or note
	But     string   `yaml:"but"`     // what the verdict is to be read with
	Text    string   `yaml:"text"`
	PPDP    string   `yaml:"ppdp"`   // what ppdp does about it
	Replay  string   `yaml:"replay"` // how a replay refutes the guarantee
	Tests   []string `yaml:"tests"`  // that show it
}

// ReadErrata reads docs/errata.yaml.
func ReadErrata(text string) (all []Errata, err error) {
	r := strictyaml.NewReader("docs/errata.yaml")
	r.Decode(r.Document([]byte(text)), &all)
	return all, r.Err()
}

// Says is the verdict in words: "holds, unproved".
func (e *Erratum) Says() string {
	if e.But == "" {
		return e.Verdict
	}
	return e.Verdict + ", " + e.But
}
