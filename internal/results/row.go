package results

import "math"

// IntervalMethod says how Lo95 and Hi95 are computed; the manifest carries it.
const IntervalMethod = "two-sided 95 % Student-t interval over trial means " +
	"(folds averaged within a trial first), not corrected for multiple comparisons"

// confidence is the coverage of Lo95..Hi95.
const confidence = 0.95

// Row is one sample and its summary over trials: a line of summary.csv.
type Row struct {
	Sample
	N, Failed            int // trials with a value and without
	Mean, SE, Lo95, Hi95 float64
	// Broken says that a release of the setting has no finite proven loss, and that this is more
	// than nobody's having looked at a program outside: its guarantee is broken.
	Broken bool
}

// Rows summarises samples. SE, Lo95 and Hi95 are NaN where fewer than two trials have a value, Mean
// too where none has. Trials that agree exactly have SE 0 and an interval of no width.
func Rows(samples []Sample) []Row {
	rows := make([]Row, len(samples))
	for i := range samples {
		s := &samples[i]
		trials := s.Finite()
		row := Row{Sample: *s, N: len(trials), Failed: len(s.Trials) - len(trials)}
		row.Mean, row.SE, row.Lo95, row.Hi95 = meanAndInterval(trials)
		rows[i] = row
	}
	return rows
}

// StandardError is s/√n, NaN for fewer than two values.
func StandardError(x []float64) float64 {
	n := float64(len(x))
	if n < 2 {
		return math.NaN()
	}
	average, squares := Mean(x), 0.0
	for _, v := range x {
		d := v - average
		squares += float64(d * d)
	}
	return math.Sqrt(squares / (n - 1) / n)
}

// meanAndInterval returns the sample mean, its standard error s/√n and the Student-t interval
// mean ± t(0.975, n-1)·SE; what n does not allow is NaN.
func meanAndInterval(x []float64) (average, se, lo, hi float64) {
	average, se = Mean(x), StandardError(x)
	if len(x) < 2 {
		return average, se, math.NaN(), math.NaN()
	}
	half := float64(studentQuantile(confidence, len(x)-1) * se)
	return average, se, average - half, average + half
}
