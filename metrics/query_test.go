package metrics

import (
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/declared"
)

// jobs is a categorical attribute whose taxonomy walks its values in another order than that of
// their codes.
func jobs() datasets.Attribute {
	return datasets.Attribute{Name: "job", Kind: datasets.Categorical,
		Values: []string{"smith", "clerk", "baker", "none"}, Taxonomy: &datasets.Taxonomy{
			Nodes: []datasets.TaxonomyNode{
				{Name: "any", Parent: -1, Children: []int{1, 4, 5}},
				{Name: "craft", Parent: 0, Children: []int{2, 3}},
				{Name: "baker", Parent: 1}, {Name: "smith", Parent: 1},
				{Name: "none", Parent: 0}, {Name: "clerk", Parent: 0},
			},
		}}
}

// TestEstimateByCells compares estimates with a release spelled out: every record spread evenly
// over all cells of its region, the cells asked one by one.
func TestEstimateByCells(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema := &datasets.Schema{Attributes: []datasets.Attribute{
			{Name: "age", Low: 10, High: 16, Step: 1}, jobs(),
			{Name: "pays", Kind: datasets.Categorical, Values: []string{"no", "yes"},
				Role: datasets.Class},
			{Name: "hours", Low: -2, High: 3, Step: 0.5},
		}}
		axis := schema.Attributes[1].Axis()
		regions := &algorithms.Regions{Attributes: []int{3, 1, 0}, Classes: 2,
			Axes: []*datasets.Axis{nil, axis, nil}}
		for range rapid.IntRange(0, 4).Draw(t, "regions") {
			node := rapid.IntRange(0, len(axis.Taxonomy.Nodes)-1).Draw(t, "node")
			for _, cells := range []int{10, 0, 6} {
				if cells == 0 {
					regions.Low, regions.High = append(regions.Low,
						axis.Low[node]), append(regions.High, axis.High[node])
					regions.Nodes = append(regions.Nodes, int32(node))
					continue
				}
				low := rapid.IntRange(0, cells-1).Draw(t, "low")
				high := rapid.IntRange(low+1, cells).Draw(t, "high")
				regions.Low, regions.High = append(regions.Low, uint32(low)), append(regions.High,
					uint32(high))
				regions.Nodes = append(regions.Nodes, -1)
			}
			for range 2 {
				regions.Counts = append(regions.Counts,
					float64(rapid.IntRange(0, 3).Draw(t, "count")))
			}
		}
		q := Query{Of: rapid.SampledFrom([]int{-1, 0, 3}).Draw(t, "of")}
		for _, attribute := range []int{0, 1, 3} {
			if rapid.Bool().Draw(t, "restricted") {
				cells := schema.Attributes[attribute].Cells()
				low := rapid.IntRange(0, cells-1).Draw(t, "from")
				q.Where = append(q.Where,
					Predicate{attribute, uint32(low),
						uint32(rapid.IntRange(low+1, cells).Draw(t, "to"))})
			}
		}
		got := must(NewEstimator(schema, regions, Tight).Estimate(q))
		want := Answer{Matched: true, Min: math.Inf(1), Max: math.Inf(-1)}
		for r := range regions.Len() {
			size := regions.Counts[2*r] + regions.Counts[2*r+1]
			low, high := regions.Box(r)
			volume, inside := 0, 0
			for hours := low[0]; hours < high[0]; hours++ {
				for rank := low[1]; rank < high[1]; rank++ {
					for age := low[2]; age < high[2]; age++ {
						volume++
					}
				}
			}
			for hours := low[0]; hours < high[0]; hours++ {
				for rank := low[1]; rank < high[1]; rank++ {
					for age := low[2]; age < high[2]; age++ {
						codes := map[int]uint32{0: age, 1: axis.Code[rank], 3: hours}
						satisfied := true
						for _, p := range q.Where {
							satisfied = satisfied && codes[p.Attribute] >= p.Low &&
								codes[p.Attribute] < p.High
						}
						if !satisfied || size == 0 {
							continue
						}
						inside++
						n := size / float64(volume)
						want.Count += n
						if q.Of >= 0 {
							number := schema.Attributes[q.Of].Number(codes[q.Of])
							want.Sum += n * number
							want.Min, want.Max = min(want.Min, number), max(want.Max, number)
						}
					}
				}
			}
			if size > 0 && inside > 0 && inside < volume {
				want.Matched = false
			}
		}
		if q.Of < 0 {
			want.Min, want.Max = 0, 0
		}
		const rounding = 1e-9 // of sums of a few hundred numbers below a few hundred
		if math.Abs(got.Count-want.Count) > rounding || math.Abs(got.Sum-want.Sum) > rounding ||
			got.Min != want.Min || got.Max != want.Max || got.Matched != want.Matched {
			t.Fatalf("%+v of %+v: %+v, want %+v", q, regions, got, want)
		}
	})
}

