package metrics

import (
	"math"
	"slices"
	"testing"

	"ppdp/algorithms"
	_ "ppdp/algorithms/all"
	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/internal/must"
	"ppdp/numeric/elementary"
	"ppdp/numeric/random"
	"ppdp/privacy"
)

// TestAttacksConform runs the suite over attacks at other than the default settings.
func TestAttacksConform(t *testing.T) {
	for name, settings := range map[string][]Params{ // order-free: independent subtests
		"unique-matches": {
			&MatchesParams{Of: HeldOut, End: Low},
			&MatchesParams{Of: Difference, End: High}},
		"closest-record": {&ClosestRecordParams{End: High}},
		"membership": {
			&MembershipParams{Score: DistanceScore, Of: AttackTPR,
				FPR: 0.1, End: High},
			&MembershipParams{Score: ClassifierScore, Of: AttackTPR,
				FPR: 1, End: Low},
			&MembershipParams{Score: DensityScore, Of: AttackTPR,
				FPR: 0, End: High}},
		"attribute-inference": {
			&AttributeInferenceParams{Attribute: "y", Of: Members,
				End: Low}},
	} {
		m := must.Get(Lookup(name))
		t.Run(name, func(t *testing.T) { conform(t, m, settings...) })
	}
}

// standIn is all columns of Adult's stand-in, and its rows in an order drawn at random.
func standIn(t *testing.T, seed uint64) (*datasets.Table, []int32) {
	t.Helper()
	set := must.Get(adult.StandIn.Load(t.Context(),
		datasets.Request{Params: &adult.Params{Select: "diffmulti"}}))
	rows := set.Table.AllRows()
	random.NewKey(seed).Stream().Permute(rows)
	return set.Table, rows
}

// attackCase is a release of a table with memos.
func attackCase(table *datasets.Table, train, test []int32, release *algorithms.Release,
) Case {
	return Case{Table: table, Train: train, Test: test, Release: release,
		Truth: new(Memo), Published: new(Memo)}
}

func valueOf(t *testing.T, name string, c Case, params Params) float64 {
	t.Helper()
	c.Params = params
	return defined(t, name, c, nil)
}

func auc(score Score, end End) Params {
	return &MembershipParams{Score: score, Of: AttackAUC, End: end}
}

// TestCopyIsSeen: a copy of the members is told from others nearly always; the stand-in has a
// column of 28,523 values, so that records seldom have an equal.
func TestCopyIsSeen(t *testing.T) {
	table, rows := standIn(t, 1)
	c := attackCase(table, rows[:6000], rows[6000:12000],
		&algorithms.Release{Table: table.Select(rows[:6000])})
	for _, of := range []struct {
		metric string
		params Params
		least  float64
	}{
		{"membership", auc(DensityScore, Estimate), 0.99},
		{"membership", auc(DistanceScore, Estimate), 0.99},
		// Boosting, whose leaves have 20 records, would hardly pass .51.
		{"membership", auc(ClassifierScore, Low), 0.75},
		{"attribute-inference", &AttributeInferenceParams{Attribute: "occupation",
			Of: Difference, End: Low}, 0.6},
		{"closest-record", &ClosestRecordParams{End: Low}, 0.99},
		{"unique-matches", &MatchesParams{Of: Difference, End: Low}, 0.98},
	} {
		if got := valueOf(t, of.metric, c, of.params); got < of.least {
			t.Errorf("%s %+v: %v, must be at least %v", of.metric, of.params, got, of.least)
		}
	}
	exposed, among, err := MostExposed(t.Context(), c, 10)
	if err != nil || len(exposed) != 10 || among != 6000 {
		t.Fatalf("%v of %d, %v", exposed, among, err)
	}
	// The most isolated of those copied: no other original is within a tenth of an attribute.
	for i, e := range exposed {
		if e.Score < math.Log(100) || i > 0 && exposed[i-1].Score < e.Score ||
			!slices.Contains(c.Train, e.Row) {
			t.Errorf("%d: %+v", i, e)
		}
	}
}

// TestFreshSample: of a release of other records of the population 95 % intervals hold 1/2 in 93 of
// 100 trials or more, each for its own records. Exact intervals of 95 % would fail that by chance
// once in eight; these are wider, and the seed is fixed.
func TestFreshSample(t *testing.T) {
	const n, trials = 250, 100
	table, rows := standIn(t, 2)
	type interval struct {
		name string
		end  func(end End) Params
		none float64
	}
	intervals := []interval{
		{"closest-record", func(end End) Params { return &ClosestRecordParams{End: end} }, 0.5},
		{"unique-matches", func(end End) Params {
			return &MatchesParams{Of: Difference, End: end}
		}, 0},
		{"attribute-inference", func(end End) Params {
			return &AttributeInferenceParams{Of: Difference, End: end}
		}, 0},
	}
	for _, score := range []Score{DensityScore, DistanceScore, ClassifierScore} {
		intervals = append(intervals, interval{"membership",
			func(end End) Params { return auc(score, end) }, 0.5})
	}
	// Few columns: records have equals, and many are as near to both sides.
	few := must.Get(table.Project("workclass", "marital-status", "sex", "age", "salary"))
	for _, table := range []*datasets.Table{table, few} {
		held := make([]int, len(intervals))
		for trial := range trials {
			from := rows[trial*440%20000:]
			random.NewKey(uint64(trial)).Stream().Permute(from)
			c := attackCase(table, from[:n], from[n:2*n],
				&algorithms.Release{Table: table.Select(from[2*n : 4*n])})
			for i, of := range intervals {
				if valueOf(t, of.name, c, of.end(Low)) <= of.none &&
					valueOf(t, of.name, c, of.end(High)) >= of.none {
					held[i]++
				}
			}
		}
		for i, of := range intervals {
			if held[i] < 93 {
				t.Errorf("%d attributes, %s %+v: %d of %d intervals hold %v",
					len(table.Schema().Attributes), of.name, of.end(Low), held[i], trials, of.none)
			}
		}
	}
}

