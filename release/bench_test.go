package release

import (
	"fmt"
	"testing"

	"ppdp/algorithms"
	"ppdp/datasets"
	_ "ppdp/datasets/adult"
	"ppdp/privacy"
	"ppdp/random"
)

// BenchmarkAdult makes releases of Adult's stand-in, which has its size and domains, by every
// algorithm under differential privacy that can be released: as in an experiment, and for
// publication.
func BenchmarkAdult(b *testing.B) {
	source, err := datasets.Lookup("adult-standin")
	if err != nil {
		b.Fatal(err)
	}
	adult, err := source.Load(b.Context(), datasets.Request{Files: datasets.DefaultFiles(""),
		Params: source.Params(), Key: random.NewKey(1)})
	if err != nil {
		b.Skip(err)
	}
	schema := adult.Table.Schema()
	for _, name := range Releasable() {
		algorithm, err := algorithms.Lookup(name)
		if err != nil {
			b.Fatal(err)
		}
		c := &chosen{algorithm: algorithm, info: algorithm.Info(), params: algorithm.Params()}
		v := releasable(algorithm)
		if g, _ := c.info.Guarantee(v); g.Model != algorithms.DifferentialPrivacy {
			continue
		}
		for _, publish := range []bool{false, true} {
			b.Run(fmt.Sprintf("%s/publication=%t", name, publish), func(b *testing.B) {
				if err := c.try(b.Context(), v, 1, 0, schema); err != nil {
					b.Skip(err)
				}
				b.ResetTimer()
				for i := range b.N {
					if publish {
						_, err = c.run(b.Context(), adult.Table, privacy.NewPublication(1, 0))
					} else {
						_, err = algorithm.Release(b.Context(), algorithms.Input{
							Table: adult.Table, Rows: adult.Table.AllRows(), Params: c.params,
							Variant: v, Budget: privacy.NewBudget(1),
							Noise: random.NewStreams(random.NewKey(uint64(i)))})
					}
					if err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
