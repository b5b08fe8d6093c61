package claims

import (
	"slices"
	"testing"
)

// TestReadingWithChecks: a reading is judged by checks of its own where it has any.
func TestReadingWithChecks(t *testing.T) {
	l := must(Parse("toy.yaml", []byte(`paper: toy
citation: Toy
claims:
  - id: T-1
    statement: A statement.
    source: section 1
    expect: holds
    checks:
      - experiment: toy/one
        where: {metric: error, series: a}
        each: epsilon
        range: {of: {}, max: 2}
    readings:
      - name: other
        expect: contradicted
        checks:
          - experiment: toy/one
            where: {metric: error, series: a}
            each: epsilon
            range: {of: {minus: {experiment: toy/two}}, min: 2}
`)))
	checks, readings := l.Claims[0].Experiments()
	if !slices.Equal(checks, []string{"toy/one"}) ||
		!slices.Equal(readings, []string{"toy/one", "toy/two"}) {
		t.Errorf("experiments %v and %v", checks, readings)
	}
	one := grid(tenEpsilons, 2, constant(1))
	two := grid(tenEpsilons, 2, constant(1))
	two.Manifest.Experiment = "toy/two"
	j := judged(t, l, one, two)
	if j.Verdict != Holds || j.Readings[0].Verdict != Contradicted {
		t.Errorf("%s and %s (%s)", j.Verdict, j.Readings[0].Verdict, j.Readings[0].Reason)
	}
}
