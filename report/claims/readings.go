package claims

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"

	"ppdp/internal/must"
	"ppdp/internal/results"
)

// stance is what a verdict says of a statement, however far: for it, against it, or neither.
func (v Verdict) stance() Verdict {
	if v == HoldsInPart {
		return Holds
	}
	return v
}

// decided reports whether the verdict is one that more trials do not change.
func (v Verdict) decided() bool { return v.Judges() && v != Undecided }

// Stands is the verdict under which tables show and count a claim: Calibration for one whose
// numbers were chosen, DependsOnReading where at least half of the other decided readings take
// another stance than the judged one, and otherwise the verdict itself.
func (j *Judgement) Stands() Verdict {
	reversing := len(j.reversing())
	decided := results.Count(j.Readings,
		func(r Judgement) bool { return r.Verdict.decided() && !r.Beside })
	switch {
	case j.Calibration != "" && j.Verdict.Judges():
		return Calibration
	case reversing > 0 && 2*reversing >= decided:
		return DependsOnReading
	}
	return j.Verdict
}

// reversing are the other readings that take another stance; none where either is not decided.
func (j *Judgement) reversing() (all []*Judgement) {
	for r := range results.Each(j.Readings) {
		if !r.Beside && j.Verdict.decided() && r.Verdict.decided() &&
			r.Verdict.stance() != j.Verdict.stance() {
			all = append(all, r)
		}
	}
	return all
}

// Says is the verdict that stands as readers see it, with the judged reading's.
func (j *Judgement) Says() string {
	if stands := j.Stands(); stands != j.Verdict {
		return stands.Text() + ": " + j.Words()
	}
	return j.Words()
}

// OthersText counts the other readings of a claim by what they say: "2 hold, 1 opposes".
func (j *Judgement) OthersText() string {
	numbers := make(map[Verdict]int)
	for r := range results.Each(j.Readings) {
		if !r.Beside {
			numbers[r.Verdict.stance()]++
		}
	}
	var texts []string
	for _, of := range []struct {
		stance    Verdict
		one, more string
	}{
		{Holds, "holds", "hold"}, {Contradicted, "opposes", "oppose"},
		{NoDifference, "shows no difference", "show no difference"},
		{Undecided, "is undecided", "are undecided"},
	} {
		switch n := numbers[of.stance]; {
		case n == 1:
			texts = append(texts, "1 "+of.one)
		case n > 1:
			texts = append(texts, fmt.Sprintf("%d %s", n, of.more))
		}
	}
	return strings.Join(texts, ", ")
}

// Reversals say what the points of each reading that takes another stance do.
func (j *Judgement) Reversals() (texts []string) {
	for _, r := range j.reversing() {
		counts := r.Counts()
		of, does := counts.Supports, "support it"
		switch r.Verdict {
		case Contradicted:
			of, does = counts.Opposes, "oppose it"
		case NoDifference:
			of, does = counts.Equal, "show no difference"
		}
		text := fmt.Sprintf("%d of %d points %s", of, counts.All(), does)
		if counts.All() == 0 {
			text = r.Verdict.Text()
		}
		texts = append(texts, text+" by another reading: "+r.Reading)
	}
	return texts
}

// thresholds are those of the rule, and others: the part of its points that may oppose what is not
// contradicted, and the part that must support what holds in part.
type thresholds struct {
	few, enough float64
	name        string
}

var ours = thresholds{few, enough, ""} // of the rule

var otherThresholds = []thresholds{
	{0.1, enough, "more than a tenth in place of a fifth"},
	{1. / 3, enough, "more than a third in place of a fifth"},
	{few, 1. / 3, "at least a third in place of half"},
	{few, 2. / 3, "at least two thirds in place of half"},
}

func (c Counts) verdict() Verdict { return c.verdictBy(ours) }

// verdictBy is what the points say together by some thresholds. A verdict is given when open points
// could not change it, but for one that holds in part and may yet hold.
func (c Counts) verdictBy(t thresholds) Verdict {
	n := float64(c.All())
	switch {
	case c.Supports == c.All():
		return Holds
	case float64(c.Opposes) > t.few*n:
		return Contradicted
	case float64(c.Opposes+c.Open) > t.few*n:
		return Undecided
	case float64(c.Supports) >= t.enough*n:
		return HoldsInPart
	case float64(c.Supports+c.Open) < t.enough*n:
		return NoDifference
	}
	return Undecided
}

// judging are the counts by which each check is judged: of its own points or, for checks of one
// point, of all such points together.
func (j *Judgement) judging() []Counts {
	var singles Counts
	all := make([]Counts, len(j.Checks))
	for i := range j.Checks {
		c := &j.Checks[i]
		if all[i] = c.Counts; len(c.Points) == 1 {
			singles.count(c.Points[0].State)
		}
	}
	for i := range all {
		if len(j.Checks[i].Points) == 1 {
			all[i] = singles
		}
	}
	return all
}

// verdictBy is the verdict of the worst check by some thresholds.
func (j *Judgement) verdictBy(t thresholds) Verdict {
	worst := 0
	for _, counts := range j.judging() {
		worst = max(worst, slices.Index(fromBest, counts.verdictBy(t)))
	}
	return fromBest[worst]
}

