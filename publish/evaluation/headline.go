package evaluation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ppdp/internal/results"
	"ppdp/internal/terminal"
	"ppdp/numeric/elementary"
	"ppdp/report/contest"
)

// Headline is what the measurements of a kind say of a release.
type Headline struct {
	Release string `json:"release"`
	// Sample is the median of Measures measures or, of what it discloses, that of the strongest
	// attack, whose measurement By is; nil for none.
	Sample   *float64 `json:"sample,omitempty"`
	By       string   `json:"by,omitempty"`
	Measures int      `json:"measures"`
	// NoBetter counts the measures by which independent columns are about as good.
	NoBetter int `json:"no_better_than_independent"`
	// Attacked says that attacks on membership were made, for which records are held out.
	Attacked bool `json:"attacked,omitempty"`
	// Nothing says that attacks were made and none found anything, CouldSee what the sharpest
	// would.
	Nothing  bool     `json:"nothing_found,omitempty"`
	CouldSee *float64 `json:"could_have_seen,omitempty"`
	// Copied says that the released records are as near to the original's as if this share of them
	// were copies, and the others chance. None need be a copy.
	Copied *float64 `json:"copied,omitempty"`
	// Verbatim is the share of the released records that equal one of the original. FreshVerbatim
	// is the same share of fresh people's or, without a holdout, its estimate; nil where unknown.
	Verbatim      *float64 `json:"verbatim,omitempty"`
	FreshVerbatim *float64 `json:"fresh_verbatim,omitempty"`
	// Model is the one that the release serves best, Reached its AUC or R², Original that of the
	// original, Guess that of guessing: 0.5 or what it reaches with the target permuted.
	Model    string   `json:"model,omitempty"`
	Reached  *float64 `json:"reached,omitempty"`
	Original *float64 `json:"original,omitempty"`
	Guess    float64  `json:"guess,omitempty"`
}

func percent(share float64) string { return contest.Number(100*share, 2) + " %" }

// short says in a sentence what the measurements of a kind say of a release.
func (e *Evaluation) short(k *Kind, column int) string {
	h := &Headline{Release: e.Columns[column].Name}
	k.Headlines = append(k.Headlines, h)
	var held []*Measurement // against samples, the best first
	for _, m := range k.Measurements {
		v := &m.Values[column]
		if v.Sample != nil && !m.aside() {
			held = append(held, m)
			if v.NoBetter {
				h.NoBetter++
			}
		}
	}
	slices.SortStableFunc(held, func(a, b *Measurement) int {
		return cmp.Compare(*b.Values[column].Sample, *a.Values[column].Sample)
	})
	h.Measures = len(held)
	if k.Name == "disclosure" {
		return h.disclosed(e, k, held, column)
	}
	says := "Nothing here can be held against samples of the original."
	if text := func(m *Measurement) string { return m.Values[column].SampleText }; len(held) > 0 {
		first, middle, last := held[0], held[len(held)/2], held[len(held)-1]
		h.Sample, h.By = middle.Values[column].Sample, middle.Name
		says = "As good as a sample of " + text(middle) + " of the original's records"
		if len(held) > 1 {
			says += fmt.Sprintf(", by the median of %d measures", len(held))
			if text(first) != text(last) {
				says += fmt.Sprintf(": from %s (%s) to %s (%s)", text(last), last.Name,
					text(first), first.Name)
			}
		}
		if than := "no better than independent columns"; h.NoBetter > 0 {
			if 2*h.NoBetter >= len(held) {
				than = strings.ToUpper(than)
			}
			says += fmt.Sprintf("; %s by %d of %d", than, h.NoBetter, len(held))
		}
		if e.fresh >= 0 && k.Name == "fidelity" && middle.Values[e.fresh].SampleText != "" {
			says += "; fresh people reach " + middle.Values[e.fresh].SampleText
		}
		says += "."
	}
	if _, _, unread := e.unread(column); k.Name == "fidelity" && unread != "" {
		says += " " + unread + "."
	}
	return says + h.learned(e, k, column)
}

