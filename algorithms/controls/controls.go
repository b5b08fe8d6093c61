// Package controls holds releases that no method is behind. Of a degree sequence, "zeros" publishes
// n zeros, which anyone can who knows n, and "perfect" the truth: the first is a floor every method
// has to beat before a comparison says anything, the second is the ceiling of what any could reach.
// Of a table, "sample" publishes a random part of the records: what a release is worth can be said
// as the size of the sample that is worth as much.
//
// Deviations: none; there is no paper.
package controls

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() {
	degrees("zeros", "n zeros", "No data are read but the number of nodes,"+
		" which is public everywhere here: it needs no budget.",
		func(truth []int32) []int32 { return make([]int32, len(truth)) })
	degrees("perfect", "True degree sequence",
		"No privacy at all: the degrees are published unchanged. For reference only.",
		slices.Clone[[]int32])
}

// degrees adds a release of one degree for each node, made of the true ones. It costs no budget and
// draws nothing.
func degrees(name, title, note string, of func(truth []int32) []int32) {
	algorithms.Add(describe(name, title, note, algorithms.GraphInput, algorithms.DegreesProduct),
		algorithms.NoDefaults, func(_ context.Context, in algorithms.Input,
			_ *algorithms.NoParams) (*algorithms.Release, error) {
			degrees := of(in.Graph.DegreeSequence())
			if degrees == nil { // a clone of nothing
				degrees = []int32{}
			}
			return &algorithms.Release{Degrees: degrees}, nil
		})
}

func describe(name, title, note string, input algorithms.InputKind,
	product algorithms.Product) algorithms.Info {
	return algorithms.Info{Name: name, Title: title, Source: "none: a control", Input: input,
		Produces: []algorithms.Product{product}, Revision: 1,
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(note)}}
}

// Permuted publishes the true records with columns permuted, each by itself. With all of them every
// attribute keeps its distribution and loses its relations to the others; with the class alone only
// what classifiers learn is lost. What measures such a release as good measures little.
var Permuted = algorithms.Add(describe("permuted", "Original data, columns permuted",
	"No privacy: every value is published, only those of a record are parted.",
	algorithms.TableInput, algorithms.RecordsProduct),
	func() *PermutedParams { return &PermutedParams{Columns: AllColumns} }, permute)

// PermutedColumns says which columns are permuted.
type PermutedColumns string

const (
	AllColumns  PermutedColumns = "all"
	ClassColumn PermutedColumns = "class"
)

func (PermutedColumns) Enum() []string { return algorithms.Words(AllColumns, ClassColumn) }

// PermutedParams choose what is permuted.
type PermutedParams struct {
	Columns PermutedColumns `yaml:"columns" doc:"the columns that are permuted"`
	Target  string          `yaml:"target" doc:"with columns: class, the attribute permuted in its place" values:"the name of an attribute; the class without"`
}

func (p *PermutedParams) Validate() error {
	if p.Columns == AllColumns && p.Target != "" {
		return fmt.Errorf("target: %q, must come with columns: class", p.Target)
	}
	return nil
}

// CheckSchema refuses to permute what a table does not have.
func (p *PermutedParams) CheckSchema(s *datasets.Schema) error {
	switch {
	case p.Columns == AllColumns || p.target(s) >= 0:
		return nil
	case p.Target != "":
		return fmt.Errorf("target: %q, must be an attribute of the table", p.Target)
	}
	return errors.New("columns: class, but the table has no class attribute")
}

// target is the attribute that is permuted alone, -1 for none.
func (p *PermutedParams) target(s *datasets.Schema) int {
	if p.Target != "" {
		return s.Index(p.Target)
	}
	return s.Class()
}

// permute draws a permutation of each column. It costs no budget.
func permute(ctx context.Context, in algorithms.Input,
	params *PermutedParams) (*algorithms.Release, error) {
	schema, draws := in.Table.Schema(), in.Noise.Open("permutations")
	b := datasets.NewBuilder(schema, len(in.Rows))
	b.Append(in.Table.Select(in.Rows))
	for i := range schema.Attributes {
		if params.Columns == ClassColumn && i != params.target(schema) {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		c := b.Column(i)
		codes := make([]uint32, len(in.Rows))
		c.Widen(0, codes)
		draws.Shuffle(len(codes), func(i, j int) {
			codes[i], codes[j] = codes[j], codes[i]
			if c.Exact != nil {
				c.Exact[i], c.Exact[j] = c.Exact[j], c.Exact[i]
			}
		})
		c.Put(0, codes, nil)
	}
	return &algorithms.Release{Table: b.Table()}, nil
}

// Sample publishes a part of the true records, drawn at random without replacement. Over several
// shares it is the learning curve by which results.Yardstick says how large a sample of the truth
// another release is as good as.
// A tenth of the records is the default.
var Sample = algorithms.Add(describe("sample", "Random sample of the original data",
	"No privacy for those in the sample: their records are published unchanged.",
	algorithms.TableInput, algorithms.RecordsProduct),
	func() *SampleParams { return &SampleParams{Share: 0.1} }, draw)

// SampleParams choose how many records are published.
type SampleParams struct {
	Share float64 `yaml:"share" doc:"the part of the rows that is published, rounded to whole rows, but at least one" above:"0" max:"1"`
}

// draw draws the sample, each set of its size with the same probability, and publishes it in the
// order of the rows. It costs no budget.
func draw(_ context.Context, in algorithms.Input,
	params *SampleParams) (*algorithms.Release, error) {
	rows, draws := in.Rows, in.Noise.Open("sample")
	n := len(rows)
	wanted := min(n, max(1, int(math.Round(params.Share*float64(n)))))
	for i := range wanted { // Fisher and Yates, as far as it is needed
		j := min(n-1, i+int(draws.Open01()*float64(n-i)))
		rows[i], rows[j] = rows[j], rows[i]
	}
	chosen := slices.Clone(rows[:wanted])
	slices.Sort(chosen)
	return &algorithms.Release{Table: in.Table.Select(chosen)}, nil
}
