package publish

import (
	"context"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/must"
)

// Releasable lists the algorithms that have a variant which can be released at its defaults.
func Releasable() []string {
	return slices.DeleteFunc(algorithms.Names(), func(name string) bool {
		return ReleasableVariant(must.Get(algorithms.Lookup(name))) == ""
	})
}

// ReleasableVariant is the variant that can be released at the defaults, "" for none.
func ReleasableVariant(algorithm algorithms.Algorithm) algorithms.Variant {
	c := &chosen{algorithm: algorithm, info: algorithm.Info(), params: algorithm.Params()}
	if c.info.Input != algorithms.TableInput {
		return ""
	}
	// A schema that all algorithms can work with: a number, two categories, a class of two values.
	words := []string{"a", "b", "c"}
	schema := &datasets.Schema{Attributes: []datasets.Attribute{
		{Name: "n", Kind: datasets.Numeric, Low: 0, High: 16, Step: 1},
		{Name: "c", Kind: datasets.Categorical, Values: words},
		{Name: "y", Kind: datasets.Categorical, Role: datasets.Class, Values: words[:2]},
	}}
	for i := range c.info.Variants {
		v, epsilon := c.info.Variants[i].Variant, 1.0
		if c.info.Variants[i].Model != algorithms.DifferentialPrivacy {
			epsilon = 0
		}
		if c.try(context.Background(), v, epsilon, 0, schema) == nil {
			return v
		}
	}
	return ""
}
