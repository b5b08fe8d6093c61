package engine

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"

	"ppdp/audit"
	"ppdp/audit/blackbox"
	"ppdp/experiments/spec"
	"ppdp/internal/results"
	"ppdp/internal/source"
)

// audited is an audit of one guarantee of the plan: of an algorithm and variant under parameters
// and an epsilon, whatever the data.
type audited struct {
	*audit.Case
	subject string // everything that says what is audited
	config  *spec.Config
	found   *results.Audit // nil until it is finished
}

// openAudits lists the audits of the plan and returns those to make: no earlier run has finished
// them.
func (r *run) openAudits(finished map[string]entry) (open []task, err error) {
	known := make(map[string]bool)
	persons := make(map[*spec.Dataset]int)
	for _, set := range r.cache.sets {
		persons[set.config] = set.data.contributions
	}
	for _, config := range r.plan.Configs {
		if config.Epsilon == nil {
			continue
		}
		a := &audited{config: config}
		a.subject = fmt.Sprintf("%q %q %d %q %q %s%s", config.Label(), config.Algorithm,
			config.Info.Revision, config.Variant, results.FormatParams(config.Params),
			config.BudgetText(), config.Info.Program+config.AuditCode().Digest())
		contributions := persons[config.Data]
		if contributions > 0 {
			a.subject += fmt.Sprintf(" contributions %d", contributions)
		}
		if known[a.subject] {
			continue // the same on another dataset
		}
		known[a.subject] = true
		a.Case, err = audit.NewCase(audit.Subject{Algorithm: config.Implementation,
			Variant: config.Guarantee.Variant, Params: config.Parameters,
			Epsilon: *config.Epsilon, Delta: config.Delta,
			Contributions: contributions}, config.Label())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", config.Label(), err)
		}
		r.audits = append(r.audits, a)
	}
	releases := 0
	for i, a := range r.audits {
		if e, ok := finished[r.auditKey(a)]; ok {
			a.found = e.Audit
			continue
		}
		open = append(open, func(ctx context.Context) { r.audit(ctx, i) })
		releases += a.Releases(r.auditOptions())
	}
	if len(open) > 0 {
		what := fmt.Sprintf("audits first: guarantees: %d", len(open))
		if releases > 0 {
			what += fmt.Sprintf(", releases for the black box: up to %d", releases)
		}
		r.opts.Log(what)
	}
	return open, nil
}

// foundAudits returns what was found, in the order of the plan. It logs what could not be audited
// and adds to the result what does not hold.
func (r *run) foundAudits() []results.Audit {
	var all []results.Audit
	for _, a := range r.audits {
		all = append(all, *a.found)
		at := fmt.Sprintf("%s at epsilon %v", a.found.Label(), a.found.Epsilon)
		if a.found.Error != "" {
			r.opts.Log(fmt.Sprintf("warning: %s is not audited: %s", at, a.found.Error))
		}
		if a.found.Refuted() {
			r.result.Refuted = append(r.result.Refuted, at+": "+a.found.Verdict())
		}
	}
	return all
}

// auditOptions are those of one audit. Its black box has its part of the chance that any of them
// accuses a sound guarantee.
func (r *run) auditOptions() audit.Options {
	o := *r.opts.Audit
	o.Seed, o.Jobs = r.plan.Seed, 1
	o.Level = blackbox.DefaultLevel / float64(len(r.audits))
	return o
}

// auditKey is an audit's key in the journal: everything that its result depends on.
func (r *run) auditKey(a *audited) string {
	o := r.auditOptions()
	h := sha256.New()
	fmt.Fprintf(h, "ppdp audit 3 %s %d %d %s", source.Toolchain(), o.Seed, o.Transcripts,
		a.subject)
	if o.BlackBox > 0 {
		fmt.Fprintf(h, " black box %d %v", o.BlackBox, o.Level)
	}
	return fmt.Sprintf("audit-%x", h.Sum(nil)[:16])
}

// audit makes the numbered audit and keeps what it found.
func (r *run) audit(ctx context.Context, k int) {
	a := r.audits[k]
	var found results.Audit
	var err error
	if _, outside := a.config.Implementation.(io.Closer); r.opts.Isolate && !outside {
		found, err = r.auditInProcess(ctx, k)
	} else {
		found, err = a.Audit(ctx, r.auditOptions())
	}
	if err != nil {
		if ctx.Err() == nil {
			r.stop(fmt.Errorf("audit of %s: %w", a.config.Label(), err))
		}
		return // the run is ending
	}
	found.Params = a.config.Params
	a.found = &found
	r.journal.add(&entry{mark: mark{Key: r.auditKey(a)},
		Outcome: results.Outcome{Status: results.OK}, Audit: &found}, func() {})
}
