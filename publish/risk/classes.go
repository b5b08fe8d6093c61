package risk

import (
	"fmt"
	"slices"
)

// suppressedRow is the class of records that are left out.
const suppressedRow = ^uint32(0)

// grouping is the classes of a table: the combinations of texts of its quasi-identifiers, numbered
// in the order of their first record.
type grouping struct {
	of    []uint32 // each row's class, or suppressedRow
	sizes []int    // records of each class
	first []int    // and its first row
	left  int      // suppressed rows
	steps []map[uint64]uint32
}

// group finds the classes column by column: a step numbers the pairs of a number so far and a code.
func group(t *Table, suppressed string) *grouping {
	g := &grouping{of: make([]uint32, t.Rows)}
	for i := range t.Quasi {
		step := make(map[uint64]uint32)
		for row, code := range t.Quasi[i].Codes {
			key := uint64(g.of[row])<<32 | uint64(code)
			number, known := step[key]
			if !known {
				number = uint32(len(step))
				step[key] = number
			}
			g.of[row] = number
		}
		g.steps = append(g.steps, step)
	}
	g.sizes = make([]int, len(g.steps[len(g.steps)-1]))
	g.first = make([]int, len(g.sizes))
	for row, class := range g.of {
		if g.sizes[class] == 0 {
			g.first[class] = row
		}
		g.sizes[class]++
	}
	g.leaveOut(t, suppressed)
	return g
}

// leaveOut takes the class of suppressed records out; the others keep their order.
func (g *grouping) leaveOut(t *Table, suppressed string) {
	for class := range g.sizes {
		values := g.values(t, class)
		if suppressed == "" || slices.ContainsFunc(values, func(text string) bool {
			return text != suppressed
		}) {
			continue
		}
		g.left = g.sizes[class]
		g.sizes, g.first = slices.Delete(g.sizes, class, class+1),
			slices.Delete(g.first, class, class+1)
		renumber := func(of uint32) uint32 {
			switch {
			case of == uint32(class):
				return suppressedRow
			case of > uint32(class):
				return of - 1
			}
			return of
		}
		for row := range g.of {
			g.of[row] = renumber(g.of[row])
		}
		last := g.steps[len(g.steps)-1]
		for key, of := range last { // order-free: each entry by itself
			last[key] = renumber(of)
		}
		return // texts differ, so that there is no other
	}
}

// values are the texts of a class.
func (g *grouping) values(t *Table, class int) []string {
	values := make([]string, len(t.Quasi))
	for i := range t.Quasi {
		values[i] = t.Quasi[i].Texts[t.Quasi[i].Codes[g.first[class]]]
	}
	return values
}

// rows lists the rows that are not suppressed class by class.
func (g *grouping) rows() []int32 {
	next, at := make([]int, len(g.sizes)), 0
	for class, n := range g.sizes {
		next[class] = at
		at += n
	}
	rows := make([]int32, at)
	for row, class := range g.of {
		if class != suppressedRow {
			rows[next[class]] = int32(row)
			next[class]++
		}
	}
	return rows
}

// count is how many records of another table each class has there, and how many records it has in
// all but suppressed ones. Texts, not codes, are compared.
func (g *grouping) count(t, other *Table, suppressed string) (sizes []int, records int, err error) {
	const none = ^uint32(0)
	if len(other.Quasi) != len(t.Quasi) {
		return nil, 0, fmt.Errorf("%d quasi-identifiers in the population, must be %d",
			len(other.Quasi), len(t.Quasi))
	}
	codes := make([][]uint32, len(t.Quasi)) // of the other table's texts
	blank := make([]uint32, len(t.Quasi))   // the other table's code of the suppression
	for i := range t.Quasi {
		index := make(map[string]uint32, len(t.Quasi[i].Texts))
		for code, text := range t.Quasi[i].Texts {
			index[text] = uint32(code)
		}
		blank[i] = none
		for code, text := range other.Quasi[i].Texts {
			if text == suppressed && suppressed != "" {
				blank[i] = uint32(code)
			}
			known, ok := index[text]
			if !ok {
				known = none
			}
			codes[i] = append(codes[i], known)
		}
	}
	sizes = make([]int, len(g.sizes))
	for row := range other.Rows {
		class, same, hidden := uint32(0), true, true
		for i := range other.Quasi {
			code := other.Quasi[i].Codes[row]
			hidden = hidden && code == blank[i]
			if same && codes[i][code] != none {
				class, same = look(g.steps[i], class, codes[i][code])
			} else {
				same = false
			}
		}
		if hidden {
			continue
		}
		records++
		if same && class != suppressedRow {
			sizes[class]++
		}
	}
	return sizes, records, nil
}

func look(step map[uint64]uint32, number, code uint32) (uint32, bool) {
	next, known := step[uint64(number)<<32|uint64(code)]
	return next, known
}
