package algorithms

import (
	"fmt"
	"slices"
	"strings"
)

// CheckInput returns the parameters of an input as the type P that a private algorithm expects. Its error names the
// algorithm and says what is wrong: another type, values out of range or against the variant, an epsilon that is not above 0.
func CheckInput[P Params](a Algorithm, in Input) (params P, err error) {
	params, ok := in.Params.(P)
	if !ok {
		err = fmt.Errorf("parameters of type %T, must be %T", in.Params, params)
	} else if err = params.Validate(); err == nil {
		if checker, ok := a.(VariantChecker); ok {
			err = checker.CheckVariant(in.Variant, params)
		} else {
			_, err = GuaranteeOf(a, in.Variant, params)
		}
	}
	if epsilon := in.Budget.Epsilon(); err == nil && !(epsilon > 0) {
		err = fmt.Errorf("epsilon %v, must be above 0", epsilon)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", a.Info().Name, err)
	}
	return params, err
}

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
