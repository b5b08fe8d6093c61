package aim

import (
	"context"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/algorithms/internal/testinput"
	"ppdp/datasets"
	"ppdp/internal/convex"
	"ppdp/internal/must"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// drawRegression draws a regression on 1 to 3 attributes of 1 to 3 values, and a θ for it.
func drawRegression(t *rapid.T) (*regression, []float64) {
	m, classes := rapid.IntRange(1, 3).Draw(t, "m"), rapid.IntRange(2, 4).Draw(t, "classes")
	r := &regression{ctx: context.Background(), attributes: m, classes: classes,
		lead: lead, scores: make([]float64, classes-1)}
	var sizes, offsets []int
	for range m {
		offsets = append(offsets, r.width)
		sizes = append(sizes, rapid.IntRange(1, 3).Draw(t, "size"))
		r.width += sizes[len(sizes)-1]
	}
	for range rapid.IntRange(1, 6).Draw(t, "records") {
		for a, size := range sizes {
			v := rapid.IntRange(0, size-1).Draw(t, "value")
			r.values = append(r.values, int32(offsets[a]+v))
		}
		r.labels = append(r.labels, uint32(rapid.IntRange(0, classes-1).Draw(t, "label")))
	}
	r.probabilities = make([]float64, len(r.labels)*(classes-1))
	loss := rapid.Float64Range(0.001, 5).Draw(t, "loss")
	r.strength = shapeOf(m, r.width, classes, loss).Strength
	theta := make([]float64, (classes-1)*r.width)
	for i := range theta {
		theta[i] = rapid.Float64Range(-4, 4).Draw(t, "theta")
	}
	return r, theta
}

// TestRegressionDerivatives compares with differences of the loss and of the gradient, and the
// minimum with what it must be: a point whose gradient is as short as is asked for.
func TestRegressionDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r, theta := drawRegression(t)
		for from, to := 0, 0; from < r.width; from = to {
			to = rapid.IntRange(from+1, r.width).Draw(t, "end")
			if rapid.Bool().Draw(t, "ordered") {
				r.ordered = append(r.ordered, [2]int{from, to})
			}
		}
		d := len(theta)
		b, gradient := make([]float64, d), make([]float64, d)
		for i := range b {
			b[i] = rapid.Float64Range(-5, 5).Draw(t, "b")
		}
		r.evaluate(theta, b, gradient)
		unit, second := make([]float64, d), make([]float64, d)
		const h = 1e-4
		for i := range theta {
			r.evaluate(theta, b, make([]float64, d))
			unit[i] = 1
			r.curve(unit, second)
			unit[i] = 0
			at := func(x float64) (float64, []float64) {
				moved, g := slices.Clone(theta), make([]float64, d)
				moved[i] += x
				return r.evaluate(moved, b, g), g
			}
			above, g := at(h)
			below, f := at(-h)
			if math.Abs((above-below)/(2*h)-gradient[i]) > 1e-5 {
				t.Fatalf("gradient %v, differences say %v", gradient[i], (above-below)/(2*h))
			}
			for j := range theta {
				if math.Abs((g[j]-f[j])/(2*h)-second[j]) > 1e-5 {
					t.Fatalf("second derivative %v, differences say %v", second[j],
						(g[j]-f[j])/(2*h))
				}
			}
		}
		theta = must.Get(r.Minimise(b, 1e-6))
		if r.evaluate(theta, b, gradient); math.Sqrt(convex.Dot(gradient, gradient)) > 1e-6 {
			t.Fatalf("gradient %v at the minimum", gradient)
		}
	})
}

