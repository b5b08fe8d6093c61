package results

import (
	"fmt"
	"io"
	"strings"

	"ppdp/privacy"
)

// Status is what is known of a guarantee.
type Status = privacy.Status

// Statuses of guarantees and of releases.
const (
	Holds, Replayed, Declared = privacy.Holds, privacy.Replayed, privacy.Declared
	Short, Broken             = privacy.Short, privacy.Broken
	Unprotected               = privacy.Unprotected
)

// Audit is what was found of one guarantee under one setting of its parameters. Proven and Seen are
// over the audit's own releases of small neighbouring inputs.
type Audit struct {
	Algorithm string            `json:"algorithm"`
	Variant   string            `json:"variant"`
	Revision  int               `json:"revision,omitempty"` // of the algorithm
	Series    string            `json:"series,omitempty"`   // the curve's name in the spec
	Params    map[string]string `json:"params,omitempty"`   // of the algorithm, all, resolved
	Epsilon   float64           `json:"epsilon"`            // claimed
	Delta     float64           `json:"delta,omitempty"`    // 0 for pure differential privacy
	Unit      string            `json:"unit"`
	Relation  string            `json:"relation"`
	Status    Status            `json:"status"` // whether the guarantee is said to hold
	// Publication says that releases were made as they are handed out, with exact draws.
	Publication bool `json:"publication,omitempty"`

	Pairs       int   `json:"pairs"`       // of neighbouring inputs
	Transcripts int   `json:"transcripts"` // recorded on one and replayed on the other
	Failed      int   `json:"failed,omitempty"`
	Calls       int   `json:"calls"`  // of mechanisms, compared
	Proven      Bound `json:"proven"` // largest loss by the ledgers, as an epsilon at Delta
	// Seen is the largest loss of any transcript, +Inf where the neighbour cannot give it at all.
	// With a delta it is the epsilon at Delta that the largest rho of a transcript has, and
	// SeenDelta the largest lower bound on the delta at epsilon that those of a pair give.
	Seen      Bound          `json:"seen"`
	SeenDelta float64        `json:"seenDelta,omitempty"`
	Moved     []Moved        `json:"moved,omitempty"`    // a line for each mechanism
	Failures  []AuditFailure `json:"failures,omitempty"` // the first of each kind
	BlackBox  *Certified     `json:"blackBox,omitempty"` // nil where it was not asked for
	// Error says why no release could be made. Nothing was found then.
	Error string `json:"error,omitempty"`
}

// Moved is the largest distance of a mechanism's values between neighbours.
type Moved struct {
	Purpose   string  `json:"purpose"`
	Mechanism string  `json:"mechanism"`
	Distance  float64 `json:"distance"`
	Ratio     float64 `json:"ratio"` // to the proven sensitivity; 0 where none is proven
}

// AuditFailure refutes a guarantee.
type AuditFailure struct {
	Kind       string `json:"kind"`
	Pair       string `json:"pair"`
	Transcript int    `json:"transcript"` // its number, which with the seed makes it again
	Text       string `json:"text"`
}

// Certified is what a black box found in releases alone.
type Certified struct {
	Releases int  `json:"releases"`
	Accused  bool `json:"accused"` // Bound is above the claim
	// Bound is a lower bound on epsilon. Detectable is the least epsilon that, spent by the
	// same mechanism, would have been accused in 80 % of such audits, +Inf for none.
	Bound      float64 `json:"bound"`
	Detectable Bound   `json:"detectable"`
	Text       string  `json:"text"` // the finding in words
	// Curve is what the whole trade-off curve shows, where it was asked for.
	Curve *TradeOff `json:"curve,omitempty"`
}

// TradeOff is what the trade-off curve of a score shows: lower bounds on the mu of Gaussian
// differential privacy, beside the one that the claim allows, and on epsilon.
type TradeOff struct {
	Mu      float64 `json:"mu"`
	Allowed float64 `json:"allowed"`
	Epsilon float64 `json:"epsilon"`
	// HalfNoisePower is the probability that the audit detects the violation if the noise is
	// halved, nil where this was not tried.
	HalfNoisePower *float64 `json:"halfNoisePower,omitempty"`
}

// VariantName is the variant, with "publication" where releases were made as they are handed out.
func (a *Audit) VariantName() string {
	if a.Publication {
		return a.Variant + ", publication"
	}
	return a.Variant
}

// MaxMoved is the largest movement as a part of the proven sensitivity.
func (a *Audit) MaxMoved() float64 {
	most := 0.0
	for _, m := range a.Moved {
		most = max(most, m.Ratio)
	}
	return most
}

// Passed reports whether nothing was found against the guarantee.
func (a *Audit) Passed() bool {
	return len(a.Failures) == 0 && a.Error == "" && (a.BlackBox == nil || !a.BlackBox.Accused)
}

// Refuted reports whether a guarantee that is said to hold does not.
func (a *Audit) Refuted() bool {
	return a.Status.Stands() && a.Error == "" && !a.Passed()
}

// Declared reports whether the guarantee is only stated by a program outside. Such an audit has
// tested its releases alone and has no transcripts.
func (a *Audit) Declared() bool { return a.Status == Declared }

// Verdict is "passed", "refuted: " and how, or "not audited". A refutation of what is said to hold
// is in capitals. What is declared does not pass: beside it stands what epsilon is at least.
func (a *Audit) Verdict() string {
	if a.Error != "" {
		return "not audited"
	}
	kinds := Mapped(a.Failures, func(f AuditFailure) string { return f.Kind })
	if a.BlackBox != nil && a.BlackBox.Accused {
		kinds = append(kinds, "black box")
	}
	switch {
	case len(kinds) == 0 && a.Declared() && a.BlackBox != nil:
		return fmt.Sprintf("not refuted: epsilon is at least %.3g", a.BlackBox.Bound)
	case len(kinds) == 0:
		return "passed"
	case a.Refuted():
		return "REFUTED: " + strings.Join(kinds, ", ")
	}
	return "refuted: " + strings.Join(kinds, ", ")
}

// ReadAudits reads one object a line. Up to 20 problems are reported at once as name:line.
func ReadAudits(r io.Reader, name string) (audits []Audit, err error) {
	err = ReadLines(r, name, func(_ int, text []byte) error {
		var a Audit
		err := Decode(text, &a)
		audits = append(audits, a)
		return err
	})
	return audits, err
}
