package aim

import (
	"fmt"
	"slices"
	"strings"

	"ppdp/datasets"
)

// Workloads by name.
const (
	AllPairs     = "all-2"
	AllTriples   = "all-3"
	ClassPairs   = "class-2"
	ClassTriples = "class-3"
)

// maxSet is how many attributes a set may have, all of whose subsets are candidates.
const maxSet = 6

// checkWorkload reports what is wrong with a workload before the attributes are known.
func checkWorkload(text string) error {
	switch text {
	case AllPairs, AllTriples, ClassPairs, ClassTriples:
		return nil
	}
	if !strings.ContainsAny(text, ",;") {
		return fmt.Errorf("workload: %q, must be %s, %s, %s, %s or sets of attributes such as "+
			`"age,sex; work,class"`, text, AllPairs, AllTriples, ClassPairs, ClassTriples)
	}
	for set := range strings.SplitSeq(text, ";") {
		if n := strings.Count(set, ",") + 1; n > maxSet {
			return fmt.Errorf("workload: a set of %d attributes, must have at most %d", n, maxSet)
		}
		for name := range strings.SplitSeq(set, ",") {
			if strings.TrimSpace(name) == "" {
				return fmt.Errorf("workload: %q has an empty name; \",\" separates attributes and "+
					`";" sets`, text)
			}
		}
	}
	return nil
}

// workload lists the sets of a checked workload, ascending attributes each.
func workload(schema *datasets.Schema, text string) (sets [][]int, err error) {
	d, class := len(schema.Attributes), schema.Class()
	switch text {
	case AllPairs:
		return subsets(d, 2, -1), nil
	case AllTriples:
		return subsets(d, 3, -1), nil
	case ClassPairs:
		return subsets(d, 1, class), nil
	case ClassTriples:
		return subsets(d, 2, class), nil
	}
	for names := range strings.SplitSeq(text, ";") {
		var set []int
		for name := range strings.SplitSeq(names, ",") {
			name = strings.TrimSpace(name)
			a := schema.Index(name)
			if a < 0 {
				return nil, fmt.Errorf("no attribute %q, must be some of %s", name,
					strings.Join(schema.Names(), ", "))
			}
			set = append(set, a)
		}
		slices.Sort(set)
		sets = append(sets, slices.Compact(set))
	}
	return sets, nil
}

// subsets lists the sets of size attributes of d, or all of them where these are fewer, each with
// the class unless that is -1.
func subsets(d, size, class int) [][]int {
	var rest []int
	for a := range d {
		if a != class {
			rest = append(rest, a)
		}
	}
	size = min(size, len(rest))
	var sets [][]int
	var add func(set []int, from int)
	add = func(set []int, from int) {
		if len(set) == size {
			s := slices.Clone(set)
			if class >= 0 {
				s = append(s, class)
				slices.Sort(s)
			}
			sets = append(sets, s)
			return
		}
		for i := from; i < len(rest); i++ {
			add(append(slices.Clip(set), rest[i]), i+1)
		}
	}
	add(nil, 0)
	return sets
}

// candidate is a marginal that may be measured.
type candidate struct {
	set []int
	// weight is how many attributes it shares with the sets of the workload, over all of them.
	weight float64
	exact  []float64 // the table's, nil where it is not kept
}

// candidatesOf lists all subsets of a workload's sets that are not empty, by size and then by
// attributes.
func candidatesOf(sets [][]int) []candidate {
	known := make(map[string]bool)
	var all []candidate
	for _, set := range sets {
		for bits := 1; bits < 1<<len(set); bits++ {
			var sub []int
			for i, a := range set {
				if bits>>i&1 == 1 {
					sub = append(sub, a)
				}
			}
			if key := fmt.Sprint(sub); !known[key] {
				known[key] = true
				all = append(all, candidate{set: sub})
			}
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		if len(a.set) != len(b.set) {
			return len(a.set) - len(b.set)
		}
		return slices.Compare(a.set, b.set)
	})
	in := make(map[int]float64) // how many sets an attribute is in
	for _, set := range sets {
		for _, a := range set {
			in[a]++
		}
	}
	for i := range all {
		for _, a := range all[i].set {
			all[i].weight += in[a]
		}
	}
	return all
}
