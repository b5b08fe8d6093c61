// Package fit computes the count tables of Adult's stand-in, ../standin.json, from the real data.
// It has tests only: one holds the committed file to what the data give, or writes it with -update.
//
// The model extends the tree-augmented naive Bayes of Friedman, Geiger & Goldszmidt (1997) from a
// tree to a 2-tree: given the class, each attribute depends on at most two others that are parent
// and child themselves, so that all pairs and triples it is fitted to keep the frequencies they
// have in Adult. A mere tree leaves so much independence that naive Bayes does two points better on
// it than on Adult. Starting from the pair with the largest mutual information given the class, the
// attribute and parents that share the most information are added in turn (Chow & Liu 1968 for one
// parent; greedy for two).
//
// The mutual information of a sample is biased upwards by about (r−1)(c−1)/2N nats for each class
// of an r×c table (Miller 1955), which would favour attributes of many values and rare
// combinations; this is subtracted.
//
// Adult is public, and the counts protect nobody: the stand-in replaces missing files, not consent.
package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strconv"

	"ppdp/datasets"
	"ppdp/datasets/adult"
	"ppdp/numeric/elementary"
)

// bins are the lower ends of the bins of the numeric attributes whose domains are too large to
// count value by value. They are public choices: equal widths, or the spike at 0 and finer bins
// where capital gains and losses of a tax return usually lie.
var bins = map[string][]int{
	"fnlwgt": steps(0, 1500000, 25000),
	"capital-gain": {0, 1, 1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 12000,
		14000, 16000, 20000, 25000, 30000, 50000, 99999},
	"capital-loss": append([]int{0, 1, 500, 1000},
		append(steps(1200, 2600, 100), 2600, 3000, 4000)...),
}

// steps lists from, from+width, ... below to.
func steps(from, to, width int) []int {
	var list []int
	for at := from; at < to; at += width {
		list = append(list, at)
	}
	return list
}

// attribute is a column of Adult cut into levels.
type attribute struct {
	name    string
	levels  []string
	rows    []uint16     // level of each row
	parents []*attribute // none, one, or two of which the second is a parent of the first
}

// fit loads both halves and returns the file of the network.
func fit(files datasets.Files) ([]byte, error) {
	dataset, err := adult.Source{}.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "diffmulti"}, Files: files})
	if err != nil {
		return nil, err
	}
	first, err := adult.Source{}.Load(context.Background(),
		datasets.Request{Params: &adult.Params{Select: "all"}, Files: files})
	if err != nil {
		return nil, err
	}
	table := dataset.Table
	at := table.Schema().Class()
	class := level(table, at)
	var attributes []*attribute
	for i := range table.Schema().Attributes {
		if i != at {
			attributes = append(attributes, level(table, i))
		}
	}
	order := grow(attributes, class)

	n := adult.Network{Source: "Computed by datasets/adult/fit from the 45,222 complete rows of: " +
		"Becker, B. & Kohavi, R. (1996). Adult. UCI Machine Learning Repository. CC BY 4.0. Do " +
		"not edit: run go generate ./datasets/adult.", Classes: class.levels,
		Halves: [][]uint32{count(class.rows[:first.Table.Len()], len(class.levels)),
			count(class.rows[first.Table.Len():], len(class.levels))}}
	for _, a := range order {
		node := &adult.Node{Attribute: a.name, Levels: a.levels, Parents: []int{},
			Counts: crossTabulate(class, product(a.parents, table.Len()), a)}
		for _, parent := range a.parents {
			node.Parents = append(node.Parents, slices.Index(order, parent))
		}
		for _, contexts := range node.Counts {
			for i, counts := range contexts {
				if sum(counts) == 0 {
					contexts[i] = nil
				}
			}
		}
		n.Nodes = append(n.Nodes, node)
	}
	text, err := json.Marshal(n)
	if err != nil {
		return nil, err
	}
	return bytes.ReplaceAll(text, []byte(`{"Attribute`), []byte("\n"+`{"Attribute`)), nil
}

