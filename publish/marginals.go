package publish

import (
	"bytes"
	"cmp"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
	"ppdp/internal/results"
	"ppdp/privacy"
)

// MarginalsFile holds the noisy counts that records were made from, cell by cell.
const MarginalsFile = "marginals.csv"

// Columns of MarginalsFile before those of the attributes, which are empty where a marginal does
// not have them.
var marginalColumns = []string{"marginal", "purpose", "cost", "standard_error", "count"}

// law is the law of a marginal's noise, by the mechanism of its purpose.
func (c *Certificate) law(m *algorithms.Marginal) (law privacy.VectorLaw, deviation float64,
	err error) {
	for i := range c.Mechanisms {
		if used := &c.Mechanisms[i]; used.Purpose == m.Purpose {
			law = privacy.VectorLaw{Mechanism: used.Mechanism, Sensitivity: used.Sensitivity,
				Cost: m.Cost}
		}
	}
	variance, ok := law.Variance()
	if !ok || !(m.Cost > 0) || !(variance > 0) || math.IsInf(variance, 1) {
		err = fmt.Errorf("%q at a cost of %v, must be a mechanism of the certificate with integer "+
			"noise, and a number above 0", m.Purpose, m.Cost)
	}
	return law, math.Sqrt(variance), err
}

// valueText writes the codes of a value: one category as itself, more of them, and one that could
// be taken for something else, as a JSON array; numbers as intervals with "or" between them.
func valueText(a *datasets.Attribute, spans []datasets.Span) string {
	var texts []string
	for _, s := range spans {
		if a.Kind == datasets.Numeric {
			texts = append(texts, csvtable.GroupText(a, s.Low, s.High))
			continue
		}
		texts = append(texts, a.Values[s.Low:s.High]...)
	}
	if a.Kind == datasets.Numeric {
		return strings.Join(texts, " or ")
	}
	if len(texts) == 1 && texts[0] != "" && texts[0][0] != '[' {
		return texts[0]
	}
	var list strings.Builder
	if err := results.NewEncoder(&list).Encode(texts); err != nil {
		panic(err) // texts always can be
	}
	return strings.TrimSpace(list.String())
}

// parseValue reads what valueText wrote.
func parseValue(a *datasets.Attribute, text string) (spans []datasets.Span, err error) {
	texts := []string{text}
	if a.Kind == datasets.Numeric {
		texts = strings.Split(text, " or ")
	} else if strings.HasPrefix(text, "[") {
		if err := json.Unmarshal([]byte(text), &texts); err != nil {
			return nil, fmt.Errorf("%s: %q, must be a value or a JSON array of them", a.Name, text)
		}
	}
	for _, text := range texts {
		var s datasets.Span
		if a.Kind == datasets.Numeric {
			group, err := csvtable.ParseGroup(a, text)
			if err != nil {
				return nil, err
			}
			s = group[0]
		} else {
			code, err := a.TextCode(text)
			if err != nil {
				return nil, err
			}
			s = datasets.Span{Low: code, High: code + 1}
		}
		if last := len(spans) - 1; last >= 0 && spans[last].High == s.Low {
			spans[last].High = s.High
		} else {
			spans = append(spans, s)
		}
	}
	return spans, nil
}

// writeMarginals writes MarginalsFile.
func (c *Certificate) writeMarginals(w io.Writer, schema *datasets.Schema,
	marginals []algorithms.Marginal) error {
	out := csv.NewWriter(w)
	own := len(marginalColumns)
	record := append(slices.Clone(marginalColumns), schema.Names()...)
	out.Write(record) // Error says what went wrong
	for i := range marginals {
		m := &marginals[i]
		_, deviation, err := c.law(m)
		if err != nil {
			return err
		}
		clear(record)
		copy(record, []string{strconv.Itoa(i + 1), m.Purpose, results.FormatNumber(m.Cost),
			results.FormatNumber(deviation)})
		texts := make([][]string, len(m.Attributes))
		for d, a := range m.Attributes {
			for _, spans := range m.Values[d] {
				texts[d] = append(texts[d], valueText(&schema.Attributes[a], spans))
			}
		}
		for cell, count := range m.Counts {
			record[own-1] = strconv.FormatFloat(count, 'f', -1, 64)
			for d := len(m.Attributes) - 1; d >= 0; d-- {
				size := len(texts[d])
				record[own+m.Attributes[d]] = texts[d][cell%size]
				cell /= size
			}
			out.Write(record)
		}
	}
	out.Flush()
	return out.Error()
}

