package publish

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/privacy"
)

// confidence is that of intervals.
const confidence = 0.95

// Answer is what a release says of a query, about the table that was released.
type Answer struct {
	Query string  `json:"query"`
	Value float64 `json:"value"`
	// Measured says that noisy counts answer the query, without a model: the value is then right on
	// average, and Error is its standard error.
	Measured  bool     `json:"measured"`
	Marginals int      `json:"marginals,omitempty"` // how many counts of it are combined
	Error     *float64 `json:"standard_error,omitempty"`
	// Interval holds what the table itself would answer in 95 of 100 releases, or more where the
	// note says so. nil: no error is known.
	Interval *[2]float64 `json:"interval,omitempty"`
	Note     string      `json:"note"`
}

// Notes of answers.
const (
	notedCount = "Measured: noise alone separates the count from the table's."
	notedMean  = "Measured: noise alone separates the mean from the table's."
	notedWide  = "Not measured: the mean is of the release's records, since bins hide where in " +
		"them the values are. The interval is of measured counts, from all values at the low " +
		"ends of bins to all at the high ends: it holds in 95 of 100 releases or more."
	notedBounds = "Not measured: records of the release were counted. They come from a model, " +
		"whose bias no standard error shows. The interval is of measured counts around it: it " +
		"holds in 95 of 100 releases or more, whatever the bias."
	notedModel = "Not measured, or too few records beside the noise: the records' answer. They " +
		"come from a model, whose bias is not known."
	notedNone = "Records of the release were counted. No error is known: it has no measured counts."
)

// Answerer answers queries from the folder of a release.
type Answerer struct {
	Schema      *datasets.Schema
	certificate *Certificate
	dir         string
	marginals   []algorithms.Marginal
}

// OpenAnswerer reads a folder, whose files must be those of its certificate; Verify checks more.
func OpenAnswerer(dir string) (*Answerer, error) {
	c, _, err := readCertificate(dir)
	if err != nil {
		return nil, fmt.Errorf("%s: not the folder of a release: %w", dir, err)
	}
	if err := errors.Join(checkFiles(dir, c)...); err != nil {
		return nil, fmt.Errorf("%s is not what its certificate says: %w", dir, err)
	}
	format, _, err := csvtable.ReadSchema(filepath.Join(dir, SchemaFile), "", 0)
	if err != nil {
		return nil, err
	}
	a := &Answerer{Schema: format.Schema, certificate: c, dir: dir}
	a.marginals, err = c.readMarginals(dir, a.Schema)
	return a, err
}

// selected is what a query selects of a marginal: cells whose records all keep to the condition,
// and those of which any may.
type selected struct {
	*algorithms.Marginal
	law      privacy.VectorLaw
	variance float64
	all, any cells
	values   []cells // of all, by value of the attribute whose mean is asked for
}

// cells are noisy counts that were added up.
type cells struct {
	count float64
	n     int
}

func (c *cells) add(count float64) { c.count, c.n = c.count+count, c.n+1 }

// selects adds up what a query selects of a marginal.
func (a *Answerer) selects(m *algorithms.Marginal, q *datasets.Query) *selected {
	s := &selected{Marginal: m}
	s.law, _, _ = a.certificate.law(m) // which is checked
	s.variance, _ = s.law.Variance()
	truths, places := make([][]datasets.Truth, len(q.Sets)), make([]int, len(q.Sets))
	for i, set := range q.Sets {
		if places[i] = slices.Index(m.Attributes, set.Attribute); places[i] < 0 {
			whole := datasets.Span{High: uint32(a.Schema.Attributes[set.Attribute].Cells())}
			truths[i] = []datasets.Truth{set.Of([]datasets.Span{whole})}
			continue
		}
		for _, spans := range m.Values[places[i]] {
			truths[i] = append(truths[i], set.Of(spans))
		}
	}
	mean := slices.Index(m.Attributes, q.Mean)
	if mean >= 0 {
		s.values = make([]cells, len(m.Values[mean]))
	}
	at := make([]int, len(m.Attributes)) // the values of a cell
	for _, count := range m.Counts {
		truth := q.Truth(func(set int) datasets.Truth {
			if places[set] < 0 {
				return truths[set][0]
			}
			return truths[set][at[places[set]]]
		})
		if truth.Any {
			s.any.add(count)
		}
		if truth.All {
			s.all.add(count)
			if mean >= 0 {
				s.values[at[mean]].add(count)
			}
		}
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < len(m.Values[d]) {
				break
			}
			at[d] = 0
		}
	}
	return s
}

