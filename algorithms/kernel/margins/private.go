package margins

import (
	"iter"
	"math"
	"slices"

	"ppdp/algorithms"
	"ppdp/datasets"
	"ppdp/numeric/elementary"
	"ppdp/privacy"
)

// Cut says how numeric attributes of many cells are cut into bins.
type Cut string

const (
	Equal   Cut = "equal"
	Wide    Cut = "wide"    // private where there are more than 256 cells, equal elsewhere
	Private Cut = "private" // where there are more cells than bins
)

func (Cut) Enum() []string { return algorithms.Words(Equal, Wide, Private) }

// Cuts reports whether an attribute has private bins. It has none if it has no more cells than
// bins, or if the schema gives bins.
func (c Cut) Cuts(a *datasets.Attribute, bins int) bool {
	most := bins
	switch c {
	case Equal:
		return false
	case Wide:
		most = max(bins, fewCells)
	}
	return a.Kind == datasets.Numeric && a.Numbers() > most && a.PublicBins(bins) == nil
}

const (
	// fewCells is the most cells that are leaves from the start.
	fewCells = 256
	// certain is by how many standard deviations of its noise a count is above 0 that is not noise,
	// likely the same where a mistake does little harm.
	certain, likely = 4., 2.
)

// leaf is an interval of cells with its noisy count.
type leaf struct {
	low, high       uint32
	count, variance float64
}

// privateBins cuts a numeric attribute into at most so many bins of about the same noisy counts.
// cells are its rows', some at a time. It returns the noisy counts and their variances too.
//
// The attribute's cells are first cut into public leaves: short ones at both ends of the domain and
// at 0, and at most a 32nd of it. Their counts are measured. Leaves of many records are divided and
// measured again. Each round costs the same share. Then neighbours join until their count is more
// than noise, and become bins by their counts. A record is drawn from one leaf of its bin. From
// leaves that are wide and empty up to noise none is. Where noise hides all this, bins are equal.
//
// A record lies in one leaf of a round, so that the counts of a round have sensitivity 1. Missing
// numbers are a leaf and a bin of their own, beside so many bins.
func privateBins(a *datasets.Attribute, cells iter.Seq[[]uint32], bins int,
	noise *privacy.Noise, path *privacy.Path, cost float64) (b Bins, counts,
	variances []float64, err error) {
	leaves, first := publicLeaves(a), cost
	var missing []leaf // of them, one or none
	if code := a.MissingCode(); code != datasets.NoCode {
		missing = []leaf{{low: code, high: code + 1, variance: math.Inf(1)}}
	}
	measured := func(cost float64) error {
		all := slices.Concat(leaves, missing)
		err := measure(all, cells, noise, path, cost)
		leaves, missing = all[:len(leaves):len(leaves)], all[len(leaves):]
		return err
	}
	if a.Numbers() > fewCells {
		first /= 2
	}
	if err := measured(first); err != nil {
		return b, nil, nil, err
	}
	even := evenly(leaves, bins)
	rough := len(even) > 0
	var hidden leaf
	if rough {
		for _, l := range leaves {
			hidden.high, hidden.variance = l.high, hidden.variance+l.variance
		}
		leaves = even
	} else if first < cost {
		leaves = divide(leaves, bins)
	}
	if first < cost {
		if err := measured(cost - first); err != nil {
			return b, nil, nil, err
		}
	}
	lasts := alone(len(leaves))
	if !rough {
		if first < cost {
			leaves, hidden = tails(a, leaves)
		} else {
			leaves, hidden = pool(leaves, bulkOf(leaves))
		}
		lasts = join(leaves, bins)
	}
	if len(missing) > 0 {
		leaves = append(leaves, missing...)
		lasts = append(lasts, len(leaves))
	}
	b, counts, variances = gather(leaves, lasts)
	// A tail may be so sure that a bin is empty that a fit would look at nothing else.
	least := min(noise.Variance(cost), maxVariance) // of one measurement at the whole cost
	for i, v := range variances {
		variances[i] = max(v, least)
	}
	b.hidden = hidden
	return b, counts, variances, nil
}

// measure adds noisy counts of the rows' cells to what the leaves know.
func measure(leaves []leaf, cells iter.Seq[[]uint32], noise *privacy.Noise,
	path *privacy.Path, cost float64) error {
	ends, counts := make([]uint32, len(leaves)), make([]float64, len(leaves))
	for i, l := range leaves {
		ends[i] = l.high
	}
	find := NewFinder(ends)
	for some := range cells {
		for _, cell := range some {
			counts[find.Leaf(cell)]++
		}
	}
	variance := min(max(noise.Variance(cost), minVariance), maxVariance)
	if err := noise.AddAll(path, cost, counts); err != nil {
		return err
	}
	for i := range leaves {
		leaves[i].learn(counts[i], variance)
	}
	return nil
}

