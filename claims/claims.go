// Package claims holds what the papers say in a form that can be judged, one ledger a paper, and
// judges it from the records of runs. A claim is a statement in our own words, where the paper makes
// it, and checks: selections of records, a predicate over them and the points it must hold at. The
// verdict follows one rule for all claims (see Evaluate); nobody decides case by case.
//
// It leaves out running anything: what has not been run has no verdict. It knows experiments only by
// the files they left (package results), so verdicts can be made again from records.jsonl alone.
package claims

import (
	"embed"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"ppdp/internal/strictyaml"
)

// Verdict is what becomes of a claim.
type Verdict string

// The verdicts. NoData is none: the records are missing.
const (
	Holds         Verdict = "holds"
	HoldsMostly   Verdict = "holds-mostly"
	NotReproduced Verdict = "not-reproduced"
	Contradicted  Verdict = "contradicted"
	NotCovered    Verdict = "not-covered"
	NoData        Verdict = "no-data"
)

// Enum lists the verdicts a ledger may expect.
func (Verdict) Enum() []string {
	return []string{string(Holds), string(HoldsMostly), string(NotReproduced), string(Contradicted)}
}

// Position is a place in a ledger.
type Position struct {
	File string
	Line int
}

func (p Position) String() string { return p.File + ":" + strconv.Itoa(p.Line) }

// Ledger is the claims of one paper.
type Ledger struct {
	Paper    string `yaml:"paper"` // the first part of its experiments' names
	Citation string `yaml:"citation"`
	// UnderTest are the algorithms whose variant the caller chooses. Records of any other algorithm
	// are taken as published where there is a choice.
	UnderTest []string `yaml:"under-test"`
	// Figures are all figures and tables of the paper that show results, for the count of those covered.
	Figures []string `yaml:"figures"`
	Claims  []Claim  `yaml:"claims"`
}

// Claim is one statement of a paper. It has checks or tests or both, or NotCovered.
type Claim struct {
	ID        string   `yaml:"id"`
	Statement string   `yaml:"statement"`
	Source    []string `yaml:"source,flow-one"` // figures, tables or sections; those of Ledger.Figures count as covered
	Errata    []string `yaml:"errata,flow-one"` // ids in docs/errata.md that bear on the claim
	Checks    []Check  `yaml:"checks"`
	// Tests are tests of this module, "algorithms/rps.TestName", that hold the code to the statement
	// whenever they run. They are not run here. Without checks, Expect is the verdict.
	Tests []string `yaml:"tests,flow-one"`
	// Strict is the verdict of the tests for the strict variant, "" for that of Expect.
	Strict Verdict `yaml:"strict"`
	// NotCovered says why the claim is not judged.
	NotCovered string `yaml:"not-covered"`
	// Expect is the verdict of the committed full run on real data with the published variant; any other is
	// reported as a surprise. Why explains it in a line where it is not Holds.
	Expect Verdict `yaml:"expect"`
	Why    string  `yaml:"why"`
	// Readings judge the checks again with other experiments or selections, where the paper leaves
	// something open. They never change the claim's own verdict.
	Readings []Reading `yaml:"readings"`

	at Position
}

// At is where the claim stands in its ledger.
func (c *Claim) At() Position { return c.at }

// Experiments lists the experiments that the claim's checks look at and those that its readings do, each in order of
// first mention.
func (c *Claim) Experiments() (checks, readings []string) {
	add := func(list []string, name string) []string {
		if name == "" || slices.Contains(list, name) {
			return list
		}
		return append(list, name)
	}
	for i := range c.Checks {
		checks = add(checks, c.Checks[i].Experiment)
		for _, side := range c.Checks[i].sides() {
			checks = add(checks, side.Experiment)
		}
	}
	for i := range c.Readings {
		r := &c.Readings[i]
		readings = add(readings, r.Experiment)
		for _, replacement := range []*Side{r.Left, r.Right, r.Minus} {
			for _, side := range replacement.all() {
				readings = add(readings, side.Experiment)
			}
		}
	}
	return checks, readings
}

// Reading is another way to read the setting of a claim.
type Reading struct {
	Name       string   `yaml:"name"`
	Experiment string   `yaml:"experiment"` // "" leaves that of the checks
	Where      Selector `yaml:"where"`      // on top of the checks' own, replacing equal keys
	// Left, Right and Minus take the place of the sides of that name: of an order, and of what is subtracted elsewhere.
	Left   *Side   `yaml:"left"`
	Right  *Side   `yaml:"right"`
	Minus  *Side   `yaml:"minus"`
	Expect Verdict `yaml:"expect"`
	Why    string  `yaml:"why"`

	at Position
}

// Check is one condition of a claim. Exactly one of Order, Range, Near, Monotone and Growth is set. The
// claim's verdict is that of its worst check.
type Check struct {
	Experiment string   `yaml:"experiment"`
	Where      Selector `yaml:"where"` // holds for all sides
	// Strict replaces terms of equal keys, as Reading.Where does, when the strict variant is judged: for variants
	// that do not have the same parameters.
	Strict Selector `yaml:"strict"`
	// Each are the axes of the grid, names of facts such as epsilon: one point for each combination of their values.
	Each []string `yaml:"each,flow-one"`
	// Exact says that the values have no sampling error, so that one trial is enough and any
	// difference counts.
	Exact    bool      `yaml:"exact"`
	Order    *Order    `yaml:"order"`
	Range    *Range    `yaml:"range"`
	Near     *Near     `yaml:"near"`
	Monotone *Monotone `yaml:"monotone"`
	Growth   *Growth   `yaml:"growth"`

	at Position
}

