package blackbox

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/internal/results"
)

// maxPlaces is how many entries of a vector are features one by one.
const maxPlaces = 16

// maxValues is how many values of an attribute are counted, the first of its domain.
const maxValues = 32

// feature names a number that is read off a release. words may mention {of}, {by} and {i}, which
// are filled in for the few features that are ever printed.
type feature struct {
	words, of, by string
	i             int
}

func (f feature) String() string {
	names := strings.NewReplacer("{of}", f.of, "{by}", f.by, "{i}", strconv.Itoa(f.i))
	return names.Replace(f.words)
}

// featureValue is a feature's value in one release.
type featureValue struct {
	feature
	value float64
}

// featureVector has the features of one release, each feature at most once.
type featureVector struct {
	values []featureValue
	probes [][]uint32
}

func (s *featureVector) add(value float64, words, of, by string, i int) {
	s.values = append(s.values, featureValue{feature{words, of, by, i}, value})
}

// read reads the features of a release, or of the error in its place; failed reports which.
func (s *featureVector) read(ctx context.Context, release *algorithms.Release,
	err error) (failed bool) {
	var table *datasets.Table
	var weights []float64
	switch {
	case err != nil:
	case release == nil:
		err = errors.New("neither a release nor an error")
	default:
		table, weights, err = release.Records(ctx)
	}
	if err != nil {
		s.add(1, "the number of failures", "", "", 0)
		s.add(1, "the number of failures ({of})", err.Error(), "", 0)
		return true
	}
	s.add(0, "the number of failures", "", "", 0)
	if table != nil {
		s.records(table, weights)
	}
	if release.Regions != nil {
		s.regions(release.Regions)
	}
	if release.Degrees != nil {
		s.degrees(release.Degrees)
	}
	return false
}

// vector reads a quantity that a release has for each record, region, class, dimension or node: its
// sum, extremes and changes from one to the next, and its values with the steps to them: all of at
// most maxPlaces, as many at even distances of more.
func (s *featureVector) vector(of, by string, values []float64) {
	n, distances := len(values), ""
	if n == 0 {
		return
	}
	if n > maxPlaces {
		distances = fmt.Sprintf(" of %d at even distances", maxPlaces)
	}
	sum, changes := 0.0, 0
	for i, v := range values {
		sum += v
		if i > 0 && v != values[i-1] {
			changes++
		}
	}
	s.add(sum, "the sum of the {of} by {by}", of, by, 0)
	s.add(slices.Min(values), "the least {of} by {by}", of, by, 0)
	s.add(slices.Max(values), "the greatest {of} by {by}", of, by, 0)
	s.add(float64(changes), "the number of changes of the {of} by {by}", of, by, 0)
	for place := range min(n, maxPlaces) {
		i := place
		if n > maxPlaces {
			i = place * (n - 1) / (maxPlaces - 1)
		}
		s.add(values[i], "the {of} at {by} {i}"+distances, of, by, place)
		if i > 0 {
			step := values[i] - values[i-1]
			s.add(step, "the step of the {of} to {by} {i}"+distances, of, by, place)
		}
	}
}

// records reads weights by value and the attributes along the rows: sizes, presence, bounds, order.
func (s *featureVector) records(t *datasets.Table, weights []float64) {
	if weights == nil {
		weights = slices.Repeat([]float64{1}, t.Len())
	}
	s.add(float64(t.Len()), "the number of records", "", "", 0)
	s.vector("weight", "record", weights)
	for i, probe := range s.probes {
		equal, inCell := 0.0, 0.0
		for row, weight := range weights {
			same, cell := true, true
			for at := range t.Schema().Attributes {
				if t.Column(at).At(int32(row)) != probe[at] {
					same = false
					cell = cell && t.Schema().Attributes[at].Role != datasets.QuasiIdentifier
				}
			}
			if same {
				equal += weight
			}
			if cell {
				inCell += weight
			}
		}
		s.add(equal, "the weight of records equal to probe {i}", "", "", i)
		s.add(inCell, "the weight of records in the cell of probe {i}", "", "", i)
	}
	for at := range t.Schema().Attributes {
		a := &t.Schema().Attributes[at]
		counts := make([]float64, min(a.Cells(), maxValues))
		numbers := make([]float64, t.Len())
		for row, weight := range weights {
			code := t.Column(at).At(int32(row))
			if int(code) < len(counts) {
				counts[code] += weight
			}
			numbers[row] = float64(code)
			if a.Kind == datasets.Numeric {
				numbers[row] = t.Number(int32(row), at)
			}
		}
		for code, count := range counts {
			s.add(count, "the weight of records with {of} {by}", a.Name, a.Text(uint32(code)), code)
		}
		s.vector("value of "+a.Name, "record", numbers)
	}
}

// regions reads counts, edges and cuts, and the regions of the probes more closely.
func (s *featureVector) regions(r *algorithms.Regions) {
	n, dimensions := r.Len(), len(r.Attributes)
	totals, largest := make([]float64, n), make([]float64, n)
	for class := range r.Classes {
		counts := column(r.Counts, class, r.Classes)
		for region, count := range counts {
			totals[region] += count
			if count > r.Count(region)[int(largest[region])] {
				largest[region] = float64(class)
			}
		}
		s.vector("count of class "+strconv.Itoa(class), "region", counts)
	}
	s.add(float64(n), "the number of regions", "", "", 0)
	s.vector("count", "region", totals)
	s.vector("largest class", "region", largest)
	for i, probe := range s.probes {
		codes := results.Mapped(r.Attributes, func(at int) uint32 { return probe[at] })
		for region := range n {
			if r.Contains(region, codes) {
				name := " of the region of probe " + strconv.Itoa(i)
				low, high := r.Box(region)
				s.vector("count"+name, "class", r.Count(region))
				s.vector("lower edge"+name, "dimension", column(low, 0, 1))
				s.vector("upper edge"+name, "dimension", column(high, 0, 1))
				break
			}
		}
	}
	for d := range dimensions {
		lower, upper := make([]float64, n), make([]float64, n)
		for region := range n {
			low, high := r.Interval(region, d)
			lower[region], upper[region] = float64(low), float64(high)
		}
		s.vector("lower edge on dimension "+strconv.Itoa(d), "region", lower)
		s.vector("upper edge on dimension "+strconv.Itoa(d), "region", upper)
	}
	cuts := make([]uint32, 0, 2*len(r.Tree))
	for _, cut := range r.Tree {
		cuts = append(cuts, uint32(cut.Dim), cut.At)
	}
	s.vector("dimension", "cut", column(cuts, 0, 2))
	s.vector("position", "cut", column(cuts, 1, 2))
}

// column lists every width-th entry of a matrix, from the first-th on.
func column[N uint32 | int32 | float64](matrix []N, first, width int) []float64 {
	entries := make([]float64, 0, len(matrix)/width)
	for i := first; i < len(matrix); i += width {
		entries = append(entries, float64(matrix[i]))
	}
	return entries
}

// degrees reads a degree sequence, and how many degrees are small.
func (s *featureVector) degrees(degrees []int32) {
	s.add(float64(len(degrees)), "the number of nodes", "", "", 0)
	s.vector("degree", "node", column(degrees, 0, 1))
	for most := range int32(3) {
		end, _ := slices.BinarySearch(degrees, most+1)
		s.add(float64(end), "the number of degrees up to {i}", "", "", int(most))
	}
}
