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
	datasets.Register(derived[P]{d, name, title, "", Source{}})
	datasets.Register(derived[P]{d, name + "-standin", standInTitle, name, StandIn{}})
}

type derived[P any] struct {
	Derivation[P]
	name, title, standsFor string
	from                   datasets.Source
}

func (d derived[P]) Info() datasets.Info {
	info := d.from.Info()
	info.Name, info.Title, info.StandsFor = d.name, d.title, d.standsFor
	return info
}

func (d derived[P]) Params() any { return d.Defaults() }

func (d derived[P]) Load(ctx context.Context, request datasets.Request) (_ *datasets.Dataset,
	err error) {
	defer datasets.Named(d.name, &err)
	params, err := datasets.ParamsOf(request, d.Defaults())
	if err != nil {
		return nil, err
	}
	request.Params = &Params{Select: d.Select(params)}
	set, err := d.from.Load(ctx, request)
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
}
