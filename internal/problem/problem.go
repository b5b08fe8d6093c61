// Package problem words errors: of conditions that do not hold, and of what has a name.
package problem

import "fmt"

// Unless is the error of what does not hold.
func Unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Named is an error with what it is of before it, nil for none.
func Named(of string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", of, err)
}
