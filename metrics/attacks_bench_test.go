package metrics

import (
	"testing"

	"ppdp/algorithms/independent"
	"ppdp/classifiers/naivebayes"
)

// BenchmarkAttacks measures each attack on a release of Adult's 30,162 training records with 15
// attributes, 15,060 held out. Its speed goal is 15 seconds of processor time for all of them.
func BenchmarkAttacks(b *testing.B) {
	c := released(b, independent.Algorithm{}, independent.Algorithm{}.Params())
	for _, of := range []struct {
		name, metric string
		params       Params
	}{
		{"unique-matches", "unique-matches", &UniqueMatchesParams{Difference, Low}},
		{"closest-record", "closest-record", &ClosestRecordParams{Low}},
		{"density", "membership",
			&MembershipParams{Score: DensityScore, Of: AttackTPR, FPR: 0.01, End: Low}},
		{"classifier", "membership",
			&MembershipParams{Score: ClassifierScore, Of: AttackAUC, End: Low}},
		{"attribute-inference", "attribute-inference",
			&AttributeInferenceParams{Of: Difference, End: Low}},
	} {
		b.Run(of.name, func(b *testing.B) {
			for b.Loop() {
				c.Truth, c.Published = new(Memo), new(Memo)
				c.Params, c.Classifier = of.params, naivebayes.Classifier{}
				if _, _, err := must(Lookup(of.metric)).Measure(b.Context(), c); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("exposed", func(b *testing.B) {
		for b.Loop() {
			if _, _, err := MostExposed(b.Context(), c, 10); err != nil {
				b.Fatal(err)
			}
		}
	})
}
