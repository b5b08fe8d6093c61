package datasets

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problems gathers everything wrong with parameters or a file: the first twenty in full, the others
// as a number. The zero value is empty and ready.
type Problems struct {
	errs []error
	more int
}

// Add notes a problem.
func (p *Problems) Add(format string, args ...any) {
	const most = 20
	if len(p.errs) == most {
		p.more++
		return
	}
	p.errs = append(p.errs, fmt.Errorf(format, args...))
}

// AddError notes an error, which may be nil.
func (p *Problems) AddError(err error) {
	if err != nil {
		p.Add("%w", err)
	}
}

// OneOf notes a word that is not allowed.
func (p *Problems) OneOf(key, value string, allowed ...string) {
	if !slices.Contains(allowed, value) {
		p.Add("%s: %q, must be one of %s", key, value, strings.Join(allowed, ", "))
	}
}

// Any reports whether a problem was noted.
func (p *Problems) Any() bool { return len(p.errs) > 0 }

// Err is the problems as one error; nil without any.
func (p *Problems) Err() error {
	if p.Any() {
		return p
	}
	return nil
}

// Error has a line for each problem.
func (p *Problems) Error() string { return errors.Join(p.Unwrap()...).Error() }

// Unwrap lists the problems, and how many more there are.
func (p *Problems) Unwrap() []error {
	if p.more > 0 {
		return append(slices.Clip(p.errs), fmt.Errorf("and %d more problems", p.more))
	}
	return p.errs
}

// First keeps the first n problems and counts the others.
func (p *Problems) First(n int) *Problems {
	n = min(n, len(p.errs))
	return &Problems{p.errs[:n], p.more + len(p.errs) - n}
}
