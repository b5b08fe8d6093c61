package report

import (
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// claimed is the mean cost of a release, and the cost of each purpose, by the sensitivities that
// the paper states, as shares of ε: "1.000 ε: cuts 0.500, counts 0.500".
func claimed(s *results.Spending) string {
	text, _ := shares(s, func(p *results.PurposeSpending) float64 { return p.Claimed })
	return text
}

// proven is the same by the sensitivities that hold, with the largest loss of a release where three
// decimals tell it from the mean.
func proven(s *results.Spending) string {
	text, mean := provenShares(s)
	switch {
	case s.Unbounded:
		return "no finite bound"
	case s.Worst > mean+0.0005:
		return text + "; at most " + decimal(s.Worst) + " ε"
	}
	return text
}

// overspent reports whether the proven loss exceeds ε.
func overspent(s *results.Spending) bool {
	_, mean := provenShares(s)
	return s.Unbounded || results.Bound(max(mean, s.Worst)).Exceeds(1)
}

func provenShares(s *results.Spending) (text string, mean float64) {
	return shares(s, func(p *results.PurposeSpending) float64 { return p.Proven })
}

func shares(s *results.Spending, of func(*results.PurposeSpending) float64) (
	text string, sum float64) {
	var parts []string
	for p := range results.Each(s.Purposes) {
		share := of(p) / float64(s.Releases)
		sum += share
		parts = append(parts, p.Purpose+" "+decimal(share))
	}
	return decimal(sum) + " ε: " + strings.Join(parts, ", "), sum
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
