package metrics

import (
	"context"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets/graph"
)

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
		}, func(ctx context.Context, c Case) (float64, bool, error) {
			shape, err := memoize(ctx, c.Published, key{}, func() (graph.Shape, error) {
				return graph.RandomShape(ctx, c.Release.Degrees)
			})
			value := of(shape)
			if err != nil || math.IsNaN(value) {
				return 0, false, err
			}
			return value, true, nil
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