// TestGuaranteeHolds: attacks on strict releases are not above what the guarantee allows at the
// false-positive rate's upper end. An end of 2.5 % on either side of 72 attacks would be wrong in
// four by chance where the bound is reached; no attack here comes near it, so none may be.
func TestGuaranteeHolds(t *testing.T) {
	table, rows := standIn(t, 3)
	table = must.Get(table.Project("age", "workclass", "education", "marital-status", "sex",
		"salary"))
	train, test := rows[:3000], rows[3000:6000]
	for _, name := range []string{"independent", "mst", "diffgen", "rps"} {
		a := must.Get(algorithms.Lookup(name))
		for _, epsilon := range []float64{0.1, 1} {
			params := a.Params()
			if fitter, ok := params.(algorithms.Fitter); ok {
				fitter.FitSchema(table.Schema(), 1<<12)
			}
			release := must.Get(a.Release(t.Context(), algorithms.Input{Table: table,
				Rows: append([]int32(nil), train...), Params: params, Variant: algorithms.Strict,
				Budget: privacy.NewBudget(epsilon),
				Noise:  random.NewStreams(random.NewKey(4).Derive(name))}))
			c := attackCase(table, train, test, release)
			for _, score := range []Score{DensityScore, DistanceScore, ClassifierScore} {
				for _, fpr := range []float64{0.001, 0.01, 0.1} {
					// Of the others at most a share of fpr is taken for members; the rate in the
					// population is above this end by chance once in 40.
					attacked := float64(len(test) / 2)
					above := 1 - elementary.LowestProbability(attacked-math.Floor(fpr*attacked),
						attacked, 0.025)
					most := privacy.MostTruePositives(epsilon, 0, above)
					if low := valueOf(t, "membership", c, &MembershipParams{Score: score,
						Of: AttackTPR, FPR: fpr, End: Low}); low > most {
						t.Errorf("%s, epsilon %v, %s: true-positive rate of at least %v at a "+
							"false-positive rate of %v, at most %v is allowed", name, epsilon,
							score, low, fpr, most)
					}
				}
			}
		}
	}
}

// TestUniqueMatches, by hand. Of the members 2a, 0b, 0b, 5c two are unique and 5c is released, of
// the others 3b and 3b none is, and of 3b and 4a both are, and 4a is released twice.
func TestUniqueMatches(t *testing.T) {
	table := tableOf("2a 0b 0b 5c 3b 3b 4a 9c")
	release := &algorithms.Release{Table: tableOf("0b 5c 4a 4a 2a"),
		Weights: []float64{1, 2, 1, 1, 0}}
	members := []int32{0, 1, 2, 3}
	for _, c := range []struct {
		of   Whose
		test []int32
		want float64
	}{{Members, nil, 0.5}, {HeldOut, []int32{4, 6}, 0.5},
		{HeldOut, []int32{4, 5, 6}, 1}, {Difference, []int32{4, 6, 7, 4}, 0}} {
		if got := valueOf(t, "unique-matches", Case{Table: table, Train: members,
			Test: c.test, Release: release}, &MatchesParams{Of: c.of,
			End: Estimate}); math.Abs(got-c.want) > 1e-15 {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestClosestRecord, by hand: x and z are equal, from 0 to 5 in the original; distances are a third
// of twice the difference of x as a part of 5, and of 1 where y differs.
func TestClosestRecord(t *testing.T) {
	table := tableOf("0a 5a 2a 5b")
	release := &algorithms.Release{Table: tableOf("0a 1a 3a 4b")}
	c := Case{Table: table, Train: []int32{0, 1}, Test: []int32{2, 3}, Release: release}
	// 0 is a member; 1 is between 0 and 2; 3 and 4 are nearer to records held out
	must.Be(t, valueOf(t, "closest-record", c, &ClosestRecordParams{End: Estimate}), 1.5/4, "share")
}

// TestAttributeInference: a release that gives y away by x for members, and wrongly for others, is
// learnt from: all members are guessed, and no other.
func TestAttributeInference(t *testing.T) {
	table := tableOf("0a 9b 0b 9a")
	c := Case{Table: table, Train: []int32{0, 1}, Test: []int32{2, 3},
		Release: &algorithms.Release{Table: table.Select([]int32{0, 0, 0, 1, 1, 1})}}
	for of, want := range map[Whose]float64{ // order-free: three checks
		Members: 1, HeldOut: 0, Difference: 1,
	} {
		must.Be(t, valueOf(t, "attribute-inference", c, &AttributeInferenceParams{Of: of,
			End: Estimate}), want, of)
	}
	m := must.Get(Lookup("attribute-inference"))
	for attribute, fits := range map[string]bool{"": true, "y": true, "x": false, "v": false} {
		params := &AttributeInferenceParams{Attribute: attribute, Of: Members, End: Estimate}
		must.Be(t, CheckSchema(m, nil, params, table.Schema()) == nil, fits, attribute)
	}
}

// TestNoHeldOut: without records held out the error says what is missing.
func TestNoHeldOut(t *testing.T) {
	c := ordinary()
	for _, name := range []string{"closest-record", "membership", "attribute-inference"} {
		m := must.Get(Lookup(name))
		c.Params = m.(Parameterised).Params()
		refuses(t, name, c, name+": "+ErrNoHeldOut.Error())
		must.Be(t, NeedsHeldOut(m, c.Params), true, name, "is told beforehand")
	}
}
