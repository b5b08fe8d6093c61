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
	"slices"
	"sync"

	"ppdp/internal/results"
)

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
	s, err := ReadSettled(committed, SettledFile)
	if err != nil {
		panic(err) // a test reads it
	}
	return s
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
func SettledOf(runs []*results.Summary, judgements ...[]Judgement) *Settled {
	s := &Settled{Records: make(map[string]string)}
	for _, run := range runs {
		s.Seed = run.Manifest.Overrides.Seed
		s.Records[run.Manifest.Experiment] = run.Manifest.Files[results.RecordsFile]
	}
	for _, j := range slices.Concat(judgements...) {
		if j.Settled {
			s.Judgements = append(s.Judgements, j)
		}
	}
	return s
}

// Add adds what an older one of the same seed has of other claims and experiments.
func (s *Settled) Add(old *Settled) {
	if !s.sameSeed(old) {
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

func (s *Settled) sameSeed(other *Settled) bool {
	if s.Seed == nil || other.Seed == nil {
		return s.Seed == other.Seed
	}
	return *s.Seed == *other.Seed
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
	all = all && s.sameSeed(than)
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
	at := slices.IndexFunc(s.Judgements, func(j Judgement) bool { return j.ID == id })
	if at < 0 {
		return nil
	}
	return &s.Judgements[at]
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
			for k := range j.Readings {
				p.Readings = append(p.Readings,
					Judgement{Reading: j.Readings[k].Reading, Verdict: j.Readings[k].published()})
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

// published is the published verdict, "" without one.
func (j *Judgement) published() Verdict {
	if j.Published == nil {
		return ""
	}
	return j.Published.Verdict
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
	changing := make([]bool, len(worst))
	for i := range worst {
		changing[i] = worst[i] > least
	}
	return changing
}
