package report

import (
	"strconv"
	"strings"

	"ppdp/internal/results"
)

// spending shows where the privacy budget of a series' releases went, as shares of ε.
type spending struct{ *results.Spending }

// Claimed is the mean cost of a release, and the cost of each purpose, by the sensitivities that
// the paper states: "1.000 ε: cuts 0.500, counts 0.500".
func (s spending) Claimed() string {
	text, _ := s.shares(func(p *results.PurposeSpending) float64 { return p.Claimed })
	return text
}

// Proven is the same by the sensitivities that hold, with the largest loss of a release where three
// decimals tell it from the mean.
func (s spending) Proven() string {
	text, mean := s.proven()
	switch {
	case s.Unbounded:
		return "no finite bound"
	case s.Worst > mean+0.0005:
		return text + "; at most " + decimal(s.Worst) + " ε"
	}
	return text
}

// Over reports whether the proven loss exceeds ε.
func (s spending) Over() bool {
	_, mean := s.proven()
	return s.Unbounded || results.Bound(max(mean, s.Worst)).Exceeds(1)
}

func (s spending) proven() (text string, mean float64) {
	return s.shares(func(p *results.PurposeSpending) float64 { return p.Proven })
}

func (s spending) shares(of func(*results.PurposeSpending) float64) (text string, sum float64) {
	var parts []string
	for p := range results.Each(s.Purposes) {
		share := of(p) / float64(s.Releases)
		sum += share
		parts = append(parts, p.Purpose+" "+decimal(share))
	}
	return decimal(sum) + " ε: " + strings.Join(parts, ", "), sum
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }
