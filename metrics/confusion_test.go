package metrics

import (
	"context"
	"math"
	"testing"

	"github.com/sjwhitworth/golearn/evaluation"
	"pgregory.net/rapid"

	"ppdp/algorithms"
	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// byValue predicts the class that it holds for each value of labelled's x.
type byValue [10]uint32

func (byValue) Info() classifiers.Info { return classifiers.Info{Name: "by-value"} }

func (m byValue) Fit(context.Context, classifiers.Data) (classifiers.Model, error) { return m, nil }

func (m byValue) Predict(dst []uint32, table *datasets.Table, rows []int32) {
	for i, row := range rows {
		dst[i] = m[table.Column(0).At(row)]
	}
}

// TestConfusion compares with golearn's figures of the same confusion matrix, and the accuracy with
// the sum of its diagonal.
func TestConfusion(t *testing.T) {
	names := []string{"a", "b", "c"}
	rapid.Check(t, func(t *rapid.T) {
		rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) [2]uint32 {
			return [2]uint32{rapid.Uint32Range(0, 9).Draw(t, "x"),
				rapid.Uint32Range(0, 2).Draw(t, "y")}
		}), 1, 30).Draw(t, "rows")
		var model byValue
		for x := range model {
			model[x] = rapid.Uint32Range(0, 2).Draw(t, "predicted")
		}
		table := labelledBy(rows)
		theirs := evaluation.ConfusionMatrix{}
		for _, name := range names {
			theirs[name] = make(map[string]int)
		}
		for _, row := range rows {
			theirs[names[row[1]]][names[model[row[0]]]]++
		}
		c := Case{Table: table, Train: table.AllRows(), Test: table.AllRows(), Classifier: model,
			Release: &algorithms.Release{Table: table}, Published: new(Memo)}
		compare := func(p ConfusionParams, want float64) {
			t.Helper()
			p.Encoding = defaultEncoding.Encoding
			c.Params = &p
			got, ok := measure(t, "confusion", c)
			if ok == math.IsNaN(want) || ok && math.Abs(got-want) > 1e-12 {
				t.Fatalf("%+v is %v (defined %v), want %v of %v", p, got, ok, want, theirs)
			}
		}
		var means [3]float64
		diagonal := 0.0
		for _, class := range names {
			precision := evaluation.GetPrecision(class, theirs)
			recall := evaluation.GetRecall(class, theirs)
			f1 := evaluation.GetF1Score(class, theirs)
			if theirs[class][class] == 0 && !(math.IsNaN(precision) && math.IsNaN(recall)) {
				f1 = 0 // golearn divides 0 by 0 where nothing is right
			}
			compare(ConfusionParams{Of: Precision, Class: class}, precision)
			compare(ConfusionParams{Of: Recall, Class: class}, recall)
			compare(ConfusionParams{Of: F1, Class: class}, f1)
			for i, value := range []float64{precision, recall, f1} {
				means[i] += value / 3
			}
			diagonal += float64(theirs[class][class]) / float64(len(rows))
		}
		compare(ConfusionParams{Of: Precision}, means[0])
		compare(ConfusionParams{Of: Recall}, means[1])
		compare(ConfusionParams{Of: F1}, means[2])
		c.Params = new(LearnParams)
		if got, _ := measure(t, "accuracy", c); math.Abs(got-diagonal) > 1e-12 {
			t.Fatalf("accuracy %v, the diagonal holds %v", got, diagonal)
		}
	})
}

// TestConfusionRefuses a class that is none.
func TestConfusionRefuses(t *testing.T) {
	table := labelled("1b")
	c, want := against(table, table, nil), `class: y: "d" is not`
	c.Classifier = byValue{}
	c.Params = &ConfusionParams{Of: F1, Class: "d", Encoding: defaultEncoding.Encoding}
	refuses(t, "confusion", c, want)
	err := CheckSchema(must.Get(Lookup("confusion")), byValue{}, c.Params, table.Schema())
	must.Fail(t, err, want, "before anything runs")
}
