package c45

import (
	"context"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"
	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/testtable"
	"ppdp/datasets"
	"ppdp/internal/must"
)

func all(table *datasets.Table) classifiers.Data {
	return classifiers.Data{Table: table, Rows: table.AllRows()}
}

// leaves is the number of a tree's leaves, branches without training cases included.
func leaves(t *Tree) int { return len(t.Next) - len(t.Steps) + 1 }

// TestWeatherTree checks the tree every textbook prints, which C4.5 and J48 also leave after
// pruning: 5 leaves, 8 nodes, no error on the 14 days.
func TestWeatherTree(t *testing.T) {
	for _, numeric := range []bool{false, true} {
		table := testtable.Weather(numeric)
		tree := testtable.Fit(t, Classifier, all(table)).(*Tree)
		if leaves(tree) != 5 || leaves(tree)+len(tree.Steps) != 8 {
			t.Errorf("numeric %v: %d leaves, %d nodes, the tree has 5 and 8",
				numeric, leaves(tree), leaves(tree)+len(tree.Steps))
		}
		must.Be(t, testtable.Accuracy(tree, table, table.AllRows()), 1, "numeric", numeric)
	}
	// J48 prints "humidity <= 75": the greatest reading below the middle of 70 and 85.
	table := testtable.Weather(true)
	tree := testtable.Fit(t, Classifier, all(table)).(*Tree)
	found := false
	for _, s := range tree.Steps {
		if s.Numeric {
			found = true
			if at := tree.Columns[s.Column].Attribute; at != 2 || s.Cut != 75 {
				t.Errorf("threshold %d on attribute %d, must be humidity <= 75", s.Cut, at)
			}
		}
	}
	if !found {
		t.Error("no numeric test in the tree")
	}
}

// TestPessimism has the limits that Quinlan 1993, section 4.2, works his pruning example with,
// U25%(errors, cases).
func TestPessimism(t *testing.T) {
	p := newPessimism(0.25)
	for _, limit := range []struct{ wrong, cases, want float64 }{
		{0, 6, 0.206}, {0, 9, 0.143}, {0, 1, 0.750}, {1, 16, 0.157},
	} {
		must.Near(t, p.errors(limit.cases, limit.wrong)/limit.cases, limit.want, 0.0025, "limit")
	}
}

// TestPessimismAgainstBinomial holds the approximation against the exact limit, the error rate at
// which so few errors have probability CF: a quantile of Beta(e+1, N-e). It is exact for no
// errors. Elsewhere a corrected normal approximation is off by terms of order 1/N, largest where
// a quarter of a case matters: 0.2 cases bounds them with room to spare.
func TestPessimismAgainstBinomial(t *testing.T) {
	for _, confidence := range []float64{0.1, 0.25, 0.5} {
		p := newPessimism(confidence)
		for _, cases := range []float64{4, 10, 30, 100, 1000} {
			for wrong := 0.0; wrong <= cases/2; wrong += math.Max(1, math.Floor(cases/20)) {
				exact := cases * mathext.InvRegIncBeta(wrong+1, cases-wrong, 1-confidence)
				tolerance := 0.2
				if wrong == 0 {
					tolerance = 1e-9 * cases
				}
				must.Near(t, p.errors(cases, wrong), exact, tolerance, "errors")
			}
		}
	}
}

func TestPessimismIsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := newPessimism(rapid.SampledFrom([]float64{0.05, 0.25, 0.5}).Draw(t, "confidence"))
		cases := rapid.Float64Range(0.01, 200).Draw(t, "cases")
		wrong := rapid.Float64Range(0, 0.95).Draw(t, "rate") * cases
		errors := p.errors(cases, wrong)
		if errors < wrong-1e-9 || errors > cases+1e-9 {
			t.Fatalf("%v errors expected of %v in %v cases", errors, wrong, cases)
		}
		if more := p.errors(cases, wrong+0.01*cases); more < errors-1e-9 {
			t.Fatalf("%v errors in %v cases expect %v, fewer than %v", wrong, cases, more, errors)
		}
	})
	must.Be(t, newPessimism(0.25).errors(0, 0), 0, "errors of a leaf without cases")
}

