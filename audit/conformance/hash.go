package conformance

import (
	"context"
	"fmt"

	"ppdp/algorithms"
)

// Hash identifies a release with everything recorded about it: what it publishes, its warnings and
// its structure.
func Hash(r *algorithms.Release) string {
	published, err := r.Fingerprint(context.Background())
	if err != nil {
		panic(err) // CheckRelease was not called
	}
	return fmt.Sprintf("%s %q %+v", published, r.Warnings, r.Structure)
}
