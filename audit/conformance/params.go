package conformance

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"

	"ppdp/algorithms"
	"ppdp/internal/declared"
	"ppdp/internal/strictyaml"
)

// checkParams: defaults are valid and fresh, have the k of k-anonymity, every field has a yaml key,
// and a value out of range is refused with the key named.
func checkParams(a algorithms.Algorithm) error {
	defaults := a.Params()
	value := reflect.ValueOf(defaults)
	if value.Kind() != reflect.Pointer || value.IsNil() || value.Elem().Kind() != reflect.Struct {
		return fmt.Errorf("parameters of type %T, must be a pointer to a struct", defaults)
	}
	var errs []error
	if err := validate(a, defaults); err != nil {
		errs = append(errs, fmt.Errorf("the defaults are refused: %w", err))
	}
	if other := a.Params(); reflect.ValueOf(other).Pointer() == value.Pointer() &&
		value.Elem().Type().Size() > 0 {
		errs = append(errs, errors.New("two calls of Params return the same struct"))
	}
	for _, guarantee := range a.Info().Variants {
		if _, says := defaults.(algorithms.Anonymous); !says &&
			guarantee.Model == algorithms.KAnonymity {
			errs = append(errs, fmt.Errorf("%s: %T must implement algorithms.Anonymous",
				guarantee.Variant, defaults))
		}
	}
	fields := strictyaml.Fields(value.Type())
	if a.Info().Program != "" { // whose descriptor need not give bounds
		fields = nil
	}
	for _, f := range fields {
		if f.Tag.Get("yaml") == "" {
			errs = append(errs, fmt.Errorf("field %s has no yaml key", f.Name))
			continue
		}
		for _, trial := range outOfRange(f.Type) {
			params := a.Params()
			field := reflect.ValueOf(params).Elem().FieldByIndex(f.Index)
			if field.Interface() == trial.value { // a default, such as an empty text
				continue
			}
			field.Set(reflect.ValueOf(trial.value).Convert(f.Type))
			err := validate(a, params)
			switch {
			case err == nil && trial.refused:
				errs = append(errs, fmt.Errorf("%s: %#v is accepted, must be refused: by the "+
					"tags min, max or words, by Validate, or by CheckSchema", f.Name, trial.value))
			case err == nil:
				errs = append(errs, tryHuge(a, params, f.Name, trial.value))
			case !strings.Contains(err.Error(), f.Name):
				errs = append(errs, fmt.Errorf("%s: the key is not named: %w", f.Name, err))
			}
		}
	}
	return errors.Join(errs...)
}

// tryHuge: a huge value that is not refused has to work, or to end in an error.
func tryHuge(a algorithms.Algorithm, params algorithms.Params, key string, value any) error {
	for _, guarantee := range a.Info().Variants {
		if _, _, _, err := newSubject(a, guarantee, params).release(try{}); err != nil &&
			isPanic(err) {
			return fmt.Errorf("%s: %v: %w", key, value, err)
		}
	}
	return nil
}

// validate checks parameters without a table, then for the suite's.
func validate(a algorithms.Algorithm, p algorithms.Params) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	if err := declared.Check(p); err != nil {
		return err
	}
	if checker, ok := p.(algorithms.SchemaChecker); ok {
		return checker.CheckSchema(Table(0).Schema())
	}
	return nil
}

// outside is a value to try; refused ones are wrong for every parameter, others may make sense.
type outside struct {
	value   any
	refused bool
}

func outOfRange(t reflect.Type) []outside {
	switch v := reflect.Zero(t); {
	case v.CanFloat():
		return []outside{{math.NaN(), true}, {math.Inf(1), true}, {math.Inf(-1), true},
			{-1.0, true}, {1e300, false}}
	case v.CanInt():
		most := int64(1)<<(t.Bits()-1) - 1
		return []outside{{int64(-1), true}, {-most - 1, true}, {most, false}}
	case v.CanUint():
		return []outside{{uint64(math.MaxUint64) >> (64 - t.Bits()), false}}
	case v.Kind() == reflect.String:
		return []outside{{"no such value", true}, {"", true}}
	}
	return nil
}