// plainTest is a test's figures worked out from scratch, row by row, from the definitions in
// probabilities.
type plainTest struct {
	valid       bool
	gain, ratio float64
	left        []int32 // rows on the left of the best threshold
}

func plainEntropy(weights []float64) (entropy, total float64) {
	for _, w := range weights {
		total += w
	}
	for _, w := range weights {
		if w > 0 {
			entropy -= w / total * math.Log2(w/total)
		}
	}
	return entropy, total
}

// plainSplit returns gain, split information and branch weights of a division of the cases.
func plainSplit(branches [][]int32, labels []uint32, weights []float64,
	classes int) (gain, split float64, sizes []float64) {
	whole := make([]float64, classes)
	after := 0.0
	for _, branch := range branches {
		part := make([]float64, classes)
		for _, i := range branch {
			part[labels[i]] += weights[i]
			whole[labels[i]] += weights[i]
		}
		entropy, size := plainEntropy(part)
		after += entropy * size
		sizes = append(sizes, size)
	}
	before, total := plainEntropy(whole)
	split, _ = plainEntropy(sizes)
	return before - after/total, split, sizes
}

func plainThreshold(values []float64, labels []uint32, weights []float64, classes int) plainTest {
	total := 0.0
	for _, w := range weights {
		total += w
	}
	least := max(2, min(25, 0.1*total/float64(classes)))
	best := plainTest{gain: -1}
	bestSplit := 0.0
	distinct := slices.Clone(values)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	tried := 0
	for _, limit := range distinct {
		branches := make([][]int32, 2)
		for i, value := range values {
			side := 0
			if value > limit {
				side = 1
			}
			branches[side] = append(branches[side], int32(i))
		}
		gain, split, sizes := plainSplit(branches, labels, weights, classes)
		if min(sizes[0], sizes[1]) < least {
			continue
		}
		tried++
		if gain > best.gain+1.5e-6 {
			best.gain, bestSplit, best.left = gain, split, branches[0]
		}
	}
	if tried == 0 {
		return plainTest{}
	}
	best.gain -= math.Log2(float64(tried)) / total
	if best.gain <= 1e-6 {
		return plainTest{}
	}
	best.valid, best.ratio = true, best.gain/bestSplit
	return best
}

// plainChoice is the greatest ratio among the tests of at least average gain. clear is false where
// rounding may decide.
func plainChoice(g *grower, tests []plainTest) (chosen int, clear bool) {
	many := func(f *feature) bool { return !f.numeric && float64(f.arity) >= 0.3*g.total*g.unit }
	everyMany := true
	for i := range g.features {
		everyMany = everyMany && many(&g.features[i])
	}
	var gains []float64
	sum := 0.0
	for i, test := range tests {
		if test.valid && (everyMany || !many(&g.features[i])) {
			gains = append(gains, test.gain)
			sum += test.gain
		}
	}
	average := 0.0
	if len(gains) > 0 {
		average = sum / float64(len(gains))
	}
	chosen, clear = -1, true
	best := 0.0
	for i, test := range tests {
		if !test.valid {
			continue
		}
		if math.Abs(test.gain-(average-1e-3)) < 1e-6 || math.Abs(test.ratio-best) < 1e-5 {
			clear = false
		}
		if test.gain >= average-1e-3 && test.ratio > best {
			chosen, best = i, test.ratio
		}
	}
	return chosen, clear
}

// look makes the tally of all cases the one that tests are chosen from.
func (g *grower) look() {
	if g.exactSums {
		g.nodeTally = g.tallyRoot()
		g.dropConstant(g.nodeTally, len(g.order))
	}
}

// takenBy is the branch that each case takes.
func (g *grower) takenBy(f *feature, cut uint32, cases []int32) (taken []uint32) {
	for _, i := range cases {
		branch := g.code(f.column, i)
		if f.bundle != nil {
			branch = uint32(f.value[branch])
		} else if f.numeric {
			branch = min(1, max(branch, cut)-cut)
		}
		taken = append(taken, branch)
	}
	return taken
}

