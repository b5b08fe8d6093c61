package claims

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// fiveBelow is a run in which a is below b by far, but for points against it.
func fiveBelow(against int) *results.Run {
	noise := source{3}
	return grid(tenEpsilons[:5], 20, func(series string, epsilon float64, _ int) float64 {
		value := noise.normal() / 100
		if (series == "a") == (slices.Index(tenEpsilons, epsilon) < against) {
			value++
		}
		return value
	})
}

// TestSettledFile: what is written is read again, later verdicts replace those of the same claim,
// and differences are named.
func TestSettledFile(t *testing.T) {
	l := fileOf(t, below)
	judge := func(against int) *Settled {
		run := fiveBelow(against)
		run.Manifest.Files = map[string]string{results.RecordsFile: fmt.Sprint(against)}
		runs := summaries(run)
		return SettledOf(runs, must.Get(Evaluate(l, runs, Options{Settled: true})))
	}
	all, part := judge(0), judge(1)
	if len(all.Judgements) != 1 || all.Judgements[0].Verdict != Holds ||
		part.Judgements[0].Verdict != HoldsInPart {
		t.Fatalf("%+v, %+v", all, part)
	}
	must.Be(t, part.Judgements[0].Checks[0].Where,
		"supports: epsilon 0.05 to 0.5; opposes: epsilon 0.01", "places")
	path := filepath.Join(t.TempDir(), SettledFile)
	if s, err := OpenSettled(path); err != nil || len(s.Judgements) > 0 {
		t.Errorf("without a file: %+v, %v", s, err)
	}
	must.Do(t, results.WriteFile(path, part.Write))
	read := must.Get(OpenSettled(path))
	if got := read.Differences(part, true); len(got) > 0 || read.Records["toy/one"] != "1" {
		t.Errorf("what was written and read again differs: %q, %v", got, read.Records)
	}
	const want = "T-1: holds, or a point or reading, was holds in part (4 of 5 points)"
	must.Equal(t, all.Differences(read, true), []string{want})
	more := *read // the same verdict on more trials
	more.Judgements = slices.Clone(read.Judgements)
	more.Judgements[0].Checks = nil
	must.Be(t, len(more.Differences(read, true)), 1, "differences in points")
	must.Be(t, len(more.Differences(read, false)), 0, "of named claims with the same verdict")
	must.Be(t, len(all.Differences(read, false)), 1, "of named claims")
	seed := uint64(7)
	more.Seed = &seed
	must.Be(t, len(more.Differences(read, true)), 0, "by another seed with the same verdict")
	if all.Add(&Settled{Seed: &seed, Judgements: []Judgement{{ID: "T-2"}}}); len(
		all.Judgements) != 1 {
		t.Errorf("a verdict under another seed is added: %+v", all)
	}
	read.Judgements[0].ID, read.Records["toy/two"] = "T-0", "2"
	if all.Add(part); len(all.Judgements) != 1 || all.Judgements[0].Verdict != Holds ||
		all.Records["toy/one"] != "0" {
		t.Errorf("the later verdict does not replace the earlier one: %+v", all)
	}
	if all.Add(read); len(all.Judgements) != 2 || all.Judgements[0].ID != "T-0" ||
		all.Records["toy/two"] != "2" {
		t.Errorf("another claim's verdict is not kept: %+v", all)
	}
	must.Do(t, os.WriteFile(path, []byte("{}\n{\"id\":\"A\"}\n{\"ID2\":1}\n"), 0o666))
	_, err := OpenSettled(path)
	must.Fail(t, err, SettledFile+":3: ", "a damaged file")
}