// Fixed says when that was fixed by which a claim is judged: its reading, its checks and their
// margins. The last one of a claim is in force.
type Fixed struct {
	Date   string `json:"date"`
	Claim  string `json:"claim"`
	Judged string `json:"judged"` // the claim's digests: of reading and checks, and of margins
	Seen   string `json:"seen"`   // the results that had been seen: "whole runs"
	Reason string `json:"reason"` // of a change, in the paper's words; "" if they say nothing of it
	// What is what differs from the line before: "" for the first line of a claim.
	What string `json:"-"`
}

//go:embed fixed.jsonl
var fixedText []byte

// allFixed are the lines of fixed.jsonl, by date.
var allFixed = sync.OnceValue(func() (all []Fixed) {
	before := make(map[string]string)
	for decoder := json.NewDecoder(bytes.NewReader(fixedText)); decoder.More(); {
		var f Fixed
		if err := decoder.Decode(&f); err != nil {
			panic(err) // a test reads it
		}
		checks, margins, _ := strings.Cut(f.Judged, "-")
		oldChecks, oldMargins, known := strings.Cut(before[f.Claim], "-")
		switch {
		case !known:
		case margins == oldMargins:
			f.What = "reading or checks"
		case checks == oldChecks:
			f.What = "margins"
		default:
			f.What = "reading or checks, and margins"
		}
		before[f.Claim] = f.Judged
		all = append(all, f)
	}
	return all
})

// FixedText says when the way in which the claim is judged was fixed; "" where that is not known.
func (j *Judgement) FixedText() (text string) {
	for _, f := range allFixed() { // the last one is in force
		if f.Claim == j.ID {
			text = "Reading and margins fixed " + f.Date + ", after " + f.Seen + " had been seen"
		}
	}
	return text
}

// changes lists when readings, checks and margins of claims were changed, those of one reason
// together.
func changes(judgements []Judgement) (texts []string) {
	known := make(map[string]bool)
	for j := range results.Each(judgements) {
		known[j.ID] = true
	}
	changed := slices.DeleteFunc(slices.Clone(allFixed()),
		func(f Fixed) bool { return f.What == "" || !known[f.Claim] })
	of := func(f Fixed) string { return f.Date + f.What + f.Seen + f.Reason }
	for _, group := range results.Grouped(changed, of) {
		f := group[0]
		text := f.Date + ", after " + f.Seen + " had been seen: " + f.What + " of " +
			strings.Join(results.Mapped(group, func(f Fixed) string { return f.Claim }), ", ")
		if f.Reason != "" {
			text += ". " + strings.TrimSuffix(f.Reason, ".")
		}
		texts = append(texts, text)
	}
	return texts
}

// Settled is what settled runs found.
type Settled struct {
	// Seed is the master seed of the runs; nil is that of each spec.
	Seed *uint64 `json:"seed,omitempty"`
	// Records are the SHA-256 of each experiment's records, in hexadecimal.
	Records    map[string]string `json:"records"`
	Judgements []Judgement       `json:"-"`
}

//go:embed settled.jsonl
var committed []byte

// Committed is what the settled runs found that were made for this version of the claims: on real
// data, in the published variant.
var Committed = sync.OnceValue(func() *Settled {
	return must.Get(ReadSettled(committed, SettledFile)) // a test reads it
})

// SettledFile is the file of a folder of settled runs that has what they found.
const SettledFile = "settled.jsonl"

// OpenSettled reads a SettledFile; one that does not exist is empty.
func OpenSettled(path string) (*Settled, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &Settled{}, nil
	}
	if err != nil {
		return nil, err
	}
	return ReadSettled(text, path)
}

// SettledOf collects the judgements that are of settled runs, which have one seed.
func SettledOf(runs []*results.Summary, judgements []Judgement) *Settled {
	s := &Settled{Records: make(map[string]string), Judgements: slices.DeleteFunc(
		slices.Clone(judgements), func(j Judgement) bool { return !j.Settled })}
	for _, run := range runs {
		s.Seed = run.Manifest.Overrides.Seed
		s.Records[run.Manifest.Experiment] = run.Manifest.Files[results.RecordsFile]
	}
	return s
}

// Add adds what an older one of the same seed has of other claims and experiments.
func (s *Settled) Add(old *Settled) {
	if !reflect.DeepEqual(s.Seed, old.Seed) {
		return
	}
	for name, digest := range old.Records { // order-free: each has its own key
		s.Records[name] = cmp.Or(s.Records[name], digest)
	}
	for i := range old.Judgements {
		if s.of(old.Judgements[i].ID) == nil {
			s.Judgements = append(s.Judgements, old.Judgements[i])
		}
	}
	slices.SortStableFunc(s.Judgements,
		func(a, b Judgement) int { return cmp.Compare(a.Paper+" "+a.ID, b.Paper+" "+b.ID) })
}