// CutAll cuts attributes into private bins by an input's rows, each for an equal part of the cost.
// It cuts only the attributes that cut selects and returns nil for the rest. spent is the cost, or
// 0 if cut selects no attribute. sensitivity is of the counts of one round.
func CutAll(in *algorithms.Input, attributes []int, cut Cut, bins int, sensitivity float64,
	path *privacy.Path, cost float64) (all []*Bins, spent float64, err error) {
	schema := in.Table.Schema()
	var wide []int // places among the attributes
	for i, a := range attributes {
		if cut.Cuts(&schema.Attributes[a], bins) {
			wide = append(wide, i)
		}
	}
	all = make([]*Bins, len(attributes))
	if len(wide) == 0 {
		return all, 0, nil
	}
	noise := noiseOf(in, "private bins", sensitivity)
	for _, i := range wide {
		a := attributes[i]
		all[i] = new(Bins)
		*all[i], _, _, err = privateBins(&schema.Attributes[a], cellsOf(in, a), bins, noise, path,
			cost/float64(len(wide)))
		if err != nil {
			return nil, 0, err
		}
	}
	return all, cost, nil
}

// evenly returns equal bins, with what is known of their counts, where the noise of so many counts
// is more than a third of all records and yet no such bin seems to have half of them; else nil.
// Private bins would follow the noise, and equal ones do little harm.
func evenly(leaves []leaf, bins int) []leaf {
	total, noise := 0.0, float64(bins)*math.Sqrt(leaves[0].variance)
	for _, l := range leaves {
		total += l.count
	}
	if noise < total/3 {
		return nil
	}
	cells := uint64(leaves[len(leaves)-1].high)
	even := make([]leaf, min(uint64(bins), cells))
	for i := range even {
		e := &even[i]
		e.low = uint32(uint64(i) * cells / uint64(len(even)))
		e.high = uint32(uint64(i+1) * cells / uint64(len(even)))
		for _, l := range leaves {
			if l.low < e.high && e.low < l.high {
				share := float64(min(l.high, e.high)-max(l.low, e.low)) / l.width()
				e.count += float64(share * l.count)
				e.variance += float64(share * l.variance)
			}
		}
		if e.count > total/2 {
			return nil
		}
		if cells > fewCells { // leaves may lie across bins, which are counted again
			e.variance = math.Inf(1)
		}
	}
	return even
}

// publicLeaves are the leaves before anything is measured.
func publicLeaves(a *datasets.Attribute) []leaf {
	cells := uint64(a.Numbers())
	var ends []uint64
	if cells <= fewCells {
		for end := range cells {
			ends = append(ends, end+1)
		}
	} else {
		for i := uint64(1); i <= 32; i++ {
			ends = append(ends, i*cells/32)
		}
		zero := uint64(0)
		if a.Low < 0 && a.High > 0 {
			zero = uint64(-a.Low / a.Step)
		}
		for width := uint64(1); width < cells; width *= 2 {
			for _, w := range []uint64{width, width + width/2} {
				ends = append(ends, min(w, cells), cells-min(w, cells-1), min(zero+w, cells),
					max(zero, w)-w+1)
			}
		}
		slices.Sort(ends)
		ends = slices.Compact(ends)
	}
	leaves, low := make([]leaf, len(ends)), uint32(0)
	for i, end := range ends {
		leaves[i] = leaf{low: low, high: uint32(end), variance: math.Inf(1)}
		low = uint32(end)
	}
	return leaves
}

// divide divides the leaves that have more of the records than half a bin: into parts of a quarter
// of that, were they even.
func divide(leaves []leaf, bins int) []leaf {
	total := 0.0
	for _, l := range leaves {
		total += max(0, l.count)
	}
	var divided []leaf
	for _, l := range leaves {
		halves := float64(l.count / total * float64(2*bins))
		width := uint64(l.high - l.low)
		if width == 1 || !(halves > 1) || !l.above(certain) {
			divided = append(divided, l)
			continue
		}
		parts := min(width, uint64(2*halves))
		for i := range parts {
			divided = append(divided, leaf{low: l.low + uint32(i*width/parts),
				high: l.low + uint32((i+1)*width/parts), variance: math.Inf(1)})
		}
	}
	return divided
}

