package contest

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
	"ppdp/numeric/random"
)

// entrant is a setting of a made-up run with the values of its trials, and by AUC where that is
// measured; NaN is a failed trial. Sizes are what was measured of its records.
type entrant struct {
	results.Setting
	values, auc []float64
	sizes       []results.Value
}

// under is a release of differential privacy whose algorithm has its name.
func under(epsilon float64, name string, values ...float64) entrant {
	return entrant{Setting: results.Setting{Series: name, Algorithm: name, Epsilon: &epsilon},
		values: values}
}

const metric = "accuracy"

// within is how far labels follow from the rest of a record.
var within = results.Measurement{Metric: "accuracy-within", Classifier: "c45"}

// leaky is an algorithm whose ledger has no finite bound, whatever its guarantee says.
const leaky = "leaky"

// runOf is a run of releases that measures an accuracy and, where majority is above 0, the same of
// the majority class: on the original data or, where they are not among the releases, on each.
// Guarantees hold, but for those in uses.
func runOf(entrants []entrant, majority float64, uses ...results.AlgorithmUse) *results.Summary {
	return recorded(entrants, majority, uses...).Summary()
}

func recorded(entrants []entrant, majority float64, uses ...results.AlgorithmUse) *results.Run {
	accuracy := results.Measurement{Metric: metric, Classifier: "c45"}
	guess := results.Measurement{Metric: metric, Classifier: "majority"}
	run := &results.Run{Manifest: results.Manifest{Algorithms: uses,
		Measures: []results.MeasureUse{{Measurement: accuracy, Title: "Accuracy",
			HigherIsBetter: true}}}}
	auc := results.Measurement{Metric: "auc", Classifier: "c45"}
	run.Manifest.Measures = append(run.Manifest.Measures, results.MeasureUse{Measurement: auc,
		Title: "Area", HigherIsBetter: true}, results.MeasureUse{Measurement: within})
	original := slices.ContainsFunc(entrants,
		func(e entrant) bool { return e.Algorithm == Reference })
	for e := range results.Each(entrants) {
		e.Dataset.Name = "d"
		if !slices.ContainsFunc(uses,
			func(u results.AlgorithmUse) bool { return u.Name == e.Algorithm }) {
			run.Manifest.Algorithms = append(run.Manifest.Algorithms, results.AlgorithmUse{
				Name: e.Algorithm, Guarantee: "differential privacy", Status: "holds"})
		}
		for trial, v := range e.values {
			c := results.Record{Setting: &e.Setting,
				Outcome: results.Outcome{Trial: trial, Status: results.OK}}
			if math.IsNaN(v) {
				c.Status, c.Phase = results.Failed, results.PhaseRelease
			} else {
				c.Values = []results.Value{{Measurement: accuracy, Value: &v}}
			}
			if trial < len(e.auc) {
				c.Values = append(c.Values, results.Value{Measurement: auc, Value: &e.auc[trial]})
			}
			c.Values = append(c.Values, e.sizes...)
			if e.Algorithm == leaky {
				c.Spent = &results.Spent{Claimed: 1, Proven: results.Bound(math.Inf(1))}
			}
			if majority > 0 && (e.Algorithm == Reference || !original) {
				c.Values = append(c.Values, results.Value{Measurement: guess, Value: &majority})
			}
			run.Records = append(run.Records, c)
		}
	}
	return run
}

// behind are three trials that are behind 0.8 by d-s, d and d+s with d = a·s.
func behind(a, s float64) []float64 {
	return []float64{0.8 - s*(a-1), 0.8 - s*a, 0.8 - s*(a+1)}
}

// studentOf is the p-value of differences a-1, a and a+1: t is a√3, and with two degrees of freedom
// the two-sided p is 1 - t/√(2+t²).
func studentOf(a float64) float64 {
	t := a * math.Sqrt(3)
	return 1 - t/math.Sqrt(2+t*t)
}

