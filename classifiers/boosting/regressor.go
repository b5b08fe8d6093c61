package boosting

import (
	"context"
	"math/bits"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
)

func init() { classifiers.RegisterRegressor(Default) }

// FitNumber adds up trees for the squared loss, each fitted to what those before leave of the
// target's numbers: the defaults of scikit-learn's HistGradientBoostingRegressor. Numbers are
// shares of the target's range.
func (c Classifier) FitNumber(ctx context.Context, data classifiers.Data,
	target int) (classifiers.NumberModel, error) {
	if err := data.CheckTarget(ctx, target); err != nil {
		return nil, err
	}
	rows, given := data.Counted()
	weights, total, unit := bins.Units(given, len(rows))
	schema := data.Table.Schema()
	a := &schema.Attributes[target]
	score := &model{start: []float64{0.5}}
	m := &classifiers.Ranged{Each: score.each, Low: a.Low, Width: a.High - a.Low}
	if total == 0 {
		return m, nil
	}
	matrix := bins.New(data.Table, rows, weights, classifiers.Others(schema, target))
	score.features = matrix.Features
	// A gradient is at most most: with all weights its sum stays below 2⁶².
	const most = 2
	var g grower
	g.init(matrix, c, unit, total, min(30, 61-bits.Len64(uint64(total))))
	shares, scores := make([]float64, len(rows)), make([]float64, len(rows))
	sum := int64(0)
	for i, row := range rows {
		shares[i] = (data.Table.Number(row, target) - m.Low) / m.Width
		g.set(i, shares[i], 1, weights[i])
		sum += g.all[i].gradient
	}
	score.start[0] = float64(sum) / (float64(total) * g.scale)
	for i := range scores {
		scores[i] = score.start[0]
	}
	for range c.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, of := range scores {
			g.set(i, max(-most, min(most, of-shares[i])), 1, weights[i])
		}
		t := g.grow(scores)
		score.trees = append(score.trees, bins.NewTree(t.nodes))
		score.values = append(score.values, t.values)
	}
	return m, nil
}
