package evaluation

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// measures of the made-up run: the accuracy of a learner and of the majority, a distance, an attack
// with the ends of its interval, and the number of records.
var measures = []results.MeasureUse{
	use("records", "", "Records"), use("marginal-distance", "", "Distance"),
	use("accuracy", "boosting", "Accuracy"), use("accuracy", "majority", "Accuracy"),
	use("membership fpr=0.1", "", "Attack"), use("membership end=low fpr=0.1", "", "Attack"),
	use("membership end=high fpr=0.1", "", "Attack"),
	use("membership allowed=true fpr=0.1", "", "Attack"),
	use("auc", "boosting", "AUC"), use("auc", "c45", "AUC"), use("linkage", "", "Join"),
	use("linkage end=low", "", "Join"), use("linkage end=high", "", "Join"),
	use("linkage end=of", "", "Join"),
}

// use is a measurement; of classifiers more is better.
func use(metric, classifier, title string) results.MeasureUse {
	return results.MeasureUse{Measurement: results.Measurement{Metric: metric,
		Classifier: classifier}, Title: title, HigherIsBetter: classifier != ""}
}

// evaluated is the evaluation of a run in which each entry has one trial with values of measures,
// of which those of the last may be left out.
func evaluated(t *testing.T, entries ...any) *Evaluation {
	t.Helper()
	run := &results.Run{Manifest: results.Manifest{Experiment: "evaluate", Title: "Mine",
		Note: "one\ntwo", Measures: measures}}
	for i := 0; i < len(entries); i += 2 {
		c := results.Record{Setting: entries[i].(*results.Setting),
			Outcome: results.Outcome{Status: results.OK}}
		for at, use := range measures {
			value := results.Value{Measurement: use.Measurement}
			if of := entries[i+1].([]float64); at < len(of) && !math.IsNaN(of[at]) {
				value.Value = &of[at]
			}
			c.Values = append(c.Values, value)
		}
		if c.Algorithm == results.FileAlgorithm {
			c.Warnings = []string{"three"}
		}
		run.Records = append(run.Records, c)
	}
	return Of(run.Summary())
}

func setting(series, algorithm string, param ...string) *results.Setting {
	s := &results.Setting{Series: series, Algorithm: algorithm,
		Dataset: results.Dataset{Name: "csv"}}
	if param != nil {
		s.Params = map[string]string{param[0]: param[1]}
	}
	return s
}

// controls are a copy, samples of 1 and of 10 % and independent columns. By the distance .4, .2 and
// 0, whose squares lie over 100, 10 and 1 times fewer records, .3 is at 1/47.5, 2.1 %.
func controls() []any {
	return []any{
		setting("Copy", "identity"), []float64{1000, 0, 0.9, 0.6, 1, 1, 1, math.NaN()},
		setting("Independent columns", "permuted", "columns", "all"),
		[]float64{1000, 0.3, 0.6, 0.6, 0.1, 0.1, 0.1, math.NaN()},
		setting("Sample of 0.01", "sample", "share", "0.01"),
		[]float64{10, 0.4, 0.7, 0.6, 0.11, 0.1, 0.2, math.NaN()},
		setting("Sample of 0.1", "sample", "share", "0.1"),
		[]float64{100, 0.2, 0.8, 0.6, 0.19, 0.1, 0.2, math.NaN()},
	}
}

