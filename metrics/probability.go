package metrics

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"ppdp/classifiers"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

func init() {
	register := func(name, title, unit, source string, higher, ranks bool,
		value func(probabilities []float64, labels []uint32, classes int) float64) {
		Register(parameterised[LearnParams]{Info{Name: name, Title: title, Unit: unit,
			Source:     source + "; trained on the release's records, tested on raw rows held out",
			Classifier: true, AsPublished: true, HigherIsBetter: higher, Revision: 1,
			Probabilities: !ranks, Ranks: ranks,
		}, LearnParams{}, func(ctx context.Context, c Case, _ *LearnParams) (float64, error) {
			p, labels, err := sureness(ctx, c, ranks)
			return value(p, labels, c.Table.Schema().Classes()), err
		}})
	}
	register("auc", "Area under the ROC curve", "fraction",
		"Hand & Till 2001, one class against the rest, the mean over classes", true, true, AUC)
	register("log-loss", "Log loss", "nats",
		"Good 1952; probabilities below 10⁻¹⁵ count as that", false, false, logLoss)
	register("calibration", "Calibration error", "fraction",
		"Naeini et al. 2015: share of right classes against the largest probability, in ten bins",
		false, false, calibrationError)
}

// sureness is the probabilities of the classes, row by row, that the case's classifier gives the
// test rows when it has learnt from the published records, or scores where these do; with the rows'
// labels.
func sureness(ctx context.Context, c Case, scores bool) (p []float64, labels []uint32, err error) {
	name := c.Classifier.Info().Name
	model, err := learn(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	of, known := model.(classifiers.ProbabilityModel)
	ranked, ranks := model.(classifiers.ScoreModel)
	if !known && !(scores && ranks) {
		return nil, nil, fmt.Errorf("%s: %w", name, errUnsure)
	}
	type key struct{ classifier string }
	p, err = memoize(ctx, c.Published, key{name}, func() ([]float64, error) {
		if sure, ok := model.(classifiers.SureModel); ok {
			a, err := answer(ctx, c, sure)
			return a.probabilities, err
		}
		p := make([]float64, len(c.Test)*c.Table.Schema().Classes())
		if known {
			of.Probabilities(p, c.Table, c.Test)
		} else {
			ranked.Scores(p, c.Table, c.Test)
		}
		return p, nil
	})
	if err != nil {
		return nil, nil, err
	}
	labels = make([]uint32, len(c.Test))
	c.Table.Column(c.Table.Schema().Class()).Gather(c.Test, labels)
	return p, labels, nil
}

// AUC is the chance that a record of a class has a larger probability of it than a record of
// another class, half where they are equal, as a mean over the classes that some but not all
// records have. It is NaN where all records are of one class. probabilities has those of the
// classes, record by record.
func AUC(probabilities []float64, labels []uint32, classes int) float64 {
	area, judged := 0.0, 0
	for class := range classes {
		if classes == 2 && class == 0 {
			continue // the same as the other's
		}
		order := datasets.InOrder(len(labels))
		of := func(i int32) float64 { return probabilities[int(i)*classes+class] }
		slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(of(a), of(b)) })
		// Twice the number of pairs in order, ties counting one.
		pairs, own, others := 0, 0, 0
		for from := 0; from < len(order); {
			to, in := from, 0
			for to < len(order) && of(order[to]) == of(order[from]) {
				if int(labels[order[to]]) == class {
					in++
				}
				to++
			}
			out := to - from - in
			pairs += in * (2*others + out)
			own, others, from = own+in, others+out, to
		}
		if own > 0 && others > 0 {
			area += float64(pairs) / (2 * float64(own) * float64(others))
			judged++
		}
	}
	return area / float64(judged)
}

// logLoss is the mean of -ln P(label).
func logLoss(probabilities []float64, labels []uint32, classes int) float64 {
	const least = 1e-15
	sum := 0.0
	for i, label := range labels {
		sum -= elementary.Log(max(least, probabilities[i*classes+int(label)]))
	}
	return sum / float64(len(labels))
}

// calibrationError is the mean over records of how far the share of right classes among records
// that are about as sure is from how sure they are.
func calibrationError(probabilities []float64, labels []uint32, classes int) float64 {
	const bins = 10
	var right, sure [bins]float64
	for i, label := range labels {
		of := probabilities[i*classes : (i+1)*classes]
		best := classifiers.Majority(of)
		bin := min(bins-1, int(of[best]*bins))
		sure[bin] += of[best]
		if best == int(label) {
			right[bin]++
		}
	}
	sum := 0.0
	for bin := range right {
		sum += math.Abs(right[bin] - sure[bin])
	}
	return sum / float64(len(labels))
}
