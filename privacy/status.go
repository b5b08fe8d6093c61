package privacy

// Status is what is known of a guarantee: of a variant's, of a release's or in a file of results.
type Status string

const (
	Holds Status = "holds"
	// Declared is the word of a program outside of ppdp: nothing here has checked it.
	Declared Status = "declared"
	Short    Status = "short"  // exceeded by a bounded factor
	Broken   Status = "broken" // no finite bound, or none proven
	// Unprotected is that of releases that promise nothing.
	Unprotected Status = "unprotected"
)

// Doubt says in a few words why a guarantee is not to be relied on, "" where it holds.
func (s Status) Doubt() string {
	switch s {
	case Holds:
		return ""
	case Unprotected:
		return "no privacy"
	}
	return "guarantee " + string(s)
}
