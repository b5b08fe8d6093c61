package adult

import (
	"context"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// Derivation makes other tables from Adult's. P is a pointer to its parameters.
type Derivation[P any] struct {
	Defaults func() P
	// Select is the selection of Adult that the parameters ask for.
	Select func(P) string
	// Table makes the table from Adult's, seeded by the request's key, and sets its Breaks and
	// Share where it has some. note is for readers of results.
	Table func(ctx context.Context, from *datasets.Dataset, params P, key random.Key) (
		table *datasets.Table, note string, err error)
}

// Register enters two sources: name, made from the real table, and name-standin, from the stand-in.
func (d Derivation[P]) Register(name, title, standInTitle string) {
	d.register(Source, name, title, "")
	d.register(StandIn, name+"-standin", standInTitle, name)
}

func (d Derivation[P]) register(from source[*Params], name, title, standsFor string) {
	about := from.about
	about.Name, about.Title, about.StandsFor = name, title, standsFor
	datasets.Register(source[P]{about, d.Defaults, func(ctx context.Context,
		request datasets.Request, params P) (*datasets.Dataset, error) {
		request.Params = &Params{Select: d.Select(params)}
		set, err := from.Load(ctx, request)
		if err != nil {
			return nil, err
		}
		table, note, err := d.Table(ctx, set, params, request.Key)
		if err != nil {
			return nil, err
		}
		set.Table, set.Checksum = table, table.Checksum()
		set.Notes = append(set.Notes, note)
		return set, nil
	}})
}

// source is a table that is made by parameters, to which P is a pointer.
type source[P any] struct {
	about    datasets.Info
	defaults func() P
	load     func(ctx context.Context, from datasets.Request, params P) (*datasets.Dataset, error)
}

func (s source[P]) Info() datasets.Info { return s.about }
func (s source[P]) Params() any         { return s.defaults() }

// Load makes the table by the request's parameters; none at all mean the defaults.
func (s source[P]) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	defer datasets.Named(s.about.Name, &err)
	params, err := datasets.ParamsOf(request, s.defaults())
	if err != nil {
		return nil, err
	}
	return s.load(ctx, request, params)
}
