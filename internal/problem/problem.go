// Package problem words errors: of conditions that do not hold, and of what has a name.
package problem

import "fmt"

// Unless returns an error unless a condition holds.
func Unless(holds bool, format string, args ...any) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, args...)
}

// Named puts a name before an error: "my.csv: no such file". It returns nil for no error.
func Named(of string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", of, err)
}