// branches is the branch of every row, given a grower that has not merged any.
func (g *grower) branches(f *feature, cut uint32, rows *grower) (all []uint32) {
	taken := g.takenBy(f, cut, g.order)
	for i := range rows.order {
		equal := i > 0 && len(g.order) < len(rows.order) &&
			slices.Equal(rows.row(int32(i))[:rows.label+1], rows.row(int32(i - 1))[:rows.label+1])
		if i > 0 && !equal {
			taken = taken[1:]
		}
		all = append(all, taken[0])
	}
	return all
}

func TestTestsAgainstBruteForce(t *testing.T) {
	numericTests, choices := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 60, true)
		data := all(table)
		weights := make([]float64, table.Len())
		for i := range weights {
			weights[i] = 1
		}
		if rapid.Bool().Draw(t, "weighted") {
			for i := range weights {
				weights[i] = float64(rapid.IntRange(1, 8).Draw(t, "quarters")) / 4
			}
			data.Weights = weights
		}
		labels := make([]uint32, table.Len())
		table.Column(table.Schema().Class()).Gather(data.Rows, labels)
		g := newGrower(context.Background(), defaults, data, drawTuning(t, 60))
		rows := newGrower(context.Background(), defaults, data, tuning{})
		at := g.leaf(0, len(g.order))
		distribution := g.distribution(at)
		cases := g.total
		entropy := g.log2(cases)
		for _, w := range distribution {
			entropy -= g.log2(w)
		}
		if cases < 4 {
			return
		}
		g.look()
		plains := make([]plainTest, len(g.features))
		for i := range g.features {
			f := &g.features[i]
			if f.numeric {
				values := make([]float64, table.Len())
				for i := range values {
					values[i] = table.Number(int32(i), f.attribute)
				}
				want := plainThreshold(values, labels, weights, g.classes)
				plains[i] = want
				got := g.threshold(f, 0, len(g.order), distribution, cases, g.least(cases), entropy)
				if got.valid != want.valid {
					t.Fatalf("threshold found: %v, brute force: %v", got, want)
				}
				if !got.valid {
					continue
				}
				numericTests++
				if math.Abs(got.gain-want.gain) > 1e-9 || math.Abs(got.ratio-want.ratio) > 1e-9 {
					t.Fatalf("threshold %+v, brute force %+v", got, want)
				}
				var left []int32
				for i, branch := range g.branches(f, got.cut, rows) {
					if branch == 0 {
						left = append(left, int32(i))
					}
				}
				if !slices.Equal(left, want.left) {
					t.Fatalf("rows %v on the left of the threshold, brute force %v",
						left, want.left)
				}
				continue
			}
			branches := make([][]int32, f.arity)
			for i, branch := range g.branches(f, 0, rows) {
				branches[branch] = append(branches[branch], int32(i))
			}
			gain, split, sizes := plainSplit(branches, labels, weights, g.classes)
			filled := 0
			for _, size := range sizes {
				if size >= defaults.minCases {
					filled++
				}
			}
			plains[i] = plainTest{valid: filled >= 2, gain: gain}
			if gain > 2e-6 {
				plains[i].ratio = gain / split
			}
			got := g.multiway(f, 0, len(g.order), distribution, cases, entropy)
			if got.valid != (filled >= 2) {
				t.Fatalf("test valid: %v with branches %v", got.valid, sizes)
			}
			if got.valid && gain > 2e-6 &&
				(math.Abs(got.gain-gain) > 1e-9 || math.Abs(got.ratio-gain/split) > 1e-9) {
				t.Fatalf("test %+v, brute force gain %v, ratio %v", got, gain, gain/split)
			}
		}
		// Where no test can save errors, nothing is chosen: it would be pruned.
		if want, clear := plainChoice(g, plains); clear && g.worthTesting(at) {
			choices++
			if got, _ := g.choose(at); got != want {
				t.Fatalf("attribute %d chosen, brute force %d of %+v", got, want, plains)
			}
		}
	})
	if numericTests == 0 || choices == 0 {
		t.Errorf("%d numeric tests, %d clear choices in the random tables", numericTests, choices)
	}
}

