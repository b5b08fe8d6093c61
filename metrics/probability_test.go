package metrics

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// TestAUC compares with the definition: all pairs of a record of the class and one of another.
func TestAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		classes := rapid.IntRange(1, 4).Draw(t, "classes")
		n := rapid.IntRange(0, 12).Draw(t, "records")
		p, labels := make([]float64, n*classes), make([]uint32, n)
		for i := range labels {
			labels[i] = uint32(rapid.IntRange(0, classes-1).Draw(t, "label"))
			rest := 10
			for class := range classes {
				share := rest
				if class < classes-1 {
					share = rapid.IntRange(0, rest).Draw(t, "tenths")
				}
				rest -= share
				p[i*classes+class] = float64(share) / 10
			}
		}
		want, judged := 0.0, 0.0
		for class := range classes {
			right, pairs := 0.0, 0.0
			for i := range labels {
				for j := range labels {
					if int(labels[i]) != class || int(labels[j]) == class {
						continue
					}
					pairs++
					switch a, b := p[i*classes+class], p[j*classes+class]; {
					case a > b:
						right++
					case a == b:
						right += 0.5
					}
				}
			}
			if pairs > 0 {
				want += right / pairs
				judged++
			}
		}
		got, ok := AUC(p, labels, classes)
		if ok != (judged > 0) || ok && math.Abs(got-want/judged) > 1e-12 {
			t.Fatalf("area %v, %t, by pairs %v of %v classes", got, ok, want/judged, judged)
		}
	})
}

// TestScores, by hand: two records of class 1 with probabilities .8 and .6 of it, one of class 0
// with .7 of class 1.
func TestScores(t *testing.T) {
	p, labels := []float64{0.2, 0.8, 0.4, 0.6, 0.3, 0.7}, []uint32{1, 1, 0}
	for _, c := range []struct {
		name string
		of   func([]float64, []uint32, int) (float64, bool)
		want float64
	}{
		{"log loss", logLoss, -(math.Log(0.8) + math.Log(0.6) + math.Log(0.3)) / 3},
		{"Brier", brier, (0.04 + 0.16 + 0.49) / 3},
		{"calibration", calibrationError, (0.2 + 0.4 + 0.7) / 3}, // a bin for each
	} {
		if got, ok := c.of(p, labels, 2); !ok || math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%s %v, must be %v", c.name, got, c.want)
		}
	}
}
