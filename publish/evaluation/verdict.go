package evaluation

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Verdict says what a release may be used for, and what it discloses at worst.
type Verdict struct {
	Release string `json:"release"`
	Text    string `json:"text"`
	Uses    []Use  `json:"uses"`
	// HandOut is "no" where it discloses too much, "unknown" where attacks were not tried, else
	// "nothing found" or "found", which is for the holder to judge.
	HandOut string `json:"hand_out"`
}

// Use is a purpose, and whether the release serves it.
type Use struct {
	For    string   `json:"for"`
	Answer string   `json:"answer"`          // yes, with care, no or unknown
	Value  *float64 `json:"value,omitempty"` // that the answer goes by
	Worst  []string `json:"worst,omitempty"` // columns that are wrong
}

// worse adds columns that are wrong: the answer is with care at best.
func (u *Use) worse(columns []string) {
	for _, name := range columns {
		if u.Answer == "yes" {
			u.Answer = "with care"
		}
		if !slices.Contains(u.Worst, name) {
			u.Worst = append(u.Worst, name)
		}
	}
}

// Limits of the answers. A learner may lose a tenth of what the original's has over guessing, half
// with care; counts of two attributes may be wrong for a twentieth of the records, or for little
// more than fresh people are, .15 with care; a column's mean by a tenth, its median and P95 by .15.
// Where the original's has less than .02 over guessing, nothing is to be learned.
// What discloses as much as a tenth of the records, is as near as if as much of it were copies, or
// has by half more records verbatim than fresh people, is not handed out.
const (
	keptWell, keptSome     = 0.9, 0.5
	countsWell, countsSome = 0.05, 0.15
	meanWell, quantileWell = 0.1, 0.15
	muchDisclosed          = 0.1
	muchVerbatim           = 0.5
	leastLearned           = 0.02
)

// or is a number that there may be, else another.
func or(x *float64, other float64) float64 {
	if x == nil {
		return other
	}
	return *x
}

func answer(well, some bool) string {
	switch {
	case well:
		return "yes"
	case some:
		return "with care"
	}
	return "no"
}

// judge makes the verdicts.
func (e *Evaluation) judge() {
	for column, c := range e.Columns {
		if !c.Release {
			continue
		}
		v := &Verdict{Release: c.Name, HandOut: "unknown"}
		e.Verdicts = append(e.Verdicts, v)
		discloses := "attacks on it were not tried: name a holdout"
		unread, numbers, says := e.unread(column)
		for _, k := range e.Kinds {
			h := k.Headlines[column]
			switch k.Name {
			case "utility":
				if h.Reached == nil {
					continue
				}
				use := Use{For: "a classifier or regression", Answer: "unknown"}
				if *h.Original-h.Guess >= leastLearned {
					kept := h.kept()
					use.Answer, use.Value = answer(kept >= keptWell, kept >= keptSome), &kept
				}
				use.worse(unread)
				v.Uses = append(v.Uses, use)
			case "fidelity":
				counts, amounts := e.counts(k, column), e.amounts(column)
				for i := range counts {
					counts[i].worse(unread)
				}
				for i := range amounts {
					amounts[i].worse(numbers)
				}
				v.Uses = append(append(v.Uses, counts...), amounts...)
			case "disclosure":
				share := or(h.Copied, 0)
				switch {
				case h.Sample != nil:
					share = max(share, *h.Sample)
					v.HandOut, discloses = "found", "at worst it discloses as much as "+
						percent(*h.Sample)+" of the original's records ("+h.By+")"
				case h.Nothing:
					v.HandOut, discloses = "nothing found", "attacks found nothing"
					if h.CouldSee != nil {
						discloses += ", and could have seen " + percent(*h.CouldSee) +
							" of the original's records"
					}
				}
				if h.Copied != nil {
					v.HandOut = "found"
					discloses = "as near to the original as if " + percent(*h.Copied) +
						" of its records were copies; " + discloses
				}
				if h.Verbatim != nil {
					chance := or(h.FreshVerbatim, 0)
					if *h.Verbatim > max(0.002, 2*chance) {
						discloses += "; " + percent(*h.Verbatim) + " of its records are in the " +
							"original verbatim"
						if h.FreshVerbatim == nil {
							discloses += ", how many by chance is unknown"
						}
					}
					if h.FreshVerbatim != nil && *h.Verbatim-chance >= muchVerbatim {
						v.HandOut = "no"
					}
				}
				if share >= muchDisclosed {
					v.HandOut = "no"
				}
			}
		}
		if says != "" {
			discloses = says + "; " + discloses
		}
		v.Text = v.says(discloses)
	}
}

