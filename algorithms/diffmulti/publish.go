package diffmulti

import (
	"fmt"
	"math"

	"ppdp/algorithms"
	"ppdp/algorithms/kernel/partition"
	"ppdp/privacy"
)

// leaf makes the current box a leaf; its counts are published when all leaves are known.
func (r *recursion) leaf(rows []int32, at place) error {
	if _, _, err := r.builder.Leaf(); err != nil {
		return err
	}
	from := len(r.counts)
	r.counts = append(r.counts, make([]int32, r.classes)...)
	for _, row := range rows {
		r.counts[from+int(r.class.of(r.store.record(row)))]++
	}
	r.places = append(r.places, at)
	return nil
}

// publish adds noise to the leaves' counts (line 21) and draws records.
func (r *recursion) publish(in algorithms.Input) (*algorithms.Release, error) {
	regions := r.builder.Regions()
	// Not what each leaf's own path has left: under dm one record moves the scores of regions that
	// it is not in (errata D3), so it also pays for levels below its leaf. The longest path has
	// paid for all levels.
	spent := 0.0
	for _, at := range r.places {
		path := r.paths[at]
		spent = math.Max(spent, path.Spent())
	}
	epsilon := r.epsilon - spent
	classes := r.classes
	var path privacy.Path
	for leaf, at := range r.places {
		if err := r.poll.After(1); err != nil {
			return nil, err
		}
		counts := regions.Count(leaf)
		for y, n := range r.counts[leaf*classes : (leaf+1)*classes] {
			counts[y] = float64(n)
		}
		path = r.paths[at]
		if err := r.leafNoise.AddAll(&path, epsilon, counts); err != nil {
			return nil, err
		}
		for y, n := range counts {
			if r.variant == algorithms.RefCode {
				n = math.Ceil(n)
			}
			counts[y] = math.Max(0, math.Floor(n))
		}
	}
	release := &algorithms.Release{Regions: regions, Structure: r.builder.Structure()}
	schema := in.Table.Schema()
	draws, drawing := in.Noise.Open("records"), r.params.Drawing
	if err := partition.AddRecords(release, schema, regions.Counts, drawing, draws); err != nil {
		return nil, fmt.Errorf("diffmulti: %w", err)
	}
	if r.shares.rule == ByExact {
		release.Warnings = append(release.Warnings, "hprime: none shares out specialisations by"+
			" exact sizes: not private")
	}
	return release, nil
}