// disclosed says what the strongest attack finds; held are those that found something.
func (h *Headline) disclosed(e *Evaluation, k *Kind, held []*Measurement, column int) string {
	whole, says := e.whole, ""
	tried := slices.ContainsFunc(k.Measurements, func(m *Measurement) bool {
		return m.Measure == "membership" && m.Values[column].Value != nil
	})
	held = slices.DeleteFunc(held, func(m *Measurement) bool { // chance is in it
		return m.Measure == "unique-matches" && m.of() == ""
	})
	attacks := len(held)
	for _, m := range k.Measurements {
		v := &m.Values[column]
		if v.Nothing {
			attacks++
			if v.CouldSee != nil && (h.CouldSee == nil || *v.CouldSee < *h.CouldSee) {
				h.CouldSee, h.By = v.CouldSee, m.Name
			}
		}
		// The share of the release that is copied is no share of the original: a single record can
		// be a whole release.
		if m.ofRelease() && v.Value != nil && v.Low != nil && whole >= 0 &&
			m.Values[whole].Value != nil && *m.Values[whole].Value > m.chance() &&
			*v.Value-float64(manyAttacks*(*v.Value-*v.Low)) > m.chance() {
			copied := min(1, (*v.Value-m.chance())/(*m.Values[whole].Value-m.chance()))
			if h.Copied == nil || copied > *h.Copied {
				h.Copied = &copied
			}
		}
	}
	switch {
	case len(held) > 0:
		strongest := held[0]
		h.Sample, h.By = strongest.Values[column].Sample, strongest.Name
		says = "The one attack tried"
		if attacks > 1 {
			says = fmt.Sprintf("The strongest of %d attacks", attacks)
		}
		says += fmt.Sprintf(" finds as much as in a sample of %s of the original's records (%s)",
			strongest.Values[column].SampleText, strongest.Name)
	case tried:
		h.Nothing = true
		says = "Nothing found by " + terminal.Counted(max(1, attacks), "attack")
		if h.CouldSee != nil {
			says += fmt.Sprintf("; the sharpest (%s) could have seen a sample of %s of the "+
				"original's records", h.By, percent(*h.CouldSee))
		}
	}
	if h.Attacked = tried; !tried {
		if says != "" {
			says += ". "
		}
		says += "Attacks that need held-out records were not tried"
		h.withoutHoldout(e, k, column)
	}
	says += "."
	if h.Copied != nil {
		says += fmt.Sprintf(" It is as near to the original as if %s of its records were copies, "+
			"and the others chance.", percent(*h.Copied))
	}
	for _, m := range k.Measurements {
		if v := m.Values[column]; m.Measure == "verbatim" && m.of() == "" && v.Value != nil {
			h.Verbatim = v.Value
			says += " Verbatim in the original: " + percent(*v.Value) + " of its records"
			if e.fresh >= 0 && m.Values[e.fresh].Value != nil {
				h.FreshVerbatim = m.Values[e.fresh].Value
				says += ", " + percent(*h.FreshVerbatim) + " of fresh people's"
			} else if h.FreshVerbatim != nil {
				says += ", by chance about " + percent(*h.FreshVerbatim)
			} else {
				says += ", how many by chance is unknown"
			}
			says += "."
		}
	}
	return says
}

// withoutHoldout says what of a release equals the original beyond chance. Records of other people
// equal one of the original's as often as the original's own equal each other. Where independent
// columns do so more often, the original's records were chosen to differ, as in a list of all
// combinations of values, and chance is unknown. But N draws from any distribution are expected to
// hold at most a share of 1 - (1 - 1/u)^N of u unique records.
func (h *Headline) withoutHoldout(e *Evaluation, k *Kind, column int) {
	of := func(measure string, column int) (v Value) {
		for _, m := range k.Measurements {
			if m.Measure == measure && m.of() == "" {
				v = m.Values[column]
			}
		}
		return v
	}
	records := func(column int) float64 {
		of := results.Measurement{Metric: "records"}
		return or(e.value(e.settings[column], of).Value, 0)
	}
	equal, unique := of("verbatim", column), of("unique-matches", column)
	if e.whole < 0 || e.independent < 0 || equal.Denominator == nil || unique.Denominator == nil {
		return
	}
	least := func(v Value) float64 { // the low end of a share
		low := elementary.LowestProbability(*v.Numerator, *v.Denominator, 0.025)
		return *v.Value - float64(manyAttacks*(*v.Value-low))
	}
	share, u := *equal.Value, *unique.Denominator
	twins := 1 - u/records(e.whole)
	if or(of("verbatim", e.independent).Value, 0) <= twins {
		h.FreshVerbatim = &twins
		if least(equal) > twins {
			h.Copied = new((share - twins) / (1 - twins))
		}
	}
	if least(unique) > -elementary.Expm1(-records(column)/max(1, u-1)) {
		h.Copied = &share
	}
}

// learned names the learner that a release serves best, by the area under its ROC curve or, of a
// number, by R², and what it reaches with the original and by guessing. Accuracy would choose by
// the majority, where that is large.
func (h *Headline) learned(e *Evaluation, k *Kind, column int) string {
	var best *Measurement
	for _, m := range k.Measurements {
		if v := m.Values[column].Value; v != nil && (m.Measure == "auc" || m.Measure == "r2") &&
			(best == nil || *v > *best.Values[column].Value) {
			best = m
		}
	}
	if best == nil || e.whole < 0 || best.Values[e.whole].Value == nil {
		return ""
	}
	if best.Measure == "auc" {
		h.Guess = 0.5
	}
	// With few records of a class a learner is better than a guess by chance, in single draws.
	if e.permuted >= 0 && best.Values[e.permuted].Value != nil {
		h.Guess = max(h.Guess, *best.Values[e.permuted].Value)
	}
	h.Model = cmp.Or(best.Classifier, best.Params["regressor"])
	h.Reached, h.Original = best.Values[column].Value, best.Values[e.whole].Value
	says := fmt.Sprintf(" %s: %s, with the original %s, by guessing %s.", best.Name,
		contest.Number(*h.Reached, 3), contest.Number(*h.Original, 3), text(h.Guess, 3))
	if h.kept() < 0.1 {
		says += " NO MODEL DOES BETTER THAN GUESSING."
	}
	return says
}

// kept is how far from guessing to the original the best learner gets.
func (h *Headline) kept() float64 {
	return (*h.Reached - h.Guess) / max(1e-9, *h.Original-h.Guess)
}
