package language

import (
	"fmt"
	"strings"
	"testing"
)

// shares lists n numbers from 0 to 1 as YAML.
func shares(n int) string {
	words := make([]string, n)
	for i := range words {
		words[i] = fmt.Sprint(float64(i+1) / float64(n))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// TestSize: plans beyond all bounds are refused, by what multiplies in them. The products are
// computed by hand.
func TestSize(t *testing.T) {
	t.Parallel()
	const text = `name: t/size
trials: %d
folds: %d
dataset: {name: gaussian, n: 300, shape: clusters-5d}
epsilon: %s
algorithms:
  - {name: test-coin, params: {share: %s, k: %s}}
measure:
  - {metric: accuracy, classifier: majority}
`
	whole := func(n int) string {
		words := make([]string, n)
		for i := range words {
			words[i] = fmt.Sprint(i)
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	for _, c := range []struct {
		trials, folds int
		epsilon       string
		shares, ks    int
		want          string // nothing: it is a plan
	}{
		{100_000, 4, "1", 10, 1, ""},
		{100_000, 5, "1", 10, 1,
			"the experiment has 5000000 jobs, must be at most 4194304"},
		{1, 0, "1", 257, 257, "the lists multiply to more than 65536 combinations"},
		{1, 0, shares(300), 300, 1, "multiply to more than 65536 configurations"},
	} {
		spec, err := Parse("f.yaml", fmt.Appendf(nil, text, c.trials, c.folds, c.epsilon,
			shares(c.shares), whole(c.ks)))
		if err == nil {
			_, err = spec.Plan(Overrides{})
		}
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d trials, %d folds, %d shares, %d ks: %v, want %q", c.trials, c.folds,
				c.shares, c.ks, err, c.want)
		}
	}
	spec := must(Parse("f.yaml", fmt.Appendf(nil, text, 1, 0, "1", "0.5", "1")))
	_, err := spec.Plan(Overrides{Trials: 1 << 60})
	if err == nil || !strings.Contains(err.Error(), "must be between 1 and 100000") {
		t.Errorf("1<<60 trials from outside: %v", err)
	}
}
