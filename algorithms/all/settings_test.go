package all

import (
	"ppdp/algorithms"
	"ppdp/algorithms/aim"
	"ppdp/algorithms/day2016"
	"ppdp/algorithms/diffgen"
	"ppdp/algorithms/diffmulti"
	"ppdp/algorithms/dpcube"
	"ppdp/algorithms/endgame"
	"ppdp/algorithms/hay"
	"ppdp/algorithms/kernel/degrees"
	"ppdp/algorithms/kernel/margins"
	"ppdp/algorithms/kernel/partition"
	"ppdp/algorithms/mondrian"
	"ppdp/algorithms/privbayes"
	"ppdp/algorithms/rps"
	"ppdp/algorithms/rpsgraph"
	"ppdp/internal/must"
)

// settings are what the suite runs an algorithm with beside its defaults, by the algorithm's name.
// One that is missing here is tested with its defaults.
//
// Releases of koptimize that suppress rows are checked beside that package.
var settings = map[string][]algorithms.Params{
	"aim": vary("aim",
		func(p *aim.Params) { p.Workload, p.Bins = aim.AllTriples, 3 },
		func(p *aim.Params) {
			p.Workload, p.MaxModel, p.Values = aim.ClassTriples, 0.01, partition.Midpoint
		},
	),
	"aim-logistic": vary("aim-logistic",
		func(p *aim.Params) { p.Copies = 1 },
		func(p *aim.Params) { p.Cut, p.Values = margins.Private, partition.Low },
	),
	"day2016": vary("day2016", func(p *day2016.Params) { p.Lambda = "4" }),
	"diffgen": vary("diffgen",
		func(p *diffgen.Params) {
			p.Utility, p.Specialisations = partition.InformationGain, 3
		},
		func(p *diffgen.Params) {
			p.Utility, p.Score, p.Values = partition.Discernibility, diffgen.Children, partition.Low
		},
		func(p *diffgen.Params) {
			p.Utility, p.Values = partition.CertaintyPenalty, partition.Midpoint
		},
		func(p *diffgen.Params) { p.Specialisations = 40 },
	),
	"diffmulti": vary("diffmulti",
		func(p *diffmulti.Params) {
			p.Specialisations, p.Utility = 60, partition.Discernibility
		},
		func(p *diffmulti.Params) {
			p.Specialisations, p.Utility, p.Values = 60, partition.CertaintyPenalty,
				partition.Midpoint
		},
		func(p *diffmulti.Params) {
			p.Specialisations, p.Utility, p.Iterations = 60, partition.InformationGain, 7
		},
		func(p *diffmulti.Params) { p.Specialisations, p.HPrime = 60, diffmulti.ByEven },
		func(p *diffmulti.Params) {
			p.Specialisations, p.HPrime, p.LongestPath = 60, diffmulti.ByExact, 3
		},
		func(p *diffmulti.Params) {
			p.Specialisations, p.HPrime = 60, diffmulti.ByRefCode
			p.NumericHeight, p.MaxRows = 0, 50
		},
	),
	"dpcube": vary("dpcube",
		func(p *dpcube.Params) { p.Threshold = 0 },
		func(p *dpcube.Params) { p.Threshold, p.Bins = 3, 5 },
		func(p *dpcube.Params) { p.Bins, p.Values = 1, partition.Midpoint },
		func(p *dpcube.Params) { p.Grid, p.MaxCells = dpcube.Coarse, 100 },
		func(p *dpcube.Params) { p.Bins, p.Cut = 4, margins.Private },
	),
	"endgame": vary("endgame",
		func(p *endgame.Params) { p.K, p.Exact = 2, 2 },
		func(p *endgame.Params) { p.K, p.Exact = 3, 64 },
	),
	"hay": vary("hay",
		func(p *hay.Params) { p.Neighbours, p.Lambda = hay.Node, degrees.MaxDegree },
		func(p *hay.Params) { p.Neighbours, p.Inference = hay.Node, false },
		func(p *hay.Params) { p.Neighbours, p.Lambda = hay.Node, degrees.Estimated },
	),
	"independent": vary("independent",
		func(p *margins.Params) { p.Bins = 100 },
		func(p *margins.Params) { p.Values = partition.Low },
	),
	"mst":        vary("mst", privateMidpoints),
	"mst-target": vary("mst-target", privateMidpoints),
	"nb-model":   vary("nb-model", func(p *margins.Params) { p.Cut = margins.Private }),
	"mondrian": vary("mondrian",
		func(p *mondrian.Params) { p.K, p.Cut, p.Records = 2, mondrian.Even, partition.Range },
		func(p *mondrian.Params) { p.K, p.Mode, p.Records = 3, mondrian.Relaxed, partition.Range },
		func(p *mondrian.Params) { p.K, p.Mode = 2, mondrian.Relaxed },
		func(p *mondrian.Params) { p.K, p.Split, p.Records = 2, mondrian.Class, partition.Range },
		func(p *mondrian.Params) { p.K, p.Cut, p.Split = 3, mondrian.Even, mondrian.Workload },
	),
	"privbayes": vary("privbayes",
		func(p *privbayes.Params) { p.Theta = 0.01 },
		func(p *privbayes.Params) {
			p.Encoding, p.Theta, p.Cut = privbayes.Hierarchical, 0.01, margins.Private
		},
		func(p *privbayes.Params) {
			p.Encoding, p.Theta, p.Degree = privbayes.Hierarchical, 0.01, 2
		},
	),
	"rps": vary("rps",
		func(p *rps.Params) { p.Quality = rps.Class },
		func(p *rps.Params) { p.Depth, p.StopCheck = 4, false },
		func(p *rps.Params) { p.Counts = rps.ByDepth },
		func(p *rps.Params) { p.Partition = rps.Fixed },
		func(p *rps.Params) { p.Narrow = 0.2 },
		func(p *rps.Params) { p.Partition, p.Depth = rps.Median, 4 },
	),
	"rps-graph": vary("rps-graph",
		graphTree(rpsgraph.Cross), graphTree(rpsgraph.Unit), graphTree(rpsgraph.Laplace),
		graphTree(rpsgraph.Rigorous), graphForm(rpsgraph.Halving), graphForm(rpsgraph.Tree),
		graphPrivate(rpsgraph.Growing), graphPrivate(rpsgraph.Tree),
	),
}

// vary applies each change to the quick defaults of an algorithm.
func vary[P algorithms.Params](name string, changes ...func(P)) []algorithms.Params {
	var list []algorithms.Params
	for _, change := range changes {
		p := quick(must.Get(algorithms.Lookup(name)).Params())
		change(p.(P))
		list = append(list, p)
	}
	return list
}

func privateMidpoints(p *margins.Params) {
	p.Bins, p.Values, p.Cut = 4, partition.Midpoint, margins.Private
}

func graphTree(counts rpsgraph.Counts) func(*rpsgraph.Params) {
	return func(p *rpsgraph.Params) {
		p.Counts, p.Form, p.Lambda = counts, rpsgraph.Tree, degrees.MaxDegree
	}
}

func graphForm(form rpsgraph.Form) func(*rpsgraph.Params) {
	return func(p *rpsgraph.Params) {
		p.Form, p.Fill, p.Lambda = form, rpsgraph.Rescale, "60"
	}
}

func graphPrivate(form rpsgraph.Form) func(*rpsgraph.Params) {
	return func(p *rpsgraph.Params) {
		p.Form, p.Lambda = form, degrees.Estimated
		p.Values = partition.Uniform
	}
}