// TestByHand: Student's p has a closed form for three trials, and Holm multiplies the smallest of
// four by 4, the next by 3, never falling below the one before. The two budgets of the task are one
// family: the second one's single comparison makes the first one's count more.
func TestByHand(t *testing.T) {
	run := runOf([]entrant{under(1, "a", 0.8, 0.8, 0.8), under(1, "d", behind(2, 0.01)...),
		under(1, "b", behind(10, 0.01)...), under(1, "c", behind(6, 0.01)...),
		under(2, "a", 0.8, 0.8, 0.8), under(2, "b", behind(8, 0.01)...)}, 0)
	table := Of(run)[0]
	task := table.Tasks[0]
	for i, want := range []struct {
		rank Rank
		a, p float64
	}{
		{Best, 0, 0},
		{Tied, 2, studentOf(2)},        // .0742, the largest
		{Worse, 10, 4 * studentOf(10)}, // .0033, the smallest
		{Worse, 6, 2 * studentOf(6)},   // .0091
		{Best, 0, 0},
		{Worse, 8, 3 * studentOf(8)}, // .0052
	} {
		e := task.Entries[i]
		if e.Rank != want.rank || math.Abs(e.Behind.P-want.p) > 1e-12 ||
			math.Abs(e.Behind.Mean-want.a*0.01) > 1e-12 {
			t.Errorf("%s: %+v, want %+v", table.Releases[i].Label(), e, want)
		}
		if se := 0.01 / math.Sqrt(3); want.rank != Best && math.Abs(e.Behind.SE-se) > 1e-12 {
			t.Errorf("%s: standard error %v, want %v", table.Releases[i].Label(), e.Behind.SE, se)
		}
	}
}

// TestNothingToTest: where trials are too few or do not vary the page says so, without a p-value.
// Six trials that all differ by the same are distinguished by their signs, p = 2⁻⁵; three, p = 1/4,
// are not.
func TestNothingToTest(t *testing.T) {
	six, nan := slices.Repeat([]float64{0.75}, 6), math.NaN()
	for _, c := range []struct {
		a, b []float64
		rank Rank // of b
		want string
	}{
		{six[:1], []float64{0.5}, Tied, "behind by 0.25 in a single trial, too few to test"},
		{six[:3], six[:3], Tied, "equal in each of 3 trials"},
		{six[:3], []float64{0.5, 0.5, 0.5}, Tied,
			"behind by 0.25 in each of 3 trials, no spread to test by"},
		{six, slices.Repeat([]float64{0.5}, 6), Worse,
			"behind by 0.25 in each of 6 trials, no spread to test by"},
		{[]float64{0.75, nan}, []float64{nan, 0.5}, Tied, "no trial in common"},
		// The best mean is that of the only trial in which b failed.
		{[]float64{0.5, 0.51, 0.52, 9}, []float64{0.6, 0.62, 0.64, nan}, Tied,
			"better in the trials that both have"},
	} {
		table := Of(runOf([]entrant{under(1, "a", c.a...), under(1, "b", c.b...)}, 0))[0]
		a, b := &table.Tasks[0].Entries[0], &table.Tasks[0].Entries[1]
		if a.Rank != Best || b.Rank != c.rank || b.Lag() != c.want {
			t.Errorf("%v and %v: %s and %s, %q, want %q", c.a, c.b, a.Rank, b.Rank, b.Lag(), c.want)
		}
	}
}

