package algorithms

import (
	"context"
	"fmt"
	"math"

	"ppdp/datasets"
	"ppdp/internal/declared"
	"ppdp/privacy"
)

// CheckInput returns the parameters of an input as the type P that an algorithm expects. Its error
// says what keeps the algorithm a from releasing the input: an ended context, no data of the kind
// that a takes, parameters of another type, out of range or refused by the variant or for the
// table's schema, an unknown variant, an epsilon that is not above 0 under differential privacy.
func CheckInput[P Params](ctx context.Context, a Algorithm, in Input) (params P, err error) {
	if err := ctx.Err(); err != nil {
		return params, err
	}
	info := a.Info()
	params, ok := in.Params.(P)
	switch {
	case info.Input == TableInput && in.Table == nil, info.Input == GraphInput && in.Graph == nil:
		err = fmt.Errorf("no %s given", info.Input)
	case !ok:
		err = fmt.Errorf("parameters of type %T, must be %T", in.Params, params)
	default:
		err = checkParams(a, in, params)
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", info.Name, err)
	}
	return params, err
}

func checkParams(a Algorithm, in Input, params Params) error {
	if err := declared.Check(params); err != nil {
		return err
	}
	guarantee, err := GuaranteeOf(a, in.Variant, params)
	if err != nil {
		return err
	}
	if checker, ok := params.(VariantChecker); ok {
		if err := checker.CheckVariant(in.Variant); err != nil {
			return err
		}
	}
	if checker, ok := params.(SchemaChecker); ok {
		if err := checker.CheckSchema(in.Table.Schema()); err != nil {
			return err
		}
	}
	if guarantee.Model != DifferentialPrivacy {
		return nil
	}
	if !(in.Budget.Epsilon() > 0) {
		return fmt.Errorf("epsilon %v, must be above 0", in.Budget.Epsilon())
	}
	if !(in.Budget.Total() > 0) {
		return fmt.Errorf("%w: epsilon %v at delta %v allows no rho", privacy.ErrTooSmall,
			in.Budget.Epsilon(), in.Budget.Delta())
	}
	if in.Budget.Delta() > 0 && !guarantee.Approximate {
		return fmt.Errorf("delta %v: %w, must be 0: releases are accounted in pure epsilon",
			in.Budget.Delta(), privacy.ErrUnit)
	}
	return nil
}

// LeastRecords is how many records have k persons for certain, whoever they are: k-1 persons have
// k-1 times the schema's contributions at most. It is k where records are what is protected.
func LeastRecords(s *datasets.Schema, k int) int {
	return min(math.MaxInt32, (k-1)*max(1, s.Contributions)+1)
}

// CheckEnough returns nil for k rows or more, and for none, else an error that wraps ErrTooFew. It
// says how many rows there are: k-anonymity does not hide that, since a release has as many. That
// they are of k persons a release finds out itself (disclosure.Checker).
func CheckEnough(rows, k int) error {
	if rows == 0 || rows >= k {
		return nil
	}
	return fmt.Errorf("k is %d, the table has %d rows: %w", k, rows, ErrTooFew)
}

// Words lists the words of a parameter type, for its Enum method.
func Words[W ~string](words ...W) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = string(word)
	}
	return list
}

// CountNoise declares the noise of whole counts: two-sided geometric in the strict variant, whose
// outputs have no low bits that reveal the count, Laplace noise in the others, as in the papers.
// It opens the stream of the same name.
func (in *Input) CountNoise(purpose string, s privacy.Sensitivity) *privacy.Noise {
	stream := in.Noise.Open(purpose)
	if in.Variant == Strict {
		return in.Budget.Geometric(purpose, stream, s)
	}
	return in.Budget.Laplace(purpose, stream, s)
}