// Write writes a line with the seed and the digests and one for each judgement.
func (s *Settled) Write(w io.Writer) error {
	encoder := results.NewEncoder(w)
	err := encoder.Encode(s)
	for i := range s.Judgements {
		if err == nil {
			err = encoder.Encode(&s.Judgements[i])
		}
	}
	return err
}

// ReadSettled reads what Write wrote. Errors name the file as name.
func ReadSettled(text []byte, name string) (*Settled, error) {
	s := &Settled{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	err := decoder.Decode(s)
	for err == nil && decoder.More() {
		var j Judgement
		err = decoder.Decode(&j)
		s.Judgements = append(s.Judgements, j)
	}
	if err != nil {
		return nil, fmt.Errorf("%s:%d: %w", name, len(s.Judgements)+1, err)
	}
	return s, nil
}

// Differences names the claims on real data whose judgement is not that of another one, if that has
// any. Where not all claims were settled together, settings that others speak of too have fewer
// trials, and only verdicts are compared; so they are where the seed is another.
func (s *Settled) Differences(than *Settled, all bool) (texts []string) {
	all = all && reflect.DeepEqual(s.Seed, than.Seed)
	for i := range s.Judgements {
		j, other := &s.Judgements[i], than.of(s.Judgements[i].ID)
		if other == nil || j.StandIn || !all && j.Verdict == other.Verdict {
			continue
		}
		ours, err := json.Marshal(j)
		theirs, otherErr := json.Marshal(other)
		if err != nil || otherErr != nil || !bytes.Equal(ours, theirs) {
			texts = append(texts, fmt.Sprintf("%s: %s, or a point or reading, was %s", j.ID,
				j.Words(), other.Words()))
		}
	}
	return texts
}

// of is the judgement of a claim, nil without one.
func (s *Settled) of(id string) *Judgement {
	for j := range results.Each(s.Judgements) {
		if j.ID == id {
			return j
		}
	}
	return nil
}

// Beside returns judgements of a run with the published ones beside them. The user's own settled
// verdicts, on real data and of the checks that the claims have now, stand in place of those at the
// papers' numbers of trials.
func Beside(run []Judgement, own, kept *Settled) []Judgement {
	all := slices.Clone(run)
	for j := range results.Each(all) {
		mine, old := own.of(j.ID), kept.of(j.ID)
		j.Readings = slices.Clone(j.Readings)
		if j.Variant == Published && mine != nil && !mine.StandIn && mine.Meaning == j.Meaning {
			j.settle(mine)
		}
		if old != nil && old.Meaning != j.Meaning {
			old = nil
		}
		j.publish(old)
		j.Headline = j.Stands()
		if p := j.Published; p != nil {
			p.Calibration = j.Calibration
			for r := range results.Each(j.Readings) {
				of := Judgement{Reading: r.Reading, Beside: r.Beside}
				if r.Published != nil {
					of.Verdict = r.Published.Verdict
				}
				p.Readings = append(p.Readings, of)
			}
			p.Headline = p.Stands()
		}
	}
	return all
}

// settle takes the verdict and the evidence of a settled run, also for the readings that have one.
func (j *Judgement) settle(by *Judgement) {
	for k := range j.Readings {
		j.Readings[k].settle(&by.Readings[k])
	}
	if !by.Settled {
		return
	}
	if j.Papers = j.Verdict; !j.Papers.Judges() {
		j.Papers = ""
	}
	j.Verdict, j.Effect, j.Checks, j.Experiments = by.Verdict, by.Effect, by.Checks, by.Experiments
	j.Basis, j.Reason, j.Settled = by.Basis, "", true
	j.StandIn, j.Reduced = false, false
	j.Surprise = j.comparable() && j.Verdict != j.Expect
}

// publish puts the published judgement beside one and its readings, with the numbers of the
// committed settled one where that is not nil.
func (j *Judgement) publish(settled *Judgement) {
	for k := range j.Readings {
		var of *Judgement
		if settled != nil {
			of = &settled.Readings[k]
		}
		j.Readings[k].publish(of)
	}
	if j.Expect == "" || j.Variant != Published && j.Basis != "tests" {
		return
	}
	p := &Judgement{ID: j.ID, Paper: j.Paper, Variant: j.Variant, Reading: j.Reading,
		Statement: j.Statement, Source: j.Source, Verdict: j.Expect, Basis: j.Basis}
	if settled != nil && settled.Settled {
		p.Verdict, p.Effect, p.Checks = settled.Verdict, settled.Effect, settled.Checks
		p.Experiments, p.Settled = settled.Experiments, true
	}
	j.Published = p
}

// changing says of which checks open points can still change the verdict: at worst, such a check is
// worse than what the claim has at best.
func (j *Judgement) changing() []bool {
	least, worst := 0, make([]int, len(j.Checks))
	for i, counts := range j.judging() {
		best, bad := counts, counts
		best.Supports, best.Open = best.Supports+best.Open, 0
		bad.Opposes, bad.Open = bad.Opposes+bad.Open, 0
		least = max(least, slices.Index(fromBest, best.verdict()))
		worst[i] = slices.Index(fromBest, bad.verdict())
	}
	return results.Mapped(worst, func(at int) bool { return at > least })
}