// Answer answers a query. A count is the mean of all marginals that hold it, each weighted by the
// inverse of its variance, and the interval is by the law of the noise in that mean. A mean is
// answered from the marginal of least noise.
func (a *Answerer) Answer(q *datasets.Query) (*Answer, error) {
	var measured, around []*selected
	for i := range a.marginals {
		s := a.selects(&a.marginals[i], q)
		switch {
		case s.any.n == s.all.n && (q.Mean < 0 || s.values != nil):
			measured = append(measured, s)
		case s.all.n > 0 || s.any.n < len(s.Counts):
			around = append(around, s)
		}
	}
	answer := &Answer{Query: q.Text, Note: notedNone, Measured: len(measured) > 0}
	switch {
	case answer.Measured && q.Mean >= 0:
		best := slices.MinFunc(measured, func(s, o *selected) int {
			return cmp.Compare(float64(s.all.n)*s.variance, float64(o.all.n)*o.variance)
		})
		if answer.mean(best, a.Schema, q.Mean) {
			return answer, nil
		}
	case answer.Measured:
		answer.count(measured)
		return answer, nil
	}
	var err error
	if answer.Value, err = a.counted(q); err != nil || a.marginals == nil {
		return answer, err
	}
	answer.Note, answer.Measured = notedModel, false
	switch {
	case answer.Interval != nil:
		answer.Note = notedWide
	case q.Mean < 0 && len(around) > 0:
		answer.Note = notedBounds
		answer.bound(around)
	}
	return answer, nil
}

// count answers from marginals that hold the count.
func (a *Answer) count(measured []*selected) {
	a.Note, a.Marginals = notedCount, len(measured)
	var sums []privacy.Summed
	weights, variance := 0.0, 0.0
	for _, s := range measured {
		if s.all.n == 0 { // no value of the domain keeps to the condition
			a.Error, a.Interval = &variance, &[2]float64{}
			return
		}
		weights += 1 / (float64(s.all.n) * s.variance)
	}
	for _, s := range measured {
		weight := 1 / (float64(s.all.n) * s.variance) / weights
		sums = append(sums, privacy.Summed{VectorLaw: s.law, Draws: s.all.n, Weight: weight})
		a.Value += float64(weight * s.all.count)
	}
	deviation, within := math.Sqrt(1/weights), privacy.Within(confidence, sums)
	a.Error = &deviation
	a.Interval = &[2]float64{max(0, a.Value-within), max(0, a.Value+within)}
}

// bound sets an interval by counts of more and of fewer records than asked for. What it leaves out
// is divided among all of them.
func (a *Answer) bound(around []*selected) {
	low, high := 0.0, math.Inf(1)
	part := (1 - confidence) / float64(len(around))
	for _, s := range around {
		within := func(n int) float64 {
			return privacy.Within(1-part, []privacy.Summed{{VectorLaw: s.law, Draws: n, Weight: 1}})
		}
		low = max(low, s.all.count-within(s.all.n))
		high = min(high, s.any.count+within(s.any.n))
	}
	a.Interval = &[2]float64{low, max(low, high)}
}

// mean answers from a marginal that holds the counts of the attribute's values. It reports false
// where noise hides how many records there are to take a mean of, and where bins hide the values:
// the interval, if there is one, is then of the ends of the bins.
func (a *Answer) mean(s *selected, schema *datasets.Schema, attribute int) bool {
	at := slices.Index(s.Attributes, attribute)
	low, high := make([]float64, len(s.values)), make([]float64, len(s.values))
	for v, spans := range s.Values[at] {
		low[v], _, high[v] = reach(&schema.Attributes[attribute], spans)
	}
	mean, deviation, least := s.ratio(low)
	_, _, most := s.ratio(high)
	if least == nil || most == nil {
		return false
	}
	a.Interval = &[2]float64{least[0], most[1]}
	if !slices.Equal(low, high) {
		return false
	}
	a.Note, a.Marginals = notedMean, 1
	a.Value, a.Error = mean, &deviation
	return true
}

