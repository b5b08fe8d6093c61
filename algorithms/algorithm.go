// Package algorithms holds the contract every release algorithm fulfils and the registry they
// enter. A baseline is one package below this one with one call of Register; algorithms/all lists
// them. The contract leaves evaluation out: an algorithm publishes a Release and is done.
package algorithms

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ppdp/datasets"
	"ppdp/internal/registry"
	"ppdp/internal/spelling"
	"ppdp/privacy"
	"ppdp/random"
)

// Algorithm publishes data. Implementations are stateless values, safe for concurrent use.
type Algorithm interface {
	Info() Info
	// Params returns a pointer to a fresh parameter struct set to its defaults; yaml tags name the
	// fields. Every value of a spec is decoded onto such a struct before Validate is asked.
	Params() Params
	// Release publishes the input. Equal inputs give equal releases, bit for bit. It returns
	// early with ctx.Err() when the context ends.
	Release(ctx context.Context, in Input) (*Release, error)
}

// VariantChecker is implemented by algorithms some of whose parameters make no sense in some
// variants: a strict release that would leak what the parameter says, for example.
type VariantChecker interface {
	// CheckVariant reports everything wrong with validated parameters under a variant, each error
	// naming the yaml key.
	CheckVariant(v Variant, p Params) error
}

// Params is a parameter struct of an algorithm.
type Params interface {
	// Validate reports everything wrong with the values, each error naming the yaml key.
	Validate() error
}

// Anonymous is implemented by the parameters of every algorithm under k-anonymity.
type Anonymous interface {
	// Anonymity is the least number of records that share a published combination of quasi-identifiers: k.
	Anonymity() int
}

// Variant names one reading of a paper.
type Variant string

const (
	// Published is the letter of the paper with the smallest number of extra assumptions.
	Published Variant = "published"
	// Strict is the algorithm repaired so that its claimed guarantee really holds.
	Strict Variant = "strict"
	// RefCode is what the authors' released program does where that differs from the paper.
	RefCode Variant = "refcode"
)

// Model is a notion of privacy.
type Model string

const (
	NoPrivacy           Model = "none"
	KAnonymity          Model = "k-anonymity"
	DifferentialPrivacy Model = "differential privacy"
)

// Status says whether a variant's claimed guarantee holds.
type Status string

const (
	Holds  Status = "holds"
	Short  Status = "short"  // exceeded by a bounded factor
	Broken Status = "broken" // no finite bound, or none proven
)

// Guarantee is what one variant promises and whether that is true.
type Guarantee struct {
	Variant  Variant
	Model    Model
	Unit     string // what is protected: "record", "node", "edge"; empty without privacy
	Relation string // the neighbour relation, in words: "add or remove one record"
	Status   Status
	Errata   []string // entries of the errata that bear on it: "R1"
	Note     string   // one sentence for people
}

// Break says that the guarantee does not hold, for a reason that is a sentence for people, and which errata tell it. The
// first reason replaces the note of a guarantee that held, others are added.
func (g *Guarantee) Break(reason string, errata ...string) {
	if g.Status != Broken {
		g.Status, g.Note = Broken, reason
	} else {
		g.Note += " " + reason
	}
	for _, id := range errata {
		if !slices.Contains(g.Errata, id) {
			g.Errata = append(g.Errata, id)
		}
	}
}

// Guarantor is implemented by algorithms whose guarantee depends on their parameters (what the noise is
// calibrated to, say). Info then describes the default parameters.
type Guarantor interface {
	// Guarantee describes one of Info's variants under validated parameters.
	Guarantee(v Variant, p Params) Guarantee
}

// GuaranteeOf returns what a variant of an algorithm promises under parameters.
func GuaranteeOf(a Algorithm, v Variant, p Params) (Guarantee, error) {
	info := a.Info()
	guarantee, err := info.Guarantee(v)
	if err != nil {
		return Guarantee{}, err
	}
	if g, ok := a.(Guarantor); ok {
		return g.Guarantee(v, p), nil
	}
	return guarantee, nil
}

