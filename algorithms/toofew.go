package algorithms

import (
	"errors"
	"fmt"
)

// ErrTooFew is wrapped by the error of a release under k-anonymity whose table has records, but fewer than k: no form
// of it is k-anonymous.
var ErrTooFew = errors.New("fewer records than k")

// CheckEnough returns nil for k rows or more, and for none, else an error that wraps ErrTooFew.
func CheckEnough(rows, k int) error {
	if rows > 0 && rows < k {
		return fmt.Errorf("k is %d, the table has %d rows: %w", k, rows, ErrTooFew)
	}
	return nil
}
