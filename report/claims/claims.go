// Package claims holds what the papers say in a form that can be checked, one claims file a paper,
// and judges it from the records of runs. A claim is a statement in our own words, its place in the
// paper, and checks.
//
// A check selects records and states a predicate: "the error of a lies below that of b, at each
// epsilon". Evaluate follows it in three steps. The selected samples become quantities, numbers
// that can be computed from any set of trials, so that their standard error is known too
// (statistic.go). The predicate turns the quantities of its sides into one number at every point of
// the check's grid (predicate.go). That number, with its error, supports the check or opposes it.
// One rule makes a verdict of all points, see Evaluate.
//
// The package runs nothing: what has not been run has no verdict. It reads only the files of runs
// (package results).
package claims

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/strictyaml"
)

// Verdict is the result for a claim.
type Verdict string

// The verdicts, see Evaluate. NoData says that records are missing. ProgramOnly is all that
// stand-in data and reduced runs say of a paper, and ByTests all that a run says of a claim without
// checks: tests of the source decide it.
const (
	Holds        Verdict = "holds"
	HoldsInPart  Verdict = "holds-in-part"
	Undecided    Verdict = "undecided"
	NoDifference Verdict = "no-difference"
	Contradicted Verdict = "contradicted"
	ProgramOnly  Verdict = "tests-the-program-only"
	ByTests      Verdict = "by-tests"
	NotCovered   Verdict = "not-covered"
	// Calibration is of numbers that come out because a parameter was chosen for it.
	Calibration Verdict = "calibration"
	// DependsOnReading is said of a claim of which at least half of the other readings say
	// something else than the judged one.
	DependsOnReading Verdict = "depends-on-the-reading"
	NoData           Verdict = "no-data"
)

// Text is the verdict as readers see it.
func (v Verdict) Text() string { return strings.ReplaceAll(string(v), "-", " ") }

// Judges reports whether the verdict is one on the claim: by the rule of Evaluate, or of all its
// readings together.
func (v Verdict) Judges() bool { return slices.Contains(fromBest, v) || v == DependsOnReading }

// File is a claims file: the claims of one paper.
type File struct {
	Paper    string `yaml:"paper"` // the first part of its experiments' names
	Citation string `yaml:"citation"`
	// UnderTest are the algorithms whose variant the caller chooses. Of any other algorithm the
	// published variant is used if there are several.
	UnderTest []string `yaml:"under-test"`
	// Sections are the numbers of all sections of the paper: "4.2".
	Sections []string `yaml:"sections"`
	// Figures are all figures and tables of the paper that show results.
	Figures []string `yaml:"figures"`
	// Decisive are the claims on which the paper's conclusions rest, by id: summaries show them.
	Decisive []string `yaml:"decisive,flow-one"`
	// Programs are the readings by which whole figures are judged.
	Programs []Program `yaml:"programs"`
	Claims   []Claim   `yaml:"claims"`
	// Judgements are of a run that was judged, in the published variant unless another was asked
	// for; Strict are of the strict one where both were judged.
	Judgements []Judgement `yaml:"-"`
	Strict     []Judgement `yaml:"-"`

	name string // of the file, for messages
}

// Judgements are those of all files.
func Judgements(files []*File) []Judgement {
	return slices.Concat(results.Mapped(files,
		func(f *File) []Judgement { return f.Judgements })...)
}

// Program is the one reading by which all claims of some figures are judged, and the paper's words,
// in ours, that speak for it.
type Program struct {
	Figures []string `yaml:"figures,flow-one"`
	Reading string   `yaml:"reading"`
	Words   string   `yaml:"words"`
}