// TestBudgets: releases compete only under the same epsilon, delta and neighbours, or the same k,
// whatever their names say, and those of k-anonymity never with those of differential privacy.
func TestBudgets(t *testing.T) {
	with := func(e entrant, delta float64, algorithm, k string) entrant {
		e.Delta, e.Algorithm = delta, algorithm
		if k != "" {
			e.Epsilon, e.Params = nil, map[string]string{"k": k}
		}
		return e
	}
	run := runOf([]entrant{with(under(0, "k10", 1), 0, "anonymous", "10"), under(10, "a", 1),
		under(1, "b", 1), with(under(1, "c", 1), 1e-9, "b", ""), under(1, "d", 1),
		with(under(0, "k5", 1), 0, "anonymous", "5"), with(under(1, "e", 1), 0, "swapping", ""),
		with(under(0, "k05", 1), 0, "anonymous", "05")}, 0,
		results.AlgorithmUse{Name: "anonymous", Guarantee: "k-anonymity", Status: "holds"},
		results.AlgorithmUse{Name: "swapping", Guarantee: "differential privacy", Status: "holds",
			Relation: "replace one record"})
	table := Of(run)[0]
	var got []string
	for column, text := range table.Columns {
		for _, r := range table.Releases {
			if r.Column == column {
				text += " " + r.Label()
			}
		}
		got = append(got, text)
	}
	want := []string{"ε = 1,  b d", "ε = 10,  a", "ε = 1, δ = 1e-09,  c",
		"ε = 1, replace one record e", "k = 5 k5 k05", "k = 10 k10"}
	must.Equal(t, got, want)
}

// TestWhoNeverWins: what is not private or known not to be, whatever it reaches. A guarantee
// that only its own program declares competes, and says so. Each variant of an algorithm has a
// guarantee of its own. A guarantee that depends on parameters has several statuses; one may hold.
func TestWhoNeverWins(t *testing.T) {
	variant := func(e entrant, algorithm, variant string) entrant {
		e.Algorithm, e.Variant = algorithm, variant
		return e
	}
	run := runOf([]entrant{variant(under(1, "two", 0.5), "two", "strict"),
		variant(under(1, "two so", 0.95), "two", "published"), under(1, "depends", 0.4),
		under(1, "fair", 0.6), under(1, "foreign", 0.7), under(1, "short", 0.8),
		under(1, "broken", 0.9), under(1, leaky, 0.95),
		{Setting: results.Setting{Series: "sample", Algorithm: results.SampleAlgorithm},
			values: []float64{0.98}}, original(0.99)}, 0.75,
		results.AlgorithmUse{Name: "two", Variant: "published", Guarantee: "differential privacy",
			Status: "broken"},
		results.AlgorithmUse{Name: "two", Variant: "strict", Guarantee: "differential privacy",
			Status: "holds"},
		results.AlgorithmUse{Name: "depends", Guarantee: "differential privacy", Status: "broken"},
		results.AlgorithmUse{Name: "depends", Guarantee: "differential privacy", Status: "holds"},
		results.AlgorithmUse{Name: "depends", Guarantee: "differential privacy", Status: "broken"},
		results.AlgorithmUse{Name: "foreign", Guarantee: "differential privacy",
			Status: "declared"},
		results.AlgorithmUse{Name: "short", Guarantee: "differential privacy", Status: "short"},
		results.AlgorithmUse{Name: "broken", Guarantee: "differential privacy", Status: "broken"},
		results.AlgorithmUse{Name: results.SampleAlgorithm, Guarantee: "none", Status: "holds"},
		results.AlgorithmUse{Name: Reference, Guarantee: "none", Status: "holds"})
	table := Of(run)[0]
	var got []string
	for i, r := range table.Releases {
		got = append(got, fmt.Sprint(r.Name(), " ", table.Tasks[0].Entries[i].Rank))
	}
	want := []string{fmt.Sprint("two ", Tied), fmt.Sprint("two so (guarantee broken) ", Absent),
		fmt.Sprint("depends ", Tied), fmt.Sprint("fair ", Tied),
		fmt.Sprint("foreign (guarantee declared) ", Best),
		fmt.Sprint("short (guarantee short) ", Absent),
		fmt.Sprint("broken (guarantee broken) ", Absent),
		fmt.Sprint("leaky (guarantee broken) ", Absent),
		fmt.Sprint("Original (no privacy) ", Absent)}
	must.Equal(t, got, want)
}

