package classifiers

import "math"

// Confusion is a confusion matrix: how much weight of each actual class was predicted as each
// class. The zero value has no classes; NewConfusion makes one.
//
// Figures that divide by nothing (the precision of a class never predicted, say) are NaN: they
// are undefined, and a caller who averages must decide what that means.
type Confusion struct {
	Classes int
	Weights []float64 // actual-major: actual·Classes + predicted
}

// NewConfusion returns an empty matrix over the given number of classes.
func NewConfusion(classes int) *Confusion {
	return &Confusion{Classes: classes, Weights: make([]float64, classes*classes)}
}

// Add counts one prediction of the given weight.
func (c *Confusion) Add(actual, predicted uint32, weight float64) {
	c.Weights[int(actual)*c.Classes+int(predicted)] += weight
}

// Merge adds the counts of another matrix over the same classes, as of another fold.
func (c *Confusion) Merge(other *Confusion) {
	if c.Classes != other.Classes {
		panic("classifiers: confusion matrices over different classes")
	}
	for i, w := range other.Weights {
		c.Weights[i] += w
	}
}

// At is the weight of actual rows predicted as predicted.
func (c *Confusion) At(actual, predicted int) float64 {
	return c.Weights[actual*c.Classes+predicted]
}

// Actual is the weight of all rows whose class is class.
func (c *Confusion) Actual(class int) float64 {
	sum := 0.0
	for p := range c.Classes {
		sum += c.At(class, p)
	}
	return sum
}

// Predicted is the weight of all rows predicted as class.
func (c *Confusion) Predicted(class int) float64 {
	sum := 0.0
	for a := range c.Classes {
		sum += c.At(a, class)
	}
	return sum
}

// Total is the weight of all predictions.
func (c *Confusion) Total() float64 {
	sum := 0.0
	for _, w := range c.Weights {
		sum += w
	}
	return sum
}

// Correct is the weight of the right predictions.
func (c *Confusion) Correct() float64 {
	sum := 0.0
	for class := range c.Classes {
		sum += c.At(class, class)
	}
	return sum
}

// Accuracy is the fraction of right predictions.
func (c *Confusion) Accuracy() float64 { return c.Correct() / c.Total() }

// Precision is the fraction of the predictions of class that are right.
func (c *Confusion) Precision(class int) float64 { return c.At(class, class) / c.Predicted(class) }

// Recall is the fraction of the actual rows of class that are found.
func (c *Confusion) Recall(class int) float64 { return c.At(class, class) / c.Actual(class) }

// F1 is the harmonic mean of precision and recall, in the form that stays defined when only one
// of them is: 2·tp/(actual+predicted).
func (c *Confusion) F1(class int) float64 {
	return 2 * c.At(class, class) / (c.Actual(class) + c.Predicted(class))
}

// MacroPrecision is the unweighted mean of the classes' precisions: NaN when one is undefined, as
// are the other means.
func (c *Confusion) MacroPrecision() float64 { return c.macro(c.Precision) }

// MacroRecall is the unweighted mean of the classes' recalls, also called balanced accuracy.
func (c *Confusion) MacroRecall() float64 { return c.macro(c.Recall) }

// MacroF1 is the unweighted mean of the classes' F1.
func (c *Confusion) MacroF1() float64 { return c.macro(c.F1) }

func (c *Confusion) macro(figure func(class int) float64) float64 {
	sum := 0.0
	for class := range c.Classes {
		sum += figure(class)
	}
	return sum / float64(c.Classes)
}

// Kappa is Cohen's chance-corrected agreement (p−e)/(1−e), where e is the agreement expected of
// independent labels with the same margins (Cohen 1960). It is NaN when chance alone explains
// everything (e = 1).
func (c *Confusion) Kappa() float64 {
	total := c.Total()
	chance := 0.0
	for class := range c.Classes {
		chance += float64(c.Actual(class) / total * (c.Predicted(class) / total))
	}
	if chance >= 1 {
		return math.NaN()
	}
	return (c.Accuracy() - chance) / (1 - chance)
}