// ratio is the mean of numbers that belong to values, with an interval: the means m of which the
// noise in Σ(x-m)·count would be as large as it is in 95 of 100 releases (Fieller 1954). Its
// quantile in standard deviations is that at the estimate. nil: it has no end.
func (s *selected) ratio(x []float64) (mean, deviation float64, interval *[2]float64) {
	if !(s.all.count > 0) {
		return 0, 0, nil
	}
	for v, c := range s.values {
		mean += float64(x[v] * c.count / s.all.count)
	}
	var sums []privacy.Summed
	first, second := 0.0, 0.0
	for v, c := range s.values {
		off := x[v] - mean
		first += float64(float64(c.n) * off)
		second += float64(float64(c.n) * off * off)
		sums = append(sums, privacy.Summed{VectorLaw: s.law, Draws: c.n, Weight: off})
	}
	if second == 0 { // one value
		return mean, 0, &[2]float64{mean, mean}
	}
	scale := privacy.Within(confidence, sums) / math.Sqrt(second)
	r := scale * scale // the square of the quantile, in variances of a cell
	square := float64(s.all.count*s.all.count) - float64(r*float64(s.all.n))
	if !(square > 0) {
		return 0, 0, nil
	}
	half := math.Sqrt(float64(r*r*first*first) + float64(square*r*second))
	return mean, math.Sqrt(s.variance*second) / s.all.count,
		&[2]float64{mean - (float64(r*first)+half)/square, mean - (float64(r*first)-half)/square}
}

// reach is the least number of a value, the middle one and the largest; 0 where all are missing.
func reach(a *datasets.Attribute, spans []datasets.Span) (low, middle, high float64) {
	if last := len(spans) - 1; spans[last].High > a.MissingCode() { // which is no number
		if spans = slices.Clone(spans); spans[last].Low == a.MissingCode() {
			spans = spans[:last]
		} else {
			spans[last].High--
		}
		if len(spans) == 0 {
			return 0, 0, 0
		}
	}
	size := 0.0
	for _, s := range spans {
		n := float64(s.High - s.Low)
		size += n
		middle += float64(n * (a.Number(s.Low) + a.Number(s.High-1)) / 2)
	}
	low, high = a.Number(spans[0].Low), a.Number(spans[len(spans)-1].High-1)
	if a.Continuous { // numbers are the middles of cells
		low, high = low-float64(a.Step/2), high+float64(a.Step/2)
	}
	return low, middle / size, high
}

// counted answers from the records. Generalised ones count by the share of them that keeps to the
// condition if their values are spread evenly.
func (a *Answerer) counted(q *datasets.Query) (float64, error) {
	records, problems := readRecords(a.dir, a.certificate.Guarantee.K > 0, a.certificate.Weighted,
		a.Schema)
	if err := errors.Join(problems...); err != nil {
		return 0, err
	}
	truths := make([][]datasets.Truth, len(q.Sets)) // by the code of a text
	for i, set := range q.Sets {
		for _, cells := range records.cells[set.Attribute] {
			truths[i] = append(truths[i], set.Of(cells))
		}
	}
	var numbers []float64 // likewise
	if q.Mean >= 0 {
		for code, text := range records.Columns[q.Mean].Texts {
			number, ok := a.Schema.Attributes[q.Mean].ParseNumber(text)
			if !ok {
				_, number, _ = reach(&a.Schema.Attributes[q.Mean], records.cells[q.Mean][code])
			}
			numbers = append(numbers, number)
		}
	}
	total, sum := 0.0, 0.0
	for row := range records.Rows {
		weight := float64(weightOf(records.weights, row) * q.Truth(func(set int) datasets.Truth {
			return truths[set][records.Columns[q.Sets[set].Attribute].Codes.At(int32(row))]
		}).Share)
		total += weight
		if q.Mean >= 0 {
			sum += float64(weight * numbers[records.Columns[q.Mean].Codes.At(int32(row))])
		}
	}
	if q.Mean < 0 {
		return total, nil
	}
	if total == 0 {
		return 0, fmt.Errorf("%s: no records to take a mean of", q.Text)
	}
	return sum / total, nil
}