// TestFalseWinners: of two releases that are worth the same one is called the best in one of twenty
// runs, which is Alpha, and by accuracy and AUC as well, where one of them is enough to say that
// the other does not lead. Of 1000 runs that is 50 with a standard deviation of 6.9: five of those
// either way are exceeded by chance in less than one of a million such tests. Without a correction
// for having two tasks it would be 95.
func TestFalseWinners(t *testing.T) {
	for _, both := range []bool{false, true} {
		r := random.NewKey(1).Stream()
		crowned := 0
		for range 1000 {
			var entrants []entrant
			for _, name := range []string{"a", "b"} {
				e := under(1, name)
				for range 5 {
					e.values = append(e.values, r.NormFloat64())
					if both {
						e.auc = append(e.auc, r.NormFloat64())
					}
				}
				entrants = append(entrants, e)
			}
			table := Of(runOf(entrants, 0))[0]
			if len(table.Disciplines) == 1 && len(table.Leaders(table.Disciplines[0], 0)) == 1 {
				crowned++
			}
		}
		if crowned < 15 || crowned > 85 {
			t.Errorf("both %v: %d of 1000 runs without a difference have a winner, want 50", both,
				crowned)
		}
	}
}

// TestBestNeedsBoth: of a learner only a release that is first or not distinguishable from the
// first by accuracy and by AUC leads. Low is 0.1 below high and near 0.01 below it, give or take
// 0.01: too little to tell in three trials.
func TestBestNeedsBoth(t *testing.T) {
	high, low, near := []float64{0.8, 0.8, 0.8}, behind(10, 0.01), behind(1, 0.01)
	wild := []float64{0.1, 0.75, 0.5}
	for _, c := range []struct {
		name          string
		accuracy, auc [3][]float64 // of a, b and c
		leaders       []int
	}{
		{"one is first in both", [3][]float64{high, low, low}, [3][]float64{high, low, low},
			[]int{0}},
		{"hard labels win by accuracy and lose by AUC", [3][]float64{high, low, low},
			[3][]float64{low, high, low}, nil},
		{"a third is near in both", [3][]float64{high, low, near}, [3][]float64{low, high, near},
			[]int{2}},
		{"first and near in turn", [3][]float64{high, near, low}, [3][]float64{near, high, low},
			[]int{0, 1}},
		{"a third varies so much that no test tells", [3][]float64{high, low, wild},
			[3][]float64{low, high, wild}, nil},
		{"unknown by AUC", [3][]float64{high, low, low}, [3][]float64{nil, high, low}, nil},
	} {
		var entrants []entrant
		for i, name := range []string{"a", "b", "c"} {
			e := under(1, name, c.accuracy[i]...)
			e.auc = c.auc[i]
			entrants = append(entrants, e)
		}
		table := Of(runOf(entrants, 0))[0]
		if len(table.Disciplines) != 1 || len(table.Tasks) != 2 ||
			table.Disciplines[0].Name != "C4.5: accuracy and AUC" {
			t.Fatalf("%s: %+v", c.name, table.Disciplines)
		}
		d := table.Disciplines[0]
		must.Equal(t, table.Leaders(d, 0), c.leaders, c.name)
	}
}

// TestOneFamily: accuracy and AUC of a learner are corrected together, those of different learners
// are not: two p-values of .0091/2 are multiplied by 2 and 1, by 1 each apart.
func TestOneFamily(t *testing.T) {
	a, b := under(1, "a", 0.8, 0.8, 0.8), under(1, "b", behind(6, 0.01)...)
	apart := Of(runOf([]entrant{a, b}, 0))[0].Tasks[0].Entries[1].Behind.P
	a.auc, b.auc = a.values, behind(10, 0.01)
	tasks := Of(runOf([]entrant{a, b}, 0))[0].Tasks
	for i, pair := range [][2]float64{{apart, studentOf(6)},
		{tasks[0].Entries[1].Behind.P, studentOf(6)},
		{tasks[1].Entries[1].Behind.P, 2 * studentOf(10)}} {
		must.Near(t, pair[0], pair[1], 1e-12, i)
	}
}

