package datasets

import (
	"errors"
	"fmt"
	"strings"
)

// Span is the interval [Low, High) of an attribute's codes.
type Span struct{ Low, High uint32 }

// AllValues is the word that TextSpans takes for the whole domain.
const AllValues = "all"

// TextSpans reads a list of values and of ranges of values along the attribute's order, "18, 25,
// 40..60", or AllValues. A text that is a value as it stands is one, whatever dots it holds. All
// problems are reported at once.
func (a *Attribute) TextSpans(text string) ([]Span, error) {
	if text == AllValues {
		return []Span{{0, uint32(a.Cells())}}, nil
	}
	var spans []Span
	var errs []error
	for word := range strings.SplitSeq(text, ",") {
		word = strings.TrimSpace(word)
		code, err := a.TextCode(word)
		if err == nil {
			spans = append(spans, Span{code, code + 1})
			continue
		}
		from, to, isRange := strings.Cut(word, "..")
		if !isRange {
			errs = append(errs, err)
			continue
		}
		low, lowErr := a.TextCode(strings.TrimSpace(from))
		high, highErr := a.TextCode(strings.TrimSpace(to))
		if err := errors.Join(lowErr, highErr); err != nil {
			errs = append(errs, fmt.Errorf("%q: %w", word, err))
			continue
		}
		if low > high {
			errs = append(errs, fmt.Errorf("%q, must name the lower end first", word))
			continue
		}
		spans = append(spans, Span{low, high + 1})
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return spans, nil
}