// Claim is one statement of a paper. It has checks or tests or both, or NotCovered.
type Claim struct {
	ID        string   `yaml:"id"`
	Statement string   `yaml:"statement"`
	Source    []string `yaml:"source,flow-one"` // figures, tables or sections
	Errata    []string `yaml:"errata,flow-one"` // ids in docs/errata.yaml that concern the claim
	Checks    []Check  `yaml:"checks"`
	// Tests are tests of this module, "algorithms/rps.TestName", that check the code against the
	// statement. They are not run here. Without checks, Expect is the published verdict.
	Tests []string `yaml:"tests,flow-one"`
	// Strict is the verdict of the tests for the strict variant; "" is Expect.
	Strict Verdict `yaml:"strict"`
	// NotCovered says why the claim is not judged.
	NotCovered string `yaml:"not-covered"`
	// Reading names how the checks read what the paper leaves open, and Words are the paper's
	// words, in ours, that speak for it. Both are "" where nothing is open.
	Reading string `yaml:"reading"`
	Words   string `yaml:"words"`
	// Expect is the verdict of the committed settled run, on real data with the published variant,
	// or of the full run where nothing is settled.
	Expect Verdict `yaml:"expect"`
	Note   string  `yaml:"note"` // the cause of the verdict, without numbers of records
	// Undecided says why no number of trials and no reading decides the claim.
	Undecided string `yaml:"undecided"`
	// Calibration says which parameter was chosen so that the claim's numbers come out: they are
	// shown, and are no evidence.
	Calibration string `yaml:"calibration"`
	// Readings judge the checks again with other experiments or selections, where the paper leaves
	// something open. They never change the claim's own verdict.
	Readings []Reading `yaml:"readings"`

	// meaning is a digest of what selects and judges in the checks and readings. judged has two of
	// what gives the claim's own verdict: of the reading with the checks, and of their margins.
	meaning, judged string

	strictyaml.Place
}

// Experiments lists the experiments whose records the claim's checks use and those that its
// readings do, each once.
func (c *Claim) Experiments() (checks, readings []string) {
	for r := range results.Each(c.Readings) {
		readings = appendExperiments(readings, r.checks(c), r)
	}
	return appendExperiments(nil, c.Checks, &Reading{}), readings
}