// TestRegressionShape: one record less moves the gradient by no more than its sensitivity in L1,
// and the logarithm of the second derivatives' determinant by no more than what is declared.
func TestRegressionShape(t *testing.T) {
	most := 0.0
	rapid.Check(t, func(t *rapid.T) {
		r, theta := drawRegression(t)
		less := *r
		less.labels, less.values = r.labels[1:], r.values[r.attributes:]
		distance := 0.0
		with, without := r.Gradient(theta), less.Gradient(theta)
		for i := range with {
			distance += math.Abs(with[i] - without[i])
		}
		if distance > gradientSensitivity(r.classes)*(1+1e-12) {
			t.Fatalf("the gradient moves by %v", distance)
		}
		rank, trace := float64(r.classes-1), curvature(r.classes)/float64(r.attributes)
		jacobian := rank * math.Log1p(trace/(rank*r.strength))
		change := r.LogDet(theta) - less.LogDet(theta)
		if change < -1e-12 || change > jacobian*(1+1e-9) {
			t.Fatalf("the determinant moves by %v of %v", change, jacobian)
		}
		most = max(most, distance/gradientSensitivity(r.classes))
	})
	if most < 0.9 {
		t.Errorf("no gradient moved by more than %v of its sensitivity", most)
	}
	// one record of two classes, at even odds with the lead counted, moves the determinant by just
	// what is declared
	for _, m := range []int{1, 5} {
		shape := shapeOf(m, m, 2, 0.1)
		r := &regression{ctx: t.Context(), attributes: m, classes: 2, width: m, labels: []uint32{1},
			values: make([]int32, m), scores: []float64{0}, probabilities: []float64{0},
			lead: lead, strength: shape.Strength}
		for i := range r.values {
			r.values[i] = int32(i)
		}
		none := float64(m) * math.Log(shape.Strength)
		got := r.LogDet(slices.Repeat([]float64{lead}, m)) - none
		if math.Abs(got/shape.Jacobian-1) > 1e-9 || math.Abs(shape.Jacobian-0.1) > 1e-12 {
			t.Errorf("%d attributes: the determinant moves by %v, declared %v", m, got,
				shape.Jacobian)
		}
	}
	if huge := shapeOf(4, 9, 3, 1e3); huge.Strength != 1./16 || !(huge.Jacobian < 1e3) {
		t.Errorf("shape %+v at a huge epsilon", huge)
	}
}

// learnable is a table in which the class is the parity of attributes 1 and 3, but for one record
// in ten; the others say nothing.
func learnable(rows int) *datasets.Table {
	stream := random.NewKey(1).Stream()
	var records [][]uint32
	for range rows {
		r := make([]uint32, 7)
		for a := range 6 {
			r[a] = stream.Uint32N(4)
		}
		if r[6] = (r[1] + r[3]) % 2; stream.Uint32N(10) == 0 {
			r[6] = 1 - r[6]
		}
		records = append(records, r)
	}
	return testinput.Numbers(2, []int{4, 4, 4, 4, 4, 4}, records...)
}

// TestFirstSet: the scores are those of a count by hand, and the pair that predicts is chosen.
func TestFirstSet(t *testing.T) {
	table := learnable(3000)
	l := labellerOf(t, table, Labelled{}.Params().(*LabelParams), 5)
	s := &firstSets{labeller: l, size: 3}
	for depth := range s.keys {
		s.keys[depth] = make([]int32, table.Len())
	}
	must.Do(t, s.extend(0, 2, 0))
	if len(s.sets) != 6+15+20 {
		t.Fatalf("%d sets", len(s.sets))
	}
	for i, set := range s.sets {
		cells := make(map[[3]uint32]*[2]float64)
		for row := range int32(table.Len()) {
			key := [3]uint32{}
			for j, a := range set {
				key[j] = table.Column(a).At(row)
			}
			if cells[key] == nil {
				cells[key] = new([2]float64)
			}
			cells[key][table.Column(6).At(row)]++
		}
		want := -float64(table.Len()) / 2
		for _, n := range cells { // order-free: whole and half numbers
			want += max(n[l.frequent], n[1-l.frequent]-margin)
		}
		if s.scores[i] != want {
			t.Errorf("%v: score %v, want %v", set, s.scores[i], want)
		}
	}
	if err := l.chooseFirst(1); err != nil || !slices.Equal(l.chosen, []int{1, 3}) &&
		!(len(l.chosen) == 3 && slices.Contains(l.chosen, 1) && slices.Contains(l.chosen, 3)) {
		t.Errorf("chose %v, %v", l.chosen, err)
	}
}

