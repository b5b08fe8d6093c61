package partition

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestScoresByHand divides 8 rows of classes (5, 3) into (4, 0), (1, 1) and (0, 2).
func TestScoresByHand(t *testing.T) {
	counts := []int32{4, 0, 1, 1, 0, 2}
	penalties := []float64{0.5, 0, 0.25}
	entropy := -(5*math.Log2(5.0/8) + 3*math.Log2(3.0/8)) / 8
	for utility, want := range map[Utility]float64{
		MaxClass:         4 + 1 + 2,
		Discernibility:   -(16 + 4 + 4),
		CertaintyPenalty: -(4*0.5 + 2*0.25),
		InformationGain:  entropy - 2.0/8, // only the even child has entropy left: 1 bit
	} {
		s := Scorer{Utility: utility, Classes: 2, Records: 8}
		if got := s.Score(counts, penalties); math.Abs(got-want) > 1e-12 {
			t.Errorf("%s scores %v, must score %v", utility, got, want)
		}
	}
	program := Scorer{Utility: Discernibility, Classes: 2, Records: 8, Program: true}
	if got, want := program.Score(counts, nil), 10000*(1-24.0/64); math.Abs(got-want) > 1e-9 {
		t.Errorf("the program scores dm %v, must score %v", got, want)
	}
	program.Utility = CertaintyPenalty
	if got, want := program.Score(counts, penalties), 8-2.5; math.Abs(got-want) > 1e-12 {
		t.Errorf("the program scores ncp %v, must score %v", got, want)
	}
}

// TestSensitivities adds one record to random divisions. Max, the certainty penalty and the
// information gain move by their Δu at most; the discernibility, for rows among at most |D|, by
// 2|D|+1.
func TestSensitivities(t *testing.T) {
	for _, utility := range Utilities() {
		t.Run(string(utility), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				classes := rapid.IntRange(2, 3).Draw(t, "classes")
				children := rapid.IntRange(1, 4).Draw(t, "children")
				counts := rapid.SliceOfN(rapid.Int32Range(0, 6), classes*children,
					classes*children).Draw(t, "counts")
				penalties := rapid.SliceOfN(rapid.Float64Range(0, 1), children, children).Draw(t,
					"penalties")
				more := slices.Clone(counts)
				more[rapid.IntRange(0, len(more)-1).Draw(t, "new record")]++
				s := Scorer{Utility: utility, Classes: classes, Records: total(counts)}
				change := s.Score(more, penalties) - s.Score(counts, penalties)
				if math.Abs(change) > s.Sensitivity()+1e-9 {
					t.Fatalf("one record moves the score by %v, Δu is %v", change, s.Sensitivity())
				}
				if s.Monotone() {
					if up := utility == MaxClass; up && change < -1e-12 || !up && change > 1e-12 {
						t.Fatalf("one record moves a monotone score by %v", change)
					}
				}
			})
		})
	}
}

// TestDiscernibilityLossOfOneLevel is errata D3. A level of the tree runs one mechanism in each
// region, all of them with scores divided by 2|D|+1, and |D| is the number of all records: one more
// record changes every region's choice. In random levels of up to four regions with up to four
// candidates each, the record's own region loses no more than the part that the proof gives it, the
// others together no more than theirs, and all no more than half of ε′.
func TestDiscernibilityLossOfOneLevel(t *testing.T) {
	const epsilon = 1.0
	rapid.Check(t, func(t *rapid.T) {
		regions := rapid.IntRange(1, 4).Draw(t, "regions")
		choices := rapid.IntRange(1, 4).Draw(t, "candidates")
		sizes := rapid.SliceOfN(rapid.IntRange(0, 60), regions, regions).Draw(t, "sizes")
		records := rapid.IntRange(0, 20).Draw(t, "records elsewhere")
		for _, n := range sizes {
			records += n
		}
		own := rapid.IntRange(0, regions-1).Draw(t, "region of the new record")
		// The worst output takes the worst candidate in every region: the losses of independent
		// choices add up.
		var up, down [2]float64 // of the own region, of the others
		for region, n := range sizes {
			before, after := make([][]int32, choices), make([][]int32, choices)
			for i := range before {
				first := rapid.IntRange(0, n).Draw(t, "first child")
				before[i] = []int32{int32(first), int32(n - first)}
				after[i] = slices.Clone(before[i])
				if region == own {
					after[i][rapid.IntRange(0, 1).Draw(t, "child of the new record")]++
				}
			}
			p := chances(Scorer{Utility: Discernibility, Classes: 1, Records: records}, before,
				epsilon)
			q := chances(Scorer{Utility: Discernibility, Classes: 1, Records: records + 1}, after,
				epsilon)
			part := 1
			if region == own {
				part = 0
			}
			most, least := math.Inf(-1), math.Inf(1)
			for i := range p {
				ratio := math.Log(p[i] / q[i])
				most, least = max(most, ratio), min(least, ratio)
			}
			up[part], down[part] = up[part]+most, down[part]-least
		}
		N, n := float64(records), float64(sizes[own])
		bounds := [2]float64{epsilon * n / (2*N + 3),
			epsilon * (N - n) * (N - n) / ((2*N + 1) * (2*N + 3))}
		for part, bound := range bounds {
			if loss := max(up[part], down[part]); loss > bound+1e-9 {
				t.Fatalf("part %d loses %v, must lose at most %v", part, loss, bound)
			}
		}
		if loss := max(up[0]+up[1], down[0]+down[1]); loss > epsilon/2+1e-9 {
			t.Fatalf("a level loses %v, must lose at most half of %v", loss, epsilon)
		}
	})
}

// chances is the exponential mechanism by its definition.
func chances(s Scorer, candidates [][]int32, epsilon float64) []float64 {
	p, sum := make([]float64, len(candidates)), 0.0
	for i, counts := range candidates {
		p[i] = math.Exp(epsilon * s.Score(counts, nil) / (2 * s.Sensitivity()))
		sum += p[i]
	}
	for i := range p {
		p[i] /= sum
	}
	return p
}
