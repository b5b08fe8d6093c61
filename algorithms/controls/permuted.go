package controls

import (
	"context"
	"errors"
	"fmt"

	"ppdp/algorithms"
	"ppdp/datasets"
)

func init() { algorithms.Register(Permuted{}) }

// Permuted publishes the true records with columns permuted, each by itself. With all of them every
// attribute keeps its distribution and loses its relations to the others; with the class alone only
// what classifiers learn is lost. What measures such a release as good measures little.
type Permuted struct{}

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

func (Permuted) Info() algorithms.Info {
	return algorithms.Info{
		Name: "permuted", Title: "Original data, columns permuted", Source: "none: a control",
		Input: algorithms.TableInput, Produces: []algorithms.Product{algorithms.RecordsProduct},
		Variants: []algorithms.Guarantee{algorithms.NotPrivate(
			"No privacy: every value is published, only those of a record are parted.")},
		Revision: 1,
	}
}

// Params permutes all columns.
func (Permuted) Params() algorithms.Params { return &PermutedParams{Columns: AllColumns} }

// CheckSchema refuses to permute what a table does not have.
func (Permuted) CheckSchema(s *datasets.Schema, p algorithms.Params) error {
	params := p.(*PermutedParams)
	switch {
	case params.Columns == AllColumns || params.target(s) >= 0:
		return nil
	case params.Target != "":
		return fmt.Errorf("target: %q, must be an attribute of the table", params.Target)
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

// Release draws a permutation of each column. It costs no budget.
func (Permuted) Release(ctx context.Context, in algorithms.Input) (*algorithms.Release, error) {
	params, err := algorithms.CheckInput[*PermutedParams](ctx, Permuted{}, in)
	if err != nil {
		return nil, err
	}
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