// TestBeside: the run's own verdict stays apart from the published one, which has the committed
// numbers if they are of the same checks. A settled run of the user's own stands in place of the
// papers' trials; not one of other checks, of another variant or of stand-ins.
func TestBeside(t *testing.T) {
	l := fileOf(t, below)
	settledAs := func(against int) *Settled {
		runs := summaries(fiveBelow(against))
		return SettledOf(runs, must.Get(Evaluate(l, runs, Options{Settled: true})))
	}
	absent := must.Get(Evaluate(l, nil, Options{}))
	ran := must.Get(Evaluate(l, summaries(fiveBelow(5)), Options{}))
	none, holds, part := &Settled{}, settledAs(0), settledAs(1)
	for _, c := range []struct {
		run          []Judgement
		own, kept    *Settled
		want, papers Verdict
		published    string
		surprise     bool
	}{
		{absent, none, none, NoData, "", "holds", false}, // as the claims file expects
		{absent, none, part, NoData, "", "holds in part (4 of 5 points)", false},
		{absent, part, holds, HoldsInPart, "", "holds", true},
		{ran, part, holds, HoldsInPart, Contradicted, "holds", true},
		{ran, none, holds, Contradicted, "", "holds", true},
	} {
		j := Beside(c.run, c.own, c.kept)[0]
		if j.Verdict != c.want || j.Papers != c.papers || j.Published.Words() != c.published ||
			j.Surprise != c.surprise {
			t.Errorf("%s, %q at the papers' trials, published %s, surprise %t; want %+v", j.Verdict,
				j.Papers, j.Published.Words(), j.Surprise, c)
		}
	}
	ran[0].Variant = Strict
	if j := Beside(ran, holds, holds)[0]; j.Verdict != Contradicted || j.Published != nil {
		t.Errorf("the strict variant has a verdict of the published one: %s", j.Verdict)
	}
	other := fileOf(t, strings.Replace(below, "is: below", "is: above", 1))
	margin := fileOf(t, "equal: 0.1\n"+below)
	for _, changed := range []*File{other, margin} {
		absent := must.Get(Evaluate(changed, nil, Options{}))
		j := Beside(absent, part, part)[0]
		if j.Verdict != NoData || len(j.Published.Checks) > 0 {
			t.Errorf("numbers of other checks are the run's, %s, or published", j.Verdict)
		}
	}
	part.Judgements[0].StandIn = true
	must.Be(t, Beside(absent, part, none)[0].Verdict, NoData, "a verdict on stand-ins is the run's")
}

// TestMeaning: a claim's digests change with what selects or judges, and not with words, layout or
// what is expected. What only readings have changes the first digest alone, a margin not the first
// half of the second.
func TestMeaning(t *testing.T) {
	const text = "paper: toy\ncitation: Toy\nclaims:\n- {id: a, statement: b, source: c, " +
		"expect: holds, reading: r, words: w, checks: [{experiment: toy/one, where: {metric: " +
		"error, series: a}, each: epsilon, equal: 0.5, range: {of: {}, max: 1}}], readings: " +
		"[{name: s, words: v, where: {series: b}, expect: holds}]}\n"
	of := func(old, new string) *Claim {
		changed := strings.Replace(text, old, new, 1)
		if changed == text && old != new {
			t.Fatalf("no %q", old)
		}
		return &must.Get(Parse("toy.yaml", []byte(changed))).Claims[0]
	}
	same := of("", "")
	for _, c := range []struct {
		old, new                 string
		meaning, reading, margin bool // change
	}{
		{"statement: b", "statement: d", false, false, false},
		{"words: v", "words: x", false, false, false}, {"name: s", "name: x", false, false, false},
		{"- {id", "# why\n- {id", false, false, false},
		{"metric: error, series: a", "series: a, metric: error", false, false, false},
		{"each: epsilon", "each: [epsilon]", false, false, false},
		{"each: epsilon", "each: [epsilon, k]", true, true, false},
		{"series: a", "series: b", true, true, false},
		{"max: 1", "min: 1", true, true, false}, {"max: 1", "max: 2", true, true, false},
		{"equal: 0.5", "by: medians, equal: 0.5", true, true, false},
		{"equal: 0.5", "equal: 0.6", true, false, true},
		{"reading: r", "reading: x", false, true, false},
		{"series: b", "series: a", true, false, false},
	} {
		now := of(c.old, c.new)
		nowReading, nowMargin, _ := strings.Cut(now.judged, "-")
		reading, margin, _ := strings.Cut(same.judged, "-")
		if now.meaning != same.meaning != c.meaning || nowReading != reading != c.reading ||
			nowMargin != margin != c.margin {
			t.Errorf("%s: %s and %s, was %s and %s, want %+v", c.new, now.meaning, now.judged,
				same.meaning, same.judged, c)
		}
	}
}

