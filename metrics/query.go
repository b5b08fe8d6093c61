package metrics

import (
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/datasets"
)

// Predicate selects the rows whose code of an attribute lies in [Low, High).
type Predicate struct {
	Attribute int // its position in the schema
	Low, High uint32
}

// Query asks for aggregates of the numeric attribute Of over the rows that satisfy every predicate.
type Query struct {
	Where []Predicate // no two on the same attribute
	Of    int         // position in the schema; -1 to count only
}

// Answer holds the aggregates of a query. Sum, Min and Max are 0 for queries that count only; Min
// and Max are ±Inf where nothing is counted.
type Answer struct {
	Count, Sum, Min, Max float64
	// Matched says, of an estimate, that the release matches the predicates: every region that
	// satisfies them in part satisfies them as a whole, so that nothing had to be assumed about the
	// spread of records inside one (LeFevre et al. 2006, section 5).
	Matched bool
}

// Average is the mean, undefined where nothing is counted.
func (a *Answer) Average() (mean float64, ok bool) { return a.Sum / a.Count, a.Count > 0 }

// Estimator answers queries from a release alone, as LeFevre et al. 2006, section 5, define it:
// counts by the uniform spread of a region's records over the cells of its ranges, sums and
// averages by the mean statistic, least and greatest values by the range statistic. It keeps
// scratch memory: no concurrent use.
type Estimator struct {
	schema    *datasets.Schema
	regions   *algorithms.Regions
	extents   extents
	sizes     []float64
	dimension map[int]int // of an attribute
	spread    []selection
}

// selection is a predicate along a dimension of the regions.
type selection struct {
	dim       int
	low, high uint32  // of places, without an axis
	before    []int32 // with one: how many selected codes have a rank below each
}

// NewEstimator returns an estimator for a release's regions in the intervals that ranges says.
func NewEstimator(schema *datasets.Schema, regions *algorithms.Regions, ranges Ranges) *Estimator {
	e := &Estimator{schema: schema, regions: regions, extents: ranges.of(regions),
		sizes: publishedSizes(regions), dimension: make(map[int]int)}
	for d, attribute := range regions.Attributes {
		e.dimension[attribute] = d
	}
	return e
}

// Estimate answers a query in time linear in the regions. It is an error to ask for attributes that
// the release does not generalise, for two predicates on one, or for aggregates of an attribute
// that is not numeric.
func (e *Estimator) Estimate(q Query) (Answer, error) {
	answer := Answer{Matched: true}
	of := -1
	if q.Of >= 0 {
		answer.Min, answer.Max = math.Inf(1), math.Inf(-1)
		d, known := e.dimension[q.Of]
		if !known || e.schema.Attributes[q.Of].Kind != datasets.Numeric {
			return Answer{}, fmt.Errorf("%s cannot be aggregated, must be a numeric attribute "+
				"that the release generalises", e.name(q.Of))
		}
		of = d
	}
	if err := e.choose(q.Where); err != nil {
		return Answer{}, err
	}
	dims := len(e.regions.Attributes)
	for region, size := range e.sizes {
		if size == 0 {
			continue
		}
		share := 1.0
		restricted := -1 // the selection on the aggregated attribute
		for i := range e.spread {
			s := &e.spread[i]
			low, high := e.extents.of(region, s.dim)
			in := s.within(low, high)
			if in == 0 {
				share = 0
				break
			}
			if in < high-low {
				share = float64(share * (float64(in) / float64(high-low)))
				if s.dim == of {
					restricted = i
				}
			}
		}
		if share == 0 {
			continue
		}
		if share < 1 {
			answer.Matched = false
		}
		n := float64(size * share)
		answer.Count += n
		if of < 0 {
			continue
		}
		low, high := e.extents.of(region, of)
		if restricted >= 0 { // numeric: its places are codes
			low, high = max(low, e.spread[restricted].low), min(high, e.spread[restricted].high)
		}
		a := &e.schema.Attributes[q.Of]
		least, greatest := a.Number(low), a.Number(high-1)
		mean := (least + greatest) / 2
		if e.regions.Means != nil && restricted < 0 {
			mean = e.regions.Means[region*dims+of]
		}
		answer.Sum += float64(n * mean)
		answer.Min, answer.Max = min(answer.Min, least), max(answer.Max, greatest)
	}
	return answer, nil
}

func (e *Estimator) name(attribute int) string {
	if attribute < 0 || attribute >= len(e.schema.Attributes) {
		return fmt.Sprintf("attribute %d", attribute)
	}
	return e.schema.Attributes[attribute].Name
}

func (e *Estimator) choose(where []Predicate) error {
	e.spread = e.spread[:0]
	var bad datasets.Problems
	for i, p := range where {
		d, known := e.dimension[p.Attribute]
		if !known {
			bad.Add("%s is not generalised by the release", e.name(p.Attribute))
			continue
		}
		for _, other := range where[:i] {
			if other.Attribute == p.Attribute {
				bad.Add("two predicates on %s, must be one", e.name(p.Attribute))
			}
		}
		s := selection{dim: d, low: p.Low, high: p.High}
		if axes := e.regions.Axes; axes != nil && axes[d] != nil {
			s.before = make([]int32, len(axes[d].Code)+1)
			for rank, code := range axes[d].Code {
				s.before[rank+1] = s.before[rank]
				if code >= p.Low && code < p.High {
					s.before[rank+1]++
				}
			}
		}
		e.spread = append(e.spread, s)
	}
	return bad.Err()
}

// within is how many of the places [low, high) are selected.
func (s *selection) within(low, high uint32) uint32 {
	if s.before != nil {
		return uint32(s.before[high] - s.before[low])
	}
	low, high = max(low, s.low), min(high, s.high)
	if low >= high {
		return 0
	}
	return high - low
}