// TestMeansBeatMiddles: a published mean stands for a region's records as long as the aggregated
// attribute is not itself cut by a predicate.
func TestMeansBeatMiddles(t *testing.T) {
	schema := patients().Schema()
	regions := &algorithms.Regions{Attributes: []int{0, 1}, Classes: 1, Low: []uint32{20, 0},
		High: []uint32{30, 1}, Counts: []float64{5},
		Means: []float64{21, math.NaN()}}
	e := NewEstimator(schema, regions, Box)
	for _, test := range []struct {
		where      []Predicate
		count, sum float64
	}{
		{nil, 5, 105},
		{[]Predicate{{1, 0, 1}}, 5, 105},
		{[]Predicate{{0, 0, 100}}, 5, 105},      // all of the region
		{[]Predicate{{0, 24, 28}}, 2, 2 * 25.5}, // four cells of ten, their middle
		{[]Predicate{{0, 40, 50}}, 0, 0},
		{[]Predicate{{1, 1, 2}}, 0, 0},
	} {
		got, err := e.Estimate(Query{Where: test.where, Of: 0})
		if err != nil || got.Count != test.count || got.Sum != test.sum {
			t.Errorf("%v: %+v (%v), want %v and %v", test.where, got, err, test.count, test.sum)
		}
	}
}

func TestEstimateRefuses(t *testing.T) {
	schema := patients().Schema()
	regions := &algorithms.Regions{Attributes: []int{0, 1}, Classes: 1, Low: []uint32{20, 0},
		High: []uint32{30, 1}, Counts: []float64{5}}
	for _, test := range []struct {
		query Query
		want  string
	}{
		{Query{Where: []Predicate{{2, 0, 1}}, Of: -1}, "zip is not generalised"},
		{Query{Where: []Predicate{{7, 0, 1}}, Of: -1}, "attribute 7"},
		{Query{Where: []Predicate{{0, 0, 1}, {0, 4, 5}}, Of: -1}, "two predicates on age"},
		{Query{Of: 1}, "sex cannot be aggregated"},
		{Query{Of: 2}, "zip cannot be aggregated"},
	} {
		if _, err := NewEstimator(schema, regions, Box).Estimate(test.query); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.query, err, test.want)
		}
	}
}

// TestCountErrorByHand: ten records, all of value 3, spread over ten cells: nine values are off by
// 1 and one by 9. The mean is 1.8, the mean square (81 + 9)/10, the standard deviation √(9 - 1.8²)
// = 2.4.
func TestCountErrorByHand(t *testing.T) {
	rows := make([][]uint32, 10)
	for i := range rows {
		rows[i] = []uint32{3}
	}
	table := codedTable([]datasets.Attribute{{Name: "x", High: 10, Step: 1}}, rows...)
	regions := &algorithms.Regions{Attributes: []int{0}, Low: []uint32{0}, High: []uint32{10},
		TightLow: []uint32{3}, TightHigh: []uint32{4}, Classes: 1,
		Counts: []float64{10}, Assignment: make([]int32, 10)}
	c := Case{Table: table, Train: table.AllRows(), Release: &algorithms.Release{Regions: regions}}
	workload := func(operator Operator, values string, ranges Ranges) func(Params) {
		return func(p Params) {
			p.(*CountErrorParams).WorkloadParams = WorkloadParams{"x", operator, values, ranges}
		}
	}
	for _, test := range []struct {
		name     string
		operator Operator
		values   string
		ranges   Ranges
		want     float64
	}{
		{"count-error", Equal, "all", Box, 1.8},
		{"count-error-std", Equal, "all", Box, 2.4},
		{"count-error", Equal, "all", Tight, 0},
		{"count-error", Equal, "3", Box, 9},
		{"count-error", Equal, "2..4, 9", Box, (1 + 9 + 1 + 1) / 4.},
		// Three cells of ten, 0 in truth; four, 10 in truth.
		{"count-error", AtMost, "2, 3", Box, (3 + 6) / 2.},
		// Seven cells, 10 in truth; six, 0 in truth.
		{"count-error", AtLeast, "3, 4", Box, (3 + 6) / 2.},
	} {
		if got := defined(t, test.name, c,
			workload(test.operator, test.values, test.ranges)); math.Abs(got-test.want) > 1e-12 {
			t.Errorf("%s %s %s over %s: %v, want %v", test.name, test.operator, test.values,
				test.ranges, got, test.want)
		}
	}
}

