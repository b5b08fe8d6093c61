package algorithms

import (
	"fmt"
	"slices"
	"strings"
)

// Word is a parameter type with a fixed list of words, such as mondrian's mode.
type Word interface {
	~string
	// Enum lists the words.
	Enum() []string
}

// CheckWord returns nil when value is one of its type's words, else an error that names the yaml key.
func CheckWord[W Word](key string, value W) error {
	if slices.Contains(value.Enum(), string(value)) {
		return nil
	}
	return fmt.Errorf("%s: %q, must be one of %s", key, string(value), strings.Join(value.Enum(), ", "))
}

// CheckRange returns nil when low ≤ value ≤ high, else an error that names the yaml key.
func CheckRange(key string, value, low, high int) error {
	if value >= low && value <= high {
		return nil
	}
	return fmt.Errorf("%s: %d, must be from %d to %d", key, value, low, high)
}