// readMarginals reads a folder's MarginalsFile; without one there are no marginals. It checks that
// counts are of all cells of a division of their attributes' domains, that all of a mechanism cost
// what the certificate says, and that the rest of the text follows.
func (c *Certificate) readMarginals(dir string,
	schema *datasets.Schema) ([]algorithms.Marginal, error) {
	if !slices.ContainsFunc(c.Files, func(f File) bool { return f.Name == MarginalsFile }) {
		return nil, nil
	}
	text, err := readPart(dir, MarginalsFile)
	if err != nil {
		return nil, err
	}
	marginals, err := parseMarginals(text, schema)
	if err != nil {
		return nil, fmt.Errorf("%s:%w", MarginalsFile, err)
	}
	var again bytes.Buffer
	if err := c.writeMarginals(&again, schema, marginals); err != nil {
		return nil, err
	}
	if found := differences(MarginalsFile, text, again.Bytes()); found != nil {
		return nil, found[0]
	}
	for i := range c.Mechanisms {
		m, cost := &c.Mechanisms[i], 0.0
		for k := range marginals {
			if marginals[k].Purpose == m.Purpose {
				cost += marginals[k].Cost
			}
		}
		if cost > 0 && !(math.Abs(cost-m.Cost) <= 1e-9*m.Cost) {
			return nil, fmt.Errorf("%s: marginals of %q cost %v together, must be %v as in %s",
				MarginalsFile, m.Purpose, cost, m.Cost, CertificateFile)
		}
	}
	return marginals, nil
}

// parseMarginals reads what writeMarginals wrote. The error begins with line and column.
func parseMarginals(text []byte, schema *datasets.Schema) (marginals []algorithms.Marginal,
	err error) {
	in := csv.NewReader(bytes.NewReader(text))
	own, number := len(marginalColumns), ""
	in.FieldsPerRecord = own + len(schema.Attributes)
	wrong := func(field int, format string, args ...any) error {
		line, column := in.FieldPos(field)
		return fmt.Errorf("%d:%d: "+format, append([]any{line, column}, args...)...)
	}
	var seen []map[string]bool // of each attribute of the marginal, its values' texts so far
	for in.Read(); ; {         // the header is compared with the others
		row, err := in.Read()
		if err != nil {
			if errors.Is(err, io.EOF) {
				break
			}
			return nil, fmt.Errorf(" %w", err)
		}
		if marginals == nil || row[0] != number {
			m := algorithms.Marginal{Purpose: row[1]}
			if m.Cost, err = strconv.ParseFloat(row[2], 64); err != nil {
				return nil, wrong(2, "%q, must be a number", row[2])
			}
			seen = nil
			for a, text := range row[own:] {
				if text != "" {
					m.Attributes = append(m.Attributes, a)
					seen = append(seen, make(map[string]bool))
				}
			}
			m.Values = make([][][]datasets.Span, len(seen))
			marginals, number = append(marginals, m), row[0]
		}
		m := &marginals[len(marginals)-1]
		count, err := strconv.ParseFloat(row[own-1], 64)
		if err != nil || count != math.Trunc(count) || math.Abs(count) > 1<<53 {
			return nil, wrong(own-1, "a count of %q, must be a whole number", row[own-1])
		}
		m.Counts = append(m.Counts, count)
		for d, a := range m.Attributes {
			if text := row[own+a]; !seen[d][text] {
				spans, err := parseValue(&schema.Attributes[a], text)
				if err != nil {
					return nil, wrong(own+a, "%w", err)
				}
				seen[d][text] = true
				m.Values[d] = append(m.Values[d], spans)
			}
		}
	}
	if len(marginals) == 0 {
		return nil, errors.New(" no marginals, must have some")
	}
	for i := range marginals {
		m, cells := &marginals[i], 1.
		for d, a := range m.Attributes {
			cells *= float64(len(m.Values[d]))
			if attribute := &schema.Attributes[a]; !divides(attribute.Cells(), m.Values[d]) {
				return nil, fmt.Errorf(" values of %s in marginal %d overlap or leave some out, "+
					"must divide its domain", attribute.Name, i+1)
			}
		}
		if float64(len(m.Counts)) != cells || len(m.Attributes) == 0 {
			return nil, fmt.Errorf(" marginal %d has %d rows, must have %v", i+1, len(m.Counts),
				cells)
		}
	}
	return marginals, nil
}