// TestAggregateErrorByHand: one region of ages 20..29 with the mean 21 and the records 20, 20 and
// 23, men and women.
func TestAggregateErrorByHand(t *testing.T) {
	table := codedTable(patients().Schema().Attributes[:2], []uint32{20, 0}, []uint32{20, 0},
		[]uint32{23, 1})
	regions := &algorithms.Regions{Attributes: []int{0, 1}, Classes: 1, Low: []uint32{20, 0},
		High: []uint32{30, 2}, Counts: []float64{3},
		Means: []float64{21, math.NaN()}, Assignment: []int32{0, 0, 0}}
	c := Case{Table: table, Train: table.AllRows(), Release: &algorithms.Release{Regions: regions}}
	// By sex the release counts 1.5 records of age 21 each.
	for aggregate, want := range map[Aggregate]float64{
		Average: (1 + 2) / 2.,
		Sum:     (math.Abs(31.5-40) + math.Abs(31.5-23)) / 2,
		Min:     (0 + 3) / 2.,
		Max:     (9 + 6) / 2.,
	} {
		got := defined(t, "aggregate-error", c, func(p Params) {
			a := p.(*AggregateErrorParams)
			a.Attribute, a.Of, a.Aggregate = "sex", "age", aggregate
		})
		if math.Abs(got-want) > 1e-12 {
			t.Errorf("%s: %v, want %v", aggregate, got, want)
		}
	}
	// No record is 29 or 40 years old: averages of them are undefined on one side or both.
	if value, ok := measure(t, "aggregate-error", c, func(p Params) {
		a := p.(*AggregateErrorParams)
		a.Attribute, a.Of, a.Values = "age", "age", "29, 40"
	}); ok {
		t.Errorf("averages of nothing are %v off", value)
	}
}

func TestWorkloadRefuses(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "age", High: 10, Step: 1}, {Name: "weight", High: 1 << 20, Step: 1},
		{Name: "flu", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Sensitive},
	}}
	for _, test := range []struct {
		change func(*WorkloadParams)
		want   string
	}{
		{func(p *WorkloadParams) { p.Attribute = "shoe" },
			`attribute: "shoe", must be one of the quasi-identifiers age, weight`},
		{func(p *WorkloadParams) { p.Attribute = "flu" }, `attribute: "flu"`},
		{func(p *WorkloadParams) { p.Attribute = "weight" }, "more than 131072 queries"},
		{func(p *WorkloadParams) { p.Attribute, p.Values = "age", "11" },
			"outside its public bounds"},
	} {
		p := defaultWorkload()
		test.change(&p)
		if _, err := p.predicates(schema); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", p, err, test.want)
		}
	}
	for _, test := range []struct {
		params Params
		want   string
	}{
		{&CountErrorParams{WorkloadParams{Operator: "like", Values: "all", Ranges: Box}},
			`operator: "like", must be one of equal, at-most, at-least`},
		{&CountErrorParams{WorkloadParams{Operator: Equal, Values: "3", Ranges: Box}},
			`values: "3" without an attribute`},
		{&CountErrorParams{WorkloadParams{Operator: Equal, Values: " ", Ranges: Box}},
			`values: " "`},
		{&CountErrorParams{WorkloadParams{Operator: Equal, Values: "all", Ranges: "loose"}},
			`ranges: "loose"`},
		{&AggregateErrorParams{WorkloadParams: defaultWorkload(), Aggregate: "median", Of: "x"},
			`aggregate: "median"`},
		{&AggregateErrorParams{WorkloadParams: defaultWorkload(), Aggregate: Average},
			"of: missing"},
	} {
		err := declared.Check(test.params)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %q", test.params, err, test.want)
		}
	}
}
