package algorithms_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// contractSchema is numeric, categorical and continuous.
func contractSchema() *datasets.Schema {
	return &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: 300, Step: 1},
		{Name: "w", Kind: datasets.Categorical, Values: []string{"a", "b", "c"}},
		{Name: "x", Kind: datasets.Numeric, Low: 0, High: 1, Step: 0.1, Continuous: true},
		{Name: "class", Kind: datasets.Categorical, Values: []string{"no", "yes"},
			Role: datasets.Class},
	}}
}

func contractTable(schema *datasets.Schema) *datasets.Table {
	b := datasets.NewBuilder(schema, 9)
	for row := range 9 {
		b.AddRow()
		for i := range schema.Attributes {
			b.Set(row, i, uint32(row%schema.Attributes[i].Cells()))
		}
	}
	return b.Table()
}

// made is what the cases of TestCheckRelease spoil.
type made = algorithms.Release

// TestCheckRelease: a release that breaks the contract in one place is refused, whichever it is.
func TestCheckRelease(t *testing.T) {
	schema := contractSchema()
	in := algorithms.Input{Table: contractTable(schema), Rows: []int32{0, 1, 2}}
	in.Graph = &datasets.Graph{Offsets: []int64{0, 0, 0}}
	all := []algorithms.Product{algorithms.RecordsProduct, algorithms.RegionsProduct,
		algorithms.MembershipProduct, algorithms.DegreesProduct}
	info := &algorithms.Info{Name: "fake", Produces: all}
	release := func() *algorithms.Release {
		return &algorithms.Release{
			Table: contractTable(schema), Weights: slices.Repeat([]float64{1}, 9),
			Degrees: []int32{0, 1},
			Regions: &algorithms.Regions{
				Attributes: []int{0, 1}, Classes: 2,
				Low: []uint32{0, 0, 5, 0, 9, 0}, High: []uint32{5, 3, 9, 3, 300, 3},
				Counts: make([]float64, 6),
				Tree: []algorithms.Cut{{Dim: 0, At: 5, Left: ^0, Right: 1},
					{Dim: 0, At: 9, Left: ^1, Right: ^2}},
				Assignment: []int32{0, -1, 2}, Suppressed: []int32{1},
			},
		}
	}
	if err := algorithms.CheckRelease(info, in, release()); err != nil {
		t.Fatalf("a good release: %v", err)
	}
	renamed, wider, reordered := contractSchema(), contractSchema(), contractSchema()
	renamed.Attributes[0].Name = "other"
	wider.Attributes[1].Values = append(wider.Attributes[1].Values, "d")
	slices.Reverse(reordered.Attributes)
	for name, c := range map[string]struct {
		spoil func(r *made)
		says  string
	}{
		"no records":  {func(r *made) { r.Table = nil }, "product records"},
		"no degrees":  {func(r *made) { r.Degrees = nil }, "product degrees"},
		"no regions":  {func(r *made) { r.Regions = nil }, "product regions"},
		"renamed":     {func(r *made) { r.Table = contractTable(renamed) }, "schema"},
		"wider":       {func(r *made) { r.Table = contractTable(wider) }, "schema"},
		"reordered":   {func(r *made) { r.Table = contractTable(reordered) }, "schema"},
		"wide code":   {func(r *made) { r.Table.Column(0).U16[7] = 300 }, "300 of 300"},
		"narrow code": {func(r *made) { r.Table.Column(1).U8[8] = 3 }, "code 3 of 3"},
		"class":       {func(r *made) { r.Table.Column(3).U8[0] = 2 }, "class: row 0 has code 2"},
		"exact": {func(r *made) { r.Table.Column(2).Exact[4] = 0.75 },
			"x: row 4 has 0.75 in cell 4"},
		"exact NaN":  {func(r *made) { r.Table.Column(2).Exact[4] = math.NaN() }, "NaN in cell 4"},
		"exact high": {func(r *made) { r.Table.Column(2).Exact[8] = 1 }, "has 1 in"},
		"weights":    {func(r *made) { r.Weights = r.Weights[1:] }, "8 weights for 9"},
		"NaN weight": {func(r *made) { r.Weights[3] = math.NaN() }, "weight 3 is NaN"},
		"degrees":    {func(r *made) { r.Degrees = []int32{1} }, "1 degrees for 2"},
		"descending": {func(r *made) { slices.Reverse(r.Degrees) }, "ascend"},
		"negative":   {func(r *made) { r.Degrees[0] = -1 }, "the first is -1"},
		"dimension":  {func(r *made) { r.Regions.Attributes[0] = 4 }, "4 of 4"},
		"empty box":  {func(r *made) { r.Regions.High[2] = 5 }, "[5, 5)"},
		"long box":   {func(r *made) { r.Regions.High[4] = 301 }, "[9, 301)"},
		"count":      {func(r *made) { r.Regions.Counts[5] = -1 }, "region 2: count 1 is -1"},
		"side": {func(r *made) { r.Regions.Sides = []uint32{0, 1, 2, 3, 6, 5} },
			"region 2 has side 6 of 6"},
		"sides":       {func(r *made) { r.Regions.Sides = make([]uint32, 5) }, "5 shared sides"},
		"short":       {func(r *made) { r.Regions.Low = r.Regions.Low[1:] }, "ends"},
		"cycle":       {func(r *made) { r.Regions.Tree[1].Right = 1 }, "not a tree"},
		"to the root": {func(r *made) { r.Regions.Tree[1].Right = 0 }, "not a tree"},
		"no region":   {func(r *made) { r.Regions.Tree[1].Right = ^3 }, "not a tree"},
		"cut":         {func(r *made) { r.Regions.Tree[1].Dim = 2 }, "not a tree"},
		"assigned":    {func(r *made) { r.Regions.Assignment[2] = 3 }, "region 3 of 3"},
		"too few":     {func(r *made) { r.Regions.Assignment = []int32{0} }, "1 of 3"},
		"suppressed":  {func(r *made) { r.Regions.Suppressed[0] = 3 }, "position 3"},
	} {
		r := release()
		c.spoil(r)
		err := algorithms.CheckRelease(info, in, r)
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.says)
		}
	}
}

