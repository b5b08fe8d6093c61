package plots

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"ppdp/internal/results"
)

func madeUpAudit(variant string, epsilon, proven, seen float64) results.Audit {
	return results.Audit{Algorithm: "rps", Variant: variant, Series: "RPS " + variant,
		Epsilon: epsilon, Proven: results.Bound(proven), Seen: results.Bound(seen)}
}

// TestAuditFigure: losses are parts of epsilon, what is proven is drawn where it is not the claimed
// epsilon, an infinite loss is a gap that its label names, and of many series the largest is shown.
func TestAuditFigure(t *testing.T) {
	inf := math.Inf(1)
	audits := []results.Audit{madeUpAudit("strict", 1, 1, 0.5), madeUpAudit("strict", 2, 2, 2),
		madeUpAudit("published", 1, 3, 1.5), madeUpAudit("published", 2, inf, inf)}
	audits[0].BlackBox = &results.Certified{Bound: 0.25}
	want := []string{
		"RPS strict: seen [{1 0.5} {2 1}]",
		"RPS strict: black box [{1 0.25}]",
		"RPS published: seen (infinite where no point is) [{1 1.5} {2 NaN}]",
		"RPS published: proven (infinite where no point is) [{1 3} {2 NaN}]",
		"Claimed, and proven where no curve is [{0 1}]",
	}
	c := must(newAudit(audits))
	var got []string
	for _, l := range c.lines {
		var points []string
		for _, p := range l.Points {
			points = append(points, fmt.Sprintf("{%v %v}", p.X, p.Mean))
		}
		got = append(got, fmt.Sprint(l.Label, " ", points))
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q\nwant %q", got, want)
	}
	if !c.y.contains(0) || !c.y.contains(3) {
		t.Errorf("the axis runs from %v to %v", c.y.min, c.y.max)
	}
	run := &results.Summary{Audits: audits}
	paths, _, err := WriteExperiment(t.TempDir(), run)
	if err != nil || len(paths) != 3 || !strings.HasSuffix(paths[0], "audit.pdf") {
		t.Errorf("%v, %v", paths, err)
	}
	for i := range 20 {
		a := madeUpAudit("strict", 2, 2, float64(i)/10)
		a.Series = fmt.Sprint("setting ", i)
		audits = append(audits, a)
	}
	c, err = newAudit(audits)
	if err != nil || c.lines[0].Label != "rps (strict): seen" || c.lines[0].Points[1].Mean != 1 {
		t.Errorf("%v, %+v", err, c)
	}
	if c, err := newAudit(audits[:1]); c != nil || err != nil {
		t.Errorf("one epsilon gives %v, %v", c, err)
	}
}
