package gaussian

import (
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/random"
)

// dimensions of the space the clusters lie in.
const dimensions = 5

// The domain of every attribute of the clusters, half-open.
const (
	clusterLow  = 0.0
	clusterHigh = 100.0
)

// component is one multivariate normal distribution. It is given by its factor rather than its
// covariance Σ = F·Fᵀ: a lower triangle with a positive diagonal makes Σ positive definite by
// construction, and drawing needs F only.
type component struct {
	name   string
	mean   [dimensions]float64
	factor [dimensions][dimensions]float64
}

// components are the three clusters. They differ in their means, variances and signs of
// correlations.
var components = [...]component{
	{
		name: "A",
		mean: [dimensions]float64{25, 60, 33, 57, 70},
		factor: [dimensions][dimensions]float64{
			{7},
			{4, 6},
			{-2, 3, 5},
			{2, -4, 2, 6},
			{3, 1, -2, 4, 5},
		},
	},
	{
		name: "B",
		mean: [dimensions]float64{40, 69, 30, 48, 76},
		factor: [dimensions][dimensions]float64{
			{6},
			{-4, 7},
			{2, -3, 6},
			{4, 2, -2, 5},
			{-2, 4, 3, -2, 6},
		},
	},
	{
		name: "C",
		mean: [dimensions]float64{34, 72, 42, 51, 61},
		factor: [dimensions][dimensions]float64{
			{7},
			{2, 7},
			{4, -2, 5},
			{-3, 4, 2, 6},
			{1, -4, 3, -2, 5},
		},
	},
}

// draw returns one point of the component, which may lie outside the domain.
func (c *component) draw(stream *random.Stream) (x [dimensions]float64) {
	var z [dimensions]float64
	for i := range z {
		z[i] = stream.NormFloat64()
	}
	for i := range x {
		x[i] = c.mean[i]
		for j := 0; j <= i; j++ {
			x[i] += float64(c.factor[i][j] * z[j])
		}
	}
	return x
}

func clusterSchema() *datasets.Schema {
	schema := &datasets.Schema{}
	for _, name := range []string{"x1", "x2", "x3", "x4", "x5"} {
		schema.Attributes = append(schema.Attributes, continuous(name, clusterLow, clusterHigh, 1))
	}
	cluster := datasets.Attribute{Name: "cluster", Kind: datasets.Categorical, Role: datasets.Class}
	for i := range components {
		cluster.Values = append(cluster.Values, components[i].name)
	}
	schema.Attributes = append(schema.Attributes, cluster)
	return schema
}

func clusters(stream *random.Stream) func(b *datasets.Builder, row int) error {
	return func(b *datasets.Builder, row int) error {
		at := stream.Uint32N(uint32(len(components)))
		x := components[at].draw(stream)
		for slices.Min(x[:]) < clusterLow || slices.Max(x[:]) >= clusterHigh {
			x = components[at].draw(stream)
		}
		for i, value := range x {
			if err := b.SetNumber(row, i, value); err != nil {
				return err
			}
		}
		b.Set(row, dimensions, at)
		return nil
	}
}