// TestSharedSides: regions that share sides are those that do not, to the last bit of what a
// release says of itself.
func TestSharedSides(t *testing.T) {
	schema := contractSchema()
	axis := schema.Attributes[1].Axis()
	own := &algorithms.Regions{Attributes: []int{0, 1}, Classes: 2, Counts: make([]float64, 4),
		Low: []uint32{0, 0, 5, 0}, High: []uint32{5, 3, 300, 3}, Nodes: []int32{-1, 0, -1, 0},
		Axes: []*datasets.Axis{nil, axis}}
	shared := *own
	shared.Low, shared.High, shared.Nodes = []uint32{5, 0, 0}, []uint32{300, 3, 5},
		[]int32{-1, 0, -1}
	shared.Sides = []uint32{2, 1, 0, 1}
	var prints [2]string
	for i, q := range []*algorithms.Regions{own, &shared} {
		low, high := q.Box(1)
		if err := q.Validate(schema, 0); err != nil || q.Len() != 2 ||
			!slices.Equal(low, []uint32{5, 0}) || !slices.Equal(high, []uint32{300, 3}) ||
			!q.Contains(1, []uint32{5, 2}) || q.Contains(0, []uint32{5, 2}) {
			t.Errorf("%d regions, the second from %v to %v: %v", q.Len(), low, high, err)
		}
		prints[i] = must.Get((&algorithms.Release{Regions: q}).Fingerprint(context.Background()))
	}
	if prints[0] != prints[1] {
		t.Errorf("fingerprints %v", prints)
	}
	shared.Sides[3] = 0
	print, err := (&algorithms.Release{Regions: &shared}).Fingerprint(context.Background())
	if err != nil || print == prints[0] {
		t.Errorf("another side, the same fingerprint: %v", err)
	}
}

// TestCheckReleaseSamples: of many regions CheckRelease checks some, Validate all.
func TestCheckReleaseSamples(t *testing.T) {
	const n = 3 * 1024
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: n, Step: 1}}}
	in := algorithms.Input{Table: datasets.NewBuilder(schema, 0).Table()}
	info := &algorithms.Info{Produces: []algorithms.Product{algorithms.RegionsProduct}}
	r := &algorithms.Release{Regions: &algorithms.Regions{Attributes: []int{0}, Classes: 1,
		Counts: make([]float64, n)}}
	for i := range uint32(n) {
		r.Regions.Low, r.Regions.High = append(r.Regions.Low, i), append(r.Regions.High, i+1)
	}
	seen := 0
	for i := range n {
		r.Regions.High[i] = n + 1
		if r.Regions.Validate(schema, 0) == nil {
			t.Fatalf("region %d outside the domain", i)
		}
		if i < 30 && algorithms.CheckRelease(info, in, r) != nil {
			seen++
		}
		r.Regions.High[i] = uint32(i + 1)
	}
	if seen != 10 {
		t.Errorf("%d of 30 bad regions are seen, want each third one", seen)
	}
}

// TestCheckReleaseLazy: records that are drawn late are checked then.
func TestCheckReleaseLazy(t *testing.T) {
	schema := contractSchema()
	in := algorithms.Input{Table: contractTable(schema)}
	info := &algorithms.Info{Produces: []algorithms.Product{algorithms.RecordsProduct}}
	drawn := contractTable(schema)
	drawn.Column(1).U8[8] = 3
	r := &algorithms.Release{Lazy: &algorithms.LazyRecords{Rows: 9, Weight: 1,
		Draw: func(context.Context) (*datasets.Table, error) { return drawn, nil }}}
	must.Do(t, algorithms.CheckRelease(info, in, r))
	if _, _, err := r.Records(t.Context()); err == nil ||
		!strings.Contains(err.Error(), "w: row 8 has code 3 of 3") {
		t.Errorf("got %v", err)
	}
}
