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
	h := hierarchyReader{file: file, terms: map[string]*term{}, leaves: map[string]int{}}
	for {
		record, err := guard.next(file, records)
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		for i := range record {
			if trim {
				record[i] = strings.TrimSpace(record[i])
			}
			if !utf8.ValidString(record[i]) {
				return nil, fmt.Errorf("%s:%d: %q is not UTF-8, must be saved in that encoding",
					file, guard.line, record[i])
			}
		}
		h.add(guard.line, record)
	}
	return h.taxonomy()
}

// term is a broader term: its parent, with the line that says so first, and what is below it.
type term struct {
	name     string
	parent   *term
	line     int
	children []any // of type *term, or string for a value
}

// hierarchyReader collects the terms of a hierarchy file, and what is wrong with it, line by line.
type hierarchyReader struct {
	file   string
	terms  map[string]*term
	order  []*term
	leaves map[string]int // the line of each value
	bad    datasets.Problems
}

// term is the term of a name; the first time it is made.
func (h *hierarchyReader) term(name string) *term {
	t := h.terms[name]
	if t == nil {
		t = &term{name: strings.Clone(name)}
		h.terms[t.name] = t
		h.order = append(h.order, t)
	}
	return t
}

// add takes a line: a value and the terms above it, from the narrowest to the broadest.
func (h *hierarchyReader) add(line int, record []string) {
	levels := slices.Compact(slices.Clone(record))
	if len(levels) > 1 && levels[len(levels)-1] == "" { // the line ends in a delimiter
		levels = levels[:len(levels)-1]
	}
	value := strings.Clone(levels[0])
	if before, twice := h.leaves[value]; twice {
		h.bad.Add("%s:%d: value %q again, first in line %d", h.file, line, value, before)
		return
	}
	h.leaves[value] = line
	if len(levels) == 1 {
		levels = append(levels, "*")
	}
	above := h.term(levels[1])
	above.children = append(above.children, value)
	for _, name := range levels[2:] {
		child := above
		above = h.term(name)
		switch {
		case child.parent == nil:
			child.parent, child.line = above, line
			above.children = append(above.children, child)
		case child.parent != above:
			h.bad.Add("%s:%d: %q is below %q, but below %q in line %d; must be below one",
				h.file, line, child.name, above.name, child.parent.name, child.line)
		}
	}
}

// taxonomy makes a tree of the terms, or returns everything wrong with them.
func (h *hierarchyReader) taxonomy() (*datasets.Taxonomy, error) {
	var roots []any
	for _, t := range h.order {
		if t.parent == nil {
			roots = append(roots, t)
		}
	}
	switch {
	case h.bad.Any():
		return nil, h.bad.Err()
	case len(h.order) == 0:
		return nil, fmt.Errorf("%s:1: an empty file, must have a line for each value", h.file)
	case len(roots) == 0:
		return nil, fmt.Errorf("%s:1: no root, every term is below another one", h.file)
	case len(roots) > 1 && h.terms["*"] != nil:
		return nil, fmt.Errorf("%s:1: lines end in %d different terms, must end in one", h.file,
			len(roots))
	}
	root := roots[0].(*term)
	if len(roots) > 1 {
		root = &term{name: "*", children: roots}
	}
	tree := new(datasets.Taxonomy)
	grow(tree, root, -1)
	if len(tree.Nodes) < len(h.leaves)+len(h.order) {
		return nil, fmt.Errorf("%s:1: terms that are below themselves", h.file)
	}
	return tree, nil
}

// grow hangs a term or a value below a node.
func grow(tree *datasets.Taxonomy, below any, parent int) {
	node := len(tree.Nodes)
	if parent >= 0 {
		tree.Nodes[parent].Children = append(tree.Nodes[parent].Children, node)
	}
	if value, leaf := below.(string); leaf {
		tree.Nodes = append(tree.Nodes, datasets.TaxonomyNode{Name: value, Parent: parent})
		return
	}
	t := below.(*term)
	tree.Nodes = append(tree.Nodes, datasets.TaxonomyNode{Name: t.name, Parent: parent})
	for _, child := range t.children {
		grow(tree, child, node)
	}
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
