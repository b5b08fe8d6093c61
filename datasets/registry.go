// Package datasets holds the data everything else works on: columnar coded tables with their
// public schemas, and the registry of named datasets. It leaves out how any one dataset is read
// or generated (datasets/adult, datasets/gaussian, datasets/csv, ...) and all use of the data.
package datasets

import (
	"context"
	"fmt"
	"reflect"

	"ppdp/internal/declared"
	"ppdp/internal/problem"
	"ppdp/internal/registry"
	"ppdp/numeric/random"
)

// Source is a named dataset that can be loaded: read from files or generated from a seed.
// Implementations are stateless values, safe for concurrent use. The tests of datasets/all check
// what is said here.
type Source interface {
	Info() Info
	// Params returns a pointer to a fresh struct of the source's parameters set to their defaults
	// (tags name and bound them; a method Validate() error may check more), or nil when it has
	// none.
	Params() any
	// Load reads or generates the data: the same for equal requests, which it does not change.
	// Parameters of another type, or out of range, are an error (see ParamsOf). It returns early
	// with an error wrapping ctx.Err() when the context ends.
	Load(ctx context.Context, request Request) (*Dataset, error)
}

// Attribution is the License of data that may be passed on with their citation.
const Attribution = "CC BY 4.0"

// Own is the License, and the Citation, of data in a file that the user names.
const Own = "the user's own"

// Info describes a dataset to people.
type Info struct {
	Name     string
	Title    string
	Citation string // how to cite it
	License  string
	// StandsFor is the dataset of real data that this one is generated in place of; "" for all
	// others.
	StandsFor string
	Graph     bool   // a graph, not a table
	Files     []File // what has to be on disk; nil for generated data
}

// File is one data file a source reads, as fetched and verified.
type File struct {
	// Below the data directory, slash-separated: "adult/adult.data"; ".gz" may follow on disk.
	Path   string
	SHA256 string // of the canonical (for tables: the uncompressed) content, in hexadecimal
	URL    string // its public home
	Limit  int64  // bytes a download, and what it unpacks to, may have at most; 0 means 1 GiB
	// Canonical brings content whose checksum is not SHA256 into the canonical form, which is then
	// verified (a public edge list with comments, say); nil where the public file is canonical.
	Canonical func(content []byte) ([]byte, error)
}

// Request is everything a Load may depend on.
type Request struct {
	Params any        // what Source.Params returned, with the spec's values decoded onto it
	Files  Files      // where data files are looked for
	Key    random.Key // seeds generated data
}

// ParamsOf returns a request's parameters, or a source's defaults where the request has none.
// Parameters of another type than the defaults, which are a pointer, or that do not validate are an
// error.
func ParamsOf[P any](request Request, defaults P) (P, error) {
	params := defaults
	if request.Params != nil {
		given, ok := request.Params.(P)
		// The latter where P is an interface.
		if !ok || reflect.TypeOf(request.Params) != reflect.TypeOf(defaults) {
			return params, fmt.Errorf("parameters of type %T, must be %T", request.Params, defaults)
		}
		if reflect.ValueOf(given).IsNil() {
			return params, fmt.Errorf("parameters of type %T are nil", given)
		}
		params = given
	}
	return params, declared.Check(params)
}

// Named begins the error of a source's Load, if there is one, with the source's name.
func Named(name string, err *error) {
	*err = problem.Named(name, *err)
}

// Rows makes a table of n rows, which fill sets one after the other. It returns early with
// ctx.Err() when the context ends.
func Rows(ctx context.Context, schema *Schema, n int,
	fill func(b *Builder, row int) error) (*Table, error) {
	const pollEvery = 1 << 16
	b := NewBuilder(schema, n)
	for row := range n {
		if row%pollEvery == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err := fill(b, b.AddRow()); err != nil {
			return nil, err
		}
	}
	return b.Table(), nil
}

// Generator is a source of generated tables.
type Generator[P any] struct {
	About    Info
	Defaults func() *P
	// Table is the schema of a table, the number of its rows, and what fills them in their order
	// with draws from the stream.
	Table func(p *P, draws *random.Stream) (*Schema, int, func(b *Builder, row int) error)
}

func (g Generator[P]) Info() Info { return g.About }

// Params returns the defaults.
func (g Generator[P]) Params() any { return g.Defaults() }

// Load draws the table from the request's key.
func (g Generator[P]) Load(ctx context.Context, request Request) (_ *Dataset, err error) {
	defer Named(g.About.Name, &err)
	p, err := ParamsOf(request, g.Defaults())
	if err != nil {
		return nil, err
	}
	schema, n, fill := g.Table(p, request.Key.Derive("data").Stream())
	table, err := Rows(ctx, schema, n, fill)
	if err != nil {
		return nil, err
	}
	return &Dataset{Table: table, Checksum: table.Checksum()}, nil
}

// Dataset is what a source loads: a table or a graph, the other is nil.
type Dataset struct {
	Table    *Table
	Graph    *Graph
	Checksum string   // SHA-256 over the content, in hexadecimal: equal data, equal checksum
	Dropped  int      // rows left out because a value was missing
	Lost     string   // what these lacked, and how to keep them, where that is known
	Notes    []string // what a reader of results must know
	Breaks   []Break  // nil where releases are as private as their algorithm is
	// Share is how many records come from one person at most, 0 for one. What protects single
	// records protects people by as much less.
	Share int
}

// Break is why no release of a dataset is differentially private, whatever the algorithm: a
// sentence and its entry in the errata.
type Break struct{ Reason, Erratum string }

var sources = registry.New[Source]("dataset")

// Register adds a source under its Info's name.
func Register(source Source) { sources.Register(source.Info().Name, source) }

// Lookup returns the source called name.
func Lookup(name string) (Source, error) { return sources.Lookup(name) }

// Names lists the registered sources.
func Names() []string { return sources.Names() }

// StandIn returns the name of the dataset that stands in for another, "" where there is none.
func StandIn(name string) string {
	for _, other := range Names() {
		if source, err := Lookup(other); err == nil && source.Info().StandsFor == name {
			return other
		}
	}
	return ""
}
