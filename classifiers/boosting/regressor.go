package boosting

import (
	"context"
	"math/bits"

	"ppdp/classifiers"
	"ppdp/classifiers/internal/bins"
	"ppdp/datasets"
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
	m := &numbers{score: model{start: []float64{0.5}}, low: a.Low, width: a.High - a.Low}
	if total == 0 {
		return m, nil
	}
	matrix := bins.New(data.Table, rows, weights, classifiers.Others(schema, target))
	m.score.features = matrix.Features
	// A gradient is at most most: with all weights its sum stays below 2⁶².
	const most = 2
	var g grower
	g.init(matrix, c, unit, total, min(30, 61-bits.Len64(uint64(total))))
	shares, scores := make([]float64, len(rows)), make([]float64, len(rows))
	sum := int64(0)
	for i, row := range rows {
		shares[i] = (data.Table.Number(row, target) - m.low) / m.width
		g.set(i, shares[i], 1, weights[i])
		sum += g.all[i].gradient
	}
	m.score.start[0] = float64(sum) / (float64(total) * g.scale)
	for i := range scores {
		scores[i] = m.score.start[0]
	}
	for range c.Trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		for i, score := range scores {
			g.set(i, max(-most, min(most, score-shares[i])), 1, weights[i])
		}
		t := g.grow(scores)
		m.score.trees = append(m.score.trees, bins.NewTree(t.nodes))
		m.score.values = append(m.score.values, t.values)
	}
	return m, nil
}

// numbers is a model whose one score is a number as a share of the target's range.
type numbers struct {
	score      model
	low, width float64
}

// Numbers writes the number predicted for each row.
func (m *numbers) Numbers(dst []float64, table *datasets.Table, rows []int32) {
	m.score.each(table, rows, func(i int, scores []float64) {
		dst[i] = m.low + float64(scores[0]*m.width)
	})
}