// TestRemarks: what a release has more or less than the original is said where it is at least
// twice, or at most half, and labels are hard where less than a third of the original's errors are
// left: of 0.15 that is 0.05.
func TestRemarks(t *testing.T) {
	sized := func(e entrant, records, weight, labels float64) entrant {
		e.sizes = []results.Value{
			{Measurement: results.Measurement{Metric: "records"}, Value: &records},
			{Measurement: within, Value: &labels}}
		if weight > 0 {
			e.sizes = append(e.sizes, results.Value{
				Measurement: results.Measurement{Metric: "record-weight"}, Value: &weight})
		}
		return e
	}
	public := results.AlgorithmUse{Name: Reference, Guarantee: "none", Status: "holds"}
	truth := sized(original(0.9), 1000, 1, 0.85)
	for _, c := range []struct {
		of   entrant
		want string
	}{
		{sized(under(1, "a", 1), 1000, 0, 0.85), ""},
		{sized(under(1, "a", 1), 1999, 1, 0.949), ""},
		{sized(under(1, "a", 1), 10000, 1, 0.951), "10 times as many records; hard labels"},
		{sized(under(1, "a", 1), 500, 1, 0.9), "0.50 times as many records"},
		{sized(under(1, "a", 1), 1000, 0.1, 0.9), "10 times as many records; weights of 0.10"},
		{sized(under(1, "a", 1), 10000, 10, 0.9), "weights of 10; counts 10 times as large"},
		{under(1, "a", 1), ""},
	} {
		table := Of(runOf([]entrant{c.of, truth}, 0, public))[0]
		if len(table.Tasks) != 1 {
			t.Fatalf("sizes are ranked: %+v", table.Tasks)
		}
		must.Be(t, strings.Join(table.Releases[0].Remarks(), "; "), c.want)
	}
	alone := Of(runOf([]entrant{sized(under(1, "a", 1), 10000, 1, 1)}, 0))[0].Releases[0]
	if got := alone.Remarks(); got != nil {
		t.Errorf("without the original: %q", got)
	}
}

// original is the data as they are.
func original(values ...float64) entrant {
	return entrant{Setting: results.Setting{Series: "Original", Algorithm: Reference},
		values: values}
}

// TestMajority: one-sided, by hand. Of three releases that are 0.1, 0.02 and -0.1 above the
// majority, each ± 0.01, Student's p is .0033, .0742 and .0033. Half of that with Holm's factors 3
// and 2 is .005 and .074: only the first is better. Without the third the factors are 2 and 1, and
// half of .0742 is enough. The single trial on the original data serves for all; where there is
// none the majority class is that of the releases.
func TestMajority(t *testing.T) {
	competitors := []entrant{under(1, "a", 0.69, 0.7, 0.71), under(1, "b", 0.61, 0.62, 0.63),
		under(1, "c", 0.49, 0.5, 0.51)}
	public := results.AlgorithmUse{Name: Reference, Guarantee: "none", Status: "holds"}
	for _, c := range []struct {
		entrants []entrant
		want     []bool
	}{
		{append(competitors[:3:3], original(0.9)), []bool{false, true, true}},
		{competitors, []bool{false, true, true}},
		{competitors[:2], []bool{false, false}},
	} {
		entrants := c.entrants
		task := Of(runOf(entrants, 0.6, public))[0].Tasks[0]
		if measured := len(entrants) == 4; task.Majority != 0.6 ||
			measured != (task.Original == 0.9) || measured == math.IsNaN(task.Original) {
			t.Errorf("original %v, majority %v", task.Original, task.Majority)
		}
		for i, want := range c.want {
			must.Be(t, task.Entries[i].NoBetter, want, entrants[i].Series, len(entrants))
		}
	}
}

