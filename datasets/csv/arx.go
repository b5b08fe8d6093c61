package csvtable

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"ppdp/datasets"
)

// ReadHierarchy reads a taxonomy in the form of ARX: a line for each value, which it begins with,
// followed by ever broader terms up to one root; semicolons, commas, tabs or bars between them, no
// header. A term that repeats the one before it is no level. Where lines end in different terms, a
// root "*" is put above them. The error lists everything wrong as file:line: what.
func ReadHierarchy(file string, r io.Reader) (*datasets.Taxonomy, error) {
	buffered := bufio.NewReaderSize(r, sampleSize)
	sample, _ := buffered.Peek(sampleSize) // an error comes again below
	delimiter, trim := ';', false
	for _, candidate := range []rune{';', '\t', ',', '|'} {
		if fields, _, spaces := evenFields(sample, candidate); fields > 1 {
			delimiter, trim = candidate, spaces
			break
		}
	}
	records, guard, err := openRecords(file, buffered, delimiter, trim)
	if err != nil {
		return nil, err
	}
	h := hierarchyReader{file: file, terms: map[string]int{}, leaves: map[string]int{}}
	for {
		record, err := guard.next(file, records)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range record {
			if !utf8.ValidString(record[i]) {
				return nil, fmt.Errorf("%s:%d: %q is not UTF-8, must be saved in that encoding",
					file, guard.line, record[i])
			}
		}
		h.add(guard.line, record)
	}
	return h.taxonomy()
}

// hierarchyReader grows a tree below a root "*", and notes what is wrong with the file.
type hierarchyReader struct {
	file    string
	tree    datasets.Taxonomy
	lines   []int // that said first where each node is
	terms   map[string]int
	leaves  map[string]int // the line of each value
	starred bool           // some line ends in the root itself
	bad     datasets.Problems
}

// hang adds a node that a line puts below another.
func (h *hierarchyReader) hang(name string, parent, line int) (node int) {
	node = len(h.tree.Nodes)
	h.lines = append(h.lines, line)
	h.tree.Nodes = append(h.tree.Nodes,
		datasets.TaxonomyNode{Name: strings.Clone(name), Parent: parent})
	if parent >= 0 {
		above := &h.tree.Nodes[parent]
		above.Children = append(above.Children, node)
	}
	return node
}

// add takes a line: a value and the terms above it, from the narrowest to the broadest.
func (h *hierarchyReader) add(line int, record []string) {
	const root = "*"
	levels := slices.Compact(slices.Clone(record))
	if len(levels) > 1 && levels[len(levels)-1] == "" { // the line ends in a delimiter
		levels = levels[:len(levels)-1]
	}
	value := levels[0]
	if before, twice := h.leaves[value]; twice {
		h.bad.Add("%s:%d: value %q again, first in line %d", h.file, line, value, before)
		return
	}
	h.leaves[strings.Clone(value)] = line
	if last := len(levels) - 1; last > 0 && levels[last] == root {
		h.starred = true
	} else {
		levels = append(levels, root)
	}
	node := -1
	for _, name := range slices.Backward(levels[1:]) {
		above := node
		known := false
		if node, known = h.terms[name]; !known {
			node = h.hang(name, above, line)
			h.terms[h.tree.Nodes[node].Name] = node
		} else if parent := h.tree.Nodes[node].Parent; parent != above {
			h.bad.Add("%s:%d: %q is below %q, but below %q in line %d; must be below one", h.file,
				line, name, h.tree.Nodes[above].Name, h.tree.Nodes[max(0, parent)].Name,
				h.lines[node])
			return
		}
	}
	h.hang(value, node, line)
}

// taxonomy is the tree, without the root where all lines end in one other term.
func (h *hierarchyReader) taxonomy() (*datasets.Taxonomy, error) {
	if h.bad.Any() {
		return nil, h.bad.Err()
	}
	nodes := h.tree.Nodes
	if len(nodes) == 0 {
		return nil, fmt.Errorf("%s:1: an empty file, must have a line for each value", h.file)
	}
	if len(nodes[0].Children) == 1 && len(nodes[1].Children) > 0 && !h.starred {
		nodes = nodes[1:]
		for i := range nodes {
			nodes[i].Parent--
			for k := range nodes[i].Children {
				nodes[i].Children[k]--
			}
		}
	}
	return &datasets.Taxonomy{Nodes: nodes}, nil
}

// taxonomyText is a node with what is below it as a schema file has it, without braces.
func taxonomyText(t *datasets.Taxonomy, node int) string {
	children := make([]string, len(t.Nodes[node].Children))
	for i, child := range t.Nodes[node].Children {
		if len(t.Nodes[child].Children) == 0 {
			children[i] = strconv.Quote(t.Nodes[child].Name)
		} else {
			children[i] = "{" + taxonomyText(t, child) + "}"
		}
	}
	return strconv.Quote(t.Nodes[node].Name) + ": [" + strings.Join(children, ", ") + "]"
}