// level cuts one column into levels: the values of a categorical attribute, the bins of a numeric
// one.
func level(table *datasets.Table, i int) *attribute {
	schema := &table.Schema().Attributes[i]
	a := &attribute{name: schema.Name, rows: make([]uint16, table.Len())}
	of := make([]uint16, schema.Cells()) // level of each code
	if edges := bins[schema.Name]; edges == nil {
		for code := range of {
			of[code] = uint16(code)
			a.levels = append(a.levels, schema.Text(uint32(code)))
		}
	} else {
		at := -1
		for code := range of {
			if at+1 < len(edges) && schema.Number(uint32(code)) == float64(edges[at+1]) {
				at++
				a.levels = append(a.levels, strconv.Itoa(edges[at]))
			}
			of[code] = uint16(at)
		}
	}
	column := table.Column(i)
	for row := range a.rows {
		a.rows[row] = of[column.At(int32(row))]
	}
	return a
}

func count(rows []uint16, levels int) []uint32 {
	counts := make([]uint32, levels)
	for _, level := range rows {
		counts[level]++
	}
	return counts
}

func sum(counts []uint32) uint32 {
	total := uint32(0)
	for _, count := range counts {
		total += count
	}
	return total
}

// crossTabulate counts rows by the levels of three attributes.
func crossTabulate(a, b, c *attribute) [][][]uint32 {
	cube := make([][][]uint32, len(a.levels))
	for i := range cube {
		cube[i] = make([][]uint32, len(b.levels))
		for j := range cube[i] {
			cube[i][j] = make([]uint32, len(c.levels))
		}
	}
	for row := range a.rows {
		cube[a.rows[row]][b.rows[row]][c.rows[row]]++
	}
	return cube
}

// information is the mutual information of a and b given the class, in nats, less its bias.
func information(class, a, b *attribute) float64 {
	total := float64(len(class.rows))
	nats := 0.0
	for _, square := range crossTabulate(class, a, b) {
		columns := make([]uint32, len(b.levels))
		n := uint32(0)
		for _, row := range square {
			for j, cell := range row {
				columns[j] += cell
				n += cell
			}
		}
		r, c := 0, 0
		for _, column := range columns {
			if column > 0 {
				c++
			}
		}
		for _, row := range square {
			inRow := sum(row)
			if inRow > 0 {
				r++
			}
			for j, cell := range row {
				if cell > 0 {
					ratio := float64(cell) * float64(n) / (float64(inRow) * float64(columns[j]))
					nats += float64(float64(cell) / total * elementary.Log(ratio))
				}
			}
		}
		nats -= float64((r-1)*(c-1)) / (2 * total)
	}
	return nats
}

// product is the attribute whose levels are the combinations of the levels of all, without names.
// Without any it has one level.
func product(all []*attribute, rows int) *attribute {
	both := &attribute{levels: []string{""}, rows: make([]uint16, rows)}
	for _, a := range all {
		for row, level := range a.rows {
			both.rows[row] = both.rows[row]*uint16(len(a.levels)) + level
		}
		both.levels = make([]string, len(both.levels)*len(a.levels))
	}
	return both
}

// grow gives every attribute its parents and returns the attributes with parents before children.
func grow(attributes []*attribute, class *attribute) []*attribute {
	rest := slices.Clone(attributes)
	var order []*attribute
	take := func(a *attribute, parents ...*attribute) {
		a.parents = parents
		order = append(order, a)
		rest = slices.DeleteFunc(rest, func(other *attribute) bool { return other == a })
	}
	most, first, second := math.Inf(-1), rest[0], rest[0]
	for i, a := range rest {
		for _, b := range rest[:i] {
			if nats := information(class, a, b); nats > most {
				most, first, second = nats, b, a
			}
		}
	}
	take(first)
	take(second, first)

	// best is the most an attribute shares with parents it may have, choice are those parents. Only
	// what the last addition made possible has to be computed.
	best := make(map[*attribute]float64)
	choice := make(map[*attribute][]*attribute)
	for _, a := range rest {
		best[a] = math.Inf(-1)
	}
	for len(rest) > 0 {
		last := order[len(order)-1]
		families := [][]*attribute{{last}}
		for _, parent := range last.parents {
			families = append(families, []*attribute{last, parent})
		}
		if len(order) == 2 {
			families = append(families, []*attribute{order[0]})
		}
		next := rest[0]
		for _, a := range rest {
			for _, family := range families {
				if nats := information(class, product(family, len(class.rows)), a); nats > best[a] {
					best[a], choice[a] = nats, family
				}
			}
			if best[a] > best[next] {
				next = a
			}
		}
		take(next, choice[next]...)
	}
	return order
}