func TestOf(t *testing.T) {
	none := math.NaN()
	e := evaluated(t, append(controls(),
		setting("a.csv", "file"), []float64{900, 0.3, 0.75, 0.6, 0.595, 0.55, 0.64, 0.7},
		setting("b.csv", "file"), []float64{900, 0.1, 0.6, 0.6, none, none, none, math.NaN()})...)
	var names []string
	for _, c := range e.Columns {
		names = append(names, c.Name)
	}
	want := "a.csv|b.csv|Copy|Sample of 10 %|Sample of 1 %|Independent columns|Majority class"
	if got := strings.Join(names, "|"); got != want {
		t.Fatalf("columns %s, want %s", got, want)
	}
	must.Be(t, strings.Join(e.Notes, "|"), "one|two|three", "notes")
	value := func(kind, at, column int) Value {
		return e.Kinds[kind].Measurements[at].Values[column]
	}
	for _, test := range []struct {
		what             string
		v                Value
		text, sample     string
		spread           string
		noBetter, exists bool
	}{
		{"records have no yardstick", value(0, 0, 0), "900", "", "", false, true},
		{"between samples", value(0, 1, 0), "0.300", "2.1 %", "", true, true},
		// A quarter of the square from 0 to .2: 1/(1 + 9/4).
		{"above the samples", value(0, 1, 1), "0.100", "31 %", "", false, true},
		{"a learner halfway", value(1, 0, 0), "0.750", "5.5 %", "", false, true},
		{"a learner that guesses", value(1, 0, 1), "0.600", "≤ 1 %", "", true, true},
		{"the majority", value(1, 0, 6), "0.600", "", "", false, true},
		// An attack succeeds more, the larger the sample: from .19 to 1 halfway is .595.
		{"an attack", value(2, 0, 0), "0.595", "55 %", "0.55 to 0.64; the guarantee " +
			"allows 0.700", false, true},
		{"an undefined attack", value(2, 0, 1), "", "", "", false, false},
	} {
		if test.v.Text() != test.text || test.v.SampleText != test.sample ||
			test.v.Spread() != test.spread || test.v.NoBetter != test.noBetter ||
			(test.v.Value != nil) != test.exists {
			t.Errorf("%s: %+v, %q %q", test.what, test.v, test.v.Text(), test.v.Spread())
		}
	}
	must.Be(t, len(e.Kinds[2].Measurements), 2)
	for _, test := range []struct {
		kind, column int
		want         string
	}{
		{0, 0, "As good as a sample of 2.1 % of the original's records; NO BETTER THAN " +
			"INDEPENDENT COLUMNS by 1 of 1."},
		{1, 0, "As good as a sample of 5.5 % of the original's records."},
		{2, 0, "The one attack tried finds as much as in a sample of 55 % of the " +
			"original's records (Attack, where 10 % of others are taken for members)."},
		{2, 1, "Attacks that need held-out records were not tried."},
	} {
		must.Say(t, e.Kinds[test.kind].Short[test.column], test.want)
	}
	if _, err := json.Marshal(e); err != nil {
		t.Error(err)
	}
}

// TestOfOthers: runs without a release in a file are none, one without controls has its numbers.
func TestOfOthers(t *testing.T) {
	if e := evaluated(t, controls()...); e != nil {
		t.Errorf("an evaluation of %v", e.Columns)
	}
	e := evaluated(t, setting("a.csv", "file"),
		[]float64{9, 0.3, 0.75, 0.6, 0.5, 0.4, 0.6, math.NaN()})
	if len(e.Columns) != 1 || e.Sampled() || !e.Kinds[0].Has(0) ||
		!strings.HasPrefix(e.Kinds[1].Short[0], "Nothing here") {
		t.Errorf("%+v", e)
	}
}

// TestNames: settings are said in words, and the most records learnt from in a note instead.
func TestNames(t *testing.T) {
	for metric, want := range map[string]string{
		"accuracy rows=50000": "Title",
		"membership fpr=0.001 of=tpr": "Title, where 0.1 % of others are taken for members, " +
			"members found",
		"r2 target=net pay": "Title, of net pay", "unique-matches of=held-out": "Title, people " +
			"who are not in it",
		"membership strange=1": "Title, strange 1",
	} {
		of := use(metric, "", "title")
		if m, _ := newMeasurement(&of); m.Name != want {
			t.Errorf("%s: %s, want %s", metric, m.Name, want)
		}
	}
}