// join joins leaves to bins of about the same counts. It returns one after the last leaf of each.
func join(leaves []leaf, bins int) (lasts []int) {
	total := 0.0
	for _, l := range leaves {
		total += l.count
	}
	if total == 0 { // nothing but noise
		for i := range leaves {
			leaves[i].count = leaves[i].width()
			total += leaves[i].count
		}
	}
	for target := total / float64(bins); ; target *= 1.05 {
		lasts = lasts[:0]
		sum := 0.0
		for i, l := range leaves {
			// a leaf of many records is a bin of its own
			if l.count >= target && sum > 0 {
				lasts, sum = append(lasts, i), 0
			}
			if sum += l.count; sum >= target {
				lasts, sum = append(lasts, i+1), 0
			}
		}
		if sum == 0 && len(lasts) > 0 {
			lasts[len(lasts)-1] = len(leaves)
		} else {
			lasts = append(lasts, len(leaves))
		}
		if len(lasts) <= bins {
			return lasts
		}
	}
}

// gather makes bins of leaves, and adds up the noisy counts of each bin and their variances.
func gather(leaves []leaf, lasts []int) (b Bins, counts, variances []float64) {
	b.Size, b.lasts = len(lasts), lasts
	first := 0
	for _, last := range lasts {
		count, variance := 0.0, 0.0
		for _, l := range leaves[first:last] {
			count += l.count
			variance += l.variance
			b.ends, b.shares = append(b.ends, l.high), append(b.shares, count)
		}
		counts, variances = append(counts, count), append(variances, variance)
		first = last
	}
	return b, counts, variances
}

// pool joins neighbouring leaves until their count is more than noise. The further a leaf reaches
// from where most records are, the surer its count has to be: one by mistake would move the mean. A
// leaf that remains unsure has its noisy count if that is above 0, and 0 if it reaches far; hidden
// is the widest of these.
func pool(leaves []leaf, bulk bulk) (pooled []leaf, hidden leaf) {
	// how far a leaf reaches from the middle of the records, in four of their mean distances
	reach := func(l leaf) float64 {
		return max(bulk.center-float64(l.low), float64(l.high)-bulk.center) / (4 * bulk.spread)
	}
	enough := func(l leaf) bool {
		return l.above(likely + float64(1.5*elementary.Log(max(1, reach(l)))))
	}
	var unsure leaf // what is joined so far, of no width for nothing
	flush := func() {
		if unsure.width() > 0 {
			if unsure.count = max(0, unsure.count); reach(unsure) > 1 {
				unsure.count = 0
			}
			if unsure.width() > hidden.width() {
				hidden = unsure
			}
			pooled = append(pooled, unsure)
		}
		unsure = leaf{}
	}
	for _, l := range leaves {
		if enough(l) {
			flush()
			pooled = append(pooled, l)
			continue
		}
		if unsure.width() > 0 {
			l.low, l.count = unsure.low, unsure.count+l.count
			l.variance += unsure.variance
		}
		if unsure = l; enough(unsure) {
			pooled, unsure = append(pooled, unsure), leaf{}
		}
	}
	flush()
	return pooled, hidden
}

// bulk is where the records are that noise cannot make up.
type bulk struct {
	center float64 // their median
	spread float64 // their mean distance from it
}

func bulkOf(leaves []leaf) (b bulk) {
	most := 0.0
	for _, l := range leaves {
		most = max(most, l.count)
	}
	var sure []leaf
	total := 0.0
	for _, l := range leaves {
		if l.above(certain) || l.count >= most/2 {
			sure, total = append(sure, l), total+max(0, l.count)
		}
	}
	sum := 0.0
	for _, l := range sure {
		if b.center = float64(l.low) + float64(l.width()/2); sum+max(0, l.count) > total/2 {
			break
		}
		sum += max(0, l.count)
	}
	for _, l := range sure {
		middle := float64(l.low) + float64(l.width()/2)
		away := max(math.Abs(middle-b.center), l.width()/4)
		b.spread += float64(max(0, l.count) / max(1, total) * away)
	}
	b.spread = max(b.spread, 0.25)
	return b
}

func (l *leaf) width() float64 { return float64(l.high - l.low) }

// learn adds a measurement of the count, weighted by their variances.
func (l *leaf) learn(count, variance float64) {
	weight := l.variance / (l.variance + variance)
	if math.IsInf(l.variance, 1) {
		weight = 1
	}
	l.count += float64(weight * (count - l.count))
	l.variance = weight * variance
}

// above reports whether a count is above 0 by more than so many standard deviations of its noise.
func (l *leaf) above(deviations float64) bool {
	return l.count >= deviations*math.Sqrt(l.variance)
}
