package publish

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"ppdp/datasets"
	csvtable "ppdp/datasets/csv"
)

// group is a generalised value: the codes whose place along the attribute, or along its taxonomy,
// lies in one of the spans. A text may be a value and a broader term of the same name.
type group struct {
	rank  []uint32 // of the codes, for ranks
	codes *datasets.Span
	ranks *datasets.Span
}

func (g *group) holds(code uint32) bool {
	return g.codes != nil && code >= g.codes.Low && code < g.codes.High ||
		g.ranks != nil && g.rank[code] >= g.ranks.Low && g.rank[code] < g.ranks.High
}

// parseGroup reads a generalised value: what csvtable.GroupText writes, or the name of a node of
// the taxonomy.
func parseGroup(a *datasets.Attribute, text string) (group, error) {
	var g group
	if code, err := a.TextCode(text); err == nil {
		g.codes = &datasets.Span{Low: code, High: code + 1}
	} else if a.Kind == datasets.Numeric {
		span, err := parseInterval(a, text)
		if err != nil {
			return g, err
		}
		g.codes = &span
	} else if span, ok := parseList(a.Values, text); ok {
		g.codes = &span
	}
	if axis := a.Axis(); axis != nil {
		for node := range axis.Taxonomy.Nodes {
			n := &axis.Taxonomy.Nodes[node]
			if n.Name == text && len(n.Children) > 0 {
				g.rank = axis.Rank
				g.ranks = &datasets.Span{Low: axis.Low[node], High: axis.High[node]}
			}
		}
	}
	if g.codes == nil && g.ranks == nil {
		return g, fmt.Errorf("%s: %q is neither a value, a list of neighbouring values nor a term "+
			"of the taxonomy", a.Name, text)
	}
	return g, nil
}

// parseInterval reads "[20, 30)".
func parseInterval(a *datasets.Attribute, text string) (span datasets.Span, err error) {
	inner, opened := strings.CutPrefix(text, "[")
	inner, closed := strings.CutSuffix(inner, ")")
	from, to, both := strings.Cut(inner, ", ")
	low, isLow := csvtable.ParseNumber(a, from)
	high, isHigh := csvtable.ParseNumber(a, to)
	if !opened || !closed || !both || !isLow || !isHigh || !(low < high) {
		return span, fmt.Errorf("%s: %q is neither a number nor an interval [low, high)", a.Name,
			text)
	}
	if span.Low, err = a.NumberCode(low); err != nil {
		return span, err
	}
	if span.High = uint32(a.Cells()); high != a.High {
		span.High, err = a.NumberCode(high)
	}
	if err == nil && span.Low >= span.High {
		err = fmt.Errorf("%s: %q is less than a cell of the attribute's domain", a.Name, text)
	}
	return span, err
}

// parseList reads "{admin, services}", values that follow each other in the schema.
func parseList(values []string, text string) (span datasets.Span, ok bool) {
	for low := range values {
		rest, begins := strings.CutPrefix(text, "{"+values[low])
		for high := low + 1; begins; high++ {
			if rest == "}" {
				return datasets.Span{Low: uint32(low), High: uint32(high)}, true
			}
			if high == len(values) {
				break
			}
			rest, begins = strings.CutPrefix(rest, ", "+values[high])
		}
	}
	return span, false
}

// generalised is a generalised table: its classes, each with what its records say beside the
// quasi-identifiers.
type generalised struct {
	classes [][]string       // the texts of each class's quasi-identifiers
	members []map[string]int // how many records of each class say what
	sizes   []int
	quasi   []int
}

// others is what a record says beside the quasi-identifiers, as one text.
func others(row []string, quasi []int) string {
	var b strings.Builder
	for i, text := range row {
		if !slices.Contains(quasi, i) {
			fmt.Fprintf(&b, "%d:%s", len(text), text)
		}
	}
	return b.String()
}

func classesOf(schema *datasets.Schema, rows [][]string) *generalised {
	g := &generalised{quasi: schema.QuasiIdentifiers()}
	index := make(map[string]int)
	for _, row := range rows {
		texts := make([]string, len(g.quasi))
		key := ""
		for d, i := range g.quasi {
			texts[d] = row[i]
			key += strconv.Itoa(len(row[i])) + ":" + row[i]
		}
		class, ok := index[key]
		if !ok {
			class = len(g.classes)
			index[key] = class
			g.classes = append(g.classes, texts)
			g.members = append(g.members, make(map[string]int))
			g.sizes = append(g.sizes, 0)
		}
		g.members[class][others(row, g.quasi)]++
		g.sizes[class]++
	}
	return g
}