// judged is the evaluation of a release with a distance, an accuracy, an attack with its low end,
// two areas under ROC curves and a join with its low end, beside controls in which the majority is
// as good as the copy.
func judged(t *testing.T, distance, accuracy, attack, low, boosting, c45, join, joinLow float64,
) *Evaluation {
	t.Helper()
	none := math.NaN()
	of := func(distance, accuracy, attack, boosting, c45, join float64) []float64 {
		return []float64{100, distance, accuracy, 0.6, attack, attack - 0.1, attack + 0.1, none,
			boosting, c45, join, join - 0.02, join + 0.02, 500}
	}
	release := of(distance, accuracy, attack, boosting, c45, join)
	release[5], release[11] = low, joinLow
	return evaluated(t, setting("Copy", "identity"), of(0, 0.6, 1, 0.9, 0.8, 1),
		setting("Target", "permuted", "columns", "class"), of(0, 0.6, 1, 0.5, 0.55, 1),
		setting("Independent", "permuted", "columns", "all"), of(0.3, 0.6, 0.1, 0.5, 0.5, 0),
		setting("Fresh people (the holdout)", "file"), of(0.05, 1, 0, 1, 1, 0),
		setting("S", "sample", "share", "0.01"), of(0.4, 0.5, 0.11, 0.6, 0.6, 0.01),
		setting("S", "sample", "share", "0.1"), of(0.2, 0.55, 0.19, 0.8, 0.7, 0.1),
		setting("a.csv", "file"), release)
}

// TestHeadlines: of attacks the strongest counts, not the median; one whose interval reaches what
// chance finds has found nothing, and says what it could have seen. The learner of most AUC counts.
// Who guesses has no equivalent, nor has the holdout any for learners and attacks.
func TestHeadlines(t *testing.T) {
	e := judged(t, 0.04, 0.59, 0.1, 0.05, 0.7, 0.78, 0.5, 0.45)
	h := e.Kinds[2].Headlines[0]
	if h.Sample == nil || math.Abs(*h.Sample-0.5) > 1e-12 || h.By != "Join" || h.Nothing {
		t.Errorf("a join that finds half: %+v", h)
	}
	attack := e.Kinds[2].Measurements[0].Values[0]
	// The rate of others is .1; an interval 1.5 times as wide, of .05, begins at .1 from .175 on,
	// which lies 1 % + 9 %·.065/.08 up the samples.
	if want := 0.01 + 0.09*0.065/0.08; !attack.Nothing || attack.Sample != nil ||
		attack.CouldSee == nil || math.Abs(*attack.CouldSee-want) > 1e-12 {
		t.Errorf("an attack that finds nothing: %+v, want %v", attack, want)
	}
	join := e.Kinds[2].Measurements[1].Values[0]
	if join.Numerator == nil || *join.Numerator != 250 || *join.Denominator != 500 {
		t.Errorf("%+v, want 250 of 500", join)
	}
	u := e.Kinds[1].Headlines[0]
	if u.Model != "c45" || *u.Reached != 0.78 || u.Guess != 0.55 {
		t.Errorf("%+v, want C4.5 by its AUC of .78", u)
	}
	if v := e.Kinds[1].Measurements[0].Values[0]; v.Sample != nil {
		t.Errorf("accuracy, by which the majority equals the copy, has an equivalent: %+v", v)
	}
	fresh := e.Columns[2]
	if fresh.Name != "Fresh people (the holdout)" || fresh.Release ||
		e.Kinds[1].Measurements[1].Values[2].Value != nil ||
		e.Kinds[0].Measurements[1].Values[2].Value == nil {
		t.Errorf("fresh people, %+v, are tested on themselves or have no fidelity", fresh)
	}
}

// TestVerdicts on limits that the page names.
func TestVerdicts(t *testing.T) {
	for _, of := range []struct {
		e       *Evaluation
		uses    string
		handOut string
		says    string
	}{
		// .78 is (.78-.55)/(.8-.55) = .92 of the way; .055 is 1.1 times fresh people's distance.
		{judged(t, 0.054, 0.5, 0.1, 0.05, 0.7, 0.78, 0, -0.01), "yes yes", "nothing found",
			"attacks found nothing, and could have seen"},
		{judged(t, 0.06, 0.5, 0.1, 0.05, 0.75, 0.7, 0.05, 0.04), "with care with care", "found",
			"at worst it discloses as much as 5.0 % of the original's records (Join)"},
		{judged(t, 0.16, 0.5, 0.1, 0.05, 0.5, 0.56, 0.5, 0.45), "no no", "no",
			"NOT TO BE HANDED OUT; NOT for counts and tables, a classifier"},
	} {
		v := of.e.Verdicts[0]
		var answers []string
		for _, u := range v.Uses {
			answers = append(answers, u.Answer)
		}
		if got := strings.Join(answers, " "); got != of.uses || v.HandOut != of.handOut ||
			!strings.Contains(v.Text, of.says) || len(of.e.Verdicts) != 1 {
			t.Errorf("%s, %s: %s", got, v.HandOut, v.Text)
		}
	}
}

