package aim

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ppdp/algorithms/kernel/margins"
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

// named are the workloads of all sets of so many attributes, or of so many and the class.
var named = map[string]struct {
	size      int
	withClass bool
}{AllPairs: {2, false}, AllTriples: {3, false}, ClassPairs: {1, true}, ClassTriples: {2, true}}

// checkWorkload reports what is wrong with a workload before the attributes are known.
func checkWorkload(text string) error {
	if _, ok := named[text]; ok {
		return nil
	}
	_, err := listed(text)
	return err
}

// listed reads a workload's sets as names of attributes.
func listed(text string) (sets [][]string, err error) {
	if !strings.ContainsAny(text, ",;") {
		return nil, fmt.Errorf("workload: %q, must be %s, %s, %s, %s or sets of attributes such "+
			`as "age,sex; work,class"`, text, AllPairs, AllTriples, ClassPairs, ClassTriples)
	}
	for set := range strings.SplitSeq(text, ";") {
		names := strings.Split(set, ",")
		if len(names) > maxSet {
			return nil, fmt.Errorf("workload: a set of %d attributes, must have at most %d",
				len(names), maxSet)
		}
		for i, name := range names {
			if names[i] = strings.TrimSpace(name); names[i] == "" {
				return nil, fmt.Errorf("workload: %q has an empty name; \",\" separates "+
					`attributes and ";" sets`, text)
			}
		}
		sets = append(sets, names)
	}
	return sets, nil
}

// workload lists the sets of a checked workload, ascending attributes each.
func workload(schema *datasets.Schema, text string) (sets [][]int, err error) {
	if all, ok := named[text]; ok {
		class := -1
		if all.withClass {
			class = schema.Class()
		}
		return subsets(len(schema.Attributes), all.size, class), nil
	}
	list, err := listed(text)
	for _, names := range list {
		var set []int
		for _, name := range names {
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
	return sets, err
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
	var sets [][]int
	for set := range margins.Subsets(rest, min(size, len(rest))) {
		if class >= 0 {
			set = append(set, class)
			slices.Sort(set)
		}
		sets = append(sets, set)
	}
	return sets
}

// candidate is a marginal that may be measured.
type candidate struct {
	set []int
	// weight is how many attributes it shares with the sets of the workload, over all of them.
	weight float64
	exact  []float64 // the table's, nil where it is not kept
}

// downwardClosure lists all subsets of a workload's sets that are not empty, by size and then by
// attributes.
func downwardClosure(sets [][]int) []candidate {
	var all []candidate
	in := make(map[int]float64) // how many sets an attribute is in
	for _, set := range sets {
		for _, a := range set {
			in[a]++
		}
		for bits := 1; bits < 1<<len(set); bits++ {
			var c candidate
			for i, a := range set {
				if bits>>i&1 == 1 {
					c.set = append(c.set, a)
				}
			}
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(len(a.set)-len(b.set), slices.Compare(a.set, b.set))
	})
	all = slices.CompactFunc(all, func(a, b candidate) bool { return slices.Equal(a.set, b.set) })
	for i := range all {
		for _, a := range all[i].set {
			all[i].weight += in[a]
		}
	}
	return all
}