func (g *generalised) smallest() int {
	if len(g.sizes) == 0 {
		return 0
	}
	return slices.Min(g.sizes)
}

// trie finds the classes that hold a combination of values, one attribute a level.
type trie struct {
	below map[string]*branch
	order []*branch
	class int // of a leaf
}

type branch struct {
	group group
	trie  *trie
}

func newTrie(schema *datasets.Schema, g *generalised) (*trie, error) {
	root := &trie{below: make(map[string]*branch)}
	for class, texts := range g.classes {
		at := root
		for d, text := range texts {
			b, ok := at.below[text]
			if !ok {
				parsed, err := parseGroup(&schema.Attributes[g.quasi[d]], text)
				if err != nil {
					return nil, err
				}
				b = &branch{parsed, &trie{below: make(map[string]*branch)}}
				at.below[text] = b
				at.order = append(at.order, b)
			}
			at = b.trie
		}
		at.class = class
	}
	return root, nil
}

func (t *trie) find(codes []uint32, into []int) []int {
	if len(codes) == 0 {
		return append(into, t.class)
	}
	for _, b := range t.order {
		if b.group.holds(codes[0]) {
			into = b.trie.find(codes[1:], into)
		}
	}
	return into
}

// match pairs records of the release with records of the original that they may stand for, each at
// most once, and returns how many can be paired at most: all, where the release is truthful.
func (g *generalised) match(ctx context.Context, schema *datasets.Schema,
	original *datasets.Table) (int, error) {
	root, err := newTrie(schema, g)
	if err != nil {
		return 0, err
	}
	texts, err := textsOf(original)
	if err != nil {
		return 0, err
	}
	m := &matching{places: make(map[place]int)}
	for class, members := range g.members {
		for said, n := range members { // order-free: how many can be paired does not depend on it
			m.places[place{class, said}] = len(m.free)
			m.free = append(m.free, n)
		}
	}
	m.held = make([][]int, len(m.free))
	codes := make([]uint32, len(g.quasi))
	var classes []int
	for row, text := range texts {
		if row%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for d, i := range g.quasi {
			codes[d] = original.Column(i).At(int32(row))
		}
		said := others(text, g.quasi)
		var may []int
		classes = root.find(codes, classes[:0])
		for _, class := range classes {
			if at, ok := m.places[place{class, said}]; ok {
				may = append(may, at)
			}
		}
		m.options = append(m.options, may)
	}
	return m.size(), nil
}

// textsOf is a table's records as they are written.
func textsOf(table *datasets.Table) ([][]string, error) {
	r, w := io.Pipe()
	go func() { w.CloseWithError(csvtable.Write(w, table, nil)) }()
	texts, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	return texts[1:], nil
}

// place is where records of a release are alike in all they say.
type place struct {
	class int
	said  string
}

// matching pairs records with places, by augmenting paths (Kuhn).
type matching struct {
	places  map[place]int
	free    []int   // for each place: records of the release not paired yet
	held    [][]int // and the original's records paired with it
	options [][]int // for each record of the original: the places it may have
	seen    []int   // the search that has last looked at a place
	search  int
}

func (m *matching) size() int {
	m.seen = make([]int, len(m.free))
	var open []int
	size := 0
	for record, options := range m.options {
		at := slices.IndexFunc(options, func(p int) bool { return m.free[p] > 0 })
		switch {
		case at >= 0:
			m.free[options[at]]--
			m.held[options[at]] = append(m.held[options[at]], record)
			size++
		case len(options) > 0:
			open = append(open, record)
		}
	}
	left := 0
	for _, n := range m.free {
		left += n
	}
	for _, record := range open {
		if left == 0 {
			break
		}
		if m.search++; m.augment(record) {
			size++
			left--
		}
	}
	return size
}

// augment finds a place for a record, moving others where it must.
func (m *matching) augment(record int) bool {
	for _, p := range m.options[record] {
		if m.seen[p] == m.search {
			continue
		}
		m.seen[p] = m.search
		if m.free[p] > 0 {
			m.free[p]--
			m.held[p] = append(m.held[p], record)
			return true
		}
		for i, other := range m.held[p] {
			if m.augment(other) {
				m.held[p][i] = record
				return true
			}
		}
	}
	return false
}
