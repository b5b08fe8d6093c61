package naivebayes

import (
	"math"
	"slices"

	"ppdp/datasets"
	"ppdp/numeric/elementary"
)

const (
	// maxTable is the largest numeric domain whose interval probabilities are computed in advance:
	// each costs two error functions a class, so larger domains are cheaper row by row.
	maxTable = 1 << 10
	// leastProbability is the smallest likelihood a numeric value can have, Weka's guard against
	// one outlier deciding alone.
	leastProbability = 1e-75
	// deviationsPerPrecision is how many standard deviations the precision spans at least: a normal
	// narrower than that would put nearly all its mass into one reading.
	deviationsPerPrecision = 6
)

// normal is the distribution of one attribute in one class. Values are taken to be readings of an
// instrument of some precision: a reading stands for the interval of that width around it.
type normal struct {
	mean, deviation, precision float64
}

// round is the reading of a value.
func (d normal) round(value float64) float64 {
	return float64(math.RoundToEven(value/d.precision) * d.precision)
}

// logProbability is the logarithm of the mass of the value's interval.
func (d normal) logProbability(value float64) float64 {
	// The density is symmetric: the lower tail is computed.
	z := math.Abs(d.round(value)-d.mean) / d.deviation
	half := d.precision / 2 / d.deviation
	probability := (elementary.Erfc((z-half)/math.Sqrt2) - elementary.Erfc((z+half)/math.Sqrt2)) / 2
	return elementary.Log(math.Max(probability, leastProbability))
}

// fitGaussian estimates a normal for each class from readings whose precision is the mean gap
// between neighbouring distinct values (John & Langley 1995; Weka's NormalEstimator).
func (s *sample) fitGaussian(at int, attribute *datasets.Attribute) feature {
	classes, cells := len(s.present), attribute.Numbers()
	if !attribute.Continuous && cells <= maxTable {
		values := make([]float64, cells)
		for code := range values {
			values[code] = attribute.Number(uint32(code))
		}
		logs := s.histogram(s.table.Column(at), attribute.Cells())
		normals := s.normals(values, logs, attribute)
		clear(logs[cells*classes:])       // a missing number says nothing, as in Weka
		for code, value := range values { // the counts are no longer needed
			for k, d := range normals {
				logs[code*classes+k] = d.logProbability(value)
			}
		}
		return &tabulated{attribute: at, classes: classes, logs: logs}
	}
	values := make([]float64, len(s.rows))
	for i, row := range s.rows {
		values[i] = s.table.Number(row, at)
	}
	distinct := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	slices.Sort(distinct)
	distinct = slices.Compact(distinct)
	counts := make([]float64, len(distinct)*classes)
	for i, value := range values {
		j, known := slices.BinarySearch(distinct, value)
		if !known { // missing
			continue
		}
		counts[j*classes+int(s.labels[i])] += s.weights.At(int32(i))
	}
	return &gaussian{attribute: at, normals: s.normals(distinct, counts, attribute)}
}

// normals fits one distribution for each class to the weights counts[i·classes + class] of
// ascending values. Going through counts makes the sums independent of the order of the rows.
func (s *sample) normals(values, counts []float64, a *datasets.Attribute) []normal {
	classes, masses := len(s.present), s.perClass
	if a.Missing != nil { // those of numbers
		masses = make([]float64, classes)
		for i := range values {
			for k := range masses {
				masses[k] += counts[i*classes+k]
			}
		}
		for k := range masses {
			masses[k] = max(masses[k], math.SmallestNonzeroFloat64)
		}
	}
	var occurring []float64
	for i, value := range values {
		if slices.Max(counts[i*classes:(i+1)*classes]) > 0 {
			occurring = append(occurring, value)
		}
	}
	d := normal{precision: a.Step}
	if last := len(occurring) - 1; last > 0 {
		d.precision = (occurring[last] - occurring[0]) / float64(last)
	}
	normals := make([]normal, classes)
	for k := range normals {
		mean, square := 0.0, 0.0
		for i, value := range values {
			mean += float64(d.round(value) * counts[i*classes+k])
		}
		mean /= masses[k]
		// A second pass around the mean: sums of raw squares would cancel on values far from 0.
		for i, value := range values {
			gap := d.round(value) - mean
			square += float64(float64(gap*gap) * counts[i*classes+k])
		}
		deviation := math.Sqrt(square / masses[k])
		normals[k] = normal{mean, math.Max(deviation, d.precision/deviationsPerPrecision),
			d.precision}
	}
	return normals
}

// gaussian scores an attribute whose values are too many to tabulate.
type gaussian struct {
	attribute int
	normals   []normal
}

func (f *gaussian) add(scores []float64, table *datasets.Table, rows []int32) {
	classes := len(f.normals)
	for i, row := range rows {
		value := table.Number(row, f.attribute)
		if value != value { // missing
			continue
		}
		for k := range f.normals {
			scores[i*classes+k] += f.normals[k].logProbability(value)
		}
	}
}