func labellerOf(t *testing.T, table *datasets.Table, p *LabelParams, epsilon float64) *labeller {
	t.Helper()
	in := testinput.Input(table, p, algorithms.Strict, epsilon, 3)
	l, err := newLabeller(t.Context(), &in, p)
	if err == nil {
		err = l.count()
	}
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// TestReplayOfFurtherChoices: with enough records for a second choice, which the audits' inputs do
// not have, every call keeps to its sensitivity and the whole loss to epsilon, whichever
// record is left out.
func TestReplayOfFurtherChoices(t *testing.T) {
	table := learnable(1500)
	params := Labelled{}.Params().(*LabelParams)
	params.Copies, params.Iterations = 1, 20
	const epsilon = 6
	recorded := testinput.Input(table, params, algorithms.Strict, epsilon, 4)
	transcript := recorded.Budget.Record()
	want := testinput.LazyRelease(t, Labelled{}, recorded)
	for out := range 20 {
		in := testinput.Input(table, params, algorithms.Strict, epsilon, 4)
		in.Rows = slices.Delete(in.Rows, 70*out, 70*out+1)
		replay := in.Budget.Replay(transcript)
		got := testinput.LazyRelease(t, Labelled{}, in)
		must.Do(t, replay.Complete(transcript))
		if math.Abs(replay.Loss) > epsilon || replay.Loss == 0 {
			t.Errorf("row %d: loss %v", 70*out, replay.Loss)
		}
		seen := make(map[string]bool)
		for _, d := range replay.Distances {
			seen[d.Purpose] = true
			if d.Ratio() > 1+1e-9 {
				t.Errorf("row %d: %s moved by %v of %v", 70*out, d.Purpose, d.Distance, d.Proven)
			}
		}
		for _, purpose := range []string{"one-way marginals", "choice of a first set",
			"choice of further attributes", "regressions", "choice of marginals",
			"chosen marginals"} {
			if !seen[purpose] && purpose != "chosen marginals" {
				t.Errorf("row %d: %s is not compared", 70*out, purpose)
			}
		}
		for row := range int32(want.Table.Len()) {
			if got.Table.Column(6).At(row) != want.Table.Column(6).At(row) {
				t.Fatalf("row %d: record %d has another label", 70*out, row)
			}
		}
	}
}

// TestLabels: at a huge epsilon an additive rule is learnt without an error.
func TestLabels(t *testing.T) {
	var records [][]uint32
	for i := range 900 {
		a, b := uint32(i%3), uint32(i/3%3)
		records = append(records, []uint32{a, b, min(1, (a+b)/3)})
	}
	table := testinput.Numbers(2, []int{3, 3}, records...)
	p := Labelled{}.Params().(*LabelParams)
	p.Copies = 2
	release := testinput.LazyRelease(t, Labelled{},
		testinput.Input(table, p, algorithms.Strict, 1e4, 1))
	if n := release.Table.Len(); n != 1800 {
		t.Errorf("%d records", n)
	}
	for row := range int32(release.Table.Len()) {
		c := func(a int) uint32 { return release.Table.Column(a).At(row) }
		if c(2) != min(1, (c(0)+c(1))/3) {
			t.Errorf("%d, %d: label %d", c(0), c(1), c(2))
		}
	}
}

// TestLoss compares the loss with its formula by hand.
func TestLoss(t *testing.T) {
	r := &regression{ctx: t.Context(), attributes: 2, classes: 3, width: 3, labels: []uint32{2, 0},
		values: []int32{0, 1, 0, 2}, scores: make([]float64, 2), probabilities: make([]float64, 4),
		lead: 2, strength: 0.5}
	theta, b := []float64{1, 2, 4, 0, 3, -1}, make([]float64, 6)
	// scores of classes 1 and 2: (1.5, 1.5) of the first record, (2.5, -0.5) of the second
	want := math.Log(1+math.Exp(2-1.5)+math.Exp(2)) + // of class 2
		math.Log(1+math.Exp(2+2.5)+math.Exp(2-0.5)) + // of class 0
		0.25*(1+4+16+0+9+1)
	if got := r.evaluate(theta, b, make([]float64, 6)); math.Abs(got-want) > 1e-12 {
		t.Errorf("loss %v, want %v", got, want)
	}
}

// TestLabelsSpendEverything: whatever is chosen, the charges add up to the budget and no more.
func TestLabelsSpendEverything(t *testing.T) {
	table := learnable(2000)
	for _, epsilon := range []float64{0.01, 1, 20} {
		p := Labelled{}.Params().(*LabelParams)
		p.Iterations, p.Copies = 5, 1
		in := testinput.Input(table, p, algorithms.Strict, epsilon, 8)
		testinput.LazyRelease(t, Labelled{}, in)
		if spent, loss := in.Budget.Spent(); math.Abs(spent/epsilon-1) > 1e-9 ||
			math.Abs(loss/epsilon-1) > 1e-9 {
			t.Errorf("epsilon %v: spent %v, loss %v", epsilon, spent, loss)
		}
	}
}

var _ privacy.Convex = (*regression)(nil)