// divides reports whether each of an attribute's cells is in one value.
func divides(cells int, values [][]datasets.Span) bool {
	spans, next := slices.Concat(values...), uint32(0)
	slices.SortFunc(spans, func(a, b datasets.Span) int { return cmp.Compare(a.Low, b.Low) })
	for _, s := range spans {
		if s.Low != next {
			return false
		}
		next = s.High
	}
	return int(next) == cells
}

// Noise is how large the noise in an attribute's own counts is, in the marginal that has the least,
// and what it is to the smallest group that can be told from none: a value, or a bin, whose noisy
// count is two standard errors or more.
type Noise struct {
	Attribute string  `json:"attribute"`
	Values    int     `json:"values"` // that are counted; bins and merged values are one
	Group     string  `json:"group"`  // "" where all are hidden, and the next two are 0
	Smallest  float64 `json:"smallest"`
	Relative  float64 `json:"relative"` // Error as a part of Smallest
	Error     float64 `json:"error"`    // the standard error of each, of merged ones the same
	Hidden    int     `json:"hidden"`   // values whose count is below two standard errors
}

// noise lists the attributes that were measured.
func (c *Certificate) noise(schema *datasets.Schema, marginals []algorithms.Marginal) []Noise {
	var all []Noise
	for a := range schema.Attributes {
		i, d := c.least(marginals, a)
		if i < 0 {
			continue
		}
		m, attribute := &marginals[i], &schema.Attributes[a]
		counts := totals(m, m.Counts, d)
		n := Noise{Attribute: attribute.Name, Values: len(counts), Error: c.deviation(m, d)}
		for value, count := range counts {
			if count < 2*n.Error {
				n.Hidden++
			} else if n.Group == "" || count < n.Smallest {
				n.Smallest, n.Group = count, valueText(attribute, m.Values[d][value])
				n.Relative = n.Error / count
			}
		}
		all = append(all, n)
	}
	return all
}

// least is the marginal that has an attribute's own counts with the least noise, and the
// attribute's place there; for -1 it is that of all records. marginal is -1 where there is none.
func (c *Certificate) least(marginals []algorithms.Marginal, attribute int) (marginal, at int) {
	marginal, at = -1, -1
	deviation := math.Inf(1)
	for i := range marginals {
		d := slices.Index(marginals[i].Attributes, attribute)
		if is := c.deviation(&marginals[i], d); (d >= 0) == (attribute >= 0) && is < deviation {
			marginal, at, deviation = i, d, is
		}
	}
	return marginal, at
}

// deviation is the standard deviation of the noise in each of an attribute's counts, by its place
// in a marginal; for -1 it is that of the sum of all.
func (c *Certificate) deviation(m *algorithms.Marginal, d int) float64 {
	_, deviation, _ := c.law(m) // which could be written
	size := 1
	if d >= 0 {
		size = len(m.Values[d])
	}
	return float64(deviation * math.Sqrt(float64(len(m.Counts))/float64(size)))
}

// totals sums a marginal's cells up to the values of an attribute, by its place; to all for -1.
func totals(m *algorithms.Marginal, cells []float64, d int) []float64 {
	size, inner := 1, len(cells)
	if d >= 0 {
		size, inner = len(m.Values[d]), 1
		for _, values := range m.Values[d+1:] {
			inner *= len(values)
		}
	}
	counts := make([]float64, size)
	for cell, count := range cells {
		counts[cell/inner%size] += count
	}
	return counts
}

// codes are the values that the codes of an attribute belong to.
func codes(values [][]datasets.Span, cells int) []int {
	of := make([]int, cells)
	for v, spans := range values {
		for _, s := range spans {
			for code := s.Low; code < s.High; code++ {
				of[code] = v
			}
		}
	}
	return of
}

// tally counts records in the cells of a marginal, each by its weight; nil is 1 each.
func tally(m *algorithms.Marginal, table *datasets.Table, weights []float64) []float64 {
	at := make([]int, table.Len())
	for d, a := range m.Attributes {
		of := codes(m.Values[d], table.Schema().Attributes[a].Cells())
		for row := range at {
			at[row] = at[row]*len(m.Values[d]) + of[table.Column(a).At(int32(row))]
		}
	}
	counts := make([]float64, len(m.Counts))
	for row, cell := range at {
		counts[cell] += weightOf(weights, row)
	}
	return counts
}

func weightOf(weights []float64, row int) float64 {
	if weights == nil {
		return 1
	}
	return weights[row]
}
