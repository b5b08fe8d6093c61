// Package algorithms holds the contract every release algorithm fulfils and the registry they
// enter. A baseline is one package below this one with one call of Register; algorithms/all lists
// them. The contract leaves evaluation out: an algorithm publishes a Release and is done.
package algorithms

import (
	"context"
	"errors"
	"slices"

	"ppdp/datasets"
	"ppdp/internal/registry"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// Algorithm publishes data. Implementations are stateless values, safe for concurrent use.
type Algorithm interface {
	Info() Info
	// Params returns a pointer to a fresh parameter struct set to its defaults; yaml tags name the
	// fields. The values of a spec are decoded onto it before Validate is called.
	Params() Params
	// Release publishes the input. Equal inputs give equal releases, bit for bit. It returns
	// early with ctx.Err() when the context ends.
	Release(ctx context.Context, in Input) (*Release, error)
}

// VariantChecker is implemented by parameters that are refused in some variants: under strict, for
// example, where they would publish something without noise.
type VariantChecker interface {
	// CheckVariant reports everything wrong with validated parameters under one of Info's variants,
	// each error naming the yaml key.
	CheckVariant(v Variant) error
}

// Fitter is implemented by parameters whose defaults do not suit every table.
type Fitter interface {
	// FitSchema changes defaults to what suits tables of the schema when a partition should have
	// about the given number of cells with noisy counts, classes counted. It knows public facts
	// alone.
	FitSchema(s *datasets.Schema, cells int)
}

// SchemaChecker is implemented by parameters with which not every table can be released: a score
// may need a class, for example.
type SchemaChecker interface {
	// CheckSchema reports what in a table's schema validated parameters cannot work with, each
	// error naming the yaml key. CheckInput, and so every Release, returns the same errors.
	CheckSchema(s *datasets.Schema) error
}

// Params is a pointer to a parameter struct of an algorithm. Tags of its fields say what values are
// allowed (see docs/extend.md); what they cannot say is reported by a method Validate()
// error, if there is one, each error beginning with the yaml key.
type Params any

// Anonymous is implemented by the parameters of every algorithm under k-anonymity.
type Anonymous interface {
	// Anonymity is k: the least number of records, or of persons where these are what is protected,
	// that share a published combination of quasi-identifiers.
	Anonymity() int
}

// Variant names one reading of a paper.
type Variant string

const (
	// Published follows the paper to the letter, with the smallest number of extra assumptions.
	Published Variant = "published"
	// Strict is the algorithm repaired so that its claimed guarantee really holds.
	Strict Variant = "strict"
	// RefCode is what the authors' released program does where that differs from the paper.
	RefCode Variant = "refcode"
)

// Product is something a release may contain; metrics say which they need.
type Product string

const (
	// RecordsProduct is a table of records, synthetic or drawn from generalised ones:
	// Release.Records.
	RecordsProduct Product = "records"
	// RegionsProduct is a partition of the quasi-identifiers' space with class counts:
	// Release.Regions.
	RegionsProduct Product = "regions"
	// MembershipProduct is the region of each input row: Regions.Assignment. Only releases without
	// differential privacy may have it.
	MembershipProduct Product = "membership"
	// DegreesProduct is a sorted sequence of node degrees: Release.Degrees.
	DegreesProduct Product = "degrees"
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
	// Columns says that a table is read column by column, in the order of its rows: it may be on a
	// disk.
	Columns bool
	// Revision goes up by one whenever a change makes some release differ; finished jobs of
	// other revisions are not reused.
	Revision int
	// Program is a digest of the program outside of ppdp that makes the releases; empty for none.
	Program string
}

// Can reports whether releases contain a product.
func (i *Info) Can(p Product) bool {
	return slices.Contains(i.Produces, p)
}

// Input is everything a release may depend on.
type Input struct {
	Table *datasets.Table // for TableInput
	Graph *datasets.Graph // for GraphInput
	// the rows to publish; the slice belongs to the algorithm, the table is shared
	Rows    []int32
	Params  Params // as returned by Algorithm.Params, decoded and validated
	Variant Variant
	Budget  *privacy.Budget // epsilon 0 for algorithms without differential privacy
	Noise   *random.Streams // the only source of randomness
}

var (
	// ErrTooLarge is wrapped by the error of a release that would need more memory or steps than a
	// cap allows, such as one on nodes.
	ErrTooLarge = errors.New("release outgrew its cap")
	// ErrTooFew is wrapped by the error of a release under k-anonymity whose table has records, but
	// fewer than k: no form of it is k-anonymous.
	ErrTooFew = errors.New("fewer records than k")
)

// NoParams are the parameters of an algorithm without any.
type NoParams struct{}

// NoDefaults are its defaults.
func NoDefaults() *NoParams { return &NoParams{} }

var algorithms = registry.New[Algorithm]("algorithm")

// Register adds an algorithm under its Info's name.
func Register(a Algorithm) { algorithms.Register(a.Info().Name, a) }

// Baseline is an algorithm of three parts, made by Add.
type Baseline[P Params] struct {
	info     Info
	defaults func() P
	release  Releaser[P]
}

// Releaser publishes an input that CheckInput has nothing against. params are the input's.
type Releaser[P Params] func(ctx context.Context, in Input, params P) (*Release, error)

// Add registers a baseline: what it is, its default parameters, and what it does.
func Add[P Params](info Info, defaults func() P, release Releaser[P]) *Baseline[P] {
	b := &Baseline[P]{info, defaults, release}
	Register(b)
	return b
}

func (b *Baseline[P]) Info() Info     { return b.info }
func (b *Baseline[P]) Params() Params { return b.defaults() }

// Release checks the input and publishes it.
func (b *Baseline[P]) Release(ctx context.Context, in Input) (*Release, error) {
	params, err := CheckInput[P](ctx, b, in)
	if err != nil {
		return nil, err
	}
	return b.release(ctx, in, params)
}

// Lookup returns the algorithm called name.
func Lookup(name string) (Algorithm, error) { return algorithms.Lookup(name) }

// Names lists the registered algorithms.
func Names() []string { return algorithms.Names() }