func (v *Verdict) says(discloses string) string {
	var parts []string
	for _, a := range []struct{ answer, says string }{{"yes", "good for"},
		{"with care", "with care for"}, {"no", "NOT for"}} {
		var uses []string
		for _, u := range v.Uses {
			if u.Answer == a.answer {
				says := u.For
				if u.Worst != nil {
					worst := u.Worst[:min(5, len(u.Worst))]
					says += " (wrong: " + strings.Join(worst, ", ")
					if more := len(u.Worst) - len(worst); more > 0 {
						says += fmt.Sprintf(", %d more", more)
					}
					says += ")"
				}
				uses = append(uses, says)
			}
		}
		if uses != nil {
			parts = append(parts, a.says+" "+strings.Join(uses, ", "))
		}
	}
	says := strings.Join(append(parts, discloses), "; ") + "."
	if v.HandOut == "no" {
		says = "NOT TO BE HANDED OUT; " + says
	}
	return strings.ToUpper(says[:1]) + says[1:]
}

// counts judges counts of two attributes by the distance of their marginals, in the mean over all
// pairs. It names each pair that is further off than the mean may be with care and than fresh
// people's pair is.
func (e *Evaluation) counts(k *Kind, column int) []Use {
	at := slices.IndexFunc(k.Measurements, func(m *Measurement) bool {
		pairs := m.Params["attributes"]
		return m.Measure == "marginal-distance" && (pairs == "" || pairs == "2")
	})
	if at < 0 || k.Measurements[at].Values[column].Value == nil {
		return nil
	}
	values := k.Measurements[at].Values
	off, well := *values[column].Value, countsWell
	if e.fresh >= 0 {
		well = max(well, float64(1.1*or(values[e.fresh].Value, 0)))
	}
	use := Use{"counts and tables", answer(off <= well, off <= countsSome), &off, nil}
	pairs := slices.SortedStableFunc(slices.Values(e.Pairs), func(a, b *Pair) int {
		return cmp.Compare(or(b.Releases[column], 0), or(a.Releases[column], 0))
	})
	for _, p := range pairs {
		off := or(p.Releases[column], 0)
		if off > max(countsSome, float64(1.1*or(p.Fresh, 0))) {
			use.worse([]string{fmt.Sprintf("%s by %s in %s", p.First, p.Second, percent(off))})
		}
	}
	return []Use{use}
}

// amounts judges means, medians and P95 of numbers: relative to the original's or, where that is
// near 0, to a tenth of the range from P5 to P95. A mean may be off by twice fresh people's, and
// quantiles count where distributions differ: one of few values may jump.
func (e *Evaluation) amounts(column int) []Use {
	numbers, worst := 0, []string(nil)
	for _, a := range e.Attributes {
		truth, own := a.Original, a.Releases[column]
		if truth == nil || own == nil || truth.Mean == nil || own.Mean == nil ||
			len(truth.Quantiles) != 5 || len(own.Quantiles) != 5 { // a spec may ask for others
			continue
		}
		numbers++
		floor := (truth.Quantiles[4] - truth.Quantiles[0]) / 10
		off := func(x, y float64) float64 {
			return math.Abs(x-y) / max(math.Abs(x), floor, math.SmallestNonzeroFloat64)
		}
		mean, far := meanWell, countsWell
		if a.Fresh != nil && a.Fresh.Mean != nil && a.Fresh.Distance != nil {
			mean = max(mean, float64(2*off(*truth.Mean, *a.Fresh.Mean)))
			far = max(far, float64(1.1**a.Fresh.Distance))
		}
		if off(*truth.Mean, *own.Mean) > mean || own.Distance != nil && *own.Distance > far &&
			(off(truth.Quantiles[2], own.Quantiles[2]) > quantileWell ||
				off(truth.Quantiles[4], own.Quantiles[4]) > quantileWell) {
			worst = append(worst, a.Name)
		}
	}
	if numbers == 0 {
		return nil
	}
	share := float64(len(worst)) / float64(numbers)
	return []Use{{"means and quantiles of single columns", answer(worst == nil, share <= 0.25),
		&share, worst}}
}