// Side is a number at every point of a grid: the mean over trials of the records selected, and what
// is made of it. A selection must leave one configuration for each combination of the facts it
// mentions (in where, each or take): a hidden dimension is an error, not an average.
type Side struct {
	Experiment string   `yaml:"experiment"` // "" is the check's
	Where      Selector `yaml:"where"`
	// Stat is "mean" (the default) or "se", the standard error of the mean over trials.
	Stat string `yaml:"stat"`
	// Take reduces over axes, in order: "max over depth". The words are min, max, mean and spread (max - min).
	Take []Take `yaml:"take,flow-one"`
	// Minus is subtracted, then the difference is divided by Per.
	Minus *Side `yaml:"minus"`
	Per   *Side `yaml:"per"`

	at Position
}

// Order says that Left lies below or above Right by more than Margin.
type Order struct {
	Left   Side    `yaml:"left"`
	Right  Side    `yaml:"right"`
	Is     string  `yaml:"is"` // below or above
	Margin float64 `yaml:"margin"`
}

// Range says that Of lies between Min and Max, both included. A bound that is not given does not bind.
type Range struct {
	Of  Side     `yaml:"of"`
	Min *float64 `yaml:"min"`
	Max *float64 `yaml:"max"`
}

// Near says that Of is within Tolerance of Value.
type Near struct {
	Of        Side    `yaml:"of"`
	Value     float64 `yaml:"value"`
	Tolerance float64 `yaml:"tolerance"`
}

// Monotone says that Spearman's rank correlation of Of with the axis Along is above Rho (increasing)
// or below -Rho (decreasing).
type Monotone struct {
	Of    Side    `yaml:"of"`
	Along string  `yaml:"along"`
	Is    string  `yaml:"is"` // increasing or decreasing
	Rho   float64 `yaml:"rho"`
}

// Growth says that Of grows along an axis like Order, up to a power of the axis with an exponent from Min to Max. The
// exponent is the slope, by least squares, of ln(Of/Order) against the logarithm of the axis: 0 for
// what grows like Order exactly, 1 for what grows like n² where the order is n. A bound that is not given does not bind.
type Growth struct {
	Of    Side        `yaml:"of"`
	Along string      `yaml:"along"`
	Order GrowthOrder `yaml:"order"`
	Min   *float64    `yaml:"min"`
	Max   *float64    `yaml:"max"`
}

// GrowthOrder is an order of growth in n, the value along the axis.
type GrowthOrder string

// The orders.
const (
	Linear       GrowthOrder = "n"
	Linearithmic GrowthOrder = "n log n"
	LogSquared   GrowthOrder = "n log² n"
)

// Enum lists the orders a ledger may name.
func (GrowthOrder) Enum() []string {
	return []string{string(Linear), string(Linearithmic), string(LogSquared)}
}

// logAt is the logarithm of the order at n, for n above 1.
func (o GrowthOrder) logAt(n float64) float64 {
	switch o {
	case Linearithmic:
		return math.Log(n) + math.Log(math.Log(n))
	case LogSquared:
		return math.Log(n) + 2*math.Log(math.Log(n))
	default:
		return math.Log(n)
	}
}

// Take is a reduction over an axis: of the means over trials or, with InEachTrial, of each trial's values, whose
// results are then averaged.
type Take struct {
	How, Over   string
	InEachTrial bool
}

// takes are the reductions a ledger may ask for.
var takes = []string{"min", "max", "mean", "spread"}

// inEachTrial ends the text of a Take that reduces within trials.
const inEachTrial = " in each trial"

func (t Take) String() string {
	text := t.How + " over " + t.Over
	if t.InEachTrial {
		text += inEachTrial
	}
	return text
}

// UnmarshalStrict reads "max over depth" and "max over depth in each trial".
func (t *Take) UnmarshalStrict(r *strictyaml.Reader, n *strictyaml.Node) {
	var text string
	r.Decode(n, &text)
	short, inTrial := strings.CutSuffix(text, inEachTrial)
	how, over, found := strings.Cut(short, " over ")
	for _, word := range takes {
		if found && how == word && over != "" && !strings.Contains(over, " ") {
			*t = Take{how, over, inTrial}
			return
		}
	}
	r.Problemf(n, "%q, must be one of %s, then \"over\" and the name of a fact, then perhaps \"in each trial\"", text, strings.Join(takes, ", "))
}

//go:embed *.yaml
var ledgers embed.FS

// Papers lists the papers that have a ledger, in alphabetical order.
func Papers() []string {
	entries, err := ledgers.ReadDir(".")
	if err != nil {
		panic(err) // the folder is embedded
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), path.Ext(entry.Name())))
	}
	return names
}

// Load returns the ledger of a paper.
func Load(paper string) (*Ledger, error) {
	data, err := ledgers.ReadFile(paper + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("no claims of %q, must be one of %s", paper, strings.Join(Papers(), ", "))
	}
	return Parse("claims/"+paper+".yaml", data)
}
