package claims

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"strings"
	"sync"

	"ppdp/internal/results"
)

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

// fixedOf is the last line of a claim, nil without one.
func fixedOf(id string) (last *Fixed) {
	all := allFixed()
	for i := range all {
		if all[i].Claim == id {
			last = &all[i]
		}
	}
	return last
}

// FixedText says when the way in which the claim is judged was fixed; "" where that is not known.
func (j *Judgement) FixedText() string {
	f := fixedOf(j.ID)
	if f == nil {
		return ""
	}
	return "Reading and margins fixed " + f.Date + ", after " + f.Seen + " had been seen"
}

// writeChanges lists when readings, checks and margins of claims were changed, those of one reason
// together.
func writeChanges(b *strings.Builder, judgements []Judgement) {
	b.WriteString("\n## Changes of judged readings\n\nThe reason is the paper's, in our words; " +
		"without one, the paper says nothing of it.\n\n")
	known := make(map[string]bool)
	for i := range judgements {
		known[judgements[i].ID] = true
	}
	of := func(f Fixed) string { return f.Date + f.What + f.Seen + f.Reason }
	for _, group := range results.Grouped(allFixed(), of) {
		f := group[0]
		if f.What == "" {
			continue
		}
		var ids []string
		for _, change := range group {
			if known[change.Claim] {
				ids = append(ids, change.Claim)
			}
		}
		if len(ids) == 0 {
			continue
		}
		b.WriteString("- " + f.Date + ", after " + f.Seen + " had been seen: " + f.What + " of " +
			strings.Join(ids, ", "))
		if f.Reason != "" {
			b.WriteString(". " + strings.TrimSuffix(f.Reason, "."))
		}
		b.WriteString(".\n")
	}
}
