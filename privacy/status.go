package privacy

// Status is what is known of a guarantee: of a variant's, of a release's or in a file of results.
type Status string

const (
	Holds Status = "holds" // proven
	// Replayed is that of a program outside whose noise ppdp draws: replays test it call by call
	// and have found nothing, but its sensitivities are not proven.
	Replayed Status = "replayed"
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

// Stands reports whether nothing is known against a guarantee: it holds, or it is a program's word.
func (s Status) Stands() bool { return s == Holds || s.Outside() }

// Outside reports whether a guarantee is that of a program outside, which its curves are called
// after.
func (s Status) Outside() bool { return s == Replayed || s == Declared }
