package logistic

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/linear"
	"ppdp/classifiers/internal/testtable"
	"ppdp/internal/convex"
)

// TestDerivatives compares gradient and curvature with differences of the loss and the gradient.
func TestDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testtable.Random(t, 40, true)
		layout := linear.NewLayout(table.Schema())
		p := linear.NewPoints(classifiers.Data{Table: table, Rows: table.AllRows()}, layout)
		m := linear.NewModel(layout, p)
		if m.Machines == 0 {
			t.Skip("one class")
		}
		q := newProblem(p, m)
		n := q.Machines * q.Width
		at, direction := make([]float64, n), make([]float64, n)
		for i := range at {
			at[i] = rapid.Float64Range(-1, 1).Draw(t, "at")
			direction[i] = rapid.Float64Range(-1, 1).Draw(t, "direction")
		}
		const h = 1e-5
		moved := func(by float64) (loss float64, gradient, probabilities []float64) {
			x := make([]float64, n)
			for i := range x {
				x[i] = at[i] + by*direction[i]
			}
			gradient, probabilities = make([]float64, n), make([]float64, q.Len()*q.Machines)
			return q.loss(x, gradient, probabilities), gradient, probabilities
		}
		_, gradient, probabilities := moved(0)
		up, after, _ := moved(h)
		down, before, _ := moved(-h)
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-5*(1+math.Abs(want)) {
				t.Fatalf("%s %v, by differences %v", what, got, want)
			}
		}
		near("slope", convex.Dot(gradient, direction), (up-down)/(2*h))
		curved := make([]float64, n)
		q.curve(curved, direction, probabilities)
		for i := range curved {
			near("curvature", curved[i], (after[i]-before[i])/(2*h))
		}
	})
}