// Product is something a release may contain; metrics say which they need.
type Product string

const (
	// Records is a table of (synthetic or generalised and re-drawn) records: Release.Records.
	Records Product = "records"
	// Boxes is a partition of the quasi-identifiers' space with class counts: Release.Regions.
	Boxes Product = "regions"
	// Membership says which region each input row fell in: Regions.Assignment. Only
	// releases without differential privacy may publish it.
	Membership Product = "membership"
	// DegreeSequence is a sorted sequence of node degrees: Release.Degrees.
	DegreeSequence Product = "degrees"
)

// InputKind is the kind of data an algorithm takes.
type InputKind string

const (
	TableInput InputKind = "table"
	GraphInput InputKind = "graph"
)

// Info describes an algorithm to people and to the planner.
type Info struct {
	Name     string // as in specs: "rps"
	Title    string // "Recursive Partitioning and Summarization"
	Source   string // paper with section: "Qardaji & Li 2012, Algorithm 1 and section 3.2"
	Input    InputKind
	Produces []Product
	Variants []Guarantee // the first is the default
	// Revision goes up by one whenever a change makes some release differ; finished cells of
	// other revisions are not reused.
	Revision int
}

// Guarantee returns the guarantee of a variant.
func (i *Info) Guarantee(v Variant) (Guarantee, error) {
	names := make([]string, len(i.Variants))
	for n, g := range i.Variants {
		if g.Variant == v {
			return g, nil
		}
		names[n] = string(g.Variant)
	}
	return Guarantee{}, fmt.Errorf("%s has no variant %q%s, must be one of %s", i.Name, v, spelling.Hint(string(v), names), strings.Join(names, ", "))
}

// Can reports whether releases contain a product.
func (i *Info) Can(p Product) bool {
	for _, product := range i.Produces {
		if product == p {
			return true
		}
	}
	return false
}

// Input is everything a release may depend on.
type Input struct {
	Table   *datasets.Table // for TableInput
	Graph   *datasets.Graph // for GraphInput
	Rows    []int32         // the rows to publish; the slice belongs to the algorithm, the table is shared
	Params  Params          // as returned by Algorithm.Params, decoded and validated
	Variant Variant
	Budget  *privacy.Budget // epsilon 0 for algorithms without differential privacy
	Noise   *random.Streams // the only source of randomness
}

// Release is what an algorithm publishes. Fields an algorithm does not produce are nil. Whoever reads records
// asks Records for them.
type Release struct {
	Table   *datasets.Table // synthetic records, in the input's schema
	Weights []float64       // of the table's rows; nil means 1 each
	Undrawn *Undrawn        // in place of Table and Weights: records still to be drawn from Regions
	Regions *Regions
	Degrees []int32 // sorted ascending
	// Warnings are statistical caveats: stored and shown to whoever holds the data, never fatal. They may count what is
	// private and are no part of what is published.
	Warnings []string
	// Structure describes how the release came about (regions, depth, nodes): recorded, not published.
	Structure Structure
}

// Structure counts what a partitioning algorithm built.
type Structure struct {
	Nodes  int // regions visited, inner ones included
	Leaves int
	Depth  int // of the deepest leaf; the root has depth 0
	// Gap is, for an algorithm that searches for the least of a cost, the share of the cost it found that it could
	// not prove necessary, (cost - bound)/cost: 0 says that the release is optimal. 0 also where nothing is searched.
	Gap float64
}

// ErrTooLarge is wrapped by the error of a release that outgrew its cap on nodes.
var ErrTooLarge = errors.New("release outgrew its cap")

var algorithms = registry.New[Algorithm]("algorithm")

// Register adds an algorithm under its Info's name.
func Register(a Algorithm) { algorithms.Register(a.Info().Name, a) }

// Lookup returns the algorithm called name.
func Lookup(name string) (Algorithm, error) { return algorithms.Lookup(name) }

// Names lists the registered algorithms.
func Names() []string { return algorithms.Names() }