// TestUnlearned: the original data are not shown to beat guessing where they gain less than a
// fiftieth of a perfect score's gain, .006 of .3, or where their gain varies too much from fold to
// fold. 20 values of 5 folds, g ± .02, have a standard error of .02·√(20/19)·√(1/20 + 1/4), which
// is .0112: g of .017 has a one-sided p of .073, and g of .03 one of .008.
func TestUnlearned(t *testing.T) {
	public := results.AlgorithmUse{Name: Reference, Guarantee: "none", Status: "holds"}
	for _, c := range []struct {
		gain, spread float64
		folds        int
		unlearned    bool
	}{{0.0059, 0, 0, true}, {0.0061, 0, 0, false}, {0.017, 0.02, 0, false},
		{0.017, 0.02, 5, true}, {0.03, 0.02, 5, false}, {-0.1, 0.02, 5, true}} {
		truth := original()
		for i := range 20 {
			truth.values = append(truth.values, 0.7+c.gain+float64(1-i%2*2)*c.spread)
		}
		run := recorded([]entrant{under(1, "a", slices.Repeat([]float64{0.8}, 20)...), truth}, 0.7,
			public)
		run.Manifest.Folds = c.folds
		for r := range results.Each(run.Records) {
			if c.folds > 0 {
				fold := r.Trial % c.folds
				r.Trial, r.Fold = r.Trial/c.folds, &fold
			}
		}
		table := Of(run.Summary())[0]
		task := table.Tasks[0]
		if task.Unlearned != c.unlearned || table.Recommend(0)[0].Unlearned != c.unlearned ||
			(task.Entries[0].Rank == Guesses) != c.unlearned {
			t.Errorf("%+v: %v, %v", c, task.Unlearned, task.Entries[0].Rank)
		}
	}
}

// TestNames: tasks with one title are distinguished by their metrics, and tables by their datasets.
func TestNames(t *testing.T) {
	table := &Table{Dataset: "d", Columns: []string{"ε = 1"}}
	for i, of := range []results.Measurement{{Metric: "accuracy", Classifier: "c45"},
		{Metric: "accuracy-published", Classifier: "c45"}, {Metric: "accuracy attributes=3"}} {
		use := results.MeasureUse{Measurement: of, Title: "Accuracy"}
		table.Tasks = append(table.Tasks, &Task{MeasureUse: use, Name: NameOf(&use)})
		table.Disciplines = append(table.Disciplines, &Discipline{Tasks: table.Tasks[i:]})
	}
	table.nameApart()
	for i, want := range []string{"C4.5: Accuracy (accuracy)",
		"C4.5: Accuracy (accuracy-published)", "Accuracy, attributes 3"} {
		if got := table.Disciplines[i].Name; got != want || table.Tasks[i].Name != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	alone, both := table.Heading(0, []*Table{table}), table.Heading(0, []*Table{table, table})
	if alone != "ε = 1" || both != "ε = 1, d" {
		t.Errorf("%q and %q", alone, both)
	}
}

// advised is a table of three releases under one budget, and what they reach in each task.
func advised(tasks ...*Task) *Table {
	t := &Table{Budgets: []Budget{{Epsilon: 1}}, Tasks: tasks}
	for _, name := range []string{"A", "B", "C"} {
		t.Releases = append(t.Releases, &Release{Setting: &results.Setting{Series: name},
			Status: results.Holds})
	}
	return t
}

// measured is a task; the first rank is that of A.
func measured(metric, classifier string, original, majority float64, higher bool, best int,
	means [3]float64, ranks [3]Rank) *Task {
	t := &Task{Original: original, Majority: majority, Best: []int{best}}
	t.Metric, t.Classifier, t.HigherIsBetter = metric, classifier, higher
	for i, mean := range means {
		e := Entry{Rank: ranks[i], NoBetter: classifier != "" && mean <= majority}
		e.Mean, e.N = mean, 3
		t.Entries = append(t.Entries, e)
	}
	return t
}

// TestRecommend by hand. True records give an accuracy of .9 where guessing gives .7, and an AUC of
// 1 where it gives .5: A's .8 and .9 are 1/2 and 4/5, .65 on average. B's errors are the smallest
// in pairs, and about A's in amounts.
func TestRecommend(t *testing.T) {
	no := math.NaN()
	table := advised(
		measured("accuracy rows=4000", "c45", .9, .7, true, 0, [3]float64{.8, .75, .6},
			[3]Rank{Best, Worse, Worse}),
		measured("auc rows=4000", "c45", 1, .5, true, 0, [3]float64{.9, .85, .6},
			[3]Rank{Best, Tied, Worse}),
		measured("marginal-distance", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse}),
		measured("range-error", "", 0, no, false, 1, [3]float64{.5, .5, 1},
			[3]Rank{Tied, Best, Worse}),
		measured("amounts of=mean", "", 0, no, false, 0,
			[3]float64{.1, .105, .4}, [3]Rank{Best, Tied, Worse}))
	got := results.Mapped(table.Recommend(0),
		func(r *Recommendation) string { return r.Purpose + ": " + r.Text() })
	const of = " of the best there is in each measurement, on average"
	for i, want := range []string{
		"a classifier: take A, with 65 % of what classifiers gain over guessing from the " +
			"true records; next is B with 48 %, then C with 10 %",
		"counts and tables: take B, with 100 %" + of + "; next is A with 75 %, then C with " +
			"38 %",
		"amounts: take A, with 100 %" + of + "; as good by every test: B 95 %; next is C with 25 %",
		// A: (1 + 3/4 + 1)/3; B: (.475/.65 + 1 + .952)/3; C: (.1/.65 + .375 + .25)/3
		"all of it: take A, with 92 %" + of + "; next is B with 89 %, then C with 26 %"} {
		if i >= len(got) || got[i] != want {
			t.Errorf("%q\nwant %q", got, want)
		}
	}
}

