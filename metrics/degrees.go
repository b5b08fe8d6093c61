package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets/graph"
)

func init() {
	// A number that describes the published degree sequence alone, undefined where the sequence has
	// none. Released by "perfect" it describes the graph.
	register := func(name, title, source string, of func(degrees []int32) float64) {
		Register(measured{Info{
			Name: name, Title: title, Source: source, Revision: 1,
			Needs: []algorithms.Product{algorithms.DegreesProduct},
		}, func(_ context.Context, c Case) (float64, error) { return of(c.Release.Degrees), nil }})
	}
	const table1 = "Qardaji & Li 2012, Table 1"
	register("nodes", "Published nodes",
		table1, func(degrees []int32) float64 { return float64(len(degrees)) })
	register("edges", "Published edges", table1+": half the sum of degrees",
		func(degrees []int32) float64 {
			sum := int64(0)
			for _, d := range degrees {
				sum += int64(d)
			}
			return float64(sum) / 2
		})
	register("max-degree", "Largest published degree",
		table1, func(degrees []int32) float64 {
			if len(degrees) == 0 {
				return math.NaN()
			}
			return float64(degrees[len(degrees)-1])
		})
	exponent := func(terms int) func(degrees []int32) float64 {
		return func(degrees []int32) float64 {
			alpha, err := graph.PowerLawExponent(degrees, terms)
			if err != nil {
				return math.NaN()
			}
			return alpha
		}
	}
	register("alpha", "Power-law exponent (normaliser cut off)",
		table1+", which names no estimator: maximum likelihood over the first 10,000 terms gives "+
			"its figures", exponent(graph.Table1Terms))
	register("alpha-zeta", "Power-law exponent",
		"maximum likelihood of the zeta distribution (Clauset, Shalizi & Newman 2009, section "+
			"3.1)", exponent(0))
}

func init() {
	// What a degree sequence is published for: random graphs that have it. Released by "perfect",
	// the value is that of the true degrees, which the others are to be compared with; the graph
	// itself, with the same degrees, may be quite different. Undefined where no two nodes are
	// joined (for clustering: where no node has two neighbours), and beyond four million edges.
	type key struct{}
	register := func(name, title, unit, source string, of func(graph.Shape) float64) {
		Register(measured{Info{
			Name: name, Title: title, Unit: unit, Source: source, Revision: 1,
			Needs: []algorithms.Product{algorithms.DegreesProduct},
		}, func(ctx context.Context, c Case) (float64, error) {
			shape, err := memoize(ctx, c.Published, key{}, func() (graph.Shape, error) {
				return graph.RandomShape(ctx, c.Release.Degrees)
			})
			return of(shape), err
		}})
	}
	const source = "Qardaji & Li 2012, section 1.1: a released sequence is for generating a graph; "
	register("clustering", "Clustering of random graphs", "fraction",
		source+"transitivity (Newman 2003, section III.B)",
		func(s graph.Shape) float64 { return s.Clustering })
	register("path-length", "Path length in random graphs", "",
		source+"mean shortest path between connected nodes",
		func(s graph.Shape) float64 { return s.PathLength })
}