// TestColumnsOfReleases: the worst first, with the original's numbers and a picture.
func TestColumnsOfReleases(t *testing.T) {
	e := &Evaluation{whole: 1, fresh: -1, Columns: []Column{{"a.csv", true}, {"Copy", false}}}
	file, whole := setting("a.csv", "file"), setting("Copy", "identity")
	e.settings = []*results.Setting{file, whole}
	for _, m := range []struct {
		metric         string
		here, original float64
	}{{"column attribute=x", 0.1, 0}, {"column attribute=y", 0.4, 0},
		{"column attribute=y of=mean", 20, 4}, {"column at=0.05 attribute=y of=quantile", 0, 1},
		{"column at=0.25 attribute=y of=quantile", 1, 2}, {"column attribute=y of=quantile", 2, 3},
		{"column at=0.75 attribute=y of=quantile", 3, 4},
		{"column at=0.95 attribute=y of=quantile", 4, 5}} {
		of, _ := newMeasurement(&results.MeasureUse{Title: "c",
			Measurement: results.Measurement{Metric: m.metric}})
		e.measured = map[place]*results.Row{{file, of.Measurement}: {N: 1, Mean: m.here},
			{whole, of.Measurement}: {N: 1, Mean: m.original}}
		e.describe(of)
	}
	all := e.Described(0)
	want := []Cell{{"distance", "0.400"}, {"mean", "4 → 20"}, {"median", "3 → 2"}, {"P95", "5 → 4"},
		{"missing", "–"}}
	if len(all) != 2 || all[0].Name != "y" || !slices.Equal(all[0].Cells(), want) ||
		strings.Count(string(all[0].Picture()), "<rect") != 6 {
		t.Errorf("%+v", all)
	}
	if uses := e.amounts(0); len(uses) != 1 || uses[0].Answer != "no" ||
		!slices.Equal(uses[0].Worst, []string{"y"}) {
		t.Errorf("%+v", uses)
	}
	e.Attributes[1].Original.Quantiles = e.Attributes[1].Original.Quantiles[:3]
	if uses := e.amounts(0); uses != nil { // of a spec that asks for fewer
		t.Errorf("three quantiles: %+v", uses)
	}
}

// TestUntried: without a holdout what of a release equals the original beyond chance counts: the
// share of the original's own records that equal another. Independent columns that do so more often
// say that chance is unknown, but a copy has more of the unique records than draws can have.
func TestUntried(t *testing.T) {
	for _, c := range []struct {
		unique, independent, verbatim, matched float64
		handOut, says                          string
	}{
		{900, 0.01, 0.11, 0.07, "unknown", "Attacks on it were not tried: name a holdout."},
		// (.2 - .1) / (1 - .1)
		{900, 0.01, 0.2, 0.15, "no", "as if 11 % of its records were copies; attacks"},
		{1000, 0.2, 0.8, 0.53, "unknown", "80 % of its records are in the original verbatim, how " +
			"many by chance is unknown"},
		// 1 - (1 - 1/1000)^1000 is .632: 640 of 1,000 are no more than chance.
		{1000, 0.2, 0.9, 0.64, "unknown", "how many by chance is unknown"},
		{1000, 0.2, 1, 1, "no", "as if 100 % of its records were copies"},
	} {
		e := &Evaluation{whole: 1, independent: 2, fresh: -1, permuted: -1,
			Columns:  []Column{{"a.csv", true}, {"Copy", false}, {"Independent", false}},
			settings: []*results.Setting{setting("a.csv", "file"), setting("Copy", "identity")}}
		e.measured = make(map[place]*results.Row)
		for _, s := range e.settings {
			of := results.Measurement{Metric: "records"}
			e.measured[place{s, of}] = &results.Row{N: 1, Mean: 1000}
		}
		verbatim, _ := newMeasurement(new(use("verbatim", "", "verbatim")))
		verbatim.Values = []Value{{Value: &c.verbatim, Numerator: new(1000 * c.verbatim),
			Denominator: new(1000.)}, {}, {Value: &c.independent}}
		matches, _ := newMeasurement(new(use("unique-matches", "", "unique")))
		matches.Values = []Value{{Value: &c.matched, Sample: &c.matched,
			Numerator: new(c.unique * c.matched), Denominator: &c.unique}, {}, {}}
		k := &Kind{Name: "disclosure", Measurements: []*Measurement{verbatim, matches}}
		e.Kinds = []*Kind{k}
		e.short(k, 0)
		e.judge()
		must.Be(t, e.Verdicts[0].HandOut, c.handOut, e.Verdicts[0].Text)
		must.Say(t, e.Verdicts[0].Text, c.says)
	}
}