// TestRecommendNone: what does not beat guessing is no classifier, and may be good for counts. A
// purpose that no release serves has no part in "all of it".
func TestRecommendNone(t *testing.T) {
	guesses := [3]float64{.7, .7, .6}
	all := advised(measured("accuracy", "c45", .9, .7, true, 0, guesses,
		[3]Rank{Best, Tied, Worse})).Recommend(0)
	if len(all) != 1 || !all[0].Useless || all[0].Text() != "none: no release is shown to be "+
		"better than always guessing the majority class" {
		t.Errorf("%+v", all)
	}
	for metric, want := range map[string]string{"amounts": "amounts", "ks": "counts and tables"} {
		all = advised(measured(metric, "", 0, 0, false, 0, [3]float64{0, .1, .2},
			[3]Rank{Best, Worse, Worse})).Recommend(0)
		if len(all) != 1 || all[0].Purpose != want || all[0].Worths[1].Value != 0 {
			t.Errorf("%s: %+v", metric, all)
		}
	}
	noise := measured("auc", "c45", .51, .5, true, 0, [3]float64{.52, .5, .5},
		[3]Rank{Guesses, Guesses, Guesses})
	noise.Unlearned = true
	if got := advised(noise).Recommend(0)[0]; !got.Useless || got.Text() != "none: nothing is "+
		"shown to be learned from the true records themselves" ||
		got.Brief() != "nothing to learn" {
		t.Errorf("%q", got.Text())
	}
	learned := measured("accuracy", "c45", .9, .7, true, 0, [3]float64{.8, .7, .7},
		[3]Rank{Best, Worse, Worse})
	if got := advised(noise, learned).Recommend(0)[0].Brief(); got != "A: 50 %" {
		t.Errorf("what is learned alone counts: %q", got)
	}
	no := math.NaN()
	all = advised(measured("accuracy", "c45", .9, .7, true, 0, guesses, [3]Rank{Best, Tied, Worse}),
		measured("marginal-distance", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse}),
		measured("amounts of=mean", "", 0, no, false, 1, [3]float64{.2, .1, .4},
			[3]Rank{Worse, Best, Worse})).Recommend(0)
	whole := all[len(all)-1]
	if len(all) != 4 || whole.Purpose != "all of it" || whole.Worths[0].Value != 1 ||
		whole.Worths[1].Value != 0.5 { // B is the best of both, A half as good in both
		t.Errorf("%+v", whole)
	}
}