// appendExperiments adds the experiments of checks in a reading to a list.
func appendExperiments(list []string, checks []Check, r *Reading) []string {
	for k := range results.Each(checks) {
		list = results.Union(list, cmp.Or(r.Experiment, k.Experiment))
		for _, side := range within(k.predicate().sides(r)...) {
			list = results.Union(list, side.Experiment)
		}
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}

// Reading is another way to read the setting of a claim.
type Reading struct {
	Name       string   `yaml:"name"`
	Words      string   `yaml:"words"`      // of the paper, in ours, that speak for it
	Experiment string   `yaml:"experiment"` // "" is that of each check
	Where      Selector `yaml:"where"`      // added to that of the checks, replacing equal keys
	// Left and Right replace those of an order, Minus replaces that of the other predicates' sides.
	Left  *Side `yaml:"left"`
	Right *Side `yaml:"right"`
	Minus *Side `yaml:"minus"`
	// Checks stand in place of the claim's, for what no replaced selection says.
	Checks []Check `yaml:"checks"`
	// Beside says that this is a control or another program, judged beside the readings of the
	// paper's words, and not counted among them.
	Beside bool    `yaml:"beside"`
	Expect Verdict `yaml:"expect"`
}

// checks are the reading's own, or those of its claim.
func (r *Reading) checks(c *Claim) []Check {
	if len(r.Checks) > 0 {
		return r.Checks
	}
	return c.Checks
}

// Check is one condition of a claim, with one predicate.
type Check struct {
	Experiment string   `yaml:"experiment"`
	Where      Selector `yaml:"where"` // for all sides
	// Strict replaces terms of equal keys, as Reading.Where does, when the strict variant is
	// judged: for variants that do not have the same parameters.
	Strict Selector `yaml:"strict"`
	// Each are the axes of the grid, names of facts such as epsilon: there is one point for each
	// combination of their values.
	Each []string `yaml:"each,flow-one"`
	// Exact says that the values have no sampling error, so that one trial is enough and any
	// difference counts.
	Exact bool `yaml:"exact"`
	// Equal is the margin, in the unit of the statistic, below which a difference from the bound
	// counts as none; 0 means that any difference counts.
	Equal float64 `yaml:"equal"`
	// By is "means" (the default), or "medians" for heavy tails: the statistic is then computed in
	// each trial, and the check is about its median.
	By         string `yaml:"by"`
	predicates `yaml:",inline"`

	strictyaml.Place
}

const medians = "medians"

// Side is a number at every point of a grid: the mean over trials of the records selected, reduced
// and combined with other sides. A selection must leave one configuration for each combination of
// the facts it mentions (in where, each or take), so that no dimension is averaged over by mistake.
type Side struct {
	Experiment string   `yaml:"experiment"` // "" is the check's
	Where      Selector `yaml:"where"`
	// Stat is "mean" (the default), "se", the standard error of the mean over trials, or "min", the
	// least of the trials: of times, which other work on a machine can only add to.
	Stat string `yaml:"stat"`
	// Take reduces over axes, in order: "max over depth". Spread is max - min.
	Take []Take `yaml:"take,flow-one"`
	// Minus is subtracted, then the difference is divided by Per.
	Minus *Side `yaml:"minus"`
	Per   *Side `yaml:"per"`

	strictyaml.Place
}

// within lists sides with those inside them, without nil.
func within(sides ...*Side) (all []*Side) {
	for _, s := range sides {
		if s != nil {
			all = append(append(all, s), within(s.Minus, s.Per)...)
		}
	}
	return all
}

// Take is a reduction over an axis: of the means over trials or, in each trial, of its values,
// whose results are then averaged.
type Take struct {
	text, how, over string
	inEachTrial     bool
}

var takeForm = regexp.MustCompile(`^(min|max|mean|spread) over (\S+)( in each trial)?$`)

// UnmarshalStrict reads "max over depth" and "max over depth in each trial".
func (t *Take) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	r.Decode(n, &t.text)
	parts := takeForm.FindStringSubmatch(t.text)
	if parts == nil {
		r.Problemf(n, "%q, must be one of min, max, mean, spread, then \"over\" and the name of a "+
			"fact, then perhaps \"in each trial\"", t.text)
		return
	}
	t.how, t.over, t.inEachTrial = parts[1], parts[2], parts[3] != ""
}

//go:embed *.yaml
var embedded embed.FS

// Papers lists the papers that have a claims file, in alphabetical order.
func Papers() []string {
	files, _ := fs.Glob(embedded, "*.yaml") // fails for malformed patterns only
	return results.Mapped(files,
		func(file string) string { return strings.TrimSuffix(file, ".yaml") })
}

// Load returns the claims file of a paper.
func Load(paper string) (*File, error) {
	data, err := embedded.ReadFile(paper + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no claims of %q, must be one of %s",
			paper, strings.Join(Papers(), ", "))
	}
	return Parse("claims/"+paper+".yaml", data)
}

// Parse reads a claims file; name is for messages. Everything wrong with its form is reported at
// once, each with file:line. A test holds the claims files to the other rules: nobody else writes
// any.
func Parse(name string, data []byte) (*File, error) {
	r := strictyaml.NewReader(name)
	f := &File{name: name}
	r.Decode(r.Document(data), f)
	if err := r.Err(); err != nil {
		return nil, err
	}
	for c := range results.Each(f.Claims) {
		c.identify()
	}
	return f, nil
}

// lineOf is where a node is, as file:line, for problems that only records can show.
func (f *File) lineOf(n *strictyaml.Node) string { return f.name + ":" + strconv.Itoa(n.Line) }

// identify makes the digests of a claim from its node.
func (c *Claim) identify() {
	checks := strictyaml.Find(c.Node, "checks")
	if checks == nil {
		return
	}
	c.meaning = digest(canonical(checks),
		canonical(strictyaml.Find(c.Node, "readings"), "name", "words", "beside", "expect"))
	margins := results.Mapped(c.Checks,
		func(c Check) string { return results.FormatNumber(c.Equal) })
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