// TestPlanned: before the first run all settings of a claim are asked for, later those of its open
// points.
func TestPlanned(t *testing.T) {
	l := fileOf(t, below)
	asked := func(run *results.Summary, planned bool) int {
		settings := map[string]bool{}
		must.Get(Evaluate(l, []*results.Summary{run}, Options{Settled: true, Planned: planned,
			Open: func(experiment string, x *results.Setting) {
				settings[experiment+" "+x.Series+" "+x.EpsilonText()] = true
			}}))
		return len(settings)
	}
	noise := source{4}
	of := func(shift float64) *results.Run {
		return grid(tenEpsilons[:5], 20, func(series string, epsilon float64, _ int) float64 {
			value := noise.normal() / 100
			if series == "a" && epsilon < 0.2 { // the first three are decided
				value += shift
			}
			return value
		})
	}
	plan := of(0).Summary().Samples()
	for i := range plan {
		plan[i].Trials = nil
	}
	must.Be(t, asked(results.Measured(of(0).Manifest, plan), true), 10)
	must.Be(t, asked(of(-1).Summary(), false), 4)
	must.Be(t, asked(of(1).Summary(), false), 0)
}

// TestChanging tries all states of open points in four checks, of which two have a single point:
// those of a check can change the verdict if in some states of the others it is not the same.
func TestChanging(t *testing.T) {
	states := []string{supports, opposes, equal, open}
	verdictOf := func(points []string) (Verdict, *Judgement) {
		j := &Judgement{}
		for _, group := range [][]string{points[:5], points[5:8], points[8:9], points[9:]} {
			var e Evidence
			for _, state := range group {
				// certain unless it is open
				p := Point{State: state, share: 1}
				if state == open {
					p.P = 1
				}
				e.Points = append(e.Points, p)
			}
			j.Checks = append(j.Checks, e)
		}
		decide(j)
		return j.Verdict, j
	}
	ends := []int{5, 8, 10} // of what counts together
	draws := source{5}
	for range 400 {
		points := make([]string, 10)
		var undecided []int
		for i := range points {
			points[i] = states[int(draws.uniform()*float64(len(states)))]
			if points[i] == open && len(undecided) == 5 {
				points[i] = supports
			}
			if points[i] == open {
				undecided = append(undecided, i)
			}
		}
		_, j := verdictOf(points)
		got := j.changing()
		first := 0
		for group, end := range ends {
			seen := make(map[string]Verdict) // by the states of the others
			want := false
			for code := range 1 << (2 * len(undecided)) {
				tried, others := slices.Clone(points), slices.Clone(points)
				valid := true
				for k, i := range undecided {
					state := states[code>>(2*k)&3]
					valid = valid && state != open
					tried[i], others[i] = state, state
					if i >= first && i < end {
						others[i] = ""
					}
				}
				if !valid {
					continue
				}
				v, _ := verdictOf(tried)
				key := strings.Join(others, " ")
				want = want || seen[key] != "" && seen[key] != v
				seen[key] = v
			}
			if has := slices.Contains(points[first:end], open) && got[group]; has != want {
				t.Fatalf("%q, points %d to %d: may change the verdict: %t, want %t", points, first,
					end, has, want)
			}
			first = end
		}
	}
}

// TestCommitted: the committed settled verdicts can be read, are of the claims as they are now and
// are those that are expected. Make them again with
//
//	make settle && cp results/settled/settled.jsonl report/claims/
func TestCommitted(t *testing.T) {
	kept := must.Get(ReadSettled(committed, SettledFile))
	var again bytes.Buffer
	must.Do(t, kept.Write(&again))
	if !bytes.Equal(again.Bytes(), committed) {
		t.Error("written again, the file differs")
	}
	known := 0
	for _, f := range every(t) {
		for _, now := range must.Get(Evaluate(f, nil, Options{})) {
			j := kept.of(now.ID)
			if j == nil {
				continue
			}
			known++
			if j.Meaning != now.Meaning || j.Verdict != now.Expect {
				t.Errorf("%s: the committed verdict, %s, is of other checks or not the expected %s",
					j.ID, j.Verdict, now.Expect)
			}
		}
	}
	must.Be(t, known, len(kept.Judgements))
}
