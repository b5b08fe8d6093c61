// Package adultclusters is Adult for the study of clustering: sources "adult-clusters" and
// "adult-clusters-standin". The class attribute, salary, is left out, and the number of the cluster
// a record is in takes its place, so that an algorithm that reads classes preserves clusters
// (Al-Hussaeni et al. 2018, section 5.1, ClusterMP).
//
// By default the clusters are those of the records themselves. One record more can then change the
// class of many others: a release of such a table is not private however the algorithm protects its
// input (errata D5). With labels: public the clusters are cut by centroids that depend on the
// public schema alone, and a record's class on nothing but the record. Public centroids know the
// domain and not what is common in it. Two of them part records by the attribute with the fewest
// values, in which uniform records differ most, and with Adult that is sex: women are one class,
// men the other, where the clusters of the records themselves are rather the married and the
// unmarried.
package adultclusters

import (
	"context"
	"slices"
	"strconv"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/datasets/clustering"
	"ppdp/numeric/random"
)

// Where a record's cluster comes from.
const (
	// Data clusters the records: bisecting k-means over all of them.
	Data = "data"
	// Public gives each record to the most similar of fixed centroids, those of records drawn
	// uniformly from the public domain.
	Public = "public"
)

// Params selects rows, attributes and clusters.
type Params struct {
	Select   string `yaml:"select" doc:"one of adult's selections" words:"rps mondrian mondrian-random diffmulti dpcube all"`
	Labels   string `yaml:"labels" doc:"where a record's cluster comes from" words:"data public"`
	Clusters int    `yaml:"clusters" doc:"the number of clusters" min:"2" max:"1000"`
}

func init() {
	adult.Derivation[*Params]{
		Defaults: defaults, Table: relabel,
		Select: func(p *Params) string { return p.Select },
	}.Register("adult-clusters", "Adult census data, clusters as class", "Stand-in for Adult, "+
		"clusters as class")
}

// defaults are the 45,222 rows and 14 attributes of Al-Hussaeni et al. in two clusters.
func defaults() *Params { return &Params{Select: "diffmulti", Labels: Data, Clusters: 2} }

// changes is what labels: data mean for privacy.
const changes = "The class is a cluster of the whole table: one record can change the class of " +
	"many (errata D5)."

func relabel(ctx context.Context, from *datasets.Dataset, params *Params,
	_ random.Key) (*datasets.Table, string, error) {
	labels, err := params.label(ctx, from.Table)
	if err != nil {
		return nil, "", err
	}
	note := changes
	if params.Labels == Public {
		note = "The class is the most similar of fixed centroids, made from the public schema " +
			"alone."
	} else {
		from.Breaks = []datasets.Break{{Reason: changes, Erratum: "D5"}}
	}
	changed, err := withClass(from.Table, labels, params.Clusters)
	return changed, note, err
}

func (p *Params) label(ctx context.Context, table *datasets.Table) ([]uint32, error) {
	schema := table.Schema()
	attributes := schema.QuasiIdentifiers()
	vectors := clustering.NewVectors(schema, attributes)
	vectors.AddRows(table, table.AllRows())
	if p.Labels == Data {
		return vectors.Clusters(ctx, p.Clusters)
	}
	public := clustering.NewVectors(schema, attributes)
	drawn := uniform(schema)
	public.AddRows(drawn, drawn.AllRows())
	clusters, err := public.Clusters(ctx, p.Clusters)
	if err != nil {
		return nil, err
	}
	return vectors.Nearest(public.Centroids(clusters, p.Clusters)), nil
}

// publicRecords is how many records the public centroids are made from: enough that each of a
// thousand clusters may have some.
const publicRecords = 10_000

// uniform draws records from the domain of a schema, the same for a schema on every call.
func uniform(schema *datasets.Schema) *datasets.Table {
	draws := random.NewKey(0).Derive("adult-clusters", "public records").Stream()
	b := datasets.NewBuilder(schema, publicRecords)
	for range publicRecords {
		row := b.AddRow()
		for at := range schema.Attributes {
			b.Set(row, at, uint32(draws.IntN(schema.Attributes[at].Cells())))
		}
	}
	return b.Table()
}

// withClass returns the table with another class attribute, in the last place.
func withClass(table *datasets.Table, labels []uint32, clusters int) (*datasets.Table, error) {
	names, old := table.Schema().Names(), table.Schema().Class()
	others, err := table.Project(slices.Delete(names, old, old+1)...)
	if err != nil {
		return nil, err
	}
	class := datasets.Attribute{Name: "cluster", Kind: datasets.Categorical, Role: datasets.Class}
	for c := range clusters {
		class.Values = append(class.Values, strconv.Itoa(c))
	}
	return others.With(class, labels), nil
}