// TestNear: a share of .77 nearer to members is as far from chance's .5 as .54 copies would be: no
// count of copies, and no attack that found nothing is said not to have been tried.
func TestNear(t *testing.T) {
	near, _ := newMeasurement(new(use("closest-record", "", "near")))
	near.Values = []Value{{Value: new(0.77), Low: new(0.75)}, {Value: new(1.)}}
	attack, _ := newMeasurement(new(use("membership", "", "attack")))
	attack.Values = []Value{{Value: new(0.5), Nothing: true}, {Value: new(1.)}}
	e := &Evaluation{whole: 1, fresh: -1, permuted: -1, Columns: []Column{{"a.csv", true},
		{"Copy", false}}, Kinds: []*Kind{{Name: "disclosure",
		Measurements: []*Measurement{near, attack}}}}
	must.Say(t, e.short(e.Kinds[0], 0), "Nothing found by 1 attack.")
	e.judge()
	must.Be(t, e.Verdicts[0].Text, "NOT TO BE HANDED OUT; as near to the original as if 54 % of "+
		"its records were copies; attacks found nothing.")
}

// TestUnread: a column outside the schema makes a release good with care at best for what has it.
func TestUnread(t *testing.T) {
	e := judged(t, 0.04, 0.59, 0.1, 0.05, 0.7, 0.78, 0, -0.01)
	e.Verdicts, e.Attributes = nil, []*Attribute{
		{Name: "sex", Original: &Profile{}, Releases: []*Profile{{Missing: new(1.)}}},
		{Name: "job", Original: &Profile{}, Releases: []*Profile{{Missing: new(0.04)}}},
		{Name: "pay", Original: &Profile{Missing: new(0.5)},
			Releases: []*Profile{{Missing: new(0.5)}}}}
	e.judge()
	must.Say(t, e.Verdicts[0].Text, "With care for counts and tables (wrong: sex), a classifier "+
		"or regression (wrong: sex); VALUES OUTSIDE THE SCHEMA, replaced by others: sex in 100 %")
	must.Say(t, e.short(e.Kinds[0], 0), "VALUES OUTSIDE THE SCHEMA, replaced by others: sex in")
}

// TestPairs: pairs that are further off than the mean may be with care, or than fresh people's are
// and a tenth, are named.
func TestPairs(t *testing.T) {
	e := judged(t, 0.04, 0.59, 0.1, 0.05, 0.7, 0.78, 0, -0.01)
	e.Verdicts, e.Pairs = nil, []*Pair{{"a", "b", nil, []*float64{new(0.16)}},
		{"a", "c", new(0.15), []*float64{new(0.16)}}, {"b", "c", new(0.1), []*float64{new(0.2)}}}
	e.judge()
	must.Say(t, e.Verdicts[0].Text,
		"ith care for counts and tables (wrong: b by c in 20 %, a by b in 16 %);")
}