// TestScansAgree holds the ways of walking a numeric attribute against each other: counting codes,
// sorting cases and, where there are two classes, pairs of codes that occur and of sorted cases.
func TestScansAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 60, true)
		g := newGrower(context.Background(), defaults, all(table), tuned)
		g.look()
		at := g.leaf(0, len(g.order))
		for i := range g.features {
			f := &g.features[i]
			if !f.numeric {
				continue
			}
			start := scan{g: g, distribution: g.distribution(at), cases: g.total, least: 1,
				best: -1, after: math.Inf(1)}
			counted, others := start, []scan{start, start, start}
			clear(g.left)
			counted.counted(g.count(f, 0, len(g.order), nil))
			clear(g.left)
			g.sort(f.column, 0, len(g.order))
			others[0].sorted()
			if g.paired(g.total) {
				others[1].pairs(g.markedSteps(f))
				others[2].pairs(g.sortedSteps(g.keys))
			} else {
				others = others[:1]
			}
			for _, other := range others {
				if counted.best != other.best || counted.next != other.next ||
					counted.tried != other.tried || counted.after != other.after {
					t.Fatalf("counting found %+v, another way %+v", counted, other)
				}
			}
		}
	})
}

// TestContinuousThresholds checks that a cut on a continuous attribute compares exact values, not
// cells.
func TestContinuousThresholds(t *testing.T) {
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "x", Low: 0, High: 10, Step: 10, Continuous: true}, // one cell
		testtable.Class("low", "high"),
	}}
	b := datasets.NewBuilder(schema, 20)
	for i := range 20 {
		row := b.AddRow()
		must.Do(t, b.SetNumber(row, 0, float64(i)/2))
		if i >= 7 {
			b.Set(row, 1, 1)
		}
	}
	table := b.Table()
	tree := testtable.Fit(t, Classifier, all(table)).(*Tree)
	if leaves(tree) != 2 || testtable.Accuracy(tree, table, table.AllRows()) != 1 {
		t.Errorf("%d leaves, accuracy %v; one cut separates the classes",
			leaves(tree), testtable.Accuracy(tree, table, table.AllRows()))
	}
}

// TestSmallestBranch: a numeric test needs a tenth of the cases per class on either side, at
// least 2 and never more than 25. The classes differ only in the rows on the right.
func TestSmallestBranch(t *testing.T) {
	attributes := []datasets.Attribute{{Name: "x", High: 2, Step: 1}, testtable.Class("a", "b")}
	for _, node := range []struct {
		rows, right int
		splits      bool
	}{
		{10, 1, false}, {10, 2, true}, // two classes: a tenth of 10 is half a case each, so 2
		{100, 4, false}, {100, 5, true}, // 5 each
		{2000, 24, false}, {2000, 25, true}, // 100 each, capped at 25
	} {
		rows := append(slices.Repeat([][]uint32{{1, 1}}, node.right),
			slices.Repeat([][]uint32{{0, 0}}, node.rows-node.right)...)
		table := testtable.Table(attributes, rows...)
		tree := testtable.Fit(t, Classifier, all(table)).(*Tree)
		must.Be(t, leaves(tree) == 2, node.splits, node.right, node.rows)
	}
}

// TestUnseenBranch: the value blue never occurs in training, so it gets the majority of the node
// that tests the colour.
func TestUnseenBranch(t *testing.T) {
	for _, reds := range []int{10, 30} {
		rows := append(slices.Repeat([][]uint32{{0, 0}}, reds),
			slices.Repeat([][]uint32{{2, 1}}, 20)...) // green, of class b
		table := testtable.Table([]datasets.Attribute{testtable.Categorical("colour",
			"red", "blue", "green"), testtable.Class("a", "b")}, append(rows, []uint32{1, 0})...)
		tree := testtable.Fit(t, Classifier,
			classifiers.Data{Table: table, Rows: table.AllRows()[:reds+20]}).(*Tree)
		want := uint32(0)
		if reds < 20 {
			want = 1
		}
		if got := testtable.Predict(tree, table)[reds+20]; got != want || leaves(tree) != 3 {
			t.Errorf("%d red rows, 20 green: blue predicted as %d, the majority is %d; %d leaves, "+
				"colour has 3 values", reds, got, want, leaves(tree))
		}
	}
}
